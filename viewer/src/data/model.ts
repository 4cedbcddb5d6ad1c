/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// What a run consists of, in the names of docs/recording.md. Recordings and live runs both end up in these types.

export type Dim = 2 | 3;

export const BODY_KINDS = ['obstacle', 'kinematic', 'dynamic'] as const;
export const CONTACT_STATES = ['separating', 'sticking', 'sliding'] as const;
export const JOINT_KINDS = [
    'fixed',
    'revolute',
    'prismatic',
    'cylindrical',
    'spherical',
    'universal',
    'planar',
    'coupling',
    'tendon',
] as const;
export const SHAPE = {
    particle: 0,
    sphere: 1,
    halfspace: 2,
    box: 3,
    polygon: 4,
    polyhedron: 5,
    capsule: 6,
    ellipsoid: 7,
    superellipsoid: 8,
    cylinder: 9,
} as const;

export interface Bodies {
    name: string[];
    /** text to draw beside each, empty: none; empty in recordings before version 6 */
    label: string[];
    kind: Uint8Array;
    mass: Float64Array;
    /** B x 9, column by column; empty if it was not given */
    inertia: Float64Array;
    /** B x 3 x 3 points of the support tripod in the body frame; empty if there are none */
    support: Float64Array;
}

export interface Shapes {
    body: Int32Array;
    kind: Uint8Array;
    /** S x 7: x y z qw qx qy qz of the shape in its body */
    pose: Float64Array;
    radius: Float64Array;
    half_size: Float64Array;
    normal: Float64Array;
    offset: Float64Array;
    material: Int32Array;
    first_vertex: Int32Array;
    first_face: Int32Array;
    vertex: Float64Array;
    face_start: Int32Array;
    face_vertex: Int32Array;
    /** S x 2, powers of superellipsoids; empty if there are none */
    exponent: Float64Array;
    /** 0xffRRGGBB as a signed number, 0: none given; empty in recordings before version 6 */
    colour: Int32Array;
    /** S x 3, velocity of the surface in the axes of the body when the run began [L/T]; empty in recordings before
     *  version 6 */
    surface_velocity: Float64Array;
}

/** Springs between points of bodies; empty in recordings before version 6. */
export interface Springs {
    /** -1: the world */
    a: Int32Array;
    b: Int32Array;
    /** K x 3, in the frames of the bodies */
    point_a: Float64Array;
    point_b: Float64Array;
}

export interface Joints {
    name: string[];
    kind: Uint8Array;
    a: Int32Array;
    b: Int32Array;
    pose_a: Float64Array;
    pose_b: Float64Array;
}

export interface Units {
    length: string;
    mass: string;
    time: string;
}

/** What does not change while a run goes on. */
export interface Model {
    title: string;
    dim: Dim;
    h: number;
    gravity: [number, number, number];
    units: Units;
    bodies: Bodies;
    shapes: Shapes;
    joints: Joints;
    springs: Springs;
}

/** Poses of all bodies at one frame: views into a larger block, not to be kept or changed. */
export interface Pose {
    position: Float64Array;
    orientation: Float64Array;
}

export interface Twist {
    velocity: Float64Array;
    spin: Float64Array;
}

/** What is known of contacts, a row for each. */
export interface ContactRows {
    body: Int32Array;
    point_a: Float64Array;
    point_b: Float64Array;
    normal: Float64Array;
    tangent: Float64Array;
    gap: Float64Array;
    mu: Float64Array;
    impulse: Float64Array;
    state: Uint8Array;
}

/** Contacts of one frame; n rows of every field. */
export interface Contacts extends ContactRows {
    n: number;
}

/** Rows that a contact field has for each contact. */
export const CONTACT_WIDTH = {
    body: 2,
    point_a: 3,
    point_b: 3,
    normal: 3,
    tangent: 3,
    gap: 1,
    mu: 1,
    impulse: 3,
    state: 1,
} as const;

export const CERTIFICATE = [
    'law',
    'momentum',
    'joint',
    'normal',
    'cone',
    'dissipation',
    'scale',
    'joint_error',
    'overlap',
    'contacts',
    'separating',
    'sticking',
    'sliding',
] as const;
export const LEDGER = [
    'gravity',
    'applied',
    'spring',
    'damping',
    'kinematic',
    'joint',
    'motor',
    'armature',
    'joint_loss',
    'normal',
    'friction',
    'turning',
    'start',
    'sampling',
    'drift',
    'remainder',
] as const;
export const SOLVER = ['unknowns', 'substeps', 'fallbacks', 'iterations', 'residual'] as const;
