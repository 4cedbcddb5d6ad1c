/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Playing: buttons, the slider with the strip of the certificate, time, speed.
import type { App } from '../app/app.ts';
import { SPEEDS } from '../app/player.ts';
import { h, icon, ICONS, setIcon } from './dom.ts';

const STRIP_COLUMNS = 600;

function button(testid: string, title: string, path: string, act: () => void): HTMLButtonElement {
    return h('button.icon-button', { 'data-testid': testid, title, 'aria-label': title, onclick: act }, icon(path));
}

/** Green to red by severity; the hue of 0 is that of the badge's good. */
export function severityColour(x: number): string {
    return `hsl(${Math.round(145 - 140 * x)} ${Math.round(45 + 25 * x)}% 48%)`;
}

/** One column of the strip for some frames: the worst of them. */
function drawStrip(canvas: HTMLCanvasElement, strip: Float64Array | undefined): void {
    canvas.width = STRIP_COLUMNS;
    canvas.height = 1;
    const g = canvas.getContext('2d');
    if (!g || !strip || strip.length === 0) return;
    for (let c = 0; c < STRIP_COLUMNS; c++) {
        const from = Math.floor((c * strip.length) / STRIP_COLUMNS);
        const to = Math.max(from + 1, Math.floor(((c + 1) * strip.length) / STRIP_COLUMNS));
        let worst = 0;
        for (let i = from; i < to; i++) worst = Math.max(worst, strip[i]);
        g.fillStyle = severityColour(worst);
        g.fillRect(c, 0, 1, 1);
    }
}

export function transport(app: App): HTMLElement {
    const play = button('play', 'Play or pause (space)', ICONS.play, () => app.play());
    const loop = button('loop', 'Repeat (L)', ICONS.loop, () => app.setLoop());
    const slider = h('input.slider', {
        type: 'range',
        min: 0,
        max: 0,
        step: 1,
        value: 0,
        'data-testid': 'slider',
        'aria-label': 'Time',
    });
    slider.addEventListener('input', () => {
        if (app.player.playing) app.play(false);
        app.seek(Number(slider.value));
    });
    // arrow keys step through frames wherever the focus is; the slider must not take them twice
    slider.addEventListener('keydown', (e) => e.preventDefault());
    const strip = h('canvas.strip', { title: 'Certificate over time, green to red', 'data-testid': 'strip' });
    const time = h('span.time', { 'data-testid': 'time' });
    const frame = h('span.frame', { 'data-testid': 'frame' });
    const speed = h(
        'select',
        { 'data-testid': 'speed', title: 'Speed (+ and -)' },
        ...SPEEDS.map((s) => h('option', { value: s }, `${s}×`)),
    );
    speed.value = String(app.player.speed);
    speed.addEventListener('change', () => {
        app.setSpeed(Number(speed.value));
        speed.blur();
    });
    const bar = h(
        'footer.transport',
        {},
        h(
            'div.buttons',
            {},
            button('start', 'First frame (Home)', ICONS.start, () => app.seek(0)),
            button('back', 'One frame back (←)', ICONS.back, () => app.step(-1)),
            play,
            button('forward', 'One frame on (→)', ICONS.forward, () => app.step(1)),
            button('end', 'Last frame (End)', ICONS.end, () => app.seek(app.player.last)),
            loop,
        ),
        h('div.track', {}, slider, strip),
        h('div.readout', {}, time, frame),
        speed,
    );

    const showMoment = (): void => {
        const { player } = app;
        const run = app.primary?.run;
        slider.max = String(player.last);
        slider.value = String(player.index);
        slider.style.setProperty('--part', String(player.last > 0 ? player.index / player.last : 0));
        const unit = run?.model.units.time ?? '';
        const digits = player.time === 0 ? '0' : String(Number(player.time.toPrecision(6)));
        time.textContent = `${digits} ${unit}`;
        time.dataset.value = String(player.time);
        frame.textContent = run
            ? `frame ${app.frameIndex} of ${run.frames - 1} · step ${run.step[app.frameIndex]}`
            : '';
    };
    app.on((change) => {
        if (change === 'moment' || change === 'runs') showMoment();
        if (change === 'verdict' || change === 'runs') drawStrip(strip, app.verdicts[0]?.strip);
        if (change === 'clock') {
            setIcon(play, app.player.playing ? ICONS.pause : ICONS.play);
            play.classList.toggle('on', app.player.playing);
            loop.classList.toggle('on', app.player.loop);
            speed.value = String(app.player.speed);
            showMoment();
        }
    });
    return bar;
}
