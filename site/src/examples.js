/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// examples.js SITE PACKAGE - opens every scene that the site can run with the WebAssembly module, and takes a step. A scene that is refused there would be
// refused in the page. Prints those; exit code 1 if there are any.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [site, folder] = process.argv.slice(2);
const { load } = await import(pathToFileURL(resolve(folder, 'perp.js')));
const perp = await load();
const names = readdirSync(join(site, 'live'));
const opened = new Set();
let refused = 0;
for (const name of names) {
    const { path, text, files, define } = JSON.parse(readFileSync(join(site, 'live', name), 'utf8'));
    const same = JSON.stringify([text, files, define]);
    if (opened.has(same)) continue;
    opened.add(same);
    const bytes = Object.fromEntries(
        Object.entries(files).map(([file, base64]) => [file, Buffer.from(base64, 'base64')]),
    );
    try {
        const world = perp.open(text, { name: path, files: bytes, define });
        world.step();
        world.close();
    } catch (e) {
        refused++;
        console.error(`${name}: ${e.message}`);
    }
}
console.log(`${opened.size} scenes opened, ${refused} refused`);
process.exitCode = refused > 0 || opened.size === 0 ? 1 : 0;
