/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The corner of the picture: axes, gravity, and views along the axes.
import type { App } from '../app/app.ts';
import { PRESETS } from '../draw/stage.ts';
import { arms, drawTriad } from '../draw/triad.ts';
import { h } from './dom.ts';

/** Edge of the drawing [CSS pixels]. */
export const TRIAD = 92;

const TITLES = {
    x: 'Look along the x axis (X)',
    y: 'Look along the y axis (Y)',
    z: 'Look along the z axis (Z)',
    isometric: 'Isometric view (I)',
} as const;

export function triad(app: App): HTMLElement {
    const canvas = h('canvas.triad', { 'data-testid': 'triad', 'aria-label': 'Axes and gravity' });
    const buttons = PRESETS.map((p) =>
        h(
            'button.preset',
            { 'data-testid': 'view-' + p, title: TITLES[p], onclick: () => app.stage.preset(p) },
            p === 'isometric' ? 'iso' : p,
        ),
    );
    const root = h('div.corner', {}, canvas, h('div.presets', {}, ...buttons));
    const draw = (): void => {
        const view = app.primary;
        root.hidden = view === undefined;
        if (!view) return;
        const { gravity, dim } = view.run.model;
        const list = arms(app.stage.orientation, gravity, dim === 2, app.look.theme);
        for (const name of ['x', 'y', 'z', 'g']) {
            const arm = list.find((a) => a.name === name);
            if (arm) canvas.dataset[name] = `${arm.x.toFixed(3)},${arm.y.toFixed(3)}`;
            else delete canvas.dataset[name];
        }
        const ratio = Math.max(1, window.devicePixelRatio);
        canvas.width = canvas.height = Math.round(TRIAD * ratio);
        const g = canvas.getContext('2d');
        if (g) drawTriad(g, list, canvas.width / 2, canvas.height / 2, canvas.width);
        for (const b of buttons) b.hidden = dim === 2;
    };
    app.stage.onDrawn.push(draw);
    draw();
    return root;
}
