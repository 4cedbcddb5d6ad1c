/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Contacts are ragged: which rows of a block belong to a frame.
import { CONTACT_WIDTH, type Contacts } from './model.ts';
import type { ContactBlock } from './protocol.ts';

/** Rows of one frame out of a block of contacts. */
export function contactsOf(block: ContactBlock, k: number): Contacts {
    const from = block.start[k];
    const to = block.start[k + 1];
    const cut = <T extends Float64Array | Int32Array | Uint8Array>(all: T, width: number): T =>
        all.subarray(from * width, to * width) as T;
    const w = CONTACT_WIDTH;
    return {
        n: to - from,
        body: cut(block.body, w.body),
        point_a: cut(block.point_a, w.point_a),
        point_b: cut(block.point_b, w.point_b),
        normal: cut(block.normal, w.normal),
        tangent: cut(block.tangent, w.tangent),
        gap: cut(block.gap, w.gap),
        mu: cut(block.mu, w.mu),
        impulse: cut(block.impulse, w.impulse),
        state: cut(block.state, w.state),
    };
}
