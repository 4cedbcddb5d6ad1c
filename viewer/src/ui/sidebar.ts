/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The panel on the right: layers, colours, the selected body.
import type { App } from '../app/app.ts';
import { LAYERS, type LayerId } from '../draw/layers.ts';
import type { ColourBy } from '../draw/run_view.ts';
import { css, type Theme } from '../draw/theme.ts';
import { h, icon, ICONS } from './dom.ts';
import { selection } from './selection.ts';

/** The colour that a layer is drawn in. */
function swatch(theme: Theme, id: LayerId): string {
    const tones: Partial<Record<LayerId, string>> = {
        contacts: css(theme.state[1]),
        normals: css(theme.normal),
        gaps: css(theme.gapOpen),
        impulses: css(theme.impulse),
        cones: css(theme.cone),
        joints: css(theme.joint),
        paths: css(theme.path),
        boxes: css(theme.box),
        tripods: css(theme.tripod),
        velocities: css(theme.velocity),
        surfaces: css(theme.velocity),
        edges: css(theme.name === 'dark' ? theme.grid : theme.edge),
        shadows: css(theme.shadow),
    };
    return tones[id] ?? 'transparent';
}

function available(app: App, needs: string): boolean {
    const run = app.primary?.run;
    if (!run) return false;
    switch (needs) {
        case 'contacts':
            return run.has.contacts;
        case 'twists':
            return run.has.twists;
        case 'joints':
            return run.model.joints.name.length > 0;
        case 'support':
            return run.model.bodies.support.some((x) => x !== 0);
        case 'surfaces':
            return run.model.shapes.surface_velocity.some((x) => x !== 0);
        case 'labels':
            return run.model.bodies.label.some((text) => text !== '');
        case 'floor':
            return run.model.dim === 3 && (app.primary?.planes.count ?? 0) > 0;
        default:
            return true;
    }
}

function layerList(app: App): HTMLElement {
    const rows = LAYERS.map((layer) => {
        const box = h('input', { type: 'checkbox', 'data-testid': 'layer-' + layer.id });
        box.addEventListener('change', () => {
            app.toggleLayer(layer.id, box.checked);
            box.blur();
        });
        const mark = h('span.swatch');
        const row = h(
            'label.layer',
            { title: layer.about },
            box,
            mark,
            h('span', {}, layer.label),
            h('kbd', {}, layer.key.toUpperCase()),
        );
        return { layer, box, mark, row };
    });
    app.on((change) => {
        if (change !== 'look' && change !== 'runs') return;
        for (const { layer, box, mark, row } of rows) {
            box.checked = app.look.layers[layer.id];
            mark.style.background = swatch(app.look.theme, layer.id);
            const there = available(app, layer.needs);
            row.classList.toggle('missing', !there);
            row.title = there ? layer.about : `${layer.about}; not in this recording`;
        }
    });
    return h('section', {}, h('h2', {}, 'Layers'), h('div.layers', {}, ...rows.map((r) => r.row)));
}

function colours(app: App): HTMLElement {
    const by = h(
        'select',
        { 'data-testid': 'colour-by' },
        ...(['kind', 'body', 'material', 'speed'] as const).map((v) => h('option', { value: v }, v)),
    );
    by.addEventListener('change', () => {
        app.colourBy(by.value as ColourBy);
        by.blur();
    });
    const arrows = h('input', { type: 'range', min: -2, max: 2, step: 0.1, value: 0, 'data-testid': 'arrow-scale' });
    arrows.addEventListener('input', () => app.setArrows(2 ** Number(arrows.value)));
    app.on((change) => {
        if (change === 'look' || change === 'runs') by.value = app.look.colourBy;
    });
    return h(
        'section.row-list',
        {},
        h('label.row', {}, h('span', {}, 'Colour by'), by),
        h('label.row', { title: 'Length of impulses and velocities' }, h('span', {}, 'Arrows'), arrows),
    );
}

export function sidebar(app: App): HTMLElement {
    // on a narrow page the panel is a sheet over the picture: it needs a way out
    const close = h(
        'button.sheet-close',
        { 'data-testid': 'panel-close', title: 'Close', 'aria-label': 'Close', onclick: () => (panel.hidden = true) },
        icon(ICONS.close),
    );
    const panel = h('aside.sidebar', { 'data-testid': 'panel' }, close, layerList(app), colours(app), selection(app));
    return panel;
}
