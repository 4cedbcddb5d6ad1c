/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Dragging a body of a live run: the page tells the run where the hand is, and the run pulls with a spring.
import * as THREE from 'three';

import type { App } from '../app/app.ts';
import { LiveRun } from '../data/live.ts';

interface Grip {
    run: LiveRun;
    body: number;
    /** the point that is held, in the frame of the body */
    point: THREE.Vector3;
    hand: THREE.Vector3;
    pointer: number;
}

const DYNAMIC = 2;

export function pull(app: App, parent: HTMLElement): void {
    const { canvas } = app.stage;
    let grip: Grip | undefined;
    /** a message is on its way: the next one waits for it, and only the newest place counts */
    let sending = false;
    let moved = false;

    const tell = async (g: Grip): Promise<void> => {
        moved = true;
        if (sending) return;
        sending = true;
        while (moved && grip === g) {
            moved = false;
            const numbers = [...g.point.toArray(), ...g.hand.toArray()].map((x) => x.toPrecision(9));
            await g.run.send(`drag ${g.body} ${numbers.join(' ')}`).catch(() => undefined);
        }
        sending = false;
        if (grip !== g) await g.run.send('drop').catch(() => undefined);
    };
    const place = (e: PointerEvent): { x: number; y: number } => {
        const r = canvas.getBoundingClientRect();
        return { x: e.clientX - r.left, y: e.clientY - r.top };
    };
    const frameOf = (g: Grip): { at: THREE.Vector3; turn: THREE.Quaternion } | undefined => {
        const pose = g.run.pose(app.primary?.shown ?? -1);
        if (!pose) return undefined;
        const [w, x, y, z] = pose.orientation.subarray(4 * g.body, 4 * g.body + 4);
        return {
            at: new THREE.Vector3().fromArray(pose.position, 3 * g.body),
            turn: new THREE.Quaternion(x, y, z, w),
        };
    };
    const held = (g: Grip): THREE.Vector3 | undefined => {
        const f = frameOf(g);
        return f && g.point.clone().applyQuaternion(f.turn).add(f.at);
    };
    const show = (): void => {
        const from = grip && held(grip);
        if (grip && from) app.stage.showPull(from, grip.hand, app.look.theme.select);
        else app.stage.showPull();
    };
    const begin = (e: PointerEvent): void => {
        const run = app.primary?.run;
        if (e.button !== 0 || e.ctrlKey || e.shiftKey || e.metaKey || grip || e.target !== canvas) return;
        // only of the newest moment: an earlier one cannot be changed any more
        if (!(run instanceof LiveRun) || app.player.index < app.player.last) return;
        if (run.state !== 'running' && run.state !== 'paused') return;
        const at = place(e);
        const picked = app.stage.pick(at.x, at.y);
        if (!picked || run.model.bodies.kind[picked.body] !== DYNAMIC) return;
        const g: Grip = {
            run,
            body: picked.body,
            point: new THREE.Vector3(),
            hand: picked.point.clone(),
            pointer: e.pointerId,
        };
        if (run.model.dim === 2) g.hand.z = 0;
        const f = frameOf(g);
        if (!f) return;
        g.point.copy(g.hand).sub(f.at).applyQuaternion(f.turn.conjugate());
        grip = g;
        e.stopPropagation();
        canvas.setPointerCapture(e.pointerId);
        app.stage.hold(true);
        app.select(g.body);
        void tell(g);
        show();
    };
    const move = (e: PointerEvent): void => {
        if (!grip || e.pointerId !== grip.pointer) return;
        const from = held(grip) ?? grip.hand;
        const at = place(e);
        grip.hand = app.stage.pointBeside(at.x, at.y, from);
        if (grip.run.model.dim === 2) grip.hand.z = 0;
        void tell(grip);
        show();
    };
    const end = (e: PointerEvent): void => {
        if (!grip || e.pointerId !== grip.pointer) return;
        const g = grip;
        grip = undefined;
        app.stage.hold(false);
        show();
        // one that is being sent lets go when it has arrived
        if (!sending) void g.run.send('drop').catch(() => undefined);
    };
    // before the camera's own listeners, which are on the canvas
    parent.addEventListener('pointerdown', begin, { capture: true });
    canvas.addEventListener('pointermove', move);
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
    app.on((change) => {
        if (change === 'moment' && grip) show();
    });
}
