/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Frames in blocks: what was read stays until the budget is used up, what is missing is asked for, the newest wish first.

export interface BlockSource<T> {
    /** frames of a block */
    rows: number;
    /** frames in all */
    frames: number;
    /** bytes that blocks may take together */
    budget: number;
    fetch(from: number, to: number): Promise<T>;
    bytes(block: T): number;
}

/** More would only delay the wish that comes next: the worker does one thing after the other. */
const MOST_UNDER_WAY = 2;

export class BlockCache<T> {
    private readonly blocks = new Map<number, T>();
    private readonly underWay = new Set<number>();
    private held = 0;
    private newest = -1;
    private wish: { block: number; ahead: number } | undefined;

    constructor(
        private readonly source: BlockSource<T>,
        private readonly arrived: () => void,
        private readonly failed: (e: Error) => void,
    ) {}

    get rows(): number {
        return this.source.rows;
    }

    /** The block that holds a frame, or undefined: then it is on its way. `ahead` blocks after it are read as well, unless
     *  the wishes jump from place to place. */
    get(frame: number, ahead: number): T | undefined {
        const index = Math.floor(frame / this.source.rows);
        const block = this.blocks.get(index);
        if (block !== undefined) {
            this.blocks.delete(index);
            this.blocks.set(index, block);
        }
        const jumped = this.wish !== undefined && Math.abs(index - this.wish.block) > 1;
        this.wish = { block: index, ahead: jumped ? 0 : ahead };
        this.pump();
        return block;
    }

    private pump(): void {
        while (this.wish && this.underWay.size < MOST_UNDER_WAY) {
            const next = this.nextMissing(this.wish);
            if (next < 0) return;
            void this.load(next);
        }
    }

    private nextMissing(wish: { block: number; ahead: number }): number {
        const last = Math.ceil(this.source.frames / this.source.rows) - 1;
        for (let i = wish.block; i <= Math.min(last, wish.block + wish.ahead); i++)
            if (!this.blocks.has(i) && !this.underWay.has(i)) return i;
        return -1;
    }

    /** Of the frames at hand in the block that arrived last, the one nearest to a frame; -1: none. */
    nearest(frame: number): number {
        if (!this.blocks.has(this.newest)) return -1;
        const first = this.newest * this.source.rows;
        return Math.min(Math.max(frame, first), Math.min(first + this.source.rows, this.source.frames) - 1);
    }

    private async load(index: number): Promise<void> {
        this.underWay.add(index);
        try {
            const from = index * this.source.rows;
            const block = await this.source.fetch(from, Math.min(from + this.source.rows, this.source.frames));
            this.blocks.set(index, block);
            this.newest = index;
            this.held += this.source.bytes(block);
            this.forget();
            this.underWay.delete(index);
            this.arrived();
        } catch (e) {
            // the wish is dropped: asking again for what cannot be read would never end
            this.wish = undefined;
            this.underWay.delete(index);
            this.failed(e instanceof Error ? e : new Error(String(e)));
        }
        this.pump();
    }

    private forget(): void {
        for (const [index, block] of this.blocks) {
            if (this.held <= this.source.budget || this.blocks.size <= 2) return;
            this.blocks.delete(index);
            this.held -= this.source.bytes(block);
        }
    }
}
