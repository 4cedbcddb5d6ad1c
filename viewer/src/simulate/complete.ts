/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// What may stand where the cursor is in a scene, by the JSON Schema of scenes. Looks at lines and brackets only: the text is being typed, and
// seldom whole.

export interface Schema {
    $ref?: string;
    $defs?: Record<string, Schema>;
    description?: string;
    type?: string | string[];
    properties?: Record<string, Schema>;
    additionalProperties?: Schema | boolean;
    items?: Schema;
    enum?: unknown[];
    const?: unknown;
    anyOf?: Schema[];
    oneOf?: Schema[];
    allOf?: Schema[];
}

export interface Suggestion {
    text: string;
    about: string;
    /** a key gets a colon behind it */
    key: boolean;
}

export interface Completion {
    /** where the word begins that is replaced */
    from: number;
    list: Suggestion[];
}

/** Step into an entry of a map, or into an item of a list. */
type Path = (string | null)[];

interface Place {
    path: Path;
    /** a value of the last key is being typed, not a key */
    value: boolean;
    word: string;
}

/** Every form that a schema allows here. */
function forms(root: Schema, s: Schema | undefined, depth = 0): Schema[] {
    if (!s || depth > 8) return [];
    const ref = s.$ref?.replace('#/$defs/', '');
    const more = [...(s.anyOf ?? []), ...(s.oneOf ?? []), ...(s.allOf ?? [])];
    return [
        s,
        ...forms(root, ref ? root.$defs?.[ref] : undefined, depth + 1),
        ...more.flatMap((m) => forms(root, m, depth + 1)),
    ];
}

function into(root: Schema, s: Schema[], step: string | null): Schema[] {
    const next = s.flatMap((f) => {
        if (step === null) return f.items ? [f.items] : [];
        const other = typeof f.additionalProperties === 'object' ? f.additionalProperties : undefined;
        const found = f.properties?.[step] ?? other;
        return found ? [found] : [];
    });
    // a list with one entry may be written without its brackets
    return next.flatMap((n) => forms(root, n));
}

/** The open brackets of the text before the cursor, from the line on where none is open. */
function flowPlace(text: string): { steps: Path; rest: string } {
    const steps: Path = [];
    let from = 0;
    let key = '';
    let quote = '';
    for (let i = 0; i < text.length; i++) {
        const c = text[i];
        if (quote) {
            if (c === quote) quote = '';
        } else if (c === '"') quote = c;
        else if (c === '{' || c === '[') {
            if (key) steps.push(key);
            steps.push(c === '[' ? null : '{');
            key = '';
            from = i + 1;
        } else if (c === '}' || c === ']') {
            while (steps.length > 0 && steps.pop() !== (c === ']' ? null : '{'));
            if (typeof steps[steps.length - 1] === 'string' && steps[steps.length - 1] !== '{') steps.pop();
            key = '';
            from = i + 1;
        } else if (c === ',') {
            key = '';
            from = i + 1;
        } else if (c === ':' && /[\s]|$/.test(text[i + 1] ?? ' ')) {
            key = text.slice(from, i).trim();
            from = i + 1;
        }
    }
    return { steps: key ? [...steps, key, ':'] : steps, rest: text.slice(from) };
}

/** Columns of the dashes that open a line, and of what comes behind them. */
function startOf(line: string): { indent: number; dashes: number[] } {
    const start = /^\s*(?:-\s+)*/.exec(line)?.[0] ?? '';
    const dashes = [...start].flatMap((c, i) => (c === '-' ? [i] : []));
    return { indent: start.length, dashes };
}

/** Where the cursor stands. */
export function placeOf(text: string, cursor: number): Place {
    const lines = text.slice(0, cursor).split('\n');
    const last = lines.length - 1;
    // back to a line before which no bracket is open
    let begin = last;
    const open = (from: number): number => {
        const part = lines
            .slice(from, last)
            .join('\n')
            .replace(/"[^"\n]*"|#[^\n]*/g, '');
        return (part.match(/[[{]/g)?.length ?? 0) - (part.match(/[\]}]/g)?.length ?? 0);
    };
    while (begin > 0 && open(begin) < open(begin - 1)) begin--;
    const line = lines[begin];
    const { indent, dashes } = startOf(line);
    const parents: Path = [];
    let level = indent;
    /** the last step taken was into an item of a list: its key may stand at the same column */
    let item = false;
    const enter = (column: number): void => {
        if (column >= level) return;
        parents.unshift(null);
        level = column;
        item = true;
    };
    dashes.reverse().forEach(enter);
    for (let i = begin - 1; i >= 0 && level >= 0; i--) {
        const above = startOf(lines[i]);
        const key = /^([\w-]+):\s*(?:#.*)?$/.exec(lines[i].slice(above.indent));
        if (key && (above.indent < level || (item && above.indent === level && above.dashes.length === 0))) {
            parents.unshift(key[1]);
            level = above.indent;
            item = false;
        }
        if (/\S/.test(lines[i]) && !/^\s*#/.test(lines[i])) above.dashes.reverse().forEach(enter);
    }
    const { steps, rest } = flowPlace([line.slice(indent), ...lines.slice(begin + 1)].join('\n'));
    const value = steps[steps.length - 1] === ':';
    const path = [...parents, ...steps.filter((s) => s !== '{' && s !== ':')];
    return { path, value, word: /[\w-]*$/.exec(rest)?.[0] ?? '' };
}

function described(root: Schema, s: Schema): string {
    return (
        forms(root, s)
            .map((f) => f.description ?? '')
            .find((d) => d !== '') ?? ''
    );
}

export function complete(root: Schema, text: string, cursor: number): Completion {
    const place = placeOf(text, cursor);
    let at = forms(root, root);
    for (const step of place.path) at = into(root, at, step);
    const found = new Map<string, Suggestion>();
    if (place.value)
        for (const f of at)
            for (const v of [...(f.enum ?? []), ...(f.const === undefined ? [] : [f.const])])
                if (typeof v !== 'object') found.set(String(v), { text: String(v), about: '', key: false });
    if (!place.value)
        for (const f of at)
            for (const [name, s] of Object.entries(f.properties ?? {}))
                found.set(name, { text: name, about: described(root, s), key: true });
    const list = [...found.values()].filter((s) => s.text.startsWith(place.word) && s.text !== place.word);
    return { from: cursor - place.word.length, list };
}
