// Controls of a live run: its state, pause, single step, reset.
import type { App } from '../app/app.ts';
import type { LiveRun } from '../data/live.ts';
import { h, icon, ICONS, setIcon } from './dom.ts';

export function liveBar(app: App, run: LiveRun): HTMLElement {
    const state = h('span.state', { 'data-testid': 'live-state' });
    const command = (testid: string, title: string, path: string, act: () => void): HTMLButtonElement =>
        h('button.icon-button', { 'data-testid': testid, title, 'aria-label': title, onclick: act }, icon(path));
    const pause = command(
        'live-pause',
        'Pause or resume the run',
        ICONS.pause,
        () => void run.send(run.state === 'paused' ? 'resume' : 'pause'),
    );
    const step = command('live-step', 'One step of the run', ICONS.forward, () => void run.send('step'));
    const reset = command('live-reset', 'Begin the run anew', ICONS.reset, () => void run.send('reset'));
    const follow = h('input', { type: 'checkbox', checked: true, 'data-testid': 'live-follow' });
    const bar = h(
        'div.live-bar',
        { 'data-testid': 'live' },
        h('span.lamp'),
        state,
        pause,
        step,
        reset,
        h('label', {}, follow, 'follow'),
    );
    const show = (): void => {
        bar.dataset.state = run.state;
        state.textContent = run.message ? `${run.state}: ${run.message}` : run.state;
        setIcon(pause, run.state === 'paused' ? ICONS.play : ICONS.pause);
        const over = run.state === 'finished' || run.state === 'failed';
        pause.disabled = over;
        step.disabled = over || run.state !== 'paused';
    };
    let judged = 0;
    run.onGrown = () => {
        show();
        app.grew(follow.checked);
        // figures over all frames: not for every piece that arrives
        const now = performance.now();
        if (now - judged < 1000 && run.state === 'running') return;
        judged = now;
        app.refreshFigures();
    };
    show();
    return bar;
}
