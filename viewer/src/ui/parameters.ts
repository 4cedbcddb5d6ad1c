/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Parameters that the scene of a live run names: a slider for each. A new value restarts the run.
import type { LiveRun, Parameter } from '../data/live.ts';
import { raised } from '../data/units.ts';
import { h } from './dom.ts';
import { showNumber } from './number.ts';

/** Positions of a slider. */
const POSITIONS = 200;

/** From where to where a slider goes: the limits of the scene, or twice the value where there is none. A whole number that
 *  the scene declares stays one: it counts something. */
export function rangeOf(p: Parameter): { min: number; max: number; step: number } {
    const size = Math.max(Math.abs(p.default), Math.abs(p.value)) || 1;
    const whole = Number.isInteger(p.default) && Number.isInteger(p.value) && size >= 1;
    const min = p.min ?? (Math.min(p.default, p.value) < 0 ? -2 * size : 0);
    const max = Math.max(p.max ?? 2 * size, min);
    const fine = (max - min) / POSITIONS;
    // 1, 2 or 5 times a power of ten, so that values are round
    const power = 10 ** Math.floor(Math.log10(fine || 1));
    const part = fine / power;
    return { min, max, step: whole ? 1 : power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10) };
}

function row(run: LiveRun, p: Parameter): HTMLElement {
    const { min, max, step } = rangeOf(p);
    const value = h('output', {}, showNumber(p.value));
    const slider = h('input', {
        type: 'range',
        min,
        max,
        step: 'any',
        value: p.value,
        'data-testid': 'parameter-' + p.name,
        'aria-label': p.name,
    });
    // steps counted from zero, not from the least value: 0.5, not 0.501
    const rounded = (): number =>
        Number(Math.min(max, Math.max(min, step * Math.round(Number(slider.value) / step))).toPrecision(12));
    slider.addEventListener('input', () => (value.textContent = showNumber(rounded())));
    slider.addEventListener('change', () => {
        slider.blur();
        if (rounded() !== p.value) void run.send(`set ${p.name}=${rounded()}`);
    });
    const back = h(
        'button.small',
        {
            title: `Back to ${showNumber(p.default)}`,
            'data-testid': `parameter-${p.name}-back`,
            onclick: () => void run.send(`set ${p.name}=${p.default}`),
        },
        '↺',
    );
    back.hidden = p.value === p.default;
    slider.disabled = min === max;
    return h(
        'label.parameter',
        { title: p.about || p.name },
        h('span.name', {}, p.name),
        h('span.value', {}, value, p.unit ? ` ${raised(p.unit)}` : '', back),
        slider,
    );
}

export function parameters(): { root: HTMLElement; attach: (run: LiveRun) => void } {
    const list = h('div.parameters');
    const root = h(
        'section',
        { 'data-testid': 'parameters' },
        h('h2', {}, 'Parameters'),
        list,
        h('p.hint', {}, 'A new value restarts the run.'),
    );
    return {
        root,
        attach: (run) => {
            list.replaceChildren(...run.parameters.map((p) => row(run, p)));
            root.hidden = run.parameters.length === 0;
        },
    };
}
