// The certificate of a run in plain words, with the limits of perp info:
//              good        fair       poor
//   laws       <= 1e-8     <= 1e-4    above    largest residual of any step, as a part of the speeds in that step
//   overlap    <= 1e-6     <= 1e-2    above    deepest, as a part of the smallest body
//   joints     <= 1e-6     <= 1e-2    above    largest error, as a part of the smallest body
//   energy     <= 1e-9     <= 1e-6    above    what the account leaves open, as a part of the largest energy in it
import { LEDGER } from './model.ts';

export type Grade = 0 | 1 | 2;
export const GRADES = ['good', 'fair', 'poor'] as const;

export const LIMITS = {
    laws: [1e-8, 1e-4],
    overlap: [1e-6, 1e-2],
    joints: [1e-6, 1e-2],
    energy: [1e-9, 1e-6],
} as const;
export type Aspect = keyof typeof LIMITS;

export interface Finding {
    aspect: Aspect;
    grade: Grade;
    /** the figure as a part of what it is compared with */
    part: number;
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
export function gradeOf(x: number, aspect: Aspect): Grade {
    const [good, fair] = LIMITS[aspect];
    return x <= good ? 0 : x <= fair ? 1 : 2;
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

function judgeEnergy(f: Figures): Finding | undefined {
    const r = f.ledger.remainder;
    if (!r || !f.kinetic_after || !f.kinetic_before) return undefined;
    let most = Math.max(Math.abs(f.kinetic_before[0]), ...[f.kinetic_after[f.kinetic_after.length - 1]].map(Math.abs));
    for (const k of f.kinetic_after) most = Math.max(most, k);
    for (const name of LEDGER) most = Math.max(most, Math.abs(sum(f.ledger[name])));
    const open = sum(r);
    const part = open === 0 ? 0 : Math.abs(open) / most;
    const frame = worstOf(r.map(Math.abs));
    const text =
        part === 0
            ? 'the account closes exactly'
            : part <= LIMITS.energy[0]
              ? `the account closes to rounding, ${shortNumber(part)} of the largest energy`
              : `the account leaves ${shortNumber(part)} of the largest energy open`;
    return { aspect: 'energy', grade: gradeOf(part, 'energy'), part, text, frame };
}

function judgeLength(f: Figures, aspect: 'overlap' | 'joints', x: Float64Array, verb: string, none: string): Finding {
    const frame = worstOf(x);
    const part = x[frame] / (f.size > 0 ? f.size : 1);
    const unit = f.unit ? ' ' + f.unit : '';
    const share = f.size > 0 ? `, ${shortNumber(part)} of the smallest body` : '';
    const text = x[frame] === 0 ? none : `${verb} ${shortNumber(x[frame])}${unit}${share}`;
    return { aspect, grade: gradeOf(part, aspect), part, text, frame };
}

export function judge(f: Figures): Verdict | undefined {
    if (!f.law || !f.overlap || !f.joint_error || f.law.length === 0) return undefined;
    const law = worstOf(f.law);
    const findings: Finding[] = [
        {
            aspect: 'laws',
            grade: gradeOf(f.law[law], 'laws'),
            part: f.law[law],
            text: f.law[law] === 0 ? 'hold exactly' : `hold to ${shortNumber(f.law[law])} of the speeds`,
            frame: law,
        },
        judgeLength(f, 'overlap', f.overlap, 'deepest', 'none'),
    ];
    if (f.joints > 0) findings.push(judgeLength(f, 'joints', f.joint_error, 'part by', 'hold exactly'));
    const energy = judgeEnergy(f);
    if (energy) findings.push(energy);
    // the figure that comes nearest to its limit of good, or passes it furthest, decides where to look
    const distance = (x: Finding): number => (Number.isNaN(x.part) ? Infinity : x.part / LIMITS[x.aspect][0]);
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
