/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Surfaces that run, such as conveyor belts: arrows along the side of a shape that faces up, in the direction of its surface.
import * as THREE from 'three';

import { SHAPE } from '../data/model.ts';
import { rowsOf, turn } from '../geometry/pose.ts';
import { arrowLength, type Moment } from './layers.ts';
import type { Segments } from './segments.ts';

/** Arrows along one surface. */
const ARROWS = 3;
/** Longest arrow as a part of the distance between two, so that they stay apart. */
const PART = 0.7;
/** Free space between the surface and its arrows, as a part of a typical body's size. */
const LIFT = 0.06;

/** The farthest that a shape reaches from its centre in direction `d`, both in the shape's own axes [L]. */
function reachAlong(m: Moment, shape: number, d: THREE.Vector3): number {
    const s = m.model.shapes;
    const half = s.half_size.subarray(3 * shape, 3 * shape + 3);
    const parts = [d.x, d.y, d.z];
    let far = s.radius[shape] || 0;
    if (s.kind[shape] === SHAPE.halfspace) return far;
    far += parts.reduce((sum, x, k) => sum + Math.abs(x) * (half[k] || 0), 0);
    for (let i = s.first_vertex[shape]; i < s.first_vertex[shape + 1]; i++)
        far = Math.max(
            far,
            parts.reduce((sum, x, k) => sum + x * s.vertex[3 * i + k], 0),
        );
    return far;
}

function runs(surface: Float64Array, shape: number): boolean {
    return [0, 1, 2].some((k) => (surface[3 * shape + k] || 0) !== 0);
}

/** `up`: against gravity. */
export function addBelts(m: Moment, to: Segments, up: THREE.Vector3): void {
    const s = m.model.shapes;
    for (let i = 0; i < s.body.length; i++) {
        if (!runs(s.surface_velocity, i)) continue;
        const body = s.body[i];
        const world = (v: THREE.Vector3): THREE.Vector3 =>
            new THREE.Vector3(...turn(m.pose.orientation, body, [v.x, v.y, v.z]));
        const inShape = rowsOf(s.pose, 7 * i);
        const axes = [0, 1, 2].map((k) => world(new THREE.Vector3(inShape[k], inShape[4 + k], inShape[8 + k])));
        const own = (v: THREE.Vector3): THREE.Vector3 =>
            new THREE.Vector3(axes[0].dot(v), axes[1].dot(v), axes[2].dot(v));
        const velocity = world(new THREE.Vector3().fromArray(s.surface_velocity, 3 * i));
        const speed = velocity.length();
        const along = velocity.clone().divideScalar(speed);
        const out = up.clone().addScaledVector(along, -up.dot(along));
        const at = new THREE.Vector3()
            .fromArray(m.pose.position, 3 * body)
            .add(world(new THREE.Vector3(inShape[3], inShape[7], inShape[11])));
        let length = arrowLength(m.measures, speed / (m.measures.speed || speed), m.arrows);
        let apart = length / PART;
        if (s.kind[i] === SHAPE.halfspace) {
            const normal = axes[0]
                .clone()
                .multiplyScalar(s.normal[3 * i])
                .addScaledVector(axes[1], s.normal[3 * i + 1])
                .addScaledVector(axes[2], s.normal[3 * i + 2]);
            at.addScaledVector(normal, s.offset[i]);
            out.copy(normal);
        } else {
            // straight up if the surface runs upwards
            if (out.length() < 1e-6) out.copy(axes[0]).addScaledVector(along, -axes[0].dot(along));
            out.normalize();
            at.addScaledVector(out, reachAlong(m, i, own(out)));
            apart = (2 * reachAlong(m, i, own(along))) / ARROWS;
            length = Math.min(length, PART * apart);
        }
        at.addScaledVector(out, LIFT * m.measures.unit);
        for (let k = 0; k < ARROWS; k++) {
            const from = at.clone().addScaledVector(along, (k - 0.5 * (ARROWS - 1)) * apart - 0.5 * length);
            const tip = from.clone().addScaledVector(along, length);
            to.add(from.x, from.y, from.z, tip.x, tip.y, tip.z, m.theme.velocity);
        }
    }
}
