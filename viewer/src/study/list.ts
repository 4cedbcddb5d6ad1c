/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The maps of the study, small: a click shows one large.
import { h } from '../ui/dom.ts';
import type { StudyMap } from './data.ts';
import { edges } from './grid.ts';
import { stepOf } from './scale.ts';
import type { Session } from './session.ts';

const WIDE = 132;

function paint(session: Session, m: StudyMap, canvas: HTMLCanvasElement): void {
    const c = canvas.getContext('2d');
    if (!c) return;
    const { of, range } = session.colours(m);
    const ex = edges(session.axis(m.x)).map((e) => Math.round(e * canvas.width));
    const ey = (m.y === null ? [0, 1] : edges(session.axis(m.y))).map((e) => Math.round((1 - e) * canvas.height));
    c.clearRect(0, 0, canvas.width, canvas.height);
    for (let j = 0; j + 1 < ey.length; j++)
        for (let i = 0; i + 1 < ex.length; i++) {
            const v = of[j * (ex.length - 1) + i];
            if (!Number.isFinite(v)) continue;
            c.fillStyle = session.scale.colour[stepOf(v, range)];
            c.fillRect(ex[i], ey[j + 1], ex[i + 1] - ex[i], ey[j] - ey[j + 1]);
        }
}

export function mapList(session: Session): HTMLElement {
    const root = h('nav.map-list', { 'aria-label': 'Maps of the study', 'data-testid': 'maps' });
    const build = (): void => {
        const maps = session.study?.maps ?? [];
        if (root.childElementCount !== maps.length)
            root.replaceChildren(
                ...maps.map((m, i) =>
                    h(
                        'button.map-item',
                        { 'data-testid': `map-${i}`, onclick: () => session.setMap(i) },
                        h('canvas', { width: WIDE, height: m.y === null ? 24 : WIDE * 0.75, 'aria-hidden': true }),
                        h('span', {}, m.title),
                    ),
                ),
            );
        root.hidden = maps.length < 2;
        [...root.children].forEach((item, i) => {
            const canvas = item.querySelector('canvas');
            if (i === session.map) item.setAttribute('aria-current', 'true');
            else item.removeAttribute('aria-current');
            if (canvas && maps[i]) paint(session, maps[i], canvas);
        });
    };
    root.addEventListener('keydown', (e) => {
        const by = e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : 0;
        const items = [...root.children] as HTMLElement[];
        const at = items.indexOf(document.activeElement as HTMLElement);
        if (by === 0 || at < 0) return;
        e.preventDefault();
        items[(at + by + items.length) % items.length].focus();
    });
    session.on((change) => {
        if (change !== 'cell') build();
    });
    return root;
}
