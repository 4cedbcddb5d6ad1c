/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// A run that goes on: pause, single steps, keys, dragging a body, parameters, the camera.
import { expect, test, type Page } from '@playwright/test';

import type { Exposed } from '../../src/app/expose.ts';
import { keep, newPage, serve, state, stopServers } from '../support.ts';

test.describe.configure({ mode: 'serial' });
test.afterAll(stopServers);

type Window = { perp: Exposed };

/** Sums of the energy account over all frames of the run, asked of the server itself. */
async function account(page: Page): Promise<Record<string, number>> {
    return page.evaluate(async () => {
        const sum: Record<string, number> = {};
        let from = 0;
        for (;;) {
            const answer = await fetch(`live/frames?from=${from}`);
            const got = (await answer.json()) as { frames: { ledger: Record<string, number> }[] };
            if (got.frames.length === 0) return sum;
            for (const f of got.frames)
                for (const [name, value] of Object.entries(f.ledger)) sum[name] = (sum[name] ?? 0) + value;
            from += got.frames.length;
        }
    });
}

function where(page: Page, body: string): Promise<{ x: number; y: number } | null> {
    return page.evaluate((b) => (window as unknown as Window).perp.where(b), body);
}

test('space pauses, N takes a step, the camera goes along', async ({ browser }) => {
    const server = await serve(
        'run',
        'scenes/demo.yaml',
        '--view',
        '--no-open',
        '--speed',
        '0.2',
        '--no-recording',
        '-q',
        // a few bodies: no step that takes long on a busy machine
        ...['-D', 'rows=2'],
    );
    const { page, complaints } = await newPage(browser);
    await page.goto(server.url);
    await expect(page.getByTestId('live-state')).toContainText('running');
    await expect(page.getByTestId('camera')).toHaveValue('fit');
    await page.getByTestId('canvas').focus();
    await page.keyboard.press(' ');
    await expect(page.getByTestId('live-state')).toContainText('paused');
    const frames = (await state(page)).frames;
    await page.keyboard.press('n');
    await expect.poll(async () => (await state(page)).frames).toBe(frames + 1);
    await page.keyboard.press(' ');
    await expect(page.getByTestId('live-state')).toContainText('running');
    // the controls cover none of the bodies
    const bar = await page.getByTestId('live').boundingBox();
    const canvas = await page.getByTestId('canvas').boundingBox();
    if (!bar || !canvas) throw new Error('no controls');
    for (const body of ['ball', 'brick-0-0', 'brick-0-1', 'link-0']) {
        const p = await where(page, body);
        if (!p) throw new Error(`no ${body}`);
        const right = canvas.x + p.x > bar.x + bar.width;
        const below = canvas.y + p.y > bar.y + bar.height;
        expect(right || below, body).toBe(true);
    }
    // N pauses a run that goes on
    await page.keyboard.press('n');
    await expect(page.getByTestId('live-state')).toContainText('paused');
    expect(complaints).toEqual([]);
    await page.close();
});

test('a body is dragged: it follows, and the work is in the energy account', async ({ browser }) => {
    const server = await serve(
        ...['run', 'scenes/demo.yaml', '--view', '--no-open', '--paused', '--speed', '0.2', '--duration', '20'],
        ...['--no-recording', '-q'],
    );
    const { page, complaints } = await newPage(browser);
    await page.goto(server.url);
    await expect(page.getByTestId('live-state')).toContainText('paused');
    await page.waitForFunction(() => (window as unknown as Window).perp.still);
    expect((await account(page)).applied ?? 0).toBe(0);
    const box = await page.getByTestId('canvas').boundingBox();
    const at = await where(page, 'ball');
    if (!box || !at) throw new Error('no ball');
    await page.mouse.move(box.x + at.x, box.y + at.y);
    await page.mouse.down();
    await page.mouse.move(box.x + at.x - 60, box.y + at.y - 40, { steps: 4 });
    expect((await state(page)).selected).toBe('ball');
    await page.keyboard.press(' ');
    await expect.poll(async () => (await state(page)).frames).toBeGreaterThan(60);
    await page.keyboard.press(' ');
    await expect(page.getByTestId('live-state')).toContainText('paused');
    await keep(page, 'live-drag');
    const held = await account(page);
    // the hand did work, and nothing is unaccounted for
    expect(Math.abs(held.applied)).toBeGreaterThan(1);
    expect(Math.abs(held.remainder)).toBeLessThan(1e-9 * Math.abs(held.applied));
    // let go: no more work
    await page.mouse.up();
    await page.waitForTimeout(500);
    const before = (await account(page)).applied;
    const frames = (await state(page)).frames;
    for (let i = 0; i < 5; i++) await page.keyboard.press('n');
    await expect.poll(async () => (await state(page)).frames).toBe(frames + 5);
    expect((await account(page)).applied).toBe(before);
    expect(complaints).toEqual([]);
    expect((await state(page)).errors).toEqual([]);
    await page.close();
});

test('parameters of the scene: another value begins the run again with it', async ({ browser }) => {
    const server = await serve(
        ...['run', 'scenes/demo.yaml', '--view', '--no-open', '--paused', '--no-recording', '-q', '-D', 'rows=3'],
    );
    const { page, complaints } = await newPage(browser);
    await page.goto(server.url);
    await expect(page.getByTestId('live-state')).toContainText('paused');
    const rows = page.getByTestId('parameter-rows');
    await expect(rows).toHaveValue('3');
    await page.getByTestId('live-step').click();
    await expect.poll(async () => (await state(page)).frames).toBe(2);
    const bodies = (): Promise<number> => page.getByTestId('body').locator('option').count();
    const three = await bodies();
    await rows.evaluate((s: HTMLInputElement) => {
        s.value = '2';
        s.dispatchEvent(new Event('input'));
        s.dispatchEvent(new Event('change'));
    });
    // other bodies, from the beginning
    await expect.poll(bodies).toBeLessThan(three);
    await expect.poll(async () => (await state(page)).frames).toBe(1);
    await expect(page.getByTestId('parameter-rows')).toHaveValue('2');
    // one frame: charts have it at their left end
    await expect(page.getByTestId('chart-energy').locator('.now')).toHaveAttribute('style', /translateX\(0px\)/);
    await expect(page.getByTestId('parameters')).toContainText('kg/m³');
    await keep(page, 'live-parameters');
    // a reset keeps it; the button goes back to what the scene says
    await page.getByTestId('live-step').click();
    await page.getByTestId('live-reset').click();
    await expect.poll(async () => (await state(page)).frames).toBe(1);
    await expect(page.getByTestId('parameter-rows')).toHaveValue('2');
    await page.getByTestId('parameter-rows-back').click();
    await expect.poll(bodies).toBeGreaterThan(three - 1);
    expect(complaints).toEqual([]);
    expect((await state(page)).errors).toEqual([]);
    await page.close();
});
