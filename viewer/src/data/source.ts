/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Where the page finds what to show: recordings inside the page, else those that its server offers.
import { addressOf } from './address.ts';
import { fromBase64 } from './base64.ts';
import { Refusal } from './check.ts';
import type { Place } from './protocol.ts';

export interface Offer {
    name: string;
    place: () => Place;
}

export interface LiveOffer {
    scene: string;
    token: string;
}

export interface Offers {
    recordings: Offer[];
    live: LiveOffer | null;
}

interface Listed {
    recordings?: { name?: unknown; url?: unknown; bytes?: unknown }[];
    live?: { scene?: unknown; token?: unknown } | null;
}

function embedded(): Offer[] {
    const found = document.querySelectorAll<HTMLScriptElement>('script[type="application/x-perp-recording"]');
    return [...found].map((element, i) => ({
        name: element.dataset.name ?? `recording ${i + 1}`,
        place: () => ({ data: fromBase64((element.textContent ?? '').trim()).buffer }),
    }));
}

export async function findOffers(): Promise<Offers> {
    const inside = embedded();
    if (inside.length > 0) return { recordings: inside, live: null };
    if (location.protocol === 'file:')
        throw new Refusal('This page holds no recording. perp view --export makes one that does.');
    const answer = await fetch(addressOf('recordings.json')).catch(() => {
        throw new Refusal('The server does not answer. Is perp view still running?');
    });
    if (!answer.ok) throw new Refusal(`The server has no list of recordings: status ${answer.status}.`);
    const list = (await answer.json()) as Listed;
    const recordings = (list.recordings ?? []).map((r) => ({
        name: String(r.name),
        // the worker is a blob without an address of its own: it needs the whole address
        place: (): Place => ({
            url: addressOf(String(r.url)),
            bytes: typeof r.bytes === 'number' ? r.bytes : undefined,
        }),
    }));
    const live = list.live ? { scene: String(list.live.scene), token: String(list.live.token ?? '') } : null;
    return { recordings, live };
}
