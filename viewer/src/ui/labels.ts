/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Labels that the scene gives its bodies, above them.
import * as THREE from 'three';

import type { App } from '../app/app.ts';
import type { RunView } from '../draw/run_view.ts';
import { h } from './dom.ts';

/** A label is at most this part of the picture's height above the centre of its body; as in perp render. */
const HIGHEST = 0.2;
/** Between body and text [CSS pixels]. */
const SPACE = 4;

export interface PlacedLabel {
    text: string;
    /** middle of its lower edge on the canvas [CSS pixels] */
    x: number;
    y: number;
}

function labelsOf(app: App, view: RunView, which: number): PlacedLabel[] {
    const { stage } = app;
    const pose = view.shown >= 0 ? view.run.pose(view.shown, false) : undefined;
    if (!pose || !app.look.layers.labels) return [];
    const { clientWidth, clientHeight } = stage.canvas;
    const width = app.layout === 'side' ? clientWidth / 2 : clientWidth;
    const up = new THREE.Vector3(0, 1, 0).applyQuaternion(stage.orientation);
    const placed: PlacedLabel[] = [];
    view.run.model.bodies.label.forEach((text, i) => {
        if (text === '') return;
        const centre = new THREE.Vector3().fromArray(pose.position, 3 * i);
        if (!stage.before(centre)) return;
        const at = stage.project(centre);
        const top = stage.project(centre.clone().addScaledVector(up, view.bodies.reach[i]));
        const y = Math.max(top.y, at.y - HIGHEST * clientHeight) - SPACE;
        if (at.x < 0 || at.x > width || y < 0 || y > clientHeight) return;
        placed.push({ text, x: at.x + (app.layout === 'side' ? which * width : 0), y });
    });
    return placed;
}

/** Of two runs over each other the second one's labels would cover those of the first. */
export function placedLabels(app: App): PlacedLabel[] {
    const views = app.layout === 'overlay' ? app.views.slice(0, 1) : app.views;
    return views.flatMap((v, which) => labelsOf(app, v, which));
}

export function labels(app: App): HTMLElement {
    const root = h('div.labels', { 'data-testid': 'labels' });
    const draw = (): void => {
        const placed = placedLabels(app);
        while (root.children.length > placed.length) root.lastElementChild?.remove();
        placed.forEach(({ text, x, y }, i) => {
            const span = (root.children[i] as HTMLElement | undefined) ?? root.appendChild(h('span', {}));
            if (span.textContent !== text) span.textContent = text;
            span.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -100%)`;
        });
    };
    app.stage.onDrawn.push(draw);
    draw();
    return root;
}
