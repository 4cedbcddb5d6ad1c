/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The worker that simulates: perp as WebAssembly, the run, and the frames that the page has not fetched yet.
import type { Dataset, Perp, Recorder, World } from '../../../wasm/perp.d.ts';
import type { FrameJson, FramesJson, LiveState, SceneJson } from '../data/live.ts';
import type { Act, Answers, Complaint, Figures, History, Opening, Request } from './protocol.ts';

/** A slice of steps between two looks at messages, and between two frames [ms]. */
const SLICE = 12;
const FRAME = 1000 / 60;
/** A run is never more than this late: it does not rush to catch up [ms]. */
const BEHIND = 100;
/** Frames in one answer, and most that wait for the page. */
const BATCH = 60;
const WAITING = 3600;

const words = (e: unknown): string => (e instanceof Error ? e.message : String(e));

function complaintOf(e: unknown): Complaint {
    const { line = 0, column = 0 } = e as { line?: number; column?: number };
    return { message: words(e), line, column };
}

class Simulation {
    private perp: Perp | undefined;
    private load: (() => Promise<Perp>) | undefined;
    private world: World | undefined;
    private recorder: Recorder | undefined;
    private opening: Opening | undefined;
    private acts: Act[] = [];
    private sceneJson: SceneJson | undefined;
    private run = 0;
    private state: LiveState = 'paused';
    private message = '';
    private frames: FrameJson[] = [];
    private first = 0;
    private seconds = 0;
    private lastFrame = 0;
    private pending = false;
    private anchor: { wall: number; time: number } | undefined;
    private changes = 0;
    private waiter: (() => void) | undefined;
    private readonly channel = new MessageChannel();
    private ticking = false;

    constructor() {
        this.channel.port1.onmessage = () => this.tick();
    }

    async loadPerp(r: Request & { op: 'load' }): Promise<Answers['load']> {
        this.load = async () => {
            const module = (await import(/* @vite-ignore */ r.perp)) as {
                load(options: { memory: number }): Promise<Perp>;
            };
            return module.load({ memory: r.memory });
        };
        this.perp = await this.load();
        return { schema: this.perp.schema, version: this.perp.version };
    }

    async open(opening: Opening): Promise<Complaint | undefined> {
        const { world: old, recorder: oldRecorder } = this;
        try {
            this.perp ??= await this.load?.();
            if (!this.perp) throw new Error('perp is not loaded');
            const { define, path: name, files } = opening;
            const world = this.perp.open(opening.text, { define, name, files });
            const recorder = world.record();
            this.world = world;
            this.recorder = recorder;
            this.sceneJson = this.describe(recorder.statics());
        } catch (e) {
            // a module that failed is in an unknown state: the next scene gets a new one
            if ((e as { status?: string }).status === 'E_MEMORY') {
                this.perp = this.world = this.recorder = undefined;
                this.end('failed', words(e));
            }
            return complaintOf(e);
        }
        oldRecorder?.close();
        old?.close();
        this.opening = opening;
        this.run++;
        this.first = this.seconds = 0;
        this.frames = [];
        this.acts = [];
        this.anchor = undefined;
        this.message = '';
        this.state = opening.paused ? 'paused' : 'running';
        this.frame();
        this.news();
        this.go();
        return undefined;
    }

    /** What is wrong with a scene, if anything. Nothing runs. */
    check({ define, path: name, files, text }: Opening): Complaint | undefined {
        try {
            this.perp?.open(text, { define, name, files }).close();
            return undefined;
        } catch (e) {
            return complaintOf(e);
        }
    }

    scene(): SceneJson {
        if (!this.sceneJson) throw new Error('there is no scene');
        return this.sceneJson;
    }

    /** Frames from there on, as soon as there are some or anything else is new. */
    async take(from: number, run: number | undefined): Promise<FramesJson> {
        const other = run !== undefined && run !== this.run;
        const begin = this.first + this.frames.length;
        const { changes } = this;
        if (!other && from >= begin && run !== undefined)
            await new Promise<void>((resolve) => {
                this.waiter = resolve;
                setTimeout(resolve, 1000);
            });
        if (this.changes !== changes && run !== this.run) return this.answer(this.first);
        return this.answer(run === this.run ? from : this.first);
    }

    command(text: string): string {
        const [word, ...rest] = text.split(' ');
        if (!this.recorder || !this.world || !this.opening) return 'there is no run';
        switch (word) {
            case 'pause':
                if (this.state === 'running') this.state = 'paused';
                if (this.pending) this.frame();
                break;
            case 'resume':
                if (this.state === 'paused') this.state = 'running';
                this.anchor = undefined;
                break;
            case 'step':
                if (this.state === 'running') this.state = 'paused';
                if (this.state === 'paused') this.step(true);
                break;
            case 'reset':
                void this.open({ ...this.opening, paused: false });
                return '';
            case 'drop':
                this.recorder.drop();
                this.acts.push({ step: this.world.steps, grip: undefined });
                break;
            case 'drag': {
                const [body, ...at] = rest.map(Number);
                this.recorder.pull(body, at.slice(0, 3), at.slice(3, 6));
                this.acts.push({ step: this.world.steps, grip: [body, ...at] });
                break;
            }
            case 'set': {
                const [name, value] = rest.join(' ').split('=');
                const define = { ...this.opening.define, [name]: Number(value) };
                return this.openNow({ ...this.opening, define });
            }
            default:
                return `there is no command ${word}`;
        }
        this.news();
        this.go();
        return '';
    }

    figures(): Figures {
        const w = this.world;
        return {
            steps: w?.steps ?? 0,
            time: w?.time ?? 0,
            hash: w?.hash ?? '',
            define: this.opening?.define ?? {},
            seconds: this.seconds,
        };
    }

    history(): History {
        if (!this.world || !this.opening) throw new Error('there is no run');
        return { opening: this.opening, acts: this.acts, steps: this.world.steps, hash: this.world.hash };
    }

    private openNow(opening: Opening): string {
        void this.open(opening).then((why) => {
            if (!why) return;
            this.message = why.message;
            this.news();
        });
        return '';
    }

    private answer(from: number): FramesJson {
        const at = Math.max(0, Math.min(from - this.first, this.frames.length));
        return {
            first: this.first + at,
            frames: this.frames.slice(at, at + BATCH),
            state: this.state,
            message: this.message,
            run: this.run,
        };
    }

    private news(): void {
        this.changes++;
        this.waiter?.();
        this.waiter = undefined;
    }

    private end(state: LiveState, message: string): void {
        this.state = state;
        this.message = message;
        this.news();
    }

    private go(): void {
        if (this.ticking || this.state !== 'running') return;
        this.ticking = true;
        this.channel.port2.postMessage(0);
    }

    /** Milliseconds until the next step is due. */
    private early(now: number, time: number): number {
        this.anchor ??= { wall: now, time };
        const due = this.anchor.wall + 1000 * (time - this.anchor.time);
        if (now - due > BEHIND) this.anchor.wall += now - due - BEHIND;
        return due - now;
    }

    private tick(): void {
        this.ticking = false;
        const begun = performance.now();
        let wait = 0;
        while (this.state === 'running' && this.world) {
            const now = performance.now();
            if (now - begun > SLICE) break;
            wait = this.early(now, this.world.time);
            if (wait > 0) break;
            this.step(false);
        }
        if (this.state !== 'running') return;
        if (wait > 1) {
            this.ticking = true;
            setTimeout(() => this.tick(), Math.min(wait, SLICE));
        } else this.go();
    }

    private step(alone: boolean): void {
        if (!this.world || !this.recorder) return;
        const begun = performance.now();
        if (this.world.steps < this.world.durationSteps) {
            try {
                this.recorder.step();
            } catch (e) {
                if ((e as { status?: string }).status === 'E_MEMORY') this.perp = undefined;
                this.end('failed', words(e));
                return;
            }
            this.pending = true;
        }
        const now = performance.now();
        this.seconds += (now - begun) / 1000;
        const over = this.world.steps >= this.world.durationSteps;
        if (alone || over || now - this.lastFrame >= FRAME) this.frame();
        if (over) this.end('finished', '');
    }

    private frame(): void {
        if (!this.recorder) return;
        this.frames.push(frameOf(this.recorder.frame()));
        if (this.frames.length > WAITING) {
            this.frames.shift();
            this.first++;
        }
        this.pending = false;
        this.lastFrame = performance.now();
        this.news();
    }

    private describe(list: Dataset[]): SceneJson {
        const w = this.world;
        if (!w) throw new Error('there is no scene');
        const groups: Record<string, Record<string, Dataset['data']>> = { bodies: {}, shapes: {} };
        for (const d of list) {
            const [group, name] = d.path.split('/');
            (groups[group] ??= {})[name] = d.data;
        }
        return {
            ...(groups as unknown as Pick<SceneJson, 'bodies' | 'shapes' | 'joints' | 'springs'>),
            dim: w.dim,
            h: w.h,
            title: w.title,
            gravity: w.gravity,
            units: w.units,
            parameters: w.parameters.map((p) => ({
                name: p.name,
                unit: p.unit,
                about: p.about,
                value: p.value,
                default: p.initial,
                min: Number.isFinite(p.min) ? p.min : null,
                max: Number.isFinite(p.max) ? p.max : null,
            })),
        };
    }
}

/** Rows of contacts and of bodies are lists, figures of a frame are numbers; as the program's server sends them. */
function frameOf(list: Dataset[]): FrameJson {
    const out: Record<string, unknown> = { contacts: {} };
    for (const d of list) {
        const [group, name] = d.path.split('/');
        if (d.path === 'contacts/feature' || d.path === 'contacts/first' || d.path === 'contacts/count') continue;
        const to = group === 'frames' ? out : ((out[group] ??= {}) as Record<string, unknown>);
        to[name] = d.shape.length === 1 && group !== 'contacts' ? Number(d.data[0]) : d.data;
    }
    return out as unknown as FrameJson;
}

const simulation = new Simulation();

function answer(r: Request): Promise<unknown> | unknown {
    switch (r.op) {
        case 'load':
            return simulation.loadPerp(r);
        case 'open':
            return simulation.open(r.opening);
        case 'check':
            return simulation.check(r.opening);
        case 'scene':
            return simulation.scene();
        case 'frames':
            return simulation.take(r.from, r.run);
        case 'send':
            return simulation.command(r.command);
        case 'figures':
            return simulation.figures();
        case 'history':
            return simulation.history();
    }
}

self.onmessage = async (e: MessageEvent<Request & { id: number }>) => {
    const { id } = e.data;
    try {
        self.postMessage({ id, value: await answer(e.data) });
    } catch (error) {
        self.postMessage({ id, error: words(error) });
    }
};
