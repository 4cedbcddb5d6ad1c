/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The scene as text: colours, numbers of lines, the line of an error, and a list of what may stand at the cursor. The text itself is a text field, of which only caret and
// selection are seen; its letters lie in colours behind it.
import { h } from '../ui/dom.ts';
import { complete, type Completion, type Schema } from './complete.ts';
import { indentAfter, piecesOf, proseOf } from './paint.ts';
import type { Complaint } from './protocol.ts';

/** Entries of the list that are shown. */
const SHOWN = 12;
/** As in simulate.css [CSS pixels]. */
const LINE = 18;
/** Lines above and below what is seen that have colours already. */
const AROUND = 20;

export class Editor {
    readonly root: HTMLElement;
    /** the text was changed by the user */
    onChange: () => void = () => undefined;
    /** Ctrl Enter */
    onRun: () => void = () => undefined;
    private schema: Schema | undefined;
    private readonly area = h('textarea', {
        'data-testid': 'scene-text',
        'aria-label': 'Scene (YAML)',
        spellcheck: 'false',
        wrap: 'off',
        autocapitalize: 'off',
        autocomplete: 'off',
    });
    private readonly paper = h('pre.paper', { 'aria-hidden': 'true' });
    private readonly gutter = h('div.gutter', { 'aria-hidden': 'true' });
    private readonly mark = h('div.error-line');
    private readonly list = h('ul.completion', { 'data-testid': 'completion', role: 'listbox' });
    private readonly complaint = h('p.complaint', { 'data-testid': 'complaint', role: 'alert' });
    private lines: readonly string[] = [''];
    private prose: readonly boolean[] = [false];
    /** first line on paper, and the one behind the last */
    private painted = [0, 0];
    private completion: Completion | undefined;
    private chosen = 0;

    constructor() {
        this.list.hidden = this.mark.hidden = this.complaint.hidden = true;
        this.root = h(
            'div.editor',
            {},
            h('div.text', {}, this.mark, this.paper, this.area, this.gutter, this.list),
            this.complaint,
        );
        this.area.addEventListener('input', () => {
            this.changed();
            this.onChange();
            this.offer(false);
        });
        this.area.addEventListener('scroll', () => this.follow());
        new ResizeObserver(() => this.follow()).observe(this.area);
        this.area.addEventListener('blur', () => this.close());
        this.area.addEventListener('click', () => this.close());
        this.area.addEventListener('keydown', (e) => this.key(e));
    }

    get text(): string {
        return this.area.value;
    }
    set text(text: string) {
        this.area.value = text;
        this.area.scrollTop = this.area.scrollLeft = 0;
        this.changed();
        this.complain(undefined);
        this.close();
    }

    setSchema(schema: Schema): void {
        this.schema = schema;
    }

    /** Shows what is wrong, at its line; undefined: nothing is. */
    complain(c: Complaint | undefined): void {
        this.complaint.hidden = c === undefined;
        this.complaint.textContent = c?.message ?? '';
        // what is missing at the end is missing behind the last line
        const line = Math.min(c?.line ?? 0, this.lines.length);
        this.mark.hidden = line === 0;
        this.mark.dataset.line = String(line);
        this.gutter.querySelector('.wrong')?.classList.remove('wrong');
        this.gutter.children[line - 1]?.classList.add('wrong');
        if (line > 0) {
            const at = (line - 1) * LINE;
            const { scrollTop, clientHeight } = this.area;
            if (at < scrollTop || at + LINE > scrollTop + clientHeight) this.area.scrollTop = at - clientHeight / 2;
        }
        this.follow();
    }

    private changed(): void {
        this.lines = this.area.value.split('\n');
        this.prose = proseOf(this.lines);
        const n = this.lines.length;
        while (this.gutter.children.length > n) this.gutter.lastElementChild?.remove();
        while (this.gutter.children.length < n)
            this.gutter.append(h('span', {}, String(this.gutter.children.length + 1)));
        this.painted = [0, 0];
        this.follow();
    }

    /** Letters, numbers and the marked line where the text is scrolled to. */
    private follow(): void {
        const { scrollTop, scrollLeft, clientHeight } = this.area;
        const seen = Math.floor(scrollTop / LINE);
        const end = Math.min(this.lines.length, Math.ceil((scrollTop + clientHeight) / LINE));
        if (this.painted[0] > seen || this.painted[1] < end) this.paint(seen, end);
        this.paper.style.transform = `translate(${-scrollLeft}px, ${this.painted[0] * LINE - scrollTop}px)`;
        this.gutter.style.transform = `translateY(${-scrollTop}px)`;
        const line = Number(this.mark.dataset.line ?? 0);
        this.mark.style.transform = `translateY(${(line - 1) * LINE - scrollTop}px)`;
    }

    private paint(seen: number, end: number): void {
        const from = Math.max(0, seen - AROUND);
        const to = Math.min(this.lines.length, end + AROUND);
        this.paper.replaceChildren(
            ...this.lines.slice(from, to).flatMap((line, i) => {
                const pieces = this.prose[from + i] ? [{ text: line, kind: '' }] : piecesOf(line);
                const spans = pieces.map((p) => (p.kind ? h(`span.${p.kind}`, {}, p.text) : p.text));
                return [...spans, '\n'];
            }),
        );
        this.painted = [from, to];
    }

    private key(e: KeyboardEvent): void {
        // keys of the picture are not meant here
        e.stopPropagation();
        if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
            e.preventDefault();
            this.close();
            this.onRun();
        } else if (e.key === ' ' && e.ctrlKey) {
            e.preventDefault();
            this.offer(true);
        } else if (e.key === 'Enter' && this.list.hidden && !e.isComposing) {
            e.preventDefault();
            const { value, selectionStart } = this.area;
            const begin = value.lastIndexOf('\n', selectionStart - 1) + 1;
            this.insert('\n' + indentAfter(value.slice(begin, selectionStart)));
        } else if (!this.list.hidden && this.completion) {
            const n = Math.min(SHOWN, this.completion.list.length);
            if (e.key === 'Escape') this.close();
            else if (e.key === 'ArrowDown') this.choose((this.chosen + 1) % n);
            else if (e.key === 'ArrowUp') this.choose((this.chosen + n - 1) % n);
            else if (e.key === 'Enter' || e.key === 'Tab') this.take(this.chosen);
            else return;
            e.preventDefault();
        }
    }

    private offer(asked: boolean): void {
        const cursor = this.area.selectionEnd;
        if (!this.schema || this.area.selectionStart !== cursor) return this.close();
        this.completion = complete(this.schema, this.area.value, cursor);
        if (this.completion.list.length === 0 || (!asked && this.completion.from === cursor)) return this.close();
        this.list.replaceChildren(
            ...this.completion.list.slice(0, SHOWN).map((s, i) =>
                h(
                    'li',
                    {
                        role: 'option',
                        onmousedown: (e) => {
                            e.preventDefault();
                            this.take(i);
                        },
                    },
                    h('b', {}, s.text),
                    h('span', {}, s.about),
                ),
            ),
        );
        const before = this.area.value.slice(0, cursor).split('\n');
        const top = before.length * LINE - this.area.scrollTop + 6;
        this.list.style.top = `${Math.min(top, this.area.clientHeight - 60)}px`;
        this.list.hidden = false;
        this.choose(0);
    }

    private choose(i: number): void {
        this.chosen = i;
        [...this.list.children].forEach((c, k) => c.setAttribute('aria-selected', String(k === i)));
    }

    private take(i: number): void {
        const s = this.completion?.list[i];
        if (!s || !this.completion) return;
        const end = this.area.selectionEnd;
        const { value } = this.area;
        const text = s.key ? `${s.text}: ` : s.text;
        // a key that has its colon already keeps it
        const after = s.key && /^\s*:/.test(value.slice(end)) ? s.text : text;
        this.area.setSelectionRange(this.completion.from, end);
        this.insert(after);
        this.close();
    }

    /** Puts text in place of the selection, as if it were typed: it can be undone. */
    private insert(text: string): void {
        // the only way that browsers have for it
        if (document.execCommand('insertText', false, text)) return;
        const { selectionStart, selectionEnd } = this.area;
        this.area.setRangeText(text, selectionStart, selectionEnd, 'end');
        this.changed();
        this.onChange();
    }

    private close(): void {
        this.list.hidden = true;
        this.completion = undefined;
    }
}
