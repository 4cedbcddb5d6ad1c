/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Commands that documents print: targets of make, programs of tools/, and the words behind perp must exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

function filesBelow(folder) {
    return readdirSync(folder, { withFileTypes: true }).flatMap((e) =>
        e.isDirectory() ? filesBelow(join(folder, e.name)) : [e.name],
    );
}

export class Commands {
    constructor(root) {
        this.root = root;
        const makefile = readFileSync(join(root, 'Makefile'), 'utf8');
        this.targets = new Set([...makefile.matchAll(/^([a-z][a-z-]*):/gm)].map((m) => m[1]));
        const sources = filesBelow(join(root, 'cli')).map((f) => /^command_(\w+)\.c$/.exec(f)?.[1]);
        this.words = new Set(sources.filter(Boolean).map((w) => w.replaceAll('_', '-')));
    }

    /** What is wrong with the commands of a line of code; empty: nothing. block: of a block of commands; in a sentence, `perp problem` may be any text. */
    complaints(line, block) {
        const command = line.trim().replace(/^(?:\$ |sudo )/, '');
        const target = /^make ([a-z][a-z-]*)(?=\s|$)/.exec(command)?.[1];
        if (target && !this.targets.has(target)) return [`found make ${target}; allowed: a target of the Makefile`];
        const tool = /^(tools\/[\w-]+)(?=\s|$)/.exec(command)?.[1];
        if (tool && !existsSync(join(this.root, tool))) return [`found ${tool}; allowed: a file that exists`];
        const word = /^perp ([a-z][a-z-]*)(?=\s|$)/.exec(command)?.[1];
        if (block && word && !this.words.has(word))
            return [`found perp ${word}; allowed: a command of perp (${[...this.words].sort().join(', ')})`];
        return [];
    }
}
