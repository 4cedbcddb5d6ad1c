/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The trials of the chosen cell: a table that can be sorted and filtered, and a button that plays one.
import { h, icon, ICONS } from '../ui/dom.ts';
import { fetchCell, hasServer, type Cell, type Column, type Trial } from './data.ts';
import { word } from './grid.ts';
import { describe } from './map.ts';
import type { Player } from './play.ts';
import type { Session } from './session.ts';

/** Rows that are drawn; more make the page slow and are not looked at. */
const ROWS = 500;

type Sort = { by: number; down: boolean };
/** Columns before those of the cell: the number of the trial. */
const NUMBER = -1;

function shown(column: Column, v: number): string {
    if (column.yes && Number.isFinite(v)) return v !== 0 ? 'yes' : 'no';
    return word(v, 4);
}

/** What the filter offers: a name and which trials it keeps. */
function filters(cell: Cell): (readonly [text: string, keep: (t: Trial) => boolean])[] {
    const of = (state: Trial['state']): number => cell.trials.filter((t) => t.state === state).length;
    const out: (readonly [string, (t: Trial) => boolean])[] = [['all trials', () => true]];
    cell.columns.forEach((c, i) => {
        if (!c.yes) return;
        out.push([`${c.name}: yes`, (t) => t.state === 'done' && t.values[i] === 1]);
        out.push([`${c.name}: no`, (t) => t.state === 'done' && t.values[i] === 0]);
    });
    if (of('unsolved') > 0) out.push(['unsolved', (t) => t.state === 'unsolved']);
    if (of('failed') > 0) out.push(['failed', (t) => t.state === 'failed']);
    return out;
}

/** Columns as they are shown, with their places among the values: verdicts first, then as the server has them. */
function inOrder(columns: Column[]): (readonly [Column, number])[] {
    const all = columns.map((c, i) => [c, i] as const);
    return [...all.filter(([c]) => c.yes), ...all.filter(([c]) => !c.yes)];
}

export function trialPanel(session: Session, player: Player): HTMLElement {
    const title = h('h2', { 'data-testid': 'cell-title' });
    const about = h('p.hint', { 'data-testid': 'cell-about', role: 'status' });
    const filter = h('select', { 'data-testid': 'filter', 'aria-label': 'Which trials' });
    const table = h('table.trials', { 'data-testid': 'trials' });
    const root = h(
        'aside.trial-panel',
        { 'aria-label': 'Trials of the cell' },
        title,
        about,
        filter,
        h('div.table-box', {}, table),
        player.status,
    );
    let cell: Cell | undefined;
    let asked = '';
    let sort: Sort = { by: NUMBER, down: false };
    let chosen = 0;

    const header = (text: string, by: number): HTMLElement =>
        h(
            'th',
            { scope: 'col', 'aria-sort': sort.by === by ? (sort.down ? 'descending' : 'ascending') : undefined },
            h(
                'button',
                {
                    onclick: () => {
                        sort = { by, down: sort.by === by ? !sort.down : false };
                        fill();
                    },
                },
                text + (sort.by === by ? (sort.down ? ' ↓' : ' ↑') : ''),
            ),
        );

    // what tells trials apart comes first: a narrow panel hides the last columns
    const row = (t: Trial, columns: Column[]): HTMLElement => {
        const ok = t.state === 'done';
        // a trial that gave no result has its state in the place of the first one
        const told = ok ? undefined : inOrder(columns).find(([, i]) => !Number.isFinite(t.values[i]))?.[1];
        const play = h(
            'button.icon-button',
            {
                'data-testid': `play-${t.trial}`,
                'aria-label': `Play trial ${t.trial}`,
                title: 'Run this trial again, and show it',
                onclick: () => void player.play(t.trial),
            },
            icon(ICONS.play),
        );
        return h(
            'tr',
            { 'data-trial': t.trial, 'data-state': t.state, title: t.why || undefined },
            h('th', { scope: 'row' }, String(t.trial)),
            player.able ? h('td', {}, play) : undefined,
            ...inOrder(columns).map(([c, i]) =>
                i === told
                    ? h('td.state', { 'data-column': c.name }, t.state)
                    : h(
                          'td',
                          { 'data-column': c.name, 'data-yes': c.yes && ok ? String(t.values[i] === 1) : undefined },
                          shown(c, t.values[i]),
                      ),
            ),
        );
    };

    const fill = (): void => {
        if (!cell) {
            table.replaceChildren();
            return;
        }
        const { columns } = cell;
        const keep = filters(cell)[chosen]?.[1] ?? ((): boolean => true);
        const key = (t: Trial): number => (sort.by === NUMBER ? t.trial : t.values[sort.by]);
        const rows = cell.trials.filter(keep).sort((a, b) => {
            const [p, q] = [key(a), key(b)];
            // what has no number comes last either way
            if (!Number.isFinite(p) || !Number.isFinite(q)) return Number(Number.isNaN(p)) - Number(Number.isNaN(q));
            return sort.down ? q - p : p - q;
        });
        table.replaceChildren(
            h('caption', {}, `Trials, ${rows.length} of ${cell.total}`),
            h(
                'thead',
                {},
                h(
                    'tr',
                    {},
                    header('trial', NUMBER),
                    player.able ? h('td') : undefined,
                    ...inOrder(columns).map(([c, i]) => header(c.unit ? `${c.name} [${c.unit}]` : c.name, i)),
                ),
            ),
            h('tbody', {}, ...rows.slice(0, ROWS).map((t) => row(t, columns))),
        );
        const more = Math.max(rows.length - ROWS, cell.total - cell.trials.length);
        about.textContent = more > 0 ? `The first ${Math.min(rows.length, ROWS)} are listed.` : '';
    };

    const offer = (): void => {
        const all = cell ? filters(cell) : [];
        chosen = Math.min(chosen, Math.max(all.length - 1, 0));
        filter.replaceChildren(...all.map(([text], i) => h('option', { value: i, selected: i === chosen }, text)));
        filter.hidden = all.length < 2;
    };
    filter.addEventListener('change', () => {
        chosen = Number(filter.value);
        fill();
    });

    /** Arrow keys go from one button to play to the next. */
    table.addEventListener('keydown', (e) => {
        const by = e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : 0;
        const buttons = [...table.querySelectorAll<HTMLElement>('tbody button')];
        const at = buttons.indexOf(document.activeElement as HTMLElement);
        if (by === 0 || at < 0) return;
        e.preventDefault();
        buttons[Math.min(Math.max(at + by, 0), buttons.length - 1)].focus();
    });

    const load = async (): Promise<void> => {
        const m = session.current;
        if (!m || session.cell < 0) {
            cell = undefined;
            asked = '';
            title.textContent = 'No cell is chosen';
            about.textContent = 'Choose a cell of the map to see its trials.';
            offer();
            fill();
            return;
        }
        title.textContent = describe(session, m, session.cell);
        if (!hasServer()) {
            about.textContent = 'This page was exported. perp study --view shows the trials of the file of results.';
            return;
        }
        const now = `${session.map}/${session.cell}/${m.count[session.cell]}`;
        if (now === asked) return;
        asked = now;
        about.textContent = 'reading …';
        try {
            const found = await fetchCell(session.map, session.cell);
            if (asked !== now) return; // another one was chosen meanwhile
            cell = found;
            about.textContent = cell.trials.length === 0 ? 'No trial of this cell has ended yet.' : '';
        } catch (e) {
            if (asked !== now) return;
            cell = undefined;
            asked = '';
            about.textContent = e instanceof Error ? e.message : String(e);
        }
        offer();
        const said = about.textContent;
        fill();
        about.textContent ||= said;
    };
    session.on((change) => {
        if (change !== 'look') void load();
    });
    return root;
}
