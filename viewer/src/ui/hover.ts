/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Names under the pointer; a click selects.
import type { App } from '../app/app.ts';
import { BODY_KINDS } from '../data/model.ts';
import { h } from './dom.ts';

/** A press that moves less than this is a click, not a turn of the camera [CSS pixels]. */
const CLICK_TRAVEL = 4;
/** While playing, looking for what is under the pointer would cost frames in large scenes. */
const MOST_BODIES_PLAYING = 300;

export function hover(app: App): HTMLElement {
    const tip = h('div.tip', { 'data-testid': 'tip' });
    tip.hidden = true;
    const { canvas } = app.stage;
    /** where the pointer rests over the picture; undefined: it is elsewhere, or pressed, or a finger */
    let pointer: { x: number; y: number } | undefined;
    let asked = false;
    let pressed: { x: number; y: number } | undefined;

    const place = (e: MouseEvent): { x: number; y: number } => {
        const r = canvas.getBoundingClientRect();
        return { x: e.clientX - r.left, y: e.clientY - r.top };
    };
    const hide = (): void => {
        pointer = undefined;
        tip.hidden = true;
        app.hover(-1);
    };
    const tooBusy = (): boolean => {
        const moves = app.player.playing || (app.primary?.run.live ?? false);
        return moves && (app.primary?.run.model.bodies.name.length ?? 0) > MOST_BODIES_PLAYING;
    };
    const look = (): void => {
        asked = false;
        const at = pointer;
        const picked = at && !tooBusy() ? app.stage.pick(at.x, at.y) : undefined;
        app.hover(picked && picked.view === app.primary ? picked.body : -1);
        tip.hidden = !picked;
        if (!at || !picked) return;
        const { bodies } = picked.view.run.model;
        tip.replaceChildren(
            h('b', {}, bodies.name[picked.body]),
            ' ',
            h('span', {}, BODY_KINDS[bodies.kind[picked.body]] ?? ''),
        );
        tip.style.left = `${at.x + 14}px`;
        tip.style.top = `${at.y + 14}px`;
    };
    /** What is under the pointer may have changed: bodies moved, the camera did, or another run is shown. */
    const lookAgain = (): void => {
        if (asked || (!pointer && tip.hidden)) return;
        asked = true;
        requestAnimationFrame(look);
    };
    canvas.addEventListener('pointermove', (e) => {
        if (e.buttons !== 0 || e.pointerType === 'touch') hide();
        else {
            pointer = place(e);
            lookAgain();
        }
    });
    for (const gone of ['pointerleave', 'pointercancel'] as const) canvas.addEventListener(gone, hide);
    window.addEventListener('blur', hide);
    app.on((change) => {
        if (change === 'moment' || change === 'runs') lookAgain();
    });
    app.stage.onDrawn.push(lookAgain);
    canvas.addEventListener('pointerdown', (e) => {
        hide();
        pressed = { x: e.clientX, y: e.clientY };
    });
    canvas.addEventListener('pointerup', (e) => {
        const still = pressed && Math.hypot(e.clientX - pressed.x, e.clientY - pressed.y) < CLICK_TRAVEL;
        pressed = undefined;
        if (!still || e.button !== 0) return;
        const at = place(e);
        const picked = app.stage.pick(at.x, at.y);
        if (!picked) app.select(-1);
        else if (picked.view === app.primary) app.select(picked.body);
        else {
            // of two runs the numbers are those of the first: the body of the same name
            const name = picked.view.run.model.bodies.name[picked.body];
            app.select(app.primary?.run.model.bodies.name.indexOf(name) ?? -1);
        }
    });
    return tip;
}
