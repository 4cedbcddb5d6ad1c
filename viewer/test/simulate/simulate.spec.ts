/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The page that simulates, as its user sees it: type a scene, see what is wrong, run it, drag a body, move a slider, share it.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateRawSync } from 'node:zlib';

import { expect, test, type Browser, type Page } from '@playwright/test';

import { keep, perp, serveFolder, state, stopServers } from '../support.ts';

test.afterAll(stopServers);

const BOX = `perp: 1
title: a box
dim: 3
h: 0.01
duration: 1
parameters: {mu: {default: 0.4, min: 0, max: 1}}
law: {mu: mu}
bodies:
- {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}
- {name: box, density: 500, at: [0, 0, 0.1], velocity: [1, 0, 0], shape: {type: box, size: [0.2, 0.2, 0.2]}}
`;

const link = (scene: string): string =>
    '#scene=' + deflateRawSync(JSON.stringify({ text: scene })).toString('base64url');

/** What perp says of the frames of a recording: the same numbers, the same digest. */
const digest = (file: string): unknown =>
    (JSON.parse(perp('info', '--digest', '--json', file)) as { files: { digest: string }[] }).files[0].digest;

interface Opened {
    page: Page;
    url: string;
    /** what the browser complained of: a blocked script above all */
    complaints: string[];
    /** addresses that are not the page's own */
    foreign: string[];
}

async function open(browser: Browser, hash = '', size = { width: 1280, height: 720 }): Promise<Opened> {
    const { url } = await serveFolder(process.env.PERP_SIMULATE ?? '');
    const page = await browser.newPage({ viewport: size, colorScheme: 'light' });
    const complaints: string[] = [];
    const foreign: string[] = [];
    page.on('console', (m) => {
        if (m.type() === 'error') complaints.push(m.text());
    });
    page.on('pageerror', (e) => complaints.push(e.message));
    page.on('request', (r) => {
        if (!r.url().startsWith(url) && !/^(data|blob):/.test(r.url())) foreign.push(r.url());
    });
    await page.goto(url + hash);
    return { page, url, complaints, foreign };
}

const status = (page: Page) => page.getByTestId('status');
const text = (page: Page) => page.getByTestId('scene-text');
const hashOf = (page: Page): Promise<string | null> => status(page).getAttribute('data-hash');

async function finished(page: Page): Promise<string> {
    await expect(page.getByTestId('live-state')).toContainText('finished');
    await expect(status(page)).toHaveAttribute('data-steps', '100');
    return (await hashOf(page)) ?? '';
}

test('type a scene, see its error at the line, run it, change a slider, share it: the same state at the end', async ({
    browser,
}) => {
    const { page, complaints, foreign } = await open(browser);
    await expect(page.getByTestId('live-state')).toContainText('paused');
    await text(page).fill(BOX.replace('density: 500', 'density: -500'));
    await page.getByTestId('run').click();
    await expect(page.getByTestId('complaint')).toContainText('scene.yaml:10');
    await expect(page.locator('.error-line')).toHaveAttribute('data-line', '10');
    await expect(page.locator('.gutter .wrong')).toHaveText('10');
    await keep(page, 'simulate-error');

    // mended, and wrong again: seen without running it
    await text(page).fill(BOX);
    await expect(page.getByTestId('complaint')).toBeHidden();
    await text(page).fill(BOX.replace('type: box', 'type: bax'));
    await expect(page.getByTestId('complaint')).toContainText('bax');
    await expect(page.locator('.gutter .wrong')).toHaveText('10');
    await expect(page.getByTestId('live-state')).toContainText('paused');

    await text(page).fill(BOX);
    await text(page).press('Control+Enter');
    await expect(page.getByTestId('complaint')).toBeHidden();
    const first = await finished(page);
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect((await state(page)).errors).toEqual([]);

    // another friction: another state; the link holds it
    await page.getByTestId('parameter-mu').fill('0.2');
    await expect.poll(() => hashOf(page)).not.toBe(first);
    const second = await finished(page);
    expect(second).not.toBe(first);
    await page.getByTestId('link').click();
    await expect(page).toHaveURL(/#scene=/);
    const { hash } = new URL(page.url());

    const other = await open(browser, hash);
    await expect(text(other.page)).toHaveValue(BOX);
    await expect(other.page.getByTestId('live-state')).toContainText('paused'); // a link does not run by itself
    await other.page.getByTestId('live-pause').click();
    expect(await finished(other.page)).toBe(second);
    expect([...complaints, ...other.complaints]).toEqual([]);
    expect([...foreign, ...other.foreign]).toEqual([]);
});

test('pause, single steps, and a body that is dragged', async ({ browser }) => {
    const { page, complaints } = await open(browser);
    await text(page).fill(
        BOX.replace('duration: 1', 'duration: 30')
            .replace('velocity: [1, 0, 0], ', '')
            .replace('default: 0.4', 'default: 0.1'),
    );
    const chart = (): Promise<string> =>
        page
            .getByTestId('chart-energy')
            .locator('canvas')
            .evaluate((c) => (c as HTMLCanvasElement).toDataURL());
    await expect(page.getByTestId('live-state')).toContainText('paused');
    const before = await chart();
    await page.getByTestId('run').click();
    await expect(page.getByTestId('live-state')).toContainText('running');
    // charts and certificate follow the run
    await expect.poll(chart).not.toBe(before);
    await expect(page.getByTestId('badge')).toContainText('good');
    await page.getByTestId('live-pause').click();
    await expect(page.getByTestId('live-state')).toContainText('paused');
    const { frames } = await state(page);
    await page.getByTestId('live-step').click();
    await expect.poll(async () => (await state(page)).frames).toBe(frames + 1);
    await page.getByTestId('live-pause').click();
    await expect(page.getByTestId('live-state')).toContainText('running');

    // a camera that follows would keep the only body in the middle
    await page.getByTestId('camera').selectOption('free');
    const at = await page.evaluate(() =>
        (window as unknown as { perp: { where(b: string): { x: number; y: number } } }).perp.where('box'),
    );
    const canvas = (await page.getByTestId('canvas').boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(canvas.x + at.x, canvas.y + at.y);
    await page.mouse.down();
    await page.mouse.move(canvas.x + at.x + 150, canvas.y + at.y - 60, { steps: 10 });
    const position = (): Promise<number> =>
        page.evaluate(() => {
            const { where } = (window as unknown as { perp: { where(b: string): { x: number; y: number } } }).perp;
            return where('box').x;
        });
    await expect.poll(async () => Math.abs((await position()) - at.x)).toBeGreaterThan(20);
    await keep(page, 'simulate-drag');
    await page.mouse.up();
    expect(complaints).toEqual([]);
});

test('completion from the schema', async ({ browser }) => {
    const { page } = await open(browser);
    await expect(page.getByTestId('live-state')).toContainText('paused');
    await text(page).fill('');
    await text(page).pressSequentially('perp: 1\ndim: 2\nbodies:\n- {ki');
    await expect(page.getByTestId('completion').locator('li').first()).toContainText('kind');
    await keep(page, 'simulate-completion');
    await text(page).press('Enter');
    await text(page).pressSequentially('obs');
    await text(page).press('Tab');
    await expect(text(page)).toHaveValue('perp: 1\ndim: 2\nbodies:\n  - {kind: obstacle');
    await text(page).press('Control+z');
    await expect(text(page)).toHaveValue('perp: 1\ndim: 2\nbodies:\n  - {kind: obs');
    await text(page).fill('');
    await text(page).pressSequentially('bodies:');
    await text(page).press('Enter');
    await text(page).pressSequentially('- name: a');
    await text(page).press('Enter');
    await text(page).pressSequentially('at');
    await expect(text(page)).toHaveValue('bodies:\n  - name: a\n    at');
    await expect(page.locator('.paper .key')).toHaveText(['bodies', 'name']);
});

test('every example opens', async ({ browser }) => {
    const { page, complaints } = await open(browser);
    await expect(page.getByTestId('live-state')).toContainText('paused');
    const examples = page.getByTestId('examples');
    const n = await examples.locator('option').count();
    expect(n).toBeGreaterThan(8);
    for (let i = 1; i < n; i++) {
        const name = (await examples.locator('option').nth(i).textContent()) ?? '';
        await examples.selectOption({ index: i });
        await expect(page.getByTestId('title')).toHaveText(name);
        await expect(page.getByTestId('about')).toHaveText('live · paused');
        await expect(page.getByTestId('complaint')).toBeHidden();
    }
    await page.getByTestId('run').click();
    await expect(page.getByTestId('about')).toContainText(/running|finished/);
    expect(complaints).toEqual([]);
});

test('hostile scenes are refused with a message, and the page goes on', async ({ browser }) => {
    const scene = (body: string, more = ''): string =>
        `perp: 1\ndim: 3\nduration: 1\n${more}bodies:\n- {density: 1, ${body}}\n`;
    const sphere = 'at: [i, 0, 1], shape: {type: sphere, radius: 0.1}';
    // nine aliases of nine aliases of ...
    const aliases = [...'bcdefghijk'].map(
        (c, i) =>
            `${c}: &${c} [${Array(9)
                .fill('*' + 'abcdefghijk'[i])
                .join(',')}]`,
    );
    const corners = Array.from(
        { length: 3000 },
        (_, i) => `[${Math.cos(i).toFixed(4)},${Math.sin(i).toFixed(4)},${(i / 3000).toFixed(4)}]`,
    );
    for (const [hostile, why] of [
        ['a: ' + '['.repeat(400), /levels/],
        [' '.repeat(1e6), /bytes/],
        [scene(`repeat: 100000000, ${sphere}`), /repeat/],
        [scene(sphere, `a: &a [1,1,1,1,1,1,1,1,1]\n${aliases.join('\n')}\n`), /512 MB are allowed/],
        [scene(`repeat: 900000, ${sphere}`), /512 MB are allowed|takes longer than 10 s to read/],
        [
            scene(`repeat: 500, shape: {type: polyhedron, points: [${corners.join(',')}]}`),
            /takes longer than 10 s to read/,
        ],
        [scene('shape: {type: mesh, file: /etc/passwd}'), /\/etc\/passwd/],
    ] as const) {
        const { page } = await open(browser, link(hostile));
        await expect(
            page.getByTestId('message').or(page.getByTestId('complaint')).filter({ visible: true }),
        ).toContainText(why);
        await text(page).fill(BOX);
        await page.getByTestId('run').click();
        await finished(page);
        await page.close();
    }
});

/** A step of this scene takes for ever: a solver that may sweep a thousand million times, and a tolerance that it cannot reach. */
const ENDLESS = `perp: 1
title: endless
dim: 3
h: 0.01
duration: 1
law: {mu: 0.5}
stages: {form: mlcp, solver: pgs, fallback: [], work_limit: 0, settings: {pgs: {max_sweeps: 1000000000, tol: 1e-16}}}
bodies:
- {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}
- {density: 500, repeat: 12, at: [0, 0, 0.1 + 0.2 * i], shape: {type: box, size: [0.2, 0.2, 0.2]}}
`;

test('the policy of the page: no script in it, no text as program, no request to another address', async ({
    browser,
}) => {
    const { page, url } = await open(browser);
    await expect(page.getByTestId('live-state')).toContainText('paused');
    const sent: string[] = [];
    const other = createServer((request, answer) => {
        sent.push(request.url ?? '');
        answer.setHeader('access-control-allow-origin', '*').end('x');
    });
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    const html = await (await fetch(url)).text();
    const policy = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(html)?.[1] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe-inline');
    expect(policy).not.toMatch(/'unsafe-eval'/);
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=/);
    const tried = await page.evaluate(async (elsewhere) => {
        const refused: string[] = [];
        document.addEventListener('securitypolicyviolation', (e) => refused.push(e.effectiveDirective));
        const script = document.createElement('script');
        script.textContent = 'window.ran = true';
        document.body.append(script);
        const answer = await fetch(elsewhere).then(
            () => 'answered',
            () => 'refused',
        );
        const picture = new Image();
        await new Promise((done) => {
            picture.onload = picture.onerror = done;
            picture.src = elsewhere + 'x.png';
        });
        let evaluated = 'yes';
        try {
            (0, eval)('1');
        } catch {
            evaluated = 'no';
        }
        return { refused, answer, evaluated, ran: 'ran' in window };
    }, elsewhere);
    other.close();
    expect(tried).toMatchObject({ answer: 'refused', evaluated: 'no', ran: false });
    expect(tried.refused).toEqual(expect.arrayContaining(['script-src-elem', 'connect-src', 'img-src']));
    expect(sent).toEqual([]);
});

test('a step that takes for ever is ended with a message, or by the next scene', async ({ browser }) => {
    const { page } = await open(browser, link(ENDLESS));
    await expect(page.getByTestId('live-state')).toContainText('paused');
    await page.getByTestId('run').click();
    await expect(page.getByTestId('message')).toContainText('A step takes longer than 10 s');
    await expect(status(page)).toContainText('A step takes longer than 10 s');
    await keep(page, 'simulate-endless');
    // the page can be used on, and a scene that is run meanwhile does not wait for the limit
    await page.getByTestId('run').click();
    await expect(page.getByTestId('message')).toBeHidden(); // it runs
    await text(page).fill(BOX);
    const begun = Date.now();
    await page.getByTestId('run').click();
    await finished(page);
    expect(Date.now() - begun).toBeLessThan(9000);
});

test('the run is saved as a recording that perp reads, with the state at its end', async ({ browser }, info) => {
    const { page, complaints, foreign } = await open(browser);
    await expect(page.getByTestId('live-state')).toContainText('paused');
    await text(page).fill(BOX);
    await page.getByTestId('run').click();
    await finished(page);
    const saved = page.waitForEvent('download');
    await page.getByTestId('save-recording').click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe('scene.h5');
    const file = info.outputPath('page.h5');
    await download.saveAs(file);
    await expect(status(page)).toContainText('the recording has');
    writeFileSync(info.outputPath('scene.yaml'), BOX);
    perp('run', info.outputPath('scene.yaml'), '-o', info.outputPath('native.h5'), '--force');
    expect(digest(file)).toBe(digest(info.outputPath('native.h5')));
    expect([...complaints, ...foreign]).toEqual([]);
});

test('a scene is saved as a file, and opened from one', async ({ browser }, info) => {
    const { page, complaints } = await open(browser);
    await expect(page.getByTestId('live-state')).toContainText('paused');
    await text(page).fill(BOX + '# ä ∮ 🙂\n');
    const saved = page.waitForEvent('download');
    await page.getByTestId('save').click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe('scene.yaml');
    const file = info.outputPath('saved.yaml');
    await download.saveAs(file);
    expect(readFileSync(file, 'utf8')).toBe(BOX + '# ä ∮ 🙂\n');
    await text(page).fill('');
    const chooser = page.waitForEvent('filechooser');
    await page.getByTestId('open').click();
    await (await chooser).setFiles(file);
    await expect(text(page)).toHaveValue(BOX + '# ä ∮ 🙂\n');
    await expect(page.getByTestId('title')).toHaveText('a box');
    expect(complaints).toEqual([]);
});

test('a phone', async ({ browser }) => {
    const { page } = await open(browser, '', { width: 390, height: 844 });
    await page.getByTestId('run').click();
    await expect(page.getByTestId('live-state')).toContainText(/running|finished/);
    await expect.poll(async () => (await state(page)).frames).toBeGreaterThan(5);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await keep(page, 'simulate-phone');
});

/** 200 balls on a floor: steps a second of the worker, and the time between pictures while it runs, with the software renderer. Reported, not judged. */
test('200 bodies', async ({ browser }) => {
    const { page } = await open(browser);
    await text(page).fill(
        'perp: 1\ndim: 3\nh: 0.01\nduration: 60\nlaw: {mu: 0.3}\nbodies:\n- {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}\n' +
            Array.from(
                { length: 200 },
                (_, i) =>
                    `- {name: b${i}, density: 500, at: [${(i % 6) * 0.25}, ${(Math.floor(i / 6) % 6) * 0.25}, ${0.2 + Math.floor(i / 36) * 0.25}], shape: {type: sphere, radius: 0.1}}\n`,
            ).join(''),
    );
    await page.getByTestId('run').click();
    await expect(page.getByTestId('live-state')).toContainText(/running|finished/); // on a busy machine the page is late
    const times = await page.evaluate(
        () =>
            new Promise<number[]>((resolve) => {
                const list: number[] = [];
                let last = performance.now();
                const tick = (now: number): void => {
                    list.push(now - last);
                    last = now;
                    if (list.length < 60) requestAnimationFrame(tick);
                    else resolve(list);
                };
                requestAnimationFrame(tick);
            }),
    );
    await page.getByTestId('live-pause').click();
    await expect(page.getByTestId('live-state')).toContainText('paused');
    await expect(status(page)).toHaveAttribute('data-rate', /^\d/);
    const rate = Number(await status(page).getAttribute('data-rate'));
    times.sort((a, b) => a - b);
    console.log(
        `200 bodies: ${rate.toFixed(0)} steps a second in the worker; median time between pictures ${times[30].toFixed(1)} ms`,
    );
    expect(rate).toBeGreaterThan(0);
});
