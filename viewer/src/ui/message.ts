/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Messages in the page: one that takes the place of the picture, and notices over it.
import type { App } from '../app/app.ts';
import { h } from './dom.ts';

/** Instead of the picture: why there is none. */
export function bigMessage(title: string, text: string): HTMLElement {
    return h('div.message', { 'data-testid': 'message', role: 'alert' }, h('h1', {}, title), h('p', {}, text));
}

export function notices(app: App): HTMLElement {
    const box = h('div.notices', { 'data-testid': 'notices' });
    const show = (): void => {
        const unknown = [...new Set(app.views.flatMap((v) => v.bodies.unknownKinds))];
        const texts = [...app.errors];
        if (unknown.length > 0)
            texts.push(
                `Shapes of kind ${unknown.join(', ')} are newer than this viewer: drawn as balls in their place.`,
            );
        box.replaceChildren(...texts.map((t) => h('div.notice', { role: 'status' }, t)));
    };
    app.on((change) => {
        if (change === 'error' || change === 'runs') show();
    });
    return box;
}
