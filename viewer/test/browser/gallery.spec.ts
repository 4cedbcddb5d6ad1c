// Every recording that `make gallery` left can be shown.
import { basename } from 'node:path';

import { expect, test } from '@playwright/test';

import { choose, colours, galleryRecordings, newPage, open, serve, slide, state, stopServers } from '../support.ts';

test.afterEach(stopServers);

test('recordings of the gallery, where it was made', async ({ browser }) => {
    const files = galleryRecordings();
    test.skip(files.length === 0, 'make gallery was not run');
    const server = await serve('view', '--no-open', ...files);
    const { page, complaints } = await newPage(browser);
    await open(page, server.url);
    for (const file of files) {
        if (files.length > 1) await choose(page, basename(file));
        const { frames } = await state(page);
        await slide(page, Math.floor(frames / 2));
        expect(await colours(page), file).toBeGreaterThan(4);
    }
    expect(complaints).toEqual([]);
    await page.close();
});
