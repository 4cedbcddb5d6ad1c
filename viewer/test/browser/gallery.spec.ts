// Every scene of the gallery can be shown: its first steps, recorded just before by what makes the gallery.
import { basename } from 'node:path';

import { expect, test } from '@playwright/test';

import { choose, colours, galleryRecordings, newPage, open, serve, slide, state, stopServers } from '../support.ts';

test.afterEach(stopServers);

test('each recording of the gallery loads, plays, is scrubbed', async ({ browser }) => {
    test.slow();
    const files = galleryRecordings();
    expect(files.length).toBeGreaterThan(50);
    const server = await serve('view', '--no-open', ...files);
    // small: it is about the data, and there are many
    const { page, complaints } = await newPage(browser, { width: 800, height: 560 });
    await open(page, server.url);
    // steps of these scenes are from microseconds to a second
    await page.getByTestId('speed').selectOption('50');
    for (const file of files) {
        await choose(page, basename(file));
        const { frames } = await state(page);
        expect(frames, file).toBeGreaterThan(4);
        for (const frame of [frames - 1, 1, 0]) {
            await slide(page, frame);
            expect((await state(page)).frame, file).toBe(frame);
        }
        // a particle by a wall has no more than the three: ground, wall and particle
        expect(await colours(page), file).toBeGreaterThan(2);
        await page.getByTestId('play').click();
        await page.waitForFunction(() => (window as unknown as { perp: { frame: number } }).perp.frame > 0);
        expect((await state(page)).errors, file).toEqual([]);
        expect(complaints, file).toEqual([]);
    }
    await page.close();
});
