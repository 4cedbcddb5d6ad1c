/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The layout of docs/recording.md: from datasets to the types of the viewer.
import { checkModel, checkVersion, Refusal } from '../data/check.ts';
import type { Dim, Model } from '../data/model.ts';
import type { ContactBlock, Header, PoseBlock, TwistBlock } from '../data/protocol.ts';
import type { H5File } from './h5file.ts';

function text(f: H5File, name: string): string {
    const value = f.attribute(name);
    return typeof value === 'string' ? value : '';
}

function number(f: H5File, name: string): number {
    const value = f.attribute(name);
    return typeof value === 'number' ? value : NaN;
}

function doublesOrNone(f: H5File, path: string): Float64Array {
    return f.has(path) ? f.doubles(path) : new Float64Array(0);
}
function integersOrNone(f: H5File, path: string): Int32Array {
    return f.has(path) ? f.integers(path) : new Int32Array(0);
}
function octetsOrNone(f: H5File, path: string): Uint8Array {
    return f.has(path) ? f.octets(path) : new Uint8Array(0);
}

function readModel(f: H5File): Model {
    const g = f.attribute('gravity');
    const gravity = Array.isArray(g) && g.length === 3 ? g : [0, 0, 0];
    const ns = f.shape('shapes/body')[0] ?? 0;
    const offsets = (path: string): Int32Array => (f.has(path) ? f.integers(path) : new Int32Array(ns + 1));
    const model: Model = {
        title: text(f, 'title'),
        dim: number(f, 'dim') as Dim,
        h: number(f, 'h'),
        gravity: [gravity[0], gravity[1], gravity[2]],
        units: { length: text(f, 'length'), mass: text(f, 'mass'), time: text(f, 'time') },
        bodies: {
            name: f.texts('bodies/name'),
            label: f.texts('bodies/label'),
            kind: octetsOrNone(f, 'bodies/kind'),
            mass: doublesOrNone(f, 'bodies/mass'),
            inertia: doublesOrNone(f, 'bodies/inertia'),
            support: doublesOrNone(f, 'bodies/support'),
        },
        shapes: {
            body: integersOrNone(f, 'shapes/body'),
            kind: octetsOrNone(f, 'shapes/kind'),
            pose: doublesOrNone(f, 'shapes/pose'),
            radius: doublesOrNone(f, 'shapes/radius'),
            half_size: doublesOrNone(f, 'shapes/half_size'),
            normal: doublesOrNone(f, 'shapes/normal'),
            offset: doublesOrNone(f, 'shapes/offset'),
            material: integersOrNone(f, 'shapes/material'),
            first_vertex: offsets('shapes/first_vertex'),
            first_face: offsets('shapes/first_face'),
            vertex: doublesOrNone(f, 'shapes/vertex'),
            face_start: integersOrNone(f, 'shapes/face_start'),
            face_vertex: integersOrNone(f, 'shapes/face_vertex'),
            exponent: doublesOrNone(f, 'shapes/exponent'),
            colour: integersOrNone(f, 'shapes/colour'),
            surface_velocity: doublesOrNone(f, 'shapes/surface_velocity'),
        },
        joints: {
            name: f.texts('joints/name'),
            kind: octetsOrNone(f, 'joints/kind'),
            a: integersOrNone(f, 'joints/a'),
            b: integersOrNone(f, 'joints/b'),
            pose_a: doublesOrNone(f, 'joints/pose_a'),
            pose_b: doublesOrNone(f, 'joints/pose_b'),
        },
        springs: {
            a: integersOrNone(f, 'springs/a'),
            b: integersOrNone(f, 'springs/b'),
            point_a: doublesOrNone(f, 'springs/point_a'),
            point_b: doublesOrNone(f, 'springs/point_b'),
        },
    };
    checkModel(model);
    return model;
}

/** Datasets of frames must have as many rows as the file says; those of a run that was killed may have more. */
function expectRows(f: H5File, path: string, rows: number, columns: number[]): void {
    const shape = f.shape(path);
    if (shape.length !== columns.length + 1 || shape[0] < rows || columns.some((n, i) => shape[i + 1] !== n))
        throw new Refusal(`The dataset ${path} is ${shape.join(' x ')}, not ${[rows, ...columns].join(' x ')}.`);
}

export function readHeader(f: H5File): Header {
    if (f.attribute('format') !== 'perp recording')
        throw new Refusal('This is an HDF5 file, but not a recording of perp: it has another format.');
    const program = text(f, 'program');
    checkVersion(number(f, 'version'), program);
    const model = readModel(f);
    const frames = number(f, 'frames');
    if (!(frames > 0)) throw new Refusal('The recording holds no frames yet.');
    expectRows(f, 'frames/time', frames, []);
    const nb = model.bodies.name.length;
    const poses = f.has('frames/position') && f.has('frames/orientation');
    if (!poses) throw new Refusal('The recording holds no poses, so there is nothing to draw (record: poses).');
    expectRows(f, 'frames/position', frames, [nb, 3]);
    expectRows(f, 'frames/orientation', frames, [nb, 4]);
    const twists = f.has('frames/velocity') && f.has('frames/spin');
    const contacts = f.has('contacts/first') && f.has('contacts/count') && f.has('contacts/body');
    return {
        model,
        program,
        finished: number(f, 'finished') === 1,
        duration: number(f, 'duration'),
        frames,
        every: number(f, 'every'),
        time: f.doubles('frames/time', [[0, frames]]),
        step: f.doubles('frames/step', [[0, frames]]),
        has: {
            poses,
            twists,
            contacts,
            certificate: f.has('certificate/law'),
            ledger: f.has('ledger/gravity'),
            solver: f.has('solver/iterations'),
        },
        poseRows: f.chunkRows('frames/position'),
        contactMean: contacts ? (f.shape('contacts/body')[0] ?? 0) / frames : 0,
    };
}

export function readPoses(f: H5File, from: number, to: number): PoseBlock {
    return {
        position: f.doubles('frames/position', [[from, to], [], []]),
        orientation: f.doubles('frames/orientation', [[from, to], [], []]),
    };
}

export function readTwists(f: H5File, from: number, to: number): TwistBlock {
    return {
        velocity: f.doubles('frames/velocity', [[from, to], [], []]),
        spin: f.doubles('frames/spin', [[from, to], [], []]),
    };
}

export function readContacts(f: H5File, from: number, to: number): ContactBlock {
    const first = f.doubles('contacts/first', [[from, to]]);
    const count = f.doubles('contacts/count', [[from, to]]);
    const start = new Float64Array(to - from + 1);
    for (let i = 0; i < to - from; i++) start[i + 1] = start[i] + count[i];
    const n = start[to - from];
    // rows of consecutive frames follow one another, so that one piece holds them all
    const rows: [number, number] = n > 0 ? [first[count.findIndex((c) => c > 0)], 0] : [0, 0];
    rows[1] = rows[0] + n;
    const doubles = (name: string, columns: number): Float64Array =>
        n > 0 ? f.doubles('contacts/' + name, columns > 1 ? [rows, []] : [rows]) : new Float64Array(0);
    const block: ContactBlock = {
        start,
        body: n > 0 ? f.integers('contacts/body', [rows, []]) : new Int32Array(0),
        point_a: doubles('point_a', 3),
        point_b: doubles('point_b', 3),
        normal: doubles('normal', 3),
        tangent: doubles('tangent', 3),
        gap: doubles('gap', 1),
        mu: doubles('mu', 1),
        impulse: doubles('impulse', 3),
        state: n > 0 ? f.octets('contacts/state', [rows]) : new Uint8Array(0),
    };
    return block;
}

/** A number for each frame; sums over the contacts of a frame have names of their own. */
export function readColumn(f: H5File, path: string, frames: number): Float64Array | null {
    if (path === 'contacts.impulse' || path === 'contacts.friction') return sumImpulses(f, path, frames);
    return f.has(path) ? f.doubles(path, [[0, frames]]) : null;
}

const IMPULSE_ROWS = 1 << 16;

function sumImpulses(f: H5File, path: string, frames: number): Float64Array | null {
    if (!f.has('contacts/impulse') || !f.has('contacts/count')) return null;
    const count = f.doubles('contacts/count', [[0, frames]]);
    const sum = new Float64Array(frames);
    const rows = f.shape('contacts/impulse')[0] ?? 0;
    let frame = 0;
    let left = count[0];
    for (let from = 0; from < rows; from += IMPULSE_ROWS) {
        const p = f.doubles('contacts/impulse', [[from, Math.min(rows, from + IMPULSE_ROWS)], []]);
        for (let i = 0; i < p.length; i += 3) {
            while (frame < frames && left === 0) left = count[++frame] ?? 0;
            if (frame >= frames) return sum;
            sum[frame] += path === 'contacts.impulse' ? p[i] : Math.hypot(p[i + 1], p[i + 2]);
            left--;
        }
    }
    return sum;
}
