/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import { expect, test } from '@playwright/test';

import { commonTimes, Player } from '../../src/app/player.ts';
import { frameAt } from '../../src/data/run.ts';

test('the frame at a time is the last that is not after it', () => {
    const time = [0, 0.1, 0.2, 0.30000000000000004, 0.4];
    expect(frameAt(time, 5, -1)).toBe(0);
    expect(frameAt(time, 5, 0.05)).toBe(0);
    expect(frameAt(time, 5, 0.1)).toBe(1);
    // a sum of steps that was rounded up is still reached by the exact time
    expect(frameAt(time, 5, 0.3)).toBe(3);
    expect(frameAt(time, 5, 9)).toBe(4);
});

test('playing goes with the clock and the speed, ends at the end, or begins anew', () => {
    const p = new Player();
    p.setTimes([0, 1, 2, 3]);
    p.speed = 2;
    p.play(true);
    expect(p.tick(0.4)).toBe(false);
    expect(p.tick(0.2)).toBe(true);
    expect(p.index).toBe(1);
    p.tick(5);
    expect(p.index).toBe(3);
    expect(p.playing).toBe(false);
    p.play(true);
    expect(p.index).toBe(0);
    p.loop = true;
    p.tick(5);
    expect(p.index).toBe(3);
    p.tick(0.1);
    expect(p.index).toBe(0);
    expect(p.playing).toBe(true);
});

test('two runs share the times of the first and go on with those of the second', () => {
    const times = commonTimes([{ time: [0, 1, 2] }, { time: [0, 0.5, 1.5, 2.5, 3] }]);
    expect(Array.from(times)).toEqual([0, 1, 2, 2.5, 3]);
});

test('the end is where it was when the times were set, until they are set again', () => {
    const p = new Player();
    const growing = [0, 1];
    p.setTimes(growing);
    p.seek(1);
    growing.push(2, 3);
    expect(p.index).toBe(p.last);
    p.setTimes(growing);
    expect(p.last).toBe(3);
});

test('seeking stays within the run', () => {
    const p = new Player();
    p.setTimes([0, 1, 2]);
    p.seek(-3);
    expect(p.index).toBe(0);
    p.seek(99);
    expect(p.index).toBe(2);
    p.seekTime(1.5);
    expect(p.index).toBe(1);
});
