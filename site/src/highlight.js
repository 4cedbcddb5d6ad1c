/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Colours of code: comments, texts, numbers, and the words of the language.
import { escape } from './escape.js';

const STRING = String.raw`(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`;
const NUMBER = String.raw`(?<number>\b\d+(?:\.\d+)?(?:e[-+]?\d+)?\b)`;
const C_WORDS =
    'if else for while do return switch case break continue const static struct enum typedef sizeof void int double float char unsigned size_t bool NULL';
const JS_WORDS =
    'import from export const let function return if else for while await async new try catch throw of in break continue';
const PYTHON_WORDS =
    'import from as def return if elif else for while in not and or with class lambda try except raise None True False print';
const SHELL_WORDS =
    'for in do done if then else fi while cat export cd mkdir make perp cmake cc sudo apt pip npm python3';

const word = (list) => String.raw`(?<word>(?<![\w-])(?:${list.split(' ').join('|')})(?![\w-]))`;
const languages = {
    yaml: [
        String.raw`(?<comment>(?<=^|\s)#[^\n]*)`,
        STRING,
        String.raw`(?<key>(?<=^|[\s{,[-])[\w-]+(?=:(?:\s|$)))`,
        NUMBER,
    ],
    sh: [String.raw`(?<comment>(?<=^|\s)#[^\n]*)`, STRING, word(SHELL_WORDS)],
    c: [String.raw`(?<comment>/\*[\s\S]*?\*/|//[^\n]*|^\s*#\w+[^\n]*)`, STRING, word(C_WORDS), NUMBER],
    python: [String.raw`(?<comment>#[^\n]*)`, STRING, word(PYTHON_WORDS), NUMBER],
    js: [String.raw`(?<comment>//[^\n]*|/\*[\s\S]*?\*/)`, STRING, word(JS_WORDS), NUMBER],
};
const EXPRESSIONS = Object.fromEntries(
    Object.entries(languages).map(([name, list]) => [name, new RegExp(list.join('|'), 'gm')]),
);
const ENDINGS = {
    '.yaml': 'yaml',
    '.yml': 'yaml',
    '.c': 'c',
    '.h': 'c',
    '.py': 'python',
    '.js': 'js',
    '.mjs': 'js',
    '.ts': 'js',
    '.sh': 'sh',
};

export function languageOf(path) {
    return ENDINGS[/\.\w+$/.exec(path)?.[0] ?? ''] ?? '';
}

/** HTML of a piece of code; a language that is not known has no colours. A scene that a command writes is shown as a scene. */
export function highlight(text, language) {
    const written =
        language === 'sh' ? /^([\s\S]*?^cat > \S+\.yaml <<'(\w+)'\n)([\s\S]*?)(^\2$[\s\S]*)$/m.exec(text) : undefined;
    if (written) return colour(written[1], 'sh') + colour(written[3], 'yaml') + highlight(written[4], 'sh');
    return colour(text, language);
}

function colour(text, language) {
    const expression = EXPRESSIONS[language];
    if (!expression) return escape(text);
    let out = '';
    let at = 0;
    for (const m of text.matchAll(expression)) {
        const [kind] = Object.entries(m.groups ?? {}).find(([, found]) => found !== undefined) ?? ['word'];
        out += escape(text.slice(at, m.index)) + `<span class="${kind}">${escape(m[0])}</span>`;
        at = m.index + m[0].length;
    }
    return out + escape(text.slice(at));
}
