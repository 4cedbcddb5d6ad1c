/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The certificate of a run in plain words. The limits of good and fair are those of perp info: both read verdict_limits.json.
// cli/judge.c says what each figure is compared with.
import type { LEDGER } from './model.ts';
import limits from './verdict_limits.json' with { type: 'json' };

export type Grade = 0 | 1 | 2;
export const GRADES = ['good', 'fair', 'poor'] as const;

export type Aspect = 'laws' | 'overlap' | 'joints' | 'energy' | 'creep' | 'twist';

type Limits = readonly [good: number, fair: number];
const table = limits as unknown as Record<Aspect | 'energy_loss', Limits>;
export const LIMITS: Record<Aspect, Limits> = table;
/** Of drift, gains and lost rebounds, which are findings of the energy too. */
export const LIMITS_LOSS = table.energy_loss;

export interface Finding {
    aspect: Aspect;
    grade: Grade;
    /** the figure as a part of what it is compared with */
    part: number;
    /** up to which it is good */
    good: number;
    text: string;
    /** where it is worst */
    frame: number;
}

export interface Verdict {
    grade: Grade;
    findings: Finding[];
    /** frame of the worst figure */
    frame: number;
    /** the worst part of its limit at each frame, on a scale from 0 (exact) to 1 (poor); for the strip */
    strip: Float64Array;
}

export interface Figures {
    law: Float64Array | null;
    overlap: Float64Array | null;
    joint_error: Float64Array | null;
    /** energies of the certificate; not in recordings before version 5 */
    gain: Float64Array | null;
    rebound_lost: Float64Array | null;
    /** how far what sticks moved; not in recordings before version 5 */
    creep: Float64Array | null;
    /** error of angular momentum of bodies that nothing holds; not in recordings before version 5 */
    twist: Float64Array | null;
    fall: Float64Array | null;
    kinetic_before: Float64Array | null;
    kinetic_after: Float64Array | null;
    ledger: Partial<Record<(typeof LEDGER)[number], Float64Array | null>>;
    /** width of the smallest body; 0: none */
    size: number;
    joints: number;
    time: ArrayLike<number>;
    unit: string;
}

/** NaN is poor. */
function gradeBy(x: number, [good, fair]: Limits): Grade {
    return x <= good ? 0 : x <= fair ? 1 : 2;
}

export function gradeOf(x: number, aspect: Aspect): Grade {
    return gradeBy(x, LIMITS[aspect]);
}

/** 0 up to the limit of good, 1 from ten times the limit of poor on, logarithmic between. */
export function severity(x: number, aspect: Aspect): number {
    if (Number.isNaN(x)) return 1;
    const [good, fair] = LIMITS[aspect];
    if (x <= good) return 0;
    return Math.min(1, Math.log(x / good) / Math.log((10 * fair) / good));
}

/** Index of the largest number; NaN counts as the largest. */
function worstOf(x: Float64Array): number {
    let best = 0;
    for (let i = 1; i < x.length && !Number.isNaN(x[best]); i++) if (!(x[i] <= x[best])) best = i;
    return best;
}

export function shortNumber(x: number): string {
    if (x === 0) return '0';
    return Math.abs(x) >= 1e-3 && Math.abs(x) < 1e5 ? String(Number(x.toPrecision(2))) : x.toExponential(1);
}

function sum(x: Float64Array | null | undefined): number {
    return x ? x.reduce((total, v) => total + v, 0) : 0;
}

/** Largest kinetic energy, range of the potentials, or what a step of fall gives, whichever is most. */
function energyAtHand(f: Figures): number {
    let most = 0;
    for (const x of [f.kinetic_before, f.kinetic_after, f.fall]) for (const k of x ?? []) most = Math.max(most, k);
    let potential = 0;
    let low = 0;
    let high = 0;
    const frames = f.kinetic_after?.length ?? 0;
    for (let i = 0; i < frames; i++) {
        potential -= (f.ledger.gravity?.[i] ?? 0) + (f.ledger.spring?.[i] ?? 0);
        low = Math.min(low, potential);
        high = Math.max(high, potential);
    }
    most = Math.max(most, high - low);
    return most > 0 ? most : 1;
}

/** Largest |sum| on the way, and the frame of it. */
function largestSum(...columns: (Float64Array | null | undefined)[]): { size: number; frame: number } {
    let total = 0;
    let size = 0;
    let frame = 0;
    const frames = Math.max(0, ...columns.map((x) => x?.length ?? 0));
    for (let i = 0; i < frames; i++) {
        for (const x of columns) total += x?.[i] ?? 0;
        if (!(Math.abs(total) <= size)) [size, frame] = [Math.abs(total), i];
    }
    return { size, frame };
}

function judgeEnergy(f: Figures): Finding | undefined {
    const r = f.ledger.remainder;
    if (!r || !f.kinetic_after || !f.kinetic_before) return undefined;
    const hand = energyAtHand(f);
    const open = Math.abs(sum(r)) / hand;
    const drift = largestSum(f.ledger.drift, f.ledger.joint);
    const rule = drift.size / hand;
    type Figure = { part: number; limits: readonly [number, number]; frame: number; text: string };
    const figures: Figure[] = [
        {
            part: open,
            limits: LIMITS.energy,
            frame: worstOf(r.map(Math.abs)),
            text:
                open <= LIMITS.energy[0]
                    ? `the account closes to ${shortNumber(open)} of the largest energy; time integration errs by ${shortNumber(rule)} of it`
                    : `the account leaves ${shortNumber(open)} of the largest energy unexplained`,
        },
        {
            part: rule,
            limits: LIMITS_LOSS,
            frame: drift.frame,
            text: `time integration errs by ${shortNumber(rule)} of the largest energy`,
        },
    ];
    const add = (x: Float64Array | null, text: (part: string) => string): void => {
        if (!x) return;
        const part = sum(x) / hand;
        figures.push({ part, limits: LIMITS_LOSS, frame: worstOf(x), text: text(shortNumber(part)) });
    };
    add(f.gain, (part) => `contacts added ${part} of the largest energy`);
    add(f.rebound_lost, (part) => `impacts lost ${part} of the largest energy more than their restitution explains`);
    const worst = figures.reduce((a, b) => (gradeBy(b.part, b.limits) > gradeBy(a.part, a.limits) ? b : a));
    const { part, limits, frame, text } = worst;
    return { aspect: 'energy', grade: gradeBy(part, limits), part, good: limits[0], text, frame };
}

function judgeLength(f: Figures, aspect: 'overlap' | 'joints', x: Float64Array, verb: string, none: string): Finding {
    const frame = worstOf(x);
    const part = x[frame] / (f.size > 0 ? f.size : 1);
    const unit = f.unit ? ' ' + f.unit : '';
    const share = f.size > 0 ? `, ${shortNumber(part)} of the smallest body` : '';
    const text = x[frame] === 0 ? none : `${verb} ${shortNumber(x[frame])}${unit}${share}`;
    return { aspect, grade: gradeOf(part, aspect), part, good: LIMITS[aspect][0], text, frame };
}

function judgeCreep(f: Figures, x: Float64Array): Finding {
    const way = sum(x);
    const part = way / (f.size > 0 ? f.size : 1);
    const unit = f.unit ? ' ' + f.unit : '';
    const share = f.size > 0 ? `, ${shortNumber(part)} of the smallest body` : '';
    const text =
        way === 0
            ? 'sticking contacts did not move'
            : `sticking contacts moved by at most ${shortNumber(way)}${unit}${share}`;
    return { aspect: 'creep', grade: gradeOf(part, 'creep'), part, good: LIMITS.creep[0], text, frame: worstOf(x) };
}

function judgeTwist(x: Float64Array): Finding {
    const frame = worstOf(x);
    const part = x[frame];
    const text =
        part === 0
            ? 'free bodies keep their angular momentum'
            : `the angular momentum of free bodies changed by up to ${shortNumber(part)} of itself in a step`;
    return { aspect: 'twist', grade: gradeOf(part, 'twist'), part, good: LIMITS.twist[0], text, frame };
}

export function judge(f: Figures): Verdict | undefined {
    if (!f.law || !f.overlap || !f.joint_error || f.law.length === 0) return undefined;
    const law = worstOf(f.law);
    const findings: Finding[] = [
        {
            aspect: 'laws',
            grade: gradeOf(f.law[law], 'laws'),
            part: f.law[law],
            good: LIMITS.laws[0],
            text: f.law[law] === 0 ? 'hold exactly' : `largest residual ${shortNumber(f.law[law])} of the speeds`,
            frame: law,
        },
        judgeLength(f, 'overlap', f.overlap, 'deepest', 'none'),
    ];
    if (f.joints > 0) findings.push(judgeLength(f, 'joints', f.joint_error, 'largest error', 'hold exactly'));
    const energy = judgeEnergy(f);
    if (energy) findings.push(energy);
    if (f.creep) findings.push(judgeCreep(f, f.creep));
    if (f.twist) findings.push(judgeTwist(f.twist));
    // the figure that comes nearest to its limit of good, or passes it furthest, decides where to look
    const distance = (x: Finding): number => (Number.isNaN(x.part) ? Infinity : x.part / x.good);
    const worst = findings.reduce((a, b) => (distance(b) > distance(a) ? b : a));
    const size = f.size > 0 ? f.size : 1;
    const strip = new Float64Array(f.law.length);
    for (let i = 0; i < strip.length; i++)
        strip[i] = Math.max(
            severity(f.law[i], 'laws'),
            severity(f.overlap[i] / size, 'overlap'),
            f.joints > 0 ? severity(f.joint_error[i] / size, 'joints') : 0,
        );
    const grade = Math.max(...findings.map((x) => x.grade)) as Grade;
    return { grade, findings, frame: worst.frame, strip };
}
