/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// What colours and arrows mean, for what is shown just now.
import type { App } from '../app/app.ts';
import { BODY_KINDS, CONTACT_STATES } from '../data/model.ts';
import { unitOfSpeed } from '../data/units.ts';
import { shortNumber } from '../data/verdict.ts';
import { css, PALETTE, ramp, type Rgb } from '../draw/theme.ts';
import { h } from './dom.ts';

function entry(c: Rgb, text: string, round = false): HTMLElement {
    const mark = h(round ? 'span.swatch.round' : 'span.swatch');
    mark.style.background = css(c);
    return h('div.entry', {}, mark, text);
}

function entries(app: App): HTMLElement[] {
    const view = app.primary;
    if (!view) return [];
    const { look } = app;
    const { model } = view.run;
    const u = model.units;
    const list: HTMLElement[] = [];
    const present = (kind: number): boolean => model.bodies.kind.includes(kind);
    if (look.colourBy === 'kind') BODY_KINDS.forEach((k, i) => present(i) && list.push(entry(look.theme.kind[i], k)));
    if (look.colourBy === 'body' && present(0)) list.push(entry(look.theme.kind[0], 'obstacle; others by body'));
    if (look.colourBy === 'material')
        [...new Set(model.shapes.material)]
            .sort((a, b) => a - b)
            .slice(0, 8)
            .forEach((m) => list.push(entry(PALETTE[m % PALETTE.length], `material ${m}`)));
    if (look.colourBy === 'speed') {
        const bar = h('span.bar');
        bar.style.background = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((x) => css(ramp(x))).join()})`;
        list.push(h('div.entry', {}, '0', bar, `${shortNumber(view.fastest)} ${unitOfSpeed(u)}`));
    }
    // layers without data have nothing to explain
    const { has } = view.run;
    const on = { ...look.layers };
    if (!has.contacts) on.contacts = on.gaps = on.impulses = on.cones = false;
    if (!has.twists) on.velocities = false;
    if (on.contacts) CONTACT_STATES.forEach((s, i) => list.push(entry(look.theme.state[i], s, true)));
    if (on.gaps) {
        list.push(entry(look.theme.gapOpen, 'gap open'));
        list.push(entry(look.theme.gapOverlap, 'gap < 0: overlap'));
    }
    if (on.impulses) list.push(entry(look.theme.impulse, 'impulse on the second body'));
    if (on.velocities) list.push(entry(look.theme.velocity, 'velocity'));
    if (on.cones) list.push(entry(look.theme.cone, 'friction cone'));
    if (on.joints && model.joints.name.length > 0) list.push(entry(look.theme.joint, 'joint, its axis'));
    if (on.tripods && model.bodies.support.length > 0) list.push(entry(look.theme.tripod, 'support tripod'));
    if (on.impulses || on.velocities) list.push(h('div.entry.note', {}, 'long arrows are shortened (log)'));
    if (app.layout === 'overlay') list.push(entry(look.theme.second, app.views[1]?.run.name ?? ''));
    return list;
}

export function legend(app: App): HTMLElement {
    const box = h('div.legend', { 'data-testid': 'legend', hidden: true });
    const labels = h('div.side-labels', { 'data-testid': 'side-labels', hidden: true });
    app.on((change) => {
        if (change !== 'look' && change !== 'runs') return;
        const list = entries(app);
        box.replaceChildren(...list);
        box.hidden = list.length === 0;
        labels.hidden = app.layout !== 'side';
        labels.replaceChildren(...app.views.map((v) => h('span', {}, v.run.name)));
    });
    return h('div.overlays', {}, labels, box);
}
