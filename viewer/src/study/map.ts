/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// One map, large: cells that can be pointed at, walked over with the arrow keys and chosen; contours, axes, colour bar.
// A sweep over one parameter is drawn as points with their intervals.
import { h } from '../ui/dom.ts';
import type { StudyMap } from './data.ts';
import { axisTicks, axisTitle, centres, contour, edges, niceTicks, valueWord, word } from './grid.ts';
import { stepOf, STEPS } from './scale.ts';
import type { Session } from './session.ts';

const SVG = 'http://www.w3.org/2000/svg';

type Attributes = Record<string, string | number | undefined>;

function s<K extends keyof SVGElementTagNameMap>(
    tag: K,
    attributes: Attributes = {},
    ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
    const e = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes))
        if (value !== undefined) e.setAttribute(name, String(value));
    e.append(...children);
    return e;
}

/** One sentence about a cell. */
export function describe(session: Session, m: StudyMap, cell: number): string {
    const x = session.axis(m.x);
    const i = cell % x.values.length;
    const j = Math.floor(cell / x.values.length);
    const where = [`${x.name} ${valueWord(x, i)}`];
    if (m.y !== null) where.push(`${session.axis(m.y).name} ${valueWord(session.axis(m.y), j)}`);
    if (!Number.isFinite(m.value[cell])) return `${where.join(', ')}: no data`;
    const interval = m.low[cell] < m.high[cell] ? `, interval ${word(m.low[cell], 3)} to ${word(m.high[cell], 3)}` : '';
    const unsolved = m.unsolved[cell] > 0 ? `, ${m.unsolved[cell]} unsolved` : '';
    const trials = m.count[cell] > 0 ? `, ${m.count[cell]} trials${unsolved}` : '';
    return `${where.join(', ')}: ${word(m.value[cell], 3)}${interval}${trials}`;
}

interface Box {
    left: number;
    top: number;
    width: number;
    height: number;
}

const LETTER = 6.6;
const MARGIN = { right: 96, top: 12, bottom: 46 };

export function bigMap(session: Session): HTMLElement {
    const frame = h('div.map-frame');
    const summary = h('p.map-summary', { 'data-testid': 'summary', 'aria-hidden': true });
    const root = h('section.map', { 'aria-label': 'Map' }, frame, summary);
    let cells: SVGElement[] = [];
    let cursor = -1;

    const nx = (m: StudyMap): number => session.axis(m.x).values.length;
    const ny = (m: StudyMap): number => (m.y === null ? 1 : session.axis(m.y).values.length);

    const say = (cell: number): void => {
        const m = session.current;
        summary.textContent =
            m && cell >= 0 && cell < m.value.length ? describe(session, m, cell) : 'Point at a cell, or choose one.';
    };

    const moveTo = (cell: number, focus: boolean): void => {
        cells[cursor]?.setAttribute('tabindex', '-1');
        cursor = cell;
        cells[cursor]?.setAttribute('tabindex', '0');
        if (focus) cells[cursor]?.focus();
        say(cell);
    };

    const onKey = (e: KeyboardEvent): void => {
        const m = session.current;
        if (!m || cursor < 0 || e.ctrlKey || e.metaKey || e.altKey) return;
        const [w, n] = [nx(m), ny(m)];
        const [i, j] = [cursor % w, Math.floor(cursor / w)];
        const to: Record<string, [number, number]> = {
            ArrowRight: [Math.min(i + 1, w - 1), j],
            ArrowLeft: [Math.max(i - 1, 0), j],
            ArrowUp: [i, Math.min(j + 1, n - 1)],
            ArrowDown: [i, Math.max(j - 1, 0)],
            Home: [0, j],
            End: [w - 1, j],
            PageUp: [i, n - 1],
            PageDown: [i, 0],
        };
        const goal = to[e.key];
        if (goal) moveTo(goal[1] * w + goal[0], true);
        else if (e.key === 'Enter' || e.key === ' ') session.setCell(cursor);
        else return;
        e.preventDefault();
        e.stopPropagation();
    };

    /** Colours, names and the choice of cells that are there already. */
    const refresh = (m: StudyMap): void => {
        const { of, range } = session.colours(m);
        cells.forEach((cell, k) => {
            if (m.y !== null)
                cell.setAttribute(
                    'fill',
                    Number.isFinite(of[k]) ? session.scale.colour[stepOf(of[k], range)] : 'url(#hatch)',
                );
            cell.setAttribute('aria-label', describe(session, m, k));
            cell.setAttribute('aria-selected', String(k === session.cell));
        });
    };

    const drawCells = (m: StudyMap, box: Box): SVGElement => {
        const ex = edges(session.axis(m.x));
        const ey = m.y === null ? [0, 1] : edges(session.axis(m.y));
        cells = new Array<SVGElement>(m.value.length);
        const grid = s('g', { role: 'grid', 'aria-label': m.title, 'data-testid': 'grid' });
        for (let j = ey.length - 2; j >= 0; j--) {
            const row = s('g', { role: 'row' });
            for (let i = 0; i + 1 < ex.length; i++) {
                const k = j * (ex.length - 1) + i;
                cells[k] = s('rect', {
                    role: 'gridcell',
                    class: m.y === null ? 'cell column' : 'cell',
                    'data-cell': k,
                    tabindex: -1,
                    x: box.left + ex[i] * box.width,
                    y: box.top + (1 - ey[j + 1]) * box.height,
                    width: (ex[i + 1] - ex[i]) * box.width,
                    height: (ey[j + 1] - ey[j]) * box.height,
                });
                row.append(cells[k]);
            }
            grid.append(row);
        }
        return grid;
    };

    const drawAxes = (m: StudyMap, box: Box): SVGElement[] => {
        const x = session.axis(m.x);
        const y = m.y === null ? undefined : session.axis(m.y);
        const bottom = box.top + box.height;
        const out: SVGElement[] = [s('rect', { class: 'axis-box', x: box.left, y: box.top, ...size(box) })];
        for (const t of axisTicks(x, Math.max(2, Math.floor(box.width / 62)))) {
            const at = box.left + t.at * box.width;
            out.push(s('path', { class: 'axis-tick', d: `M${at} ${bottom}v4` }));
            out.push(s('text', { class: 'axis-word', x: at, y: bottom + 17, 'text-anchor': 'middle' }, t.text));
        }
        const most = Math.max(2, Math.floor(box.height / 34));
        const ticks = y
            ? axisTicks(y, most)
            : niceTicks(m.range[0], m.range[1], most).map((v) => ({
                  at: (v - m.range[0]) / (m.range[1] - m.range[0]),
                  text: word(v),
              }));
        for (const t of ticks) {
            const at = bottom - t.at * box.height;
            out.push(s('path', { class: 'axis-tick', d: `M${box.left} ${at}h-4` }));
            out.push(s('text', { class: 'axis-word', x: box.left - 7, y: at + 4, 'text-anchor': 'end' }, t.text));
        }
        const middle = box.top + box.height / 2;
        out.push(
            s(
                'text',
                { class: 'axis-title', x: box.left + box.width / 2, y: bottom + 37, 'text-anchor': 'middle' },
                axisTitle(x),
            ),
            s(
                'text',
                { class: 'axis-title', transform: `translate(14 ${middle}) rotate(-90)`, 'text-anchor': 'middle' },
                y ? axisTitle(y) : m.label,
            ),
        );
        return out;
    };

    const size = (box: Box): Attributes => ({ width: box.width, height: box.height });

    const drawBar = (m: StudyMap, box: Box): SVGElement[] => {
        const { range, label } = session.colours(m);
        const left = box.left + box.width + 16;
        const stops = [...Array(33).keys()].map((k) =>
            s('stop', {
                offset: k / 32,
                'stop-color': session.scale.colour[Math.min(k * 8, STEPS - 1)],
            }),
        );
        const bottom = box.top + box.height;
        const out: SVGElement[] = [
            s('defs', {}, s('linearGradient', { id: 'bar', x1: 0, x2: 0, y1: 1, y2: 0 }, ...stops)),
            s('rect', { x: left, y: box.top, width: 12, height: box.height, fill: 'url(#bar)', class: 'axis-box bar' }),
        ];
        for (const v of niceTicks(range[0], range[1], Math.max(2, Math.floor(box.height / 50)))) {
            const at = bottom - ((v - range[0]) / (range[1] - range[0])) * box.height;
            out.push(s('path', { class: 'axis-tick', d: `M${left + 12} ${at}h4` }));
            out.push(s('text', { class: 'axis-word', x: left + 19, y: at + 4 }, word(v)));
        }
        const middle = box.top + box.height / 2;
        out.push(
            s(
                'text',
                {
                    class: 'axis-title',
                    transform: `translate(${left + 66} ${middle}) rotate(-90)`,
                    'text-anchor': 'middle',
                },
                label,
            ),
        );
        return out;
    };

    const drawContours = (m: StudyMap, box: Box): SVGElement[] => {
        if (m.y === null) return [];
        const x = centres(session.axis(m.x)).map((p) => box.left + p * box.width);
        const y = centres(session.axis(m.y)).map((p) => box.top + (1 - p) * box.height);
        return m.contour.flatMap((level) => {
            const d = contour(x, y, m.value, level)
                .map((p) => `M${p[0].toFixed(2)} ${p[1].toFixed(2)}L${p[2].toFixed(2)} ${p[3].toFixed(2)}`)
                .join('');
            if (!d) return [];
            return [s('path', { class: 'contour halo', d }), s('path', { class: 'contour', d })];
        });
    };

    /** Points with their intervals. */
    const drawPoints = (m: StudyMap, box: Box): SVGElement[] => {
        const x = centres(session.axis(m.x));
        const at = (v: number): number => {
            const part = (v - m.range[0]) / (m.range[1] - m.range[0]);
            return box.top + (1 - Math.min(Math.max(part, 0), 1)) * box.height;
        };
        return x.flatMap((p, i) => {
            if (!Number.isFinite(m.value[i])) return [];
            const place = box.left + p * box.width;
            const point = s('circle', { class: 'point', cx: place, cy: at(m.value[i]), r: 3.5 });
            // a single trial has no interval
            if (!Number.isFinite(m.low[i]) || !Number.isFinite(m.high[i])) return [point];
            const whisker = `M${place} ${at(m.low[i])}V${at(m.high[i])}M${place - 4} ${at(m.low[i])}h8M${place - 4} ${at(m.high[i])}h8`;
            return [s('path', { class: 'whisker', d: whisker }), point];
        });
    };

    const drawChoice = (box: Box): SVGElement => {
        const choice = s('g', { class: 'choice', 'data-testid': 'choice' });
        const rect = cells[session.cell];
        if (!rect) return choice;
        const at = (name: string): number => Number(rect.getAttribute(name));
        for (const name of ['outer', 'inner'])
            choice.append(
                s('rect', {
                    class: name,
                    x: Math.max(at('x'), box.left),
                    y: at('y'),
                    width: at('width'),
                    height: at('height'),
                }),
            );
        return choice;
    };

    const draw = (): void => {
        const m = session.current;
        const [w, height] = [frame.clientWidth, frame.clientHeight];
        if (!m || w < 50 || height < 50) return;
        const had = frame.contains(document.activeElement);
        const y = m.y === null ? undefined : session.axis(m.y);
        const longest = y?.labels ? Math.max(...y.labels.map((t) => t.length)) : 6;
        const left = 26 + Math.min(longest * LETTER, 120);
        const right = m.y === null ? 20 : MARGIN.right;
        const box: Box = {
            left,
            top: MARGIN.top,
            width: Math.max(w - left - right, 40),
            height: Math.max(height - MARGIN.top - MARGIN.bottom, 40),
        };
        const svg = s('svg', { width: w, height, viewBox: `0 0 ${w} ${height}` });
        svg.append(
            s(
                'defs',
                {},
                s(
                    'pattern',
                    {
                        id: 'hatch',
                        width: 6,
                        height: 6,
                        patternUnits: 'userSpaceOnUse',
                        patternTransform: 'rotate(45)',
                    },
                    s('rect', { width: 6, height: 6, class: 'hatch-ground' }),
                    s('path', { d: 'M0 0V6', class: 'hatch-line' }),
                ),
            ),
            drawCells(m, box),
        );
        const over = s('g', { 'pointer-events': 'none' });
        over.append(
            ...drawContours(m, box),
            ...(m.y === null ? drawPoints(m, box) : drawBar(m, box)),
            ...drawAxes(m, box),
            drawChoice(box),
        );
        svg.append(over);
        frame.replaceChildren(svg);
        refresh(m);
        cursor = Math.min(cursor, cells.length - 1);
        moveTo(session.cell >= 0 ? session.cell : Math.max(cursor, 0), had);
        say(session.cell);
    };

    // On the frame and not on the drawing: an element of an SVG that listens for the focus gets it from the Tab key too.
    const cellOf = (e: Event): number =>
        e.target instanceof SVGElement && e.target.dataset.cell ? Number(e.target.dataset.cell) : -1;
    frame.addEventListener('keydown', onKey);
    frame.addEventListener('click', (e) => {
        const k = cellOf(e);
        if (k < 0) return;
        moveTo(k, true);
        session.setCell(k);
    });
    frame.addEventListener('pointerover', (e) => say(cellOf(e)));
    frame.addEventListener('pointerleave', () => say(session.cell));
    frame.addEventListener('focusin', (e) => say(cellOf(e)));
    new ResizeObserver(draw).observe(frame);
    session.on(draw);
    return root;
}
