// Title, which recordings are shown and how, certificate, and the switches of the page.
import type { App } from '../app/app.ts';
import type { Layout } from '../draw/stage.ts';
import { badge } from './badge.ts';
import { h, icon, ICONS } from './dom.ts';

export interface TopbarActions {
    names: () => string[];
    chosen: () => { first: number; second: number; layout: Layout };
    choose: (first: number, second: number, layout: Layout) => void;
    toggle: (what: 'charts' | 'panel' | 'help') => void;
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
    const choose = (): void =>
        actions.choose(Number(first.value), Number(second.value), layout.value === 'overlay' ? 'overlay' : 'side');
    for (const s of [first, second, layout])
        s.addEventListener('change', () => {
            choose();
            // keys go to the picture again
            s.blur();
        });
    const bar = h(
        'header.topbar',
        {},
        h('span.brand', {}, '⊥ perp'),
        h('div.titles', {}, title, about),
        first,
        second,
        layout,
        badge(app),
        iconButton('fit', 'Whole scene (F)', ICONS.fit, () => app.stage.fit()),
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
        if (change !== 'runs') return;
        const names = actions.names();
        const now = actions.chosen();
        const run = app.primary?.run;
        title.textContent = run?.model.title || run?.name || 'no run';
        about.textContent = run ? `${run.name} · ${run.about}` : '';
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
