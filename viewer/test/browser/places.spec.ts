/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Where runs come from: a page from disk, files that cannot be shown, a live run.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { expect, test } from '@playwright/test';

import {
    colours,
    keep,
    newPage,
    open,
    OUT,
    perp,
    recording,
    serve,
    serveAnything,
    settled,
    slide,
    state,
    stopServers,
} from '../support.ts';

test.afterEach(stopServers);

test('an exported file opens from disk', async ({ browser }) => {
    const file = resolve(OUT, 'exported.html');
    perp('view', '--force', '--export', file, recording('demo'), recording('demo-small'));
    const { page, complaints } = await newPage(browser);
    await open(page, pathToFileURL(file).href);
    expect((await state(page)).frames).toBe(251);
    await slide(page, 120);
    expect(await colours(page)).toBeGreaterThan(8);
    await page.getByTestId('compare').selectOption({ label: 'demo-small.h5' });
    await expect.poll(async () => (await state(page)).shown).toEqual([120, 120]);
    await page.getByTestId('play').click();
    await expect.poll(async () => (await state(page)).frame).toBeGreaterThan(125);
    await keep(page, 'exported');
    expect(complaints).toEqual([]);
    await page.close();
});

const BROKEN = [
    ['truncated', /cut off or damaged/],
    ['text', /not an HDF5 file/],
    ['empty', /empty/],
    ['foreign', /not a recording of perp/],
    ['newer', /layout 99/],
] as const;

test('files that cannot be shown say why, and others can still be chosen', async ({ browser }) => {
    const files = BROKEN.map(([name]) => recording(name));
    const server = await serveAnything(...files, recording('demo'));
    const { page, complaints } = await newPage(browser);
    await page.goto(server.url);
    for (const [name, words] of BROKEN) {
        await page.getByTestId('recording').selectOption({ label: name + '.h5' });
        const message = page.getByTestId('message');
        await expect(message).toContainText(name + '.h5 cannot be shown');
        await expect(message).toContainText(words);
        if (name === 'newer') await page.screenshot({ path: resolve(OUT, 'pictures/newer.png') });
    }
    await page.getByTestId('recording').selectOption({ label: 'demo.h5' });
    await settled(page);
    await expect(page.getByTestId('message')).toHaveCount(0);
    expect(await colours(page)).toBeGreaterThan(8);
    expect(complaints).toEqual([]);
    await page.close();
});

test('perp view --anyway hands over what perp cannot read', async ({ browser }) => {
    const server = await serve('view', '--no-open', '--anyway', recording('newer'), recording('foreign'));
    const { page } = await newPage(browser);
    await page.goto(server.url);
    await expect(page.getByTestId('message')).toContainText(/layout 99/);
    await page.getByTestId('recording').selectOption({ label: 'foreign.h5' });
    await expect(page.getByTestId('message')).toContainText(/not a recording of perp/);
    await page.close();
});

test('a kind of shape that is not known is drawn as a mark, with a notice', async ({ browser }) => {
    const server = await serve('view', '--no-open', '--anyway', recording('unknown-shape'));
    const { page, complaints } = await newPage(browser);
    await open(page, server.url);
    await expect(page.getByTestId('notices')).toContainText('kind 42');
    expect(complaints).toEqual([]);
    await page.close();
});

test('a server that went away is told', async ({ browser }) => {
    const server = await serve('view', '--no-open', recording('demo'), recording('tower'));
    const { page } = await newPage(browser);
    await open(page, server.url);
    const ended = new Promise((done) => server.child.once('exit', done));
    server.child.kill('SIGTERM');
    await ended;
    await page.getByTestId('recording').selectOption({ label: 'tower.h5' });
    await expect(page.getByTestId('message')).toContainText('does not answer');
    await page.close();
});

test('a live run: follows, pauses, steps, begins anew', async ({ browser }) => {
    const server = await serve(
        ...['run', 'scenes/demo.yaml', '--view', '--no-open', '--paused', '--speed', '0.05', '--quiet'],
        // a few bodies: no step that takes long on a busy machine
        ...['-D', 'rows=2', '--force', '--output', recording('live')],
    );
    const { page, complaints } = await newPage(browser);
    await page.goto(server.url);
    await expect(page.getByTestId('live-state')).toContainText('paused');
    const frames = async (): Promise<number> => (await state(page)).frames;
    const first = await frames();
    await page.getByTestId('live-step').click();
    await expect.poll(frames).toBe(first + 1);
    await page.getByTestId('live-step').click();
    await expect.poll(frames).toBe(first + 2);
    await page.getByTestId('live-pause').click();
    await expect(page.getByTestId('live-state')).toContainText('running');
    await expect.poll(frames).toBeGreaterThan(first + 12);
    // the picture follows the newest frame
    await expect.poll(async () => (await state(page)).frame).toBeGreaterThan(first + 10);
    // frames that arrive while the button is held down do not lose the click
    await page.getByTestId('live-pause').hover();
    await page.mouse.down();
    const held = await frames();
    await expect.poll(frames).toBeGreaterThan(held);
    await page.mouse.up();
    await expect(page.getByTestId('live-state')).toContainText('paused');
    await page.getByTestId('layer-contacts').click();
    await settled(page);
    expect(await colours(page)).toBeGreaterThan(8);
    await keep(page, 'live');
    const late = await frames();
    await page.getByTestId('live-reset').click();
    await expect.poll(frames).toBeLessThan(late);
    expect(complaints).toEqual([]);
    await page.close();
});
