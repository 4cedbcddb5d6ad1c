/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@playwright/test';

// Sources and tests are type-checked in one program, which knows the globals of node. The pages run in browsers, where there are none.
const NODE = /\b(process|Buffer|require|global|__dirname|__filename|setImmediate|clearImmediate|NodeJS)\b|['"]node:/;
const sources = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'src');

function usesOfNode(text: string): string[] {
    const code = text.replace(/\/\*[^]*?\*\//g, '').replace(/\/\/.*$/gm, '');
    return code.split('\n').filter((line) => NODE.test(line));
}

function filesBelow(folder: string): string[] {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)],
    );
}

test('sources use nothing that only node has', () => {
    const files = filesBelow(sources).filter((file) => file.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap((file) => usesOfNode(readFileSync(file, 'utf8')))).toEqual([]);
});

test('a use of node is found, a word in a comment is not', () => {
    expect(usesOfNode('const id = process.pid;\nimport { join } from "node:path";')).toHaveLength(2);
    expect(usesOfNode('// a process of its own\n/* a\n Buffer */ const processed = 1;')).toEqual([]);
});
