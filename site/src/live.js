/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Scenes that can be run in the page: each becomes a file live/NAME.json with its text, the files that it names, and values of its parameters.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

import { escape } from './escape.js';

const NAMED_FILE = /[\w./-]+\.(?:yaml|yml|obj|stl|xml|urdf|sdf|off|ply)\b/g;
/** Files of scenes are small; what is larger is no part of an example [bytes]. */
const LARGEST_FILE = 1e6;

/** The files that a scene names, and those that they name: { path: contents in base64 }. Paths are those of the repository. */
export function filesOf(root, path, text, found = {}) {
    for (const [name] of text.matchAll(NAMED_FILE)) {
        const other = posix.normalize(posix.join(posix.dirname(path), name));
        const file = join(root, other);
        if (
            other === path ||
            other.startsWith('..') ||
            other in found ||
            !existsSync(file) ||
            statSync(file).size > LARGEST_FILE
        )
            continue;
        const data = readFileSync(file);
        found[other] = data.toString('base64');
        if (/\.(?:yaml|yml|xml|urdf|sdf)$/.test(other)) filesOf(root, other, data.toString('utf8'), found);
    }
    return found;
}

/** Can the page run a scene? Robot models within a scene are read by the program only. */
export const runnable = (text) => !/^models:/m.test(text);

/** The scene that a block of code writes: the block itself, or the text of a here-document; undefined: none. */
export function sceneIn(code, language) {
    const whole = (text) => /^(?:#.*\n)*perp: 1\b/.test(text);
    if (language === 'yaml') return whole(code) ? code : undefined;
    const written = /^cat > \S+\.yaml <<'(\w+)'\n([\s\S]*?)\n\1$/m.exec(code);
    return language === 'sh' && written && whole(written[2]) ? written[2] + '\n' : undefined;
}

/** Values of parameters with which tools/gallery runs a scene: large experiments are drawn at a smaller size. */
export function galleryValues(root) {
    const values = {};
    for (const [, name, options] of readFileSync(join(root, 'tools/gallery'), 'utf8').matchAll(
        /^([\w.-]+)\|([^|\n]+)\|/gm,
    )) {
        const define = [...options.matchAll(/-D (\w+)=([\d.e+-]+)/g)].map(([, key, value]) => [key, Number(value)]);
        if (define.length > 0) values[name] = Object.fromEntries(define);
    }
    return values;
}

/** Collects scenes, each under a name of its own. */
export class LiveScenes {
    constructor(root) {
        this.root = root;
        this.scenes = new Map();
    }

    /** path: where the scene is in the repository, or would be; returns the name of its file, undefined if the page cannot run it. */
    add(name, path, text, define = {}) {
        if (!runnable(text)) return undefined;
        let free = name;
        for (let i = 2; this.scenes.has(free) && this.scenes.get(free).text !== text; i++) free = `${name}-${i}`;
        const title = /^title: *["']?(.*?)["']?\s*(?: #.*)?$/m.exec(text)?.[1] ?? name;
        this.scenes.set(free, { title, path, text, define, files: filesOf(this.root, path, text) });
        return free;
    }

    addFile(name, path, define = {}) {
        return this.add(name, path, readFileSync(join(this.root, path), 'utf8'), define);
    }

    exists(path) {
        return existsSync(join(this.root, path)) && dirname(path) !== '.';
    }
}

/** The button that runs a scene; a site without the simulator has none. */
export function runButton(site, scene) {
    return site.simulate && scene ? `<button type="button" class="run" data-scene="${escape(scene)}">Run</button>` : '';
}
