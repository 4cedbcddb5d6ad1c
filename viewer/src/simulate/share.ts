/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// A link that holds a scene: behind the #, so that no server sees it. Text and parameters as JSON, packed, in letters of addresses.
import { Refusal } from '../data/check.ts';
import { checkScene, LIMITS } from './limits.ts';

export interface Shared {
    text: string;
    /** values of parameters that differ from the scene's own */
    define: Record<string, number>;
}

const KEY = 'scene=';

async function through(data: Uint8Array, by: ReadableWritablePair, most: number): Promise<Uint8Array> {
    const reader = (new Blob([data as BlobPart]).stream() as ReadableStream).pipeThrough(by).getReader();
    const parts: Uint8Array[] = [];
    let size = 0;
    for (;;) {
        const { done, value } = (await reader.read()) as { done: boolean; value?: Uint8Array };
        if (done || !value) break;
        size += value.length;
        if (size > most) {
            void reader.cancel();
            throw new Refusal(`The link holds more than ${most} bytes, and that is not allowed.`);
        }
        parts.push(value);
    }
    const out = new Uint8Array(size);
    let at = 0;
    for (const p of parts) {
        out.set(p, at);
        at += p.length;
    }
    return out;
}

export async function toLink(shared: Shared): Promise<string> {
    checkScene(shared.text);
    const json = new TextEncoder().encode(JSON.stringify(shared));
    const packed = await through(json, new CompressionStream('deflate-raw'), Infinity);
    let letters = '';
    for (const b of packed) letters += String.fromCharCode(b);
    return '#' + KEY + btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** What a link holds; undefined: it is none. Throws a Refusal for one that is damaged or too large. */
export async function fromLink(hash: string): Promise<Shared | undefined> {
    if (!hash.startsWith('#' + KEY)) return undefined;
    const letters = hash.slice(1 + KEY.length);
    if (letters.length > LIMITS.link)
        throw new Refusal(`The link has ${letters.length} characters, and ${LIMITS.link} are allowed.`);
    let shared: unknown;
    try {
        const packed = Uint8Array.from(atob(letters.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
        const json = await through(packed, new DecompressionStream('deflate-raw'), 4 * LIMITS.text);
        shared = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
    } catch (e) {
        if (e instanceof Refusal) throw e;
        throw new Refusal('The link is damaged: it holds no scene.');
    }
    const { text, define = {} } = (shared ?? {}) as Partial<Shared>;
    if (typeof text !== 'string' || typeof define !== 'object' || define === null || Array.isArray(define))
        throw new Refusal('The link is damaged: it holds no scene.');
    for (const [name, value] of Object.entries(define))
        if (!/^[A-Za-z_]\w*$/.test(name) || typeof value !== 'number' || !Number.isFinite(value))
            throw new Refusal('The link is damaged: a parameter has no number.');
    checkScene(text);
    return { text, define };
}
