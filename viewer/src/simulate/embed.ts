/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The page inside another one of the same address, as the site shows it below an example: that page hands a scene over, and it runs at once.
// Messages from anywhere else are not heard.

/** A scene with the files that it names. */
export interface Handed {
    text: string;
    /** where it comes from; files are found relative to it */
    path: string;
    files: Record<string, Uint8Array>;
    define: Record<string, number>;
}

/** True if the page was asked to be a part of another one. */
export function embedded(): boolean {
    return window.parent !== window && location.search === '?embed';
}

/** What a message holds; undefined: it is no scene. */
export function readScene(data: unknown): Handed | undefined {
    const { perp, text, path, files, define } = (data ?? {}) as Record<string, unknown>;
    if (perp !== 'scene' || typeof text !== 'string' || typeof path !== 'string') return undefined;
    const bytes = Object.entries((files ?? {}) as Record<string, unknown>).map(
        ([name, base64]) => [name, Uint8Array.from(atob(String(base64)), (c) => c.charCodeAt(0))] as const,
    );
    const values = Object.entries((define ?? {}) as Record<string, unknown>).map(
        ([name, value]) => [name, Number(value)] as const,
    );
    return { text, path, files: Object.fromEntries(bytes), define: Object.fromEntries(values) };
}

/** Says something to the page around this one. */
export function tell(message: { perp: 'ready' } | { perp: 'link'; hash: string }): void {
    window.parent.postMessage(message, location.origin);
}

export function listen(heard: { scene: (handed: Handed) => void; edit: () => void }): void {
    window.addEventListener('message', (e: MessageEvent<unknown>) => {
        if (e.source !== window.parent || e.origin !== location.origin) return;
        const handed = readScene(e.data);
        if (handed) heard.scene(handed);
        else if ((e.data as { perp?: unknown } | null)?.perp === 'edit') heard.edit();
    });
    tell({ perp: 'ready' });
}
