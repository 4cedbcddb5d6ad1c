/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The page's side of the worker. A worker that does not answer in time is ended; the next scene gets a new one.
import { Refusal } from '../data/check.ts';
import type { FramesJson, LiveCommand, LiveLink, SceneJson } from '../data/live.ts';
import { LIMITS } from './limits.ts';
import type { Answers, Complaint, Figures, Opening, RecordAnswer, RecordRequest, Request } from './protocol.ts';

interface Waiting {
    resolve: (value: unknown) => void;
    reject: (e: Error) => void;
}

/** A worker that is not within a step answers sooner than this, also on a busy machine [ms]. */
const ANSWER = 1000;

const TOO_LONG = `A step takes longer than ${LIMITS.seconds} s, and that is not allowed.`;

/** A question to a worker that was ended for another scene: nobody waits for the answer. */
export class Superseded extends Refusal {
    constructor() {
        super('Another scene was begun.');
    }
}

const perpAddress = (): string => new URL('perp/perp.js', document.baseURI).href;

/** Questions to a worker and their answers. The worker begins with the first question. */
class Line {
    private worker: Worker | undefined;
    private readonly waiting = new Map<number, Waiting>();
    private next = 1;

    /** broken: the worker could not be loaded, or failed outside of a question */
    constructor(private readonly broken: (why: string) => void) {}

    ask<K extends keyof Answers>(_op: K, request: Request & { op: K }): Promise<Answers[K]> {
        this.worker ??= this.start();
        const id = this.next++;
        this.worker.postMessage({ ...request, id });
        return new Promise<unknown>((resolve, reject) => this.waiting.set(id, { resolve, reject })) as Promise<
            Answers[K]
        >;
    }

    load(): Promise<Answers['load']> {
        return this.ask('load', { op: 'load', perp: perpAddress(), memory: LIMITS.memory });
    }

    /** Ends the worker, whatever it does. */
    end(why: Refusal): void {
        this.worker?.terminate();
        this.worker = undefined;
        for (const w of this.waiting.values()) w.reject(why);
        this.waiting.clear();
    }

    private start(): Worker {
        const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
        worker.onmessage = (e: MessageEvent<{ id: number; value?: unknown; error?: string }>) => {
            const w = this.waiting.get(e.data.id);
            this.waiting.delete(e.data.id);
            if (e.data.error !== undefined) w?.reject(new Refusal(e.data.error));
            else w?.resolve(e.data.value);
        };
        worker.onerror = (e) => this.broken(`The worker failed: ${e.message || 'it could not be loaded'}.`);
        return worker;
    }
}

/** Reads a scene while it is typed and says what is wrong. It has a worker of its own, so that a run goes on meanwhile, whatever the scene is. */
export class Checker {
    private readonly line = new Line(() => this.end());
    private loaded: Promise<unknown> | undefined;
    private busy = false;
    private next: { opening: Opening; tell: (why: Complaint | undefined) => void } | undefined;

    /** The newest question counts: one that waits is forgotten for it. A scene that takes too long has no answer. */
    check(opening: Opening, tell: (why: Complaint | undefined) => void): void {
        this.next = { opening, tell };
        if (!this.busy) void this.work();
    }

    private async work(): Promise<void> {
        this.busy = true;
        for (let now = this.next; now; now = this.next) {
            this.next = undefined;
            const timer = setTimeout(() => this.end(), 1000 * LIMITS.check);
            try {
                this.loaded ??= this.line.load();
                await this.loaded;
                now.tell(await this.line.ask('check', { op: 'check', opening: now.opening }));
            } catch {
                now.tell(undefined); // Run will say what there is to say
                this.end();
            } finally {
                clearTimeout(timer);
            }
        }
        this.busy = false;
    }

    private end(): void {
        this.loaded = undefined;
        this.line.end(new Superseded());
    }
}

export class Simulator implements LiveLink {
    private readonly line = new Line((why) => this.stop(why));
    private loaded: Promise<Answers['load']> | undefined;
    /** the worker is about to be ended, and its run with it */
    onEnd: () => void = () => undefined;
    /** the worker was ended because it took too long */
    onStopped: (why: string) => void = () => undefined;

    load(): Promise<Answers['load']> {
        this.loaded ??= this.line.load();
        return this.loaded;
    }

    /** Begins a scene. A worker that is busy with a step of the one before is ended, and another one takes its place. */
    async open(opening: Opening): Promise<Complaint | undefined> {
        await this.load();
        if (!(await this.answers())) {
            this.end(new Superseded());
            await this.load();
        }
        return this.inTime(
            this.line.ask('open', { op: 'open', opening }),
            `The scene takes longer than ${LIMITS.seconds} s to read, and that is not allowed.`,
        );
    }

    scene(): Promise<SceneJson> {
        return this.inTime(this.line.ask('scene', { op: 'scene' }));
    }
    /** The worker answers once a second at least, unless a step takes too long. */
    frames(from: number, run: number | undefined): Promise<FramesJson> {
        return this.inTime(this.line.ask('frames', { op: 'frames', from, run }));
    }
    send(command: LiveCommand): Promise<string> {
        return this.inTime(this.line.ask('send', { op: 'send', command }));
    }
    figures(): Promise<Figures> {
        return this.inTime(this.line.ask('figures', { op: 'figures' }));
    }

    /** The run so far as the file that `perp run` writes. A worker of its own makes it; `tell` hears of its steps. */
    async record(tell: (steps: number, of: number) => void): Promise<Uint8Array> {
        const history = await this.inTime(this.line.ask('history', { op: 'history' }));
        const worker = new Worker(new URL('./record.ts', import.meta.url), { type: 'module' });
        let timer: ReturnType<typeof setTimeout> | undefined;
        try {
            return await new Promise<Uint8Array>((resolve, reject) => {
                const late = (): void =>
                    reject(new Refusal(`The recording takes longer than ${LIMITS.seconds} s for a step.`));
                worker.onerror = (e) =>
                    reject(new Refusal(`The worker failed: ${e.message || 'it could not be loaded'}.`));
                worker.onmessage = (e: MessageEvent<RecordAnswer>) => {
                    clearTimeout(timer);
                    if ('file' in e.data) resolve(e.data.file);
                    else if ('error' in e.data) reject(new Refusal(e.data.error));
                    else {
                        tell(e.data.steps, history.steps);
                        timer = setTimeout(late, 1000 * LIMITS.seconds);
                    }
                };
                timer = setTimeout(late, 1000 * LIMITS.seconds);
                const request: RecordRequest = { perp: perpAddress(), memory: LIMITS.memory, history };
                worker.postMessage(request);
            });
        } finally {
            clearTimeout(timer);
            worker.terminate();
        }
    }

    /** Ends the worker because it took too long or failed. */
    private stop(why: string): void {
        this.end(new Refusal(why));
        this.onStopped(why);
    }

    /** Ends the worker, whatever it does. */
    private end(why: Refusal): void {
        this.onEnd();
        this.loaded = undefined;
        this.line.end(why);
    }

    private answers(): Promise<boolean> {
        const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), ANSWER));
        const answer = this.figures().then(
            () => true,
            () => false,
        );
        return Promise.race([answer, late]);
    }

    /** Every question to a run waits for the step that the worker is in, so each has the limit: whichever comes first ends the worker. */
    private async inTime<T>(answer: Promise<T>, why = TOO_LONG): Promise<T> {
        const timer = setTimeout(() => this.stop(why), 1000 * LIMITS.seconds);
        try {
            return await answer;
        } finally {
            clearTimeout(timer);
        }
    }
}
