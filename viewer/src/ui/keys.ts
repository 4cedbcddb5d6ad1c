/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The keyboard, and the page that explains it.
import type { App } from '../app/app.ts';
import { screenshot } from '../app/capture.ts';
import { LAYERS } from '../draw/layers.ts';
import { PRESETS } from '../draw/stage.ts';
import { h } from './dom.ts';

export interface KeyActions {
    toggle: (what: 'charts' | 'panel' | 'help') => void;
    closeHelp: () => boolean;
    film: () => void;
}

interface Binding {
    keys: string[];
    shown: string;
    about: string;
    act: (e: KeyboardEvent) => void;
}

function bindings(app: App, actions: KeyActions): Binding[] {
    const nextBody = (by: number): void => {
        const n = app.primary?.run.model.bodies.name.length ?? 0;
        if (n > 0) app.select((app.look.selected + by + n + (app.look.selected < 0 && by < 0 ? 1 : 0)) % n);
    };
    return [
        {
            keys: [' ', 'k'],
            shown: 'Space',
            about: 'play or pause; a live run: pause or resume it',
            act: () => (app.live ? app.live.pause() : app.play()),
        },
        { keys: ['n'], shown: 'N', about: 'live: one step of the run', act: () => app.live?.step() },
        {
            keys: ['ArrowRight'],
            shown: '→',
            about: 'one frame on; with Shift ten',
            act: (e) => app.step(e.shiftKey ? 10 : 1),
        },
        {
            keys: ['ArrowLeft'],
            shown: '←',
            about: 'one frame back; with Shift ten',
            act: (e) => app.step(e.shiftKey ? -10 : -1),
        },
        { keys: ['Home'], shown: 'Home', about: 'first frame', act: () => app.seek(0) },
        { keys: ['End'], shown: 'End', about: 'last frame', act: () => app.seek(app.player.last) },
        { keys: ['+', '='], shown: '+', about: 'faster', act: () => app.faster(1) },
        { keys: ['-', '_'], shown: '−', about: 'slower', act: () => app.faster(-1) },
        { keys: ['l'], shown: 'L', about: 'repeat', act: () => app.setLoop() },
        { keys: ['w'], shown: 'W', about: 'to the worst step of the certificate', act: () => app.worst() },
        { keys: ['f'], shown: 'F', about: 'camera: whole scene', act: () => app.stage.fit() },
        { keys: ['g'], shown: 'G', about: 'camera: to the selected body', act: () => app.lookAtSelected() },
        ...PRESETS.map((p) => ({
            keys: [p[0]],
            shown: p[0].toUpperCase(),
            about: p === 'isometric' ? 'camera: isometric view' : `camera: along the ${p} axis`,
            act: () => app.stage.preset(p),
        })),
        {
            keys: ['m'],
            shown: 'M',
            about: 'camera: keep what moves in view, or not',
            act: () => app.setCamera(app.camera === 'fit' ? 'free' : 'fit'),
        },
        { keys: ['s'], shown: 'S', about: 'save the picture', act: () => void screenshot(app) },
        { keys: ['v'], shown: 'V', about: 'begin or end a video', act: () => actions.film() },
        { keys: ['b'], shown: 'B', about: 'select the next body', act: () => nextBody(1) },
        { keys: ['B'], shown: 'Shift B', about: 'select the body before', act: () => nextBody(-1) },
        ...LAYERS.map((l) => ({
            keys: [l.key],
            shown: l.key.toUpperCase(),
            about: `layer: ${l.label.toLowerCase()}`,
            act: () => app.toggleLayer(l.id),
        })),
        { keys: ['c'], shown: 'C', about: 'charts', act: () => actions.toggle('charts') },
        { keys: ['p'], shown: 'P', about: 'panel', act: () => actions.toggle('panel') },
        { keys: ['t'], shown: 'T', about: 'dark or light', act: () => app.toggleTheme() },
        { keys: ['?'], shown: '?', about: 'this page', act: () => actions.toggle('help') },
        {
            keys: ['Escape'],
            shown: 'Esc',
            about: 'close this page; select nothing',
            act: () => {
                if (!actions.closeHelp()) app.select(-1);
            },
        },
    ];
}

export function keys(app: App, actions: KeyActions): HTMLElement {
    const all = bindings(app, actions);
    window.addEventListener('keydown', (e) => {
        const at = e.target;
        if (e.ctrlKey || e.metaKey || e.altKey) return;
        if (
            at instanceof HTMLSelectElement ||
            (at instanceof HTMLInputElement && at.type !== 'range' && at.type !== 'checkbox')
        )
            return;
        const found = all.find((b) => b.keys.includes(e.key));
        if (!found) return;
        e.preventDefault();
        // a button that has the focus must not be pressed as well
        if (at instanceof HTMLButtonElement) at.blur();
        found.act(e);
    });
    const help = h(
        'div.help',
        { 'data-testid': 'help-page', role: 'dialog', 'aria-label': 'Keys' },
        h(
            'div.help-box',
            {},
            h('h2', {}, 'Keys and mouse'),
            h(
                'p',
                {},
                'Drag: turn the camera (2D: move). Right button or Shift: move. Wheel: nearer or farther. Point at a body for its name, click for its numbers. Click in a chart to go to that moment. In a live run, drag a body to pull it.',
            ),
            h('dl', {}, ...all.flatMap((b) => [h('dt', {}, h('kbd', {}, b.shown)), h('dd', {}, b.about)])),
        ),
    );
    help.hidden = true;
    help.addEventListener('click', () => (help.hidden = true));
    return help;
}
