/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// What the tests in the browser share: recordings, perp view as a server, the page and its state.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, type Browser, type Page } from '@playwright/test';

import type { Exposed } from '../src/app/expose.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
export const ROOT = resolve(HERE, '../..');
/** Recordings that the tests make, and the pictures that they keep. */
export const OUT = process.env.PERP_VIEWER_TEST ?? resolve(ROOT, 'build/viewer-test');
export const PERP = process.env.PERP ?? resolve(ROOT, 'build/release/cli/perp');

/** Whole runs: 2D and 3D, joints, friction, a tripod, a belt with labels. The gallery's other scenes are recorded for their first steps only. */
export const SCENES: readonly (readonly [name: string, scene: string, ...options: string[]])[] = [
    ['demo', 'scenes/demo.yaml'],
    ['demo-small', 'scenes/demo.yaml', '-D', 'rows=2'],
    ['corner-slide', 'experiments/corner-slide/scene.yaml', '--what', 'all'],
    ['tower', 'experiments/tower/scene.yaml', '--what', 'all'],
    ['double-pendulum', 'experiments/double-pendulum/scene.yaml', '--what', 'all'],
    ['puck-2.5d', 'experiments/puck-2.5d/scene.yaml', '--what', 'all'],
    ['belt', 'viewer/test/mock/belt.yaml', '--what', 'all'],
];

export function recording(name: string): string {
    return resolve(OUT, name + '.h5');
}

/** Of the gallery's scenes every how manieth is shown: all of them in `make nightly`. They differ in their data, not in what shows it. */
export const GALLERY_EVERY = process.env.PERP_TEST_WHOLE ? 1 : 11;
/** Where the first steps of these scenes are, recorded by the gallery's own program. */
export const GALLERY = resolve(OUT, 'gallery');
export const GALLERY_PROGRAM = resolve(ROOT, 'tools/gallery');

export function galleryRecordings(): string[] {
    return readdirSync(GALLERY)
        .filter((f) => f.endsWith('.h5'))
        .sort()
        .map((f) => resolve(GALLERY, f));
}

export function perp(...options: string[]): string {
    return execFileSync(PERP, options, { encoding: 'utf8', cwd: ROOT, maxBuffer: 1 << 26 });
}

export interface Server {
    url: string;
    child: ChildProcess;
}

const running = new Set<ChildProcess>();

/** Ends every server that was started, also those of tests that failed. */
export function stopServers(): void {
    for (const child of running) child.kill('SIGKILL');
    running.clear();
}

/** Starts perp with these options and waits for the address that it prints. */
export function serve(...options: string[]): Promise<Server> {
    return start(PERP, options);
}

/** The same page and files from a server that looks at nothing: for files that perp view would not take. */
export function serveAnything(...files: string[]): Promise<Server> {
    return start(process.execPath, [resolve(HERE, 'serve.js'), '0', ...files]);
}

/** The files of a folder. */
export function serveFolder(folder: string): Promise<Server> {
    return start(process.execPath, [resolve(HERE, 'serve-folder.js'), '0', folder]);
}

/** As serveAnything(); without ?token=TOKEN nothing is answered. */
export function serveWithToken(token: string, ...files: string[]): Promise<Server> {
    return start(process.execPath, [resolve(HERE, 'serve.js'), '0', ...files], { TOKEN: token });
}

/** A study that is made up, with this recording behind every trial; how: 'running', 'broken', 'refused'. */
export function serveStudy(name: string, how = ''): Promise<Server> {
    return start(process.execPath, [resolve(HERE, 'serve-study.js'), '0', recording(name), how]);
}

function start(program: string, options: string[], env: Record<string, string> = {}): Promise<Server> {
    const child = spawn(program, options, {
        cwd: ROOT,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...env },
    });
    running.add(child);
    return new Promise((done, failed) => {
        let text = '';
        const look = (data: Buffer): void => {
            text += data.toString();
            // perp's own servers have a secret in the address; the stand-ins have none
            const url = /(http:\/\/127\.0\.0\.1:\d+\/(?:[0-9a-f]{32}\/)?)\s/.exec(text)?.[1];
            if (url) done({ url, child });
        };
        child.stdout.on('data', look);
        child.stderr.on('data', look);
        child.on('exit', (code) => failed(new Error(`${program} ${options.join(' ')} ended with ${code}: ${text}`)));
    });
}

/** What the browser says when a test reads the canvas; the page itself never does. */
const OF_THE_TEST = /GPU stall due to ReadPixels/;

/** A page that remembers everything its console complained about. */
export async function newPage(
    browser: Browser,
    viewport = { width: 1280, height: 720 },
): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage({ viewport, colorScheme: 'light' });
    const complaints: string[] = [];
    page.on('console', (m) => {
        const bad = m.type() === 'error' || m.type() === 'warning';
        if (bad && !OF_THE_TEST.test(m.text())) complaints.push(`${m.type()}: ${m.text()}`);
    });
    page.on('pageerror', (e) => complaints.push(e.stack ?? e.message));
    return { page, complaints };
}

type Plain = Omit<Exposed, 'where' | 'drawFine'>;

/** The state that the page exposes. */
export function state(page: Page): Promise<Plain> {
    return page.evaluate(() => {
        const p = (window as unknown as { perp: Exposed }).perp;
        return {
            loaded: p.loaded,
            frame: p.frame,
            frames: p.frames,
            time: p.time,
            playing: p.playing,
            settled: p.settled,
            still: p.still,
            selected: p.selected,
            errors: [...p.errors],
            drawn: p.drawn,
            camera: p.camera,
            shown: [...p.shown],
        };
    });
}

/** Until what was asked for is drawn. */
export async function settled(page: Page): Promise<void> {
    await page.waitForFunction(() => {
        const p = (window as unknown as { perp?: Exposed }).perp;
        return p !== undefined && p.loaded && p.settled;
    });
}

export async function open(page: Page, url: string): Promise<void> {
    await page.goto(url);
    await settled(page);
}

export async function choose(page: Page, name: string): Promise<void> {
    await page.getByTestId('recording').selectOption({ label: name });
    // from the moment of the choice until the recording is open
    await expect(page.getByTestId('busy')).toBeHidden();
    await expect(page.getByTestId('about')).toContainText(name);
    await settled(page);
}

/** Moves the slider. */
export async function slide(page: Page, to: number): Promise<void> {
    await page.getByTestId('slider').evaluate((s, value) => {
        (s as HTMLInputElement).value = String(value);
        s.dispatchEvent(new Event('input'));
    }, to);
    await settled(page);
}

/** Until what was asked for is drawn, as fine as it gets. */
export async function drawnFine(page: Page): Promise<void> {
    await page.evaluate(async () => {
        const perp = (): Exposed | undefined => (window as unknown as { perp?: Exposed }).perp;
        do await new Promise(requestAnimationFrame);
        while (!perp()?.loaded || !perp()?.settled);
        // the page itself draws finely only when nothing has moved for a while
        if (!perp()?.still) perp()?.drawFine();
    });
}

/** A digest of the canvas, once the picture is as fine as it gets: equal pictures have equal ones. */
export async function picture(page: Page): Promise<string> {
    await drawnFine(page);
    return page.evaluate(async () => {
        const canvas = document.querySelector<HTMLCanvasElement>('[data-testid=canvas]');
        if (!canvas) return '';
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
        copy?.drawImage(canvas, 0, 0);
        const pixels = copy?.getImageData(0, 0, canvas.width, canvas.height).data ?? new Uint8ClampedArray(0);
        const digest = await crypto.subtle.digest('SHA-256', pixels);
        return Array.from(new Uint8Array(digest).subarray(0, 8), (b) => b.toString(16)).join('');
    });
}

/** Plays until another frame is shown, then pauses. Round and round: a busy machine must not come to the end meanwhile. */
export async function playsOn(page: Page): Promise<void> {
    await page.getByTestId('loop').click();
    const before = (await state(page)).frame;
    await page.getByTestId('play').click();
    await page.waitForFunction((f) => (window as unknown as { perp: Exposed }).perp.frame !== f, before);
    expect((await state(page)).playing).toBe(true);
    await page.getByTestId('play').click();
    expect((await state(page)).playing).toBe(false);
    await page.getByTestId('loop').click();
}

/** How many colours a picture has: a blank one has one. Every pixel counts: there are scenes of one small particle. */
export async function colours(page: Page): Promise<number> {
    return page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>('[data-testid=canvas]');
        if (!canvas) return 0;
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
        copy?.drawImage(canvas, 0, 0);
        const pixels = copy?.getImageData(0, 0, canvas.width, canvas.height).data;
        return new Set(new Uint32Array(pixels?.buffer ?? new ArrayBuffer(0))).size;
    });
}

/** Keeps a screenshot of a picture that is drawn fine. */
export async function keep(page: Page, name: string): Promise<void> {
    await drawnFine(page);
    await page.screenshot({ path: resolve(OUT, 'pictures', name + '.png') });
}
