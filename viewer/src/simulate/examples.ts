/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Scenes to begin with: those of the gallery that need no other file and keep up with the clock, and two short ones to read.
import doublePendulum from '../../../experiments/double-pendulum/scene.yaml?raw';
import fourBar from '../../../experiments/four-bar/scene.yaml?raw';
import rockingBlock from '../../../experiments/rocking-block/scene.yaml?raw';
import belts from '../../../scenes/belts.yaml?raw';
import cart from '../../../scenes/cart.yaml?raw';
import dominoes from '../../../scenes/dominoes.yaml?raw';
import feeder from '../../../scenes/feeder.yaml?raw';
import marbles from '../../../scenes/marbles.yaml?raw';
import cradle from '../../../scenes/newtons-cradle.yaml?raw';

const SLOPE = `perp: 1
title: Boxes on a slope
dim: 3
h: 0.01
duration: 4
parameters:
  mu: {default: 0.3, min: 0, max: 1, about: friction}
  angle: {default: 20, min: 0, max: 45, unit: deg, about: slope}
gravity: [9.81*sin(angle*pi/180), 0, -9.81*cos(angle*pi/180)]
law: {mu: mu}
bodies:
- {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}
- {name: low, density: 500, at: [0, 0, 0.15], shape: {type: box, size: [0.5, 0.5, 0.3]}}
- {name: high, density: 500, at: [0.05, 0, 0.4], shape: {type: box, size: [0.3, 0.3, 0.2]}}
- {name: ball, density: 500, at: [-0.6, 0, 0.15], shape: {type: sphere, radius: 0.15}}
`;
const TOWER = `perp: 1
title: A tower and a ball, in the plane
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
`;

export interface Example {
    name: string;
    text: string;
}

export const EXAMPLES: readonly Example[] = [
    SLOPE,
    TOWER,
    dominoes,
    cradle,
    marbles,
    feeder,
    belts,
    cart,
    doublePendulum,
    fourBar,
    rockingBlock,
].map((text) => ({ name: /^title: *(.*)$/m.exec(text)?.[1] ?? '', text }));
