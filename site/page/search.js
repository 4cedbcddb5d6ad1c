/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Search over all pages, in the browser. The texts are a script, assets/search-index.js, so that the search also works in pages from files; it is loaded when the
// box is used for the first time.
'use strict';
(() => {
    const up = document.documentElement.dataset.up;
    const input = document.querySelector('.search input');
    const list = document.querySelector('.search .results');
    const MOST = 12;
    /** Letters around the first place that was found. */
    const BEFORE = 50;
    const AFTER = 110;
    /** Weights of a word in the title of a page, of a section, and in the text. */
    const WEIGHT = { page: 12, section: 8, text: 1 };
    let loading;
    let chosen = -1;

    function load() {
        loading ??= new Promise((resolve, reject) => {
            const script = document.createElement('script');
            script.src = `${up}assets/search-index.js`;
            script.onload = () => resolve(window.perpSearchIndex.flatMap(sectionsOf));
            script.onerror = () => reject(new Error('The texts for the search cannot be loaded.'));
            document.head.append(script);
        });
        return loading;
    }

    function sectionsOf([page, address, sections]) {
        return sections.map(([anchor, title, text]) => ({
            page,
            title,
            text,
            address: address + (anchor ? `#${anchor}` : ''),
            low: { page: page.toLowerCase(), section: title.toLowerCase(), text: text.toLowerCase() },
        }));
    }

    /** How often a word begins somewhere in the text, up to a bound: long sections do not win by their length. */
    function count(text, word) {
        let n = 0;
        for (let at = text.indexOf(word); at >= 0 && n < 5; at = text.indexOf(word, at + word.length))
            if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1])) n++;
        return n;
    }

    /** Zero if one of the words is missing. */
    function score(section, words) {
        let sum = 0;
        for (const word of words) {
            let points = 0;
            for (const part of ['page', 'section', 'text'])
                points += WEIGHT[part] * Math.sqrt(count(section.low[part], word));
            if (points === 0) return 0;
            sum += points;
        }
        return sum;
    }

    /** Text with the words marked. */
    function marked(parent, text, words) {
        const low = text.toLowerCase();
        let at = 0;
        while (at < text.length) {
            const next = words
                .map((w) => ({ w, i: low.indexOf(w, at) }))
                .filter((f) => f.i >= 0)
                .sort((a, b) => a.i - b.i)[0];
            if (!next) break;
            parent.append(text.slice(at, next.i));
            const mark = document.createElement('mark');
            mark.textContent = text.slice(next.i, next.i + next.w.length);
            parent.append(mark);
            at = next.i + next.w.length;
        }
        parent.append(text.slice(at));
        return parent;
    }

    function excerpt(section, words) {
        const first = Math.min(
            ...words.map((w) => section.low.text.indexOf(w)).filter((i) => i >= 0),
            section.text.length,
        );
        const from = Math.max(0, first >= section.text.length ? 0 : first - BEFORE);
        const text = section.text.slice(from, from + BEFORE + AFTER);
        return (from > 0 ? '… ' : '') + text + (from + BEFORE + AFTER < section.text.length ? ' …' : '');
    }

    function item(section, words) {
        const li = document.createElement('li');
        li.setAttribute('role', 'option');
        const a = document.createElement('a');
        a.href = up + section.address;
        const title = document.createElement('b');
        marked(title, section.title === section.page ? section.page : `${section.page} › ${section.title}`, words);
        const text = marked(document.createElement('span'), excerpt(section, words), words);
        a.append(title, text);
        li.append(a);
        return li;
    }

    function choose(i) {
        const items = [...list.querySelectorAll('li[role=option]')];
        if (items.length === 0) return;
        chosen = (i + items.length) % items.length;
        items.forEach((li, k) => li.setAttribute('aria-selected', String(k === chosen)));
        items[chosen].scrollIntoView({ block: 'nearest' });
    }

    function close() {
        list.hidden = true;
        chosen = -1;
    }

    function note(text) {
        const li = document.createElement('li');
        li.className = 'note';
        li.textContent = text;
        list.replaceChildren(li);
        list.hidden = false;
    }

    async function search() {
        const words = input.value.toLowerCase().split(/\s+/u).filter(Boolean);
        if (words.length === 0) {
            close();
            return;
        }
        let sections;
        try {
            sections = await load();
        } catch (e) {
            note(e.message);
            return;
        }
        const found = sections
            .map((s) => ({ s, points: score(s, words) }))
            .filter((f) => f.points > 0)
            .sort((a, b) => b.points - a.points)
            .slice(0, MOST);
        if (found.length === 0) {
            note('Nothing was found.');
            return;
        }
        list.replaceChildren(...found.map((f) => item(f.s, words)));
        list.hidden = false;
        choose(0);
    }

    input.addEventListener('focus', () => void load().catch(() => undefined));
    input.addEventListener('input', () => void search());
    input.addEventListener('keydown', (e) => {
        if (e.key === 'ArrowDown') choose(chosen + 1);
        else if (e.key === 'ArrowUp') choose(chosen - 1);
        else if (e.key === 'Enter') list.querySelector('li[aria-selected=true] a')?.click();
        else if (e.key === 'Escape') {
            close();
            input.blur();
        } else return;
        e.preventDefault();
    });
    list.addEventListener('click', (e) => {
        if (e.target.closest('a')) close();
    });
    document.addEventListener('pointerdown', (e) => {
        if (!e.target.closest('.search')) close();
    });
    document.addEventListener('keydown', (e) => {
        if (e.key !== '/' || /^(?:INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '')) return;
        input.focus();
        e.preventDefault();
    });
})();
