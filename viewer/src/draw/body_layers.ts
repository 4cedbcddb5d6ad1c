/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Layers of bodies and joints: joint frames, paths, bounding boxes, support tripods, velocities of bodies and of surfaces.
import * as THREE from 'three';

import { rowsOf, turn } from '../geometry/pose.ts';
import { addBelts } from './belts.ts';
import { Dots } from './dots.ts';
import { arrowLength, type LayerSet, type Moment } from './layers.ts';
import { Segments } from './segments.ts';
import { PALETTE, type Rgb } from './theme.ts';

/** With more bodies than this, only the path of the selected one is drawn: a thousand lines show nothing. */
const MOST_PATHS = 64;

type Vec = [number, number, number];

/** Axes of a joint's frame that it turns about or slides along: index 0 to 2. */
function freeAxes(kind: number, dim: number): number[] {
    switch (kind) {
        case 1: // revolute
        case 3: // cylindrical
            return [2];
        case 2: // prismatic: along x in 2D, so that it lies in the plane
            return dim === 2 ? [0] : [2];
        case 5: // universal: about z of A's frame, x of B's
            return [2];
        case 6: // planar
            return [0, 1];
        default:
            return [];
    }
}

export class BodyLayers {
    readonly group = new THREE.Group();
    private readonly anchors = new Dots(9);
    private readonly joints: Segments;
    private readonly axes: Segments;
    private readonly pathLines: Segments;
    private readonly boxes: Segments;
    private readonly tripods: Segments;
    private readonly velocities: Segments;
    private readonly surfaces: Segments;
    private pathsOf = '';

    constructor(
        dim: number,
        private readonly up: THREE.Vector3,
    ) {
        const through = dim === 2;
        this.joints = new Segments({ width: 1.4, opacity: 0.7, through: true });
        this.axes = new Segments({ width: 3, head: 10, through: true });
        this.pathLines = new Segments({ width: 1.6, opacity: 0.8, through });
        this.boxes = new Segments({ width: 1.2, opacity: 0.9, through });
        this.tripods = new Segments({ width: 2, through: true });
        this.velocities = new Segments({ width: 2.4, head: 10, through: true });
        this.surfaces = new Segments({ width: 2.4, head: 10, through });
        for (const s of this.segments()) this.group.add(s.mesh);
        this.group.add(this.anchors.points);
    }

    update(m: Moment, on: LayerSet): void {
        this.anchors.clear();
        for (const s of this.segments()) if (s !== this.pathLines) s.clear();
        if (on.joints) this.addJoints(m);
        this.addSprings(m);
        if (on.boxes) this.addBoxes(m);
        if (on.tripods) this.addTripods(m);
        if (on.velocities) this.addVelocities(m);
        if (on.surfaces) addBelts(m, this.surfaces, this.up);
        this.updatePaths(m, on.paths);
        this.anchors.commit();
        this.anchors.paint(m.theme.background);
        for (const s of this.segments()) s.commit();
    }

    resize(width: number, height: number, pixels: number): void {
        this.anchors.resize(pixels);
        for (const s of this.segments()) s.resize(width, height, pixels);
    }

    dispose(): void {
        this.anchors.dispose();
        for (const s of this.segments()) s.dispose();
    }

    private segments(): Segments[] {
        return [this.joints, this.axes, this.pathLines, this.boxes, this.tripods, this.velocities, this.surfaces];
    }

    private static add(s: Segments, a: ArrayLike<number>, b: ArrayLike<number>, c: Rgb): void {
        s.add(a[0], a[1], a[2], b[0], b[1], b[2], c);
    }

    private centre(m: Moment, body: number): Vec {
        const p = m.pose.position;
        return [p[3 * body], p[3 * body + 1], p[3 * body + 2]];
    }

    private addJoints(m: Moment): void {
        const j = m.model.joints;
        for (let i = 0; i < j.name.length; i++) {
            if (j.b[i] < 0) continue; // a coupling or tendon is nowhere
            for (const [body, pose] of [
                [j.a[i], j.pose_a],
                [j.b[i], j.pose_b],
            ] as const) {
                const rows = rowsOf(pose, 7 * i);
                const world = (v: Vec): Vec => (body < 0 ? v : turn(m.pose.orientation, body, v));
                const base: Vec = body < 0 ? [0, 0, 0] : this.centre(m, body);
                const offset = world([rows[3], rows[7], rows[11]]);
                const at: Vec = [base[0] + offset[0], base[1] + offset[1], base[2] + offset[2]];
                this.anchors.add(at[0], at[1], at[2], m.theme.joint);
                if (body >= 0) BodyLayers.add(this.joints, base, at, m.theme.joint);
                if (body !== j.b[i]) continue;
                const l = 0.8 * m.measures.unit;
                for (const axis of freeAxes(j.kind[i], m.model.dim)) {
                    const d = world([rows[axis], rows[4 + axis], rows[8 + axis]]);
                    const tip: Vec = [at[0] + l * d[0], at[1] + l * d[1], at[2] + l * d[2]];
                    BodyLayers.add(this.axes, at, tip, m.theme.axis);
                }
            }
        }
    }

    private addSprings(m: Moment): void {
        const s = m.model.springs;
        const end = (body: number, p: Float64Array, i: number): Vec => {
            const v: Vec = [p[3 * i], p[3 * i + 1], p[3 * i + 2]];
            if (body < 0) return v;
            const base = this.centre(m, body);
            const offset = turn(m.pose.orientation, body, v);
            return [base[0] + offset[0], base[1] + offset[1], base[2] + offset[2]];
        };
        for (let i = 0; i < s.a.length; i++)
            BodyLayers.add(this.joints, end(s.a[i], s.point_a, i), end(s.b[i], s.point_b, i), m.theme.joint);
    }

    private addBoxes(m: Moment): void {
        const low = new Float64Array(3);
        const high = new Float64Array(3);
        for (let b = 0; b < m.model.bodies.name.length; b++) {
            if (!m.bodies.bounds(b, low, high)) continue;
            const corner = (k: number): Vec => [
                k & 1 ? high[0] : low[0],
                k & 2 ? high[1] : low[1],
                m.model.dim === 2 ? 0 : k & 4 ? high[2] : low[2],
            ];
            const corners = m.model.dim === 2 ? 4 : 8;
            const c = b === m.selected ? m.theme.select : m.theme.box;
            for (let k = 0; k < corners; k++)
                for (const bit of [1, 2, 4])
                    if (!(k & bit) && (k | bit) < corners) BodyLayers.add(this.boxes, corner(k), corner(k | bit), c);
        }
    }

    private addTripods(m: Moment): void {
        const s = m.model.bodies.support;
        for (let b = 0; 9 * b < s.length; b++) {
            const at = this.centre(m, b);
            const feet = [0, 1, 2].map((k) => {
                const d = turn(m.pose.orientation, b, [s[9 * b + 3 * k], s[9 * b + 3 * k + 1], s[9 * b + 3 * k + 2]]);
                return [at[0] + d[0], at[1] + d[1], at[2] + d[2]] as Vec;
            });
            // bodies without a tripod have zeros
            if (feet.some((f) => !f.every(Number.isFinite)) || Math.hypot(...s.subarray(9 * b, 9 * b + 9)) === 0)
                continue;
            feet.forEach((foot, k) => {
                BodyLayers.add(this.tripods, foot, feet[(k + 1) % 3], m.theme.tripod);
                BodyLayers.add(this.tripods, at, foot, m.theme.tripod);
                this.anchors.add(foot[0], foot[1], foot[2], m.theme.tripod);
            });
        }
    }

    private addVelocities(m: Moment): void {
        const v = m.twist?.velocity;
        if (!v) return;
        let reference = m.measures.speed;
        if (!(reference > 0)) for (const x of v) reference = Math.max(reference, Math.abs(x));
        for (let b = 0; b < m.model.bodies.name.length; b++) {
            const speed = Math.hypot(v[3 * b], v[3 * b + 1], v[3 * b + 2]);
            if (!(speed > 1e-3 * reference)) continue;
            const at = this.centre(m, b);
            const l = arrowLength(m.measures, speed / reference, m.arrows) / speed;
            const tip = at.map((x, k) => x + l * v[3 * b + k]);
            BodyLayers.add(this.velocities, at, tip, m.theme.velocity);
        }
    }

    private updatePaths(m: Moment, on: boolean): void {
        const p = on ? m.paths : undefined;
        const what = p ? `${p.n} ${m.selected} ${m.theme.name}` : '';
        if (what === this.pathsOf) return;
        this.pathsOf = what;
        this.pathLines.clear();
        const bodies = m.model.bodies.name.length;
        for (let b = 0; p && b < bodies; b++) {
            if (m.model.bodies.kind[b] === 0 || (bodies > MOST_PATHS && b !== m.selected)) continue;
            const tone = b === m.selected ? m.theme.select : PALETTE[b % PALETTE.length];
            for (let i = 1; i < p.n; i++) {
                const [from, to] = [3 * ((i - 1) * bodies + b), 3 * (i * bodies + b)];
                BodyLayers.add(
                    this.pathLines,
                    p.position.subarray(from, from + 3),
                    p.position.subarray(to, to + 3),
                    tone,
                );
            }
        }
    }
}
