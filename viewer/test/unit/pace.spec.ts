/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import { expect, test } from '@playwright/test';

import { Pace } from '../../src/draw/pace.ts';

function run(p: Pace, from: number, every: number, n: number): number {
    for (let i = 0; i < n; i++) p.tick((from += every));
    return from;
}

test('slow motion gets coarser, fast motion finer, pauses change nothing', () => {
    const p = new Pace();
    expect(p.finish).toEqual({ ratio: 1, full: false });
    let t = run(p, 0, 17, 70);
    expect(p.finish).toEqual({ ratio: 1, full: true });
    // first what is dear goes, then pixels
    t = run(p, t, 60, 3);
    expect(p.finish).toEqual({ ratio: 1, full: false });
    t = run(p, t, 60, 3);
    expect(p.finish.ratio).toBeLessThan(1);
    const coarse = p.finish.ratio;
    t = run(p, t, 1000, 20);
    expect(p.finish.ratio).toBe(coarse);
    t = run(p, t, 60, 20);
    expect(p.finish.ratio).toBe(0.5);
    run(p, t, 17, 200);
    expect(p.finish).toEqual({ ratio: 1, full: true });
});

test('pictures that are much too slow are coarse at once', () => {
    const p = new Pace();
    run(p, 0, 200, 3);
    expect(p.finish).toEqual({ ratio: 0.5, full: false });
});

test('a fine picture waits longer where pictures take long', () => {
    const p = new Pace();
    run(p, 0, 16, 5);
    const quick = p.stillAfter;
    run(p, 1000, 300, 5);
    expect(p.stillAfter).toBeGreaterThan(quick);
});
