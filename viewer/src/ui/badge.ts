/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The certificate of the run: a badge from green to red; a click goes to the worst step, its list says why.
import type { App } from '../app/app.ts';
import { GRADES, type Finding } from '../data/verdict.ts';
import { h } from './dom.ts';

const TITLES = {
    laws: 'Contact laws',
    overlap: 'Overlap',
    joints: 'Joints',
    energy: 'Energy',
    creep: 'Creep',
    twist: 'Twist',
} as const;

function time(app: App, f: Finding): string {
    const run = app.primary?.run;
    return run ? `t = ${Number(run.time[f.frame].toPrecision(6))}` : '';
}

export function badge(app: App): HTMLElement {
    const word = h('span.word', {}, 'reading …');
    const button = h(
        'button.badge',
        {
            'data-testid': 'badge',
            title: 'Certificate of the run. Click: go to the worst step (W)',
            onclick: () => app.worst(),
        },
        h('span.dot'),
        h('span.label', {}, 'certificate'),
        word,
    );
    const list = h('div.findings.popover', { 'data-testid': 'findings' });
    const root = h('div.badge-box', {}, button, list);

    app.on((change) => {
        if (change !== 'verdict' && change !== 'runs') return;
        const v = app.verdicts[0];
        root.hidden = app.views.length === 0;
        button.dataset.grade = v ? GRADES[v.grade] : 'none';
        word.textContent = v ? GRADES[v.grade] : v === null ? 'not recorded' : 'reading …';
        root.classList.toggle('reading', v === undefined);
        list.replaceChildren(
            ...(v?.findings ?? []).map((f) =>
                h(
                    'button.finding',
                    {
                        'data-testid': 'finding-' + f.aspect,
                        'data-grade': GRADES[f.grade],
                        'data-frame': f.frame,
                        onclick: () => {
                            app.play(false);
                            app.seekFrame(f.frame);
                        },
                    },
                    h('span.dot'),
                    h('b', {}, TITLES[f.aspect]),
                    h('span', {}, f.text),
                    h('span.when', {}, time(app, f)),
                ),
            ),
        );
    });
    return root;
}
