/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import { expect, test } from '@playwright/test';

import {
    ball,
    capsule,
    cube,
    curved,
    cylinder,
    flat,
    circle,
    polyhedron,
    stadium,
    superellipsoid,
    type Point,
    type Solid,
} from '../../src/geometry/solid.ts';

/** Volume by the divergence theorem: right only if the surface is closed and its corners run around the outside. */
function volume(s: Solid): number {
    let v = 0;
    const p = (i: number): number[] => s.position.slice(3 * i, 3 * i + 3);
    for (let i = 0; i < s.index.length; i += 3) {
        const [a, b, c] = [p(s.index[i]), p(s.index[i + 1]), p(s.index[i + 2])];
        v +=
            a[0] * (b[1] * c[2] - b[2] * c[1]) +
            a[1] * (b[2] * c[0] - b[0] * c[2]) +
            a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return v / 6;
}

/** Normals point to the side that the corners run around. */
function normalsAgree(s: Solid): boolean {
    for (let i = 0; i < s.index.length; i += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => s.position.slice(3 * s.index[i + k], 3 * s.index[i + k] + 3));
        const u = b.map((x, k) => x - a[k]);
        const v = c.map((x, k) => x - a[k]);
        const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        const given = s.normal.slice(3 * s.index[i], 3 * s.index[i] + 3);
        if (n[0] * given[0] + n[1] * given[1] + n[2] * given[2] <= 0) return false;
    }
    return true;
}

test('surfaces are closed and have the volume of their body', () => {
    expect(volume(cube())).toBeCloseTo(8, 12);
    expect(volume(ball(24)) / ((4 / 3) * Math.PI)).toBeGreaterThan(0.99);
    expect(volume(capsule(0.5, 1, 24)) / (Math.PI * 0.25 * 2 + (4 / 3) * Math.PI * 0.125)).toBeGreaterThan(0.99);
    expect(volume(capsule(0.5, 1, 24)) / (Math.PI * 0.25 * 2 + (4 / 3) * Math.PI * 0.125)).toBeLessThan(1);
    expect(volume(cylinder(0.5, 1, 96)) / (Math.PI * 0.25 * 2)).toBeGreaterThan(0.995);
    // powers of 2 make an ellipsoid
    expect(volume(superellipsoid([1, 2, 3], 2, 2, 24)) / ((4 / 3) * Math.PI * 6)).toBeGreaterThan(0.98);
});

test('normals point outwards', () => {
    for (const s of [cube(), ball(6), capsule(0.5, 1, 6), cylinder(0.5, 1, 24), superellipsoid([1, 2, 3], 4, 3, 6)])
        expect(normalsAgree(s)).toBe(true);
});

/** Sides of triangles that are drawn as edges. */
function edgesOf(s: Solid): number {
    let sides = 0;
    for (let i = 0; i < s.index.length; i += 3)
        for (let k = 0; k < 3; k++) if ([0, 1, 2].some((c) => s.edge[3 * s.index[i + c] + k] === 0)) sides++;
    return sides;
}

/** A prism of n sides: round about its axis, sharp at its ends. */
function prism(n: number): [Point[], number[][]] {
    const ring = circle(1, n);
    const corners = [...ring.map((p) => [p[0], p[1], -1] as const), ...ring.map((p) => [p[0], p[1], 1] as const)];
    const around = ring.map((_, i) => [i, (i + 1) % n, n + ((i + 1) % n), n + i]);
    return [corners, [ring.map((_, i) => n - 1 - i), ring.map((_, i) => n + i), ...around]];
}

test('faces of a curved body are smooth, its creases stay', () => {
    const n = 24;
    const s = curved(...prism(n));
    expect(volume(s)).toBeCloseTo(n * Math.sin((2 * Math.PI) / n), 9);
    // the two rings, each seen from both of its sides
    expect(edgesOf(s)).toBe(4 * n);
    // on the round part the normal is that of the circle
    const last = s.normal.length - 3;
    const [x, y] = [s.position[last], s.position[last + 1]];
    expect(s.normal[last] * x + s.normal[last + 1] * y).toBeCloseTo(1, 9);
    // a body without creases has no edges, however coarse its faces are
    expect(edgesOf(curved(...prism(6), false))).toBe(0);
});

test('a prism of many sides is drawn without those between them', () => {
    const [few, many] = [polyhedron(...prism(8)), polyhedron(...prism(32))];
    expect(edgesOf(few)).toBe(6 * 8);
    expect(edgesOf(many)).toBe(4 * 32);
    expect(volume(many)).toBeCloseTo(32 * Math.sin((2 * Math.PI) / 32), 9);
    expect(normalsAgree(many)).toBe(true);
});

test('flat shapes cover their outline', () => {
    const area = (s: Solid): number => {
        let a = 0;
        for (let i = 0; i < s.index.length; i += 3) {
            const [p, q, r] = [0, 1, 2].map((k) => s.position.slice(3 * s.index[i + k], 3 * s.index[i + k] + 2));
            a += 0.5 * ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
        }
        return a;
    };
    expect(area(flat(circle(2, 96)))).toBeCloseTo(0.5 * 96 * 4 * Math.sin((2 * Math.PI) / 96), 9);
    expect(area(flat(stadium(0.5, 1, 48))) / (Math.PI * 0.25 + 2)).toBeCloseTo(1, 2);
});

test('true edges are marked, sides inside a face are not', () => {
    // 12 edges of the cube, each seen from two faces
    expect(edgesOf(cube())).toBe(24);
});
