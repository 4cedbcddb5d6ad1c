/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// What a study's server tells: maps, cells, trials. Trust nothing: the first thing that is wrong is refused with one
// sentence.
import { addressOf } from '../data/address.ts';
import { Refusal } from '../data/check.ts';

export interface Axis {
    name: string;
    unit: string;
    /** centres of the cells, strictly increasing; places 0, 1, ... if there are labels */
    values: number[];
    /** names of classes */
    labels: string[] | null;
    log: boolean;
}

export interface StudyMap {
    title: string;
    /** of the colours */
    label: string;
    /** axes of the study; y is null for a sweep over one parameter */
    x: number;
    y: number | null;
    range: [number, number];
    contour: number[];
    /** rows of y, in each the cells of x; NaN: no data yet */
    value: Float64Array;
    low: Float64Array;
    high: Float64Array;
    /** trials that ended, and those of them that were not solved */
    count: Float64Array;
    unsolved: Float64Array;
}

export interface Study {
    title: string;
    file: string;
    program: string;
    /** to be brought along when a trial is to be run; empty: trials cannot be run */
    token: string;
    planned: number;
    done: number;
    unsolved: number;
    axes: Axis[];
    maps: StudyMap[];
    /** why there are no maps; may be empty */
    why: string;
}

export interface Column {
    name: string;
    unit: string;
    /** a parameter that was varied or sampled, or something measured */
    kind: 'parameter' | 'measure';
    /** its numbers are 0 (no) and 1 (yes) */
    yes: boolean;
}

export interface Trial {
    trial: number;
    /** done; unsolved: a step was not solved; failed: it could not be run */
    state: 'done' | 'unsolved' | 'failed';
    values: number[];
    steps: number;
    seconds: number;
    why: string;
}

export interface Cell {
    columns: Column[];
    trials: Trial[];
    /** all trials of the cell; more than are listed if there are very many */
    total: number;
}

export interface PlayState {
    state: 'none' | 'waiting' | 'running' | 'ready' | 'failed';
    /** part that is done, 0 to 1 */
    part: number;
    why: string;
}

type Json = Record<string, unknown>;

function record(what: string, v: unknown): Json {
    if (typeof v !== 'object' || v === null || Array.isArray(v)) throw new Refusal(`${what} is not an object.`);
    return v as Json;
}

function list(what: string, v: unknown): unknown[] {
    if (!Array.isArray(v)) throw new Refusal(`${what} is not a list.`);
    return v;
}

function text(v: unknown): string {
    return typeof v === 'string' ? v : '';
}

function whole(what: string, v: unknown, low: number, high: number): number {
    if (typeof v !== 'number' || !Number.isInteger(v) || v < low || v > high)
        throw new Refusal(`${what} is ${String(v)}, and a whole number from ${low} to ${high} is expected.`);
    return v;
}

/** Numbers; null stands for none. */
function numbers(what: string, v: unknown, length: number | undefined): Float64Array {
    const found = list(what, v);
    if (length !== undefined && found.length !== length)
        throw new Refusal(`${what} has ${found.length} numbers, and ${length} are expected.`);
    return Float64Array.from(found, (e) => {
        if (e === null) return NaN;
        if (typeof e !== 'number') throw new Refusal(`${what} holds ${JSON.stringify(e)}, which is not a number.`);
        return e;
    });
}

function readAxis(v: unknown, i: number): Axis {
    const a = record(`axes[${i}]`, v);
    const name = text(a.name);
    const labels = a.labels === undefined || a.labels === null ? null : list(`labels of ${name}`, a.labels).map(text);
    const values = labels ? labels.map((_, k) => k) : [...numbers(`values of ${name}`, a.values, undefined)];
    if (values.length === 0) throw new Refusal(`The axis ${name} has no values.`);
    if (values.some((x, k) => !Number.isFinite(x) || (k > 0 && x <= values[k - 1])))
        throw new Refusal(`The values of the axis ${name} do not increase.`);
    const log = a.log === true;
    if (log && values[0] <= 0) throw new Refusal(`The axis ${name} is logarithmic and begins at ${values[0]}.`);
    return { name, unit: text(a.unit), values, labels, log };
}

function readMap(v: unknown, i: number, axes: Axis[]): StudyMap {
    const what = `maps[${i}]`;
    const m = record(what, v);
    const x = whole(`${what}.x`, m.x, 0, axes.length - 1);
    const y = m.y === null || m.y === undefined ? null : whole(`${what}.y`, m.y, 0, axes.length - 1);
    const n = axes[x].values.length * (y === null ? 1 : axes[y].values.length);
    const value = numbers(`${what}.value`, m.value, n);
    const range = numbers(`${what}.range`, m.range, 2);
    if (!(range[0] < range[1])) throw new Refusal(`${what}.range runs from ${range[0]} to ${range[1]}.`);
    const optional = (key: string, otherwise: Float64Array): Float64Array =>
        m[key] === undefined || m[key] === null ? otherwise : numbers(`${what}.${key}`, m[key], n);
    return {
        title: text(m.title),
        label: text(m.label),
        x,
        y,
        range: [range[0], range[1]],
        contour: m.contour === undefined ? [] : [...numbers(`${what}.contour`, m.contour, undefined)],
        value,
        low: optional('low', value),
        high: optional('high', value),
        count: optional('count', new Float64Array(n)),
        unsolved: optional('unsolved', new Float64Array(n)),
    };
}

export const VERSION = 1;

export function readStudy(v: unknown): Study {
    const s = record('The study', v);
    if (s['perp-study'] !== VERSION)
        throw new Refusal(`The study has layout ${String(s['perp-study'])}, and this page reads layout ${VERSION}.`);
    const axes = list('axes', s.axes).map(readAxis);
    const trials = record('trials', s.trials);
    const planned = whole('trials.planned', trials.planned, 0, Number.MAX_SAFE_INTEGER);
    return {
        title: text(s.title),
        file: text(s.file),
        program: text(s.program),
        token: text(s.token),
        planned,
        done: whole('trials.done', trials.done, 0, planned),
        unsolved: whole('trials.unsolved', trials.unsolved, 0, planned),
        axes,
        maps: list('maps', s.maps).map((m, i) => readMap(m, i, axes)),
        why: text(s.why),
    };
}

export function readCell(v: unknown): Cell {
    const c = record('The cell', v);
    const columns = list('columns', c.columns).map((e, i): Column => {
        const k = record(`columns[${i}]`, e);
        return {
            name: text(k.name),
            unit: text(k.unit),
            kind: k.kind === 'parameter' ? 'parameter' : 'measure',
            yes: k.boolean === true,
        };
    });
    const trials = list('trials', c.trials).map((e, i): Trial => {
        const t = record(`trials[${i}]`, e);
        const state = t.state === 'unsolved' || t.state === 'failed' ? t.state : 'done';
        return {
            trial: whole(`trials[${i}].trial`, t.trial, 0, Number.MAX_SAFE_INTEGER),
            state,
            values: [...numbers(`trials[${i}].values`, t.values, columns.length)],
            steps: typeof t.steps === 'number' ? t.steps : NaN,
            seconds: typeof t.seconds === 'number' ? t.seconds : NaN,
            why: text(t.why),
        };
    });
    return { columns, trials, total: typeof c.total === 'number' ? c.total : trials.length };
}

export function readPlayState(v: unknown): PlayState {
    const p = record('The state of the trial', v);
    const states = ['none', 'waiting', 'running', 'ready', 'failed'] as const;
    const state = states.find((s) => s === p.state);
    if (!state) throw new Refusal(`The trial is in the state ${String(p.state)}, which this page does not know.`);
    return { state, part: typeof p.part === 'number' ? p.part : NaN, why: text(p.why) };
}

// ---- the server ----

async function ask(address: string, body?: string): Promise<unknown> {
    const answer = await fetch(addressOf(address), body === undefined ? {} : { method: 'POST', body }).catch(() => {
        throw new Refusal('The server does not answer. Is perp study still running?');
    });
    if (!answer.ok) {
        const said = (await answer.text()).trim();
        throw new Refusal(said && said.length < 300 ? said : `The server answers with status ${answer.status}.`);
    }
    return answer.json();
}

/** A study inside the page (exported) has no server: its trials cannot be listed or run. */
function embedded(): string | undefined {
    return document.querySelector('script[type="application/x-perp-study"]')?.textContent ?? undefined;
}

export const hasServer = (): boolean => embedded() === undefined;

export async function fetchStudy(): Promise<Study> {
    const inside = embedded();
    return readStudy(inside === undefined ? await ask('study.json') : JSON.parse(inside));
}

export async function fetchCell(map: number, cell: number): Promise<Cell> {
    return readCell(await ask(`map/${map}/cell/${cell}.json`));
}

/** Asks for a trial to be run and recorded. */
export async function runTrial(trial: number, token: string): Promise<PlayState> {
    return readPlayState(await ask(`trial/${trial}/run`, token));
}

export async function trialState(trial: number): Promise<PlayState> {
    return readPlayState(await ask(`trial/${trial}/state.json`));
}

/** The viewer's page, with this recording first. */
export function trialAddress(trial: number): string {
    return `trial/${trial}/`;
}
