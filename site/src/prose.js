/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Mathematics in running text. It has no marks there, so it is told from words by its letters: Greek, indices, powers, signs; and by what stands beside them.
import { escape } from './escape.js';
import { typeset } from './math.js';

const SIGN = /^(?:[=≤≥<>+−·×⊥∈∋←→⊕±≈≠∘/]|⊕=|\+=)$/u;
const NUMBER = /^[−-]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|[½¼⅓⅛])$/u;
const SYMBOL =
    /[\u0370-\u03ffᵀ⁺⁻√∂∇Σ⊥½¼]|[A-Za-z][²³⁴⁵₀-₉′]|\)[²ᵀ⁺]|(?<![A-Za-z])[A-Za-z]_(?:\{|[A-Za-z0-9]{1,4}(?![A-Za-z0-9_]))|\p{L}[\u0302\u0303\u0307\u0308]|[ẋẍûŝĠḋ]/u;
const NAMES = 'sin|cos|tan|exp|log|min|max|mid|diag|atan2|conv|sign|cay|unit';
const FUNCTION = new RegExp(`^\\(*(?:${NAMES})(?:[({].*)?$`, 'u');
const LETTER = /^\(*[A-Za-z]\)*$/u;
/** Letters, numbers and brackets that may be a piece of an expression, and are none by themselves. */
const PIECE = /^(?=.*[^a-zA-Z])(?:[\d.½¼⅓⅛()[\]{}|·/=+−×*,;]|\d[a-z]{2}(?![a-zA-Z])|[A-Za-z](?![A-Za-z]))+$/u;
const UNITS = new Set(['m', 's', 'N', 'J', 'g', 'K', 'W', 'V', 'A']);
/** What ends a word of the language rather than an expression. */
const WORDS = /[A-Za-z]{3,}/u;

/** What a word is: 'math', 'sign', 'number', 'letter', 'function', 'piece' or 'word'. */
function kindOf(core) {
    if (core === '') return 'word';
    if (/^\(?(?:[23]D|(?:m|N|J|kg|rad)\/[a-z][²³]?)\)?$/u.test(core)) return 'word'; // planar, spatial; units
    if (/^\(*(?:lo|hi|d[a-z])\)*$/u.test(core)) return 'letter';
    if (SIGN.test(core)) return 'sign';
    if (NUMBER.test(core)) return 'number';
    if (FUNCTION.test(core)) return 'function';
    const plain = core
        .replace(/_\{?[A-Za-z0-9]+/gu, '')
        .replace(new RegExp(`${NAMES}|(?<![a-z])(?:lo|hi|d[a-z])(?![a-z])`, 'gu'), '');
    if (WORDS.test(plain)) return 'word';
    if (SYMBOL.test(core)) return 'math';
    if (LETTER.test(core)) return 'letter';
    if (!PIECE.test(core)) return 'word';
    // h/2, n·(b: a sign between letters
    return /[·−×=|]/u.test(core) && /[A-Za-z]/u.test(core) && !/^[−+±]?[A-Za-z]$/u.test(core)
        ? 'math'
        : /^[a-zA-Z]\/[\da-zA-Z]$/u.test(core)
          ? 'math'
          : 'piece';
}

const count = (text, sign) => text.split(sign).length - 1;

/** Words of a text with what separates them. */
function wordsOf(text) {
    return [...text.matchAll(/(\s*)(\S+)/gu)].map((m) => {
        const [, blank, whole] = m;
        const tail = /[,;:.!?]*$/u.exec(whole)?.[0] ?? '';
        const core = whole.slice(0, whole.length - tail.length);
        return { blank, core, tail, kind: kindOf(core), at: m.index };
    });
}

/** A run must have something that is no doubt mathematics: a symbol, or a sign with letters beside it. */
function certain(run) {
    if (run.some((w) => w.kind === 'math')) return true;
    const value = (w) =>
        w?.kind === 'letter' || w?.kind === 'function' || (w?.kind === 'piece' && /[A-Za-z]/u.test(w.core));
    return run.some(
        (w, i) => w.kind === 'sign' && (value(run[i - 1]) || value(run[i + 1])) && i > 0 && i + 1 < run.length,
    );
}

/** Takes what does not belong to an expression from its ends. */
function trim(run) {
    const ends = (w, first) =>
        w.kind === 'number' ||
        (w.kind === 'sign' && !(first && w.core === '−')) ||
        (w.kind === 'letter' && /^[aAI]$/u.test(w.core));
    let from = 0;
    let to = run.length;
    // "2 ψ" is a product, "in 3 ψ" is not told from it; a lone sign or article is no part
    while (from < to && run[from].kind !== 'number' && ends(run[from], true) && run[from + 1]?.kind !== 'sign') from++;
    while (to > from && ends(run[to - 1], false) && !(run[to - 2]?.kind === 'sign')) to--;
    return [from, to];
}

function balanced(text) {
    return count(text, '(') === count(text, ')') && count(text, '[') === count(text, ']') && count(text, '|') % 2 === 0;
}

/** Ends of the longest balanced run inside; undefined: there is none. A parenthesis around more than the run is left to the text. */
function balance(run) {
    const textOf = (list) => list.map((w) => w.core + w.tail).join(' ');
    const excess = () => count(textOf(run), '(') - count(textOf(run), ')');
    while (excess() > 0 && run[0].core.startsWith('(')) {
        run[0].blank += '(';
        run[0].core = run[0].core.slice(1);
    }
    while (excess() < 0 && run.at(-1).core.endsWith(')')) {
        run.at(-1).tail = ')' + run.at(-1).tail;
        run.at(-1).core = run.at(-1).core.slice(0, -1);
    }
    for (let size = run.length; size > 0; size--)
        for (let from = 0; from + size <= run.length; from++)
            if (balanced(textOf(run.slice(from, from + size)))) return [from, from + size];
    return undefined;
}

function html(run) {
    const text = run.map((w, i) => (i === 0 ? '' : ' ') + w.core + (i === run.length - 1 ? '' : w.tail)).join('');
    const { tail } = run.at(-1);
    // a comma does not begin a line
    return tail ? `<span class="whole">${typeset(text)}${escape(tail)}</span>` : typeset(text);
}

/** A lone letter that is a value: not the article, and no unit behind a number. */
function lone(word, before) {
    if (word.kind !== 'letter' || /[A-Za-z]{2}/u.test(word.core)) return false;
    if (before?.kind === 'number' && UNITS.has(word.core)) return false;
    if (/^\(?[CIS]\)?$/u.test(word.core)) return false; // the language, the pronoun, units
    if (word.core === 'a') return /[,.;]/.test(word.tail);
    if (word.core === 'A') return before !== undefined && !/[.:]$/.test(before.tail);
    return true;
}

/** Runs of words that may be an expression: { from, to }. */
function runsOf(words) {
    const runs = [];
    let from = 0;
    let depth = 0;
    const end = (to) => {
        if (to > from) runs.push({ from, to });
        from = to;
        depth = 0;
    };
    words.forEach((w, i) => {
        const unit =
            w.kind === 'letter' && words[i - 1]?.kind === 'number' && UNITS.has(w.core) && words[i - 1].tail === '';
        if (w.kind === 'word' || unit) {
            end(i);
            from = i + 1;
            return;
        }
        depth += count(w.core, '(') + count(w.core, '[') - count(w.core, ')') - count(w.core, ']');
        if (w.tail !== '' && depth <= 0) end(i + 1);
    });
    end(words.length);
    return runs;
}

/** HTML of a text with its mathematics typeset. letters: lone letters are values, as on pages with equations; elsewhere they are keys or names. */
export function prose(text, letters = true) {
    const words = wordsOf(text);
    if (words.length === 1 && words[0].kind === 'letter') return escape(text); // a mark in a table
    const out = [];
    let next = 0;
    const plain = (to) => {
        for (; next < to; next++) {
            const w = words[next];
            const shown =
                letters && lone(w, words[next - 1]) ? w.core.replace(/[A-Za-z]/u, '<i>$&</i>') : escape(w.core);
            out.push(escape(w.blank), shown, escape(w.tail));
        }
    };
    for (const { from, to } of runsOf(words)) {
        const all = words.slice(from, to);
        const within = balance(all);
        if (!within) continue;
        const run = all.slice(...within);
        const [a, b] = trim(run);
        if (b <= a || !certain(run.slice(a, b))) continue;
        plain(from + within[0] + a);
        out.push(escape(words[next].blank), html(run.slice(a, b)));
        next = from + within[0] + b;
    }
    plain(words.length);
    out.push(/\s*$/u.exec(text)?.[0] ?? '');
    return out.join('');
}
