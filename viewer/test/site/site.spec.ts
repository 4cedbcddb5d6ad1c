/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The site as its reader sees it: read, search, run an example in the page, on a screen, on a phone, and from files.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { expect, test, type Browser, type FrameLocator, type Page } from '@playwright/test';

import { OUT, serveFolder, stopServers } from '../support.ts';

const SITE = process.env.PERP_SITE ?? '';
let url = '';
/** What the browser complained of, a blocked script above all; addresses that are not the site's own. */
let complaints: string[] = [];
let foreign: string[] = [];

test.beforeAll(async () => {
    url = (await serveFolder(SITE)).url;
});
test.afterAll(stopServers);
test.beforeEach(() => {
    complaints = [];
    foreign = [];
});
test.afterEach(() => {
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
});

async function open(browser: Browser, address: string, size = { width: 1280, height: 860 }): Promise<Page> {
    const page = await browser.newPage({ viewport: size, colorScheme: 'light' });
    const own = address.startsWith('file:') ? 'file:' : url;
    page.on('console', (m) => {
        if (m.type() === 'error') complaints.push(m.text());
    });
    page.on('pageerror', (e) => complaints.push(e.message));
    page.on('request', (r) => {
        if (!r.url().startsWith(own) && !/^(data|blob):/.test(r.url())) foreign.push(r.url());
    });
    await page.goto(address.startsWith('file:') ? address : url + address);
    return page;
}

const keep = (page: Page, name: string): Promise<Buffer> =>
    page.screenshot({ path: resolve(OUT, 'pictures', name + '.png') });

const scrollWidth = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);

async function finished(frame: FrameLocator): Promise<void> {
    await expect(frame.getByTestId('live-state')).toContainText('finished');
}

test('the guide: search, and an example that runs to its end', async ({ browser }) => {
    const page = await open(browser, 'docs/guide.html');
    await expect(page.locator('h1')).toContainText('Guide');

    await page.keyboard.press('/');
    await page.keyboard.type('anitescu');
    const results = page.locator('.results li');
    await expect(results.first()).toBeVisible();
    for (const text of await results.allInnerTexts()) expect(text.toLowerCase()).toContain('anitescu');
    await keep(page, 'site-search');
    await page.keyboard.press('Enter');
    await expect(page).not.toHaveURL(/guide/);
    await page.goBack();

    const block = page.locator('.code', { hasText: 'title: A box on a slope' });
    await block.getByRole('button', { name: 'Run' }).click();
    const frame = page.frameLocator('.live iframe');
    await finished(frame);
    await expect(frame.getByTestId('status')).toHaveAttribute('data-steps', '1000');
    await expect(page.locator('.live-bar .whole')).toHaveAttribute('href', /simulate\/index\.html#scene=/);
    await keep(page, 'site-live');

    // the scene can be edited where it runs; another run replaces this one
    await page.getByRole('button', { name: 'Edit the scene' }).click();
    await expect(frame.getByTestId('scene-text')).toHaveValue(/title: A box on a slope/);
    expect(await frame.getByTestId('documents').evaluate((a) => (a as HTMLAnchorElement).href)).toBe(
        url + 'docs/scene.html',
    );
    await keep(page, 'site-editor');
    const wall = page.locator('.code', { hasText: 'title: A ball flies into a wall' });
    await wall.getByRole('button', { name: 'Run' }).click();
    await expect(page.locator('.live')).toHaveCount(1);
    await expect(page.locator('.live-bar b')).toHaveText('A ball flies into a wall');
    await page.getByRole('button', { name: 'Close' }).click();
    await expect(page.locator('.live')).toHaveCount(0);
});

test('the gallery: a scene with a mesh in a file of its own', async ({ browser }) => {
    const page = await open(browser, 'docs/gallery.html');
    const card = page.locator('.card', { hasText: 'A gripper lifts a bracket' });
    await card.getByRole('button', { name: 'Run' }).click();
    const frame = page.frameLocator('.live iframe');
    await expect(frame.getByTestId('live-state')).toContainText(/running|finished/);
    await expect(frame.getByTestId('canvas')).toBeVisible();
    await keep(page, 'site-gallery');
    // its recording needs the mesh, too
    await page.getByRole('button', { name: 'Edit the scene' }).click();
    await finished(frame);
    const saved = page.waitForEvent('download');
    await frame.getByTestId('save-recording').click();
    expect((await saved).suggestedFilename()).toBe('scene.h5');
});

test('the theory: equations are mathematics, in the font that lies in the site', async ({ browser }) => {
    const page = await open(browser, 'docs/theory.html');
    expect(await page.locator('.equations math').count()).toBeGreaterThan(100);
    await page.evaluate(() => document.fonts.ready);
    expect(await page.evaluate(() => document.fonts.check('16px "STIX Two Math"'))).toBe(true);
    // a fraction is higher than a line
    const box = await page.locator('mfrac').first().boundingBox();
    expect(box?.height).toBeGreaterThan(25);
    await page
        .locator('[id="4-as-a-complementarity-problem"]')
        .evaluate((e) => e.scrollIntoView({ behavior: 'instant' }));
    await keep(page, 'site-theory');
});

test('a phone', async ({ browser }) => {
    const phone = { width: 390, height: 844 };
    for (const address of [
        'docs/gallery.html',
        'docs/theory.html',
        'docs/scene.html',
        'docs/experiments/incline.html',
    ]) {
        const page = await open(browser, address, phone);
        expect(await scrollWidth(page)).toBeLessThanOrEqual(phone.width);
        await page.close();
    }
    const page = await open(browser, 'docs/gallery.html', phone);
    await expect(page.locator('.navigation')).toBeHidden();
    await page.getByRole('button', { name: 'Navigation' }).click();
    await expect(page.locator('.navigation')).toBeVisible();
    await keep(page, 'site-phone-navigation');
    await page.getByRole('button', { name: 'Navigation' }).click();
    const card = page.locator('.card', { hasText: "Newton's cradle" }).first();
    await card.getByRole('button', { name: 'Run' }).click();
    await expect(page.frameLocator('.live iframe').getByTestId('live-state')).toContainText(/running|finished/);
    expect(await scrollWidth(page)).toBeLessThanOrEqual(phone.width);
    await keep(page, 'site-phone');
});

test('from files: pages and search work, and a run says what it needs', async ({ browser }) => {
    const page = await open(browser, pathToFileURL(resolve(SITE, 'docs/guide.html')).href);
    await page.locator('.search input').fill('certificate');
    await expect(page.locator('.results li').first()).toContainText(/certificate/i);
    await page.locator('h1').click();
    await page.getByRole('button', { name: 'Run' }).first().click();
    await expect(page.locator('.live')).toContainText('http.server');
});
