/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Surfaces of all shapes as few meshes. A surface is copied for each shape that has it: a software renderer takes about as
// long to begin an instance as to draw a hundred triangles, and a graphics card does not mind. Only where the copies would
// take too much memory there are instances.
import * as THREE from 'three';

import type { Solid } from '../geometry/solid.ts';

/** Shapes of one surface, by their places in the table of poses. */
export interface Alike {
    solid: Solid;
    slots: readonly number[];
}

/** Corners of all copies of a surface; an InstancedBufferGeometry is used beyond. */
const MOST_CORNERS = 400_000;

const PARTS = [
    ['position', 3],
    ['normal', 3],
    ['edge', 3],
    ['shade', 1],
] as const;

function corners({ solid, slots }: Alike): number {
    return solid.shade.length * slots.length;
}

function instanced({ solid, slots }: Alike): THREE.BufferGeometry {
    const geometry = new THREE.InstancedBufferGeometry();
    for (const [name, size] of PARTS) geometry.setAttribute(name, new THREE.Float32BufferAttribute(solid[name], size));
    geometry.setAttribute('slot', new THREE.InstancedBufferAttribute(new Float32Array(slots), 1));
    geometry.setIndex(solid.index);
    geometry.instanceCount = slots.length;
    return geometry;
}

function merged(all: readonly Alike[]): THREE.BufferGeometry {
    const geometry = new THREE.BufferGeometry();
    const n = all.reduce((sum, a) => sum + corners(a), 0);
    for (const [name, size] of PARTS) {
        const to = new Float32Array(size * n);
        let at = 0;
        for (const { solid, slots } of all) {
            const one = Float32Array.from(solid[name]);
            for (let k = 0; k < slots.length; k++, at += one.length) to.set(one, at);
        }
        geometry.setAttribute(name, new THREE.BufferAttribute(to, size));
    }
    const slot = new Float32Array(n);
    const index = new Uint32Array(all.reduce((sum, a) => sum + a.solid.index.length * a.slots.length, 0));
    let [corner, side] = [0, 0];
    for (const { solid, slots } of all)
        for (const s of slots) {
            slot.fill(s, corner, corner + solid.shade.length);
            for (const i of solid.index) index[side++] = corner + i;
            corner += solid.shade.length;
        }
    geometry.setAttribute('slot', new THREE.BufferAttribute(slot, 1));
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    return geometry;
}

export function bodyMeshes(all: readonly Alike[]): THREE.BufferGeometry[] {
    const few = all.filter((a) => corners(a) <= MOST_CORNERS);
    const many = all.filter((a) => corners(a) > MOST_CORNERS);
    return [...(few.length > 0 ? [merged(few)] : []), ...many.map(instanced)];
}
