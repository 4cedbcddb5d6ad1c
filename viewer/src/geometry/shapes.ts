/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// From the rows of /shapes to surfaces. Shapes with the same surface share it: `key` says which are the same.
import { SHAPE, type Dim, type Shapes } from '../data/model.ts';
import { convexHull } from './hull.ts';
import {
    ball,
    capsule,
    circle,
    cube,
    curved,
    cylinder,
    flat,
    polyhedron,
    stadium,
    superellipse,
    superellipsoid,
    type Point,
    type Solid,
} from './solid.ts';

export interface Surface {
    key: string;
    build: () => Solid;
    scale: Point;
    /** of a ball about the origin of the shape that holds it */
    reach: number;
    /** half-spaces have no surface of their own; an unknown kind gets a mark in its place */
    role: 'solid' | 'halfspace' | 'mark' | 'unknown';
}

const ONE: Point = [1, 1, 1];

function cornersOf(s: Shapes, i: number): Point[] {
    const corners: Point[] = [];
    for (let k = s.first_vertex[i]; k < s.first_vertex[i + 1]; k++)
        corners.push([s.vertex[3 * k], s.vertex[3 * k + 1], s.vertex[3 * k + 2]]);
    return corners;
}

function facesOf(s: Shapes, i: number): number[][] {
    const faces: number[][] = [];
    for (let k = s.first_face[i]; k < s.first_face[i + 1]; k++)
        faces.push([...s.face_vertex.subarray(s.face_start[k], s.face_start[k + 1])]);
    return faces;
}

function byCorners(s: Shapes, i: number, dim: Dim): Surface | undefined {
    const corners = cornersOf(s, i);
    if (corners.length < 3) return undefined;
    const reach = Math.max(...corners.map((p) => Math.hypot(...p)));
    const key = corners.map((p) => p.map((x) => x.toPrecision(9)).join(',')).join(';');
    const build = (): Solid => {
        if (dim === 2) return flat(corners);
        const faces = facesOf(s, i);
        const sides = faces.length > 0 ? faces : convexHull(corners);
        // later kinds are curved: their faces are there to draw them by
        if (s.kind[i] <= SHAPE.capsule) return polyhedron(corners, sides);
        return curved(corners, sides, s.kind[i] > SHAPE.superellipsoid);
    };
    return { key, build, scale: ONE, reach, role: 'solid' };
}

export function mark(size: number, dim: Dim, role: 'mark' | 'unknown'): Surface {
    const build = (): Solid => (dim === 2 ? flat(circle(1, 24), true) : ball(4));
    return { key: 'mark', build, scale: [size, size, size], reach: size, role };
}

/** `detail`: triangles along a quarter of a round; `small`: radius of marks for points [L]. */
export function surfaceOf(s: Shapes, i: number, dim: Dim, detail: number, small: number): Surface {
    const r = s.radius[i];
    const a: Point = [s.half_size[3 * i], s.half_size[3 * i + 1], s.half_size[3 * i + 2]];
    const round = 4 * detail;
    // in 2D the outline is all there is to see
    const rim = Math.max(48, 8 * detail);
    switch (s.kind[i]) {
        case SHAPE.particle:
            return mark(small, dim, 'mark');
        case SHAPE.sphere: {
            const build = (): Solid => (dim === 2 ? flat(circle(1, rim), true) : ball(detail));
            return { key: 'ball', build, scale: [r, r, r], reach: r, role: 'solid' };
        }
        case SHAPE.halfspace:
            return { key: 'halfspace', build: cube, scale: ONE, reach: 0, role: 'halfspace' };
        case SHAPE.box: {
            const scale: Point = dim === 2 ? [a[0], a[1], 1] : a;
            const square: Point[] = [
                [-1, -1, 0],
                [1, -1, 0],
                [1, 1, 0],
                [-1, 1, 0],
            ];
            const reach = Math.hypot(a[0], a[1], dim === 2 ? 0 : a[2]);
            return { key: 'box', build: () => (dim === 2 ? flat(square) : cube()), scale, reach, role: 'solid' };
        }
        case SHAPE.capsule: {
            const build = (): Solid => (dim === 2 ? flat(stadium(r, a[0])) : capsule(r, a[0], detail));
            return { key: `capsule ${r} ${a[0]}`, build, scale: ONE, reach: r + a[0], role: 'solid' };
        }
        case SHAPE.ellipsoid: {
            const build = (): Solid => (dim === 2 ? flat(circle(1, rim), true) : ball(detail));
            const scale: Point = dim === 2 ? [a[0], a[1], 1] : a;
            return { key: 'ball', build, scale, reach: Math.max(...a), role: 'solid' };
        }
        case SHAPE.superellipsoid: {
            const e = s.exponent.subarray(2 * i, 2 * i + 2);
            if (e.length < 2) break;
            const build = (): Solid =>
                dim === 2 ? flat(superellipse(a, e[0]), true) : superellipsoid(a, e[0], e[1], 2 * detail);
            const reach = Math.hypot(a[0], a[1], dim === 2 ? 0 : a[2]);
            return { key: `superellipsoid ${a.join()} ${e.join()}`, build, scale: ONE, reach, role: 'solid' };
        }
        case SHAPE.cylinder: {
            // half the length stands where a box has its half edge along the axis
            const half = a[2] > 0 ? a[2] : a[0];
            if (!(half > 0)) break;
            const build = (): Solid => cylinder(r, half, round);
            return { key: `cylinder ${r} ${half}`, build, scale: ONE, reach: Math.hypot(r, half), role: 'solid' };
        }
    }
    return byCorners(s, i, dim) ?? mark(r > 0 ? r : 3 * small, dim, 'unknown');
}
