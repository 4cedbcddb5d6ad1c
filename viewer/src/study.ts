/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The page of a study: maps, the trials of a cell, and one of them played.
import './ui/style.css';
import './study/study.css';

import { fetchStudy, hasServer } from './study/data.ts';
import { mapList } from './study/list.ts';
import { bigMap } from './study/map.ts';
import { Player } from './study/play.ts';
import { COLOURS, Session, type ColourBy } from './study/session.ts';
import { trialPanel } from './study/trials.ts';
import { h, icon, ICONS } from './ui/dom.ts';
import { bigMessage } from './ui/message.ts';

/** How often a study that goes on is read again [ms]. */
const AGAIN = 2000;

const KEYS = [
    ['← ↑ ↓ →', 'in the map: to the next cell; in the table: to the next trial'],
    ['Home End', 'in the map: first and last cell of the row'],
    ['Enter', 'in the map: trials of this cell; in the table: play the trial'],
    ['[ ]', 'map before, next map'],
    ['T', 'dark or light'],
    ['?', 'this page'],
    ['Esc', 'close this page; choose no cell'],
] as const;

function topbar(session: Session, toggleHelp: () => void): HTMLElement {
    const title = h('h1.title', { 'data-testid': 'title' });
    const about = h('span.about', { 'data-testid': 'about' });
    const bar = h('progress', { 'aria-label': 'Trials done', 'data-testid': 'progress' });
    const colours = h(
        'select',
        { 'data-testid': 'colours', 'aria-label': 'What the colours show' },
        ...COLOURS.map(([id, text]) => h('option', { value: id }, `colours: ${text}`)),
    );
    colours.addEventListener('change', () => session.setColourBy(colours.value as ColourBy));
    session.on(() => {
        const s = session.study;
        if (!s) return;
        title.textContent = s.title || s.file;
        document.title = `${s.title || s.file} – perp study`;
        const count = (n: number): string => n.toLocaleString('en');
        const running = s.done < s.planned;
        const trials = running ? `${count(s.done)} of ${count(s.planned)} trials` : `${count(s.planned)} trials`;
        about.textContent = [s.file, trials, `${count(s.unsolved)} unsolved`, s.program].filter((t) => t).join(' · ');
        bar.hidden = !running;
        bar.max = Math.max(s.planned, 1);
        bar.value = s.done;
    });
    return h(
        'header.topbar',
        {},
        h('span.brand', {}, '⊥ perp'),
        h('div.titles', {}, title, about),
        bar,
        colours,
        h(
            'button.icon-button',
            {
                'data-testid': 'theme',
                title: 'Dark or light (T)',
                'aria-label': 'Dark or light',
                onclick: () => session.toggleTheme(),
            },
            icon(ICONS.theme),
        ),
        h(
            'button.icon-button.text',
            { 'data-testid': 'help', title: 'Keys (?)', 'aria-label': 'Keys', onclick: toggleHelp },
            '?',
        ),
    );
}

function helpPage(): HTMLElement {
    const help = h(
        'div.help',
        { 'data-testid': 'help-page', role: 'dialog', 'aria-label': 'Keys', tabindex: -1 },
        h(
            'div.help-box',
            {},
            h('h2', {}, 'Keys and mouse'),
            h('p', {}, 'Point at a cell for its value, click for its trials. The triangle in a row plays that trial.'),
            h('dl', {}, ...KEYS.flatMap(([keys, what]) => [h('dt', {}, h('kbd', {}, keys)), h('dd', {}, what)])),
        ),
    );
    help.hidden = true;
    help.addEventListener('click', () => (help.hidden = true));
    return help;
}

function listenToKeys(session: Session, player: Player, help: HTMLElement, toggleHelp: () => void): void {
    window.addEventListener('keydown', (e) => {
        if (e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLSelectElement) return;
        if (e.key === '[') session.setMap(session.map - 1);
        else if (e.key === ']') session.setMap(session.map + 1);
        else if (e.key === 't' || e.key === 'T') session.toggleTheme();
        else if (e.key === '?') toggleHelp();
        else if (e.key === 'Escape') {
            if (!help.hidden) toggleHelp();
            else if (!player.status.hidden) player.stop();
            else session.setCell(-1);
        } else return;
        e.preventDefault();
    });
}

async function start(parent: HTMLElement): Promise<void> {
    const session = new Session();
    document.documentElement.dataset.theme = session.theme;
    const player = new Player(session);
    const help = helpPage();
    let before: Element | null = null;
    const toggleHelp = (): void => {
        help.hidden = !help.hidden;
        if (help.hidden) (before as HTMLElement | null)?.focus();
        else {
            before = document.activeElement;
            help.focus();
        }
    };
    const title = h('h2.map-title', { 'data-testid': 'map-title', 'aria-live': 'polite' });
    session.on(() => (title.textContent = session.current?.title ?? ''));
    const middle = h(
        'main.study',
        {},
        mapList(session),
        h('div.map-column', {}, title, bigMap(session)),
        trialPanel(session, player),
    );
    listenToKeys(session, player, help, toggleHelp);
    parent.replaceChildren(h('div.page.study-page', {}, topbar(session, toggleHelp), middle, help));
    const fail = (e: unknown): void => {
        middle.replaceChildren(bigMessage('The study cannot be shown', e instanceof Error ? e.message : String(e)));
    };
    try {
        const study = await fetchStudy();
        if (study.maps.length === 0)
            throw new Error(study.why || 'The study has no maps: its file asks for none in `report`.');
        session.setStudy(study);
    } catch (e) {
        fail(e);
        return;
    }
    while (hasServer() && session.study && session.study.done < session.study.planned) {
        await new Promise((done) => setTimeout(done, AGAIN));
        try {
            session.setStudy(await fetchStudy());
        } catch {
            // the server may have ended while the study went on: what was read stays
            break;
        }
    }
}

const parent = document.getElementById('app');
if (parent) void start(parent);
