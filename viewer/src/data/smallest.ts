/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Width of the smallest body: what overlaps and joint errors are compared with, as in perp info.
import { SHAPE, type Model } from './model.ts';

type Vec = readonly [number, number, number];

/** Beyond this many products of faces and corners the width along the axes has to do. */
const MOST_WORK = 1e6;

function extent(points: readonly Vec[], n: Vec): number {
    const length = Math.hypot(...n);
    if (!(length > 0)) return Infinity;
    let low = Infinity;
    let high = -Infinity;
    for (const p of points) {
        const x = (p[0] * n[0] + p[1] * n[1] + p[2] * n[2]) / length;
        low = Math.min(low, x);
        high = Math.max(high, x);
    }
    return high - low;
}

function faceNormals(m: Model, i: number, p: readonly Vec[]): Vec[] {
    const s = m.shapes;
    if (m.dim === 2)
        return p.map((a, k) => {
            const b = p[(k + 1) % p.length];
            return [a[1] - b[1], b[0] - a[0], 0] as const;
        });
    const faces = s.first_face[i + 1] - s.first_face[i];
    const axes: Vec[] = [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
    ];
    if (faces === 0 || faces * p.length > MOST_WORK) return axes;
    return Array.from({ length: faces }, (_, k) => {
        const at = s.face_start[s.first_face[i] + k];
        const [a, b, c] = [0, 1, 2].map((n) => p[s.face_vertex[at + n]]);
        const [u, v] = [b.map((x, n) => x - a[n]), c.map((x, n) => x - a[n])];
        return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]] as const;
    });
}

function widthOf(m: Model, i: number): number {
    const s = m.shapes;
    const half = s.half_size.subarray(3 * i, 3 * i + m.dim);
    switch (s.kind[i]) {
        case SHAPE.sphere:
        case SHAPE.capsule:
            return 2 * s.radius[i];
        case SHAPE.cylinder:
            return 2 * Math.min(s.radius[i], Math.max(...s.half_size.subarray(3 * i, 3 * i + 3)));
        case SHAPE.box:
        case SHAPE.ellipsoid:
        case SHAPE.superellipsoid:
            return 2 * Math.min(...half);
        case SHAPE.polygon:
        case SHAPE.polyhedron: {
            const p: Vec[] = [];
            for (let k = s.first_vertex[i]; k < s.first_vertex[i + 1]; k++)
                p.push([s.vertex[3 * k], s.vertex[3 * k + 1], s.vertex[3 * k + 2]]);
            return Math.min(Infinity, ...faceNormals(m, i, p).map((n) => extent(p, n)));
        }
        default:
            return 0;
    }
}

/** 0: nothing here has a size. */
export function smallestBody(m: Model): number {
    let least = Infinity;
    const take = (x: number): void => {
        if (x > 0 && x < least) least = x;
    };
    for (let i = 0; i < m.shapes.body.length; i++) take(widthOf(m, i));
    for (let j = 0; j < m.joints.name.length && !Number.isFinite(least); j++)
        for (const pose of [m.joints.pose_b, m.joints.pose_a]) take(Math.hypot(...pose.subarray(7 * j, 7 * j + 3)));
    return Number.isFinite(least) ? least : 0;
}
