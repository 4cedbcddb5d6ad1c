/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// What programs outside the page may look at, tests above all: the state of the viewer as plain values.
import * as THREE from 'three';

import type { App } from './app.ts';

export interface Exposed {
    /** a picture of the first run has been drawn */
    readonly loaded: boolean;
    /** the frame that is drawn, and the frames there are */
    readonly frame: number;
    readonly frames: number;
    readonly time: number;
    readonly playing: boolean;
    /** what was asked for is drawn, layers included */
    readonly settled: boolean;
    /** nothing moved for a moment: the picture is as fine as it gets */
    readonly still: boolean;
    readonly selected: string;
    readonly errors: readonly string[];
    /** what the camera does by itself */
    readonly camera: string;
    /** pictures drawn so far */
    readonly drawn: number;
    /** frames that the runs show */
    readonly shown: readonly number[];
    /** draws the picture as fine as it gets, now, and not only when nothing has moved for a while */
    drawFine(): void;
    /** where the centre of a body is on the canvas, in CSS pixels; of the second run beside the first: `which` = 1 */
    where(body: string, which?: number): { x: number; y: number } | null;
}

export function exposeState(app: App): void {
    const names = (): string[] => app.primary?.run.model.bodies.name ?? [];
    const exposed: Exposed = {
        get loaded() {
            return (app.primary?.shown ?? -1) >= 0 && app.drawn > 0;
        },
        get frame() {
            return app.primary?.shown ?? -1;
        },
        get frames() {
            return app.primary?.run.frames ?? 0;
        },
        get time() {
            return app.primary && app.primary.shown >= 0 ? app.primary.run.time[app.primary.shown] : NaN;
        },
        get playing() {
            return app.player.playing;
        },
        get settled() {
            const v = app.primary;
            return v !== undefined && !app.pending && v.shown === app.frameIndex && !v.incomplete;
        },
        get still() {
            return !app.pending && app.stage.still;
        },
        get selected() {
            return names()[app.look.selected] ?? '';
        },
        get errors() {
            return [...app.errors];
        },
        get camera() {
            return app.camera;
        },
        get drawn() {
            return app.drawn;
        },
        get shown() {
            return app.views.map((v) => v.shown);
        },
        drawFine() {
            app.stage.renderFine(app.look.theme);
        },
        where(body: string, which = 0) {
            const v = app.views[which];
            const i = v?.run.model.bodies.name.indexOf(body) ?? -1;
            const pose = v && v.shown >= 0 ? v.run.pose(v.shown, false) : undefined;
            if (!pose || i < 0) return null;
            const at = app.stage.project(new THREE.Vector3().fromArray(pose.position, 3 * i));
            return { x: at.x + (app.layout === 'side' ? (which * app.stage.canvas.clientWidth) / 2 : 0), y: at.y };
        },
    };
    (window as unknown as { perp: Exposed }).perp = exposed;
}
