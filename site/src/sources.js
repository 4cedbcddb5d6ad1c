/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Pages of files and folders of the repository to which documents link.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { escape } from './escape.js';
import { highlight, languageOf } from './highlight.js';
import { runButton, sceneIn } from './live.js';

/** A longer file is not shown [bytes]. */
const LONGEST = 400e3;

export const sourceAddress = (path, folder) => (folder ? `source/${path}/index.html` : `source/${path}.html`);

/** The page of a file: { address, title, body }. */
export function filePage(site, path) {
    const text = readFileSync(join(site.root, path), 'utf8');
    const language = languageOf(path);
    const scene = sceneIn(text, language);
    const button = scene
        ? runButton(site, site.live.addFile(path.replace(/\.yaml$/, '').replaceAll('/', '-'), path))
        : '';
    const shown = text.length > LONGEST ? text.slice(0, LONGEST) + '\n…' : text;
    const body = `<h1>${escape(path)}</h1>
<div class="code source"><div class="buttons">${button}<button type="button" class="copy">Copy</button></div><pre tabindex="0"><code>${highlight(shown, language)}</code></pre></div>`;
    return { path, address: sourceAddress(path, false), title: path, body };
}

/** The page of a folder, and the files that it shows. */
export function folderPage(site, path) {
    const entries = readdirSync(join(site.root, path), { withFileTypes: true }).sort((a, b) =>
        a.name.localeCompare(b.name, 'en'),
    );
    const files = entries
        .filter((e) => e.isFile() && isText(join(site.root, path, e.name)))
        .map((e) => `${path}/${e.name}`);
    const list = entries.map((e) => {
        const name = escape(e.name);
        return files.includes(`${path}/${e.name}`)
            ? `<li><a href="${name}.html">${name}</a></li>`
            : `<li>${name}${e.isDirectory() ? '/' : ''}</li>`;
    });
    return {
        page: {
            path,
            address: sourceAddress(path, true),
            title: path + '/',
            body: `<h1>${escape(path)}/</h1>\n<ul>${list.join('')}</ul>`,
        },
        files,
    };
}

export function isText(file) {
    return statSync(file).size < 4 * LONGEST && !readFileSync(file).subarray(0, 4096).includes(0);
}
