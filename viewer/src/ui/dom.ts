/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Elements with few words.

type Props = Record<string, string | boolean | number | ((e: Event) => void) | undefined>;

/** h('button.small', {title: 'x', onclick: f, 'data-testid': 'y'}, 'text', child) */
export function h<K extends keyof HTMLElementTagNameMap>(
    spec: K | `${K}.${string}`,
    props: Props = {},
    ...children: (Node | string | undefined)[]
): HTMLElementTagNameMap[K] {
    const [tag, ...classes] = spec.split('.');
    const e = document.createElement(tag) as HTMLElementTagNameMap[K];
    if (classes.length > 0) e.className = classes.join(' ');
    for (const [name, value] of Object.entries(props)) {
        if (value === undefined || value === false) continue;
        if (typeof value === 'function') e.addEventListener(name.replace(/^on/, ''), value);
        else e.setAttribute(name, value === true ? '' : String(value));
    }
    for (const c of children) if (c !== undefined) e.append(c);
    return e;
}

/** A line icon of a few strokes on a 24 x 24 grid. */
export function icon(path: string): SVGSVGElement {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('class', 'icon');
    svg.setAttribute('aria-hidden', 'true');
    const p = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    p.setAttribute('d', path);
    svg.append(p);
    return svg;
}

/** Draws another icon in a button. The elements stay: what is replaced between press and release loses the click. */
export function setIcon(button: HTMLElement, path: string): void {
    button.querySelector('.icon path')?.setAttribute('d', path);
}

export const ICONS = {
    play: 'M7 4.5v15l12-7.5z',
    pause: 'M7 5h3.5v14H7zM13.5 5H17v14h-3.5z',
    back: 'M6 5h2v14H6zM19 5v14L9 12z',
    forward: 'M16 5h2v14h-2zM5 5v14l10-7z',
    start: 'M4 5h2v14H4zM13 5v14l-7-7zM20 5v14l-7-7z',
    end: 'M18 5h2v14h-2zM4 5v14l7-7zM11 5v14l7-7z',
    loop: 'M17 3l4 4-4 4V8H8a3 3 0 0 0-3 3v1H3v-1a5 5 0 0 1 5-5h9zM7 21l-4-4 4-4v3h9a3 3 0 0 0 3-3v-1h2v1a5 5 0 0 1-5 5H7z',
    theme: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z',
    charts: 'M4 19h17v2H2V3h2zM7 15l4-5 3 3 5-7 1.6 1.2-6.4 9-3.1-3.1-2.6 3.2z',
    panel: 'M3 4h18v16H3zm2 2v12h9V6zm11 0v12h3V6z',
    fit: 'M4 9V4h5v2H6v3zm11-5h5v5h-2V6h-3zM6 15v3h3v2H4v-5zm12 0h2v5h-5v-2h3z',
    picture:
        'M4 6h4l1.5-2h5L16 6h4v13H4zm8 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zm0 2a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z',
    film: 'M3 6h12v12H3zM16.5 10.5L21 7.5v9l-4.5-3z',
    stop: 'M6 6h12v12H6z',
    close: 'M6 4.6L12 10.6 18 4.6 19.4 6 13.4 12 19.4 18 18 19.4 12 13.4 6 19.4 4.6 18 10.6 12 4.6 6z',
    reset: 'M12 5V2L7 6.5 12 11V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z',
} as const;
