/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Before the tests: recordings, and files that are none.
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

import type { FullConfig } from '@playwright/test';
import h5wasm, { type File } from 'h5wasm/node';

import { GALLERY, GALLERY_EVERY, GALLERY_PROGRAM, OUT, PERP, perp, recording, ROOT, SCENES } from './support.ts';

/** A recording is made again when its scene or the program is newer. */
function stale(file: string, scene: string): boolean {
    if (!existsSync(file)) return true;
    const made = statSync(file).mtimeMs;
    return [resolve(ROOT, scene), PERP].some((f) => statSync(f).mtimeMs > made);
}

/** A copy of the demo that was changed by `change`; perp refuses such a file, the viewer must say why it does. */
function changed(name: string, change: (file: File) => void): void {
    const path = recording(name);
    copyFileSync(recording('demo'), path);
    const file = new h5wasm.File(path, 'a');
    change(file);
    file.close();
}

export default async function makeRecordings(config: FullConfig): Promise<void> {
    if (!existsSync(PERP)) throw new Error(`There is no program ${PERP}; build it, or name it in PERP.`);
    mkdirSync(OUT, { recursive: true });
    rmSync(GALLERY, { recursive: true, force: true });
    // in a process of its own, while this one makes the others
    const gallery =
        config.metadata.gallery === false
            ? Promise.resolve()
            : promisify(execFile)(GALLERY_PROGRAM, ['--short', GALLERY, String(GALLERY_EVERY)], {
                  cwd: ROOT,
                  env: { ...process.env, PERP },
              });
    for (const [name, scene, ...options] of SCENES)
        if (stale(recording(name), scene))
            perp('run', scene, ...options, '--quiet', '--force', '--output', recording(name));
    await gallery;

    const demo = readFileSync(recording('demo'));
    writeFileSync(recording('truncated'), Uint8Array.from(demo.subarray(0, Math.floor(0.6 * demo.length))));
    writeFileSync(recording('text'), 'perp: 1\ntitle: not a recording\n');
    writeFileSync(recording('empty'), '');
    await h5wasm.ready;
    const foreign = recording('foreign');
    rmSync(foreign, { force: true });
    const file = new h5wasm.File(foreign, 'w');
    file.create_dataset({ name: 'temperature', data: new Float64Array([1, 2, 3]) });
    file.close();
    changed('newer', (f) => {
        f.delete_attribute('version');
        f.create_attribute('version', 99);
    });
    changed('unknown-shape', (f) => {
        const kind = f.get('shapes/kind');
        const radius = f.get('shapes/radius');
        if (!(kind instanceof h5wasm.Dataset) || !(radius instanceof h5wasm.Dataset)) throw new Error('no shapes');
        // the last shape is the ball: it has a radius but no corners
        const last = (kind.shape?.[0] ?? 1) - 1;
        kind.write_slice([[last, last + 1]], new Uint8Array([42]));
    });
}
