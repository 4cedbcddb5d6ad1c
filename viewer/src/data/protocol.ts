/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// What the page and its worker say to each other. A request has one answer with the same number.
import type { ContactRows, Model } from './model.ts';

/** Where the bytes of a recording are. */
export type Place = { url: string; bytes?: number } | { data: ArrayBuffer };

export interface Header {
    model: Model;
    program: string;
    finished: boolean;
    duration: number;
    frames: number;
    every: number;
    time: Float64Array;
    step: Float64Array;
    has: { poses: boolean; twists: boolean; contacts: boolean; certificate: boolean; ledger: boolean; solver: boolean };
    /** frames that are cheap to read together, and the mean number of contacts of a frame */
    poseRows: number;
    contactMean: number;
}

/** Frames from `from` to before `to`, one below the other. */
export interface PoseBlock {
    position: Float64Array;
    orientation: Float64Array;
}
export interface TwistBlock {
    velocity: Float64Array;
    spin: Float64Array;
}
export interface ContactBlock extends ContactRows {
    /** rows before each frame of the block, and their total */
    start: Float64Array;
}

/** Requests and what answers them. */
export interface Calls {
    open: { ask: { place: Place }; answer: Header };
    poses: { ask: { from: number; to: number }; answer: PoseBlock };
    twists: { ask: { from: number; to: number }; answer: TwistBlock };
    contacts: { ask: { from: number; to: number }; answer: ContactBlock };
    /** a number for each frame; null: not recorded */
    column: { ask: { path: string }; answer: Float64Array | null };
    /** every stride-th row of one body of a dataset F x B x n */
    track: {
        ask: { path: string; body: number; from: number; to: number; stride: number };
        answer: Float64Array;
    };
    /** every stride-th row of all bodies' positions */
    paths: { ask: { from: number; to: number; stride: number }; answer: Float64Array };
}
export type Op = keyof Calls;

export interface Request<K extends Op = Op> {
    id: number;
    op: K;
    ask: Calls[K]['ask'];
}
export type Reply = { id: number; answer: unknown } | { id: number; error: string; refusal: boolean };
