// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// Types of perp.js. Quantities have the scene's units: L length, M mass, T time; angles are radians.

/** Where perp.wasm comes from. */
export interface LoadOptions {
  /** An address (relative ones are beside perp.js), the bytes, or a compiled module, such as one that a page sends to a worker. Default: perp.wasm beside perp.js. */
  wasm?: string | URL | BufferSource | WebAssembly.Module;
  /** Bytes of memory that the module may have; beyond, it fails with E_MEMORY and must be loaded again. Default: what it can address, 4 GB. */
  memory?: number;
}
/** Loads the module. Modules do not share anything: a worker loads its own. */
export function load(options?: LoadOptions): Promise<Perp>;

/** Name of a status of the library. */
export type Status = "E_ARG" | "E_MEMORY" | "E_NAME" | "E_FIT" | "E_SOLVE" | "E_IO" | "E_GEOMETRY" | "E_STOPPED";

/** Something was refused or failed. The message is the library's sentence; what it was asked of is unchanged. */
export class PerpError extends Error {
  readonly status: Status;
}
/** A scene or one of its parameters was refused. */
export class SceneError extends PerpError {
  /** The file, as the scene names it. */
  readonly file: string;
  /** From 1; 0: not known. */
  readonly line: number;
  readonly column: number;
  /** Path to the entry: bodies[3].shapes[0].radius */
  readonly key: string;
  readonly found: string;
  readonly allowed: string;
}
/** A step has no acceptable solution. The world is as it was before this step. */
export class SolveError extends PerpError {
  /** The best that was found. */
  readonly certificate: Certificate;
}

/** How a scene is opened. */
export interface OpenOptions {
  /** Name of the scene in messages; default "scene.yaml". */
  name?: string;
  /** Included files and meshes, under the paths by which the scene names them. Nothing else is read. A scene with robot models (`models`) is
   *  refused: open a scene that `perp import` has made of the model. */
  files?: Record<string, string | Uint8Array>;
  /** Values of declared parameters: numbers, or expressions as text. */
  define?: Record<string, number | string>;
}

/** A loaded module. */
export interface Perp {
  /** Version of the library. */
  readonly version: string;
  /** Bytes of memory that the module has; it grows and never shrinks. */
  readonly memory: number;
  /** Offsets in bytes of the fields of a contact, for Contacts.data: "n_W", "impulse_C", "gap", ... */
  readonly contactOffsets: Readonly<Record<string, number>>;
  /** The JSON Schema of scene files. */
  readonly schema: object;
  /** Reads a scene (YAML) and makes its world. Throws SceneError. */
  open(scene: string | Uint8Array, options?: OpenOptions): World;
}

/** A parameter that a scene declares. */
export interface Parameter {
  name: string;
  /** "" if not given. */
  unit: string;
  about: string;
  /** As used, and as declared. */
  value: number;
  initial: number;
  /** Allowed range, infinite where not given. */
  min: number;
  max: number;
}

/** A body. */
export interface Body {
  /** "" if it has none. */
  name: string;
  /** Its row in poses and twists. */
  slot: number;
  generation: number;
  kind: "obstacle" | "kinematic" | "dynamic";
  mass: number;
}

/** A shape; fields that its kind does not have are 0 or empty. */
export interface Shape {
  slot: number;
  /** Slot of its body. */
  body: number;
  kind: "particle" | "sphere" | "half-space" | "box" | "polygon" | "polyhedron" | "capsule" | "ellipsoid" | "superellipsoid" | "cylinder" | "intersection";
  /** Pose in the body frame: x, y, z, and the quaternion w, x, y, z. */
  pose: number[];
  radius: number;
  half_length: number;
  half_size: number[];
  exponent: number[];
  /** Half-space: outward normal, and n . x on its surface. */
  normal: number[];
  offset: number;
  material: number;
  /** Drawn only: it never touches anything. */
  visual: boolean;
  /** 0: none given. */
  colour: number;
  /** Corners, 3 numbers each, in the shape frame. A copy. */
  points: Float64Array;
  /** Corners of each face, counter-clockwise seen from outside. */
  faces: number[][];
}

/** A contact of the last step between shapes A and B. */
export interface Contact {
  /** Slots of the shapes. */
  a: number;
  b: number;
  /** The same feature pair has the same number from step to step. */
  feature: bigint;
  /** The two points [L]. */
  a_W: number[];
  b_W: number[];
  /** Unit normal from A to B, and tangents. */
  n_W: number[];
  t_W: number[];
  o_W: number[];
  /** Before the step [L]: > 0 apart, < 0 overlap. */
  gap: number;
  /** At the end of the step [L]. */
  gap_end: number;
  mu: number;
  restitution: number;
  restitution_t: number;
  /** On B, along n, t, o [M L/T]. */
  impulse_C: number[];
  /** On B, about n [M L^2/T]. */
  spin_impulse: number;
  /** On B, about t and o [M L^2/T]. */
  roll_impulse: number[];
  state: "separating" | "sticking" | "sliding";
}

/** Contacts of the last step; of no use after the next one, which is said by an exception. */
export interface Contacts extends Iterable<Contact> {
  readonly length: number;
  /** A copy of the i-th. */
  at(i: number): Contact | undefined;
  /** Numbers from one contact to the next in `data`. */
  readonly stride: number;
  /** All contacts as the library keeps them, without a copy; see Perp.contactOffsets. */
  readonly data: Float64Array;
}

/** Energies [M L^2/T^2]; gravity is zero at the origin. */
export interface Energy {
  kinetic: number;
  gravity: number;
  spring: number;
}

/** Residuals of the laws [L/T]. */
export interface Residual {
  momentum: number;
  joint: number;
  normal: number;
  cone: number;
  dissipation: number;
  /** Size of the velocities that these are to be compared with. */
  scale: number;
}

/** Energy ledger [M L^2/T^2]: kinetic_after - kinetic_before is the sum of all other entries. */
export interface Ledger {
  kinetic_before: number;
  kinetic_after: number;
  gravity: number;
  spring: number;
  applied: number;
  damping: number;
  kinematic: number;
  joint: number;
  motor: number;
  armature: number;
  joint_loss: number;
  normal: number;
  friction: number;
  turning: number;
  start: number;
  sampling: number;
  drift: number;
  remainder: number;
}

/** How far energies went [M L^2/T^2]. */
export interface Extent {
  kinetic: number;
  low: number;
  high: number;
  fall: number;
  drift: number;
  drift_t: number;
}

/** Certificate of a step, or of several: worst figures, added counts and energies. The header perp/certificate.h describes each field. */
export interface Certificate {
  t: number;
  h: number;
  accepted: boolean;
  law: Residual;
  joint_error: number;
  error: number;
  ambiguous: number;
  /** Deepest true overlap of two bodies [L]. */
  overlap: number;
  compression: number;
  rebounds_limited: number;
  rebounds_given_up: number;
  gain: number;
  gain_part: number;
  gain_shape: number[];
  rebound_lost: number;
  creep: number;
  twist: number;
  overlap_shape: number[];
  jams: number;
  jam_depth: number;
  jam_shape: number[];
  motor_yields: number;
  yield_joint: number;
  gives: number;
  give: number;
  contacts: number;
  separating: number;
  sticking: number;
  sliding: number;
  unknowns: number;
  substeps: number;
  rejected: number;
  fallbacks: number;
  solver: string;
  iterations: number;
  residual: number;
  ledger: Ledger;
  extent: Extent;
}

/** An array of numbers or texts, as docs/recording.md lists it. */
export interface Dataset {
  /** Group and name: "frames/position". */
  path: string;
  unit: string;
  about: string;
  type: "float64" | "int32" | "uint32" | "biguint64" | "uint8" | "text";
  /** Rows first. A frame has one row, and a row for each of its contacts in the datasets of "contacts". */
  shape: number[];
  /** Whether it gets rows with each frame. */
  grows: boolean;
  /** rows of a chunk in a file, of one that grows; else 0 */
  chunk: number;
  /** Of texts: bytes of the longest. */
  size?: number;
  /** A copy. */
  data: Float64Array | Int32Array | Uint32Array | BigUint64Array | Uint8Array | string[];
}

/** A run as a recording holds it. The module writes no files. */
export interface Recorder {
  /** Datasets that do not change in a run. */
  statics(): Dataset[];
  /** The world as it stands; figures are of the steps since the frame before. The first frame comes before the first step. */
  frame(): Dataset[];
  /** Solvers of the world, which "solver/solver" counts. */
  readonly solvers: string[];
  /** One step of the world, counted for the next frame. */
  step(): Certificate;
  /** Holds a point of a body (index in `bodies`; the point in its frame [L]) and pulls it towards a point of the world [L] with a spring and a damper, until drop(). */
  pull(body: number, point: readonly number[], hand: readonly number[]): void;
  drop(): void;
  /** Frees it; to be called before the world is closed or its parameters are set. */
  close(): void;
}

/** A run that becomes the file that `perp run` writes. It records what the scene's key `record` asks for. */
export interface Recording {
  /** Takes n steps (1) and records them; throws as World.step(). */
  step(n?: number): Certificate;
  /** As those of Recorder. */
  pull(body: number, point: readonly number[], hand: readonly number[]): void;
  drop(): void;
  /** Packs what was recorded so far. Await it now and then in a long run: what is not packed takes memory. */
  pack(): Promise<void>;
  /** The file as bytes, once. finished: the run has reached its end; default: it took all steps of the scene. */
  file(finished?: boolean): Promise<Uint8Array>;
  /** Frees it; to be called before the world is closed or its parameters are set. */
  close(): void;
}

/** A scene and its world. */
export interface World {
  /** A recorder of this world. */
  record(): Recorder;
  /** A recording of this world from here on. */
  recording(): Promise<Recording>;
  /** Units of length, mass and time, as the scene notes them. */
  readonly units: { length: string; mass: string; time: string };
  /** Acceleration of gravity [L/T^2]. */
  readonly gravity: number[];
  /** Takes n steps (1); throws SolveError, with the world as it was before the step that failed. */
  step(n?: number): Certificate;
  /** Time [T]. */
  readonly time: number;
  /** Steps taken. */
  readonly steps: number;
  /** 2 or 3. */
  readonly dim: number;
  /** Time step [T]. */
  h: number;

  /** Of the scene, "" if it has none. */
  readonly title: string;
  readonly about: string;
  /** Time that the scene is to be simulated [T], and the number of steps. */
  readonly duration: number;
  readonly durationSteps: number;

  /** Poses, 7 numbers in the row of each slot: x, y, z [L], and the quaternion w, x, y, z. A view of the module's memory without a copy, which follows every step.
   *  If memory grows, views that were taken before have the length 0: take them from here again, as often as you like. */
  readonly poses: Float64Array;
  /** Velocities, 6 numbers in the row of each slot: of the centre of mass [L/T], and angular [rad/T], in the world frame. A view, as poses. */
  readonly twists: Float64Array;
  /** Inputs of the actuators, a view as poses, to be written too. */
  readonly ctrl: Float64Array;
  /** Contacts of the last step. */
  readonly contacts: Contacts;
  readonly energy: Energy;
  /** Deepest overlap of two bodies now [L]. */
  readonly overlap: number;

  readonly bodies: Body[];
  readonly shapes: Shape[];
  /** Moves a body, an entry of `bodies` or a name. */
  setPose(body: Body | string, pose: ArrayLike<number>): void;
  /** Sets velocity [L/T] and angular velocity [rad/T] of a body. */
  setVelocity(body: Body | string, velocity: ArrayLike<number> & Iterable<number>, angular?: ArrayLike<number> & Iterable<number>): void;

  readonly parameters: Parameter[];
  /** Gives parameters other values and makes the world anew, at time 0: the same world, to the bit, as opening the scene with these values. */
  set(values: Record<string, number>): void;

  /** The state as bytes, a copy; setting it brings the world back to it. The bytes of the native library fit too. */
  state: Uint8Array;
  /** Equal for states that are equal to the bit, here and in the native library: 16 hexadecimal digits. */
  readonly hash: string;

  /** Frees the world; views of it must not be used any more. Worlds that are forgotten are freed some time later. */
  close(): void;
}
