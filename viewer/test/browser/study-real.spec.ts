/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The page of a study through perp itself: a sweep that was run, a trial that is run again, and the page as a file.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { expect, test, type Page } from '@playwright/test';

import { newPage, OUT, perp, serve, settled, state, stopServers } from '../support.ts';

test.describe.configure({ mode: 'serial' });

const FOLDER = resolve(OUT, 'study');
const RESULTS = resolve(FOLDER, 'slide.h5');
/** 25 steps: a frame more than that. */
const SCENE = `perp: 1
title: A block slides
dim: 2
parameters:
  mu: {default: 0.3, min: 0, max: 2}
  v: {default: 1, unit: m/s, min: 0}
h: 0.02
duration: 0.5
law: {mu: mu}
bodies:
  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}
  - {name: block, mass: 1, inertia: 1, at: [0, 0.1], velocity: [v, 0], shape: {type: box, size: [0.4, 0.2]}}
`;
const STUDY = `perp-study: 1
title: How far does it slide?
scene: slide.yaml
vary:
  floor: {class: {smooth: {mu: [0, 0.2]}, rough: {mu: [0.4, 0.8]}}}
  v: {from: 0.5, to: 2, count: 4}
sample: {count: 6, seed: 5, mu: uniform}
measure: {x: 'last("block.x")', far: x > 0.2}
report:
  - {map: far, x: v, y: floor, contour: 0.5}
  - {plot: x, x: v, by: floor, show: mean}
`;

let page: Page;
let complaints: string[];

test.beforeAll(async ({ browser }) => {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(resolve(FOLDER, 'slide.yaml'), SCENE);
    writeFileSync(resolve(FOLDER, 'study.yaml'), STUDY);
    perp('sweep', resolve(FOLDER, 'study.yaml'), '--quiet', '--output', RESULTS);
    ({ page, complaints } = await newPage(browser));
    await page.goto((await serve('study', '--view', '--no-open', RESULTS)).url);
});

test.afterAll(async () => {
    await page?.close();
    stopServers();
});

test.afterEach(() => expect(complaints).toEqual([]));

test('maps and curves of the report are there', async () => {
    await expect(page.getByTestId('title')).toHaveText('How far does it slide?');
    await expect(page.getByTestId('about')).toContainText('slide.h5 · 48 trials · 0 unsolved · perp ');
    await expect(page.getByTestId('maps').getByRole('button')).toHaveCount(3);
    await expect(page.getByRole('gridcell')).toHaveCount(8);
    await page.locator('[data-cell="3"]').hover();
    await expect(page.getByTestId('summary')).toHaveText('v 2 m/s, floor smooth: 1, interval 0.61 to 1, 6 trials');
    await page.getByTestId('map-2').click();
    await expect(page.getByTestId('map-title')).toHaveText('x: floor rough');
    await expect(page.getByRole('gridcell')).toHaveCount(4);
    await page.getByTestId('map-0').click();
});

test('a trial of a cell is run again and shown', async () => {
    await page.locator('[data-cell="3"]').click();
    const rows = page.getByTestId('trials').locator('tbody tr');
    await expect(rows).toHaveCount(6);
    await expect(rows.nth(1)).toHaveAttribute('data-trial', '11');
    await rows.nth(1).getByRole('button').click();
    await page.waitForURL(/\/trial\/11\/$/);
    await settled(page);
    expect((await state(page)).frames).toBe(26);
    await expect(page.getByTestId('about')).toContainText(/^trial 11/);
    await page.goBack();
    await expect(page.locator('[data-cell="3"]')).toHaveAttribute('aria-selected', 'true');
});

test('a study that was exported opens from disk, without trials', async ({ browser }) => {
    const file = resolve(FOLDER, 'page.html');
    perp('view', '--force', '--export', file, RESULTS);
    const other = await newPage(browser);
    await other.page.goto(pathToFileURL(file).href);
    await expect(other.page.getByRole('gridcell')).toHaveCount(8);
    await other.page.locator('[data-cell="0"]').click();
    await expect(other.page.getByTestId('cell-about')).toContainText('This page was exported.');
    await expect(other.page.locator('tbody tr')).toHaveCount(0);
    expect(other.complaints).toEqual([]);
    await other.page.close();
});

test('a study without a map of its own, and one without variables', async ({ browser }) => {
    const other = await newPage(browser);
    const scene = resolve(FOLDER, 'slide.yaml');
    const measure = ['--measure', 'x=last("block.x")', '--quiet', '--output'];
    const one = resolve(FOLDER, 'one.h5');
    const none = resolve(FOLDER, 'none.h5');
    perp('sweep', scene, '--vary', 'mu=0.1:0.5:5', ...measure, one);
    perp('sweep', scene, '--sample', 'mu=uniform(0.1, 0.5)', '--count', '7', ...measure, none);
    await other.page.goto((await serve('view', '--no-open', one)).url);
    await expect(other.page.getByRole('gridcell')).toHaveCount(5);
    await other.page.goto((await serve('view', '--no-open', none)).url);
    await other.page.locator('[data-cell="0"]').click();
    await expect(other.page.getByTestId('cell-title')).toContainText('trials all: ');
    await expect(other.page.locator('tbody tr')).toHaveCount(7);
    expect(other.complaints).toEqual([]);
    await other.page.close();
});
