/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Bytes of a recording, read in pieces. HDF5 reads synchronously, so a piece that is missing is fetched synchronously
// as well: a worker may do that, the page never waits.
import { Refusal } from '../data/check.ts';

export interface Bytes {
    readonly size: number;
    /** Copies bytes from `position` on into `target`; returns how many there were. */
    read(target: Uint8Array, position: number): number;
}

export class MemoryBytes implements Bytes {
    readonly size: number;
    constructor(private readonly data: Uint8Array) {
        this.size = data.length;
    }
    read(target: Uint8Array, position: number): number {
        const part = this.data.subarray(position, position + target.length);
        target.set(part);
        return part.length;
    }
}

/** Pieces of a recording are near each other where they are used together: a request fetches a block around them. */
const BLOCK = 1 << 17;
const MOST_BLOCKS = 512;

export class HttpBytes implements Bytes {
    readonly size: number;
    private readonly blocks = new Map<number, Uint8Array>();

    constructor(
        private readonly url: string,
        size: number | undefined,
    ) {
        this.size = size ?? this.askSize();
    }

    read(target: Uint8Array, position: number): number {
        const end = Math.min(position + target.length, this.size);
        let at = position;
        while (at < end) {
            const index = Math.floor(at / BLOCK);
            const block = this.block(index);
            const from = at - index * BLOCK;
            const part = block.subarray(from, Math.min(from + end - at, block.length));
            target.set(part, at - position);
            at += part.length;
        }
        return Math.max(0, end - position);
    }

    private block(index: number): Uint8Array {
        const known = this.blocks.get(index);
        if (known) {
            // a Map keeps the order of insertion: what was used last moves to its end
            this.blocks.delete(index);
            this.blocks.set(index, known);
            return known;
        }
        const from = index * BLOCK;
        const to = Math.min(from + BLOCK, this.size) - 1;
        const data = this.fetchRange(from, to);
        this.blocks.set(index, data);
        if (this.blocks.size > MOST_BLOCKS) {
            const oldest = this.blocks.keys().next().value;
            if (oldest !== undefined) this.blocks.delete(oldest);
        }
        return data;
    }

    private fetchRange(from: number, to: number): Uint8Array {
        const request = new XMLHttpRequest();
        request.open('GET', this.url, false);
        request.responseType = 'arraybuffer';
        request.setRequestHeader('Range', `bytes=${from}-${to}`);
        this.send(request);
        const data = new Uint8Array(request.response as ArrayBuffer);
        if (request.status === 206 && data.length === to - from + 1) return data;
        if (request.status === 200 && data.length > to) return data.subarray(from, to + 1);
        throw new Refusal(
            `Bytes ${from} to ${to} cannot be read: status ${request.status}, ${data.length} bytes. Did the file change?`,
        );
    }

    private askSize(): number {
        const request = new XMLHttpRequest();
        request.open('HEAD', this.url, false);
        this.send(request);
        const length = Number(request.getResponseHeader('Content-Length'));
        if (request.status !== 200 || !Number.isFinite(length))
            throw new Refusal(`The recording cannot be read: status ${request.status}.`);
        return length;
    }

    private send(request: XMLHttpRequest): void {
        try {
            request.send();
        } catch {
            throw new Refusal('The server does not answer. Is perp view still running?');
        }
    }
}
