/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The frame of every page: head, bar, navigation, contents of the page.
import { escape } from './escape.js';
import { FOLDED, MAIN } from './sections.js';

/** No inline script or style, and nothing from another address. */
export const POLICY =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'";

const short = (title) => title.replace(/: .*$/, '');

function navigation(sections, current, to) {
    const parts = sections.map(({ title, pages }) => {
        const shown = pages.filter((p) => {
            const folder = FOLDED.find((f) => p.path.startsWith(f));
            return !folder || p.path === `${folder}README.md` || (current.path ?? '').startsWith(folder);
        });
        const items = shown.map(
            (p) =>
                `<li${FOLDED.some((f) => p.path.startsWith(f)) ? ' class="sub"' : ''}><a href="${escape(to(p.address))}"${p.address === current.address ? ' aria-current="page"' : ''}>${escape(short(p.title))}</a></li>`,
        );
        return `<section><h2>${escape(title)}</h2><ul>${items.join('')}</ul></section>`;
    });
    return parts.join('\n');
}

function mainLinks(sections, simulate, to) {
    const pages = sections.flatMap((s) => s.pages);
    const links = MAIN.flatMap(([path, title]) => {
        const page = pages.find((p) => p.path === path);
        return page ? [[page.address, title]] : [];
    });
    if (simulate) links.push(['simulate/index.html', 'Simulate']);
    return links.map(([address, title]) => `<a href="${escape(to(address))}">${title}</a>`).join('');
}

function contents(headings) {
    const items = headings.filter((h) => h.level === 2 || h.level === 3);
    if (items.length < 2) return '';
    const list = items.map(
        (h) => `<li class="level-${h.level}"><a href="#${escape(h.anchor)}">${escape(h.title)}</a></li>`,
    );
    return `<nav class="contents" aria-label="On this page"><details open><summary>On this page</summary><ul>${list.join('')}</ul></details></nav>`;
}

/** Page before and after, in the order of the sections. */
function neighbours(sections, current, to) {
    const all = sections.flatMap((s) => s.pages);
    const at = all.findIndex((p) => p.address === current.address);
    if (at < 0) return '';
    const link = (page, word) =>
        page
            ? `<a class="${word}" href="${escape(to(page.address))}"><small>${word === 'previous' ? 'Before' : 'Next'}</small>${escape(short(page.title))}</a>`
            : '<span></span>';
    return `<nav class="neighbours" aria-label="Pages before and after">${link(all[at - 1], 'previous')}${link(all[at + 1], 'next')}</nav>`;
}

/** page: { path, address, title, headings, body }; sections: of the whole site, with pages as { path, address, title }; simulate: it has the simulator. */
export function htmlOf(page, sections, simulate) {
    const up = '../'.repeat(page.address.split('/').length - 1);
    const to = (address) => up + address;
    const title = page.address === 'index.html' ? 'perp: rigid bodies with frictional contact' : `${page.title} · perp`;
    return `<!doctype html>
<html lang="en" data-up="${up || './'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}assets/site.css">
<script src="${up}assets/theme.js"></script>
<script src="${up}assets/site.js" defer></script>
<script src="${up}assets/search.js" defer></script>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header class="bar">
<button type="button" class="menu" aria-label="Navigation" aria-expanded="false" aria-controls="navigation">☰</button>
<a class="brand" href="${to('index.html')}"><b>⊥</b> perp</a>
<nav class="main" aria-label="Main pages">${mainLinks(sections, simulate, to)}</nav>
<div class="search" role="search"><input type="search" placeholder="Search" aria-label="Search all pages" autocomplete="off" spellcheck="false"><kbd>/</kbd><ul class="results" role="listbox" aria-label="Results" hidden></ul></div>
<button type="button" class="theme" aria-label="Light or dark">◐</button>
</header>
<div class="page">
<nav id="navigation" class="navigation" aria-label="All pages">
${navigation(sections, page, to)}
</nav>
<main id="content">
${contents(page.headings ?? [])}
<article class="text">
${page.body}
</article>
${neighbours(sections, page, to)}
</main>
</div>
</body>
</html>
`;
}
