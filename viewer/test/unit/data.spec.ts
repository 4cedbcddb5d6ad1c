/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import { expect, test } from '@playwright/test';

import { BlockCache } from '../../src/data/blocks.ts';
import { accumulate, thin } from '../../src/data/charts.ts';
import { checkModel, checkVersion, NEWEST_VERSION } from '../../src/data/check.ts';
import { modelOfJson } from '../../src/data/live.ts';
import { contactsOf } from '../../src/data/recorded_contacts.ts';
import { smallestBody } from '../../src/data/smallest.ts';
import { extentOf } from '../../src/draw/extent.ts';
import { placeRows, rowsOf, turn } from '../../src/geometry/pose.ts';

function scene(change: (s: Parameters<typeof modelOfJson>[0]) => void = () => undefined) {
    const s = {
        dim: 3,
        h: 0.01,
        bodies: { name: ['floor', 'box'], kind: [0, 2], mass: [0, 1] },
        shapes: {
            body: [0, 1],
            kind: [2, 3],
            pose: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
            radius: [0, 0],
            half_size: [0, 0, 0, 0.3, 0.2, 0.1],
            normal: [0, 0, 1, 0, 0, 0],
            offset: [0, 0],
            material: [0, 0],
            first_vertex: [0, 0, 0],
            first_face: [0, 0, 0],
            vertex: [] as number[],
            face_start: [0],
            face_vertex: [] as number[],
        },
    };
    change(s);
    return s;
}

test('versions that are not known are refused by name', () => {
    expect(() => checkVersion(1, '')).not.toThrow();
    expect(() => checkVersion(NEWEST_VERSION, '')).not.toThrow();
    expect(() => checkVersion(NEWEST_VERSION + 1, 'perp 9.9')).toThrow(/layout \d+.*perp 9\.9/s);
    expect(() => checkVersion(NaN, '')).toThrow(/layout NaN/);
});

test('a model is checked before it is used', () => {
    expect(() => modelOfJson(scene())).not.toThrow();
    expect(() => modelOfJson(scene((s) => (s.shapes.body = [0, 7])))).toThrow(/shapes\/body\[1\] is 7/);
    expect(() => modelOfJson(scene((s) => (s.shapes.radius = [1])))).toThrow(/shapes\/radius has 1 numbers/);
    expect(() => modelOfJson(scene((s) => (s.shapes.first_vertex = [0, 3, 1])))).toThrow(/first_vertex/);
    expect(() => modelOfJson(scene((s) => (s.dim = 4)))).toThrow(/dim is 4/);
    const m = modelOfJson(scene());
    m.bodies.kind[0] = 9;
    expect(() => checkModel(m)).toThrow(/bodies\/kind\[0\] is 9/);
});

test('the smallest body is the width of the thinnest', () => {
    expect(smallestBody(modelOfJson(scene()))).toBeCloseTo(0.2, 12);
    expect(smallestBody(modelOfJson(scene((s) => (s.dim = 2))))).toBeCloseTo(0.4, 12);
});

test('contacts of a frame are its rows', () => {
    const n = 5;
    const block = {
        start: Float64Array.of(0, 2, 2, 5),
        body: Int32Array.from({ length: 2 * n }, (_, i) => i),
        point_a: new Float64Array(3 * n),
        point_b: new Float64Array(3 * n),
        normal: new Float64Array(3 * n),
        tangent: new Float64Array(3 * n),
        gap: Float64Array.of(0, 1, 2, 3, 4),
        mu: new Float64Array(n),
        impulse: new Float64Array(3 * n),
        state: new Uint8Array(n),
    };
    expect(contactsOf(block, 1).n).toBe(0);
    const last = contactsOf(block, 2);
    expect(Array.from(last.gap)).toEqual([2, 3, 4]);
    expect(Array.from(last.body)).toEqual([4, 5, 6, 7, 8, 9]);
});

test('series are summed, and thinned without losing extremes', () => {
    expect(Array.from(accumulate(Float64Array.of(1, 2, -1)))).toEqual([1, 3, 2]);
    const y = new Float64Array(10000);
    y[1234] = 7;
    y[8765] = -3;
    const line = thin({ label: 'y', x: Float64Array.from(y, (_, i) => i), y }, 100);
    expect(line.x.length).toBeLessThanOrEqual(100);
    expect(Math.max(...line.y)).toBe(7);
    expect(Math.min(...line.y)).toBe(-3);
    expect(line.x[line.y.indexOf(7)]).toBe(1234);
});

test('blocks: a wish is answered once, the newest wish comes first, old blocks go', async () => {
    const asked: number[] = [];
    const open: (() => void)[] = [];
    const cache = new BlockCache<Float64Array>(
        {
            rows: 10,
            frames: 95,
            budget: 3 * 80,
            bytes: (b) => b.byteLength,
            fetch: (from, to) => {
                asked.push(from);
                return new Promise((resolve) => open.push(() => resolve(new Float64Array(to - from).fill(from))));
            },
        },
        () => undefined,
        () => undefined,
    );
    const finish = async (): Promise<void> => {
        open.shift()?.();
        await new Promise((r) => setTimeout(r));
    };
    expect(cache.get(5, 0)).toBeUndefined();
    expect(cache.get(5, 0)).toBeUndefined();
    expect(asked).toEqual([0]);
    // two are under way, then of the wishes that follow only the newest counts
    cache.get(25, 0);
    cache.get(35, 0);
    cache.get(95 - 1, 0);
    expect(asked).toEqual([0, 20]);
    await finish();
    expect(asked).toEqual([0, 20, 90]);
    await finish();
    await finish();
    expect(cache.get(94, 0)?.length).toBe(5);
    expect(cache.get(5, 0)?.[0]).toBe(0);
    // one more is more than the budget: the one that was used longest ago goes
    cache.get(45, 0);
    await finish();
    expect(cache.get(45, 0)?.[0]).toBe(40);
    asked.length = 0;
    cache.get(25, 0);
    expect(asked).toEqual([20]);
});

test('poses: shape in body in world, as matrices and as vectors', () => {
    const half = Math.SQRT1_2;
    // body at (1, 2, 3), turned by 90 degrees about z; shape at (1, 0, 0) in it, turned by 90 degrees about x
    const out = new Float32Array(12);
    const local = rowsOf([1, 0, 0, half, half, 0, 0], 0);
    placeRows(out, 0, Float64Array.of(1, 2, 3), Float64Array.of(half, 0, 0, half), 0, local, [2, 1, 1]);
    const p = (v: number[]): number[] =>
        [0, 1, 2].map((k) => out[4 * k] * v[0] + out[4 * k + 1] * v[1] + out[4 * k + 2] * v[2] + out[4 * k + 3]);
    const expected = (v: number[], w: number[]): void => p(v).forEach((x, k) => expect(x).toBeCloseTo(w[k], 6));
    expected([0, 0, 0], [1, 3, 3]);
    expected([1, 0, 0], [1, 5, 3]);
    expected([0, 1, 0], [1, 3, 4]);
    turn([half, 0, 0, half], 0, [1, 0, 0]).forEach((x, k) => expect(x).toBeCloseTo([0, 1, 0][k], 12));
});

test('a point that rests has a size that can be seen', () => {
    const model = modelOfJson(
        scene((s) => {
            s.shapes.kind = [2, 0];
            s.shapes.half_size = [0, 0, 0, 0, 0, 0];
        }),
    );
    const orientation = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0);
    const at = (x: number): Float64Array => Float64Array.of(0, 0, 0, x, 0, 1e-18);
    const far = extentOf(model, { position: at(0.6), orientation }, [Float64Array.of(0, 0, 0, 0.6, 0, 3e-18)]);
    expect(far.size).toBeCloseTo(0.6, 9);
    expect(extentOf(model, { position: at(0), orientation }, [at(0)]).size).toBe(1);
    // one that moves is as large as its way
    expect(extentOf(model, { position: at(0), orientation }, [at(2)]).size).toBeCloseTo(1, 9);
});
