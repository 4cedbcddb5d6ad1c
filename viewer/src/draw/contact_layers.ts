/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Layers of contacts: points, normals, gaps, impulses, friction cones.
import * as THREE from 'three';

import type { Contacts } from '../data/model.ts';
import { Dots } from './dots.ts';
import { arrowLength, type LayerSet, type Moment } from './layers.ts';
import { Segments } from './segments.ts';
import type { Rgb } from './theme.ts';

const CONE_SIDES = 24;

/** Impulse on the second body in world axes, for contact i. */
export function impulseOf(c: Contacts, i: number): [number, number, number] {
    const n = c.normal.subarray(3 * i, 3 * i + 3);
    const t = c.tangent.subarray(3 * i, 3 * i + 3);
    const p = c.impulse.subarray(3 * i, 3 * i + 3);
    // the third axis is n x t
    const o = [n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]];
    return [0, 1, 2].map((k) => p[0] * n[k] + p[1] * t[k] + p[2] * o[k]) as [number, number, number];
}

export class ContactLayers {
    readonly group = new THREE.Group();
    private readonly dots = new Dots(8);
    /** ends of gaps: most gaps are too small to be seen as lines */
    private readonly ends = new Dots(6);
    private readonly normals = new Segments({ width: 1.6, head: 7, through: true });
    private readonly gaps = new Segments({ width: 3, through: true });
    private readonly impulses = new Segments({ width: 2.6, head: 11, through: true });
    private readonly cones: THREE.InstancedMesh;
    private coneRoom = 0;
    private readonly coneMaterial = new THREE.MeshBasicMaterial({
        transparent: true,
        opacity: 0.28,
        depthWrite: false,
        side: THREE.DoubleSide,
    });

    constructor() {
        // apex at the origin, opening along +z, radius 1 at height 1
        const cone = new THREE.ConeGeometry(1, 1, CONE_SIDES, 1, true);
        cone.rotateX(-Math.PI / 2).translate(0, 0, 0.5);
        this.cones = new THREE.InstancedMesh(cone, this.coneMaterial, 1);
        this.cones.frustumCulled = false;
        this.cones.renderOrder = 8;
        this.group.add(
            this.dots.points,
            this.ends.points,
            this.normals.mesh,
            this.gaps.mesh,
            this.impulses.mesh,
            this.cones,
        );
        this.reserveCones(64);
    }

    update(m: Moment, on: LayerSet): void {
        for (const s of [this.dots, this.ends, this.normals, this.gaps, this.impulses]) s.clear();
        let cones = 0;
        const c = m.contacts;
        if (c) {
            for (let i = 0; i < c.n; i++) this.addContact(m, on, c, i);
            if (on.cones) cones = this.placeCones(m, c);
        }
        for (const s of [this.dots, this.ends, this.normals, this.gaps, this.impulses]) s.commit();
        this.cones.count = cones;
        this.cones.visible = cones > 0;
        this.cones.instanceMatrix.needsUpdate = true;
        this.coneMaterial.color.setRGB(...m.theme.cone, THREE.SRGBColorSpace);
        this.dots.paint(m.theme.background);
        this.ends.paint(m.theme.background);
    }

    resize(width: number, height: number, pixels: number): void {
        this.dots.resize(pixels);
        this.ends.resize(pixels);
        for (const s of [this.normals, this.gaps, this.impulses]) s.resize(width, height, pixels);
    }

    dispose(): void {
        for (const s of [this.dots, this.ends, this.normals, this.gaps, this.impulses]) s.dispose();
        this.cones.dispose();
        this.coneMaterial.dispose();
    }

    private addContact(m: Moment, on: LayerSet, c: Contacts, i: number): void {
        const a = c.point_a.subarray(3 * i, 3 * i + 3);
        const b = c.point_b.subarray(3 * i, 3 * i + 3);
        const mid = [0, 1, 2].map((k) => 0.5 * (a[k] + b[k]));
        const state: Rgb = m.theme.state[c.state[i]] ?? m.theme.state[0];
        if (on.contacts) this.dots.add(mid[0], mid[1], mid[2], state);
        if (on.normals) {
            const n = c.normal.subarray(3 * i, 3 * i + 3);
            const l = 0.7 * m.measures.unit;
            this.normals.add(
                mid[0],
                mid[1],
                mid[2],
                mid[0] + l * n[0],
                mid[1] + l * n[1],
                mid[2] + l * n[2],
                m.theme.normal,
            );
        }
        if (on.gaps) {
            const tone = c.gap[i] < 0 ? m.theme.gapOverlap : m.theme.gapOpen;
            this.gaps.add(a[0], a[1], a[2], b[0], b[1], b[2], tone);
            this.ends.add(a[0], a[1], a[2], tone);
            this.ends.add(b[0], b[1], b[2], tone);
        }
        if (on.impulses) this.addImpulse(m, c, i, mid);
    }

    private addImpulse(m: Moment, c: Contacts, i: number, at: number[]): void {
        const p = impulseOf(c, i);
        const size = Math.hypot(...p);
        if (!(size > 0)) return;
        const reference = m.measures.impulse > 0 ? m.measures.impulse : size;
        const l = arrowLength(m.measures, (2 * size) / reference, m.arrows) / size;
        const tip = p.map((x, k) => at[k] + l * x);
        this.impulses.add(at[0], at[1], at[2], tip[0], tip[1], tip[2], m.theme.impulse);
    }

    private placeCones(m: Moment, c: Contacts): number {
        if (c.n > this.coneRoom) this.reserveCones(2 * c.n);
        const matrix = new THREE.Matrix4();
        const x = new THREE.Vector3();
        const y = new THREE.Vector3();
        const z = new THREE.Vector3();
        const height = 0.6 * m.measures.unit;
        let count = 0;
        for (let i = 0; i < c.n; i++) {
            if (!(c.mu[i] > 0)) continue;
            z.fromArray(c.normal, 3 * i);
            x.fromArray(c.tangent, 3 * i);
            y.crossVectors(z, x);
            const wide = c.mu[i] * height;
            matrix.makeBasis(x.multiplyScalar(wide), y.multiplyScalar(wide), z.multiplyScalar(height));
            matrix.setPosition(
                0.5 * (c.point_a[3 * i] + c.point_b[3 * i]),
                0.5 * (c.point_a[3 * i + 1] + c.point_b[3 * i + 1]),
                0.5 * (c.point_a[3 * i + 2] + c.point_b[3 * i + 2]),
            );
            this.cones.setMatrixAt(count++, matrix);
        }
        return count;
    }

    private reserveCones(n: number): void {
        this.coneRoom = n;
        this.cones.dispose();
        this.cones.instanceMatrix = new THREE.InstancedBufferAttribute(new Float32Array(16 * n), 16);
    }
}
