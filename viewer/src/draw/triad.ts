/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The axes of the scene and the direction of gravity, as the camera sees them: a small drawing in the corner.
import * as THREE from 'three';

import { css, rgb, type Rgb, type Theme } from './theme.ts';

const AXES: readonly { name: 'x' | 'y' | 'z'; along: THREE.Vector3; colour: Rgb }[] = [
    { name: 'x', along: new THREE.Vector3(1, 0, 0), colour: rgb(0xd6453d) },
    { name: 'y', along: new THREE.Vector3(0, 1, 0), colour: rgb(0x2f9e62) },
    { name: 'z', along: new THREE.Vector3(0, 0, 1), colour: rgb(0x3f7fd0) },
];

/** An arrow of the triad in the picture: x to the right, y up, depth towards the viewer; 1 is its whole length. */
export interface Arm {
    name: string;
    x: number;
    y: number;
    depth: number;
    colour: Rgb;
}

/** Farthest first. Axes that point at the viewer are dots; in the plane there is no third one. */
export function arms(camera: THREE.Quaternion, gravity: readonly number[], flat: boolean, theme: Theme): Arm[] {
    const back = camera.clone().conjugate();
    const seen = (v: THREE.Vector3, name: string, colour: Rgb): Arm => {
        const p = v.clone().normalize().applyQuaternion(back);
        return { name, x: p.x, y: p.y, depth: p.z, colour };
    };
    const list = AXES.filter((a) => !flat || a.name !== 'z').map((a) => seen(a.along, a.name, a.colour));
    const g = new THREE.Vector3(...gravity);
    if (g.length() > 0) list.push(seen(g, 'g', theme.normal));
    return list.sort((a, b) => a.depth - b.depth);
}

/** Draws it about (x, y) within a square of this size [pixels of the drawing]. */
export function drawTriad(g: CanvasRenderingContext2D, list: readonly Arm[], x: number, y: number, size: number): void {
    const length = 0.3 * size; // leaves room for the names: half of the square is 0.3 + 0.12 + half a letter
    g.lineCap = 'round';
    g.textAlign = 'center';
    g.textBaseline = 'middle';
    g.font = `600 ${Math.round(0.15 * size)}px system-ui, sans-serif`;
    for (const a of list) {
        const isGravity = a.name === 'g';
        const [dx, dy] = [length * a.x, -length * a.y];
        const l = Math.hypot(dx, dy);
        g.strokeStyle = g.fillStyle = css(a.colour);
        g.lineWidth = (isGravity ? 0.03 : 0.026) * size;
        g.setLineDash(isGravity ? [0.04 * size, 0.05 * size] : []);
        g.beginPath();
        g.moveTo(x, y);
        g.lineTo(x + dx, y + dy);
        g.stroke();
        g.setLineDash([]);
        if (l > 0.1 * length) {
            const [ux, uy] = [dx / l, dy / l];
            const head = Math.min(0.09 * size, l);
            g.beginPath();
            g.moveTo(x + dx + 0.3 * head * ux, y + dy + 0.3 * head * uy);
            g.lineTo(x + dx - head * ux + 0.5 * head * uy, y + dy - head * uy - 0.5 * head * ux);
            g.lineTo(x + dx - head * ux - 0.5 * head * uy, y + dy - head * uy + 0.5 * head * ux);
            g.fill();
        }
        // an arrow towards the viewer, or away from him, has its name beside it: gravity below, an axis above
        const aside = isGravity ? -0.11 * size : 0.11 * size;
        const [tx, ty] =
            l > 0.1 * length ? [dx + (0.12 * size * dx) / l, dy + (0.12 * size * dy) / l] : [aside, -aside];
        g.fillText(a.name, x + tx, y + ty);
    }
}
