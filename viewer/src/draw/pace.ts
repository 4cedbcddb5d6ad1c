// How fine a moving picture is drawn where the processor draws it: as fine as it keeps up with.

/** Pixels of the drawing for each of the page while something moves, from fine to coarse. */
const RATIOS = [1, 0.7, 0.5] as const;
/** Slower than this is seen as jerks; faster than that leaves room for more pixels [ms between pictures]. */
const SLOW = 36;
const FAST = 14;
/** Pictures in a row that must be slow, or fast, before anything changes. */
const PATIENCE_SLOW = 4;
const PATIENCE_FAST = 60;
/** Pictures further apart than this are not a motion [ms]. */
const APART = 400;

export class Pace {
    private level = 0;
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
        this.slow = interval > SLOW ? this.slow + 1 : 0;
        this.fast = interval < FAST ? this.fast + 1 : 0;
        if (this.slow >= PATIENCE_SLOW) this.go(1);
        else if (this.fast >= PATIENCE_FAST) this.go(-1);
    }

    get ratio(): number {
        return RATIOS[this.level];
    }

    /** How long nothing must move before a fine picture is drawn: it takes as long as several coarse ones [ms]. */
    get stillAfter(): number {
        return Math.min(1500, Math.max(250, 4 * this.interval));
    }

    private go(by: number): void {
        this.level = Math.min(Math.max(0, this.level + by), RATIOS.length - 1);
        this.slow = this.fast = 0;
    }
}
