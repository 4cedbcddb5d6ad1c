/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The state of the page and what changes it. Parts of the page listen; the picture follows in the next animation frame.
import * as THREE from 'three';

import { LEDGER, SHAPE } from '../data/model.ts';
import { frameAt, type Run } from '../data/run.ts';
import { smallestBody } from '../data/smallest.ts';
import { judge, type Verdict } from '../data/verdict.ts';
import type { Extent } from '../draw/extent.ts';
import { DEFAULT_LAYERS, type LayerId } from '../draw/layers.ts';
import type { CameraMode } from '../draw/follow.ts';
import { RunView, type ColourBy, type Look } from '../draw/run_view.ts';
import { Stage, type Layout } from '../draw/stage.ts';
import { DARK, LIGHT, type Rgb } from '../draw/theme.ts';
import { commonTimes, Player } from './player.ts';

/** What changed: the moment, the choice of what to see, the clock's settings, the runs, a verdict,
 *  series that grew, or errors. */
export type Change = 'moment' | 'look' | 'clock' | 'runs' | 'verdict' | 'series' | 'error';

export interface Loaded {
    run: Run;
    extent: Extent;
}

export class App {
    readonly player = new Player();
    readonly stage: Stage;
    views: RunView[] = [];
    /** null: not recorded; undefined: still being read */
    verdicts: (Verdict | null | undefined)[] = [];
    layout: Layout = 'single';
    look: Look;
    errors: string[] = [];
    /** pictures drawn so far */
    drawn = 0;
    private readonly listeners: ((change: Change) => void)[] = [];
    /** another moment is wanted: there is a new picture once its frame is at hand */
    private moved = true;
    /** what is shown looks otherwise: there is a new picture in any case */
    private stale = true;
    private lastTick = 0;
    private jointsForBare = false;
    /** the run that goes on, if one is shown: keys of the page act on it */
    live: { pause(): void; step(): void } | undefined;
    camera: CameraMode = 'free';

    constructor(canvasParent: HTMLElement) {
        const dark =
            localStorageGet('perp-theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
        this.look = {
            layers: { ...DEFAULT_LAYERS },
            colourBy: 'body',
            theme: dark === 'dark' ? DARK : LIGHT,
            arrows: 1,
            selected: -1,
            hovered: -1,
            own: new Map(),
        };
        this.stage = new Stage(canvasParent);
        this.stage.onMoved = () => this.redraw();
        this.stage.onFreed = () => this.setCamera('free');
        requestAnimationFrame((t) => this.frame(t));
    }

    on(listener: (change: Change) => void): void {
        this.listeners.push(listener);
    }

    get primary(): RunView | undefined {
        return this.views[0];
    }

    /** Frame of the first run that is asked for; it may still be on its way. */
    get frameIndex(): number {
        const run = this.primary?.run;
        return run ? frameAt(run.time, run.frames, this.player.time) : 0;
    }

    /** `again`: the first run is the one of before, begun anew: camera and selection stay. */
    setRuns(loaded: Loaded[], layout: Layout, again = false): void {
        const keep = this.views;
        const [name, camera] = [keep[0]?.run.model.bodies.name[this.look.selected], this.camera];
        this.views = loaded.map(
            (l) => keep.find((v) => v.run === l.run) ?? new RunView(l.run, loaded[0].extent, l.extent),
        );
        for (const v of keep) if (!this.views.includes(v)) v.dispose();
        if (keep[0]?.run !== loaded[0]?.run) {
            this.look.selected = -1;
            this.player.index = 0;
            this.player.playing = false;
            this.camera = 'free';
            this.stage.setMode('free');
            this.showBare(loaded[0]?.run);
        }
        this.look.hovered = -1;
        this.layout = loaded.length > 1 ? layout : 'single';
        this.player.setTimes(commonTimes(loaded.map((l) => l.run)));
        this.stage.setViews(this.views, this.layout, again && keep.length > 0);
        if (again && name !== undefined) this.look.selected = loaded[0].run.model.bodies.name.indexOf(name);
        if (again) this.setCamera(camera);
        this.verdicts = [];
        this.views.forEach((v) => {
            v.run.onArrived = () => this.arrived(v.run);
            v.run.onFailed = (e) => this.fail(e.message);
        });
        this.say('runs');
        this.say('look');
        this.say('clock');
        this.redraw();
        // figures over all frames wait until there is a picture
        const pictures = this.drawn;
        const later = (): void => {
            if (this.drawn === pictures && this.views.length > 0) window.setTimeout(later, 20);
            else this.refreshFigures();
        };
        later();
    }

    toggleLayer(id: LayerId, on = !this.look.layers[id]): void {
        this.look.layers[id] = on;
        this.changedLook();
    }

    colourBy(by: ColourBy): void {
        this.look.colourBy = by;
        this.changedLook();
    }

    setArrows(scale: number): void {
        this.look.arrows = scale;
        this.changedLook();
    }

    setOwnColour(body: number, colour: Rgb | undefined): void {
        const name = this.primary?.run.model.bodies.name[body];
        if (name === undefined) return;
        const own = new Map(this.look.own);
        if (colour) own.set(name, colour);
        else own.delete(name);
        this.look.own = own;
        this.changedLook();
    }

    toggleTheme(): void {
        this.look.theme = this.look.theme.name === 'dark' ? LIGHT : DARK;
        localStorageSet('perp-theme', this.look.theme.name);
        this.changedLook();
    }

    select(body: number): void {
        this.look.selected = body;
        if (this.camera === 'body') {
            this.camera = body < 0 ? 'free' : 'body';
            this.stage.setMode(this.camera, body);
        }
        this.changedLook();
    }

    hover(body: number): void {
        if (this.look.hovered === body) return;
        this.look.hovered = body;
        this.redraw();
    }

    seek(index: number): void {
        this.player.seek(index);
        this.goTo();
    }

    seekFrame(frame: number): void {
        const run = this.primary?.run;
        if (run) this.player.seekTime(run.time[Math.min(frame, run.frames - 1)]);
        this.goTo();
    }

    seekTime(t: number): void {
        this.player.seekTime(t);
        this.goTo();
    }

    step(by: number): void {
        this.play(false);
        this.seek(this.player.index + by);
    }

    play(on = !this.player.playing): void {
        this.player.play(on);
        this.say('clock');
        this.redraw();
    }

    setLoop(on = !this.player.loop): void {
        this.player.loop = on;
        this.say('clock');
    }

    setSpeed(speed: number): void {
        this.player.speed = speed;
        this.say('clock');
    }

    faster(steps: number): void {
        this.player.faster(steps);
        this.say('clock');
    }

    /** To the step where the certificate is worst. */
    worst(): void {
        const v = this.verdicts[0];
        if (!v) return;
        this.play(false);
        this.seekFrame(v.frame);
    }

    /** What the camera does by itself. With `body` it follows the selected one, else the first that moves. */
    setCamera(mode: CameraMode): void {
        const kinds = this.primary?.run.model.bodies.kind;
        if (mode === 'body' && this.look.selected < 0 && kinds) this.look.selected = kinds.findIndex((k) => k === 2);
        this.camera = mode === 'body' && this.look.selected < 0 ? 'free' : mode;
        this.stage.setMode(this.camera, this.look.selected);
        this.changedLook();
    }

    /** The camera to the selected body. */
    lookAtSelected(): void {
        const v = this.primary;
        const pose = v?.run.pose(v.shown, false);
        if (pose && this.look.selected >= 0)
            this.stage.lookAt(new THREE.Vector3().fromArray(pose.position, 3 * this.look.selected));
    }

    fail(message: string): void {
        if (this.errors.includes(message)) return;
        this.errors.push(message);
        this.say('error');
    }

    /** Frames of a live run were added, or it began anew. */
    grew(follow: boolean): void {
        const { time, last } = this.player;
        const atEnd = this.player.index >= last;
        this.player.setTimes(commonTimes(this.views.map((v) => v.run)));
        if (this.player.last < last) this.player.seekTime(time); // frames were forgotten
        if (follow && (atEnd || this.player.playing)) this.player.seek(this.player.last);
        for (const v of this.views) v.forgetPaths();
        this.redraw();
        this.say('moment');
    }

    redraw(): void {
        this.stale = true;
    }

    /** A picture is asked for and not yet drawn. */
    get pending(): boolean {
        return this.moved || this.stale;
    }

    /** Verdicts and charts, which are over all frames. */
    refreshFigures(): void {
        this.views.forEach((_, i) => void this.judgeRun(i));
        this.say('series');
    }

    /** Bodies without shapes are seen by what holds them: their joints are shown, until there is something else to see. */
    private showBare(run: Run | undefined): void {
        const bare = run !== undefined && !run.model.shapes.kind.some((k) => k !== SHAPE.halfspace);
        if (bare && !this.look.layers.joints) this.jointsForBare = this.look.layers.joints = true;
        else if (!bare && this.jointsForBare) this.jointsForBare = this.look.layers.joints = false;
    }

    /** The clock stands elsewhere. */
    private goTo(): void {
        this.moved = true;
        this.say('moment');
    }

    private changedLook(): void {
        this.redraw();
        this.say('look');
    }

    private arrived(run: Run): void {
        const v = this.views.find((x) => x.run === run);
        const wanted = frameAt(run.time, run.frames, this.player.time);
        if (v && v.shown !== wanted) this.moved = true;
        if (v && (v.incomplete || v.run.live)) this.redraw();
        else if (this.look.layers.paths) this.redraw();
        if (v === this.primary) this.say('moment');
    }

    private say(change: Change): void {
        for (const l of this.listeners) l(change);
    }

    private frame(now: number): void {
        requestAnimationFrame((t) => this.frame(t));
        const seconds = Math.min(0.25, (now - this.lastTick) / 1000);
        this.lastTick = now;
        // while a frame is on its way the clock waits for it
        const waiting = this.primary !== undefined && this.primary.shown !== this.frameIndex;
        if (this.player.playing && !waiting) {
            if (this.player.tick(seconds)) this.goTo();
            if (!this.player.playing) this.say('clock');
        }
        if (this.moved || this.stale) this.draw();
    }

    private draw(): void {
        let changed = false;
        for (const v of this.views) {
            const frame = frameAt(v.run.time, v.run.frames, this.player.time);
            const before = v.shown;
            if (v.show(frame, this.look, this.player.playing)) changed ||= before !== frame;
            else changed = this.showNearest(v, frame) || changed;
        }
        const draw = changed || this.stale;
        this.moved = this.stale = false;
        if (!draw || this.views.length === 0 || this.views.some((v) => v.shown < 0)) return;
        if (this.stage.follow()) this.stale = true;
        this.stage.render(this.look.theme);
        if (this.drawn++ === 0) performance.mark('perp picture');
        if (changed) this.say('moment');
    }

    /** While the slider runs ahead of the reader, what is at hand near to it is better than what was shown before. */
    private showNearest(v: RunView, frame: number): boolean {
        const near = v.run.nearest(frame);
        if (this.player.playing || near < 0 || Math.abs(near - frame) >= Math.abs(v.shown - frame)) return false;
        const shown = v.show(near, this.look, false);
        // asking for that one must not displace the wish for the other
        v.run.pose(frame, false);
        return shown;
    }

    private async judgeRun(i: number): Promise<void> {
        const { run } = this.views[i];
        try {
            const column = (path: string): Promise<Float64Array | null> => run.column(path);
            const ledger: Record<string, Float64Array | null> = {};
            for (const name of LEDGER) ledger[name] = await column('ledger/' + name);
            const verdict = judge({
                law: await column('certificate/law'),
                overlap: await column('certificate/overlap'),
                joint_error: await column('certificate/joint_error'),
                gain: await column('certificate/gain'),
                rebound_lost: await column('certificate/rebound_lost'),
                creep: await column('certificate/creep'),
                twist: await column('certificate/twist'),
                fall: await column('certificate/fall'),
                kinetic_before: await column('ledger/kinetic_before'),
                kinetic_after: await column('ledger/kinetic_after'),
                ledger,
                size: smallestBody(run.model),
                joints: run.model.joints.name.length,
                time: run.time,
                unit: run.model.units.length,
            });
            if (this.views[i]?.run !== run) return;
            this.verdicts[i] = verdict ?? null;
            this.say('verdict');
        } catch (e) {
            this.fail(e instanceof Error ? e.message : String(e));
        }
    }
}

/** A page from a disk may be refused its storage: then the choice lasts as long as the page. */
function localStorageGet(key: string): string | null {
    try {
        return localStorage.getItem(key);
    } catch {
        return null;
    }
}
function localStorageSet(key: string, value: string): void {
    try {
        localStorage.setItem(key, value);
    } catch {
        // nothing to do: the theme is only not remembered
    }
}
