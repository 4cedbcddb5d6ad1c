/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// A live run, without a browser: what it keeps of the frames that come.
import { expect, test } from '@playwright/test';

import { LiveRun, type FramesJson, type LiveLink, type SceneJson } from '../../src/data/live.ts';

const SCENE = {
    dim: 3,
    h: 0.01,
    bodies: { name: ['a'], kind: [2], mass: [1], inertia: [1, 1, 1], support: [] },
    shapes: { body: [], kind: [], pose: [] },
} as unknown as SceneJson;

/** A server that has these frames, in answers of ten. */
class Link implements LiveLink {
    asked: number[] = [];
    constructor(
        private readonly count: number,
        /** after the last frame the run begins again at this one */
        private again?: number,
    ) {}
    scene(): Promise<SceneJson> {
        return Promise.resolve(SCENE);
    }
    send(): Promise<string> {
        return Promise.resolve('');
    }
    async frames(from: number): Promise<FramesJson> {
        this.asked.push(from);
        let first = from;
        if (from >= this.count && this.again !== undefined) {
            first = this.again;
            this.again = undefined;
        }
        if (first >= this.count) await new Promise((r) => setTimeout(r, 5));
        const frames = Array.from({ length: Math.max(0, Math.min(10, this.count - first)) }, (_, i) => ({
            step: first + i,
            time: 0.01 * (first + i),
            position: [first + i, 0, 0],
            orientation: [1, 0, 0, 0],
        }));
        return { first, frames, state: first + 10 >= this.count ? 'finished' : 'running' } as unknown as FramesJson;
    }
}

async function whole(link: Link, kept?: number): Promise<LiveRun> {
    const run = await LiveRun.open(link, kept);
    await run.begin();
    await expect
        .poll(() => run.step[run.frames - 1] === 99 && link.asked.filter((n) => n === 100).length > 1)
        .toBe(true);
    run.close();
    return run;
}

test('frames come one after the other', async () => {
    const run = await whole(new Link(100));
    expect(run.frames).toBe(100);
    expect(run.step).toEqual(Array.from({ length: 100 }, (_, i) => i));
});

test('a run that goes on keeps fewer frames of what lies behind, with their times', async () => {
    const link = new Link(100);
    const run = await whole(link, 10_000); // about thirty frames
    expect(run.frames).toBeGreaterThan(10);
    expect(run.frames).toBeLessThan(50);
    expect(run.step[0]).toBe(0);
    expect(run.step[run.frames - 1]).toBe(99);
    expect(run.step).toEqual([...run.step].sort((a, b) => a - b));
    for (let i = 0; i < run.frames; i++) {
        expect(run.time[i]).toBeCloseTo(0.01 * run.step[i], 12);
        expect(run.pose(i)?.position[0]).toBe(run.step[i]);
    }
    // every frame is asked for once
    expect(link.asked.slice(0, 10)).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
});

test('what comes again replaces what was there from its number on, also among fewer frames', async () => {
    for (const kept of [undefined, 10_000]) {
        const run = await whole(new Link(100, 50), kept);
        expect(run.step).toEqual([...new Set(run.step)].sort((a, b) => a - b));
        expect(run.step[run.frames - 1]).toBe(99);
    }
});
