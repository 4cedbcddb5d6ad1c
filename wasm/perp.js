// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// perp.js - perp in JavaScript: loads perp.wasm and wraps it. Runs in node and in browsers, in a page or in a worker. docs/wasm.md describes it, perp.d.ts has the types.
//
//     import { load } from "perp";
//     const perp = await load();
//     const world = perp.open(text);            // a scene as YAML
//     const certificate = world.step(100);
//     console.log(world.time, world.poses[2]);

const TABLES = ["certificate", "contact", "view", "parameter", "body", "shape", "refusal", "dataset", "attribute"]; // order of perp_js_table()
const KINDS = ["obstacle", "kinematic", "dynamic"];
const SHAPES = ["particle", "sphere", "half-space", "box", "polygon", "polyhedron", "capsule", "ellipsoid", "superellipsoid", "cylinder", "intersection"];
const STATES = ["separating", "sticking", "sliding"];
const TYPES = [Float64Array, Int32Array, Uint32Array, BigUint64Array, Uint8Array]; // order of pp_type; then texts
const E_SOLVE = -5;
const ENOSYS = 52; // errno of WASI
const WASI_CLOCK_MONOTONIC = 1;

/** Something was refused or failed; the message is the library's sentence. */
export class PerpError extends Error {
  /** @param {string} message @param {string} status name of the status, such as "E_ARG" */
  constructor(message, status = "E_ARG") {
    super(message);
    this.name = new.target.name;
    this.status = status;
  }
}

/** A scene was refused: where, what was found, and what is allowed. */
export class SceneError extends PerpError {
  constructor(refusal, status) {
    super(refusal.text, status);
    for (const key of ["file", "line", "column", "key", "found", "allowed"]) this[key] = refusal[key];
  }
}

/** A step has no acceptable solution; the world is unchanged. */
export class SolveError extends PerpError {
  constructor(message, status, certificate) {
    super(message, status);
    this.certificate = certificate;
  }
}

const LONGJMP = Symbol("longjmp");
const JUDGE = Symbol("judge"); // methods for this file alone
const FILE = Symbol("file");

/** What the module imports: no files, no environment, a clock. most: bytes of memory that it may have. */
function imports(module, instance, most) {
  const env = {}, wasi = {};
  let temporary = 0;
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (from === "wasi_snapshot_preview1") wasi[name] = () => ENOSYS;
    else if (name.startsWith("invoke_"))
      // A function between setjmp and longjmp, which the libraries use to leave after an error.
      env[name] = (index, ...values) => {
        const e = instance(), stack = e.stackSave();
        try {
          return e.__indirect_function_table.get(index)(...values);
        } catch (error) {
          if (error !== LONGJMP) throw error;
          e.stackRestore(stack);
          e.setThrew(1, 0);
        }
      };
    else env[name] = () => -ENOSYS;
  }
  env.perp_seconds = () => 1e-3 * performance.now();
  env._emscripten_throw_longjmp = () => { throw LONGJMP; };
  env.emscripten_notify_memory_growth = () => {
    const bytes = instance().memory.buffer.byteLength;
    if (bytes > most) throw new Error(`it asked for ${Math.round(bytes / 1e6)} MB of memory, and ${Math.round(most / 1e6)} MB are allowed`);
  };
  env.setTempRet0 = (value) => { temporary = value; };
  env.getTempRet0 = () => temporary;
  wasi.clock_time_get = (id, _precision, at) => {
    const ms = id === WASI_CLOCK_MONOTONIC ? performance.now() : Date.now();
    new DataView(instance().memory.buffer).setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
    return 0;
  };
  const none = (count, size) => {
    const view = new DataView(instance().memory.buffer);
    view.setUint32(count, 0, true);
    view.setUint32(size, 0, true);
    return 0;
  };
  wasi.environ_sizes_get = none;
  wasi.proc_exit = (code) => { throw new Error(`the module ended itself (${code})`); };
  return { env, wasi_snapshot_preview1: wasi };
}

/** The module: memory, strings and structures. */
class Native {
  constructor(exports) {
    this.e = exports;
    this.encoder = new TextEncoder();
    this.decoder = new TextDecoder();
    this.broken = "";
    this.tables = {};
    TABLES.forEach((name, i) => { this.tables[name] = this.table(exports.perp_js_table(i)); });
  }

  /** Memory as bytes. The buffer is another one after memory has grown. */
  get view() {
    const buffer = this.e.memory.buffer;
    if (this.dataView?.buffer !== buffer) this.dataView = new DataView(buffer);
    return this.dataView;
  }

  /** Calls a function of the module. A trap leaves its memory in an unknown state: nothing is asked of it afterwards. */
  call(name, ...values) {
    if (this.broken) throw new PerpError(`the module failed before (${this.broken}); load it again`, "E_MEMORY");
    try {
      return this.e[name](...values);
    } catch (error) {
      this.broken = String(error?.message ?? error);
      throw new PerpError(`the module failed: ${this.broken}; load it again`, "E_MEMORY");
    }
  }

  string(at) {
    if (!at) return "";
    const bytes = new Uint8Array(this.e.memory.buffer, at);
    return this.decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  /** Runs `use` with a function that takes memory, which is given back afterwards. */
  scratch(use) {
    const taken = [];
    const take = (size) => {
      const at = this.call("malloc", Math.max(size, 1));
      if (!at) throw new PerpError(`no memory for ${size} bytes`, "E_MEMORY");
      taken.push(at);
      return at;
    };
    try {
      return use(take);
    } finally {
      if (!this.broken) for (const at of taken) this.e.free(at);
    }
  }

  /** Copies bytes or text into memory that `take` gives, with a zero behind it. */
  put(take, data) {
    const bytes = typeof data === "string" ? this.encoder.encode(data) : data;
    const at = take(bytes.length + 1);
    const to = new Uint8Array(this.e.memory.buffer, at, bytes.length + 1);
    to.set(bytes);
    to[bytes.length] = 0;
    return { at, size: bytes.length };
  }

  table(at) {
    const fields = [];
    for (;; at += 12) {
      const name = this.view.getUint32(at, true), offset = this.view.getInt32(at + 8, true);
      if (!name) return { fields, size: offset };
      const type = this.string(this.view.getUint32(at + 4, true));
      fields.push({ path: this.string(name).split("."), type: type[0], count: Number(type.slice(1)) || 0, offset });
    }
  }

  value(type, at) {
    const v = this.view;
    switch (type) {
      case "d": return v.getFloat64(at, true);
      case "i": return v.getInt32(at, true);
      case "u": case "p": return v.getUint32(at, true);
      case "U": return v.getBigUint64(at, true);
      case "b": return v.getUint8(at) !== 0;
      case "c": return this.string(at);
      default: return this.string(v.getUint32(at, true));
    }
  }

  /** A structure as an object. */
  read(table, at) {
    const out = {};
    for (const { path, type, count, offset } of this.tables[table].fields) {
      let to = out;
      for (const part of path.slice(0, -1)) to = to[part] ??= {};
      const size = type === "d" ? 8 : 4;
      to[path[path.length - 1]] = count
        ? Array.from({ length: count }, (_, i) => this.value(type, at + offset + size * i))
        : this.value(type, at + offset);
    }
    return out;
  }

  offsets(table) {
    return Object.fromEntries(this.tables[table].fields.map((f) => [f.path.join("."), f.offset]));
  }

  status(code) {
    return this.string(this.call("perp_js_status_name", code)).replace(/^PERP_/, "");
  }

  /** The refusal that the last call left. */
  refusal(code) {
    const why = this.read("refusal", this.call("perp_js_why"));
    const status = code ?? why.status;
    if (!why.text) why.text = this.string(this.call("perp_js_status_text", status));
    return new SceneError(why, this.status(status));
  }
}

const finite = (value, name) => {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new PerpError(`${name}: found ${String(value)}; allowed: a finite number`);
  return value;
};

/** Contacts of the last step, as the library keeps them. */
class Contacts {
  #world;
  constructor(world, native, at, length) {
    this.#world = world;
    this.native = native;
    this.address = at;
    this.length = length;
    this.stride = native.tables.contact.size / 8;
    this.step = world.steps;
  }
  /** All of them as one Float64Array without a copy; a contact is `stride` numbers long. */
  get data() {
    this.#current();
    return new Float64Array(this.native.e.memory.buffer, this.address, this.length * this.stride);
  }
  /** The i-th as an object of its own. */
  at(i) {
    this.#current();
    if (!Number.isInteger(i) || i < 0 || i >= this.length) return undefined;
    const c = this.native.read("contact", this.address + 8 * this.stride * i);
    return { ...c, a: c.a.slot, b: c.b.slot, state: STATES[c.state] };
  }
  *[Symbol.iterator]() {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }
  #current() {
    if (this.#world.steps !== this.step) throw new PerpError("these are the contacts of an earlier step; take world.contacts again");
  }
}

/** A run as a recording holds it: datasets that stay, and a frame after the other. */
class Recorder {
  #native; #world; #at;

  /** file: of what the scene records, for a file; else of all there is. */
  constructor(native, scene, world, file = false) {
    this.#native = native;
    this.#world = world;
    this.#at = native.call("perp_js_recorder", scene, file ? 1 : 0);
    if (!this.#at) throw native.refusal();
  }
  get #r() {
    if (!this.#at) throw new PerpError("the recorder is closed");
    return this.#at;
  }
  #list(call) {
    const native = this.#native, code = native.call(call, this.#r);
    if (code) throw native.refusal(code);
    return this.#listed();
  }
  #listed() {
    const native = this.#native, n = native.call("perp_js_recorder_count", this.#r), from = native.call("perp_js_recorder_list", this.#r);
    return Array.from({ length: n }, (_, i) => {
      const d = native.read("dataset", from + i * native.tables.dataset.size);
      return { path: d.path, unit: d.unit, about: d.about, shape: d.shape.slice(0, d.rank), grows: d.grows, chunk: d.chunk, ...this.#data(d) };
    });
  }
  #data(d) {
    const bytes = new Uint8Array(this.#native.e.memory.buffer, d.data, d.bytes).slice(), Type = TYPES[d.type];
    if (Type) return { type: Type.name.replace("Array", "").toLowerCase(), data: new Type(bytes.buffer) };
    const texts = [];
    for (let i = 0; i < d.bytes; i += d.text) {
      const text = bytes.subarray(i, i + d.text), end = text.indexOf(0);
      texts.push(this.#native.decoder.decode(end < 0 ? text : text.subarray(0, end)));
    }
    return { type: "text", size: d.text, data: texts };
  }
  /** Datasets that do not change in a run. */
  statics() { return this.#list("perp_js_recorder_statics"); }
  /** The world as it stands; figures are of the steps since the frame before. */
  frame() { return this.#list("perp_js_recorder_frame"); }
  /** The chain of solvers that "solver/solver" counts. */
  get solvers() {
    const native = this.#native, n = native.call("perp_js_recorder_solvers", this.#r);
    return Array.from({ length: n }, (_, i) => native.string(native.call("perp_js_recorder_solver", this.#r, i)));
  }
  /** One step of the world, counted for the next frame. */
  step() {
    const native = this.#native, code = native.call("perp_js_recorder_step", this.#r);
    return this.#world[JUDGE](code);
  }
  /** Holds a point of a body (its number among `bodies`; the point in its frame) and pulls it towards a point of the world. */
  pull(body, point, hand) {
    if (!Number.isInteger(body) || body < 0) throw new PerpError(`pull: found ${String(body)}; allowed: the number of a body`);
    const numbers = [...point, ...hand];
    numbers.forEach((x) => finite(x, "pull"));
    if (numbers.length !== 6) throw new PerpError("pull: found no two points; allowed: 3 numbers each");
    this.#native.scratch((take) => {
      const at = take(48);
      numbers.forEach((x, i) => this.#native.view.setFloat64(at + 8 * i, x, true));
      this.#world[JUDGE](this.#native.call("perp_js_recorder_pull", this.#r, body, at), false);
    });
  }
  /** Lets go of it. */
  drop() { this.#world[JUDGE](this.#native.call("perp_js_recorder_pull", this.#r, -1, 0), false); }
  close() {
    if (!this.#at) return;
    const at = this.#at;
    this.#at = 0;
    this.#native.call("perp_js_recorder_free", at);
  }

  /** What recording.js makes a file of. */
  [FILE](scene) {
    const native = this.#native, call = (name, ...values) => native.call(name, this.#r, ...values);
    const named = (count, of) => Array.from({ length: count }, (_, i) => native.string(call(of, i)));
    return {
      recorder: this,
      statics: () => this.statics(),
      scene: () => this.#list("perp_js_recorder_scene"),
      frames: () => call("perp_js_recorder_frames"),
      figures: () => named(call("perp_js_recorder_figures"), "perp_js_recorder_figure"),
      /** n steps: rows of their frames, and end(), which gives the certificate or throws what went wrong. */
      run: (n) => {
        const code = call("perp_js_recorder_run", n), rows = this.#listed();
        const end = () => {
          if (code && native.read("refusal", native.call("perp_js_why")).status) throw native.refusal(code);
          return this.#world[JUDGE](code);
        };
        return { rows, end };
      },
      checkpoint: () => {
        call("perp_js_recorder_checkpoint");
        return this.#listed();
      },
      groups: () => {
        const out = [];
        for (let at; (at = call("perp_js_recorder_group", out.length)); ) out.push(native.string(at));
        return out;
      },
      header: () => {
        const n = call("perp_js_recorder_header"), from = call("perp_js_recorder_attributes");
        return Array.from({ length: n }, (_, i) => {
          const a = native.read("attribute", from + i * native.tables.attribute.size);
          return [a.name, a.text ? native.string(a.text) : a.nreal ? a.real.slice(0, a.nreal) : a.whole];
        });
      },
      files: () => native.scratch((take) => {
        const at = take(12);
        return Array.from({ length: native.call("perp_js_scene_files", scene) }, (_, i) => {
          native.call("perp_js_scene_file", scene, i, at);
          const [path, data, size] = [0, 4, 8].map((k) => native.view.getUint32(at + k, true));
          return { path: native.string(path), data: new Uint8Array(native.e.memory.buffer, data, size).slice() };
        });
      }),
      sealSize: (length) => native.call("perp_js_seal_size", length),
      /** Fills the room for the seal behind a file of that length. */
      seal: (bytes, length) => native.scratch((take) => {
        const block = native.call("perp_js_seal_block"), room = take(block);
        const size = bytes.length - length, seal = take(size);
        for (let at = 0, k = 0; at < length; at += block, k++) {
          const part = bytes.subarray(at, Math.min(at + block, length));
          new Uint8Array(native.e.memory.buffer, room, part.length).set(part);
          native.call("perp_js_seal_hash", room, part.length, seal + 8 * k);
        }
        native.call("perp_js_seal_finish", seal, length);
        bytes.set(new Uint8Array(native.e.memory.buffer, seal, size), length);
      }),
    };
  }
}

/** A scene and its world. */
class World {
  #native; #scene; #world = 0; #views = {}; #registry;

  constructor(native, scene, registry) {
    this.#native = native;
    this.#scene = scene;
    this.#registry = registry;
    this.#world = native.call("perp_js_world", scene);
    registry.register(this, scene, this);
  }

  get #w() {
    if (!this.#world) throw new PerpError("the world is closed");
    return this.#world;
  }
  #do(code) {
    if (code) throw new PerpError(this.#native.string(this.#native.call("perp_js_world_why", this.#w)), this.#native.status(code));
  }
  #call(name, ...values) {
    return this.#native.call(name, this.#w, ...values);
  }
  #ofScene(name, ...values) {
    void this.#w;
    return this.#native.call(name, this.#scene, ...values);
  }

  /** Takes n steps; returns the worst figures and the sums of all of them. */
  step(n = 1) {
    if (!Number.isInteger(n) || n < 0 || n > 2 ** 31 - 1) throw new PerpError(`step: found ${String(n)}; allowed: a whole number, 0 or more`);
    return this[JUDGE](this.#call("perp_js_step", n));
  }
  /** What became of a step: its certificate, or an exception. */
  [JUDGE](code, steps = true) {
    const native = this.#native, certificate = steps ? native.read("certificate", native.call("perp_js_certificate")) : undefined;
    if (steps && code === E_SOLVE) throw new SolveError(native.string(this.#call("perp_js_world_why")), native.status(code), certificate);
    this.#do(code);
    return certificate;
  }
  /** A recorder of this world. Setting parameters makes another world: close it before, and take a new one after. */
  record() {
    void this.#w;
    return new Recorder(this.#native, this.#scene, this);
  }
  /** A recording of this world from here on: steps it, and makes the file that `perp run` writes. */
  async recording() {
    const { Recording } = await import("./recording.js");
    void this.#w;
    const recorder = new Recorder(this.#native, this.#scene, this, true);
    return new Recording(recorder[FILE](this.#scene), this);
  }

  get time() { return this.#call("perp_js_time"); }
  get steps() { return this.#call("perp_js_steps"); }
  get dim() { return this.#call("perp_js_dim"); }
  get h() { return this.#call("perp_js_h"); }
  set h(value) { this.#do(this.#call("perp_js_set_h", finite(value, "h"))); }
  get title() { return this.#native.string(this.#ofScene("perp_js_title")); }
  get about() { return this.#native.string(this.#ofScene("perp_js_about")); }
  get duration() { return this.#ofScene("perp_js_duration"); }
  get units() {
    const [length, mass, time] = [0, 1, 2].map((i) => this.#native.string(this.#ofScene("perp_js_unit", i)));
    return { length, mass, time };
  }
  get gravity() {
    this.#call("perp_js_gravity");
    const at = this.#native.call("perp_js_result");
    return [0, 1, 2].map((i) => this.#native.view.getFloat64(at + 8 * i, true));
  }
  get durationSteps() { return this.#ofScene("perp_js_scene_steps"); }

  #look(pointer, count, width) {
    const native = this.#native;
    this.#do(this.#call("perp_js_look"));
    const v = native.read("view", native.call("perp_js_result"));
    const at = v[pointer], length = at ? v[count] * width : 0, buffer = native.e.memory.buffer, old = this.#views[pointer];
    if (old && old.buffer === buffer && old.byteOffset === at && old.length === length) return old;
    return (this.#views[pointer] = length ? new Float64Array(buffer, at, length) : new Float64Array(0));
  }
  /** Poses, 7 numbers for each slot of a body: x, y, z, and the quaternion w, x, y, z. */
  get poses() { return this.#look("pose", "nslot", 7); }
  /** Velocities, 6 numbers for each slot of a body: of the centre of mass, and angular. */
  get twists() { return this.#look("twist", "nslot", 6); }
  /** Inputs of the actuators, to be read and written. */
  get ctrl() { return this.#look("ctrl", "nctrl", 1); }

  get contacts() {
    const native = this.#native;
    return native.scratch((take) => {
      const count = take(4), at = this.#call("perp_js_contacts", count);
      return new Contacts(this, native, at, native.view.getInt32(count, true));
    });
  }

  get energy() {
    const native = this.#native;
    this.#call("perp_js_energy");
    const at = native.call("perp_js_result"), v = native.view;
    return { kinetic: v.getFloat64(at, true), gravity: v.getFloat64(at + 8, true), spring: v.getFloat64(at + 16, true) };
  }
  get overlap() { return this.#call("perp_js_overlap"); }

  #list(of, one, make) {
    const native = this.#native, n = this.#call(of, 0, 0);
    return native.scratch((take) => {
      const ids = take(8 * n), out = [];
      this.#call(of, ids, n);
      for (let i = 0; i < n; i++) {
        this.#do(this.#call(one, ids + 8 * i));
        const slot = native.view.getUint32(ids + 8 * i, true);
        out.push(make(native.call("perp_js_result"), slot, native.view.getUint32(ids + 8 * i + 4, true)));
      }
      return out;
    });
  }
  get bodies() {
    return this.#list("perp_js_bodies", "perp_js_body", (at, slot, generation) => {
      const b = this.#native.read("body", at);
      return { name: b.name, slot, generation, kind: KINDS[b.kind], mass: b.mass };
    });
  }
  get shapes() {
    const native = this.#native;
    return this.#list("perp_js_shapes", "perp_js_shape", (at, slot) => {
      const s = native.read("shape", at), d = s.def, buffer = native.e.memory.buffer;
      const start = s.nface ? new Int32Array(buffer, s.face_start, s.nface + 1) : [0];
      const face = s.nface ? new Int32Array(buffer, s.face, start[s.nface]) : [];
      return {
        slot, body: s.body.slot, kind: SHAPES[d.kind], pose: d.X_BS, radius: d.radius, half_length: d.half_length, half_size: d.half_size,
        exponent: d.exponent, normal: d.normal, offset: d.offset, material: d.material, visual: d.visual, colour: d.colour,
        points: d.npoint ? new Float64Array(buffer, d.points, 3 * d.npoint).slice() : new Float64Array(0),
        faces: Array.from({ length: s.nface }, (_, i) => Array.from(face.slice(start[i], start[i + 1]))),
      };
    });
  }

  #put(body, numbers, call) {
    const b = typeof body === "string" ? this.bodies.find((x) => x.name === body) : body;
    if (!b) throw new PerpError(`there is no body "${body}"`, "E_NAME");
    numbers.forEach((x) => finite(x, call.name));
    this.#native.scratch((take) => {
      const id = take(8), at = take(8 * numbers.length), v = this.#native.view;
      v.setUint32(id, b.slot, true);
      v.setUint32(id + 4, b.generation, true);
      numbers.forEach((x, i) => v.setFloat64(at + 8 * i, x, true));
      this.#do(this.#call(call.of, id, at));
    });
  }
  /** Moves a body, given as an entry of `bodies` or by name. */
  setPose(body, pose) {
    if (pose?.length !== 7) throw new PerpError("setPose: found no array of 7 numbers; allowed: x, y, z, and the quaternion w, x, y, z");
    this.#put(body, Array.from(pose), { name: "pose", of: "perp_js_set_pose" });
  }
  /** Sets velocity and angular velocity of a body. */
  setVelocity(body, velocity, angular = [0, 0, 0]) {
    if (velocity?.length !== 3 || angular?.length !== 3) throw new PerpError("setVelocity: found no arrays of 3 numbers; allowed: velocity, angular velocity");
    this.#put(body, [...velocity, ...angular], { name: "velocity", of: "perp_js_set_velocity" });
  }

  get parameters() {
    const native = this.#native, n = this.#ofScene("perp_js_parameter_count");
    return Array.from({ length: n }, (_, i) => {
      this.#ofScene("perp_js_parameter", i);
      return native.read("parameter", native.call("perp_js_result"));
    });
  }
  /** Gives parameters other values and makes the world anew, at time 0. On failure everything is as it was. */
  set(values) {
    const native = this.#native, list = Object.entries(values);
    list.forEach(([name, value]) => finite(value, name));
    native.scratch((take) => {
      const at = take(16 * list.length);
      list.forEach(([name, value], i) => {
        const text = native.put(take, name).at;
        native.view.setUint32(at + 16 * i, text, true);
        native.view.setFloat64(at + 16 * i + 8, value, true);
      });
      const code = this.#ofScene("perp_js_set", at, list.length);
      if (code) throw native.refusal(code);
    });
    this.#world = native.call("perp_js_world", this.#scene);
    this.#views = {};
  }

  /** The state as bytes, a copy. */
  get state() {
    const native = this.#native, size = this.#call("perp_js_state_size");
    return native.scratch((take) => {
      const at = take(size);
      this.#do(this.#call("perp_js_get_state", at, size));
      return new Uint8Array(native.e.memory.buffer, at, size).slice();
    });
  }
  set state(bytes) {
    if (!(bytes instanceof Uint8Array)) throw new PerpError("state: found no Uint8Array");
    this.#native.scratch((take) => {
      const { at, size } = this.#native.put(take, bytes);
      this.#do(this.#call("perp_js_set_state", at, size));
    });
  }
  /** A number that two worlds share if their states are the same to the bit, as 16 hexadecimal digits. */
  get hash() {
    const native = this.#native;
    this.#call("perp_js_hash");
    return native.view.getBigUint64(native.call("perp_js_result"), true).toString(16).padStart(16, "0");
  }

  /** Frees the world. */
  close() {
    if (!this.#world) return;
    this.#registry.unregister(this);
    this.#world = 0;
    this.#views = {};
    this.#native.call("perp_js_close", this.#scene);
  }
}

/** A loaded module. */
class Perp {
  #native; #registry;

  constructor(native) {
    this.#native = native;
    this.#registry = new FinalizationRegistry((scene) => { if (!native.broken) native.e.perp_js_close(scene); });
  }

  /** Version of the library. */
  get version() { return this.#native.string(this.#native.call("perp_js_version")); }
  /** Offsets of the fields of a contact in bytes, for Contacts.data. */
  get contactOffsets() { return this.#native.offsets("contact"); }
  /** Bytes of memory that the module has. */
  get memory() { return this.#native.e.memory.buffer.byteLength; }

  /** The JSON Schema of scene files. */
  get schema() {
    const native = this.#native, at = native.call("perp_js_schema");
    if (!at) throw new PerpError("no memory for the schema", "E_MEMORY");
    try {
      return JSON.parse(native.string(at));
    } finally {
      native.call("free", at);
    }
  }

  /** Reads a scene and makes its world. */
  open(text, { name = "scene.yaml", files = {}, define = {} } = {}) {
    if (typeof text !== "string" && !(text instanceof Uint8Array)) throw new PerpError("open: found no text; allowed: a scene as a string or Uint8Array");
    const native = this.#native;
    return native.scratch((take) => {
      const list = [[name, text], ...Object.entries(files)], definitions = Object.entries(define);
      const file = take(12 * list.length), defined = take(8 * definitions.length);
      list.forEach(([path, data], i) => {
        const p = native.put(take, path), d = native.put(take, data);
        [p.at, d.at, d.size].forEach((x, k) => native.view.setUint32(file + 12 * i + 4 * k, x, true));
      });
      definitions.forEach((pair, i) => pair.forEach((x, k) => {
        const at = native.put(take, String(x)).at;
        native.view.setUint32(defined + 8 * i + 4 * k, at, true);
      }));
      const scene = native.call("perp_js_open", file, list.length, defined, definitions.length);
      if (!scene) throw native.refusal();
      return new World(native, scene, this.#registry);
    });
  }
}

/** The module's bytes or compiled form, from wherever perp.js lies. */
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  const url = new URL(source ?? "./perp.wasm", import.meta.url);
  if (url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new PerpError(`${url}: ${response.status} ${response.statusText}`, "E_IO");
  // Not compileStreaming(): it refuses servers that do not know the type of .wasm.
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Loads perp.wasm. wasm: an address, bytes, or a compiled module; default: the file beside perp.js. memory: bytes that the module may have. */
export async function load({ wasm, memory = Infinity } = {}) {
  const module = await compile(wasm);
  let exports = null;
  const instance = await WebAssembly.instantiate(module, imports(module, () => exports, memory));
  exports = instance.exports;
  exports._initialize?.();
  return new Perp(new Native(exports));
}
