/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// A run that is still going on: its frames come as JSON, in pieces, as the server has them.
import { addressOf } from './address.ts';
import { checkModel, Refusal } from './check.ts';
import type { Contacts, Dim, Model, Pose, Twist } from './model.ts';
import type { Paths, Run, Track } from './run.ts';
import type { LiveOffer } from './source.ts';

export type LiveState = 'running' | 'paused' | 'finished' | 'failed';
export type LiveCommand = 'pause' | 'resume' | 'step' | 'reset' | 'drop' | `drag ${string}` | `set ${string}`;

/** A parameter of the scene, and the value that the run has. */
export interface Parameter {
    name: string;
    unit: string;
    about: string;
    value: number;
    default: number;
    /** null: no limit */
    min: number | null;
    max: number | null;
}

type Numbers = ArrayLike<number>;

export interface SceneJson {
    dim: number;
    h: number;
    title?: string;
    gravity?: Numbers;
    units?: { length?: string; mass?: string; time?: string };
    bodies: Record<string, Numbers | string[] | undefined>;
    shapes: Record<string, Numbers | undefined>;
    joints?: Record<string, Numbers | string[] | undefined>;
    parameters?: Parameter[];
    springs?: Record<string, Numbers | undefined>;
}

export interface FrameJson {
    step: number;
    time: number;
    position: Numbers;
    orientation: Numbers;
    velocity?: Numbers;
    spin?: Numbers;
    contacts?: Record<string, Numbers | undefined>;
    certificate?: Record<string, number | undefined>;
    ledger?: Record<string, number | undefined>;
    energy?: Record<string, number | undefined>;
    solver?: Record<string, number | undefined>;
}

export interface FramesJson {
    first: number;
    frames: FrameJson[];
    state: LiveState;
    message?: string;
    run?: number;
}

/** Lists may come flat, as rows, or as arrays of numbers from a worker: all are read. */
function numbers(x: unknown): ArrayLike<number> {
    if (ArrayBuffer.isView(x)) return x as unknown as ArrayLike<number>;
    return Array.isArray(x) ? (x.flat(2) as number[]) : [];
}
function doubles(x: unknown): Float64Array {
    return x instanceof Float64Array ? x : Float64Array.from(numbers(x));
}
function integers(x: unknown): Int32Array {
    return x instanceof Int32Array ? x : Int32Array.from(numbers(x));
}
function octets(x: unknown): Uint8Array {
    return x instanceof Uint8Array ? x : Uint8Array.from(numbers(x));
}
function texts(x: unknown): string[] {
    return Array.isArray(x) ? x.map(String) : [];
}

export function modelOfJson(s: SceneJson): Model {
    const g = s.gravity ?? [0, 0, 0];
    const { bodies: b, shapes: p, joints: j = {}, springs: k = {} } = s;
    const n = integers(p.body).length;
    const offsets = (x: unknown): Int32Array => (numbers(x).length > 0 ? integers(x) : new Int32Array(n + 1));
    const model: Model = {
        title: s.title ?? '',
        dim: s.dim as Dim,
        h: s.h,
        gravity: [g[0] ?? 0, g[1] ?? 0, g[2] ?? 0],
        units: { length: s.units?.length ?? '', mass: s.units?.mass ?? '', time: s.units?.time ?? '' },
        bodies: {
            name: texts(b.name),
            label: texts(b.label),
            kind: octets(b.kind),
            mass: doubles(b.mass),
            inertia: doubles(b.inertia),
            support: doubles(b.support),
        },
        shapes: {
            body: integers(p.body),
            kind: octets(p.kind),
            pose: doubles(p.pose),
            radius: doubles(p.radius),
            half_size: doubles(p.half_size),
            normal: doubles(p.normal),
            offset: doubles(p.offset),
            material: integers(p.material),
            first_vertex: offsets(p.first_vertex),
            first_face: offsets(p.first_face),
            vertex: doubles(p.vertex),
            face_start: integers(p.face_start),
            face_vertex: integers(p.face_vertex),
            exponent: doubles(p.exponent),
            colour: integers(p.colour),
            surface_velocity: doubles(p.surface_velocity),
        },
        joints: {
            name: texts(j.name),
            kind: octets(j.kind),
            a: integers(j.a),
            b: integers(j.b),
            pose_a: doubles(j.pose_a),
            pose_b: doubles(j.pose_b),
        },
        springs: { a: integers(k.a), b: integers(k.b), point_a: doubles(k.point_a), point_b: doubles(k.point_b) },
    };
    checkModel(model);
    return model;
}

interface Frame {
    pose: Pose;
    twist: Twist | undefined;
    contacts: Contacts | undefined;
    figures: Map<string, number>;
}

function contactsOfJson(c: Record<string, Numbers | undefined>): Contacts {
    const gap = doubles(c.gap);
    return {
        n: gap.length,
        body: integers(c.body),
        point_a: doubles(c.point_a),
        point_b: doubles(c.point_b),
        normal: doubles(c.normal),
        tangent: doubles(c.tangent),
        gap,
        mu: doubles(c.mu),
        impulse: doubles(c.impulse),
        state: octets(c.state),
    };
}

function frameOfJson(f: FrameJson, bodies: number): Frame {
    const pose = { position: doubles(f.position), orientation: doubles(f.orientation) };
    if (pose.position.length !== 3 * bodies || pose.orientation.length !== 4 * bodies)
        throw new Refusal(`Frame of step ${f.step} has poses of ${pose.position.length / 3} bodies, not ${bodies}.`);
    const contacts = f.contacts ? contactsOfJson(f.contacts) : undefined;
    const figures = new Map<string, number>();
    for (const group of ['certificate', 'ledger', 'energy', 'solver'] as const)
        for (const [name, value] of Object.entries(f[group] ?? {}))
            if (typeof value === 'number') figures.set(`${group}/${name}`, value);
    if (contacts) {
        let [normal, friction] = [0, 0];
        for (let i = 0; i < contacts.n; i++) {
            normal += contacts.impulse[3 * i];
            friction += Math.hypot(contacts.impulse[3 * i + 1], contacts.impulse[3 * i + 2]);
        }
        figures.set('contacts.impulse', normal);
        figures.set('contacts.friction', friction);
    }
    const twist = f.velocity && f.spin ? { velocity: doubles(f.velocity), spin: doubles(f.spin) } : undefined;
    return { pose, twist, contacts, figures };
}

/** Whoever computes a run: the program behind the page, or a worker of the page itself. */
export interface LiveLink {
    scene(): Promise<SceneJson>;
    /** Frames from number `from` of run `run` on, as soon as there is news. */
    frames(from: number, run: number | undefined): Promise<FramesJson>;
    /** Why the command was not taken; empty: it was. */
    send(command: LiveCommand): Promise<string>;
}

/** The program that serves the page. */
export class ServerLink implements LiveLink {
    constructor(private readonly offer: LiveOffer) {}

    async scene(): Promise<SceneJson> {
        const answer = await fetch(addressOf(this.offer.scene));
        if (!answer.ok) throw new Refusal(`The server has no scene of the run: status ${answer.status}.`);
        return (await answer.json()) as SceneJson;
    }

    async frames(from: number, run: number | undefined): Promise<FramesJson> {
        const which = run === undefined ? '' : `&run=${run}`;
        const answer = await fetch(addressOf(`live/frames?from=${from}${which}`));
        if (!answer.ok) throw new Error(String(answer.status));
        return (await answer.json()) as FramesJson;
    }

    async send(command: LiveCommand): Promise<string> {
        const answer = await fetch(addressOf('live/command'), {
            method: 'POST',
            headers: { 'X-Perp-Live': this.offer.token },
            body: command,
        });
        return answer.ok ? '' : `status ${answer.status}`;
    }
}

/** Memory that frames may take [bytes]. A run that goes on for hours then keeps every other frame of what lies behind. */
const KEPT = 300e6;

function sizeOf(f: Frame): number {
    const arrays = [f.pose, f.twist ?? {}, f.contacts ?? {}].flatMap((part) => Object.values(part) as unknown[]);
    const bytes = arrays.reduce<number>((sum, a) => sum + (ArrayBuffer.isView(a) ? a.byteLength + 100 : 0), 0);
    return bytes + 100 * f.figures.size;
}

/** Wait before asking again when the server did not answer [ms]. */
const RETRY = 1000;

export class LiveRun implements Run {
    readonly live = true;
    readonly name = 'live';
    readonly has = { twists: true, contacts: true };
    time: number[] = [];
    step: number[] = [];
    generation = 0;
    state: LiveState = 'running';
    message = '';
    onArrived: () => void = () => undefined;
    onFailed: (e: Error) => void = () => undefined;
    /** frames were added, or the run began anew, or its state changed */
    onGrown: () => void = () => undefined;
    /** another run has begun, perhaps of a scene with other bodies: this one is over, and has to be opened anew */
    onBegan: () => void = () => undefined;
    private list: Frame[] = [];
    /** numbers of the frames in the list, as the server counts, and of the one to come */
    private number: number[] = [];
    private next = 0;
    private bytes = 0;
    private closed = false;
    private runNumber: number | undefined;

    private constructor(
        readonly model: Model,
        /** that can be set; a run that began with them begins again */
        readonly parameters: readonly Parameter[],
        private readonly link: LiveLink,
        private readonly kept: number,
    ) {}

    /** kept: bytes that its frames may take */
    static async open(link: LiveLink, kept = KEPT): Promise<LiveRun> {
        const scene = await link.scene();
        return new LiveRun(modelOfJson(scene), scene.parameters ?? [], link, kept);
    }

    /** Follows the run; done when its first frame is there. Afterwards `onGrown` only passes on that frames arrived. */
    async begin(): Promise<void> {
        const began = new Promise<void>((resolve) => {
            this.onGrown = () => {
                if (this.frames > 0) resolve();
                this.onArrived();
            };
        });
        void this.follow();
        await began;
    }

    get about(): string {
        return `${this.state}${this.message ? ': ' + this.message : ''}`;
    }

    get frames(): number {
        return this.list.length;
    }

    pose(frame: number): Pose | undefined {
        return this.list[frame]?.pose;
    }
    nearest(frame: number): number {
        return Math.min(frame, this.list.length - 1);
    }
    twist(frame: number): Twist | undefined {
        return this.list[frame]?.twist;
    }
    contacts(frame: number): Contacts | undefined {
        return this.list[frame]?.contacts;
    }

    column(path: string): Promise<Float64Array | null> {
        if (!this.list.some((f) => f.figures.has(path))) return Promise.resolve(null);
        return Promise.resolve(Float64Array.from(this.list, (f) => f.figures.get(path) ?? 0));
    }

    track(body: number): Promise<Track> {
        const n = this.list.length;
        const position = new Float64Array(3 * n);
        const velocity = new Float64Array(3 * n);
        this.list.forEach((f, i) => {
            position.set(f.pose.position.subarray(3 * body, 3 * body + 3), 3 * i);
            if (f.twist) velocity.set(f.twist.velocity.subarray(3 * body, 3 * body + 3), 3 * i);
        });
        return Promise.resolve({ frame: Float64Array.from({ length: n }, (_, i) => i), position, velocity });
    }

    paths(): Promise<Paths> {
        const size = 3 * this.model.bodies.name.length;
        const position = new Float64Array(size * this.list.length);
        this.list.forEach((f, i) => position.set(f.pose.position, size * i));
        return Promise.resolve({ n: this.list.length, position });
    }

    async send(command: LiveCommand): Promise<void> {
        const why = await this.link.send(command);
        if (why) this.onFailed(new Refusal(`The run did not take the command ${command.split(' ')[0]}: ${why}.`));
    }

    /** Asks for frames until the page is left or the run is closed. */
    async follow(): Promise<void> {
        while (!this.closed) {
            try {
                const answer = await this.link.frames(this.next, this.runNumber);
                if (!this.closed) this.take(answer);
            } catch (e) {
                if (this.closed) return;
                if (e instanceof Refusal) {
                    this.onFailed(e);
                    return;
                }
                if (this.state === 'finished' || this.state === 'failed') return;
                this.state = 'failed';
                this.message = 'the program does not answer any more';
                this.onGrown();
                await new Promise((r) => setTimeout(r, RETRY));
            }
        }
    }

    close(): void {
        this.closed = true;
    }

    private take(answer: FramesJson): void {
        const began = this.runNumber !== undefined && answer.run !== undefined && answer.run !== this.runNumber;
        if (began) {
            this.closed = true;
            this.onBegan();
            return;
        }
        if (answer.run !== undefined) this.runNumber = answer.run;
        const changed = this.state !== answer.state || this.message !== (answer.message ?? '');
        this.state = answer.state;
        this.message = answer.message ?? '';
        // The server keeps the last frames only. What begins later than we have come replaces all; what begins earlier
        // replaces what was there from this frame on.
        const at = this.number.findIndex((n) => n >= answer.first);
        const anew = answer.first > this.next || at === 0;
        if (anew || at > 0) this.cut(anew ? 0 : at);
        if (anew) this.generation++;
        answer.frames.forEach((json, i) => {
            const f = frameOfJson(json, this.model.bodies.name.length);
            this.list.push(f);
            this.time.push(json.time);
            this.step.push(json.step);
            this.number.push(answer.first + i);
            this.bytes += sizeOf(f);
        });
        this.next = answer.first + answer.frames.length;
        if (this.bytes > this.kept) this.thin();
        if (answer.frames.length > 0 || changed) this.onGrown();
    }
    private cut(length: number): void {
        for (const f of this.list.slice(length)) this.bytes -= sizeOf(f);
        this.list.length = this.time.length = this.step.length = this.number.length = length;
    }

    /** Forgets every other frame, but not the first and the last ones. The arrays are new: whoever has the old ones still finds the frame that it shows. */
    private thin(): void {
        const last = this.list.length - 1;
        const stays = <T>(list: T[]): T[] => list.filter((_, i) => i % 2 === 0 || i === last);
        this.list = stays(this.list);
        this.time = stays(this.time);
        this.step = stays(this.step);
        this.number = stays(this.number);
        this.bytes = this.list.reduce((sum, f) => sum + sizeOf(f), 0);
        this.generation++;
    }
}
