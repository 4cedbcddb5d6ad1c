// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// mujoco.mjs - the npm package @mujoco/mujoco, from the folders of NODE_PATH or from node_modules of the present folder. Without it the program that imports this ends with 77: its test is skipped.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export async function loadMujoco() {
    const folders = [...(process.env.NODE_PATH || '').split(':').filter(Boolean), path.join(process.cwd(), 'node_modules')];
    for (const folder of folders) {
        const main = path.join(folder, '@mujoco/mujoco/mujoco.js');
        if (fs.existsSync(main)) return (await import(pathToFileURL(main))).default();
    }
    console.log('skipped: the npm package @mujoco/mujoco is not installed');
    process.exit(77);
}
