/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// How large a scene is, from a few moments of it: for the camera, and for everything whose size follows the scene.
import * as THREE from 'three';

import { SHAPE, type Model, type Pose } from '../data/model.ts';

export interface Extent {
    centre: THREE.Vector3;
    /** half the edges of a box about the centre that holds it as well [L] */
    half: THREE.Vector3;
    /** balls that a camera must see, four numbers each: x y z radius */
    balls: Float64Array;
    /** radius of a ball about the centre that holds what matters [L] */
    size: number;
}

const MOST_BALLS = 4000;
/** Lengths below are rounding, in whatever unit [L]. */
const NO_LENGTH = 1e-12;

export function emptyExtent(): Extent {
    const balls = Float64Array.from([0, 0, 0, 1]);
    return { centre: new THREE.Vector3(), half: new THREE.Vector3(1, 1, 1), balls, size: 1 };
}

/** Reach of each body about its centre, from its shapes; half-spaces count nothing. */
export function reachOf(model: Model): Float64Array {
    const s = model.shapes;
    const reach = new Float64Array(model.bodies.name.length);
    for (let i = 0; i < s.body.length; i++) {
        if (s.kind[i] === SHAPE.halfspace) continue;
        let r = s.radius[i] + Math.hypot(s.half_size[3 * i], s.half_size[3 * i + 1], s.half_size[3 * i + 2]);
        for (let k = s.first_vertex[i]; k < s.first_vertex[i + 1]; k++)
            r = Math.max(r, Math.hypot(s.vertex[3 * k], s.vertex[3 * k + 1], s.vertex[3 * k + 2]));
        const off = Math.hypot(s.pose[7 * i], s.pose[7 * i + 1], s.pose[7 * i + 2]);
        reach[s.body[i]] = Math.max(reach[s.body[i]], off + (Number.isFinite(r) ? r : 0));
    }
    // a body without shapes reaches as far as its joints
    const j = model.joints;
    for (const [bodies, pose] of [
        [j.a, j.pose_a],
        [j.b, j.pose_b],
    ] as const)
        bodies.forEach((b, i) => {
            if (b >= 0 && !s.body.includes(b))
                reach[b] = Math.max(reach[b], Math.hypot(...pose.subarray(7 * i, 7 * i + 3)));
        });
    return reach;
}

function halfspaceBodies(model: Model): Set<number> {
    const found = new Set<number>();
    model.shapes.kind.forEach((k, i) => k === SHAPE.halfspace && found.add(model.shapes.body[i]));
    return found;
}

function boxOf(model: Model, reach: Float64Array, position: Float64Array, of: (body: number) => boolean): THREE.Box3 {
    const box = new THREE.Box3();
    const halfspaces = halfspaceBodies(model);
    const p = new THREE.Vector3();
    for (let b = 0; b < reach.length; b++) {
        if (halfspaces.has(b) || !of(b)) continue;
        p.fromArray(position, 3 * b);
        if (!Number.isFinite(p.x + p.y + p.z)) continue;
        box.expandByPoint(p.clone().addScalar(reach[b]));
        box.expandByPoint(p.clone().addScalar(-reach[b]));
    }
    return box;
}

/** Balls about bodies at the moments that are given, those inside the box; not more than a camera needs. */
function ballsIn(
    model: Model,
    box: THREE.Box3,
    reach: Float64Array,
    moments: Float64Array[],
    least: number,
): Float64Array {
    const list: number[] = [];
    const halfspaces = halfspaceBodies(model);
    const skip = Math.max(1, Math.floor((moments.length * reach.length) / MOST_BALLS));
    const p = new THREE.Vector3();
    for (const position of moments)
        for (let b = 0; b < reach.length; b += skip) {
            p.fromArray(position, 3 * b);
            const inside = !halfspaces.has(b) && reach[b] <= 2 * box.max.distanceTo(box.min);
            if (inside && box.containsPoint(p)) list.push(p.x, p.y, p.z, Math.max(reach[b], least));
        }
    return Float64Array.from(list);
}

/** `later`: positions at some later frames. What flies far away does not make the rest small. */
export function extentOf(model: Model, start: Pose, later: Float64Array[]): Extent {
    const reach = reachOf(model);
    const moving = (b: number): boolean => model.bodies.kind[b] !== 0;
    let box = boxOf(model, reach, start.position, moving);
    const room = new THREE.Sphere();
    const near = (more: THREE.Box3, times: number): boolean => {
        if (box.isEmpty()) return true;
        box.getBoundingSphere(room);
        const other = more.getBoundingSphere(new THREE.Sphere());
        return other.center.distanceTo(room.center) + other.radius < times * room.radius;
    };
    for (let b = 0; b < reach.length; b++) {
        if (moving(b)) continue;
        const one = boxOf(model, reach, start.position, (i) => i === b);
        if (!one.isEmpty() && near(one, 2.5)) box = box.union(one);
    }
    const first = box.clone();
    const middle = first.getCenter(new THREE.Vector3());
    const far = 2.5 * first.getSize(new THREE.Vector3()).length() || Infinity;
    for (const position of later)
        box.union(
            boxOf(model, reach, position, (b) => {
                const at = new THREE.Vector3().fromArray(position, 3 * b);
                return moving(b) && (first.isEmpty() || at.distanceTo(middle) < far);
            }),
        );
    if (box.isEmpty()) return emptyExtent();
    box.getBoundingSphere(room);
    // a point that rests has no size but rounding, which single precision of the drawing makes larger: its distance from
    // the origin is the only length there is
    const place = room.center.length();
    const point = !(room.radius > Math.max(NO_LENGTH, 1e-5 * place));
    const size = !point ? room.radius : place > NO_LENGTH ? place : 1;
    const half = box
        .getSize(new THREE.Vector3())
        .multiplyScalar(0.5)
        .max(new THREE.Vector3(1, 1, 1).multiplyScalar(0.1 * size));
    if (model.dim === 2) room.center.z = 0;
    const balls = ballsIn(model, box, reach, [start.position, ...later], (point ? 0.5 : 0.05) * size);
    return { centre: room.center.clone(), half, balls, size };
}

/** What holds both scenes: for a camera that two runs share. */
export function unite(list: readonly Extent[]): Extent {
    if (list.length < 2) return list[0] ?? emptyExtent();
    const box = new THREE.Box3();
    for (const e of list) {
        box.expandByPoint(e.centre.clone().add(e.half));
        box.expandByPoint(e.centre.clone().sub(e.half));
    }
    const balls = Float64Array.from(list.flatMap((e) => Array.from(e.balls)));
    return {
        centre: box.getCenter(new THREE.Vector3()),
        half: box.getSize(new THREE.Vector3()).multiplyScalar(0.5),
        balls,
        size: Math.max(...list.map((e) => e.size)),
    };
}

/** Part of the bodies that set how far apart bodies may be before one of them counts as gone. */
const MOST_OF_THEM = 0.8;
/** How many times farther out than most of the others a body must be, and how many sizes of the scene at its start. */
const GONE = 3;

/** Balls about the bodies that move, where they are now. What fell or flew away from most of the others is left out.
 *  `size`: of the scene at its start [L]. Empty: nothing moves. */
export function ballsNow(model: Model, reach: Float64Array, position: Float64Array, size: number): Float64Array {
    const halfspaces = halfspaceBodies(model);
    const all: number[] = [];
    for (let b = 0; b < reach.length; b++)
        if (
            model.bodies.kind[b] !== 0 &&
            !halfspaces.has(b) &&
            Number.isFinite(position[3 * b] + position[3 * b + 1] + position[3 * b + 2])
        )
            all.push(b);
    if (all.length === 0) return new Float64Array(0);
    const middle = [0, 1, 2].map((k) => quantile(all, (b) => position[3 * b + k], 0.5));
    const distance = (b: number): number =>
        Math.hypot(...middle.map((m, k) => position[3 * b + k] - m)) + (reach[b] < GONE * size ? reach[b] : 0);
    const far = GONE * Math.max(size, quantile(all, distance, MOST_OF_THEM));
    const near = all.filter((b) => distance(b) <= far);
    const skip = Math.max(1, Math.floor(near.length / MOST_BALLS));
    const list: number[] = [];
    for (let i = 0; i < near.length; i += skip) {
        const p = 3 * near[i];
        list.push(position[p], position[p + 1], position[p + 2], Math.max(reach[near[i]], 0.05 * size));
    }
    return Float64Array.from(list);
}

function quantile(of: readonly number[], value: (i: number) => number, part: number): number {
    const sorted = of.map(value).sort((a, b) => a - b);
    return sorted[Math.floor(part * (sorted.length - 1))];
}
