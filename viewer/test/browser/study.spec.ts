/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The page of a study, used as a person would, on a study that is made up (test/serve-study.js).
import { mkdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { expect, test, type Page } from '@playwright/test';

import { readStudy } from '../../src/study/data.ts';
import { makeScale, stepOf } from '../../src/study/scale.ts';
import { newPage, OUT, serveStudy, settled, state, stopServers } from '../support.ts';

test.describe.configure({ mode: 'serial' });

/** What the server serves. */
const STUDY = readStudy(JSON.parse(readFileSync(new URL('../mock/study.json', import.meta.url), 'utf8')));

let page: Page;
let complaints: string[];
let url = '';

test.beforeAll(async ({ browser }) => {
    mkdirSync(resolve(OUT, 'pictures'), { recursive: true });
    url = (await serveStudy('demo')).url;
    ({ page, complaints } = await newPage(browser));
    await page.goto(url);
});

test.afterAll(async () => {
    await page?.close();
    stopServers();
});

test.afterEach(() => {
    expect(complaints).toEqual([]);
});

async function picture(name: string): Promise<void> {
    await page.screenshot({ path: resolve(OUT, 'pictures', name + '.png') });
}

const cell = (k: number) => page.locator(`[data-cell="${k}"]`);

test('maps are listed, and one is shown large', async () => {
    await expect(page.getByTestId('title')).toHaveText('Where does the grasp succeed?');
    await expect(page.getByTestId('about')).toContainText('4,032 trials · 1 unsolved');
    await expect(page.getByTestId('progress')).toBeHidden();
    await expect(page.getByTestId('maps').getByRole('button')).toHaveCount(4);
    await expect(page.getByRole('gridcell')).toHaveCount(48);
    await page.getByTestId('map-1').click();
    await expect(page.getByTestId('map-title')).toHaveText('success, surface medium');
    await expect(page.getByTestId('map-1')).toHaveAttribute('aria-current', 'true');
    await expect(page.getByTestId('cell-about')).toContainText('Choose a cell');
    await cell(20).hover();
    await expect(page.getByTestId('summary')).toHaveText(/^x 0\.5 mm, y −10\.5 mm: 0\.\d+, interval .*, 28 trials$/);
    await picture('study-map');
});

test('colours are those of the figures, and hatched where there is no data', async () => {
    const fill = (k: number): Promise<string | null> => cell(k).getAttribute('fill');
    // the scale itself is compared with that of the figures in test/unit/study.spec.ts
    const { colour } = makeScale(0);
    for (const k of [0, 20, 47]) expect(await fill(k)).toBe(colour[stepOf(STUDY.maps[1].value[k], [0, 1])]);
    await page.getByTestId('map-2').click();
    expect(await fill(0)).toBe('url(#hatch)');
    await expect(cell(0)).toHaveAttribute('aria-label', /no data$/);
    const before = await fill(20);
    await page.getByTestId('colours').selectOption('width');
    expect(await fill(20)).not.toBe(before);
    await page.getByTestId('colours').selectOption('value');
    expect(await fill(20)).toBe(before);
});

test('a click on a cell shows its trials', async () => {
    await page.getByTestId('map-1').click();
    await cell(19).click();
    await expect(page.getByTestId('cell-title')).toContainText('x −0.5 mm, y −10.5 mm');
    const rows = page.getByTestId('trials').locator('tbody tr');
    await expect(rows).toHaveCount(28);
    // a click would scroll to it; a person has to see it
    await expect(rows.first().getByRole('button')).toBeInViewport({ ratio: 1 });
    await expect(rows.first().locator('.state')).toBeInViewport({ ratio: 1 });
    await expect(rows.nth(1).locator('[data-column=success]')).toBeInViewport({ ratio: 1 });
    await expect(rows.nth(1).locator('[data-column=opening]')).toBeInViewport({ ratio: 1 });
    await expect(page.locator('tr[data-state=unsolved]')).toHaveAttribute('title', /step 122/);
    await expect(page.locator('tr[data-state=unsolved] .state')).toHaveText('unsolved');
    const value = Number(/: ([\d.]+),/.exec((await cell(19).getAttribute('aria-label')) ?? '')?.[1]);
    await page.getByTestId('filter').selectOption({ label: 'success: yes' });
    expect(await rows.count()).toBe(Math.round(28 * value));
    await page.getByTestId('filter').selectOption({ label: 'unsolved' });
    await expect(rows).toHaveCount(1);
    await page.getByTestId('filter').selectOption({ label: 'all trials' });
    await picture('study-trials');
});

test('trials are sorted by a column', async () => {
    const column = async (): Promise<number[]> => {
        const texts = await page.getByTestId('trials').locator('td[data-column=mu]').allTextContents();
        return texts.map(Number);
    };
    await page.getByRole('button', { name: /^mu$/ }).click();
    const up = await column();
    expect(up).toEqual([...up].sort((a, b) => a - b));
    expect(new Set(up).size).toBeGreaterThan(20);
    await page.getByRole('button', { name: /^mu ↑$/ }).click();
    expect(await column()).toEqual([...up].reverse());
    await expect(page.locator('th[aria-sort=descending]')).toHaveCount(1);
});

test('everything can be done with keys', async () => {
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('cell-title')).toHaveText('No cell is chosen');
    await page.keyboard.press('[');
    await expect(page.getByTestId('map-title')).toHaveText('success, surface low');
    await page.getByTestId('map-0').focus();
    await page.keyboard.press('ArrowDown');
    await expect(page.getByTestId('map-1')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('map-title')).toHaveText('success, surface medium');
    // from the list over the other maps into the grid: one stop of the Tab key
    for (let i = 0; i < 3; i++) await page.keyboard.press('Tab');
    await expect(page.locator('[data-cell]:focus')).toHaveCount(1);
    await page.keyboard.press('PageDown');
    await page.keyboard.press('Home');
    await expect(cell(0)).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowRight');
    await expect(cell(17)).toBeFocused();
    await expect(page.getByTestId('summary')).toContainText('x −2.5 mm, y −10.5 mm');
    await page.keyboard.press('Enter');
    await expect(cell(17)).toHaveAttribute('aria-selected', 'true');
    await expect(cell(17)).toBeFocused();
    await expect(page.getByTestId('trials').locator('tbody tr')).toHaveCount(28);
    await page.locator('tbody button').first().focus();
    await page.keyboard.press('ArrowDown');
    await expect(page.locator('tbody button').nth(1)).toBeFocused();
    await page.keyboard.press('?');
    await expect(page.getByTestId('help-page')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('help-page')).toBeHidden();
    await expect(page.locator('tbody button').nth(1)).toBeFocused();
    await expect(cell(17)).toHaveAttribute('aria-selected', 'true');
});

test('a trial is played, and the way back leads to its cell', async () => {
    await page.locator('tbody button').nth(1).press('Enter');
    await expect(page.getByTestId('play-status')).toContainText(/Trial \d+ is being run/);
    await page.waitForURL(/\/trial\/\d+\/$/);
    await settled(page);
    expect((await state(page)).frames).toBe(251);
    await expect(page.getByTestId('about')).toContainText(/^trial \d+/);
    await page.goBack();
    await expect(page.getByTestId('map-title')).toHaveText('success, surface medium');
    await expect(cell(17)).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByTestId('trials').locator('tbody tr')).toHaveCount(28);
});

test('dark, and a sweep over one parameter', async () => {
    await page.keyboard.press('t');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await picture('study-dark');
    await page.getByTestId('map-3').click();
    await expect(page.getByRole('gridcell')).toHaveCount(8);
    await cell(3).click();
    await expect(page.getByTestId('trials').locator('tbody tr')).toHaveCount(56);
    await picture('study-line');
    await page.keyboard.press('t');
    await picture('study-line-light');
});

test('a narrow page', async () => {
    await page.getByTestId('map-1').click();
    await page.setViewportSize({ width: 700, height: 900 });
    await expect(page.getByRole('gridcell')).toHaveCount(48);
    await picture('study-narrow');
    await page.setViewportSize({ width: 1280, height: 720 });
});

test('a study that goes on grows', async ({ browser }) => {
    const server = await serveStudy('demo', 'running');
    const other = await newPage(browser);
    await other.page.goto(server.url);
    await expect(other.page.getByTestId('progress')).toBeVisible();
    await expect(other.page.locator('[data-cell="47"]')).toHaveAttribute('fill', 'url(#hatch)');
    await other.page.locator('[data-cell="2"]').click();
    await expect(other.page.getByTestId('about')).toContainText('· 4,032 trials');
    await expect(other.page.locator('[data-cell="47"]')).not.toHaveAttribute('fill', 'url(#hatch)');
    // what was chosen and where the keys go stays
    await expect(other.page.locator('[data-cell="2"]')).toBeFocused();
    await expect(other.page.locator('[data-cell="2"]')).toHaveAttribute('aria-selected', 'true');
    await expect(other.page.getByTestId('progress')).toBeHidden();
    expect(other.complaints).toEqual([]);
    await other.page.close();
});

test('what is wrong is said in a sentence', async ({ browser }) => {
    const broken = await newPage(browser);
    await broken.page.goto((await serveStudy('demo', 'broken')).url);
    await expect(broken.page.getByTestId('message')).toContainText('maps[0].value has 3 numbers, and 48 are expected.');
    expect(broken.complaints).toEqual([]);
    await broken.page.close();
    const refused = await newPage(browser);
    await refused.page.goto((await serveStudy('demo', 'refused')).url + '#map=0&cell=20');
    await refused.page.locator('tbody button').first().click();
    await expect(refused.page.getByTestId('play-status')).toContainText(
        'cannot be shown: the scene grasp.yaml has changed',
    );
    await refused.page.getByRole('button', { name: 'Close' }).click();
    await expect(refused.page.getByTestId('play-status')).toBeHidden();
    expect(refused.complaints).toEqual([]);
    await refused.page.close();
});
