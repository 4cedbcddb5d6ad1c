/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Poses: position and unit quaternion w x y z, as rows of arrays.

/** Writes the 3 x 4 matrix (rows) of body pose * shape pose * scale into out[at..at+11]. */
export function placeRows(
    out: Float32Array,
    at: number,
    position: Float64Array,
    orientation: Float64Array,
    body: number,
    local: Float64Array,
    scale: readonly [number, number, number],
): void {
    const qw = orientation[4 * body];
    const qx = orientation[4 * body + 1];
    const qy = orientation[4 * body + 2];
    const qz = orientation[4 * body + 3];
    // rotation of the body, row by row
    const r00 = 1 - 2 * (qy * qy + qz * qz);
    const r01 = 2 * (qx * qy - qw * qz);
    const r02 = 2 * (qx * qz + qw * qy);
    const r10 = 2 * (qx * qy + qw * qz);
    const r11 = 1 - 2 * (qx * qx + qz * qz);
    const r12 = 2 * (qy * qz - qw * qx);
    const r20 = 2 * (qx * qz - qw * qy);
    const r21 = 2 * (qy * qz + qw * qx);
    const r22 = 1 - 2 * (qx * qx + qy * qy);
    for (let k = 0; k < 3; k++) {
        const a = k === 0 ? r00 : k === 1 ? r10 : r20;
        const b = k === 0 ? r01 : k === 1 ? r11 : r21;
        const c = k === 0 ? r02 : k === 1 ? r12 : r22;
        const row = at + 4 * k;
        // local: 3 x 4 rows of the shape in its body
        out[row] = (a * local[0] + b * local[4] + c * local[8]) * scale[0];
        out[row + 1] = (a * local[1] + b * local[5] + c * local[9]) * scale[1];
        out[row + 2] = (a * local[2] + b * local[6] + c * local[10]) * scale[2];
        out[row + 3] = a * local[3] + b * local[7] + c * local[11] + position[3 * body + k];
    }
}

/** 3 x 4 rows of a pose x y z qw qx qy qz. */
export function rowsOf(pose: ArrayLike<number>, at: number): Float64Array {
    const [x, y, z, w, i, j, k] = Array.from({ length: 7 }, (_, n) => pose[at + n]);
    return new Float64Array([
        1 - 2 * (j * j + k * k),
        2 * (i * j - w * k),
        2 * (i * k + w * j),
        x,
        2 * (i * j + w * k),
        1 - 2 * (i * i + k * k),
        2 * (j * k - w * i),
        y,
        2 * (i * k - w * j),
        2 * (j * k + w * i),
        1 - 2 * (i * i + j * j),
        z,
    ]);
}

/** q v q*, for a quaternion at q[4 i]. */
export function turn(q: ArrayLike<number>, i: number, v: readonly [number, number, number]): [number, number, number] {
    const w = q[4 * i];
    const x = q[4 * i + 1];
    const y = q[4 * i + 2];
    const z = q[4 * i + 3];
    const tx = 2 * (y * v[2] - z * v[1]);
    const ty = 2 * (z * v[0] - x * v[2]);
    const tz = 2 * (x * v[1] - y * v[0]);
    return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}
