/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Trust nothing that was read: the first thing that is wrong is refused with one sentence, before anything is drawn.
import type { Model } from './model.ts';

/** A complaint that is meant for the reader of the page. */
export class Refusal extends Error {}

/** Layouts that this viewer reads; docs/recording.md says what changed in each. */
export const OLDEST_VERSION = 1;
export const NEWEST_VERSION = 6;

export function checkVersion(version: number, program: string): void {
    if (Number.isInteger(version) && version >= OLDEST_VERSION && version <= NEWEST_VERSION) return;
    const by = program ? ` It was written by ${program}; open it with the viewer of that program.` : '';
    throw new Refusal(
        `The recording has layout ${version}, and this viewer reads layouts ${OLDEST_VERSION} to ${NEWEST_VERSION}.${by}`,
    );
}

function expectLength(what: string, found: number, expected: number): void {
    if (found !== expected) throw new Refusal(`${what} has ${found} numbers, and ${expected} are expected.`);
}

function expectRange(what: string, values: ArrayLike<number>, low: number, high: number): void {
    for (let i = 0; i < values.length; i++)
        if (!(values[i] >= low && values[i] <= high))
            throw new Refusal(`${what}[${i}] is ${values[i]}, and ${low} to ${high} is allowed.`);
}

/** Offsets of ragged rows: they begin at 0, do not fall, and end at the number of rows. */
function expectOffsets(what: string, first: Int32Array, rows: number): void {
    for (let i = 1; i < first.length; i++)
        if (first[i] < first[i - 1]) throw new Refusal(`${what}[${i}] is less than the number before it.`);
    if (first.length > 0 && (first[0] !== 0 || first[first.length - 1] !== rows))
        throw new Refusal(`${what} runs from ${first[0]} to ${first[first.length - 1]}, not from 0 to ${rows}.`);
}

export function checkModel(m: Model): void {
    const b = m.bodies;
    const s = m.shapes;
    const j = m.joints;
    const nb = b.name.length;
    const ns = s.body.length;
    const nj = j.name.length;
    if (m.dim !== 2 && m.dim !== 3) throw new Refusal(`dim is ${String(m.dim)}, and 2 or 3 is allowed.`);
    expectLength('bodies/kind', b.kind.length, nb);
    expectLength('bodies/mass', b.mass.length, nb);
    if (b.support.length > 0) expectLength('bodies/support', b.support.length, 9 * nb);
    expectRange('bodies/kind', b.kind, 0, 2);
    expectLength('shapes/kind', s.kind.length, ns);
    expectLength('shapes/pose', s.pose.length, 7 * ns);
    expectLength('shapes/radius', s.radius.length, ns);
    expectLength('shapes/half_size', s.half_size.length, 3 * ns);
    expectLength('shapes/normal', s.normal.length, 3 * ns);
    expectLength('shapes/offset', s.offset.length, ns);
    expectLength('shapes/material', s.material.length, ns);
    expectLength('shapes/first_vertex', s.first_vertex.length, ns + 1);
    expectLength('shapes/first_face', s.first_face.length, ns + 1);
    expectRange('shapes/body', s.body, 0, nb - 1);
    expectOffsets('shapes/first_vertex', s.first_vertex, s.vertex.length / 3);
    expectOffsets('shapes/first_face', s.first_face, Math.max(0, s.face_start.length - 1));
    expectOffsets('shapes/face_start', s.face_start, s.face_vertex.length);
    for (let i = 0; i < ns; i++) {
        const corners = s.first_vertex[i + 1] - s.first_vertex[i];
        const from = s.face_start[s.first_face[i]];
        const to = s.face_start[s.first_face[i + 1]];
        if (to > from) expectRange('shapes/face_vertex', s.face_vertex.subarray(from, to), 0, corners - 1);
    }
    expectLength('joints/kind', j.kind.length, nj);
    expectLength('joints/pose_a', j.pose_a.length, 7 * nj);
    expectLength('joints/pose_b', j.pose_b.length, 7 * nj);
    expectLength('joints/a', j.a.length, nj);
    expectLength('joints/b', j.b.length, nj);
    expectRange('joints/a', j.a, -1, nb - 1);
    expectRange('joints/b', j.b, -1, nb - 1);
    const k = m.springs;
    if (b.label.length > 0) expectLength('bodies/label', b.label.length, nb);
    if (s.surface_velocity.length > 0) expectLength('shapes/surface_velocity', s.surface_velocity.length, 3 * ns);
    if (s.colour.length > 0) expectLength('shapes/colour', s.colour.length, ns);
    expectLength('springs/b', k.b.length, k.a.length);
    expectLength('springs/point_a', k.point_a.length, 3 * k.a.length);
    expectLength('springs/point_b', k.point_b.length, 3 * k.a.length);
    expectRange('springs/a', k.a, -1, nb - 1);
    expectRange('springs/b', k.b, 0, nb - 1);
}
