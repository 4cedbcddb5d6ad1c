/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// What a scene may ask of the page. A link comes from anywhere: more than this is refused with a sentence, and the page goes on.
import { Refusal } from '../data/check.ts';

export const LIMITS = {
    /** characters of a scene */
    text: 200_000,
    /** characters of a link behind its #; a scene packs to less */
    link: 100_000,
    /** levels of maps and lists inside each other; the deepest scene of the gallery has 8 */
    depth: 32,
    /** bytes that the module may have */
    memory: 512e6,
    /** seconds for reading a scene, and for a step */
    seconds: 10,
    /** seconds for reading a scene while it is typed; it has no complaint then */
    check: 3,
} as const;

/** Levels of the text: of indentation, and of brackets outside quotes and comments. */
export function depthOf(text: string): number {
    let most = 0;
    let flow = 0;
    let quote = '';
    const indents: number[] = [];
    for (const line of text.split('\n')) {
        const start = line.search(/\S/);
        if (start < 0 || (flow === 0 && !quote && line[start] === '#')) continue;
        if (flow === 0 && !quote) {
            while (indents.length > 0 && indents[indents.length - 1] >= start) indents.pop();
            indents.push(start);
            // dashes in one line open a level each
            const dashes = /^(?:-\s+)*/.exec(line.slice(start))?.[0] ?? '';
            for (let k = 1; k <= dashes.split('-').length - 1; k++) indents.push(start + 2 * k);
        }
        for (let i = start; i < line.length; i++) {
            const c = line[i];
            if (quote) {
                if (c === '\\' && quote === '"') i++;
                else if (c === quote) quote = '';
            } else if (c === '"' || (c === "'" && !/\w/.test(line[i - 1] ?? ''))) quote = c;
            else if (c === '#' && /\s/.test(line[i - 1] ?? ' ')) break;
            else if (c === '[' || c === '{') flow++;
            else if (c === ']' || c === '}') flow = Math.max(0, flow - 1);
            most = Math.max(most, indents.length + flow);
        }
    }
    return most;
}

/** Refuses what is too large before anything reads it. */
export function checkScene(text: string): void {
    if (text.length > LIMITS.text)
        throw new Refusal(`The scene has ${text.length} characters, and ${LIMITS.text} are allowed.`);
    const depth = depthOf(text);
    if (depth > LIMITS.depth)
        throw new Refusal(`The scene has ${depth} levels inside each other, and ${LIMITS.depth} are allowed.`);
}
