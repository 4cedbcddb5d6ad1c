/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// What moves in a page: navigation on a phone, light and dark, copying code, running scenes. The search is in search.js.
'use strict';
(() => {
    const up = document.documentElement.dataset.up;
    /** Up to this width the navigation is behind a button, as in site.css [CSS pixels]. */
    const NARROW = 900;

    function element(tag, className, text) {
        const e = document.createElement(tag);
        if (className) e.className = className;
        if (text) e.textContent = text;
        return e;
    }

    function navigation() {
        const menu = document.querySelector('.menu');
        const panel = document.querySelector('.navigation');
        const show = (open) => {
            document.body.classList.toggle('with-navigation', open);
            menu.setAttribute('aria-expanded', String(open));
        };
        menu.addEventListener('click', () => show(!document.body.classList.contains('with-navigation')));
        panel.addEventListener('click', (e) => {
            if (e.target.closest('a')) show(false);
        });
        document.addEventListener('keydown', (e) => {
            if (e.key === 'Escape') show(false);
        });
        const here = panel.querySelector('[aria-current]');
        if (here) panel.scrollTop = Math.max(0, here.offsetTop - panel.clientHeight / 2);
        if (window.innerWidth <= NARROW) document.querySelector('.contents details')?.removeAttribute('open');
    }

    function theme() {
        document.querySelector('.theme').addEventListener('click', () => {
            const root = document.documentElement;
            const dark = root.dataset.theme
                ? root.dataset.theme === 'dark'
                : matchMedia('(prefers-color-scheme: dark)').matches;
            root.dataset.theme = dark ? 'light' : 'dark';
            try {
                localStorage.setItem('perp-theme', root.dataset.theme);
            } catch {
                // no storage: until the next page
            }
        });
    }

    async function copy(button) {
        const text = button.closest('.code').querySelector('code').textContent;
        try {
            await navigator.clipboard.writeText(text);
            button.textContent = 'Copied';
        } catch {
            const range = document.createRange();
            range.selectNodeContents(button.closest('.code').querySelector('code'));
            getSelection().removeAllRanges();
            getSelection().addRange(range);
            button.textContent = 'Selected';
        }
        setTimeout(() => (button.textContent = 'Copy'), 1500);
    }

    /** The run that the page shows; one at a time. */
    let live;

    function stop() {
        if (!live) return;
        window.removeEventListener('message', live.listen);
        live.box.remove();
        live.button.textContent = 'Run';
        live.button.classList.remove('running');
        live = undefined;
    }

    function message(box, text) {
        box.replaceChildren(element('p', 'problem', text));
    }

    /** Shows the simulator below the button's block, or below the row of its card, and hands the scene to it. */
    async function run(button) {
        const again = live?.button === button;
        stop();
        if (again) return;
        const box = element('div', 'live');
        const card = button.closest('.card');
        (card ?? button.closest('.code')).after(box);
        button.textContent = 'Stop';
        button.classList.add('running');
        const mine = { button, box, listen: () => undefined };
        live = mine;
        if (location.protocol === 'file:') {
            message(
                box,
                'Browsers do not run scenes in pages from files. Serve the folder of the site: python3 -m http.server --directory build/site',
            );
            return;
        }
        let scene;
        try {
            const answer = await fetch(`${up}live/${button.dataset.scene}.json`);
            if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
            scene = await answer.json();
        } catch (e) {
            if (live === mine) message(box, `The scene cannot be loaded: ${e.message}.`);
            return;
        }
        if (live !== mine) return;
        show(mine, scene);
    }

    function show(mine, scene) {
        const frame = element('iframe');
        frame.title = `Simulation: ${scene.title}`;
        frame.src = `${up}simulate/index.html?embed`;
        const bar = element('div', 'live-bar');
        const edit = element('button', 'edit', 'Edit the scene');
        const whole = element('a', 'whole', 'Whole page');
        const close = element('button', 'close', 'Close');
        edit.type = close.type = 'button';
        whole.hidden = true;
        whole.target = '_blank';
        bar.append(element('b', '', scene.title), edit, whole, close);
        mine.box.append(bar, frame);
        close.addEventListener('click', stop);
        const say = (what) => frame.contentWindow?.postMessage(what, location.origin);
        edit.addEventListener('click', () => say({ perp: 'edit' }));
        mine.listen = (e) => {
            if (e.source !== frame.contentWindow || e.origin !== location.origin) return;
            if (e.data?.perp === 'ready') say({ perp: 'scene', ...scene });
            else if (e.data?.perp === 'link') {
                whole.href = `${up}simulate/index.html${e.data.hash}`;
                whole.hidden = false;
            }
        };
        window.addEventListener('message', mine.listen);
        mine.box.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
    }

    document.addEventListener('click', (e) => {
        const button = e.target.closest('button');
        if (button?.classList.contains('copy')) void copy(button);
        else if (button?.classList.contains('run')) void run(button);
    });
    navigation();
    theme();
})();
