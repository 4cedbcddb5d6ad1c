/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Two figures: how long a recording of 100 MB takes to its first picture, and how many pictures there are in a second while
// the slider runs over 10,000 frames of 1,000 bodies. Each with the processor time of the browser's processes, which also
// means something on a machine that does other things.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

import { test, type Browser, type Page } from '@playwright/test';

import type { Exposed } from '../../src/app/expose.ts';
import { OUT, perp, ROOT, serve, settled, stopServers } from '../support.ts';

const SCENE = resolve(ROOT, 'viewer/test/bench/thousand.yaml');
const ROUNDS = Number(process.env.ROUNDS ?? 3);
const SCRUB_SECONDS = 5;

function recorded(name: string, what: string, duration: number): string {
    const file = resolve(OUT, `bench-${name}.h5`);
    mkdirSync(OUT, { recursive: true });
    if (!existsSync(file) || statSync(file).mtimeMs < statSync(SCENE).mtimeMs)
        perp('run', SCENE, '-D', `T=${duration}`, '--what', what, '--quiet', '--force', '--output', file);
    return file;
}

/** Processor time [s] of the browser that this process started, by the kind of its processes. */
function processorTime(): Map<string, number> {
    const parent = new Map<string, string>();
    const spent = new Map<string, { kind: string; seconds: number }>();
    for (const pid of readdirSync('/proc').filter((p) => /^\d+$/.test(p)))
        try {
            const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
            const field = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
            const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
            parent.set(pid, field[1]);
            const kind = /--type=([a-z]+)/.exec(command)?.[1] ?? (command.includes('chrom') ? 'browser' : 'else');
            // clock ticks are hundredths of a second
            spent.set(pid, { kind, seconds: (Number(field[11]) + Number(field[12])) / 100 });
        } catch {
            // it ended meanwhile
        }
    const ours = (pid: string | undefined): boolean =>
        pid !== undefined && (pid === String(process.pid) || ours(parent.get(pid)));
    const sum = new Map<string, number>();
    for (const [pid, { kind, seconds }] of spent)
        if (pid !== String(process.pid) && ours(pid)) sum.set(kind, (sum.get(kind) ?? 0) + seconds);
    return sum;
}

function since(before: Map<string, number>): string {
    const parts = ['browser', 'renderer', 'gpu'].map((kind) => {
        const seconds = (processorTime().get(kind) ?? 0) - (before.get(kind) ?? 0);
        return `${kind} ${seconds.toFixed(2)}`;
    });
    return `processor seconds: ${parts.join(', ')}`;
}

async function newQuietPage(browser: Browser): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: 'light' });
    // the window itself is there before the clock starts
    await page.waitForTimeout(2000);
    return page;
}

test.afterEach(stopServers);

test('first picture', async ({ browser }) => {
    test.slow();
    const file = recorded('open', 'all', 1.05);
    const { url } = await serve('view', '--no-open', file);
    console.log(`first picture of ${(statSync(file).size / 1e6).toFixed(0)} MB, 1,000 bodies:`);
    for (let round = 0; round < ROUNDS; round++) {
        const page = await newQuietPage(browser);
        const before = processorTime();
        await page.goto(url, { waitUntil: 'commit' });
        const seen = await page.evaluate(async () => {
            const started = (): Exposed | undefined => (window as unknown as { perp?: Exposed }).perp;
            while (!started()?.loaded) await new Promise(requestAnimationFrame);
            // reading a pixel waits until the picture is complete, wherever it is drawn
            const small = document.createElement('canvas').getContext('2d');
            const canvas = document.querySelector<HTMLCanvasElement>('[data-testid=canvas]');
            if (canvas) small?.drawImage(canvas, 0, 0, 8, 8);
            small?.getImageData(0, 0, 1, 1);
            const marks = performance.getEntriesByType('mark').filter((m) => m.name.startsWith('perp '));
            return {
                seconds: performance.now() / 1000,
                marks: marks.map((m) => `${m.name.slice(5)} ${(m.startTime / 1000).toFixed(2)}`),
            };
        });
        const what = round === 0 ? 'fresh browser' : 'again';
        console.log(`  ${what}: ${seen.seconds.toFixed(2)} s (${seen.marks.join(', ')}); ${since(before)}`);
        await page.close();
    }
});

/** Moves the slider in every animation frame for some seconds; `jumps`: anywhere, else from one end to the other. */
async function scrub(page: Page, seconds: number, jumps: boolean): Promise<{ pictures: number; seconds: number }> {
    return page.evaluate(
        async ([duration, anywhere]) => {
            const { perp: state } = window as unknown as { perp: Exposed };
            const slider = document.querySelector<HTMLInputElement>('[data-testid=slider]');
            const canvas = document.querySelector<HTMLCanvasElement>('[data-testid=canvas]');
            const small = document.createElement('canvas').getContext('2d');
            const next = (): Promise<number> => new Promise(requestAnimationFrame);
            const last = Number(slider?.max);
            const start = await next();
            let [pictures, shown, now, random] = [0, state.frame, start, 1];
            while (now - start < 1000 * duration) {
                random = (random * 16807) % 2147483647;
                const part = anywhere ? random / 2147483647 : (now - start) / (1000 * duration);
                if (slider) slider.value = String(Math.round(part * last));
                slider?.dispatchEvent(new Event('input'));
                now = await next();
                // only pictures of another frame than before count
                if (state.frame !== shown) pictures++;
                shown = state.frame;
            }
            if (canvas) small?.drawImage(canvas, 0, 0, 8, 8);
            small?.getImageData(0, 0, 1, 1);
            return { pictures, seconds: (performance.now() - start) / 1000 };
        },
        [seconds, jumps] as const,
    );
}

test('scrubbing', async ({ browser }) => {
    const file = recorded('scrub', 'poses', 10);
    const { url } = await serve('view', '--no-open', file);
    const page = await newQuietPage(browser);
    await page.goto(url);
    await settled(page);
    await page.waitForFunction(() => (window as unknown as { perp: Exposed }).perp.still);
    console.log(`scrubbing ${(await page.getByTestId('about').textContent()) ?? ''}:`);
    for (const [what, jumps] of [
        ['once through', false],
        ['anywhere', true],
    ] as const) {
        const before = processorTime();
        const { pictures, seconds } = await scrub(page, SCRUB_SECONDS, jumps);
        const rate = (pictures / seconds).toFixed(1);
        console.log(`  ${what}: ${rate} pictures/s (${pictures} in ${seconds.toFixed(1)} s); ${since(before)}`);
    }
    await page.close();
});
