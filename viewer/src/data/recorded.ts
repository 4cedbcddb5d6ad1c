/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// A run out of a recording.
import { BlockCache } from './blocks.ts';
import { Client } from './client.ts';
import type { Contacts, Model, Pose, Twist } from './model.ts';
import type { ContactBlock, Header, Place, PoseBlock, TwistBlock } from './protocol.ts';
import { contactsOf } from './recorded_contacts.ts';
import type { Paths, Run, Track } from './run.ts';

const MB = 1 << 20;
/** A block takes a few milliseconds to unpack: long enough to be worth a message, short enough not to be waited for
 *  while the slider jumps from place to place. */
const BLOCK_BYTES = MB / 8;
const MOST_ROWS = 4096;
/** Samples of a body's series, and numbers of all paths together, that are read at most. */
const TRACK_SAMPLES = 2000;
const PATH_NUMBERS = 300000;
const PIECE_BYTES = 8 * MB;

/** Whole chunks of the file, as many as fit into a block. */
function blockRows(chunkRows: number, frameBytes: number): number {
    const fit = Math.floor(BLOCK_BYTES / Math.max(1, frameBytes * chunkRows));
    return Math.min(MOST_ROWS, chunkRows * Math.max(1, fit));
}

function sizeOf(block: object): number {
    return Object.values(block).reduce((sum: number, v) => sum + (ArrayBuffer.isView(v) ? v.byteLength : 0), 0);
}

export class RecordedRun implements Run {
    readonly live = false;
    readonly generation = 0;
    readonly model: Model;
    readonly frames: number;
    readonly time: Float64Array;
    readonly step: Float64Array;
    readonly about: string;
    readonly has: { twists: boolean; contacts: boolean };
    onArrived: () => void = () => undefined;
    onFailed: (e: Error) => void = () => undefined;

    private readonly poseBlocks: BlockCache<PoseBlock>;
    private readonly twistBlocks: BlockCache<TwistBlock>;
    private readonly contactBlocks: BlockCache<ContactBlock>;
    private readonly columns = new Map<string, Promise<Float64Array | null>>();
    private readonly tracks = new Map<number, Promise<Track>>();
    private allPaths: Promise<Paths> | undefined;

    private constructor(
        readonly name: string,
        private readonly client: Client,
        private readonly header: Header,
    ) {
        this.model = header.model;
        this.frames = header.frames;
        this.time = header.time;
        this.step = header.step;
        this.has = header.has;
        this.about = `${header.program}, ${header.frames} frames${header.finished ? '' : ', not finished'}`;
        const bodies = this.model.bodies.name.length;
        const common = { frames: header.frames, bytes: sizeOf };
        const arrived = (): void => this.onArrived();
        const failed = (e: Error): void => this.onFailed(e);
        this.poseBlocks = new BlockCache<PoseBlock>(
            {
                ...common,
                rows: blockRows(header.poseRows, 56 * bodies),
                budget: 256 * MB,
                fetch: (from, to) => client.call('poses', { from, to }),
            },
            arrived,
            failed,
        );
        this.twistBlocks = new BlockCache<TwistBlock>(
            {
                ...common,
                rows: blockRows(header.poseRows, 48 * bodies),
                budget: 128 * MB,
                fetch: (from, to) => client.call('twists', { from, to }),
            },
            arrived,
            failed,
        );
        this.contactBlocks = new BlockCache<ContactBlock>(
            {
                ...common,
                rows: blockRows(1, 170 * header.contactMean + 16),
                budget: 128 * MB,
                fetch: (from, to) => client.call('contacts', { from, to }),
            },
            arrived,
            failed,
        );
    }

    static async open(name: string, place: Place): Promise<RecordedRun> {
        const client = Client.start();
        try {
            const header = await client.call('open', { place }, 'data' in place ? [place.data] : []);
            return new RecordedRun(name, client, header);
        } catch (e) {
            // what HDF5 could not open may have left it in disorder
            client.end();
            throw e;
        }
    }

    pose(frame: number, playing: boolean): Pose | undefined {
        const block = this.poseBlocks.get(frame, playing ? 16 : 1);
        if (!block) return undefined;
        const k = frame % this.poseBlocks.rows;
        const n = this.model.bodies.name.length;
        return {
            position: block.position.subarray(3 * n * k, 3 * n * (k + 1)),
            orientation: block.orientation.subarray(4 * n * k, 4 * n * (k + 1)),
        };
    }

    nearest(frame: number): number {
        return this.poseBlocks.nearest(frame);
    }

    twist(frame: number, playing: boolean): Twist | undefined {
        if (!this.has.twists) return undefined;
        const block = this.twistBlocks.get(frame, playing ? 12 : 0);
        if (!block) return undefined;
        const k = frame % this.twistBlocks.rows;
        const n = 3 * this.model.bodies.name.length;
        return {
            velocity: block.velocity.subarray(n * k, n * (k + 1)),
            spin: block.spin.subarray(n * k, n * (k + 1)),
        };
    }

    contacts(frame: number, playing: boolean): Contacts | undefined {
        if (!this.has.contacts) return undefined;
        const block = this.contactBlocks.get(frame, playing ? 12 : 0);
        return block && contactsOf(block, frame % this.contactBlocks.rows);
    }

    column(path: string): Promise<Float64Array | null> {
        let column = this.columns.get(path);
        if (!column) {
            column = this.client.call('column', { path });
            this.columns.set(path, column);
        }
        return column;
    }

    track(body: number): Promise<Track> {
        let track = this.tracks.get(body);
        if (!track) {
            track = this.readTrack(body);
            this.tracks.set(body, track);
        }
        return track;
    }

    paths(): Promise<Paths> {
        this.allPaths ??= this.readPaths();
        return this.allPaths;
    }

    /** Positions at a few moments of the run, for the size of the scene. */
    async someFrames(): Promise<Float64Array[]> {
        const stride = Math.max(1, Math.ceil((this.frames - 1) / 4));
        const all = await this.client.call('paths', { from: 0, to: this.frames, stride });
        const n = 3 * this.model.bodies.name.length;
        return n === 0 ? [] : Array.from({ length: all.length / n }, (_, i) => all.subarray(n * i, n * (i + 1)));
    }

    close(): void {
        this.client.close();
    }

    private async readTrack(body: number): Promise<Track> {
        const bodies = this.model.bodies.name.length;
        // a chunk is unpacked whole for one of its rows, so many bodies make samples dear
        const affordable = Math.max(200, Math.floor((64 * MB) / (48 * bodies * this.header.poseRows)));
        const stride = Math.max(1, Math.ceil(this.frames / Math.min(TRACK_SAMPLES, affordable)));
        const n = Math.ceil(this.frames / stride);
        const piece = stride * Math.max(1, Math.floor(PIECE_BYTES / (24 * bodies * Math.max(stride, 1))));
        const frame = Float64Array.from({ length: n }, (_, i) => i * stride);
        const position = new Float64Array(3 * n);
        const velocity = new Float64Array(this.has.twists ? 3 * n : 0);
        for (let from = 0; from < this.frames; from += piece) {
            const to = Math.min(this.frames, from + piece);
            const ask = { body, from, to, stride };
            position.set(await this.client.call('track', { path: 'frames/position', ...ask }), (3 * from) / stride);
            if (this.has.twists)
                velocity.set(await this.client.call('track', { path: 'frames/velocity', ...ask }), (3 * from) / stride);
        }
        return { frame, position, velocity };
    }

    private async readPaths(): Promise<Paths> {
        const bodies = this.model.bodies.name.length;
        const samples = Math.max(2, Math.min(TRACK_SAMPLES, Math.floor(PATH_NUMBERS / (3 * bodies))));
        const stride = Math.max(1, Math.ceil(this.frames / samples));
        const position = await this.client.call('paths', { from: 0, to: this.frames, stride });
        return { n: position.length / (3 * bodies), position };
    }
}
