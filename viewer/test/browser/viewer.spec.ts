/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// One page, used as a person would, on recordings that perp view serves.
import { expect, test, type Page } from '@playwright/test';
import h5wasm from 'h5wasm/node';

import type { Exposed } from '../../src/app/expose.ts';
import {
    choose,
    colours,
    keep,
    newPage,
    open,
    perp,
    picture,
    playsOn,
    recording,
    SCENES,
    serve,
    settled,
    slide,
    state,
    stopServers,
    type Server,
} from '../support.ts';

test.describe.configure({ mode: 'serial' });

let server: Server;
let page: Page;
let complaints: string[];

test.beforeAll(async ({ browser }) => {
    server = await serve('view', '--no-open', ...SCENES.map(([name]) => recording(name)));
    ({ page, complaints } = await newPage(browser));
    await open(page, server.url);
});

test.afterAll(async () => {
    await page?.close();
    stopServers();
});

test.afterEach(async () => {
    expect(complaints).toEqual([]);
    expect((await state(page)).errors).toEqual([]);
});

/** Numbers of a recording, read without the viewer. */
function numbers(name: string, path: string): { shape: number[]; data: Float64Array } {
    const file = new h5wasm.File(recording(name), 'r');
    const d = file.get(path);
    if (!(d instanceof h5wasm.Dataset)) throw new Error(`no ${path}`);
    const result = { shape: d.shape ?? [], data: Float64Array.from(d.value as Float64Array, Number) };
    file.close();
    return result;
}

for (const [name] of SCENES)
    test(`${name}: loads, plays, is scrubbed`, async () => {
        await choose(page, name + '.h5');
        const { frames } = await state(page);
        expect(frames).toBe(numbers(name, 'frames/time').shape[0]);
        for (const part of [0.9, 0.25, 0.55]) {
            const frame = Math.floor(part * (frames - 1));
            await slide(page, frame);
            expect((await state(page)).frame).toBe(frame);
        }
        expect(await colours(page)).toBeGreaterThan(8);
        await expect(page.getByTestId('badge')).toHaveAttribute('data-grade', /good|fair|poor/);
        await keep(page, name);
        await playsOn(page);
    });

test('every layer changes the picture and goes again', async () => {
    // small: there are two dozen fine pictures to be drawn and compared
    await page.setViewportSize({ width: 960, height: 480 });
    await choose(page, 'demo.h5');
    await slide(page, 75);
    const layers = [
        'contacts',
        'normals',
        'gaps',
        'impulses',
        'cones',
        'joints',
        'paths',
        'boxes',
        'velocities',
        'edges',
        'shadows',
    ];
    const plain = await picture(page);
    for (const id of layers) {
        const box = page.getByTestId('layer-' + id);
        const was = await box.isChecked();
        await box.click();
        if (id === 'paths') await expect.poll(() => picture(page)).not.toBe(plain);
        else expect(await picture(page), id).not.toBe(plain);
        await box.click();
        expect(await box.isChecked()).toBe(was);
    }
    // one that had stayed would be seen here
    expect(await picture(page)).toBe(plain);
    // not in this recording: the switch does nothing, and says so
    await expect(page.locator('label', { has: page.getByTestId('layer-tripods') })).toHaveClass(/missing/);
    await page.setViewportSize({ width: 1280, height: 720 });
    for (const id of ['contacts', 'normals', 'impulses', 'cones', 'joints', 'paths', 'velocities'])
        await page.getByTestId('layer-' + id).click();
    await settled(page);
    await keep(page, 'layers');
    for (const id of ['contacts', 'normals', 'impulses', 'cones', 'joints', 'paths', 'velocities'])
        await page.getByTestId('layer-' + id).click();
});

test('support tripods where there are some', async () => {
    await choose(page, 'puck-2.5d.h5');
    await slide(page, 20);
    await expect(page.locator('label', { has: page.getByTestId('layer-tripods') })).not.toHaveClass(/missing/);
    const plain = await picture(page);
    await page.getByTestId('layer-tripods').click();
    expect(await picture(page)).not.toBe(plain);
    await keep(page, 'tripod');
    await page.getByTestId('layer-tripods').click();
});

test('a body is named under the pointer, selected by a click, and its numbers are those of the recording', async () => {
    await choose(page, 'demo.h5');
    const body = numbers('demo', 'frames/position').shape[1] - 1;
    for (const frame of [0, 150]) {
        await slide(page, frame);
        // measured again as long as the page is still putting its parts in their places
        if (frame === 0)
            await expect(async () => {
                const at = await page.evaluate(() => (window as unknown as { perp: Exposed }).perp.where('ball'));
                const box = await page.getByTestId('canvas').boundingBox();
                if (!at || !box) throw new Error('the ball is not in the picture');
                await page.mouse.move(box.x + at.x, box.y + at.y);
                await expect(page.getByTestId('tip')).toContainText('ball', { timeout: 2000 });
                await page.mouse.click(box.x + at.x, box.y + at.y);
                await expect.poll(async () => (await state(page)).selected, { timeout: 2000 }).toBe('ball');
            }).toPass();
        expect((await state(page)).selected).toBe('ball');
        await expect(page.getByTestId('numbers')).toHaveAttribute('data-frame', String(frame));
        for (const [path, width, ids] of [
            ['frames/position', 3, ['x', 'y', 'z']],
            ['frames/orientation', 4, ['qw', 'qx', 'qy', 'qz']],
            ['frames/velocity', 3, ['vx', 'vy', 'vz']],
            ['frames/spin', 3, ['wx', 'wy', 'wz']],
        ] as const) {
            const { shape, data } = numbers('demo', path);
            for (const [k, id] of ids.entries()) {
                const expected = data[(frame * shape[1] + body) * width + k];
                const cell = page.getByTestId('number-' + id);
                await expect(cell).toHaveAttribute('data-value', String(expected));
                // what is printed agrees to 6 digits; what is only rounding beside its quantity is printed as 0
                const printed = Number(await cell.textContent());
                if (printed === 0) expect(Math.abs(expected)).toBeLessThan(1e-10);
                else expect(Math.abs(printed - expected)).toBeLessThanOrEqual(5e-7 * Math.abs(expected));
            }
        }
    }
    await page.getByTestId('add-chart').selectOption('position');
    await expect(page.getByTestId('chart-position').locator('.u-title')).toContainText('ball');
    await keep(page, 'selection');
    await page.keyboard.press('Escape');
    await expect.poll(async () => (await state(page)).selected).toBe('');
});

test('2D: a body is selected, its angle is that of the recording', async () => {
    await choose(page, 'corner-slide.h5');
    await slide(page, 300);
    const { shape, data } = numbers('corner-slide', 'frames/angle');
    const body = shape[1] - 1;
    await page.getByTestId('body').selectOption(String(body));
    const shown = Number(await page.getByTestId('number-angle').getAttribute('data-value'));
    const turns = (data[300 * shape[1] + body] - shown) / (2 * Math.PI);
    expect(Math.abs(turns - Math.round(turns))).toBeLessThan(1e-6);
    await page.getByTestId('deselect').click();
});

test('the badge has the verdict of perp info and goes to the worst step', async () => {
    let graded: Record<string, { word: string }> & { word: string };
    for (const name of ['tower', 'double-pendulum', 'demo']) {
        await choose(page, name + '.h5');
        const told = JSON.parse(perp('info', '--json', recording(name))) as {
            files: { verdict: Record<string, { word: string }> & { word: string } }[];
        };
        const verdict = (graded = told.files[0].verdict);
        const badge = page.getByTestId('badge');
        await expect(badge).toHaveAttribute('data-grade', verdict.word as string);
        await badge.hover();
        for (const aspect of ['laws', 'overlap', 'energy'])
            await expect(page.getByTestId('finding-' + aspect)).toHaveAttribute('data-grade', verdict[aspect].word);
    }
    // the frame where a figure of the worst grade is largest
    const figures = { laws: 'law', overlap: 'overlap', joints: 'joint_error', creep: 'creep' };
    const worst = Object.entries(figures)
        .filter(([aspect]) => graded[aspect]?.word === (graded.word as string))
        .map(([, figure]) => numbers('demo', 'certificate/' + figure).data)
        .map((data) => data.indexOf(Math.max(...data)));
    // the verdict comes after the picture, from all frames
    await expect(page.getByTestId('badge')).toHaveAttribute('data-grade', /good|fair|poor/);
    await page.getByTestId('badge').click();
    await expect.poll(async () => worst.includes((await state(page)).frame)).toBe(true);
    await keep(page, 'worst');
    const law = numbers('demo', 'certificate/law').data;
    await page.getByTestId('badge').hover();
    await page.getByTestId('finding-laws').click();
    await expect.poll(async () => (await state(page)).frame).toBe(law.indexOf(Math.max(...law)));
    await page.mouse.move(400, 300);
});

test('two recordings, side by side and overlaid, stay in step', async () => {
    await choose(page, 'demo.h5');
    await page.getByTestId('compare').selectOption({ label: 'demo-small.h5' });
    await expect(page.getByTestId('side-labels')).toContainText('demo-small.h5');
    await slide(page, 90);
    await expect.poll(async () => (await state(page)).shown).toEqual([90, 90]);
    await keep(page, 'side-by-side');
    const side = await picture(page);
    await page.getByTestId('layout').selectOption('overlay');
    await expect(page.getByTestId('side-labels')).toBeHidden();
    await expect.poll(() => picture(page)).not.toBe(side);
    await keep(page, 'overlaid');
    // charts hold both
    const chart = page.getByTestId('chart-energy');
    await expect(chart.locator('.dashed')).toHaveText('demo-small.h5');
    await expect(chart.locator('.u-legend .u-series:visible')).toHaveText(['kinetic', 'potential', 'total']);
    await expect(chart.locator('.u-legend .u-series', { hasText: 'total' })).toHaveCount(2);
    await page.getByTestId('compare').selectOption({ label: 'compare with …' });
    await expect.poll(async () => (await state(page)).shown.length).toBe(1);
});

test('charts: all kinds, a click goes to its moment', async () => {
    await choose(page, 'demo.h5');
    await page.getByTestId('body').selectOption('3');
    for (const id of ['velocity', 'ledger', 'impulses', 'residuals', 'iterations'])
        await page.getByTestId('add-chart').selectOption(id);
    for (const id of [
        'position',
        'velocity',
        'energy',
        'ledger',
        'impulses',
        'contacts',
        'residuals',
        'iterations',
        'overlap',
    ])
        await expect(
            page
                .getByTestId('chart-' + id)
                .locator('.u-legend .u-series')
                .nth(1),
        ).toBeAttached();
    const over = page.getByTestId('chart-energy').locator('.u-over');
    // new charts make room for themselves: until that is done a click may land beside the middle
    await expect(async () => {
        const box = await over.boundingBox();
        if (!box) throw new Error('no chart');
        await over.click({ position: { x: box.width / 2, y: box.height / 2 } });
        await settled(page);
        expect(Math.abs((await state(page)).time - 1.25)).toBeLessThan(0.1);
    }).toPass();
    await keep(page, 'charts');
    // however many there are, the button that adds one covers none
    const add = await page.getByTestId('add-chart').boundingBox();
    const row = await page.locator('.charts-row').boundingBox();
    expect(add?.x ?? 0).toBeGreaterThanOrEqual((row?.x ?? 0) + (row?.width ?? Infinity));
    for (const id of ['position', 'velocity', 'ledger', 'impulses', 'residuals', 'iterations']) {
        await page.getByTestId('chart-' + id).hover();
        await page
            .getByTestId('chart-' + id)
            .locator('.close')
            .click();
        await expect(page.getByTestId('chart-' + id)).toHaveCount(0);
    }
    await page.getByTestId('deselect').click();
});

test('keys: play, step, speed, loop, layers, help, theme', async () => {
    await choose(page, 'demo.h5');
    await page.getByTestId('canvas').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    await settled(page);
    expect((await state(page)).frame).toBe(1);
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(async () => (await state(page)).frame).toBe(11);
    await page.keyboard.press('End');
    await expect.poll(async () => (await state(page)).frame).toBe(250);
    await page.keyboard.press('+');
    await expect(page.getByTestId('speed')).toHaveValue('2');
    await page.keyboard.press('l');
    await expect(page.getByTestId('loop')).toHaveClass(/on/);
    // with loop on, playing from near the end comes to the beginning
    await slide(page, 235);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => (window as unknown as { perp: { frame: number } }).perp.frame < 200);
    await page.keyboard.press('Space');
    await page.keyboard.press('l');
    await page.keyboard.press('-');
    await page.keyboard.press('1');
    await expect(page.getByTestId('layer-contacts')).toBeChecked();
    await page.keyboard.press('1');
    await page.keyboard.press('?');
    await expect(page.getByTestId('help-page')).toBeVisible();
    await keep(page, 'help');
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('help-page')).toBeHidden();
    await page.keyboard.press('t');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await slide(page, 80);
    await keep(page, 'dark');
    await page.keyboard.press('t');
    await page.keyboard.press('c');
    await expect(page.getByTestId('charts')).toBeHidden();
    await page.keyboard.press('p');
    await expect(page.getByTestId('panel')).toBeHidden();
    await page.keyboard.press('f');
    await keep(page, 'picture-only');
    await page.keyboard.press('c');
    await page.keyboard.press('p');
});

test('colours: by kind, material, speed, and one of one’s own', async () => {
    await choose(page, 'demo.h5');
    await slide(page, 70);
    const seen = new Set([await picture(page)]);
    for (const by of ['kind', 'speed']) {
        await page.getByTestId('colour-by').selectOption(by);
        seen.add(await picture(page));
    }
    expect(seen.size).toBe(3);
    await page.getByTestId('colour-by').selectOption('material');
    await expect(page.getByTestId('legend')).toContainText('material 0');
    await page.getByTestId('body').selectOption({ label: 'ball' });
    const before = await picture(page);
    await page.getByTestId('body-colour').fill('#ff00ff');
    expect(await picture(page)).not.toBe(before);
    await page.getByTestId('deselect').click();
    await page.getByTestId('colour-by').selectOption('body');
});

test('a wide page', async () => {
    await page.setViewportSize({ width: 2200, height: 900 });
    await choose(page, 'tower.h5');
    await keep(page, 'wide');
    await page.setViewportSize({ width: 1280, height: 720 });
});
