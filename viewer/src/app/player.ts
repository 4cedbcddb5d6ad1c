/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The clock: where on the common time of all runs we are, and how it goes on.
import { frameAt } from '../data/run.ts';

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50] as const;

export class Player {
    /** times that the slider stops at */
    times: ArrayLike<number> = [0];
    index = 0;
    playing = false;
    loop = false;
    speed = 1;
    private clock = 0;
    /** a live run's times grow by themselves: those that were there when they were set count */
    private count = 1;

    get time(): number {
        return this.times[this.index] ?? 0;
    }

    get last(): number {
        return this.count - 1;
    }

    setTimes(times: ArrayLike<number>): void {
        this.times = times;
        this.count = Math.max(1, times.length);
        this.index = Math.min(this.index, this.last);
    }

    seek(index: number): void {
        this.index = Math.min(Math.max(0, Math.round(index)), this.last);
        this.clock = this.time;
    }

    seekTime(t: number): void {
        this.seek(frameAt(this.times, this.count, t));
    }

    play(on: boolean): void {
        // from the end it begins anew
        if (on && this.index === this.last) this.seek(0);
        this.clock = this.time;
        this.playing = on;
    }

    /** `seconds` passed; returns whether the frame changed. */
    tick(seconds: number): boolean {
        if (!this.playing) return false;
        const before = this.index;
        const end = this.times[this.last];
        this.clock += seconds * this.speed;
        if (this.clock >= end) {
            if (this.loop) {
                // the last frame is seen for a moment before the first
                this.clock = before === this.last ? this.times[0] : end;
            } else {
                this.clock = end;
                this.playing = false;
            }
        }
        this.index = frameAt(this.times, this.count, this.clock);
        return this.index !== before;
    }

    faster(steps: number): void {
        let i = SPEEDS.findIndex((s) => s >= this.speed);
        if (i < 0) i = SPEEDS.length - 1;
        this.speed = SPEEDS[Math.min(Math.max(0, i + steps), SPEEDS.length - 1)];
    }
}

/** The times of the first run, and those of the second that lie beyond. */
export function commonTimes(runs: readonly { time: ArrayLike<number> }[]): ArrayLike<number> {
    if (runs.length < 2) return runs[0]?.time ?? [0];
    const [a, b] = [Array.from(runs[0].time), Array.from(runs[1].time)];
    const [from, to] = [a[0], a[a.length - 1]];
    return [...b.filter((t) => t < from), ...a, ...b.filter((t) => t > to)];
}
