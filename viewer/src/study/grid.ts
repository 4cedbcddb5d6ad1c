/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// From axes to places: edges of cells, ticks, numbers as words, contours.
import type { Axis } from './data.ts';

/** Edges of the cells, as parts 0 to 1 of the axis: in the middle between centres, outer cells symmetric; as figures have
 *  them (cli/plot_map.c). */
export function edges(axis: Axis): number[] {
    const c = axis.values.map((v) => (axis.log ? Math.log10(v) : v));
    const n = c.length;
    if (n === 1) return [0, 1];
    const e = [c[0] - (c[1] - c[0]) / 2];
    for (let i = 1; i < n; i++) e.push((c[i - 1] + c[i]) / 2);
    e.push(c[n - 1] + (c[n - 1] - c[n - 2]) / 2);
    return e.map((v) => (v - e[0]) / (e[n] - e[0]));
}

/** Places of the centres, as parts of the axis. */
export function centres(axis: Axis): number[] {
    const e = edges(axis);
    if (axis.values.length === 1) return [0.5];
    const c = axis.values.map((v) => (axis.log ? Math.log10(v) : v));
    const [a, b] = [c[0] - (c[1] - c[0]) / 2, c[c.length - 1] + (c[c.length - 1] - c[c.length - 2]) / 2];
    return c.map((v, i) => Math.min(Math.max((v - a) / (b - a), e[i]), e[i + 1]));
}

/** A number with its true minus sign and no more digits than it needs. */
export function word(v: number, digits = 4): string {
    if (!Number.isFinite(v)) return '–';
    const size = Math.abs(v);
    const plain = v === 0 || (size >= 1e-4 && size < 1e6);
    return (plain ? String(Number(v.toPrecision(digits))) : v.toExponential(Math.min(digits, 3) - 1)).replaceAll(
        '-',
        '−',
    );
}

export function valueWord(axis: Axis, i: number): string {
    if (axis.labels) return axis.labels[i];
    return word(axis.values[i]) + (axis.unit ? ` ${axis.unit}` : '');
}

export function axisTitle(axis: Axis): string {
    return axis.unit ? `${axis.name} [${axis.unit}]` : axis.name;
}

export interface Tick {
    /** part 0 to 1 of the axis */
    at: number;
    text: string;
}

/** Round numbers from low to high: at most `most`. */
export function niceTicks(low: number, high: number, most: number): number[] {
    const raw = (high - low) / Math.max(most, 1);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * (1 - 1e-9)) ?? 10 * power;
    const ticks: number[] = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * (high - low); k++)
        ticks.push(Number((k * step).toPrecision(12)));
    return ticks;
}

/** Ticks of an axis: classes all by name; few values all of them; else round numbers. */
export function axisTicks(axis: Axis, most: number): Tick[] {
    const place = centres(axis);
    if (axis.labels) return axis.labels.map((text, i) => ({ at: place[i], text }));
    if (axis.values.length <= most) return axis.values.map((v, i) => ({ at: place[i], text: word(v) }));
    if (axis.log) {
        const stride = Math.ceil(axis.values.length / most);
        return axis.values.map((v, i) => ({ at: place[i], text: word(v, 2) })).filter((_, i) => i % stride === 0);
    }
    const [first, last] = [axis.values[0], axis.values[axis.values.length - 1]];
    const [a, b] = [place[0], place[place.length - 1]];
    return niceTicks(first, last, most).map((v) => ({
        at: a + ((v - first) / (last - first)) * (b - a),
        text: word(v),
    }));
}

export type Segment = readonly [x0: number, y0: number, x1: number, y1: number];

/** Lines of equal value through numbers at (x[i], y[j]), by marching squares, piece by piece. A square with a corner
 *  without a number is left out. */
export function contour(x: number[], y: number[], value: ArrayLike<number>, level: number): Segment[] {
    const out: Segment[] = [];
    const nx = x.length;
    for (let j = 0; j + 1 < y.length; j++)
        for (let i = 0; i + 1 < nx; i++) {
            // around the square
            const corner = [
                [x[i], y[j], value[j * nx + i]],
                [x[i + 1], y[j], value[j * nx + i + 1]],
                [x[i + 1], y[j + 1], value[(j + 1) * nx + i + 1]],
                [x[i], y[j + 1], value[(j + 1) * nx + i]],
            ];
            if (corner.some((c) => !Number.isFinite(c[2]))) continue;
            const above = corner.map((c) => c[2] >= level);
            const crossing = corner.map((a, k) => {
                const b = corner[(k + 1) % 4];
                const t = (level - a[2]) / (b[2] - a[2]);
                return [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
            });
            const join = (a: number, b: number): void => {
                out.push([crossing[a][0], crossing[a][1], crossing[b][0], crossing[b][1]]);
            };
            const crossed = [0, 1, 2, 3].filter((k) => above[k] !== above[(k + 1) % 4]);
            if (crossed.length === 2) join(crossed[0], crossed[1]);
            if (crossed.length < 4) continue;
            const mean = corner.reduce((sum, c) => sum + c[2] / 4, 0);
            // the corners on the side of the mean hang together
            if (mean >= level === above[0]) {
                join(0, 1);
                join(2, 3);
            } else {
                join(3, 0);
                join(1, 2);
            }
        }
    return out;
}
