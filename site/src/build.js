/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// build.js ROOT FOLDER [SIMULATE] - makes the site from the documents of the repository ROOT. SIMULATE: the page that simulates; without it examples have no
// buttons that run them. A link to nothing, or a command that does not exist, is an error with file and line; then nothing is written and the exit code is 1.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { Commands } from './commands.js';
import { galleryValues, LiveScenes } from './live.js';
import { Document } from './markdown.js';
import { addressOf, arrange } from './sections.js';
import { filePage, folderPage, isText, sourceAddress } from './sources.js';
import { htmlOf } from './template.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const FONT = '../node_modules/@fontsource/stix-two-math';
const ON_TOP = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

function documentsBelow(root, folder) {
    return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((e) => {
        const path = `${folder}/${e.name}`;
        return e.isDirectory() ? documentsBelow(root, path) : e.name.endsWith('.md') ? [path] : [];
    });
}

/** The site before it is written. */
export class Site {
    constructor(root, simulate) {
        this.root = root;
        this.simulate = simulate;
        this.live = new LiveScenes(root);
        this.gallery = galleryValues(root);
        this.commands = new Commands(root);
        this.complaints = [];
        this.copies = new Set();
        this.sources = new Set();
        this.folders = new Set();
        const paths = [...ON_TOP.filter((p) => existsSync(join(root, p))), ...documentsBelow(root, 'docs')];
        this.documents = new Map();
        for (const path of paths) this.read(path);
        this.sections = arrange([...this.documents.keys()]).map(({ title, pages }) => ({
            title,
            pages: pages.map((p) => this.pageOf(p)),
        }));
    }

    /** Reads a document, and those outside docs/ to which it links. */
    read(path) {
        if (this.documents.has(path)) return;
        const document = new Document(this, path, readFileSync(join(this.root, path), 'utf8'));
        this.documents.set(path, document);
        for (const { token, attribute } of document.references()) {
            const href = token.attrGet(attribute).replace(/#.*/, '');
            const other = posix.normalize(posix.join(posix.dirname(path), href));
            if (/^[^:]+\.md$/.test(href) && !other.startsWith('..') && existsSync(join(this.root, other)))
                this.read(other);
        }
    }

    pageOf(path) {
        const d = this.documents.get(path);
        return { path, address: addressOf(path), title: path === 'README.md' ? 'Overview' : d.title };
    }

    /** What a link of a document becomes; undefined and a complaint: it leads nowhere. */
    resolve(document, href) {
        if (/^(?:https?|mailto):/.test(href)) return href;
        const [file, anchor] = decodeURI(href).split('#');
        const path =
            file === ''
                ? document.path
                : posix.normalize(posix.join(posix.dirname(document.path), file)).replace(/\/$/, '');
        const here = join(this.root, path);
        if (path.startsWith('..') || !existsSync(here)) return undefined;
        const target = this.documents.get(path);
        if (anchor && target && !target.anchors.has(anchor)) return undefined;
        return (
            this.relative(document, target ? addressOf(path) : this.other(path, here)) +
            (anchor && target ? `#${anchor}` : '')
        );
    }

    /** A file that is no document: shown as a page, or copied. */
    other(path, here) {
        if (statSync(here).isDirectory()) {
            this.folders.add(path);
            return sourceAddress(path, true);
        }
        if (isText(here) && !path.endsWith('.svg')) {
            this.sources.add(path);
            return sourceAddress(path, false);
        }
        this.copies.add(path);
        return path;
    }

    relative(document, address) {
        return posix.relative(posix.dirname(addressOf(document.path)), address);
    }

    /** Links and commands of all documents; what is wrong is in complaints. */
    check() {
        for (const d of this.documents.values()) {
            for (const { token, attribute, line } of d.references()) {
                const href = token.attrGet(attribute);
                const address = this.resolve(d, href);
                if (address === undefined)
                    this.complaints.push(
                        `${d.path}:${line}: found a link to ${href}; allowed: a file and a heading that exist`,
                    );
                else if (attribute === 'src' && /^\w+:/.test(address))
                    this.complaints.push(
                        `${d.path}:${line}: found the picture ${href}; allowed: a file of the project`,
                    );
                else token.attrSet(attribute, address);
            }
            for (const { text, line, block } of d.codeLines())
                for (const wrong of this.commands.complaints(text, block))
                    this.complaints.push(`${d.path}:${line}: ${wrong}`);
        }
    }

    /** All pages: { path, address, title, headings, body }. */
    pages() {
        const pages = [...this.documents.values()].map((d) => ({
            ...this.pageOf(d.path),
            headings: d.headings,
            body: d.render(),
        }));
        for (const path of this.folders) {
            const { page, files } = folderPage(this, path);
            pages.push(page);
            for (const f of files) this.sources.add(f);
        }
        for (const path of this.sources) pages.push(filePage(this, path));
        return pages;
    }

    /** Sections of all pages, for the search: [title of page, address, [[anchor, title, text], ...]]. */
    searchIndex() {
        return this.sections
            .flatMap((s) => s.pages)
            .map((p) => [
                p.title,
                p.address,
                this.documents
                    .get(p.path)
                    .search()
                    .map((s) => [s.anchor, s.title, s.text.trim()]),
            ]);
    }
}

function write(folder, address, text) {
    const file = join(folder, address);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
}

/** Writes the site to a folder, which is made anew; returns what was wrong, and how much was written. */
export function build(root, folder, simulate) {
    const site = new Site(root, simulate !== undefined);
    site.check();
    if (site.complaints.length > 0) return { complaints: site.complaints, pages: 0, scenes: 0 };
    const pages = site.pages();
    rmSync(folder, { recursive: true, force: true });
    for (const page of pages) write(folder, page.address, htmlOf(page, site.sections, site.simulate));
    for (const path of site.copies) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        cpSync(join(root, path), join(folder, path));
    }
    cpSync(join(HERE, '../page'), join(folder, 'assets'), { recursive: true });
    mkdirSync(join(folder, 'assets/font'));
    cpSync(
        join(HERE, FONT, 'files/stix-two-math-latin-400-normal.woff'),
        join(folder, 'assets/font/stix-two-math.woff'),
    );
    cpSync(join(HERE, FONT, 'LICENSE'), join(folder, 'assets/font/LICENSE'));
    write(folder, 'assets/search-index.js', `perpSearchIndex = ${JSON.stringify(site.searchIndex())};\n`);
    for (const [name, scene] of site.live.scenes) write(folder, `live/${name}.json`, JSON.stringify(scene));
    if (simulate) {
        cpSync(simulate, join(folder, 'simulate'), { recursive: true });
        // the simulator shows where the documents are
        const start = readFileSync(join(simulate, 'index.html'), 'utf8');
        write(folder, 'simulate/index.html', start.replace('<div id="app"', '<div id="app" data-docs="../docs/"'));
    }
    return { complaints: [], pages: pages.length, scenes: site.live.scenes.size };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
    const [root, folder, simulate] = process.argv.slice(2);
    if (!folder) {
        console.error('build.js: found too few words; allowed: ROOT FOLDER [SIMULATE]');
        process.exit(2);
    }
    const { complaints, pages, scenes } = build(resolve(root), resolve(folder), simulate && resolve(simulate));
    for (const c of complaints) console.error(c);
    if (complaints.length > 0) process.exit(1);
    console.log(`${pages} pages, ${scenes} scenes to run`);
}
