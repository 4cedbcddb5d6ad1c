/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// What the page of a study shows now: map, cell, colours, theme. Parts of the page listen for changes.
import type { Axis, Study, StudyMap } from './data.ts';
import { makeScale, type Scale } from './scale.ts';

export type Change = 'study' | 'map' | 'cell' | 'look';
export type ColourBy = 'value' | 'low' | 'high' | 'width' | 'count';

export const COLOURS: readonly (readonly [id: ColourBy, text: string])[] = [
    ['value', 'value'],
    ['low', 'lower end of the interval'],
    ['high', 'upper end of the interval'],
    ['width', 'width of the interval'],
    ['count', 'number of trials'],
];

/** On dark pages the darkest colours stay apart from the page; as figures do. */
const SCALES = { light: makeScale(0), dark: makeScale(0.1) };

function remembered(): 'light' | 'dark' {
    let theme: string | null = null;
    try {
        theme = localStorage.getItem('perp-theme');
    } catch {
        // pages from disk may have no storage
    }
    theme ??= matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    return theme === 'dark' ? 'dark' : 'light';
}

export class Session {
    study: Study | undefined;
    map = 0;
    /** -1: none is chosen */
    cell = -1;
    colourBy: ColourBy = 'value';
    theme = remembered();
    private readonly listeners: ((change: Change) => void)[] = [];

    constructor() {
        const at = new URLSearchParams(location.hash.slice(1));
        this.map = Math.max(0, Number(at.get('map') ?? 0) || 0);
        this.cell = at.has('cell') ? Number(at.get('cell')) : -1;
    }

    on(listener: (change: Change) => void): void {
        this.listeners.push(listener);
    }

    setStudy(study: Study): void {
        this.study = study;
        if (this.map >= study.maps.length) this.map = 0;
        const cells = study.maps[this.map]?.value.length ?? 0;
        if (!Number.isInteger(this.cell) || this.cell >= cells) this.cell = -1;
        this.tell('study');
    }

    setMap(map: number): void {
        const n = this.study?.maps.length ?? 0;
        if (n === 0) return;
        const shape = this.current?.value.length;
        this.map = (map + n) % n;
        // the same place in the next map is what one wants to compare
        if (this.current?.value.length !== shape) this.cell = -1;
        this.tell('map');
    }

    setCell(cell: number): void {
        this.cell = cell;
        this.tell('cell');
    }

    setColourBy(by: ColourBy): void {
        this.colourBy = by;
        this.tell('look');
    }

    toggleTheme(): void {
        this.theme = this.theme === 'dark' ? 'light' : 'dark';
        try {
            localStorage.setItem('perp-theme', this.theme);
        } catch {
            // it is forgotten then
        }
        this.tell('look');
    }

    get current(): StudyMap | undefined {
        return this.study?.maps[this.map];
    }

    get scale(): Scale {
        return SCALES[this.theme];
    }

    axis(i: number): Axis {
        if (!this.study) throw new Error('there is no study yet');
        return this.study.axes[i];
    }

    /** The numbers that the colours stand for, and their range. */
    colours(m: StudyMap): { of: Float64Array; range: [number, number]; label: string } {
        const most = (v: Float64Array): number => v.reduce((a, b) => (b > a ? b : a), 0) || 1;
        if (this.colourBy === 'width') {
            const of = m.value.map((_, i) => m.high[i] - m.low[i]);
            return { of, range: [0, most(of)], label: `${m.label}, width of the interval` };
        }
        if (this.colourBy === 'count') return { of: m.count, range: [0, most(m.count)], label: 'trials' };
        const of = this.colourBy === 'low' ? m.low : this.colourBy === 'high' ? m.high : m.value;
        const which = this.colourBy === 'value' ? '' : `, ${this.colourBy === 'low' ? 'lower' : 'upper'} end`;
        return { of, range: m.range, label: m.label + which };
    }

    private tell(change: Change): void {
        document.documentElement.dataset.theme = this.theme;
        const cell = this.cell >= 0 ? `&cell=${this.cell}` : '';
        // so that the way back from a trial leads here
        history.replaceState(null, '', `#map=${this.map}${cell}`);
        for (const listener of this.listeners) listener(change);
    }
}
