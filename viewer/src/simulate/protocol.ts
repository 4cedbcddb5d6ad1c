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

export type Request =
    | { op: 'load'; perp: string; memory: number }
    | { op: 'open'; opening: Opening }
    | { op: 'scene' }
    | { op: 'frames'; from: number; run: number | undefined }
    | { op: 'send'; command: string }
    | { op: 'figures' };

export interface Answers {
    /** the JSON Schema of scenes */
    load: { schema: object; version: string };
    open: Complaint | undefined;
    scene: SceneJson;
    frames: FramesJson;
    send: string;
    figures: Figures;
}

export interface Figures {
    steps: number;
    time: number;
    hash: string;
    define: Record<string, number>;
    /** seconds that steps took, of the wall */
    seconds: number;
}
