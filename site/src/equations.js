/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// A block of equations: lines are rows of a table, and what lines have below each other are its columns. Brackets over several lines are matrices.
import { typeset } from './math.js';

/** Parts of a line that two or more spaces separate: { at, gap, text }. Marks over letters take no place. */
function parts(line) {
    const letters = line.normalize('NFC').replace(/\p{M}/gu, '');
    const found = [];
    for (const m of letters.matchAll(/( {2,}|^ *)(\S+(?: \S+)*)/gu))
        found.push({ at: m.index + m[1].length, gap: m[1].length });
    // the same parts with their marks
    const texts = line.trim().split(/ {2,}/u);
    return found.map((p, i) => ({ ...p, text: texts[i] ?? '' }));
}

/** Where columns begin: in two lines or more, and behind a wide gap in one of them. */
function columns(lines) {
    const seen = new Map();
    for (const p of lines.flat()) {
        if (p.gap === 0) continue;
        const s = seen.get(p.at) ?? { count: 0, widest: 0 };
        seen.set(p.at, { count: s.count + 1, widest: Math.max(s.widest, p.gap) });
    }
    return [...seen].filter(([, s]) => s.count > 1 && s.widest > 2).map(([at]) => at);
}

const words = (text) => /^[A-Za-z][A-Za-z',;:.\- ]*[a-z.]$/u.test(text) && /[A-Za-z]{3,}/u.test(text);

function tableOf(block) {
    const lines = block.map(parts);
    const starts = columns(lines);
    const rows = lines.map((line) => {
        const cells = [];
        for (const [i, p] of line.entries()) {
            const label = i > 0 && i === line.length - 1 && p.gap > 3 && words(p.text);
            // a line that continues the one above begins in its column
            if (i === 0 && p.at > 0 && starts.includes(p.at)) cells.push({ text: '', label: false });
            if (cells.length === 0 || starts.includes(p.at) || label) cells.push({ text: p.text, label });
            else cells.at(-1).text += '  ' + p.text;
        }
        return cells;
    });
    const width = Math.max(...rows.map((r) => r.length));
    const html = rows.map((cells) => {
        const empty = width - cells.length;
        const last = cells.at(-1);
        const tds = cells.map((c, i) => {
            // a label stands in the last column; else the last cell takes what is left
            const span = !last.label && i === cells.length - 1 && empty > 0 ? ` colspan="${empty + 1}"` : '';
            const spare = last.label && i === cells.length - 2 && empty > 0 ? ` colspan="${empty + 1}"` : '';
            return `<td${span || spare}${words(c.text) ? ' class="words"' : ''}>${typeset(c.text, true)}</td>`;
        });
        return `<tr>${tds.join('')}</tr>`;
    });
    return `<div class="equations${width === 1 ? ' single' : ''}" tabindex="0"><table>${html.join('')}</table></div>`;
}

/** Columns of letters at which every line has an opening or closing bracket. */
function brackets(lines) {
    const pairs = [];
    const first = lines[0];
    for (let open = first.indexOf('['); open >= 0; open = first.indexOf('[', open + 1)) {
        const close = first.indexOf(']', open);
        if (close < 0 || !lines.every((l) => l[open] === '[' && l[close] === ']')) return [];
        pairs.push({ open, close });
    }
    return pairs;
}

function matrix(lines, pairs) {
    const out = [];
    let from = 0;
    const between = (to) => {
        const text = lines.map((l) => l.slice(from, to).trim()).filter(Boolean);
        if (text.length === 1 && to !== undefined) out.push(typeset(text[0], true));
        else if (text.length > 0)
            out.push(`<span class="lines">${text.map((t) => `<span>${typeset(t, true)}</span>`).join('')}</span>`);
    };
    // a sign behind the last bracket stands between the columns, and not in its line
    const last = pairs.at(-1).close + 1;
    const signs = lines.map((l) => /^ *([⊥=≤≥])(?= {2})/u.exec(l.slice(last))?.[1]);
    const rest = lines.map((l, i) => (signs[i] ? l.slice(0, last) + l.slice(last).replace(signs[i], ' ') : l));
    for (const { open, close } of pairs) {
        between(open);
        const rows = lines.map((l) =>
            l
                .slice(open + 1, close)
                .trim()
                .split(/ {2,}/u),
        );
        const cells = rows.map(
            (r) =>
                `<mtr>${r.map((c) => `<mtd>${typeset(c, true).replace(/<\/?math[^>]*>/g, '')}</mtd>`).join('')}</mtr>`,
        );
        out.push(
            `<math displaystyle="true"><mrow><mo form="prefix">[</mo><mtable>${cells.join('')}</mtable><mo form="postfix">]</mo></mrow></math>`,
        );
        from = close + 1;
    }
    for (const sign of signs.filter(Boolean)) out.push(typeset(sign, true));
    lines = rest;
    between(undefined);
    return `<div class="equations matrix" tabindex="0">${out.join(' ')}</div>`;
}

/** HTML of an indented block that is mathematics. */
export function equations(text) {
    const lines = text
        .replace(/\n+$/, '')
        .split('\n')
        .filter((l) => l.trim() !== '');
    const pairs = lines.length > 1 ? brackets(lines) : [];
    return pairs.length > 0 ? matrix(lines, pairs) : tableOf(lines);
}
