/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Title, which recordings are shown and how, certificate, and the switches of the page.
import type { App } from '../app/app.ts';
import type { Layout } from '../draw/stage.ts';
import { badge } from './badge.ts';
import { screenshot, type Film } from '../app/capture.ts';
import { CAMERAS, isCamera } from './camera.ts';
import { h, icon, ICONS, setIcon } from './dom.ts';

export interface TopbarActions {
    names: () => string[];
    chosen: () => { first: number; second: number; layout: Layout };
    choose: (first: number, second: number, layout: Layout) => void;
    toggle: (what: 'charts' | 'panel' | 'help') => void;
    film: Film;
}

function options(
    select: HTMLSelectElement,
    texts: readonly (readonly [value: string, text: string])[],
    at: string,
): void {
    select.replaceChildren(...texts.map(([value, text]) => h('option', { value, selected: value === at }, text)));
    select.value = at;
}

function iconButton(testid: string, title: string, path: string, act: () => void): HTMLButtonElement {
    return h('button.icon-button', { 'data-testid': testid, title, 'aria-label': title, onclick: act }, icon(path));
}

export function topbar(app: App, actions: TopbarActions): HTMLElement {
    const title = h('span.title', { 'data-testid': 'title' });
    const about = h('span.about', { 'data-testid': 'about' });
    const first = h('select', { 'data-testid': 'recording', title: 'Recording' });
    const second = h('select', { 'data-testid': 'compare', title: 'Compare with' });
    const layout = h('select', { 'data-testid': 'layout', title: 'How two recordings are shown' });
    // until it is known what there is to choose
    for (const s of [first, second, layout]) s.hidden = true;
    const choose = (): void =>
        actions.choose(Number(first.value), Number(second.value), layout.value === 'overlay' ? 'overlay' : 'side');
    for (const s of [first, second, layout])
        s.addEventListener('change', () => {
            choose();
            // keys go to the picture again
            s.blur();
        });
    const camera = h(
        'select.camera',
        { 'data-testid': 'camera', title: 'What the camera does' },
        ...CAMERAS.map(([value, text]) => h('option', { value }, text)),
    );
    camera.addEventListener('change', () => {
        if (isCamera(camera.value)) app.setCamera(camera.value);
        camera.blur();
    });
    const film = iconButton('video', 'Video of what is shown (V)', ICONS.film, () =>
        actions.film.running ? actions.film.stop() : actions.film.start(),
    );
    actions.film.onChange = () => {
        film.classList.toggle('filming', actions.film.running);
        film.title = actions.film.running ? 'End the video and save it (V)' : 'Video of what is shown (V)';
        setIcon(film, actions.film.running ? ICONS.stop : ICONS.film);
    };
    const bar = h(
        'header.topbar',
        {},
        h('span.brand', {}, '⊥ perp'),
        h('div.titles', {}, title, about),
        first,
        second,
        layout,
        badge(app),
        camera,
        iconButton('fit', 'Whole scene (F)', ICONS.fit, () => app.stage.fit()),
        iconButton('screenshot', 'Save the picture (S)', ICONS.picture, () => void screenshot(app)),
        film,
        iconButton('charts-toggle', 'Charts (C)', ICONS.charts, () => actions.toggle('charts')),
        iconButton('panel-toggle', 'Panel (P)', ICONS.panel, () => actions.toggle('panel')),
        iconButton('theme', 'Dark or light (T)', ICONS.theme, () => app.toggleTheme()),
        h(
            'button.icon-button.text',
            { 'data-testid': 'help', title: 'Keys (?)', onclick: () => actions.toggle('help') },
            '?',
        ),
    );
    app.on((change) => {
        if (change === 'look') camera.value = app.camera;
        if (change !== 'runs' && change !== 'moment') return;
        const run = app.primary?.run;
        const words = run ? `${run.name} · ${run.about}` : '';
        if (about.textContent !== words) about.textContent = words; // what a live run does changes while it is shown
        if (change !== 'runs') return;
        const names = actions.names();
        const now = actions.chosen();
        title.textContent = run?.model.title || run?.name || 'no run';
        document.title = run ? `${run.model.title || run.name} – perp` : 'perp';
        options(
            first,
            names.map((n, i) => [String(i), n]),
            String(now.first),
        );
        options(
            second,
            [
                ['-1', 'compare with …'],
                ...names.map((n, i) => [String(i), n] as const).filter((_, i) => i !== now.first),
            ],
            String(now.second),
        );
        options(
            layout,
            [
                ['side', 'side by side'],
                ['overlay', 'overlaid'],
            ],
            now.layout === 'overlay' ? 'overlay' : 'side',
        );
        first.hidden = names.length < 2;
        second.hidden = names.length < 2;
        layout.hidden = now.second < 0;
    });
    return bar;
}
