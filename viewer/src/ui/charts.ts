/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The row of charts below the picture. A line in each follows the slider; a click goes to that moment.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import type { App } from '../app/app.ts';
import { CHARTS, thin, type ChartKind, type Line } from '../data/charts.ts';
import { css, PALETTE, STATE } from '../draw/theme.ts';
import { h } from './dom.ts';

/** More points than pixels would only take time. */
const MOST_POINTS = 3000;
const AT_START = ['energy', 'contacts', 'overlap'];

interface Tone {
    text: string;
    grid: string;
}

function tones(app: App): Tone {
    return app.look.theme.name === 'dark' ? { text: '#9aa4b5', grid: '#2a303a' } : { text: '#5b6575', grid: '#e3e6eb' };
}

/** Lines of one run share their x; those of two do not: uPlot joins them with gaps in between. */
function table(lines: Line[], log: boolean): uPlot.AlignedData {
    const clean = (y: Float64Array): (number | null)[] =>
        Array.from(y, (v) => (!Number.isFinite(v) || (log && v <= 0) ? null : log ? Math.log10(v) : v));
    const tables = lines.map((l) => [Array.from(l.x), clean(l.y)] as uPlot.AlignedData);
    if (tables.length === 0) return [[]];
    const nothing = tables.map(() => [1, 1]);
    return tables.length === 1 ? tables[0] : uPlot.join(tables, nothing as uPlot.JoinNullMode[][]);
}

/** Logarithms are drawn as numbers; their labels say what they stand for. */
function tick(v: number, log: boolean): string {
    if (log) return Number.isInteger(v) ? `1e${v}` : '';
    if (v === 0) return '0';
    const size = Math.abs(v);
    return size >= 1e-3 && size < 1e5 ? String(Number(v.toPrecision(4))) : v.toExponential(0);
}

/** One frame alone is drawn at the left of a range of its own; uPlot's is 0 to 100. */
function timeRange(u: uPlot, from: number | null, to: number | null): uPlot.Range.MinMax {
    const [first, second] = u.data[0];
    return second === undefined ? [first ?? 0, (first ?? 0) + 1] : [from ?? 0, to ?? 1];
}

class Chart {
    readonly root: HTMLElement;
    private readonly body = h('div.plot');
    private readonly note = h('div.note');
    private readonly now = h('div.now');
    private plot: uPlot | undefined;
    private asked = 0;

    constructor(
        private readonly app: App,
        readonly kind: ChartKind,
        close: () => void,
    ) {
        this.root = h(
            'div.chart',
            { 'data-testid': 'chart-' + kind.id },
            h('button.close', { title: 'Remove this chart', 'aria-label': 'Remove', onclick: close }, '×'),
            this.body,
            this.note,
        );
        this.note.textContent = `${kind.label}: reading …`;
        new ResizeObserver(() => this.fit()).observe(this.body);
    }

    async load(): Promise<void> {
        const ticket = ++this.asked;
        const { app, kind } = this;
        if (app.views.length === 0) {
            this.show([], '');
            return;
        }
        const name = app.look.selected >= 0 ? app.primary?.run.model.bodies.name[app.look.selected] : undefined;
        if (kind.ofBody && name === undefined) {
            this.show([], `${kind.label}: select a body`);
            return;
        }
        try {
            const lines: Line[] = [];
            let first = 0;
            for (const [i, view] of app.views.entries()) {
                const body = name === undefined ? -1 : view.run.model.bodies.name.indexOf(name);
                if (kind.ofBody && body < 0) continue;
                const own = (await kind.lines(view.run, body)).map((l) => thin(l, MOST_POINTS));
                lines.push(...own);
                if (i === 0) first = own.length;
            }
            if (ticket !== this.asked) return;
            const title = kind.ofBody ? `${kind.label} of ${name}` : kind.label;
            this.show(lines, lines.length > 0 ? title : `${kind.label}: not recorded`, first);
            this.root.dataset.shows = app.views.map((v) => v.run.name).join(' | ');
        } catch (e) {
            if (ticket === this.asked) this.show([], e instanceof Error ? e.message : String(e));
        }
    }

    /** Other recordings are shown: what is drawn belongs to those before. */
    clear(): void {
        this.asked++;
        this.show([], this.app.views.length > 0 ? `${this.kind.label}: reading …` : '');
    }

    /** The line to the moment that is shown. */
    follow(): void {
        if (!this.plot) return;
        const x = this.plot.valToPos(this.app.player.time, 'x');
        this.now.style.transform = `translateX(${x}px)`;
    }

    dispose(): void {
        this.plot?.destroy();
        this.root.remove();
    }

    /** The first `half` lines are those of the first recording. Those of the second have the same names and colours, and are dashed. */
    private show(lines: Line[], title: string, half = lines.length): void {
        this.plot?.destroy();
        this.plot = undefined;
        delete this.root.dataset.shows;
        const run = this.app.primary?.run;
        const unit = run ? this.kind.unit(run) : '';
        this.note.hidden = lines.length > 0;
        this.note.textContent = lines.length > 0 ? '' : title;
        if (lines.length === 0 || !run) return;
        const tone = tones(this.app);
        const font = '11px system-ui, sans-serif';
        const axis = { stroke: tone.text, font, grid: { stroke: tone.grid, width: 1 }, ticks: { show: false } };
        const log = this.kind.log ?? false;
        const colour = (i: number): string => {
            const { state } = lines[i] ?? {};
            const place = half > 0 ? (i + half) % half : i;
            return css(state === undefined ? PALETTE[place % PALETTE.length] : STATE[state]);
        };
        const data = table(lines, log);
        const all = (is: (v: number | null) => boolean): boolean =>
            data.slice(1).every((y) => Array.from(y as (number | null)[]).every(is));
        const empty = all((v) => v === null);
        const nothing = empty || (!log && all((v) => v === null || v === 0));
        this.plot = new uPlot(
            {
                width: Math.max(80, this.body.clientWidth),
                height: Math.max(60, this.body.clientHeight - 42),
                title: unit ? `${title} [${unit}]` : title,
                legend: {
                    live: false,
                    markers: { width: 0, fill: (_u, i) => colour(i - 1) },
                },
                // scales are known when it is drawn, not before
                hooks: { draw: [() => this.follow()] },
                cursor: { drag: { x: false, y: false }, points: { show: false } },
                scales: { x: { time: false, range: timeRange }, y: nothing ? { range: [0, 1] } : {} },
                axes: [
                    { ...axis, size: 22, space: 60, values: (_u, v) => v.map((x) => tick(x, false)) },
                    { ...axis, size: 52, values: (_u, v) => v.map((x) => (x === null || empty ? '' : tick(x, log))) },
                ],
                series: [
                    { label: 't' },
                    ...lines.map((l, i) => ({
                        label: l.label,
                        stroke: colour(i),
                        width: 1.5,
                        dash: i >= half ? [5, 4] : undefined,
                        points: { show: false },
                        spanGaps: lines.length > half,
                    })),
                ],
            },
            data,
            this.body,
        );
        if (half > 0 && half < lines.length) this.nameDashed();
        this.plot.over.append(this.now);
        this.plot.over.addEventListener('click', (e) => {
            if (!this.plot) return;
            // not offsetX: that is from the element that was hit, which may be the line of the moment
            const left = e.clientX - this.plot.over.getBoundingClientRect().left;
            this.app.play(false);
            this.app.seekTime(this.plot.posToVal(left, 'x'));
        });
        this.fit();
    }

    /** The legend has each name once; what is dashed stands beside the title. */
    private nameDashed(): void {
        const rows = [...this.body.querySelectorAll<HTMLElement>('.u-legend .u-series')];
        const named = new Set<string>();
        for (const row of rows) {
            const name = row.textContent ?? '';
            row.hidden = named.has(name);
            named.add(name);
        }
        this.body.querySelector('.u-title')?.append(h('span.dashed', {}, this.app.views[1]?.run.name ?? ''));
    }

    private fit(): void {
        if (!this.plot) return;
        const legend = this.body.querySelector<HTMLElement>('.u-legend')?.offsetHeight ?? 20;
        const title = this.body.querySelector<HTMLElement>('.u-title')?.offsetHeight ?? 20;
        this.plot.setSize({
            width: Math.max(80, this.body.clientWidth),
            height: Math.max(50, this.body.clientHeight - legend - title),
        });
    }
}

export function charts(app: App): HTMLElement {
    const row = h('div.charts-row');
    const add = h('select.add-chart', {
        'data-testid': 'add-chart',
        title: 'Add a chart',
        'aria-label': 'Add a chart',
    });
    const dock = h('div.charts', { 'data-testid': 'charts' }, row, add);
    let shown: Chart[] = [];
    let selected = -1;

    const offer = (): void => {
        const free = CHARTS.filter((k) => !shown.some((c) => c.kind === k));
        add.replaceChildren(h('option', { value: '' }, '+'), ...free.map((k) => h('option', { value: k.id }, k.label)));
        add.value = '';
    };
    const open = (id: string): void => {
        const kind = CHARTS.find((k) => k.id === id);
        if (!kind || shown.some((c) => c.kind === kind)) return;
        const chart = new Chart(app, kind, () => {
            chart.dispose();
            shown = shown.filter((c) => c !== chart);
            offer();
        });
        shown.push(chart);
        row.append(chart.root);
        if (app.drawn > 0) void chart.load();
        offer();
    };
    add.addEventListener('change', () => {
        open(add.value);
        add.blur();
    });
    AT_START.forEach(open);
    let theme = app.look.theme;
    app.on((change) => {
        if (change === 'moment') shown.forEach((c) => c.follow());
        if (change === 'runs') shown.forEach((c) => c.clear());
        if (change === 'series') shown.forEach((c) => void c.load());
        if (change === 'look') {
            const retone = theme !== app.look.theme;
            const reselect = selected !== app.look.selected;
            theme = app.look.theme;
            selected = app.look.selected;
            shown.filter((c) => retone || (reselect && c.kind.ofBody)).forEach((c) => void c.load());
        }
    });
    return dock;
}
