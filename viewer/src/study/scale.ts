/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The colour scale of maps, the same as in figures (cli/plot_scale.c, which says why): a curve through five points in
// OKLab, from dark violet over teal to yellow, walked at constant speed.

const CONTROL = [
    [0.27, 0.115, 292],
    [0.43, 0.105, 262],
    [0.59, 0.098, 210],
    [0.75, 0.14, 155],
    [0.92, 0.18, 107],
] as const;
export const STEPS = 256;
const FINE = 2048;

/** Second derivatives of the natural cubic spline through y at 0, 1, ... */
function secondDerivatives(y: number[]): number[] {
    const n = y.length;
    const pivot = new Array<number>(n).fill(0);
    const right = new Array<number>(n).fill(0);
    const m = new Array<number>(n).fill(0);
    for (let i = 1; i < n - 1; i++) {
        const factor = i > 1 ? 1 / pivot[i - 1] : 0;
        pivot[i] = 4 - factor;
        right[i] = 6 * (y[i + 1] - 2 * y[i] + y[i - 1]) - factor * right[i - 1];
    }
    for (let i = n - 2; i > 0; i--) m[i] = (right[i] - m[i + 1]) / pivot[i];
    return m;
}

function spline(y: number[]): (u: number) => number {
    const m = secondDerivatives(y);
    return (u) => {
        const i = Math.min(Math.floor(u), y.length - 2);
        const t = u - i;
        const s = 1 - t;
        return s * y[i] + t * y[i + 1] + ((s ** 3 - s) * m[i] + (t ** 3 - t) * m[i + 1]) / 6;
    };
}

type Lab = readonly [number, number, number];

function encode(c: number): number {
    const v = c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;
    return Math.round(255 * Math.min(Math.max(v, 0), 1));
}

/** Ottosson (2020). */
function hex([L, a, b]: Lab): string {
    const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
    const parts = [
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
    ];
    return '#' + parts.map((c) => encode(c).toString(16).padStart(2, '0')).join('');
}

export interface Scale {
    colour: readonly string[];
    /** lightness of each, 0 to 1 */
    light: readonly number[];
}

/** from > 0 leaves the darkest colours out, for dark pages. */
export function makeScale(from: number): Scale {
    const [L, a, b] = [
        spline(CONTROL.map(([l]) => l)),
        spline(CONTROL.map(([, c, h]) => c * Math.cos((h * Math.PI) / 180))),
        spline(CONTROL.map(([, c, h]) => c * Math.sin((h * Math.PI) / 180))),
    ];
    const at: Lab[] = [];
    const length = [0];
    for (let i = 0; i <= FINE; i++) {
        const u = (i * (CONTROL.length - 1)) / FINE;
        at.push([L(u), a(u), b(u)]);
        if (i > 0) length.push(length[i - 1] + Math.hypot(...at[i].map((v, k) => v - at[i - 1][k])));
    }
    const colour: string[] = [];
    const light: number[] = [];
    let i = 0;
    for (let k = 0; k < STEPS; k++) {
        const want = length[FINE] * (from + ((1 - from) * k) / (STEPS - 1));
        while (i < FINE - 1 && length[i + 1] < want) i++;
        const t = (want - length[i]) / (length[i + 1] - length[i]);
        const mix = (c: 0 | 1 | 2): number => at[i][c] + t * (at[i + 1][c] - at[i][c]);
        colour.push(hex([mix(0), mix(1), mix(2)]));
        light.push(mix(0));
    }
    return { colour, light };
}

export function stepOf(v: number, [low, high]: readonly [number, number]): number {
    return Math.min(Math.max(Math.floor(((v - low) / (high - low)) * STEPS), 0), STEPS - 1);
}
