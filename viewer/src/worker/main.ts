/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The worker: reads one recording at a time, answers one request after the other.
import './quiet.ts';
import { takeWasm } from './wasm.ts';

import { Refusal } from '../data/check.ts';
import type { Calls, Op, Place, Reply, Request } from '../data/protocol.ts';
import { HttpBytes, MemoryBytes } from './bytes.ts';
import { H5File } from './h5file.ts';
import { readColumn, readContacts, readHeader, readPoses, readTwists } from './read.ts';

const scope = self as unknown as DedicatedWorkerGlobalScope;
let file: H5File | undefined;
let frames = 0;

async function open(place: Place): Promise<Calls['open']['answer']> {
    const bytes = 'data' in place ? new MemoryBytes(new Uint8Array(place.data)) : new HttpBytes(place.url, place.bytes);
    file?.close();
    file = undefined;
    file = await H5File.open(bytes);
    try {
        const header = readHeader(file);
        frames = header.frames;
        return header;
    } catch (e) {
        // a file that ends too early may still open: then HDF5 stumbles over the first part that is not there
        if (e instanceof Refusal) throw e;
        throw new Refusal(
            `The recording is cut off or damaged: HDF5 says "${e instanceof Error ? e.message : String(e)}".`,
        );
    }
}

async function answer(request: Request): Promise<Calls[Op]['answer']> {
    if (request.op === 'open') return open((request as Request<'open'>).ask.place);
    if (!file) throw new Refusal('No recording is open.');
    switch (request.op) {
        case 'poses': {
            const { from, to } = (request as Request<'poses'>).ask;
            return readPoses(file, from, to);
        }
        case 'twists': {
            const { from, to } = (request as Request<'twists'>).ask;
            return readTwists(file, from, to);
        }
        case 'contacts': {
            const { from, to } = (request as Request<'contacts'>).ask;
            return readContacts(file, from, to);
        }
        case 'column':
            return readColumn(file, (request as Request<'column'>).ask.path, frames);
        case 'track': {
            const a = (request as Request<'track'>).ask;
            return file.doubles(a.path, [[a.from, a.to, a.stride], [a.body, a.body + 1], []]);
        }
        case 'paths': {
            const a = (request as Request<'paths'>).ask;
            return file.doubles('frames/position', [[a.from, a.to, a.stride], [], []]);
        }
    }
}

/** Buffers that can be handed over instead of copied. */
function buffersOf(value: unknown): ArrayBuffer[] {
    if (ArrayBuffer.isView(value)) return [value.buffer as ArrayBuffer];
    if (value === null || typeof value !== 'object') return [];
    return [...new Set(Object.values(value).flatMap((v) => (ArrayBuffer.isView(v) ? [v.buffer as ArrayBuffer] : [])))];
}

let turn: Promise<void> = Promise.resolve();
scope.onmessage = (event: MessageEvent<Request | { wasm: ArrayBuffer }>) => {
    const request = event.data;
    if ('wasm' in request) {
        takeWasm(request.wasm);
        return;
    }
    turn = turn.then(async () => {
        try {
            const result = await answer(request);
            const reply: Reply = { id: request.id, answer: result };
            scope.postMessage(reply, buffersOf(result));
        } catch (e) {
            const error = e instanceof Error ? e.message : String(e);
            const reply: Reply = { id: request.id, error, refusal: e instanceof Refusal };
            scope.postMessage(reply);
        }
    });
};
