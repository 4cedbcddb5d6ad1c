/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The page's end of the worker: requests as promises.
import * as packedWorker from 'virtual:perp-worker';

import { fromBase64 } from './base64.ts';
import { Refusal } from './check.ts';
import type { Calls, Op, Reply, Request } from './protocol.ts';

interface Waiting {
    resolve(answer: unknown): void;
    reject(e: Error): void;
}

let address: string | undefined;
let wasm: Uint8Array<ArrayBuffer> | undefined;

/** A client that no recording has: started ahead, or left by one that was closed. */
let spare: Client | undefined;

export class Client {
    private readonly waiting = new Map<number, Waiting>();
    private next = 1;
    private broken = false;

    private constructor(private readonly worker: Worker) {
        worker.onmessage = (event: MessageEvent<Reply>) => this.take(event.data);
        wasm ??= fromBase64(packedWorker.wasm);
        worker.postMessage({ wasm: wasm.buffer });
        worker.onerror = (event) => {
            this.broken = true;
            const e = new Error(`The reader of recordings stopped: ${event.message}`);
            for (const w of this.waiting.values()) w.reject(e);
            this.waiting.clear();
        };
    }

    /** A worker takes a while to start: what is begun here is ready when it is needed. */
    static prepare(): void {
        address ??= URL.createObjectURL(new Blob([packedWorker.program], { type: 'text/javascript' }));
        spare ??= new Client(new Worker(address));
    }

    static start(): Client {
        Client.prepare();
        const client = spare as Client;
        spare = undefined;
        return client;
    }

    call<K extends Op>(op: K, ask: Calls[K]['ask'], hand: Transferable[] = []): Promise<Calls[K]['answer']> {
        const request: Request<K> = { id: this.next++, op, ask };
        return new Promise((resolve, reject) => {
            this.waiting.set(request.id, { resolve: resolve as (answer: unknown) => void, reject });
            this.worker.postMessage(request, hand);
        });
    }

    /** The next recording takes this worker over, unless that would have to wait for it. */
    close(): void {
        if (spare || this.broken || this.waiting.size > 0) this.end();
        else spare = this;
    }

    end(): void {
        this.worker.terminate();
    }

    private take(reply: Reply): void {
        const w = this.waiting.get(reply.id);
        this.waiting.delete(reply.id);
        if (!w) return;
        if ('error' in reply) w.reject(reply.refusal ? new Refusal(reply.error) : new Error(reply.error));
        else w.resolve(reply.answer);
    }
}
