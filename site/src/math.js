/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Equations of the documents as MathML. They are written in plain Unicode, so that they can be read in a terminal: M (ν⁺ − ν) = h f + G_n p_n.
// An expression is read into items: { mml, kind, tight, group }. kind: 'ord' (a value), 'op' (an operator), 'punct', 'text' (words); tight: no space
// precedes it; group: what stands inside, if it is one pair of parentheses without scripts.
import { escape } from './escape.js';

const FUNCTIONS = new Set(
    'sin cos tan asin acos atan atan2 exp log ln min max mid diag det conv sign turn cay unit'.split(' '),
);
/** Names of several letters that are values. */
const VALUES = new Set(['lo', 'hi', 'dx', 'dt', 'dz', 'ds', 'LCP']);
/** Words of two letters with a capital; other such pairs are products. */
const SHORT_WORDS = new Set('As At If In Is It No On Or So To We By Of QP Al De'.split(' '));
const SUPERSCRIPTS = {
    '⁰': '0',
    '¹': '1',
    '²': '2',
    '³': '3',
    '⁴': '4',
    '⁵': '5',
    '⁶': '6',
    '⁷': '7',
    '⁸': '8',
    '⁹': '9',
};
const SUBSCRIPTS = {
    '₀': '0',
    '₁': '1',
    '₂': '2',
    '₃': '3',
    '₄': '4',
    '₅': '5',
    '₆': '6',
    '₇': '7',
    '₈': '8',
    '₉': '9',
};
const ACCENTS = { '\u0302': '^', '\u0303': '~', '\u0307': '˙', '\u0308': '¨', '\u0304': '¯' };
const CLOSING = { '(': ')', '[': ']', '{': '}' };
const OPERATOR = /^(?:⊕=|\+=|<=|>=|->|[=≤≥<>+−·×⊥∈∋←→⊕±≈≠∘∇∂√∞…*≪≫-])/u;
/** These have no operand on their left. */
const PREFIX = /^[−+±-]$/;

const mo = (text, more = '') => `<mo${more}>${escape(text)}</mo>`;
const mi = (text) => `<mi>${escape(text)}</mi>`;
const mrow = (parts) => (parts.length === 1 ? parts[0] : `<mrow>${parts.join('')}</mrow>`);
const space = (em) => `<mspace width="${em}em"/>`;

/** 1e-4 as a power of ten. */
function number(text) {
    const [, mantissa, exponent] = /^([\d.]+)(?:e([-+]?\d+))?$/.exec(text) ?? [];
    if (exponent === undefined) return `<mn>${escape(text)}</mn>`;
    const power = exponent.replace('+', '').replace('-', '−');
    const ten = `<msup><mn>10</mn><mn>${power}</mn></msup>`;
    return mantissa === '1' ? ten : `<mrow><mn>${mantissa}</mn><mo>×</mo>${ten}</mrow>`;
}

/** A letter with its dots, hats and tildes. */
function letter(text) {
    const [base, ...marks] = text.normalize('NFD');
    return marks.reduce(
        (inner, mark) => `<mover accent="true">${inner}<mo stretchy="false">${ACCENTS[mark] ?? mark}</mo></mover>`,
        mi(base),
    );
}

/** What stands behind _ : letters of a pair are two indices, longer words are words. */
function subscript(text) {
    const inner = text.startsWith('{') ? text.slice(1, -1) : text;
    const parts = inner.match(/[A-Za-z]{3,}|\d+|[^\s\d]/gu) ?? [];
    return mrow(
        parts.map((p) => {
            if (/^\d+$/.test(p)) return `<mn>${p}</mn>`;
            return /^[\p{L}]+$/u.test(p) ? mi(p) : mo(p, ' lspace="0" rspace="0"');
        }),
    );
}

function superscript(text) {
    const parts = [];
    for (let i = 0; i < text.length; i++) {
        const c = text[i];
        if (c === 'ᵀ') parts.push('<mi mathvariant="normal">T</mi>');
        else if (c === '⁺') parts.push(mo('+', ' lspace="0" rspace="0"'));
        else if (c === '⁻') parts.push(mo('−', ' lspace="0" rspace="0"'));
        else if (c === '′' || c === "'") parts.push(mo('′'));
        else if (c === '°') parts.push(mo('∘', ' lspace="0" rspace="0"'));
        else if (c === '*') parts.push(mo('*', ' lspace="0" rspace="0"'));
        else parts.push(`<mn>${SUPERSCRIPTS[c]}</mn>`);
    }
    return mrow(parts);
}

class Reader {
    constructor(text, display) {
        this.text = text.normalize('NFC');
        this.at = 0;
        this.display = display;
    }

    take(pattern) {
        const found = pattern.exec(this.text.slice(this.at));
        if (!found || found[0] === '') return undefined;
        this.at += found[0].length;
        return found[0];
    }

    /** Indices and powers behind a value. */
    scripts(base) {
        let sub = '';
        let sup = '';
        for (;;) {
            const index = this.take(/^_(?:\{[^}]*\}|[A-Za-z0-9½\u0370-\u03ff]+(?:,[a-z]+)*)/u);
            if (index) {
                sub += subscript(index.slice(1));
                continue;
            }
            const digits = this.take(/^[₀-₉]+/u);
            if (digits) {
                sub += `<mn>${[...digits].map((c) => SUBSCRIPTS[c]).join('')}</mn>`;
                continue;
            }
            const power = this.take(/^(?:[ᵀ⁺⁻⁰¹²³⁴-⁹′°]|'(?!\p{L})|\*(?=[\s,.;)]|$))+/u);
            if (!power) break;
            sup += superscript(power);
        }
        if (sub && sup) return `<msubsup>${base}<mrow>${sub}</mrow><mrow>${sup}</mrow></msubsup>`;
        if (sub) return `<msub>${base}<mrow>${sub}</mrow></msub>`;
        return sup ? `<msup>${base}<mrow>${sup}</mrow></msup>` : base;
    }

    /** Items up to the closing sign. */
    row(close) {
        const items = [];
        while (this.at < this.text.length) {
            const blank = this.take(/^\s+/u) ?? '';
            if (this.at >= this.text.length) break;
            if (close && this.text[this.at] === close && !(close === '|' && items.length === 0)) break;
            const item = this.item(items.at(-1), blank === '');
            item.tight = blank === '' && items.length > 0;
            item.wide = blank.length > 1;
            items.push(item);
        }
        return items;
    }

    item(before, tight) {
        const code = this.take(/^`[^`]*`/u);
        if (code) return { kind: 'text', text: code };
        const digits = this.take(/^\d+(?:\.\d+)?(?:e[-+]?\d+)?|^[½¼⅓⅛]/u);
        if (digits)
            return { kind: 'ord', mml: this.scripts(/[½¼⅓⅛]/.test(digits) ? `<mn>${digits}</mn>` : number(digits)) };
        const word = this.word(before, tight);
        if (word) return word;
        if (this.take(/^Σ/u)) return { kind: 'op', mml: mo('∑', ' largeop="false"'), big: true };
        const one = this.take(/^[A-Za-zÀ-ÖØ-öø-ÿĀ-ſ\u0370-\u03ffḀ-ỿ]\p{M}*/u);
        if (one) return { kind: 'ord', mml: this.scripts(letter(one)), name: one };
        const open = this.take(/^[([{|‖]/u);
        if (open) return this.group(open);
        const slash = this.take(/^\//u);
        if (slash) return { kind: 'slash', mml: mo('/', ' lspace="0" rspace="0"') };
        const sign = this.take(OPERATOR);
        if (sign) return this.operator(sign, before);
        const point = this.take(/^[,;:.]/u);
        if (point)
            return { kind: 'punct', mml: mo(point, point === '.' || point === ':' ? ' lspace="0"' : ''), text: point };
        const other = this.take(/^./su) ?? '';
        return { kind: 'text', text: other };
    }

    /** A function, a value of several letters, or words; undefined: single letters that are multiplied. */
    word(before, tight) {
        const rest = this.text.slice(this.at);
        const found = /^[A-Za-zÀ-ÖØ-öø-ÿ][A-Za-zÀ-ÖØ-öø-ÿ'’-]*[A-Za-zÀ-ÖØ-öø-ÿ](?:2(?=\())?/u.exec(rest)?.[0];
        if (!found) return this.article(rest, before);
        if (FUNCTIONS.has(found)) {
            this.at += found.length;
            return { kind: 'ord', mml: this.scripts(mi(found)), name: found, function: true };
        }
        if (VALUES.has(found)) {
            this.at += found.length;
            const parts = /^d[a-z]$/.test(found) ? [...found].map(mi) : [mi(found)];
            return {
                kind: 'ord',
                mml: mrow([...parts.slice(0, -1), this.scripts(parts.at(-1))]),
                name: found,
                long: true,
            };
        }
        // zᵀMz, ΣKW: letters that touch a value are values
        const touches = tight && before !== undefined && (before.kind === 'ord' || before.big);
        if (touches || (found.length === 2 && /[A-Z]/.test(found) && !SHORT_WORDS.has(found))) return undefined;
        this.at += found.length;
        return { kind: 'text', text: found };
    }

    /** The article in "a row with compliance". */
    article(rest, before) {
        const next = /^a (?=([A-Za-z]{2,}))/.exec(rest);
        const values = before === undefined || before.kind === 'text' || before.kind === 'punct';
        if (!next || !values || FUNCTIONS.has(next[1]) || VALUES.has(next[1])) return undefined;
        this.at += 1;
        return { kind: 'text', text: 'a' };
    }

    group(open) {
        const close = CLOSING[open] ?? open;
        const start = this.at;
        const items = this.row(close);
        if (this.text[this.at] !== close) {
            // not closed: the sign stands for itself
            this.at = start;
            return { kind: 'ord', mml: mo(open, ' stretchy="false"') };
        }
        const raw = this.text.slice(start, this.at);
        this.at += 1;
        const follows = /^[_ᵀ⁺⁻²³'′/]/u.test(this.text.slice(this.at));
        if (open === '(' && !follows && items.some((i) => i.kind === 'text') && !items.some((i) => i.kind === 'op'))
            return { kind: 'text', text: `(${raw})`, inside: raw };
        const inside = compose(items, this.display);
        const high = inside.includes('<mfrac');
        const fence = (sign, form) => mo(sign, ` form="${form}"${high ? '' : ' stretchy="false"'}`);
        const whole = `<mrow>${fence(open, 'prefix')}${inside}${fence(close, 'postfix')}</mrow>`;
        const mml = this.scripts(whole);
        return { kind: 'ord', mml, group: mml === whole && open === '(' ? inside : undefined };
    }

    operator(sign, before) {
        if (sign === '√') {
            const blank = this.take(/^\s+/u);
            const items = [this.item(undefined, !blank)];
            while (this.at < this.text.length && /^[A-Za-z\u0370-\u03ff]/u.test(this.text.slice(this.at)))
                items.push(this.item(items.at(-1), true));
            const inside =
                items.length === 1 && items[0].group ? items[0].group : items.map((i) => i.mml ?? '').join('');
            return { kind: 'ord', mml: `<msqrt>${inside}</msqrt>` };
        }
        if (sign === '∂' || sign === '∇' || sign === '∞') return { kind: 'ord', mml: this.scripts(mi(sign)) };
        const shown = { '<=': '≤', '>=': '≥', '->': '→', '-': '−', '*': '·' }[sign] ?? sign;
        const left = before !== undefined && (before.kind === 'ord' || before.kind === 'slash');
        return { kind: 'op', mml: mo(shown, PREFIX.test(sign) && !left ? ' form="prefix"' : '') };
    }
}

/** Values beside a slash, one above the other. */
function fractions(items) {
    const out = [];
    for (let i = 0; i < items.length; i++) {
        const item = items[i];
        if (item.kind !== 'slash' || out.at(-1)?.kind !== 'ord' || items[i + 1]?.kind !== 'ord') {
            out.push(item);
            continue;
        }
        const above = [out.pop()];
        while (above[0].tight && out.at(-1)?.kind === 'ord') above.unshift(out.pop());
        const below = [items[++i]];
        while (items[i + 1]?.kind === 'ord' && (items[i + 1].tight || below.at(-1).function)) below.push(items[++i]);
        const part = (list) => (list.length === 1 && list[0].group ? list[0].group : compose(list, false));
        out.push({
            kind: 'ord',
            mml: `<mfrac><mrow>${part(above)}</mrow><mrow>${part(below)}</mrow></mfrac>`,
            tight: above[0].tight,
            wide: above[0].wide,
        });
    }
    return out;
}

/** Words inside an expression, with spaces where something stands beside them. */
function words(text, before, after) {
    const code = /^`(.*)`$/.exec(text);
    const shown = `${before ? '\u00a0' : ''}${escape(code ? code[1] : text)}${after ? '\u00a0' : ''}`;
    return `<mtext${code ? ' class="name"' : ''}>${shown}</mtext>`;
}

/** Items side by side, as one MathML expression. */
function compose(items, display) {
    const list = display ? fractions(items) : items;
    return list
        .map((item, i) => {
            const before = list[i - 1];
            const text =
                item.mml ??
                words(
                    item.text,
                    before !== undefined && before.kind !== 'text' && !item.tight,
                    list[i + 1] !== undefined,
                );
            if (before?.wide === undefined) return text;
            if (item.wide && item.kind !== 'op' && before.kind !== 'op') return space(1) + text;
            if ((item.function || item.long) && before.kind === 'ord') return space(0.17) + text;
            return (before.function || before.long) && item.kind === 'ord' && !item.tight ? space(0.17) + text : text;
        })
        .join('');
}

/** Words between expressions: code, or a parenthesis with words and values. */
function phrase(item, display) {
    const code = /^`(.*)`$/.exec(item.text);
    if (code) return `<code>${escape(code[1])}</code>`;
    return item.inside === undefined ? escape(item.text) : `(${typeset(item.inside, display)})`;
}

/** A cell or a run of prose: mathematics and words in turn. */
export function typeset(text, display = false) {
    const items = new Reader(text, display).row(undefined);
    const out = [];
    let run = [];
    const close = () => {
        // signs at the end belong to the sentence
        const tail = [];
        while (run.length > 0 && run.at(-1).kind === 'punct') tail.unshift(run.pop().text);
        if (run.length > 0) out.push(`<math${display ? ' displaystyle="true"' : ''}>${compose(run, display)}</math>`);
        run = [];
        return tail.join('');
    };
    for (const item of items) {
        const gap = item.tight ? '' : item.wide && item.kind !== 'op' ? '\u2003' : ' ';
        if (item.kind === 'text' || (item.kind === 'punct' && run.length === 0)) {
            const tail = close();
            out.push(tail, out.length > 0 ? gap : '', phrase(item, display));
        } else {
            if (run.length === 0 && out.length > 0) out.push(gap);
            run.push(item);
        }
    }
    out.push(close());
    return out.join('');
}

/** True if an indented block is mathematics; commands, listings and messages are not. */
export function isMath(text) {
    return (
        /[ᵀ⁺⁻⊥≤≥√∂⊕½∈←ΣΔα-ωΑ-Ω²]| [=] .*[−·×]|subject to/u.test(text) &&
        !/^\s*(?:perp|make|tools\/|pile\.yaml)/mu.test(text)
    );
}
