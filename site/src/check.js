/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// check.js FOLDER - looks at a site as a browser gets it: every link and anchor leads to something in the folder, nothing that a page loads comes from another
// address, and nothing stands in a page that its content security policy forbids. Prints what is wrong; exit code 1 if anything is.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"' };
const unescape = (text) => text.replace(/&(amp|lt|gt|quot);/g, (_, name) => ENTITIES[name]);

function filesBelow(folder) {
    return readdirSync(folder, { withFileTypes: true }).flatMap((e) => {
        const path = join(folder, e.name);
        return e.isDirectory() ? filesBelow(path) : [path];
    });
}

/** Tags of a page with their attributes: [{ tag, attributes, at }]. */
function* tagsOf(html) {
    for (const m of html.matchAll(/<([a-z][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>/gi)) {
        const attributes = {};
        for (const [, name, value] of m[2].matchAll(/([\w:-]+)(?:="([^"]*)")?/g))
            attributes[name] = unescape(value ?? '');
        yield { tag: m[1], attributes, at: m.index };
    }
}

/** What a browser fetches to show the page; links are followed by the reader. */
const LOADED = {
    script: 'src',
    img: 'src',
    iframe: 'src',
    link: 'href',
    source: 'src',
    audio: 'src',
    video: 'src',
    object: 'data',
    embed: 'src',
};

class Checker {
    constructor(folder) {
        this.folder = folder;
        this.wrong = [];
        this.anchors = new Map();
    }

    /** The simulator's page is built and tested by itself. */
    pages() {
        return filesBelow(this.folder).filter(
            (f) => f.endsWith('.html') && !relative(this.folder, f).startsWith('simulate/'),
        );
    }

    anchorsOf(file) {
        let found = this.anchors.get(file);
        if (!found) {
            found = new Set([...tagsOf(readFileSync(file, 'utf8'))].map((t) => t.attributes.id).filter(Boolean));
            this.anchors.set(file, found);
        }
        return found;
    }

    address(file, line, value, loaded) {
        const complain = (what) => this.wrong.push(`${relative(this.folder, file)}:${line}: ${what}`);
        if (/^data:/.test(value)) return;
        if (/^(?:[a-z]+:|\/\/)/i.test(value)) {
            if (loaded) complain(`loads ${value}; allowed: files of the site`);
            return;
        }
        const [path, anchor] = value.split('#');
        const target = path === '' ? file : resolve(dirname(file), decodeURI(path.replace(/\?.*$/, '')));
        if (relative(this.folder, target).startsWith('..')) complain(`leads out of the site: ${value}`);
        else if (!existsSync(target) || statSync(target).isDirectory()) complain(`leads to nothing: ${value}`);
        else if (anchor && target.endsWith('.html') && !this.anchorsOf(target).has(decodeURIComponent(anchor)))
            complain(`there is no heading ${value}`);
    }

    page(file) {
        const html = readFileSync(file, 'utf8');
        const lineOf = (at) => html.slice(0, at).split('\n').length;
        const complain = (at, what) => this.wrong.push(`${relative(this.folder, file)}:${lineOf(at)}: ${what}`);
        if (!html.includes('http-equiv="Content-Security-Policy"')) complain(0, 'has no content security policy');
        for (const { tag, attributes, at } of tagsOf(html)) {
            if (attributes.style !== undefined || tag === 'style') complain(at, 'has an inline style');
            if (tag === 'script' && attributes.src === undefined) complain(at, 'has an inline script');
            const handler = Object.keys(attributes).find((a) => /^on/.test(a));
            if (handler) complain(at, `has the inline handler ${handler}`);
            const loaded = LOADED[tag];
            if (loaded && attributes[loaded] !== undefined) this.address(file, lineOf(at), attributes[loaded], true);
            if (tag === 'a' && attributes.href !== undefined) this.address(file, lineOf(at), attributes.href, false);
            const scene = attributes['data-scene'];
            if (scene !== undefined && !existsSync(join(this.folder, 'live', scene + '.json')))
                complain(at, `there is no live/${scene}.json`);
        }
    }

    style(file) {
        for (const m of readFileSync(file, 'utf8').matchAll(/url\(["']?([^"')]+)/g)) this.address(file, 1, m[1], true);
    }
}

/** What is wrong with a site, and how many pages it has. */
export function check(folder) {
    const checker = new Checker(resolve(folder));
    const pages = checker.pages();
    for (const file of pages) checker.page(file);
    for (const file of filesBelow(join(checker.folder, 'assets'))) if (file.endsWith('.css')) checker.style(file);
    return { wrong: checker.wrong, pages: pages.length };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
    const { wrong, pages } = check(process.argv[2] ?? '.');
    for (const w of wrong) console.error(w);
    console.log(`${pages} pages looked at, ${wrong.length} complaints`);
    process.exitCode = wrong.length > 0 || pages === 0 ? 1 : 0;
}
