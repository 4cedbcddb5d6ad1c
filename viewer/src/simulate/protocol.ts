/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// What the page and the worker that simulates say to each other. A request has one answer with the same number.
import type { FramesJson, SceneJson } from '../data/live.ts';

/** Why a scene was refused, and where. line and column from 1; 0: not known. */
export interface Complaint {
    message: string;
    line: number;
    column: number;
}

export interface Opening {
    text: string;
    define: Record<string, number>;
    paused: boolean;
    /** where the scene comes from, and files that it names; only a page around this one hands them over */
    path?: string;
    files?: Record<string, Uint8Array>;
}

/** What a hand did before a step: it pulls a body (its number, the point in its frame, the hand in the world), or lets go. */
export interface Act {
    step: number;
    grip: readonly number[] | undefined;
}

/** All that makes a run what it is: with it the same bits come again. */
export interface History {
    opening: Opening;
    acts: Act[];
    steps: number;
    hash: string;
}

export type Request =
    | { op: 'load'; perp: string; memory: number }
    | { op: 'open'; opening: Opening }
    | { op: 'check'; opening: Opening }
    | { op: 'scene' }
    | { op: 'frames'; from: number; run: number | undefined }
    | { op: 'send'; command: string }
    | { op: 'figures' }
    | { op: 'history' };

/** The worker that makes a recording: one request, then answers with the number of steps until the file comes. */
export interface RecordRequest {
    perp: string;
    memory: number;
    history: History;
}
export type RecordAnswer = { steps: number } | { file: Uint8Array } | { error: string };

export interface Answers {
    /** the JSON Schema of scenes */
    load: { schema: object; version: string };
    open: Complaint | undefined;
    check: Complaint | undefined;
    scene: SceneJson;
    frames: FramesJson;
    send: string;
    figures: Figures;
    history: History;
}

export interface Figures {
    steps: number;
    time: number;
    hash: string;
    define: Record<string, number>;
    /** seconds that steps took, of the wall */
    seconds: number;
}
