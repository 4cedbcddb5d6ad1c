/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The page that simulates, without a browser: completion, limits, links.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';

import { expect, test } from '@playwright/test';

import { complete, type Schema } from '../../src/simulate/complete.ts';
import { readScene } from '../../src/simulate/embed.ts';
import { checkScene, depthOf, LIMITS } from '../../src/simulate/limits.ts';
import { indentAfter, piecesOf, proseOf } from '../../src/simulate/paint.ts';
import { fromLink, toLink } from '../../src/simulate/share.ts';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
/** The scenes of the gallery. */
const GALLERY = [
    ...readdirSync(resolve(ROOT, 'scenes')).map((name) => resolve(ROOT, 'scenes', name)),
    ...readdirSync(resolve(ROOT, 'experiments')).map((name) => resolve(ROOT, 'experiments', name, 'scene.yaml')),
]
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => {
        try {
            return [readFileSync(file, 'utf8')];
        } catch {
            return []; // an experiment whose scenes have other names
        }
    });

const SCHEMA: Schema = {
    properties: {
        dim: { type: 'integer', description: 'Dimension.' },
        duration: { type: 'number' },
        law: { $ref: '#/$defs/law' },
        bodies: { type: 'array', items: { $ref: '#/$defs/body' } },
        parameters: {
            type: 'object',
            additionalProperties: { anyOf: [{ type: 'number' }, { $ref: '#/$defs/parameter' }] },
        },
    },
    $defs: {
        law: { properties: { mu: {}, restitution: {} } },
        parameter: { properties: { default: {}, min: {}, max: {} } },
        body: {
            properties: {
                name: {},
                kind: { enum: ['obstacle', 'kinematic', 'dynamic'] },
                shape: { anyOf: [{ $ref: '#/$defs/shape' }] },
                shapes: { type: 'array', items: { $ref: '#/$defs/shape' } },
            },
        },
        shape: { properties: { type: { enum: ['box', 'sphere', 'halfspace'] }, size: {}, radius: {} } },
    },
};

/** What is offered at the | of a text. */
function offered(text: string): string[] {
    return complete(SCHEMA, text.replace('|', ''), text.indexOf('|')).list.map((s) => s.text);
}

test('completion knows maps, lists, brackets and values', () => {
    expect(offered('d|')).toEqual(['dim', 'duration']);
    expect(offered('dim: 3\nl|')).toEqual(['law']);
    expect(offered('law: {m|')).toEqual(['mu']);
    expect(offered('law:\n  r|')).toEqual(['restitution']);
    expect(offered('bodies:\n- {name: a, k|')).toEqual(['kind']);
    expect(offered('bodies:\n- {kind: o|')).toEqual(['obstacle']);
    expect(offered('bodies:\n- name: a\n  kind: |')).toEqual(['obstacle', 'kinematic', 'dynamic']);
    expect(offered('bodies:\n- {name: a, shape: {type: |')).toEqual(['box', 'sphere', 'halfspace']);
    expect(offered('bodies:\n- {name: a, shape: {type: box, s|')).toEqual(['size']);
    expect(offered('bodies:\n- {name: a, shape: {type: box},\n   s|')).toEqual(['shape', 'shapes']);
    expect(offered('bodies:\n- name: a\n  shape:\n    r|')).toEqual(['radius']);
    expect(offered('bodies:\n  - name: a\n    shapes:\n      - t|')).toEqual(['type']);
    expect(offered('bodies:\n- name: a\n- n|')).toEqual(['name']);
    expect(offered('parameters:\n  mu: {m|')).toEqual(['min', 'max']);
    expect(offered('bodies:\n- {name: a}\nla|')).toEqual(['law']);
    expect(offered('nothing:\n  of|')).toEqual([]);
});

test('a completion replaces the word that was begun', () => {
    const text = 'bodies:\n- {na';
    const c = complete(SCHEMA, text, text.length);
    expect(text.slice(c.from)).toBe('na');
    expect(c.list[0]).toMatchObject({ text: 'name', key: true });
});

test('levels of a scene are counted, quotes and comments are not', () => {
    expect(depthOf('a: 1\nb: 2')).toBe(1);
    expect(depthOf('a:\n  b:\n    c: [1, {d: 2}]')).toBe(5);
    expect(depthOf('a: "[[[[[["\n# [[[[[[\nb: 1 # [[[')).toBe(1);
    expect(depthOf('a: ' + '['.repeat(1000))).toBe(1001);
    expect(GALLERY.length).toBeGreaterThan(50);
    expect(Math.max(...GALLERY.map(depthOf))).toBeLessThanOrEqual(LIMITS.depth / 4);
});

test('a link brings the scene back to the character', async () => {
    for (const scene of GALLERY) {
        const shared = { text: scene + '# ä ∮ 🙂\n', define: { mu: 0.1 + 0.2 } };
        const link = await toLink(shared);
        expect(link).toMatch(/^#scene=[\w-]+$/);
        expect(await fromLink(link)).toEqual(shared);
    }
    expect(await fromLink('')).toBeUndefined();
    expect(await fromLink('#other')).toBeUndefined();
});

const link = (json: string): string => '#scene=' + deflateRawSync(json).toString('base64url');

test('hostile links are refused with a sentence', async () => {
    await expect(fromLink('#scene=' + 'A'.repeat(LIMITS.link + 1))).rejects.toThrow(/characters/);
    await expect(fromLink('#scene=%%%')).rejects.toThrow(/damaged/);
    await expect(fromLink('#scene=AAAA')).rejects.toThrow(/damaged/);
    await expect(fromLink(link('[1, 2]'))).rejects.toThrow(/damaged/);
    await expect(fromLink(link('{"text": 7}'))).rejects.toThrow(/damaged/);
    await expect(fromLink(link('{"text": "a", "define": {"mu": "1"}}'))).rejects.toThrow(/parameter/);
    await expect(fromLink(link('{"text": "a", "define": {"a b": 1}}'))).rejects.toThrow(/parameter/);
    // a few kB that unpack to 50 MB
    await expect(fromLink(link(JSON.stringify({ text: ' '.repeat(5e7) })))).rejects.toThrow(/bytes/);
    await expect(fromLink(link(JSON.stringify({ text: 'x'.repeat(LIMITS.text + 1) })))).rejects.toThrow(/characters/);
    await expect(fromLink(link(JSON.stringify({ text: 'a: ' + '['.repeat(500) })))).rejects.toThrow(/levels/);
    expect(() => checkScene('a: ' + '{b: '.repeat(LIMITS.depth + 1))).toThrow(/levels/);
});

test('a scene that another page hands over', () => {
    const handed = readScene({
        perp: 'scene',
        text: 'perp: 1',
        path: 'a/b.yaml',
        files: { 'a/c.obj': 'AQI=' },
        define: { n: 2 },
    });
    expect(handed?.files['a/c.obj']).toEqual(new Uint8Array([1, 2]));
    expect(handed?.define).toEqual({ n: 2 });
    for (const other of [
        null,
        'scene',
        { perp: 'scene' },
        { perp: 'edit', text: '', path: '' },
        { perp: 'scene', text: 1, path: '' },
    ])
        expect(readScene(other)).toBeUndefined();
});

test('colours of a line', () => {
    const kinds = (line: string): string =>
        piecesOf(line)
            .filter((p) => p.kind)
            .map((p) => `${p.kind} ${p.text}`)
            .join(', ');
    expect(kinds('- {name: box-2, at: [0, -1.5e-3], "a b": \'c\'} # so')).toBe(
        'key name, key at, number 0, number 1.5e-3, string "a b", string \'c\', comment # so',
    );
    expect(kinds("title: Newton's cradle")).toBe('key title');
    expect(kinds('at: [2*r*i, 0]#x')).toBe('key at, number 2, number 0');
    for (const text of GALLERY)
        for (const line of text.split('\n'))
            expect(
                piecesOf(line)
                    .map((p) => p.text)
                    .join(''),
            ).toBe(line);
    expect(proseOf(['about: |', '  a: 1', '', '  b', 'dim: 3'])).toEqual([false, true, true, true, false]);
});

test('a new line lies as deep as what it follows', () => {
    expect(indentAfter('dim: 3')).toBe('');
    expect(indentAfter('law:')).toBe('  ');
    expect(indentAfter('bodies: # of the scene')).toBe('  ');
    expect(indentAfter('- {name: a}')).toBe('');
    expect(indentAfter('  - {name: a}')).toBe('  ');
    expect(indentAfter('  - name: a')).toBe('    ');
    expect(indentAfter('  - shape:')).toBe('      ');
    expect(indentAfter('    density: 3')).toBe('    ');
    expect(indentAfter('about: |')).toBe('  ');
});
