// The page's end of the worker: requests as promises.
import packedWorker from 'virtual:perp-worker';

import { fromBase64, unpackGzip } from './base64.ts';
import { Refusal } from './check.ts';
import type { Calls, Op, Reply, Request } from './protocol.ts';

interface Waiting {
    resolve(answer: unknown): void;
    reject(e: Error): void;
}

let program: Promise<string> | undefined;

/** Address of the worker's program, unpacked once for all recordings. */
function workerAddress(): Promise<string> {
    program ??= unpackGzip(fromBase64(packedWorker)).then((blob) =>
        URL.createObjectURL(new Blob([blob], { type: 'text/javascript' })),
    );
    return program;
}

export class Client {
    private readonly waiting = new Map<number, Waiting>();
    private next = 1;

    private constructor(private readonly worker: Worker) {
        worker.onmessage = (event: MessageEvent<Reply>) => this.take(event.data);
        worker.onerror = (event) => {
            const e = new Error(`The reader of recordings stopped: ${event.message}`);
            for (const w of this.waiting.values()) w.reject(e);
            this.waiting.clear();
        };
    }

    static async start(): Promise<Client> {
        return new Client(new Worker(await workerAddress()));
    }

    call<K extends Op>(op: K, ask: Calls[K]['ask'], hand: Transferable[] = []): Promise<Calls[K]['answer']> {
        const request: Request<K> = { id: this.next++, op, ask };
        return new Promise((resolve, reject) => {
            this.waiting.set(request.id, { resolve: resolve as (answer: unknown) => void, reject });
            this.worker.postMessage(request, hand);
        });
    }

    close(): void {
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
