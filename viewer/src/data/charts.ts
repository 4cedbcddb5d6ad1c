/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Charts by name: which series they show, of a run or of the selected body.
import { CONTACT_STATES, LEDGER } from './model.ts';
import type { Run } from './run.ts';
import { unitOfEnergy, unitOfImpulse, unitOfSpeed } from './units.ts';

export interface Line {
    label: string;
    /** contact state whose colour the line has, an index of CONTACT_STATES; undefined: the next colour of the palette */
    state?: number;
    x: Float64Array;
    y: Float64Array;
}

export interface ChartKind {
    id: string;
    label: string;
    unit: (run: Run) => string;
    /** logarithmic: values that are not positive are left out */
    log?: boolean;
    /** of the selected body */
    ofBody?: boolean;
    lines: (run: Run, body: number) => Promise<Line[]>;
}

function timeOf(run: Run): Float64Array {
    return run.time instanceof Float64Array ? run.time : Float64Array.from(run.time);
}

async function columns(run: Run, of: readonly (readonly [label: string, path: string])[]): Promise<Line[]> {
    const found = await Promise.all(of.map(async ([label, path]) => ({ label, y: await run.column(path) })));
    const x = timeOf(run);
    return found.flatMap(({ label, y }) => (y ? [{ label, x, y }] : []));
}

/** Running total. */
export function accumulate(y: Float64Array): Float64Array {
    let total = 0;
    return y.map((v) => (total += v));
}

const AXES = ['x', 'y', 'z'] as const;

async function bodyLines(run: Run, body: number, field: 'position' | 'velocity'): Promise<Line[]> {
    const track = await run.track(body);
    const values = track[field];
    if (values.length === 0) return [];
    const x = Float64Array.from(track.frame, (f) => run.time[f]);
    return AXES.slice(0, run.model.dim).map((axis, k) => ({
        label: field === 'position' ? axis : 'v' + axis,
        x,
        y: Float64Array.from(track.frame, (_, i) => values[3 * i + k]),
    }));
}

const energyUnit = (run: Run): string => unitOfEnergy(run.model.units);
const momentumUnit = (run: Run): string => unitOfImpulse(run.model.units);
const speedUnit = (run: Run): string => unitOfSpeed(run.model.units);

export const CHARTS: readonly ChartKind[] = [
    {
        id: 'position',
        label: 'Position',
        unit: (run) => run.model.units.length,
        ofBody: true,
        lines: (run, body) => bodyLines(run, body, 'position'),
    },
    {
        id: 'velocity',
        label: 'Velocity',
        unit: speedUnit,
        ofBody: true,
        lines: (run, body) => bodyLines(run, body, 'velocity'),
    },
    {
        id: 'energy',
        label: 'Energy',
        unit: energyUnit,
        lines: async (run) => {
            const parts = await columns(run, [
                ['kinetic', 'energy/kinetic'],
                ['potential', 'energy/gravity'],
                ['springs', 'energy/spring'],
            ]);
            const shown = parts.filter((p) => p.label !== 'springs' || p.y.some((v) => v !== 0));
            if (parts.length < 2) return shown;
            const total = parts[0].y.map((_, i) => parts.reduce((s, p) => s + p.y[i], 0));
            return [...shown, { label: 'total', x: parts[0].x, y: total }];
        },
    },
    {
        id: 'ledger',
        label: 'Energy account, summed',
        unit: energyUnit,
        lines: async (run) => {
            const all = await columns(
                run,
                LEDGER.map((name) => [name.replace('_', ' '), 'ledger/' + name] as const),
            );
            const kept = all.filter((l) => l.label === 'remainder' || l.y.some((v) => v !== 0));
            return kept.map((l) => ({ ...l, y: accumulate(l.y) }));
        },
    },
    {
        id: 'impulses',
        label: 'Contact impulses',
        unit: momentumUnit,
        lines: (run) =>
            columns(run, [
                ['normal', 'contacts.impulse'],
                ['friction', 'contacts.friction'],
            ]),
    },
    {
        id: 'contacts',
        label: 'Contacts',
        unit: () => '',
        lines: async (run) => {
            const lines = await columns(
                run,
                CONTACT_STATES.map((s) => [s, 'certificate/' + s] as const),
            );
            return lines.map((l) => ({
                ...l,
                state: CONTACT_STATES.indexOf(l.label as (typeof CONTACT_STATES)[number]),
            }));
        },
    },
    {
        id: 'residuals',
        label: 'Law residuals',
        unit: (run) => (speedUnit(run) ? `${speedUnit(run)}; law: 1` : ''),
        log: true,
        lines: (run) =>
            columns(
                run,
                ['law', 'momentum', 'joint', 'normal', 'cone', 'dissipation'].map(
                    (s) => [s, 'certificate/' + s] as const,
                ),
            ),
    },
    {
        id: 'iterations',
        label: 'Solver',
        unit: () => '',
        lines: (run) =>
            columns(run, [
                ['iterations', 'solver/iterations'],
                ['unknowns', 'solver/unknowns'],
                ['substeps', 'solver/substeps'],
            ]),
    },
    {
        id: 'overlap',
        label: 'Overlap and joint error',
        unit: (run) => run.model.units.length,
        log: true,
        lines: (run) =>
            columns(run, [
                ['overlap', 'certificate/overlap'],
                ['joint error', 'certificate/joint_error'],
            ]),
    },
];

/** Few enough points to draw, keeping the extremes: of each bucket the least and the largest stay, in their order. */
export function thin(line: Line, most: number): Line {
    const n = line.x.length;
    if (n <= most) return line;
    const buckets = Math.floor(most / 2);
    const x: number[] = [];
    const y: number[] = [];
    for (let b = 0; b < buckets; b++) {
        const from = Math.floor((b * n) / buckets);
        const to = Math.floor(((b + 1) * n) / buckets);
        let [low, high] = [from, from];
        for (let i = from; i < to; i++) {
            if (line.y[i] < line.y[low]) low = i;
            if (line.y[i] > line.y[high]) high = i;
        }
        for (const i of low === high ? [low] : low < high ? [low, high] : [high, low]) {
            x.push(line.x[i]);
            y.push(line.y[i]);
        }
    }
    return { ...line, x: Float64Array.from(x), y: Float64Array.from(y) };
}
