/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Scenes of the gallery can be shown: their first steps, recorded just before by what makes the gallery.
import { basename } from 'node:path';

import { expect, test, type Page } from '@playwright/test';

import type { Exposed } from '../../src/app/expose.ts';
import { GALLERY_EVERY, galleryRecordings, newPage, open, serve, stopServers } from '../support.ts';

/** Parts that the gallery is tested in, side by side where there are processors for it. */
const PARTS = GALLERY_EVERY === 1 ? 4 : 2;

test.describe.configure({ mode: 'parallel' });
test.afterEach(stopServers);

interface Seen {
    frames: number;
    /** frames that were shown after the slider went to the last, the second and the first */
    shown: number[];
    colours: number;
    /** it went on from the first frame when it was played */
    played: boolean;
    errors: string[];
}

/** Chooses a recording, goes to some of its frames, plays it. All of it in the page: every call from outside would cost as
 *  much as a picture. */
function look(page: Page, name: string): Promise<Seen> {
    return page.evaluate(async (label) => {
        const perp = (): Exposed => (window as unknown as { perp: Exposed }).perp;
        const part = <T extends HTMLElement>(id: string): T => {
            const found = document.querySelector<T>(`[data-testid=${id}]`);
            if (!found) throw new Error(`no ${id}`);
            return found;
        };
        const until = async (done: () => boolean): Promise<void> => {
            while (!done()) {
                const message = document.querySelector<HTMLElement>('[data-testid=message]')?.innerText;
                if (message) throw new Error(message);
                await new Promise(requestAnimationFrame);
            }
        };
        const list = part<HTMLSelectElement>('recording');
        const option = [...list.options].find((o) => o.label === label);
        if (!option) throw new Error(`no recording ${label}`);
        list.value = option.value;
        list.dispatchEvent(new Event('change'));
        await until(
            () => part('busy').hidden && part('about').innerText.includes(label) && perp().loaded && perp().settled,
        );
        const { frames } = perp();
        const slider = part<HTMLInputElement>('slider');
        const shown: number[] = [];
        for (const frame of [frames - 1, 1, 0]) {
            slider.value = String(frame);
            slider.dispatchEvent(new Event('input'));
            await until(() => perp().settled);
            shown.push(perp().frame);
        }
        const canvas = part<HTMLCanvasElement>('canvas');
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
        copy?.drawImage(canvas, 0, 0);
        const pixels = copy?.getImageData(0, 0, canvas.width, canvas.height).data;
        const colours = new Set(new Uint32Array(pixels?.buffer ?? new ArrayBuffer(0))).size;
        part('play').click();
        await until(() => perp().frame > 0);
        return { frames, shown, colours, played: perp().frame > 0, errors: [...perp().errors] };
    }, name);
}

for (let part = 0; part < PARTS; part++)
    test(`each recording of the gallery loads, plays, is scrubbed: part ${part + 1} of ${PARTS}`, async ({
        browser,
    }) => {
        test.slow();
        const all = galleryRecordings();
        expect(all.length).toBeGreaterThan(50 / GALLERY_EVERY);
        const files = all.filter((_, i) => i % PARTS === part);
        const server = await serve('view', '--no-open', ...files);
        // small: it is about the data, and there are many
        const { page, complaints } = await newPage(browser, { width: 800, height: 560 });
        await open(page, server.url);
        // steps of these scenes are from microseconds to a second
        await page.getByTestId('speed').selectOption('50');
        for (const file of files) {
            const seen = await look(page, basename(file));
            expect(seen.frames, file).toBeGreaterThan(4);
            expect(seen.shown, file).toEqual([seen.frames - 1, 1, 0]);
            // a particle by a wall has no more than the three: ground, wall and particle
            expect(seen.colours, file).toBeGreaterThan(2);
            expect(seen.played, file).toBe(true);
            expect(seen.errors, file).toEqual([]);
            expect(complaints, file).toEqual([]);
        }
        await page.close();
    });
