/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The selected body and its numbers at the moment that is shown.
import type { App } from '../app/app.ts';
import { BODY_KINDS, type Contacts } from '../data/model.ts';
import { unitOfEnergy, unitOfImpulse, unitOfSpeed, unitOfTurning } from '../data/units.ts';
import { impulseOf } from '../draw/contact_layers.ts';
import { css, rgb } from '../draw/theme.ts';
import { h } from './dom.ts';
import { showNumber } from './number.ts';

interface Row {
    id: string;
    label: string;
    value: number;
    unit: string;
    /** size of numbers of this kind here: what is only rounding beside it is shown as 0 */
    scale: number;
}

function kinetic(mass: number, inertia: Float64Array, q: Float64Array, v: Float64Array, w: Float64Array): number {
    let energy = 0.5 * mass * (v[0] ** 2 + v[1] ** 2 + v[2] ** 2);
    if (inertia.length < 9) return energy;
    // spin in body axes: the inertia is constant there
    const [qw, x, y, z] = q;
    const t = [2 * (z * w[1] - y * w[2]), 2 * (x * w[2] - z * w[0]), 2 * (y * w[0] - x * w[1])];
    const b = [
        w[0] + qw * t[0] - (y * t[2] - z * t[1]),
        w[1] + qw * t[1] - (z * t[0] - x * t[2]),
        w[2] + qw * t[2] - (x * t[1] - y * t[0]),
    ];
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) energy += 0.5 * b[i] * inertia[3 * j + i] * b[j];
    return energy;
}

/** Number of contacts of a body, and the size of the sum of their impulses on it. */
function contactSum(c: Contacts, body: number): { count: number; impulse: number } {
    let count = 0;
    const sum = [0, 0, 0];
    for (let i = 0; i < c.n; i++) {
        const sign = c.body[2 * i + 1] === body ? 1 : c.body[2 * i] === body ? -1 : 0;
        if (sign === 0) continue;
        count++;
        impulseOf(c, i).forEach((x, k) => (sum[k] += sign * x));
    }
    return { count, impulse: Math.hypot(...sum) };
}

function rowsOf(app: App, body: number): Row[] {
    const view = app.primary;
    const run = view?.run;
    const pose = view && run?.pose(view.shown, app.player.playing);
    if (!run || !pose) return [];
    const m = run.model;
    const u = m.units;
    const [speed, turning, energy] = [unitOfSpeed(u), unitOfTurning(u), unitOfEnergy(u)];
    const { size } = view.measures;
    const rows: Row[] = [];
    const add = (id: string, label: string, value: number, unit: string, scale = 0): void =>
        void rows.push({ id, label, value, unit, scale });
    const p = pose.position.subarray(3 * body, 3 * body + 3);
    const q = pose.orientation.subarray(4 * body, 4 * body + 4);
    const axes = m.dim === 2 ? ['x', 'y'] : ['x', 'y', 'z'];
    if (m.bodies.kind[body] === 2) add('mass', 'mass', m.bodies.mass[body], u.mass);
    axes.forEach((a, k) => add(a, a, p[k], u.length, size));
    if (m.dim === 2) add('angle', 'angle', 2 * Math.atan2(q[3], q[0]), 'rad', 1);
    else ['qw', 'qx', 'qy', 'qz'].forEach((a, k) => add(a, a, q[k], '', 1));
    const twist = run.twist(view.shown, app.player.playing);
    if (twist) {
        const v = twist.velocity.subarray(3 * body, 3 * body + 3);
        const w = twist.spin.subarray(3 * body, 3 * body + 3);
        const fast = Math.max(view.measures.speed, Math.hypot(...v));
        const turns = view.measures.unit > 0 ? fast / view.measures.unit : 0;
        axes.forEach((a, k) => add('v' + a, 'v' + a, v[k], speed, fast));
        add('speed', 'speed', Math.hypot(...v), speed, fast);
        if (m.dim === 2) add('wz', 'spin', w[2], turning, turns);
        else ['wx', 'wy', 'wz'].forEach((a, k) => add(a, a, w[k], turning, turns));
        if (m.bodies.kind[body] === 2) {
            const inertia = m.bodies.inertia.subarray(9 * body, 9 * body + 9);
            const scale = m.bodies.mass[body] * fast ** 2;
            add('kinetic', 'kinetic energy', kinetic(m.bodies.mass[body], inertia, q, v, w), energy, scale);
        }
    }
    if (m.bodies.kind[body] === 2) {
        // as the recording's energy/gravity: zero at the origin
        const g = m.gravity;
        const scale = m.bodies.mass[body] * Math.hypot(...g) * size;
        const potential = -m.bodies.mass[body] * (g[0] * p[0] + g[1] * p[1] + g[2] * p[2]);
        add('potential', 'potential energy', potential, energy, scale);
    }
    const contacts = run.contacts(view.shown, app.player.playing);
    if (contacts) {
        const { count, impulse } = contactSum(contacts, body);
        add('contacts', 'contacts', count, '');
        add('impulse', 'contact impulse', impulse, unitOfImpulse(u));
    }
    return rows;
}

export function selection(app: App): HTMLElement {
    const pick = h('select', { 'data-testid': 'body', title: 'Body (B: the next one)' });
    pick.addEventListener('change', () => {
        app.select(Number(pick.value));
        pick.blur();
    });
    const kind = h('span.kind', { 'data-testid': 'body-kind' });
    const colour = h('input', { type: 'color', 'data-testid': 'body-colour', title: 'Colour of this body' });
    colour.addEventListener('input', () =>
        app.setOwnColour(app.look.selected, rgb(parseInt(colour.value.slice(1), 16))),
    );
    const look = h(
        'button.small',
        { 'data-testid': 'look-at', title: 'Camera to the body (G)', onclick: () => app.lookAtSelected() },
        'look at',
    );
    const clear = h(
        'button.small',
        { 'data-testid': 'deselect', title: 'Select nothing (Esc)', onclick: () => app.select(-1) },
        'clear',
    );
    const tools = h('div.tools', {}, kind, colour, look, clear);
    const table = h('table.numbers', { 'data-testid': 'numbers' });
    const hint = h('p.hint', {}, 'Click a body, or choose one, to read its numbers and to see its charts.');

    const show = (): void => {
        const body = app.look.selected;
        const run = app.primary?.run;
        tools.hidden = body < 0;
        hint.hidden = body >= 0;
        if (body < 0 || !run) {
            table.replaceChildren();
            return;
        }
        kind.textContent = BODY_KINDS[run.model.bodies.kind[body]] ?? '';
        const rows = rowsOf(app, body);
        if (rows.length === 0) return;
        table.replaceChildren(
            ...rows.map((r) =>
                h(
                    'tr',
                    {},
                    h('th', {}, r.label),
                    h(
                        'td',
                        { 'data-testid': 'number-' + r.id, 'data-value': r.value, title: String(r.value) },
                        showNumber(r.value, r.scale),
                    ),
                    h('td.unit', {}, r.unit),
                ),
            ),
        );
        table.dataset.frame = String(app.primary?.shown);
    };
    app.on((change) => {
        if (change === 'runs') {
            const names = app.primary?.run.model.bodies.name ?? [];
            pick.replaceChildren(
                h('option', { value: -1 }, 'none'),
                ...names.map((name, i) => h('option', { value: i }, name)),
            );
        }
        if (change === 'look' || change === 'runs') {
            pick.value = String(app.look.selected);
            const body = app.look.selected;
            if (body >= 0 && app.primary) {
                const parts = css(app.primary.colourOf(body, app.primary.run.model.shapes.body.indexOf(body), app.look))
                    .match(/\d+/g)
                    ?.map((x) => Number(x).toString(16).padStart(2, '0'));
                if (parts) colour.value = '#' + parts.join('');
            }
        }
        if (change === 'look' || change === 'runs' || change === 'moment') show();
    });
    return h('section.selection', {}, h('h2', {}, 'Body'), pick, tools, hint, table);
}
