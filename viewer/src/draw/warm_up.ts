/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// A body on a floor that nobody sees. Drawing it makes the shaders ready while the first recording is still being read;
// compiling them takes a software renderer a good part of a second.
import * as THREE from 'three';

import { SHAPE, type Model } from '../data/model.ts';
import { Bodies } from './bodies.ts';
import { Planes } from './planes.ts';
import { LIGHT } from './theme.ts';

function smallModel(): Model {
    const none = new Float64Array(0);
    return {
        title: '',
        dim: 3,
        h: 1,
        gravity: [0, 0, -1],
        units: { length: '', mass: '', time: '' },
        bodies: {
            name: ['floor', 'body'],
            label: [],
            kind: Uint8Array.of(0, 2),
            mass: none,
            inertia: none,
            support: none,
        },
        shapes: {
            body: Int32Array.of(0, 1),
            kind: Uint8Array.of(SHAPE.halfspace, SHAPE.box),
            pose: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0),
            radius: new Float64Array(2),
            half_size: new Float64Array(6).fill(1),
            normal: Float64Array.of(0, 0, 1, 0, 0, 1),
            offset: new Float64Array(2),
            material: new Int32Array(2),
            first_vertex: new Int32Array(3),
            first_face: new Int32Array(3),
            vertex: none,
            face_start: new Int32Array(1),
            face_vertex: new Int32Array(0),
            exponent: none,
            colour: new Int32Array(0),
            surface_velocity: none,
        },
        joints: {
            name: [],
            kind: new Uint8Array(0),
            a: new Int32Array(0),
            b: new Int32Array(0),
            pose_a: none,
            pose_b: none,
        },
        springs: { a: new Int32Array(0), b: new Int32Array(0), point_a: none, point_b: none },
    };
}

/** Draws once; the result is to be called when a picture with the same shaders has been drawn: until then they are kept. */
export function warmUp(renderer: THREE.WebGLRenderer): () => void {
    const model = smallModel();
    const bodies = new Bodies(model, 1);
    const planes = new Planes(model, new THREE.Vector3(), 1);
    const pose = { position: new Float64Array(6), orientation: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0) };
    bodies.place(pose);
    bodies.paint(LIGHT);
    planes.place(pose);
    planes.paint(LIGHT);
    const scene = new THREE.Scene();
    scene.add(planes.group, bodies.group);
    const camera = new THREE.PerspectiveCamera();
    camera.position.set(0, -5, 2);
    camera.lookAt(0, 0, 0);
    renderer.setSize(16, 16, false);
    renderer.clear(true, true, true);
    renderer.render(scene, camera);
    return () => {
        bodies.dispose();
        planes.dispose();
    };
}
