// What the tests in the browser share: recordings, perp view as a server, the page and its state.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, type Browser, type Page } from '@playwright/test';

import type { Exposed } from '../src/app/expose.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
export const ROOT = resolve(HERE, '../..');
/** Recordings that the tests make, and the pictures that they keep. */
export const OUT = process.env.PERP_VIEWER_TEST ?? resolve(ROOT, 'build/viewer-test');
export const PERP = process.env.PERP ?? resolve(ROOT, 'build/release/cli/perp');

/** Scenes of the gallery that are quick to run: 2D and 3D, joints, friction, all kinds of shape. */
export const SCENES: readonly (readonly [name: string, scene: string, ...options: string[]])[] = [
    ['demo', 'scenes/demo.yaml'],
    ['demo-small', 'scenes/demo.yaml', '-D', 'rows=3'],
    ['full-planar', 'experiments/full-planar/scene.yaml', '--what', 'all'],
    ['corner-slide', 'experiments/corner-slide/scene.yaml', '--what', 'all'],
    ['tower', 'experiments/tower/scene.yaml', '--what', 'all'],
    ['double-pendulum', 'experiments/double-pendulum/scene.yaml', '--what', 'all'],
    ['tetrahedra', 'experiments/tetrahedra/scene.yaml', '--what', 'all'],
    ['pinch-hold', 'experiments/pinch-hold/scene.yaml', '--what', 'all'],
    ['grasp-2d-friction', 'experiments/grasp-2d-friction/scene.yaml', '--what', 'all'],
];

export function recording(name: string): string {
    return resolve(OUT, name + '.h5');
}

/** Recordings that `make gallery` left; none if it was not run. */
export function galleryRecordings(): string[] {
    const folder = resolve(ROOT, 'out/gallery');
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
        .filter((f) => f.endsWith('.h5'))
        .sort()
        .map((f) => resolve(folder, f));
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

function start(program: string, options: string[]): Promise<Server> {
    const child = spawn(program, options, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    return new Promise((done, failed) => {
        let text = '';
        const look = (data: Buffer): void => {
            text += data.toString();
            const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(text)?.[0];
            if (url) done({ url, child });
        };
        child.stdout.on('data', look);
        child.stderr.on('data', look);
        child.on('exit', (code) => failed(new Error(`${program} ${options.join(' ')} ended with ${code}: ${text}`)));
    });
}

/** A page that remembers everything its console complained about. */
export async function newPage(browser: Browser): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: 'light' });
    const complaints: string[] = [];
    page.on('console', (m) => {
        if (m.type() === 'error' || m.type() === 'warning') complaints.push(`${m.type()}: ${m.text()}`);
    });
    page.on('pageerror', (e) => complaints.push(e.stack ?? e.message));
    return { page, complaints };
}

type Plain = Omit<Exposed, 'where'>;

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
    await expect(page.getByTestId('about')).toContainText(name);
    await expect(page.getByTestId('busy')).toBeHidden();
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

/** A digest of the canvas, once the next picture is drawn: equal pictures have equal ones. */
export async function picture(page: Page): Promise<string> {
    await settled(page);
    return page.evaluate(async () => {
        const next = (): Promise<unknown> => new Promise(requestAnimationFrame);
        // a change is drawn in the next animation frame, and once more when it has been still for a while
        await next();
        await next();
        while (!(window as unknown as { perp: Exposed }).perp.still) await next();
        const text = document.querySelector<HTMLCanvasElement>('[data-testid=canvas]')?.toDataURL() ?? '';
        const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
        return Array.from(new Uint8Array(digest).subarray(0, 8), (b) => b.toString(16)).join('');
    });
}

/** How many colours a picture has: a blank one has one. */
export async function colours(page: Page): Promise<number> {
    return page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>('[data-testid=canvas]');
        const small = document.createElement('canvas');
        small.width = 200;
        small.height = 100;
        const g = small.getContext('2d');
        if (!canvas || !g) return 0;
        g.drawImage(canvas, 0, 0, 200, 100);
        const { data } = g.getImageData(0, 0, 200, 100);
        const seen = new Set<number>();
        for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        return seen.size;
    });
}

/** Keeps a screenshot of a picture that is drawn fine. */
export async function keep(page: Page, name: string): Promise<void> {
    await page.waitForFunction(() => (window as unknown as { perp: Exposed }).perp.still);
    await page.screenshot({ path: resolve(OUT, 'pictures', name + '.png') });
}
