/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// How the page looks and what it says: loading, charts, names, colours, cameras, pictures to save, a phone.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { expect, test, type Page } from '@playwright/test';

import type { Exposed } from '../../src/app/expose.ts';
import {
    choose,
    keep,
    newPage,
    open,
    OUT,
    perp,
    recording,
    ROOT,
    serve,
    serveWithToken,
    settled,
    slide,
    state,
    stopServers,
    type Server,
} from '../support.ts';

test.describe.configure({ mode: 'serial' });

let server: Server;
/** One page for most of the tests: to load it costs more than what they do. */
let page: Page;
let complaints: string[];

test.beforeAll(async ({ browser }) => {
    server = await serve('view', '--no-open', ...['demo', 'demo-small', 'tower', 'corner-slide'].map(recording));
    ({ page, complaints } = await newPage(browser));
    await open(page, server.url);
});

test.afterAll(async () => {
    await page?.close();
    stopServers();
});

test.afterEach(() => expect(complaints).toEqual([]));

/** The demo from its first frame, alone; the camera as at the beginning. */
async function anew(): Promise<void> {
    if ((await state(page)).shown.length > 1) {
        await page.getByTestId('compare').selectOption({ label: 'compare with …' });
        await expect.poll(async () => (await state(page)).shown.length).toBe(1);
    }
    // the recording that is shown already would stay as it is
    await choose(page, 'tower.h5');
    await choose(page, 'demo.h5');
    // keys that are pressed in a list of choices belong to it
    await page.getByTestId('canvas').focus();
}

type Window = { perp: Exposed };

function where(page: Page, body: string, which = 0): Promise<{ x: number; y: number } | null> {
    return page.evaluate(([b, w]) => (window as unknown as Window).perp.where(b, w), [body, which] as const);
}

test('while a recording is being read the page says so, and never that something was not recorded', async ({
    browser,
}) => {
    const { page, complaints } = await newPage(browser);
    const seen: string[] = [];
    await page.exposeFunction('sawText', (text: string) => seen.push(text));
    await page.addInitScript(() => {
        const look = (): void => {
            const parts = ['badge', 'chart-energy', 'chart-contacts', 'busy']
                .map((id) => document.querySelector<HTMLElement>(`[data-testid=${id}]`))
                .map((e) => (e && !e.hidden ? e.innerText : ''));
            // nothing half made: no choice without anything to choose, no picture before the first
            const made = (window as unknown as { perp?: { drawn: number } }).perp?.drawn ?? 0;
            for (const id of ['recording', 'compare', 'layout', 'side-labels', 'legend']) {
                const e = document.querySelector<HTMLElement>(`[data-testid=${id}]`);
                if (e && !e.hidden && e.childElementCount === 0) parts.push(`empty ${id}`);
            }
            const canvas = document.querySelector<HTMLElement>('[data-testid=canvas]');
            if (canvas && made === 0 && getComputedStyle(canvas).visibility !== 'hidden') parts.push('early picture');
            void (window as unknown as { sawText(t: string): void }).sawText(parts.join('\n'));
        };
        document.addEventListener('DOMContentLoaded', () => {
            look();
            new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
        });
    });
    await page.route('**/recording/*', async (route) => {
        await new Promise((r) => setTimeout(r, 150));
        await route.continue();
    });
    await open(page, server.url);
    await expect(page.getByTestId('badge')).toHaveAttribute('data-grade', /good|fair|poor/);
    await expect(page.getByTestId('chart-energy').locator('.u-legend')).toContainText('kinetic');
    const all = seen.join('\n');
    expect(all).toContain('Energy: reading …');
    expect(all).toContain('reading demo.h5 …');
    expect(all).not.toContain('not recorded');
    expect(all).not.toMatch(/empty|early/);
    await expect(page.getByTestId('busy')).toBeHidden();
    expect(complaints).toEqual([]);
    await page.close();
});

test('charts are those of the recording that is shown', async () => {
    await anew();
    const chart = page.getByTestId('chart-energy');
    await expect(chart).toHaveAttribute('data-shows', 'demo.h5');
    await page.route('**/recording/2', async (route) => {
        await new Promise((r) => setTimeout(r, 200));
        await route.continue();
    });
    await page.getByTestId('recording').selectOption({ label: 'tower.h5' });
    await expect(page.getByTestId('about')).toContainText('tower.h5');
    // from here on nothing of the other one
    expect(await chart.getAttribute('data-shows')).not.toBe('demo.h5');
    await expect(chart).toHaveAttribute('data-shows', 'tower.h5');
    await page.getByTestId('compare').selectOption({ label: 'demo.h5' });
    await expect(chart).toHaveAttribute('data-shows', 'tower.h5 | demo.h5');
    await page.unroute('**/recording/2');
});

test('energies have their names, numbers their digits, contacts their colours', async () => {
    await anew();
    const legend = page.getByTestId('chart-energy').locator('.u-legend');
    for (const name of ['kinetic', 'potential', 'total']) await expect(legend).toContainText(name);
    await expect(page.getByTestId('chart-energy').locator('.u-title')).toContainText('[J]');
    await page.getByTestId('body').selectOption({ label: 'ball' });
    for (const id of ['kinetic', 'potential']) {
        const row = page.locator('tr', { has: page.getByTestId('number-' + id) });
        await expect(row).toContainText(`${id} energy`);
        await expect(row).toContainText('J');
    }
    await slide(page, 80);
    for (const text of await page.locator('.numbers td:nth-child(2)').allInnerTexts()) {
        expect(text).not.toMatch(/\.\d*0$/);
        // what is only rounding is not shown
        expect(text === '0' || Math.abs(Number(text)) > 1e-14).toBe(true);
    }
    await page.getByTestId('layer-contacts').click();
    const table = JSON.parse(
        readFileSync(resolve(ROOT, 'viewer/src/draw/contact_state_colours.json'), 'utf8'),
    ) as Record<string, string>;
    for (const [name, hex] of Object.entries(table)) {
        const rgb = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
        const mark = page.locator('.legend .entry', { hasText: name }).locator('.swatch');
        await expect(mark).toHaveCSS('background-color', `rgb(${rgb.join(', ')})`);
        const line = page.getByTestId('chart-contacts').locator('.u-legend .u-series', { hasText: name });
        await expect(line.locator('.u-marker')).toHaveCSS('background-color', `rgb(${rgb.join(', ')})`);
    }
    await page.getByTestId('layer-contacts').click();
});

test('the name under the pointer goes when the body goes', async () => {
    await anew();
    const tip = page.getByTestId('tip');
    const box = await page.getByTestId('canvas').boundingBox();
    const at = await where(page, 'ball');
    if (!box || !at) throw new Error('no ball');
    await expect(async () => {
        await page.mouse.move(box.x + at.x + 1, box.y + at.y);
        await page.mouse.move(box.x + at.x, box.y + at.y);
        await expect(tip).toContainText('ball', { timeout: 2000 });
    }).toPass();
    // the ball swings away under a pointer that rests
    await slide(page, 60);
    await expect(tip).not.toContainText('ball');
    // the camera turns away
    await slide(page, 0);
    await expect(tip).toContainText('ball');
    await page.keyboard.press('z');
    await expect(tip).not.toContainText('ball');
    await page.keyboard.press('f');
    await expect(tip).toContainText('ball');
    // pressed, and out of the picture
    await page.mouse.down();
    await expect(tip).toBeHidden();
    await page.mouse.up();
    await page.mouse.move(box.x + at.x + 1, box.y + at.y);
    await expect(tip).toBeVisible();
    await page.getByTestId('slider').hover();
    await expect(tip).toBeHidden();
});

test('two recordings side by side are both seen whole', async () => {
    await anew();
    await choose(page, 'demo-small.h5');
    // far too near: one of the two would be cut off
    await page.getByTestId('canvas').hover();
    for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -400);
    await page.getByTestId('compare').selectOption({ label: 'demo.h5' });
    await expect(page.getByTestId('side-labels')).toContainText('demo.h5');
    await settled(page);
    const size = await page.getByTestId('canvas').evaluate((c) => ({ w: c.clientWidth, h: c.clientHeight }));
    for (const which of [0, 1])
        for (const body of ['ball', 'brick-0-0']) {
            const p = await where(page, body, which);
            if (!p) throw new Error(`no ${body}`);
            expect(p.x).toBeGreaterThan((which * size.w) / 2);
            expect(p.x).toBeLessThan(((which + 1) * size.w) / 2);
            expect(p.y).toBeGreaterThan(0);
            expect(p.y).toBeLessThan(size.h);
        }
    await keep(page, 'compare');
    // and alone again: the whole width
    await page.getByTestId('compare').selectOption({ label: 'compare with …' });
    await expect.poll(async () => (await state(page)).shown.length).toBe(1);
    await settled(page);
    const alone = await where(page, 'brick-0-0');
    expect(Math.abs((alone?.x ?? 0) - size.w / 2)).toBeLessThan(size.w / 4);
});

test('axes, gravity and views along the axes', async () => {
    await anew();
    const triad = page.getByTestId('triad');
    const arm = async (name: string): Promise<number[]> =>
        ((await triad.getAttribute('data-' + name)) ?? 'NaN,NaN').split(',').map(Number);
    // each view: which way x, y and z go in the picture (x to the right, y up)
    const views = {
        x: { x: [0, 0], y: [1, 0], z: [0, 1], g: [0, -1] },
        y: { x: [1, 0], y: [0, 0], z: [0, 1], g: [0, -1] },
        z: { x: [1, 0], y: [0, 1], z: [0, 0], g: [0, 0] },
        isometric: { x: [0.707, 0.408], y: [0.707, 0.408], z: [0, 0.816], g: [0, -0.816] },
    };
    for (const [id, arms] of Object.entries(views)) {
        await page.getByTestId('view-' + id).click();
        for (const [name, [x, y]] of Object.entries(arms))
            await expect(async () => {
                const [u, v] = await arm(name);
                // the isometric view is from (1, -1, 1): x and y rise to opposite sides
                expect(Math.abs(id === 'isometric' ? Math.abs(u) - Math.abs(x) : u - x)).toBeLessThan(0.01);
                expect(Math.abs(id === 'isometric' ? Math.abs(v) - Math.abs(y) : v - y)).toBeLessThan(0.01);
            }).toPass({ timeout: 5000 });
        await settled(page);
        await keep(page, 'view-' + id);
    }
    await page.keyboard.press('x');
    await expect.poll(() => arm('y')).toEqual([1, 0]);
    // in the plane there are two axes and one view
    await choose(page, 'corner-slide.h5');
    await expect.poll(() => arm('x')).toEqual([1, 0]);
    expect(await triad.getAttribute('data-z')).toBeNull();
    await expect(page.getByTestId('view-z')).toBeHidden();
    // nothing of it is cut off: the edge of the drawing is empty
    const edge = await triad.evaluate((c) => {
        const { width, height } = c as HTMLCanvasElement;
        const all = (c as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data;
        const rows = [all?.subarray(0, 4 * width), all?.subarray(4 * width * (height - 1))];
        return rows.reduce((n, row) => n + (row?.filter((v) => v > 0).length ?? 1), 0);
    });
    expect(edge).toBe(0);
});

test('the camera follows a body, or keeps what moves in view', async () => {
    await anew();
    await page.getByTestId('body').selectOption({ label: 'ball' });
    await page.getByTestId('camera').selectOption('body');
    await settled(page);
    const before = await where(page, 'ball');
    await slide(page, 60);
    const after = await where(page, 'ball');
    if (!before || !after) throw new Error('no ball');
    expect(Math.hypot(after.x - before.x, after.y - before.y)).toBeLessThan(1);
    await page.getByTestId('camera').selectOption('fit');
    const size = await page.getByTestId('canvas').evaluate((c) => ({ w: c.clientWidth, h: c.clientHeight }));
    await expect(async () => {
        for (const body of ['ball', 'brick-0-0']) {
            const p = await where(page, body);
            expect(p && p.x > 0 && p.x < size.w && p.y > 0 && p.y < size.h).toBe(true);
        }
    }).toPass();
    expect((await state(page)).camera).toBe('fit');
    // coming nearer is the user's own choice
    await page.getByTestId('canvas').hover();
    await page.mouse.wheel(0, -300);
    await expect.poll(async () => (await state(page)).camera).toBe('free');
    await expect(page.getByTestId('camera')).toHaveValue('free');
});

test('a picture and a video are saved', async () => {
    await anew();
    await slide(page, 70);
    const saved = page.waitForEvent('download');
    await page.getByTestId('screenshot').click();
    const picture = await saved;
    expect(picture.suggestedFilename()).toBe('demo-70.png');
    const png = readFileSync(await picture.path());
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    const width = await page.getByTestId('canvas').evaluate((c) => c.clientWidth);
    expect(png.readUInt32BE(16)).toBeGreaterThanOrEqual(width);
    // from here to the end: the video ends by itself
    await slide(page, 225);
    const film = page.waitForEvent('download');
    await page.getByTestId('video').click();
    const video = await film;
    expect((await state(page)).frame).toBe(250);
    expect(video.suggestedFilename()).toBe('demo.webm');
    const webm = readFileSync(await video.path());
    // EBML, and more than its header
    expect(webm.readUInt32BE(0)).toBe(0x1a45dfa3);
    expect(webm.length).toBeGreaterThan(2000);
});

test('what stands in the address of the page goes along with every request', async ({ browser }) => {
    const guarded = await serveWithToken('s3cret', recording('demo'), recording('tower'));
    const { page, complaints } = await newPage(browser);
    await open(page, guarded.url + '?token=s3cret');
    await choose(page, 'tower.h5');
    await slide(page, 30);
    expect((await state(page)).errors).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
});

test('an animated PNG of perp render is one for the browser', async () => {
    const file = resolve(OUT, 'film.png');
    perp('render', recording('corner-slide'), '--video', file, '--fps', '10', '--size', '160x90', '--force');
    const seen = await page.evaluate(async (text) => {
        const data = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
        const decoder = new ImageDecoder({ data, type: 'image/png' });
        await decoder.tracks.ready;
        const frames = decoder.tracks.selectedTrack?.frameCount ?? 0;
        const { image } = await decoder.decode({ frameIndex: frames - 1 });
        return { frames, width: image.displayWidth, microseconds: image.duration };
    }, readFileSync(file).toString('base64'));
    // 2 s at 10 pictures in a second, the first and the last among them
    expect(seen).toEqual({ frames: 21, width: 160, microseconds: 100_000 });
});

test('a phone: bars fit, the panel is a sheet over the picture', async ({ browser }) => {
    const { page, complaints } = await newPage(browser, { width: 390, height: 844 });
    await open(page, server.url);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
    // every control of both bars is on the screen, and none is cut
    for (const id of [
        'badge',
        'recording',
        'camera',
        'fit',
        'screenshot',
        'video',
        'charts-toggle',
        'panel-toggle',
    ].concat('theme', 'play', 'slider', 'speed')) {
        const box = await page.getByTestId(id).boundingBox();
        if (!box) throw new Error(`${id} is not shown`);
        expect(box.x, id).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width, id).toBeLessThanOrEqual(390);
    }
    // what is chosen can be read: the text and the arrow have room
    for (const id of ['recording', 'compare', 'camera']) {
        const [text, room] = await page.getByTestId(id).evaluate((s) => {
            const select = s as HTMLSelectElement;
            const g = document.createElement('canvas').getContext('2d');
            if (g) g.font = getComputedStyle(select).font;
            return [g?.measureText(select.selectedOptions[0].text).width ?? NaN, select.clientWidth];
        });
        expect(text + 20, id).toBeLessThan(room);
    }
    const panel = page.getByTestId('panel');
    await expect(panel).toBeHidden();
    const picture = await page.getByTestId('canvas').boundingBox();
    expect(picture?.width).toBe(390);
    expect(picture?.height ?? 0).toBeGreaterThan(844 / 2);
    await keep(page, 'phone');
    await page.getByTestId('panel-toggle').click();
    await expect(panel).toBeVisible();
    // over the picture, which keeps its size
    const sheet = await panel.boundingBox();
    expect(sheet?.width).toBe(390);
    expect(sheet?.y ?? 0).toBeGreaterThan(844 / 4);
    expect((await page.getByTestId('canvas').boundingBox())?.height).toBe(picture?.height);
    await page.getByTestId('layer-contacts').click();
    await settled(page);
    await keep(page, 'phone-sheet');
    await page.getByTestId('panel-close').click();
    await expect(panel).toBeHidden();
    await page.getByTestId('charts-toggle').click();
    expect((await page.getByTestId('chart-energy').boundingBox())?.width).toBeGreaterThan(380);
    await keep(page, 'phone-charts');
    expect(complaints).toEqual([]);
    await page.close();
});
