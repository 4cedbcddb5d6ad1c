/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Controls of a live run: its state, pause, single step, reset.
import type { App } from '../app/app.ts';
import type { LiveRun } from '../data/live.ts';
import { h, icon, ICONS, setIcon } from './dom.ts';

/** Figures over all frames are made anew at most this often while a run goes on [ms]. */
const FIGURES_EVERY = 1000;

export function liveBar(app: App): { root: HTMLElement; attach: (run: LiveRun) => void } {
    let run: LiveRun | undefined;
    const state = h('span.state', { 'data-testid': 'live-state' });
    const command = (testid: string, title: string, path: string, act: () => void): HTMLButtonElement =>
        h('button.icon-button', { 'data-testid': testid, title, 'aria-label': title, onclick: act }, icon(path));
    const over = (): boolean => run === undefined || run.state === 'finished' || run.state === 'failed';
    app.live = {
        pause: () => void (over() || run?.send(run.state === 'paused' ? 'resume' : 'pause')),
        // a step of a run that goes on pauses it first
        step: () => void (over() || run?.send('step')),
    };
    const { live } = app;
    const pause = command('live-pause', 'Pause or resume the run (space)', ICONS.pause, () => live.pause());
    const step = command('live-step', 'One step of the run (N)', ICONS.forward, () => live.step());
    const reset = command('live-reset', 'Restart the run', ICONS.reset, () => void run?.send('reset'));
    const follow = h('input', { type: 'checkbox', checked: true, 'data-testid': 'live-follow' });
    const root = h(
        'div.live-bar',
        { 'data-testid': 'live' },
        h('span.lamp'),
        state,
        pause,
        step,
        reset,
        h('label', { title: 'Show the newest frame' }, follow, 'newest'),
    );
    const show = (): void => {
        if (!run) return;
        root.dataset.state = run.state;
        state.textContent = run.message ? `${run.state}: ${run.message}` : run.state;
        setIcon(pause, run.state === 'paused' ? ICONS.play : ICONS.pause);
        pause.disabled = step.disabled = over();
    };
    const attach = (next: LiveRun): void => {
        run = next;
        let judged = 0;
        next.onGrown = () => {
            show();
            app.grew(follow.checked);
            const now = performance.now();
            if (now - judged < FIGURES_EVERY && next.state === 'running') return;
            judged = now;
            app.refreshFigures();
        };
        show();
    };
    return { root, attach };
}
