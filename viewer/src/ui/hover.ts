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
    let pending: MouseEvent | undefined;
    let pressed: { x: number; y: number } | undefined;

    const place = (e: MouseEvent): { x: number; y: number } => {
        const r = canvas.getBoundingClientRect();
        return { x: e.clientX - r.left, y: e.clientY - r.top };
    };
    const look = (): void => {
        const e = pending;
        pending = undefined;
        if (!e) return;
        const at = place(e);
        const picked = app.stage.pick(at.x, at.y);
        app.hover(picked && picked.view === app.primary ? picked.body : -1);
        tip.hidden = !picked;
        if (!picked) return;
        const { bodies } = picked.view.run.model;
        tip.replaceChildren(
            h('b', {}, bodies.name[picked.body]),
            ' ',
            h('span', {}, BODY_KINDS[bodies.kind[picked.body]] ?? ''),
        );
        tip.style.left = `${at.x + 14}px`;
        tip.style.top = `${at.y + 14}px`;
    };
    canvas.addEventListener('pointermove', (e) => {
        if (e.buttons !== 0) {
            tip.hidden = true;
            return;
        }
        const busy = app.player.playing && (app.primary?.run.model.bodies.name.length ?? 0) > MOST_BODIES_PLAYING;
        if (busy) return;
        if (!pending) requestAnimationFrame(look);
        pending = e;
    });
    canvas.addEventListener('pointerleave', () => {
        pending = undefined;
        tip.hidden = true;
        app.hover(-1);
    });
    canvas.addEventListener('pointerdown', (e) => (pressed = { x: e.clientX, y: e.clientY }));
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
