/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Surfaces of shapes as triangles. Each corner carries, besides its normal, a shade that makes turning visible on round
// bodies, and the distance to the true edges of its face, from which the shader draws the edges.

export type Point = readonly [number, number, number];

export interface Solid {
    position: number[];
    normal: number[];
    /** barycentric; 1 is added where the side of the triangle is no edge of the body */
    edge: number[];
    shade: number[];
    index: number[];
}

/** Cosines of the angle between faces beyond which there is an edge between them: of surfaces that faces only stand for,
 *  and of bodies that have these faces, where those of a prism with many sides are left out. */
const CREASE = Math.cos((35 * Math.PI) / 180);
const BEND = Math.cos((15 * Math.PI) / 180);
/** The second tone of round bodies. */
const DARK = 0.82;

function empty(): Solid {
    return { position: [], normal: [], edge: [], shade: [], index: [] };
}

function minus(a: Point, b: Point): Point {
    return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}
function cross(a: Point, b: Point): Point {
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
function unit(a: Point): Point {
    const n = Math.hypot(...a) || 1;
    return [a[0] / n, a[1] / n, a[2] / n];
}

/** A triangle; edges[i]: the side opposite to corner i is an edge of the body. */
function addTriangle(
    s: Solid,
    p: readonly [Point, Point, Point],
    n: readonly [Point, Point, Point],
    edges: readonly [boolean, boolean, boolean],
    shade = 1,
): void {
    for (let i = 0; i < 3; i++) {
        s.index.push(s.shade.length);
        s.position.push(...p[i]);
        s.normal.push(...n[i]);
        for (let k = 0; k < 3; k++) s.edge.push((i === k ? 1 : 0) + (edges[k] ? 0 : 1));
        s.shade.push(shade);
    }
}

type Face = readonly number[];

/** Normal of a convex face, also of one that is not quite flat. */
function normalOf(vertex: readonly Point[], face: Face): Point {
    let n: Point = [0, 0, 0];
    for (let i = 2; i < face.length; i++) {
        const c = cross(minus(vertex[face[i - 1]], vertex[face[0]]), minus(vertex[face[i]], vertex[face[0]]));
        n = [n[0] + c[0], n[1] + c[1], n[2] + c[2]];
    }
    return unit(n);
}

function dot(a: Point, b: Point): number {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** Convex faces as fans from their first corners; the sides of a fan inside its face are no edges, nor are those where the
 *  face beyond turns away by less than the angle of this cosine. */
function fans(
    vertex: readonly Point[],
    faces: readonly Face[],
    normals: readonly Point[],
    normalAt: (corner: number, face: number) => Point,
    bend: number,
): Solid {
    const s = empty();
    const sideOf = new Map<string, number>();
    faces.forEach((f, k) => f.forEach((v, i) => sideOf.set(`${v} ${f[(i + 1) % f.length]}`, k)));
    const sharp = (a: number, b: number, k: number): boolean => {
        const other = sideOf.get(`${b} ${a}`);
        return other === undefined || dot(normals[other], normals[k]) <= bend;
    };
    faces.forEach((f, k) => {
        const n = f.map((v) => normalAt(v, k));
        const last = f.length - 1;
        for (let i = 2; i < f.length; i++)
            addTriangle(
                s,
                [vertex[f[0]], vertex[f[i - 1]], vertex[f[i]]],
                [n[0], n[i - 1], n[i]],
                [sharp(f[i - 1], f[i], k), i === last && sharp(f[last], f[0], k), i === 2 && sharp(f[0], f[1], k)],
            );
    });
    return s;
}

export function polyhedron(vertex: readonly Point[], faces: readonly Face[]): Solid {
    const normals = faces.map((f) => normalOf(vertex, f));
    return fans(vertex, faces, normals, (_, k) => normals[k], BEND);
}

/** The same for a body whose faces stand for a curved surface: smooth, but for sharp creases if it `creases` at all. */
export function curved(vertex: readonly Point[], faces: readonly Face[], creases = true): Solid {
    const bend = creases ? CREASE : -2;
    const normals = faces.map((f) => normalOf(vertex, f));
    const at = new Map<number, number[]>();
    faces.forEach((f, k) => f.forEach((v) => at.set(v, [...(at.get(v) ?? []), k])));
    /** mean of the faces about a corner that turn into this one smoothly */
    const normalAt = (v: number, k: number): Point => {
        const near = (at.get(v) ?? []).filter((j) => dot(normals[j], normals[k]) > bend).map((j) => normals[j]);
        return unit([0, 1, 2].map((c) => near.reduce((sum, n) => sum + n[c], 0)) as unknown as Point);
    };
    return fans(vertex, faces, normals, normalAt, bend);
}

/** Box of half edge 1. */
export function cube(): Solid {
    const v: Point[] = [];
    for (let i = 0; i < 8; i++) v.push([i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1]);
    return polyhedron(v, [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ]);
}

/** A convex region of the x-y plane, seen from above; the outline is its edge. */
export function flat(outline: readonly Point[], halves = false): Solid {
    const s = empty();
    const n = outline.length;
    const middle: Point = [
        outline.reduce((sum, p) => sum + p[0], 0) / n,
        outline.reduce((sum, p) => sum + p[1], 0) / n,
        0,
    ];
    const up: Point = [0, 0, 1];
    for (let i = 0; i < n; i++) {
        const shade = halves && Math.floor((4 * i) / n) % 2 ? DARK : 1;
        addTriangle(s, [middle, outline[i], outline[(i + 1) % n]], [up, up, up], [true, false, false], shade);
    }
    return s;
}

export function circle(radius: number, n = 48): Point[] {
    return Array.from({ length: n }, (_, i) => {
        const a = (2 * Math.PI * i) / n;
        return [radius * Math.cos(a), radius * Math.sin(a), 0] as const;
    });
}

/** Outline of a capsule in 2D. */
export function stadium(radius: number, half: number, n = 24): Point[] {
    const points: Point[] = [];
    for (const side of [1, -1])
        for (let i = 0; i <= n; i++) {
            const a = -Math.PI / 2 + (Math.PI * i) / n;
            points.push([side * (half + radius * Math.cos(a)), side * radius * Math.sin(a), 0]);
        }
    return points;
}

/** Maps the unit sphere, in eight patches of n x n triangles, to a surface; patches have two tones in turn. */
function patches(n: number, surface: (d: Point) => { p: Point; n: Point }): Solid {
    const s = empty();
    for (let octant = 0; octant < 8; octant++) {
        const sign: Point = [octant & 1 ? -1 : 1, octant & 2 ? -1 : 1, octant & 4 ? -1 : 1];
        const odd = sign[0] * sign[1] * sign[2] < 0;
        const first = s.shade.length;
        const at = (i: number, j: number): number => first + i * (n + 1) - (i * (i - 1)) / 2 + j;
        for (let i = 0; i <= n; i++)
            for (let j = 0; j <= n - i; j++) {
                const d = unit([(sign[0] * (n - i - j)) / n, (sign[1] * i) / n, (sign[2] * j) / n]);
                const q = surface(d);
                s.position.push(...q.p);
                s.normal.push(...q.n);
                s.edge.push(2, 2, 2);
                s.shade.push(odd ? DARK : 1);
            }
        const add = (a: number, b: number, c: number): void => {
            if (odd) s.index.push(a, c, b);
            else s.index.push(a, b, c);
        };
        for (let i = 0; i < n; i++)
            for (let j = 0; j < n - i; j++) {
                add(at(i, j), at(i + 1, j), at(i, j + 1));
                if (j < n - i - 1) add(at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            }
    }
    return s;
}

/** Ball of radius 1. */
export function ball(n: number): Solid {
    return patches(n, (d) => ({ p: d, n: d }));
}

/** Capsule along x. The ring at x = 0 is drawn twice, moved to both sides, which makes the cylinder between. */
export function capsule(radius: number, half: number, n: number): Solid {
    const s = patches(n, (d) => ({
        p: [radius * d[0] + (d[0] < 0 ? -half : half), radius * d[1], radius * d[2]],
        n: d,
    }));
    // corners at d.x = 0 belong to the side of their patch
    for (let i = 0; i < s.shade.length; i++) {
        const patch = Math.floor(i / (s.shade.length / 8));
        if (s.normal[3 * i] === 0) s.position[3 * i] = patch & 1 ? -half : half;
    }
    for (let k = 0; k < 4 * n; k++) {
        const at = (i: number): Point => {
            const a = (Math.PI * i) / (2 * n);
            return [0, Math.cos(a), Math.sin(a)];
        };
        const [u, v] = [at(k), at(k + 1)];
        const p = (d: Point, side: number): Point => [side * half, radius * d[1], radius * d[2]];
        const no = [false, false, false] as const;
        addTriangle(s, [p(u, 1), p(v, -1), p(v, 1)], [u, v, v], no, 1);
        addTriangle(s, [p(u, 1), p(u, -1), p(v, -1)], [u, u, v], no, 1);
    }
    return s;
}

/** Cylinder along z. */
export function cylinder(radius: number, half: number, n: number): Solid {
    const s = empty();
    const ring = circle(1, n);
    for (let k = 0; k < n; k++) {
        const u = ring[k];
        const v = ring[(k + 1) % n];
        const p = (d: Point, side: number): Point => [radius * d[0], radius * d[1], side * half];
        const shade = Math.floor((4 * k) / n) % 2 ? DARK : 1;
        addTriangle(s, [p(u, -1), p(v, -1), p(v, 1)], [u, v, v], [false, false, true], shade);
        addTriangle(s, [p(u, -1), p(v, 1), p(u, 1)], [u, v, u], [true, false, false], shade);
        for (const side of [1, -1]) {
            const up: Point = [0, 0, side];
            const ends: [Point, Point] = side > 0 ? [p(u, 1), p(v, 1)] : [p(v, -1), p(u, -1)];
            addTriangle(s, [[0, 0, side * half], ...ends], [up, up, up], [true, false, false], shade);
        }
    }
    return s;
}

/** (|x/a|^r + |y/b|^r)^(t/r) + |z/c|^t = 1. */
export function superellipsoid(a: Point, r: number, t: number, n: number): Solid {
    const power = (x: number, e: number): number => Math.sign(x) * Math.abs(x) ** e;
    return patches(n, (d) => {
        const xy = Math.abs(d[0]) ** r + Math.abs(d[1]) ** r;
        const scale = (xy ** (t / r) + Math.abs(d[2]) ** t) ** (-1 / t);
        const u: Point = [d[0] * scale, d[1] * scale, d[2] * scale];
        const q = Math.abs(u[0]) ** r + Math.abs(u[1]) ** r;
        const outer = q > 0 ? q ** (t / r - 1) : 0;
        return {
            p: [a[0] * u[0], a[1] * u[1], a[2] * u[2]],
            n: unit([
                (outer * power(u[0], r - 1)) / a[0],
                (outer * power(u[1], r - 1)) / a[1],
                power(u[2], t - 1) / a[2],
            ]),
        };
    });
}

/** The same in 2D: |x/a|^r + |y/b|^r = 1. */
export function superellipse(a: Point, r: number, n = 96): Point[] {
    return circle(1, n).map((d) => {
        const scale = (Math.abs(d[0]) ** r + Math.abs(d[1]) ** r) ** (-1 / r);
        return [a[0] * d[0] * scale, a[1] * d[1] * scale, 0] as const;
    });
}
