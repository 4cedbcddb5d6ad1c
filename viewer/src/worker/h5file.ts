/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// An HDF5 file on top of bytes that come in pieces, with the few ways of reading that the viewer needs.
import { Dataset, File, ready, type H5Module } from './h5wasm.ts';
import { Refusal } from '../data/check.ts';
import type { Bytes } from './bytes.ts';

type Numbers = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array | BigUint64Array;
type Slice = [] | [number, number] | [number, number, number];

/** The parts of Emscripten's file system that stand in for a file; its own types leave them out. */
interface LazyNode {
    usedBytes: number;
    stream_ops: {
        llseek(stream: unknown, offset: number, whence: number): number;
        read(stream: unknown, buffer: Int8Array, offset: number, length: number, position: number): number;
    };
}
interface LazyFS {
    createDataFile(folder: string, name: string, data: Uint8Array, read: boolean, write: boolean, own: boolean): void;
    lookupPath(path: string, options: object): { node: LazyNode };
    unlink(path: string): void;
}

function fileSystem(module: H5Module): LazyFS {
    return (module as unknown as { FS: LazyFS }).FS;
}

/** Puts `bytes` behind the name `path`: HDF5's reads of that file become reads of `bytes`. */
function mount(module: H5Module, path: string, bytes: Bytes, onError: (e: unknown) => void): void {
    const fs = fileSystem(module);
    fs.createDataFile('/', path, new Uint8Array(0), true, false, true);
    const node = fs.lookupPath('/' + path, {}).node;
    Object.defineProperty(node, 'usedBytes', { get: () => bytes.size, set: () => undefined });
    const seek = node.stream_ops.llseek;
    node.stream_ops = {
        llseek: seek,
        read(_stream, buffer, offset, length, position) {
            try {
                return bytes.read(new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length), position);
            } catch (e) {
                // through HDF5 an exception would leave its state broken: say "nothing there", report the reason apart
                onError(e);
                return 0;
            }
        },
    };
}

/** The recording's name in that file system; there is one at a time. */
const NAME = 'recording.h5';
const SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];

function checkSignature(bytes: Bytes): void {
    if (bytes.size === 0) throw new Refusal('The file is empty.');
    const head = new Uint8Array(8);
    bytes.read(head, 0);
    if (SIGNATURE.some((byte, i) => byte !== head[i]))
        throw new Refusal('This is not a recording: it is not an HDF5 file, or its beginning is damaged.');
}

/** h5wasm throws for some files that HDF5 does not open, and gives a file without a valid number for others. */
function openOrNone(): File | undefined {
    try {
        const file = new File('/' + NAME, 'r');
        return file.file_id >= 0n ? file : undefined;
    } catch {
        return undefined;
    }
}

export class H5File {
    private readonly known = new Map<string, Dataset | null>();
    private failure: unknown;

    private constructor(
        private readonly module: H5Module,
        private readonly file: File,
    ) {}

    static async open(bytes: Bytes): Promise<H5File> {
        checkSignature(bytes);
        const module = await ready;
        let failure: unknown;
        let self: H5File | undefined;
        mount(module, NAME, bytes, (e) => {
            failure = e;
            if (self) self.failure = e;
        });
        const file = openOrNone();
        if (!file) {
            if (failure instanceof Refusal) throw failure;
            throw new Refusal('The recording is cut off or damaged: HDF5 cannot open it.');
        }
        self = new H5File(module, file);
        return self;
    }

    close(): void {
        this.file.close();
        fileSystem(this.module).unlink('/' + NAME);
    }

    attribute(name: string): string | number | number[] | undefined {
        const value = this.file.attrs[name]?.value;
        if (typeof value === 'string') return cutZeros(value);
        if (typeof value === 'bigint') return Number(value);
        if (typeof value === 'number') return value;
        if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array, Number);
        return undefined;
    }

    has(path: string): boolean {
        return this.find(path) !== null;
    }

    shape(path: string): number[] {
        return this.find(path)?.shape ?? [];
    }

    /** Rows of a chunk; all rows if the dataset is in one piece. */
    chunkRows(path: string): number {
        const d = this.find(path);
        return d?.metadata.chunks?.[0] ?? d?.shape?.[0] ?? 1;
    }

    read(path: string, ranges: Slice[] = []): Numbers {
        const d = this.find(path);
        if (!d) throw new Refusal(`The recording has no dataset ${path}.`);
        this.failure = undefined;
        let value: unknown;
        try {
            value = d.shape?.some((n) => n === 0) ? new Float64Array(0) : ranges.length ? d.slice(ranges) : d.value;
        } catch {
            value = undefined;
        }
        if (this.failure) throw this.failure;
        if (!ArrayBuffer.isView(value))
            throw new Refusal(`The dataset ${path} cannot be read: the recording is damaged.`);
        return value as Numbers;
    }

    texts(path: string): string[] {
        const d = this.find(path);
        if (!d || d.shape?.[0] === 0) return [];
        const value = d.value;
        if (!Array.isArray(value)) throw new Refusal(`The dataset ${path} does not hold texts.`);
        return value.map((v) => cutZeros(String(v)));
    }

    doubles(path: string, ranges: Slice[] = []): Float64Array {
        return as(Float64Array, this.read(path, ranges));
    }
    integers(path: string, ranges: Slice[] = []): Int32Array {
        return as(Int32Array, this.read(path, ranges));
    }
    octets(path: string, ranges: Slice[] = []): Uint8Array {
        return as(Uint8Array, this.read(path, ranges));
    }

    private find(path: string): Dataset | null {
        let d = this.known.get(path);
        if (d === undefined) {
            d = this.lookUp(path);
            this.known.set(path, d);
        }
        return d;
    }

    /** Group by group: asking HDF5 for a path whose group is missing makes it print an error. */
    private lookUp(path: string): Dataset | null {
        const [group, name] = path.split('/');
        if (!this.file.keys().includes(group)) return null;
        const g = this.file.get(group);
        if (!g || !('keys' in g) || !g.keys().includes(name)) return null;
        const d = this.file.get(path);
        return d instanceof Dataset ? d : null;
    }
}

function cutZeros(text: string): string {
    const end = text.indexOf('\0');
    return end < 0 ? text : text.slice(0, end);
}

interface NumberArray<T> {
    new (n: number): T;
    from(values: Iterable<number>): T;
}

function as<T>(type: NumberArray<T>, value: Numbers): T {
    if (value instanceof (type as unknown as new () => T)) return value;
    return type.from(Array.from(value as Float64Array, Number));
}
