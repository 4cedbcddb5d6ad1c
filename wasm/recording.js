// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// recording.js - a run as the file that `perp run` writes: HDF5 with perp's seal. Loaded by world.recording() of perp.js.
//
// The file has the structures of HDF5 1.8: superblock and object headers of version 2, groups whose links are in their headers, whole datasets in
// one piece, and datasets that grow in packed chunks below a B-tree of version 1. So every reader opens it and `perp run --resume` continues it.
// Source: HDF5 File Format Specification 3.0, sections II.A (superblock), III.A (B-trees), IV.A (headers and their messages).

const UNDEFINED = 0xffffffffffffffffn; // an address that is none
const UNLIMITED = UNDEFINED; // an extent that is not bounded
const SUPERBLOCK = 48; // bytes
const CHILDREN = 64; // of a node of a B-tree, HDF5's own number where the superblock names none
const STATE_CHUNK = 4096; // bytes of a chunk of checkpoint/state
const MESSAGE = { space: 1, linkInfo: 2, type: 3, fill: 5, link: 6, layout: 8, groupInfo: 10, filters: 11, attribute: 12, attributeInfo: 21 };
const SIZES = { float64: 8, int32: 4, uint32: 4, biguint64: 8, uint8: 1 };
const TEXT_MAX = 2000; // bytes of a text that are kept
const WORD = 64; // bytes of a word of an attribute
const text = new TextEncoder();

/** Bytes that are added one after the other, numbers little-endian. */
class Bytes {
  constructor() { this.parts = []; this.length = 0; }
  raw(bytes) {
    this.parts.push(bytes);
    this.length += bytes.length;
    return this;
  }
  number(value, size) {
    const out = new Uint8Array(size);
    let v = BigInt(value);
    for (let i = 0; i < size; i++, v >>= 8n) out[i] = Number(v & 0xffn);
    return this.raw(out);
  }
  u8(...values) { return this.raw(Uint8Array.from(values)); }
  u16(v) { return this.number(v, 2); }
  u32(v) { return this.number(v, 4); }
  u64(v) { return this.number(v, 8); }
  done() {
    const out = new Uint8Array(this.length);
    let at = 0;
    for (const p of this.parts) {
      out.set(p, at);
      at += p.length;
    }
    return out;
  }
}

const bytesOf = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** Jenkins' hash lookup3, with which HDF5 checks its structures. */
export function lookup3(data) {
  const rotate = (x, k) => (x << k) | (x >>> (32 - k));
  let a = (0xdeadbeef + data.length) | 0, b = a, c = a, at = 0;
  const word = (i) => (data[i] ?? 0) | ((data[i + 1] ?? 0) << 8) | ((data[i + 2] ?? 0) << 16) | ((data[i + 3] ?? 0) << 24);
  for (; data.length - at > 12; at += 12) {
    a = (a + word(at)) | 0; b = (b + word(at + 4)) | 0; c = (c + word(at + 8)) | 0;
    a = (a - c) ^ rotate(c, 4); c = (c + b) | 0;
    b = (b - a) ^ rotate(a, 6); a = (a + c) | 0;
    c = (c - b) ^ rotate(b, 8); b = (b + a) | 0;
    a = (a - c) ^ rotate(c, 16); c = (c + b) | 0;
    b = (b - a) ^ rotate(a, 19); a = (a + c) | 0;
    c = (c - b) ^ rotate(b, 4); b = (b + a) | 0;
  }
  if (data.length > at) {
    a = (a + word(at)) | 0; b = (b + word(at + 4)) | 0; c = (c + word(at + 8)) | 0;
    c = ((c ^ b) - rotate(b, 14)) | 0;
    a = ((a ^ c) - rotate(c, 11)) | 0;
    b = ((b ^ a) - rotate(a, 25)) | 0;
    c = ((c ^ b) - rotate(b, 16)) | 0;
    a = ((a ^ c) - rotate(c, 4)) | 0;
    b = ((b ^ a) - rotate(a, 14)) | 0;
    c = ((c ^ b) - rotate(b, 24)) | 0;
  }
  return c >>> 0;
}

// ---- messages of object headers

const typeOf = (type, size = 0) => {
  const b = new Bytes();
  if (type === "text") return b.u8(0x13, 0x11, 0, 0).u32(size).done(); // padded with zeros, UTF-8
  if (type === "float64") return b.u8(0x11, 0x20, 63, 0).u32(8).u16(0).u16(64).u8(52, 11, 0, 52).u32(1023).done();
  return b.u8(0x10, type === "int32" ? 8 : 0, 0, 0).u32(SIZES[type]).u16(0).u16(8 * SIZES[type]).done();
};

/** shape undefined: one number. grows: the first extent is not bounded. */
const spaceOf = (shape, grows = false) => {
  const b = new Bytes().u8(2, shape?.length ?? 0, grows ? 1 : 0, shape ? 1 : 0);
  for (const n of shape ?? []) b.u64(n);
  if (grows) shape.forEach((n, i) => b.u64(i ? n : UNLIMITED));
  return b.done();
};

/** Bytes of a text, cut to `most` but not within a character, at least one. */
function fixed(string, most) {
  let bytes = text.encode(string), n = Math.min(bytes.length, most);
  while (n < bytes.length && n > 0 && (bytes[n] & 0xc0) === 0x80) n--;
  bytes = bytes.subarray(0, n);
  return n ? bytes : new Uint8Array(1);
}

/** An attribute: a text, a whole number (BigInt), an array of numbers, or { words }. */
function attribute(name, value) {
  let type, space, data;
  if (typeof value === "string") {
    data = fixed(value, TEXT_MAX);
    [type, space] = [typeOf("text", data.length), spaceOf()];
  } else if (typeof value === "bigint") {
    [type, space, data] = [typeOf("biguint64"), spaceOf(), new Bytes().u64(value).done()];
  } else if (Array.isArray(value)) {
    [type, space, data] = [typeOf("float64"), spaceOf(value.length === 1 ? undefined : [value.length]), bytesOf(Float64Array.from(value))];
  } else {
    [type, space, data] = [typeOf("text", WORD), spaceOf([value.words.length]), new Uint8Array(WORD * value.words.length)];
    value.words.forEach((w, i) => data.set(fixed(w, WORD - 1), WORD * i));
  }
  const b = new Bytes().u8(3, 0).u16(name.length + 1).u16(type.length).u16(space.length).u8(0);
  return [MESSAGE.attribute, b.raw(text.encode(name + "\0")).raw(type).raw(space).raw(data).done()];
}

/** An object header of these messages. */
function header(messages) {
  const body = new Bytes(), info = new Bytes().u8(0, 0).u64(UNDEFINED).u64(UNDEFINED).done(); // attributes are nowhere else
  for (const [kind, data] of [...messages, [MESSAGE.attributeInfo, info]]) body.u8(kind).u16(data.length).u8(0).raw(data);
  // up to 32 attributes stay in the header; its size is a number of 4 bytes
  const b = new Bytes().raw(text.encode("OHDR")).u8(2, 0x12).u16(32).u16(16).u32(body.length).raw(body.done()).done();
  return new Bytes().raw(b).u32(lookup3(b)).done();
}

async function deflate(bytes) {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** The bytes of numbers sorted: all first ones, then all second ones. */
function shuffle(bytes, size) {
  const out = new Uint8Array(bytes.length), n = bytes.length / size;
  for (let k = 0, at = 0; k < size; k++) for (let i = k; at < (k + 1) * n; i += size) out[at++] = bytes[i];
  return out;
}

/** An HDF5 file in memory. */
class File {
  constructor() { this.body = new Bytes(); }
  /** Adds bytes; returns where they are. */
  put(bytes) {
    const at = SUPERBLOCK + this.body.length;
    this.body.raw(bytes);
    const odd = bytes.length % 8;
    if (odd) this.body.raw(new Uint8Array(8 - odd));
    return at;
  }
  /** A dataset in one piece; returns where its header is. */
  whole({ type, size, shape, data }, attributes) {
    const at = data.length ? BigInt(this.put(data)) : UNDEFINED;
    const layout = new Bytes().u8(3, 1).u64(at).u64(data.length).done();
    return this.put(header([
      [MESSAGE.space, spaceOf(shape)], [MESSAGE.type, typeOf(type, size)], [MESSAGE.fill, Uint8Array.of(3, 0x0a)], [MESSAGE.layout, layout], ...attributes,
    ]));
  }
  /** A dataset of chunks, each { at, size } in the file; shape: with all rows. */
  grown({ type, shape, rows, level, chunks }, attributes) {
    const dims = [rows, ...shape.slice(1), SIZES[type]];
    const layout = new Bytes().u8(3, 2, dims.length).u64(this.tree(dims, chunks));
    for (const n of dims) layout.u32(n);
    const messages = [[MESSAGE.space, spaceOf(shape, true)], [MESSAGE.type, typeOf(type)], [MESSAGE.fill, Uint8Array.of(3, 0x0b)], [MESSAGE.layout, layout.done()]];
    if (level > 0) {
      const filters = new Bytes().u8(2, type === "uint8" ? 1 : 2);
      if (type !== "uint8") filters.u16(2).u16(1).u16(1).u32(SIZES[type]);
      messages.push([MESSAGE.filters, filters.u16(1).u16(1).u16(1).u32(level).done()]);
    }
    return this.put(header([...messages, ...attributes]));
  }
  /** The B-tree of chunks that follow each other along the first extent. */
  tree(dims, chunks) {
    if (!chunks.length) return UNDEFINED;
    const key = (k, size) => dims.reduce((b, _, i) => b.u64(i ? 0 : k * dims[0]), new Bytes().u32(size).u32(0)).done();
    const node = 24 + CHILDREN * 8 + (CHILDREN + 1) * (8 + 8 * dims.length);
    let level = chunks.map((c, k) => ({ first: k, size: c.size, at: c.at }));
    for (let height = 0; ; height++) {
      const nodes = [];
      const begin = SUPERBLOCK + this.body.length, stride = node + ((8 - (node % 8)) % 8);
      for (let i = 0; i < level.length; i += CHILDREN) {
        const some = level.slice(i, i + CHILDREN), last = i + CHILDREN >= level.length;
        const b = new Bytes().raw(text.encode("TREE")).u8(1, height).u16(some.length);
        b.u64(i ? begin + (i / CHILDREN - 1) * stride : UNDEFINED).u64(last ? UNDEFINED : begin + (i / CHILDREN + 1) * stride);
        for (const c of some) b.raw(key(c.first, c.size)).u64(c.at);
        b.raw(key(last ? chunks.length : level[i + CHILDREN].first, 0));
        b.raw(new Uint8Array(node - b.length));
        nodes.push({ first: some[0].first, size: some[0].size, at: this.put(b.done()) });
      }
      if (nodes.length === 1) return BigInt(nodes[0].at);
      level = nodes;
    }
  }
  /** A group of these links, pairs of a name and an address. */
  group(links, attributes = []) {
    const messages = [[MESSAGE.linkInfo, new Bytes().u8(0, 0).u64(UNDEFINED).u64(UNDEFINED).done()], [MESSAGE.groupInfo, new Bytes().u8(0, 1).u16(48).u16(32).done()]];
    for (const [name, at] of links) messages.push([MESSAGE.link, new Bytes().u8(1, 0, name.length).raw(text.encode(name)).u64(at).done()]);
    return this.put(header([...messages, ...attributes]));
  }
  /** All bytes, with the seal behind them. */
  done(root, access) {
    const length = SUPERBLOCK + this.body.length;
    const top = new Bytes().u8(0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a, 2, 8, 8, 0).u64(0).u64(UNDEFINED).u64(length).u64(root).done();
    const out = new Uint8Array(length + access.sealSize(length));
    out.set(top);
    out.set(new Bytes().u32(lookup3(top)).done(), top.length);
    let at = SUPERBLOCK;
    for (const p of this.body.parts) {
      out.set(p, at);
      at += p.length;
    }
    access.seal(out, length);
    return out;
  }
}

// ---- the recording

/** A run that becomes a file. `access`: see Recorder in perp.js. */
export class Recording {
  #access; #world; #file = new File(); #columns = new Map(); #level; #made = false; #begun;

  constructor(access, world) {
    this.#access = access;
    this.#world = world;
    const header = new Map(access.header());
    this.#level = Number(header.get("compression"));
    this.#begun = access.statics();
    this.#take(access.run(0).rows);
  }

  /** Takes n steps and records what the scene wants of them. Returns the certificate of the last step. */
  step(n = 1) {
    const { rows, end } = this.#access.run(n);
    this.#take(rows);
    return end();
  }
  /** Holds a body and pulls it, as Recorder.pull(). */
  pull(body, point, hand) { this.#access.recorder.pull(body, point, hand); }
  drop() { this.#access.recorder.drop(); }

  /** Packs what was recorded so far. To be awaited now and then in a long run: what is not packed takes memory. */
  async pack() {
    for (const c of this.#columns.values()) {
      const size = c.rows * c.row;
      while (c.waiting >= size) await this.#chunk(c, size);
    }
  }

  /** The file as bytes. finished: the run has reached its end. */
  async file(finished = this.#world.steps >= this.#world.durationSteps) {
    if (this.#made) throw new Error("the file of this recording was made already");
    this.#made = true;
    await this.pack();
    for (const c of this.#columns.values()) if (c.waiting) await this.#chunk(c, c.rows * c.row);
    const access = this.#access, groups = new Map(access.groups().map((g) => [g, []]));
    const link = (path, at) => {
      const [group, name] = path.split("/");
      groups.get(group).push([name, at]);
    };
    const notes = (d) => [attribute("unit", d.unit), attribute("about", d.about)];
    const whole = (d, more = []) => link(d.path, this.#file.whole({ ...d, data: bytesFrom(d) }, [...notes(d), ...more]));
    for (const d of [...access.scene(), ...this.#begun]) whole(d);
    access.files().forEach((f, i) => {
      const d = { path: `scene/file_${i}`, type: "uint8", shape: [f.data.length], data: f.data, unit: "", about: i ? "a file that the scene names" : "the scene" };
      link(d.path, this.#file.whole(d, [attribute("path", f.path), ...notes(d)]));
    });
    for (const c of this.#columns.values()) {
      const more = c.path === "solver/solver" ? [attribute("names", { words: access.recorder.solvers })] : [];
      const shape = [c.count, ...c.shape.slice(1)];
      link(c.path, this.#file.grown({ type: c.type, shape, rows: c.rows, level: this.#level, chunks: c.chunks }, [...notes(c), ...more]));
    }
    this.#checkpoint(link, notes, whole);
    const links = [...groups].map(([name, list]) => [name, this.#file.group(list)]);
    const header = access.header().map(([name, value]) => attribute(name, name === "frames" ? BigInt(access.frames()) : name === "finished" ? BigInt(finished) : value));
    return this.#file.done(this.#file.group(links, header), access);
  }

  close() { this.#access.recorder.close(); }

  #checkpoint(link, notes, whole) {
    const access = this.#access, [state, sums] = access.checkpoint(), bytes = this.#world.state, chunks = [];
    for (let at = 0; at < bytes.length; at += STATE_CHUNK) {
      const chunk = new Uint8Array(STATE_CHUNK);
      chunk.set(bytes.subarray(at, at + STATE_CHUNK));
      chunks.push({ at: this.#file.put(chunk), size: STATE_CHUNK });
    }
    const more = [...notes(state), attribute("step", BigInt(this.#world.steps))];
    link(state.path, this.#file.grown({ type: "uint8", shape: [bytes.length], rows: STATE_CHUNK, level: 0, chunks }, more));
    whole(sums, [attribute("figures", { words: access.figures() })]);
  }

  /** Rows of frames, behind those that wait. */
  #take(rows) {
    for (const d of rows) {
      let c = this.#columns.get(d.path);
      if (!c) {
        const row = SIZES[d.type] * d.shape.slice(1).reduce((a, b) => a * b, 1);
        c = { ...d, data: undefined, row, rows: d.chunk, count: 0, waiting: 0, parts: [], chunks: [] };
        this.#columns.set(d.path, c);
      }
      if (!d.data.length) continue;
      c.parts.push(bytesOf(d.data));
      c.waiting += d.data.byteLength;
      c.count += d.shape[0];
    }
  }

  /** Puts the next chunk of a column into the file; the last one is filled with zeros. */
  async #chunk(c, size) {
    let chunk = new Uint8Array(size), at = 0;
    while (at < size && c.parts.length) {
      const p = c.parts[0], n = Math.min(p.length, size - at);
      chunk.set(p.subarray(0, n), at);
      at += n;
      if (n === p.length) c.parts.shift();
      else c.parts[0] = p.subarray(n);
    }
    c.waiting -= at;
    if (this.#level > 0) chunk = await deflate(c.type === "uint8" ? chunk : shuffle(chunk, SIZES[c.type]));
    c.chunks.push({ at: this.#file.put(chunk), size: chunk.length });
  }
}

/** Numbers or texts of a dataset as bytes. */
function bytesFrom(d) {
  if (d.type !== "text") return bytesOf(d.data);
  const out = new Uint8Array(d.size * d.data.length);
  d.data.forEach((s, i) => out.set(text.encode(s).subarray(0, d.size), d.size * i));
  return out;
}
