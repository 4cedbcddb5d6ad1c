/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Numbers as people read them: no more digits than they have, no rounding noise.

const DIGITS = 7;
/** Part of the size of its quantity below which a number is rounding: 4,500 times the unit roundoff of a double. */
const NOISE = 1e-12;

/** `scale`: size of numbers of the same kind, say the length of the vector that x is a component of. What is only
 *  rounding beside it is shown as 0. */
export function showNumber(x: number, scale = 0): string {
    if (!Number.isFinite(x)) return String(x);
    const size = Math.abs(x);
    if (size <= NOISE * scale) return '0';
    if (size >= 1e-4 && size < 1e7) return String(Number(x.toPrecision(DIGITS)));
    const [mantissa, exponent] = x.toExponential(DIGITS - 1).split('e');
    return `${Number(mantissa)}e${Number(exponent)}`;
}
