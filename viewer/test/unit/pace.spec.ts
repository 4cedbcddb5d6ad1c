import { expect, test } from '@playwright/test';

import { Pace } from '../../src/draw/pace.ts';

function run(p: Pace, from: number, every: number, n: number): number {
    for (let i = 0; i < n; i++) p.tick((from += every));
    return from;
}

test('slow motion gets coarser, fast motion finer, pauses change nothing', () => {
    const p = new Pace();
    let t = run(p, 0, 16, 20);
    expect(p.ratio).toBe(1);
    t = run(p, t, 60, 4);
    expect(p.ratio).toBeLessThan(1);
    const coarse = p.ratio;
    t = run(p, t, 1000, 20);
    expect(p.ratio).toBe(coarse);
    t = run(p, t, 60, 20);
    expect(p.ratio).toBe(0.5);
    run(p, t, 10, 200);
    expect(p.ratio).toBe(1);
});

test('a fine picture waits longer where pictures take long', () => {
    const p = new Pace();
    run(p, 0, 16, 5);
    const quick = p.stillAfter;
    run(p, 1000, 300, 5);
    expect(p.stillAfter).toBeGreaterThan(quick);
});
