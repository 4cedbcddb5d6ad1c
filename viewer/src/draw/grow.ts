/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** The same numbers with room for n points. */
export function grown(old: Float32Array, n: number): Float32Array<ArrayBuffer> {
    const next = new Float32Array(3 * n);
    next.set(old);
    return next;
}
