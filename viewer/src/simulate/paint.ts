/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Colours of YAML, a line at a time: comments, texts, keys, numbers. Lines of a block of prose (`about: |`) have none.

export interface Piece {
    text: string;
    kind: '' | 'comment' | 'string' | 'key' | 'number';
}

const PIECES = new RegExp(
    [
        String.raw`(?<comment>(?<=^|\s)#.*)`,
        String.raw`(?<string>"(?:[^"\\]|\\.)*"|(?<!\w)'[^']*')`,
        String.raw`(?<key>(?<=^|[\s{,[-])[\w-]+(?=:(?:\s|$)))`,
        String.raw`(?<number>(?<![\w.]|\w-)\d+(?:\.\d+)?(?:e[-+]?\d+)?\b)`,
    ].join('|'),
    'g',
);

export function piecesOf(line: string): Piece[] {
    const out: Piece[] = [];
    let at = 0;
    for (const m of line.matchAll(PIECES)) {
        if (m.index > at) out.push({ text: line.slice(at, m.index), kind: '' });
        const kind = Object.entries(m.groups ?? {}).find(([, found]) => found !== undefined)?.[0] ?? '';
        out.push({ text: m[0], kind: kind as Piece['kind'] });
        at = m.index + m[0].length;
    }
    if (at < line.length) out.push({ text: line.slice(at), kind: '' });
    return out;
}

/** Which lines lie in a block of prose: behind a `|` or `>` at the end of a line, and further in than that line. */
export function proseOf(lines: readonly string[]): boolean[] {
    let block = -1;
    return lines.map((line) => {
        const indent = line.search(/\S/);
        if (block >= 0 && (indent < 0 || indent > block)) return true;
        block = /:\s*[|>][-+]?\s*$/.test(line) ? indent : -1;
        return false;
    });
}

/** What a new line behind this one begins with: it lies as deep, or deeper where this line opens a map or list. */
export function indentAfter(line: string): string {
    const [, spaces, dash] = /^( *)((?:- +)*)/.exec(line) ?? ['', '', ''];
    const flow = /^[[{]/.test(line.slice(spaces.length + dash.length));
    const opens = /:\s*(?:[|>][-+]?)?\s*(?:#.*)?$/.test(line) && line.trim() !== '';
    return spaces + ' '.repeat((flow ? 0 : dash.length) + (opens ? 2 : 0));
}
