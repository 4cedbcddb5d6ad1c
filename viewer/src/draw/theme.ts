/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Colours of the drawing in both themes. Colours are sRGB, 0 to 1: the shaders write them as they are.
// perp render and perp plot read the colours of contact states from the same file (cli/CMakeLists.txt).
import stateColours from './contact_state_colours.json' with { type: 'json' };

export type Rgb = readonly [number, number, number];

export function rgb(hex: number): Rgb {
    return [((hex >> 16) & 255) / 255, ((hex >> 8) & 255) / 255, (hex & 255) / 255];
}

/** From '#rrggbb'. */
export function rgbOf(hex: string): Rgb {
    return rgb(parseInt(hex.slice(1), 16));
}

export interface Theme {
    name: 'light' | 'dark';
    background: Rgb;
    plane: Rgb;
    grid: Rgb;
    shadow: Rgb;
    edge: Rgb;
    /** line on the surface of a half-plane */
    surface: Rgb;
    /** obstacle, kinematic, dynamic */
    kind: readonly [Rgb, Rgb, Rgb];
    /** separating, sticking, sliding */
    state: readonly [Rgb, Rgb, Rgb];
    gapOpen: Rgb;
    gapOverlap: Rgb;
    normal: Rgb;
    impulse: Rgb;
    cone: Rgb;
    joint: Rgb;
    axis: Rgb;
    path: Rgb;
    box: Rgb;
    tripod: Rgb;
    velocity: Rgb;
    select: Rgb;
    second: Rgb;
}

/** Colours of contacts by their state: separating, sticking, sliding. */
export const STATE: readonly [Rgb, Rgb, Rgb] = [
    rgbOf(stateColours.separating),
    rgbOf(stateColours.sticking),
    rgbOf(stateColours.sliding),
];

const common = {
    state: STATE,
    gapOpen: rgb(0x3f7fd0),
    gapOverlap: rgb(0xd6453d),
    impulse: rgb(0xd6453d),
    cone: rgb(0xe0a63a),
    joint: rgb(0x8256c9),
    tripod: rgb(0x1d9aa8),
    velocity: rgb(0x2d7dd2),
    select: rgb(0xffb000),
} as const;

export const LIGHT: Theme = {
    ...common,
    name: 'light',
    background: rgb(0xf5f6f8),
    plane: rgb(0xe4e7ec),
    grid: rgb(0xc3c9d3),
    shadow: rgb(0x9aa3b2),
    edge: rgb(0x1d2430),
    surface: rgb(0x3a4454),
    kind: [rgb(0xb4bac4), rgb(0xe3a548), rgb(0x5a8fc8)],
    normal: rgb(0x4a5566),
    axis: rgb(0x8256c9),
    path: rgb(0x6b7688),
    box: rgb(0x7c8698),
    second: rgb(0xd98a4b),
};

export const DARK: Theme = {
    ...common,
    name: 'dark',
    background: rgb(0x14171d),
    plane: rgb(0x1f242d),
    grid: rgb(0x39414e),
    shadow: rgb(0x0d0f13),
    edge: rgb(0x0b0d11),
    surface: rgb(0x8791a3),
    kind: [rgb(0x69717e), rgb(0xd69a3f), rgb(0x5b93d1)],
    normal: rgb(0xc3cad6),
    axis: rgb(0xb191ec),
    path: rgb(0x98a3b5),
    box: rgb(0x8a95a7),
    second: rgb(0xd98a4b),
};

/** Calm colours that can be told apart, for bodies and materials in turn. */
export const PALETTE: readonly Rgb[] = [
    0x5a8fc8, 0xdf9a57, 0x6fae7f, 0xc76b73, 0x8d7fc0, 0x4fa9ad, 0xd0b04f, 0xb07aa5, 0x8a9a5b, 0x6c8ea0, 0xc98f7a,
    0x7fa6d9,
].map(rgb);

const RAMP: readonly Rgb[] = [0x3b4cc0, 0x3f8fb5, 0x59b98b, 0xd9c55a, 0xe8833a, 0xc8352f].map(rgb);

/** Colour of a part of the whole, 0 to 1: cold to hot. */
export function ramp(x: number): Rgb {
    const at = Math.min(Math.max(x, 0), 1) * (RAMP.length - 1);
    const i = Math.min(Math.floor(at), RAMP.length - 2);
    const f = at - i;
    const [a, b] = [RAMP[i], RAMP[i + 1]];
    return [a[0] + f * (b[0] - a[0]), a[1] + f * (b[1] - a[1]), a[2] + f * (b[2] - a[2])];
}

export function css(c: Rgb): string {
    return `rgb(${c.map((x) => Math.round(255 * x)).join(' ')})`;
}
