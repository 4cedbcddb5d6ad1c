/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// What the scene itself writes and draws: labels of bodies, arrows on surfaces that run; from a server, from disk, live.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { expect, test, type Page } from '@playwright/test';

import type { Exposed } from '../../src/app/expose.ts';
import {
    choose,
    keep,
    newPage,
    open,
    OUT,
    perp,
    picture,
    recording,
    serve,
    settled,
    slide,
    stopServers,
} from '../support.ts';

test.describe.configure({ mode: 'serial' });

let page: Page;
let complaints: string[];

test.beforeAll(async ({ browser }) => {
    const server = await serve('view', '--no-open', recording('belt'), recording('demo'));
    ({ page, complaints } = await newPage(browser));
    await open(page, server.url);
});

test.afterAll(async () => {
    await page?.close();
    stopServers();
});

test.afterEach(() => expect(complaints).toEqual([]));

const LABELS = ['conveyor', 'parcel'];

function texts(of: Page): Promise<string[]> {
    return of.getByTestId('labels').locator('span').allInnerTexts();
}

test('labels stand above their bodies and go along with them', async () => {
    expect(await texts(page)).toEqual(LABELS);
    const label = page.getByTestId('labels').getByText('parcel');
    const seen: number[] = [];
    for (const frame of [0, 50]) {
        await slide(page, frame);
        const at = await page.evaluate(() => (window as unknown as { perp: Exposed }).perp.where('box'));
        const canvas = await page.getByTestId('canvas').boundingBox();
        const box = await label.boundingBox();
        if (!at || !canvas || !box) throw new Error('no label');
        expect(Math.abs(box.x + box.width / 2 - canvas.x - at.x)).toBeLessThan(1);
        expect(box.y + box.height).toBeLessThan(canvas.y + at.y);
        expect(box.y + box.height).toBeGreaterThan(canvas.y + at.y - 0.25 * canvas.height);
        seen.push(at.x);
    }
    // the belt took it along
    expect(seen[1]).toBeGreaterThan(seen[0] + 10);
    await keep(page, 'belt');
    await page.getByTestId('layer-labels').click();
    await settled(page);
    expect(await texts(page)).toEqual([]);
    await page.getByTestId('layer-labels').click();
    await settled(page);
    expect(await texts(page)).toEqual(LABELS);
});

test('surfaces that run have arrows', async () => {
    const row = page.locator('label', { has: page.getByTestId('layer-surfaces') });
    await expect(row).not.toHaveClass(/missing/);
    await expect(page.getByTestId('layer-surfaces')).toBeChecked();
    const arrows = await picture(page);
    await page.getByTestId('layer-surfaces').click();
    const none = await picture(page);
    expect(none).not.toBe(arrows);
    await page.getByTestId('layer-surfaces').click();
    expect(await picture(page)).toBe(arrows);
    await choose(page, 'demo.h5');
    await expect(row).toHaveClass(/missing/);
    expect(await texts(page)).toEqual([]);
});

test('both are in an exported page', async ({ browser }) => {
    const file = resolve(OUT, 'exported-belt.html');
    perp('view', '--force', '--export', file, recording('belt'));
    const other = await newPage(browser);
    await open(other.page, pathToFileURL(file).href);
    expect(await texts(other.page)).toEqual(LABELS);
    const arrows = await picture(other.page);
    await other.page.getByTestId('layer-surfaces').click();
    expect(await picture(other.page)).not.toBe(arrows);
    expect(other.complaints).toEqual([]);
    await other.page.close();
});

test('both are in a live run', async ({ browser }) => {
    const server = await serve(
        ...['run', 'viewer/test/mock/belt.yaml', '--view', '--no-open', '--paused', '--no-recording', '-q'],
    );
    const other = await newPage(browser);
    await other.page.goto(server.url);
    await expect(other.page.getByTestId('live-state')).toContainText('paused');
    await expect.poll(() => texts(other.page)).toEqual(LABELS);
    const arrows = await picture(other.page);
    await other.page.getByTestId('layer-surfaces').click();
    expect(await picture(other.page)).not.toBe(arrows);
    expect(other.complaints).toEqual([]);
    await other.page.close();
});
