/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';

import { build } from '../src/build.js';
import { check } from '../src/check.js';
import { highlight } from '../src/highlight.js';
import { sceneIn } from '../src/live.js';
import { anchorOf } from '../src/markdown.js';
import { addressOf, arrange } from '../src/sections.js';

const folders = [];
after(() => folders.forEach((f) => rmSync(f, { recursive: true, force: true })));

const SCENE = 'perp: 1\ntitle: a box\ninclude: common.yaml\n';
const REPOSITORY = {
    Makefile: 'site: simulate\n\tx\n',
    'tools/gallery': 'TABLE\nheap|-D n=12 -t 1|--at 1\nTABLE\n',
    'cli/command_run.c': '',
    'scenes/heap.yaml': SCENE,
    'scenes/common.yaml': 'dim: 2\n',
    'docs/img/heap.png': '\0png',
    'include/a.h': 'int a; /* <a> */\n',
    'README.md': '# perp\n\n[guide](docs/guide.md#a-scene)\n',
    'docs/guide.md':
        '# Guide\n\n## A scene\n\n```yaml\nperp: 1\ntitle: t\n```\n\n[header](../include/a.h), [folder](../scenes)\n\n    make site\n',
    'docs/gallery.md':
        '# Gallery\n\n| scene | bodies |\n|---|---:|\n| ![heap](img/heap.png)<br>[heap](../scenes/heap.yaml): A heap | 9 |\n',
};

/** A small repository, and the site that is built of it. */
function made(changes = {}) {
    const top = mkdtempSync(join(tmpdir(), 'perp-site-'));
    folders.push(top);
    const root = join(top, 'repository');
    for (const [path, text] of Object.entries({ ...REPOSITORY, 'simulate/index.html': '', ...changes })) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
    }
    const folder = join(top, 'site');
    const result = build(root, folder, join(root, 'simulate'));
    return { ...result, folder, read: (path) => readFileSync(join(folder, path), 'utf8') };
}

test('a site without complaints', () => {
    const { complaints, folder, read } = made();
    assert.deepEqual(complaints, []);
    assert.deepEqual(check(folder).wrong, []);
    assert.match(read('index.html'), /<a href="docs\/guide.html#a-scene">guide<\/a>/);
    assert.match(read('docs/guide.html'), /<a href="\.\.\/source\/include\/a\.h\.html">header<\/a>/);
    assert.match(read('source/include/a.h.html'), /int<\/span> a; <span class="comment">\/\* &lt;a&gt; \*\/<\/span>/);
    assert.match(read('source/scenes/index.html'), /<a href="heap.yaml.html">heap.yaml<\/a>/);
});

test('numbers in tables stay in one line', () => {
    const rows = ['-4.4e-16', '1.27', '3 ms', '3 balls', 'at 3'];
    const { read } = made({ 'docs/table.md': `# T\n\n| a |\n|---|\n${rows.map((r) => `| ${r} |\n`).join('')}` });
    const cells = [...read('docs/table.html').matchAll(/<td( class="figure")?>/g)].map((m) => m[1] !== undefined);
    assert.deepEqual(cells, [true, true, true, false, false]);
});

test('the simulator knows where the documents are', () => {
    const { read } = made({ 'simulate/index.html': '<body><div id="app"></div></body>' });
    assert.match(read('simulate/index.html'), /<div id="app" data-docs="\.\.\/docs\/"><\/div>/);
});

test('scenes get buttons, and the files that they name', () => {
    const { read } = made();
    assert.match(read('docs/guide.html'), /<button type="button" class="run" data-scene="guide-1">/);
    const gallery = read('docs/gallery.html');
    assert.match(gallery, /<article class="card">[\s\S]*<dt>bodies<\/dt><dd>9<\/dd>[\s\S]*data-scene="heap"/);
    const heap = JSON.parse(read('live/heap.json'));
    assert.equal(heap.text, SCENE);
    assert.deepEqual(heap.define, { n: 12 });
    assert.equal(Buffer.from(heap.files['scenes/common.yaml'], 'base64').toString(), 'dim: 2\n');
});

test('a link to nothing, a heading that is not there, a command that does not exist: file and line', () => {
    const wrong =
        '# A\n\ntext\nand [b](b.md)\n\n- [c](guide.md#nowhere)\n\n| [d](../d.c) |\n|---|\n| [e](e.png) |\n\n    make nothing\n    perp fly\n\n`tools/none x`\n';
    const { complaints } = made({ 'docs/wrong.md': wrong });
    const link = (line, to) => `docs/wrong.md:${line}: found a link to ${to}; allowed: a file and a heading that exist`;
    assert.deepEqual(complaints, [
        link(4, 'b.md'),
        link(6, 'guide.md#nowhere'),
        link(8, '../d.c'),
        link(10, 'e.png'),
        'docs/wrong.md:12: found make nothing; allowed: a target of the Makefile',
        'docs/wrong.md:13: found perp fly; allowed: a command of perp (run)',
        'docs/wrong.md:15: found tools/none; allowed: a file that exists',
    ]);
});

test('a picture from another address is refused, a link there is not', () => {
    const { complaints } = made({ 'docs/far.md': '# A\n\n[a](https://example.org) ![b](https://example.org/b.png)\n' });
    assert.deepEqual(complaints, [
        'docs/far.md:3: found the picture https://example.org/b.png; allowed: a file of the project',
    ]);
});

test('HTML of a document is shown, not used', () => {
    const { read } = made({ 'docs/html.md': '# A\n\n<script src="x.js"></script>\n\na <img src=x onerror=y> b\n' });
    assert.match(read('docs/html.html'), /&lt;script src=&quot;x.js&quot;&gt;/);
    assert.doesNotMatch(read('docs/html.html'), /<img/);
});

test('the check of a built site finds what does not belong there', () => {
    const { folder } = made();
    const head = '<meta http-equiv="Content-Security-Policy" content="">\n';
    const cases = {
        '<a href="gone.html">x</a>': 'leads to nothing: gone.html',
        '<a href="index.html#gone">x</a>': 'there is no heading index.html#gone',
        '<a href="../../x">x</a>': 'leads out of the site: ../../x',
        '<img src="https://example.org/x.png">': 'loads https://example.org/x.png; allowed: files of the site',
        '<script src="//example.org/x.js"></script>': 'loads //example.org/x.js; allowed: files of the site',
        '<link rel="stylesheet" href="http://example.org/x.css">':
            'loads http://example.org/x.css; allowed: files of the site',
        '<script>x</script>': 'has an inline script',
        '<p style="color:red">': 'has an inline style',
        '<p onclick="x">': 'has the inline handler onclick',
        '<button data-scene="gone">': 'there is no live/gone.json',
    };
    for (const [html, what] of Object.entries(cases)) {
        writeFileSync(join(folder, 'x.html'), head + html);
        assert.deepEqual(check(folder).wrong, [`x.html:2: ${what}`]);
    }
    writeFileSync(join(folder, 'x.html'), '<p>');
    assert.deepEqual(check(folder).wrong, ['x.html:1: has no content security policy']);
});

test('every section can be searched', () => {
    const index = {};
    new Function('window', made().read('assets/search-index.js').replace('perpSearchIndex', 'window.index'))(index);
    const guide = index.index.find(([, address]) => address === 'docs/guide.html');
    assert.deepEqual(
        guide[2].map(([anchor, title]) => [anchor, title]),
        [
            ['', 'Guide'],
            ['a-scene', 'A scene'],
        ],
    );
    assert.match(guide[2][1][2], /title: t/);
});

test('anchors are those of GitHub', () => {
    const taken = new Set();
    assert.equal(anchorOf('First-order constraints (`first-order`)', taken), 'first-order-constraints-first-order');
    assert.equal(anchorOf("Siconos' text", taken), 'siconos-text');
    assert.equal(anchorOf("Siconos' text", taken), 'siconos-text-1');
});

test('documents that no section lists come last', () => {
    const sections = arrange(['docs/new.md', 'docs/guide.md', 'README.md', 'docs/solvers/pgs.md']);
    assert.deepEqual(sections[0].pages, ['README.md', 'docs/guide.md']);
    assert.ok(sections.at(-1).pages.includes('docs/new.md'));
    assert.equal(addressOf('docs/experiments/README.md'), 'docs/experiments/index.html');
});

test('scenes in blocks of code', () => {
    assert.equal(sceneIn('# c\nperp: 1\n', 'yaml'), '# c\nperp: 1\n');
    assert.equal(sceneIn('bodies: []\n', 'yaml'), undefined);
    assert.equal(sceneIn("cd x\ncat > a.yaml <<'END'\nperp: 1\nh: 1\nEND\nperp run a.yaml\n", 'sh'), 'perp: 1\nh: 1\n');
    assert.equal(sceneIn("cat > a.yaml <<'END'\nperp-study: 1\nEND\n", 'sh'), undefined);
});

test('colours of code', () => {
    assert.equal(
        highlight('mass: 1 # kg', 'yaml'),
        '<span class="key">mass</span>: <span class="number">1</span> <span class="comment"># kg</span>',
    );
    assert.match(highlight("cat > a.yaml <<'END'\nh: 1\nEND\n", 'sh'), /<span class="key">h<\/span>/);
    assert.equal(highlight('a < b', ''), 'a &lt; b');
});
