/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The page's side of the worker. A worker that does not answer in time is ended; the next scene gets a new one.
import { Refusal } from '../data/check.ts';
import type { FramesJson, LiveCommand, LiveLink, SceneJson } from '../data/live.ts';
import { LIMITS } from './limits.ts';
import type { Answers, Complaint, Figures, Opening, Request } from './protocol.ts';

interface Waiting {
    resolve: (value: unknown) => void;
    reject: (e: Error) => void;
}

export class Simulator implements LiveLink {
    private worker: Worker | undefined;
    private loaded: Promise<Answers['load']> | undefined;
    private readonly waiting = new Map<number, Waiting>();
    private next = 1;
    /** the worker was ended because it took too long */
    onStopped: (why: string) => void = () => undefined;

    load(): Promise<Answers['load']> {
        this.loaded ??= this.ask('load', {
            op: 'load',
            perp: new URL('perp/perp.js', document.baseURI).href,
            memory: LIMITS.memory,
        });
        return this.loaded;
    }

    async open(opening: Opening): Promise<Complaint | undefined> {
        await this.load();
        return this.inTime(
            this.ask('open', { op: 'open', opening }),
            `The scene takes longer than ${LIMITS.seconds} s to read, and that is not allowed.`,
        );
    }

    scene(): Promise<SceneJson> {
        return this.ask('scene', { op: 'scene' });
    }
    /** The worker answers once a second at least, unless a step takes too long. */
    frames(from: number, run: number | undefined): Promise<FramesJson> {
        return this.inTime(
            this.ask('frames', { op: 'frames', from, run }),
            `A step takes longer than ${LIMITS.seconds} s, and that is not allowed.`,
        );
    }
    send(command: LiveCommand): Promise<string> {
        return this.ask('send', { op: 'send', command });
    }
    figures(): Promise<Figures> {
        return this.ask('figures', { op: 'figures' });
    }

    /** Ends the worker, whatever it does. */
    stop(why: string): void {
        this.worker?.terminate();
        this.worker = this.loaded = undefined;
        for (const w of this.waiting.values()) w.reject(new Refusal(why));
        this.waiting.clear();
        this.onStopped(why);
    }

    private async inTime<T>(answer: Promise<T>, why: string): Promise<T> {
        const timer = setTimeout(() => this.stop(why), 1000 * LIMITS.seconds);
        try {
            return await answer;
        } finally {
            clearTimeout(timer);
        }
    }

    private ask<K extends keyof Answers>(_op: K, request: Request & { op: K }): Promise<Answers[K]> {
        this.worker ??= this.start();
        const id = this.next++;
        this.worker.postMessage({ ...request, id });
        return new Promise<unknown>((resolve, reject) => this.waiting.set(id, { resolve, reject })) as Promise<
            Answers[K]
        >;
    }

    private start(): Worker {
        const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
        worker.onmessage = (e: MessageEvent<{ id: number; value?: unknown; error?: string }>) => {
            const w = this.waiting.get(e.data.id);
            this.waiting.delete(e.data.id);
            if (e.data.error !== undefined) w?.reject(new Refusal(e.data.error));
            else w?.resolve(e.data.value);
        };
        worker.onerror = (e) => this.stop(`The worker failed: ${e.message || 'it could not be loaded'}.`);
        return worker;
    }
}
