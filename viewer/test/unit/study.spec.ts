/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Parts of the page of studies without a browser.
import { readFileSync } from 'node:fs';

import { expect, test } from '@playwright/test';

import { readCell, readStudy, type Axis } from '../../src/study/data.ts';
import { axisTicks, centres, contour, edges, niceTicks, word } from '../../src/study/grid.ts';
import { makeScale, stepOf } from '../../src/study/scale.ts';

const text = readFileSync(new URL('../mock/study.json', import.meta.url), 'utf8');

test('a study is read', () => {
    const s = readStudy(JSON.parse(text));
    expect(s.maps.length).toBe(4);
    expect(s.axes[0].labels).toEqual(['low', 'medium', 'high']);
    expect(s.maps[2].value[0]).toBeNaN();
    expect(s.maps[3].y).toBeNull();
});

/** A copy of the mock, changed. */
function changed(
    change: (s: Record<string, unknown> & { maps: Record<string, unknown>[]; axes: Record<string, unknown>[] }) => void,
) {
    const s = JSON.parse(text);
    change(s);
    return () => readStudy(s);
}

test('what is wrong is refused with a sentence', () => {
    expect(() => readStudy(null)).toThrow('The study is not an object.');
    expect(changed((s) => (s['perp-study'] = 2))).toThrow('The study has layout 2, and this page reads layout 1.');
    expect(changed((s) => (s.maps[0].x = 7))).toThrow('maps[0].x is 7, and a whole number from 0 to 2 is expected.');
    expect(changed((s) => (s.maps[1].low = [1]))).toThrow('maps[1].low has 1 numbers, and 48 are expected.');
    expect(changed((s) => (s.maps[0].range = [1, 1]))).toThrow('maps[0].range runs from 1 to 1.');
    expect(changed((s) => (s.maps[0].value = 'x'))).toThrow('maps[0].value is not a list.');
    expect(changed((s) => (s.axes[1].values = [1, 1]))).toThrow('The values of the axis x do not increase.');
    expect(changed((s) => (s.axes[1].values = [1, 'a']))).toThrow('values of x holds "a", which is not a number.');
    expect(changed((s) => (s.trials = { planned: 5, done: 6, unsolved: 0 }))).toThrow('trials.done is 6');
    expect(() => readCell({ columns: [], trials: [{ trial: 1, values: [2] }] })).toThrow(
        'trials[0].values has 1 numbers, and 0 are expected.',
    );
});

test('the scale is that of the figures', () => {
    // the same colours are expected by test/unit/program/test_plot_map.c
    const { colour, light } = makeScale(0);
    expect([0, 64, 128, 192, 255].map((k) => colour[k])).toEqual(EXPECTED);
    light.forEach((l, i) => i > 0 && expect(l).toBeGreaterThan(light[i - 1]));
    expect([-1, 0, 0.5, 1, 9].map((v) => stepOf(v, [0, 1]))).toEqual([0, 0, 128, 255, 255]);
});
const EXPECTED = ['#2a1458', '#2d568e', '#10979c', '#6dce80', '#f3ec3f'];

const axis = (values: number[], log = false): Axis => ({ name: 'x', unit: '', values, labels: null, log });

test('edges lie between centres', () => {
    expect(edges(axis([0, 1, 2, 3]))).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(edges(axis([1, 10, 100], true)).map((v) => v.toFixed(6))).toEqual([
        '0.000000',
        '0.333333',
        '0.666667',
        '1.000000',
    ]);
    expect(edges(axis([7]))).toEqual([0, 1]);
    const uneven = axis([0, 1, 4]);
    const e = edges(uneven);
    centres(uneven).forEach((c, i) => expect(c > e[i] && c < e[i + 1]).toBe(true));
    // in the middle between neighbours
    expect(e[1]).toBeCloseTo((0.5 + 0.5) / (5.5 + 0.5), 12);
});

test('ticks and numbers are round', () => {
    expect(niceTicks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(niceTicks(-9.5, 9.5, 5)).toEqual([-5, 0, 5]);
    expect(axisTicks(axis([1, 2, 3]), 5).map((t) => t.text)).toEqual(['1', '2', '3']);
    expect([0, -0.5, 1e-7, 123456, NaN].map((v) => word(v))).toEqual(['0', '−0.5', '1.00e−7', '123500', '–']);
});

test('contours lie where the value is the level', () => {
    const x = [...Array(41).keys()].map((i) => -1 + i / 20);
    const v = x.flatMap((b) => x.map((a) => Math.hypot(a, b)));
    const lines = contour(x, x, v, 0.5);
    let length = 0;
    for (const [a, b, c, d] of lines) {
        expect(Math.hypot(a, b)).toBeCloseTo(0.5, 2);
        length += Math.hypot(c - a, d - b);
    }
    expect(length).toBeCloseTo(Math.PI, 1);
    v[20 * 41 + 30] = NaN; // on the circle
    const gap = contour(x, x, v, 0.5);
    expect(gap.length).toBeLessThan(lines.length);
    for (const [a, b] of gap) expect(Math.hypot(a - 0.5, b)).toBeGreaterThan(0.04);
});
