/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// How fine a moving picture is drawn where the processor draws it: as fine as it keeps up with.

/** How a picture is drawn. */
export interface Finish {
    /** pixels of the drawing for each of the page */
    ratio: number;
    /** shadows, and round bodies with all their corners: they draw everything twice as dear */
    full: boolean;
}

/** While something moves, from fine to coarse. */
const LEVELS: readonly Finish[] = [
    { ratio: 1, full: true },
    { ratio: 1, full: false },
    { ratio: 0.7, full: false },
    { ratio: 0.5, full: false },
];
/** Slower than this is seen as jerks; faster than that leaves room for more pixels: screens show 60 pictures in a second
 *  [ms between pictures]. */
const SLOW = 36;
const FAST = 19;
/** Pictures in a row that must be slow, or fast, before anything changes. One that is much too slow counts more. */
const PATIENCE_SLOW = 3;
const PATIENCE_FAST = 60;
const MUCH = 2.5;
/** Pictures further apart than this are not a motion [ms]. */
const APART = 400;

export class Pace {
    /** where it keeps up easily there is soon more */
    private level = 1;
    private slow = 0;
    private fast = 0;
    private last = -Infinity;
    private interval = 0;

    /** A picture is drawn now. */
    tick(now: number): void {
        const interval = now - this.last;
        this.last = now;
        if (interval > APART) {
            this.slow = this.fast = 0;
            return;
        }
        this.interval = interval;
        this.slow = interval > SLOW ? this.slow + (interval > MUCH * SLOW ? PATIENCE_SLOW : 1) : 0;
        this.fast = interval < FAST ? this.fast + 1 : 0;
        if (this.slow >= PATIENCE_SLOW) this.go(1);
        else if (this.fast >= PATIENCE_FAST) this.go(-1);
    }

    get finish(): Finish {
        return LEVELS[this.level];
    }

    /** How long nothing must move before a fine picture is drawn: it takes as long as several coarse ones [ms]. */
    get stillAfter(): number {
        return Math.min(1500, Math.max(250, 4 * this.interval));
    }

    private go(by: number): void {
        this.level = Math.min(Math.max(0, this.level + by), LEVELS.length - 1);
        this.slow = this.fast = 0;
    }
}
