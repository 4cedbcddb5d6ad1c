/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Scenes to begin with.
export const EXAMPLES: readonly { name: string; text: string }[] = [
    {
        name: 'boxes',
        text: `perp: 1
title: boxes on a slope
dim: 3
h: 0.01
duration: 4
parameters:
  mu: {default: 0.45, min: 0, max: 1, about: friction}
  angle: {default: 20, min: 0, max: 45, unit: deg, about: slope}
gravity: [9.81*sin(angle*pi/180), 0, -9.81*cos(angle*pi/180)]
law: {mu: mu}
bodies:
- {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}
- {name: low, density: 500, at: [0, 0, 0.15], shape: {type: box, size: [0.5, 0.5, 0.3]}}
- {name: high, density: 500, at: [0.05, 0, 0.4], shape: {type: box, size: [0.3, 0.3, 0.2]}}
- {name: ball, density: 500, at: [-0.6, 0, 0.15], shape: {type: sphere, radius: 0.15}}
`,
    },
    {
        name: 'tower (2D)',
        text: `perp: 1
title: a tower and a ball
dim: 2
h: 0.005
duration: 3
parameters:
  speed: {default: 4, min: 0, max: 10, unit: m/s, about: speed of the ball}
law: {mu: 0.5}
bodies:
- {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}
- {name: a, density: 100, at: [0, 0.1], shape: {type: box, size: [0.4, 0.2]}}
- {name: b, density: 100, at: [0, 0.3], shape: {type: box, size: [0.4, 0.2]}}
- {name: c, density: 100, at: [0, 0.5], shape: {type: box, size: [0.4, 0.2]}}
- {name: ball, density: 300, at: [-2, 0.5], velocity: [speed, 1], shape: {type: sphere, radius: 0.1}}
`,
    },
];
