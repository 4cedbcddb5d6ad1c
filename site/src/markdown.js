/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// A document as HTML: headings with anchors, links as the site has them, equations typeset, code with buttons.
import MarkdownIt from 'markdown-it';

import { equations } from './equations.js';
import { escape } from './escape.js';
import { highlight } from './highlight.js';
import { runButton, sceneIn } from './live.js';
import { isMath } from './math.js';
import { prose } from './prose.js';

/** A cell that is a number, perhaps with a sign and a unit: it stays in one line. */
const NUMBER = /^[-+−]?\d[\d.,]*(?:e[-+−]?\d+)?(?: (?:s|ms|µs|m|N|J|%))?$/u;

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(text, taken) {
    const plain = text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/gu, '-');
    let anchor = plain;
    for (let i = 1; taken.has(anchor); i++) anchor = `${plain}-${i}`;
    taken.add(anchor);
    return anchor;
}

const plainText = (inline) => (inline.children ?? []).map((t) => (t.type === 'softbreak' ? ' ' : t.content)).join('');

/** Texts below each heading, for the search: [{ anchor, title, text }]. */
function searchSections(tokens, title) {
    const sections = [{ anchor: '', title, text: '' }];
    for (let i = 0; i < tokens.length; i++) {
        const token = tokens[i];
        if (token.type === 'heading_open') {
            sections.push({ anchor: token.attrGet('id') ?? '', title: plainText(tokens[++i]), text: '' });
            continue;
        }
        const text =
            token.type === 'inline'
                ? plainText(token)
                : token.type === 'fence' || token.type === 'code_block'
                  ? token.content
                  : '';
        if (text) sections.at(-1).text += text.replace(/\s+/gu, ' ') + ' ';
    }
    // the title is the page's own section
    if (sections[1]?.title === title) sections[0].text += sections.splice(1, 1)[0].text;
    return sections.filter((s) => s.text.trim() !== '' || s.anchor === '');
}

function createParser() {
    const md = new MarkdownIt({ html: true });
    const { rules } = md.renderer;
    rules.text = (tokens, i, _options, env) => prose(tokens[i].content, env.page.equations);
    rules.html_block = (tokens, i) => (/^<!--[\s\S]*-->\s*$/.test(tokens[i].content) ? '' : escape(tokens[i].content));
    rules.html_inline = (tokens, i) => (/^<br ?\/?>$/.test(tokens[i].content) ? '<br>' : escape(tokens[i].content));
    rules.fence = (tokens, i, _options, env) => env.page.code(tokens[i], tokens[i].info.trim(), env.fileOf(tokens, i));
    rules.code_block = (tokens, i, _options, env) =>
        isMath(tokens[i].content) ? equations(tokens[i].content) : env.page.code(tokens[i], '', undefined);
    rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
    rules.table_close = () => '</table></div>\n';
    for (const cell of ['th_open', 'td_open'])
        rules[cell] = (tokens, i) => {
            // no inline style: the content security policy forbids it
            const side = /text-align:(\w+)/.exec(tokens[i].attrGet('style') ?? '')?.[1];
            const classes = [side, NUMBER.test(tokens[i + 1]?.content ?? '') ? 'figure' : undefined].filter(Boolean);
            return `<${tokens[i].tag}${classes.length > 0 ? ` class="${classes.join(' ')}"` : ''}>`;
        };
    rules.heading_close = (tokens, i) => {
        const id = tokens[i - 2].attrGet('id');
        return `<a class="anchor" href="#${escape(id)}" aria-label="Link to this section">#</a></${tokens[i].tag}>\n`;
    };
    return md;
}

const PARSER = createParser();

/** The path that the paragraph before a block names: "`experiments/incline/scene.yaml`:". */
function fileBefore(tokens, i) {
    const before = tokens[i - 2];
    if (tokens[i - 1]?.type !== 'paragraph_close' || before?.type !== 'inline') return undefined;
    return /^`([\w./-]+\.yaml)`:$/.exec(before.content)?.[1];
}

/** A card of the gallery: picture, name, what it shows, figures, and a button that runs its scene. */
function card(page, picture, cells, headers, env) {
    const children = picture.children;
    const link = children.find((t) => t.type === 'link_open');
    const image = PARSER.renderer.renderInline([children[0]], PARSER.options, env);
    const rest = children.slice(children.findIndex((t) => t.type === 'html_inline') + 1);
    const name = plainText({ children: [rest[1] ?? children[0]] });
    const about = PARSER.renderer.renderInline(rest.slice(3), PARSER.options, env).replace(/^:\s*/, '');
    const figures = cells.map((cell, i) => {
        const value = PARSER.renderer.renderInline(cell.children, PARSER.options, env);
        return `<div><dt>${escape(headers[i + 1] ?? '')}</dt><dd>${value}</dd></div>`;
    });
    const address = escape(link?.attrGet('href') ?? '');
    const run = page.galleryButton(name);
    return `<article class="card"><a href="${address}" tabindex="-1" aria-hidden="true">${image}</a>
<h3><a href="${address}">${escape(name)}</a></h3><p>${about}</p>
${figures.length > 0 ? `<dl>${figures.join('')}</dl>` : ''}${run}</article>\n`;
}

/** Tables whose cells begin with a picture become cards. */
function cards(page, tokens, env) {
    const out = [];
    for (let i = 0; i < tokens.length; i++) {
        const end =
            tokens[i].type === 'table_open' ? tokens.findIndex((t, j) => j > i && t.type === 'table_close') : -1;
        const table = tokens.slice(i, end + 1);
        const pictures = table.filter((t) => t.type === 'inline' && t.children[0]?.type === 'image');
        if (end < 0 || pictures.length === 0) {
            out.push(tokens[i]);
            continue;
        }
        const headers = table.flatMap((t, j) => (t.type === 'th_open' ? [table[j + 1].content] : []));
        let html = '';
        let row = [];
        for (const t of table) {
            if (t.type === 'tr_open') row = [];
            if (t.type === 'inline') row.push(t);
            if (t.type !== 'tr_close') continue;
            const [first, ...others] = row.filter((cell) => cell.children.length > 0);
            if (first?.children[0].type !== 'image') continue;
            if (others.some((cell) => cell.children[0].type === 'image'))
                for (const c of [first, ...others]) html += card(page, c, [], headers, env);
            else html += card(page, first, others, headers, env);
        }
        const block = new table[0].constructor('cards', '', 0);
        block.content = `<div class="cards">${html}</div>\n`;
        out.push(block);
        i = end;
    }
    return out;
}
PARSER.renderer.rules.cards = (tokens, i) => tokens[i].content;

/** Every link and picture with its line: [{ token, attribute, line }]. Cells have no lines of their own, but their rows have. */
function* references(tokens) {
    let line = 1;
    for (const token of tokens) {
        if (token.map) line = token.map[0] + 1;
        if (token.type !== 'inline') continue;
        for (const child of token.children) {
            if (child.type === 'softbreak' || child.type === 'hardbreak') line++;
            else if (child.type === 'link_open') yield { token: child, attribute: 'href', line };
            else if (child.type === 'image') yield { token: child, attribute: 'src', line };
        }
    }
}

/** Lines of code in a document: [{ text, line, block }]. */
function* codeLines(tokens) {
    let first = 1;
    for (const token of tokens) {
        if (token.map) first = token.map[0] + (token.type === 'fence' ? 2 : 1);
        if (token.type === 'code_block' || (token.type === 'fence' && token.info.trim() === 'sh'))
            for (const [i, text] of token.content.split('\n').entries()) yield { text, line: first + i, block: true };
        for (const child of token.children ?? [])
            if (child.type === 'code_inline') yield { text: child.content, line: first, block: false };
    }
}

/** A document, read: what the site needs to know of it, and its HTML once links are resolved. */
export class Document {
    /** site: { live, gallery, simulate } of the build; path: in the repository. */
    constructor(site, path, text) {
        this.site = site;
        this.path = path;
        this.tokens = PARSER.parse(text, {});
        this.anchors = new Set();
        this.headings = [];
        this.tokens.forEach((t, i) => {
            if (t.type !== 'heading_open') return;
            const title = plainText(this.tokens[i + 1]);
            const anchor = anchorOf(title, this.anchors);
            t.attrSet('id', anchor);
            this.headings.push({ level: Number(t.tag.slice(1)), title, anchor });
        });
        this.title = this.headings[0]?.title ?? path;
        this.equations = this.tokens.some((t) => t.type === 'code_block' && isMath(t.content));
        this.blocks = 0;
    }

    references() {
        return references(this.tokens);
    }

    codeLines() {
        return codeLines(this.tokens);
    }

    search() {
        return searchSections(this.tokens, this.title);
    }

    render() {
        const env = { page: this, fileOf: fileBefore };
        const tokens = cards(this, this.tokens, env);
        return PARSER.renderer.render(tokens, PARSER.options, env);
    }

    /** A block of code with its buttons. */
    code(token, language, file) {
        const name = `${this.path
            .replace(/^docs\//, '')
            .replace(/\.md$/, '')
            .replaceAll('/', '-')
            .toLowerCase()}-${++this.blocks}`;
        const scene = sceneIn(token.content, language);
        const where = file && this.site.live.exists(file) ? file : `${/^(.*\/)?/.exec(this.path)[0]}${name}.yaml`;
        const button = scene ? runButton(this.site, this.site.live.add(name, where, scene)) : '';
        return `<div class="code"><div class="buttons">${button}<button type="button" class="copy">Copy</button></div><pre tabindex="0"><code>${highlight(token.content, language)}</code></pre></div>\n`;
    }

    galleryButton(name) {
        const path = [`scenes/${name}.yaml`, `experiments/${name}/scene.yaml`].find((p) => this.site.live.exists(p));
        return path ? runButton(this.site, this.site.live.addFile(name, path, this.site.gallery[name])) : '';
    }
}
