/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Pictures and films of what is seen: PNG, and WebM by the browser's own encoder.
import { arms, drawTriad } from '../draw/triad.ts';
import { css } from '../draw/theme.ts';
import { placedLabels } from '../ui/labels.ts';
import type { App } from './app.ts';

/** Films are not wider than this: larger ones overload the encoder where it runs on the processor [pixels]. */
const FILM_WIDTH = 1280;
const FILM_RATE = 30;
/** Bits in a second of film: about 0.3 bits a pixel at 1280 x 720 and 30 pictures a second, for sharp edges. */
const FILM_BITS = 8e6;
/** How often a picture that stands still is filmed, and how long the last one is seen [ms]. */
const STILL_EVERY = 100;
const LAST_PICTURE = 600;
/** Kinds of film, the best first; browsers have different ones. */
const FILM_KINDS = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm', 'video/mp4'] as const;

/** Edge of the triad as a part of the picture's height, within limits in pixels of the page. */
function triadSize(height: number, ratio: number): number {
    return ratio * Math.min(92, Math.max(48, (0.16 * height) / ratio));
}

/** The picture with its axes, its labels and, of two runs, their names. */
function compose(app: App, onto: HTMLCanvasElement): void {
    const { canvas } = app.stage;
    const g = onto.getContext('2d');
    const view = app.primary;
    if (!g || !view) return;
    const ratio = onto.width / Math.max(1, canvas.clientWidth);
    g.drawImage(canvas, 0, 0, onto.width, onto.height);
    const { gravity, dim } = view.run.model;
    const size = triadSize(onto.height, ratio);
    const list = arms(app.stage.orientation, gravity, dim === 2, app.look.theme);
    drawTriad(g, list, onto.width - 0.6 * size, onto.height - 0.6 * size, size);
    g.font = `600 ${Math.round(13 * ratio)}px system-ui, sans-serif`;
    g.textAlign = 'center';
    g.lineJoin = 'round';
    g.lineWidth = 3 * ratio;
    g.strokeStyle = css(app.look.theme.background);
    g.fillStyle = css(app.look.theme.path);
    for (const { text, x, y } of placedLabels(app)) {
        g.strokeText(text, x * ratio, y * ratio);
        g.fillText(text, x * ratio, y * ratio);
    }
    if (app.layout !== 'side') return;
    app.views.forEach((v, i) => g.fillText(v.run.name, (0.25 + 0.5 * i) * onto.width, 22 * ratio));
}

function save(blob: Blob, name: string): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A name for the file: that of the recording and the frame. */
function fileName(app: App, ending: string): string {
    const run = app.primary?.run;
    const stem = (run?.live ? run.model.title : run?.name.replace(/\.h5$/, '')) || 'perp';
    const plain = stem.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|-+$/g, '');
    return `${plain || 'perp'}${ending === 'png' ? `-${app.primary?.shown ?? 0}` : ''}.${ending}`;
}

/** Saves the picture as it is, drawn fine. */
export async function screenshot(app: App): Promise<void> {
    app.stage.renderFine(app.look.theme);
    const onto = document.createElement('canvas');
    onto.width = app.stage.canvas.width;
    onto.height = app.stage.canvas.height;
    compose(app, onto);
    const blob = await new Promise<Blob | null>((done) => onto.toBlob(done, 'image/png'));
    if (blob) save(blob, fileName(app, 'png'));
    else app.fail('The browser could not make a picture of this size.');
}

export class Film {
    /** called when it begins or ends */
    onChange: () => void = () => undefined;
    private recorder: MediaRecorder | undefined;

    constructor(private readonly app: App) {
        app.on((change) => {
            // a recording that was played to its end is the whole film
            if (change === 'clock' && this.running && !app.player.playing && !app.primary?.run.live) this.stop();
            if (change === 'runs') this.stop();
        });
    }

    get running(): boolean {
        return this.recorder !== undefined;
    }

    /** Films what is shown until stop(). A recording is played, and its end ends the film; a live run goes on. */
    start(): void {
        const { app } = this;
        const kind =
            typeof MediaRecorder === 'undefined' ? undefined : FILM_KINDS.find((k) => MediaRecorder.isTypeSupported(k));
        if (!kind) {
            app.fail('This browser cannot record video. perp render --video makes one.');
            return;
        }
        if (this.recorder || !app.primary) return;
        const { canvas } = app.stage;
        const scale = Math.min(1, FILM_WIDTH / Math.max(1, canvas.clientWidth));
        const onto = document.createElement('canvas');
        // encoders take even sizes only
        onto.width = 2 * Math.max(1, Math.round(0.5 * scale * canvas.clientWidth));
        onto.height = 2 * Math.max(1, Math.round(0.5 * scale * canvas.clientHeight));
        const draw = (): void => compose(app, onto);
        draw();
        const recorder = new MediaRecorder(onto.captureStream(FILM_RATE), {
            mimeType: kind,
            videoBitsPerSecond: FILM_BITS,
        });
        const parts: Blob[] = [];
        recorder.ondataavailable = (e) => void (e.data.size > 0 && parts.push(e.data));
        recorder.onstop = () => {
            app.stage.onDrawn = app.stage.onDrawn.filter((f) => f !== draw);
            const [type] = kind.split(';');
            if (parts.length > 0) save(new Blob(parts, { type }), fileName(app, type.slice('video/'.length)));
        };
        app.stage.onDrawn.push(draw);
        // encoders see a canvas only when it is drawn: a picture that stands still has to be drawn too
        const still = window.setInterval(draw, STILL_EVERY);
        recorder.addEventListener('stop', () => window.clearInterval(still));
        this.recorder = recorder;
        recorder.start(1000);
        if (!app.primary.run.live && !app.player.playing) app.play(true);
        this.onChange();
    }

    stop(): void {
        const { recorder } = this;
        if (!recorder) return;
        this.recorder = undefined;
        // the last picture stays for a moment, and an encoder that has only just begun gets something to write
        window.setTimeout(() => recorder.stop(), LAST_PICTURE);
        this.onChange();
    }
}
