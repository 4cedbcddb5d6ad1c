/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// A run as the page sees it, be it recorded or live: what is there is given at once, what is missing is fetched meanwhile.
import type { Contacts, Model, Pose, Twist } from './model.ts';

/** Position and velocity of one body over the run, at `frame[i]`. */
export interface Track {
    frame: Float64Array;
    position: Float64Array;
    velocity: Float64Array;
}

/** Centres of mass of all bodies at every stride-th frame: n x B x 3. */
export interface Paths {
    n: number;
    position: Float64Array;
}

export interface Run {
    readonly name: string;
    readonly model: Model;
    readonly live: boolean;
    /** one line about where it is from and whether it is complete */
    readonly about: string;
    readonly frames: number;
    readonly time: ArrayLike<number>;
    readonly step: ArrayLike<number>;
    readonly has: { twists: boolean; contacts: boolean };
    /** called when something arrived that was missing before, or when frames were added */
    onArrived: () => void;
    onFailed: (e: Error) => void;
    /** grows when frames that were there are no longer valid: a live run was reset */
    readonly generation: number;

    pose(frame: number, playing: boolean): Pose | undefined;
    /** a frame whose poses are at hand, near to one that is on its way; -1: none */
    nearest(frame: number): number;
    twist(frame: number, playing: boolean): Twist | undefined;
    contacts(frame: number, playing: boolean): Contacts | undefined;
    /** a number for each frame by its path in the recording; null: not recorded */
    column(path: string): Promise<Float64Array | null>;
    track(body: number): Promise<Track>;
    paths(): Promise<Paths>;
    close(): void;
}

/** Index of the last time that is not after t; the times rise. */
export function frameAt(time: ArrayLike<number>, frames: number, t: number): number {
    let low = 0;
    let high = frames - 1;
    // rounding of a sum of steps must not show the frame before
    const limit = t + 1e-9 * Math.max(1, Math.abs(t));
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (time[middle] <= limit) low = middle;
        else high = middle - 1;
    }
    return low;
}
