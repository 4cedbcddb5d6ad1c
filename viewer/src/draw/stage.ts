/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The canvas: renderer, cameras, one or two runs in it.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

import { ballsNow, emptyExtent, reachOf, unite, type Extent } from './extent.ts';
import { approach, type Aim, type CameraMode } from './follow.ts';
import { Pace, type Finish } from './pace.ts';
import type { RunView } from './run_view.ts';
import { Segments } from './segments.ts';
import type { Rgb, Theme } from './theme.ts';
import { warmUp } from './warm_up.ts';

export type Layout = 'single' | 'side' | 'overlay';

export interface Picked {
    view: RunView;
    body: number;
    /** where the ray met it */
    point: THREE.Vector3;
}

/** Directions that the camera looks from: along an axis of the scene, or over a corner of it. */
export const PRESETS = ['x', 'y', 'z', 'isometric'] as const;
export type Preset = (typeof PRESETS)[number];

const FIELD_OF_VIEW = 34;
/** Part of the picture that a scene leaves free around itself, as a factor. */
const MARGIN = 1.1;
/** Smooth edges, by averaging. */
const FINE: Finish = { ratio: 2, full: true };

/** Is the picture drawn by the processor? Then a fine picture is left for when nothing moves. */
function drawnBySoftware(gl: WebGL2RenderingContext): boolean {
    const info = gl.getExtension('WEBGL_debug_renderer_info');
    const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
    return /swiftshader|llvmpipe|software/i.test(name);
}

export class Stage {
    readonly canvas: HTMLCanvasElement;
    views: RunView[] = [];
    layout: Layout = 'single';
    /** the picture is as fine as it gets */
    still = false;
    /** called when the camera moved and the picture is out of date */
    onMoved: () => void = () => undefined;
    /** called when the user took the camera elsewhere: it follows nothing any more */
    onFreed: () => void = () => undefined;
    /** called after each picture */
    onDrawn: (() => void)[] = [];
    private readonly renderer: THREE.WebGLRenderer;
    private readonly scene = new THREE.Scene();
    private readonly solid = new THREE.PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
    private readonly plan = new THREE.OrthographicCamera(-1, 1, 1, -1, 0.1, 200);
    private controls: OrbitControls | undefined;
    private flat = false;
    private extent: Extent = emptyExtent();
    private readonly software: boolean;
    private readonly pace = new Pace();
    private stillTimer = 0;
    private mode: CameraMode = 'free';
    private followed = -1;
    /** where the followed body was in the last picture */
    private followedAt: THREE.Vector3 | undefined;
    private reach: Float64Array | undefined;
    private onTheWay = false;
    private lastFollow = 0;
    private held: Aim | undefined;
    private readonly pull = new Segments({ width: 2.5, head: 9, through: true });
    private cool: (() => void) | undefined;
    private width = 1;
    private height = 1;

    constructor(private readonly parent: HTMLElement) {
        this.canvas = document.createElement('canvas');
        this.canvas.dataset.testid = 'canvas';
        this.canvas.tabIndex = 0;
        // until there is a run to draw: warmUp() draws something else
        this.canvas.style.visibility = 'hidden';
        parent.append(this.canvas);
        const options = { antialias: false, stencil: true, preserveDrawingBuffer: true };
        const context = this.canvas.getContext('webgl2', options) as WebGL2RenderingContext | null;
        if (!context) throw new Error('This browser has no WebGL 2, which the pictures need.');
        this.software = drawnBySoftware(context);
        this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, context, ...options });
        this.renderer.autoClear = false;
        this.pull.commit();
        this.scene.add(this.pull.mesh);
        new ResizeObserver(() => this.resize()).observe(parent);
        this.resize();
    }

    /** Makes ready what the first picture needs. */
    warmUp(): void {
        this.cool ??= warmUp(this.renderer);
    }

    /** Shows these runs; the camera is moved if other ones are shown, unless it is to stay and can. */
    setViews(views: RunView[], layout: Layout, stay = false): void {
        for (const v of this.views) this.scene.remove(v.group);
        const before = this.views;
        const layoutBefore = this.layout;
        this.views = views;
        this.layout = views.length > 1 ? layout : 'single';
        for (const v of views) this.scene.add(v.group);
        views[0]?.bodies.overlay(false);
        views[1]?.bodies.overlay(this.layout === 'overlay');
        if (views[1])
            views[1].planes.group.visible = this.layout !== 'overlay' || views[1].planes.count > views[0].planes.count;
        this.extent = unite(views.map((v) => v.seen));
        this.reach = undefined;
        this.resize();
        if (!views[0]) return;
        if (stay && this.controls && this.flat === (views[0].run.model.dim === 2)) return;
        if (views[0] !== before[0]) this.start(views[0]);
        // another run beside it, or another width: both are to be seen whole
        else if (this.layout !== layoutBefore || views.some((v, i) => v !== before[i])) this.fit();
    }

    /** The camera back to where the whole scene is seen. */
    fit(): void {
        const { centre } = this.extent;
        if (this.flat) {
            this.plan.position.set(centre.x, centre.y, 100);
            this.plan.zoom = 1;
            this.controls?.target.set(centre.x, centre.y, 0);
        } else {
            const up = this.views[0]?.up ?? new THREE.Vector3(0, 0, 1);
            const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
            this.lookFrom(new THREE.Vector3(0.95, -1.5, 0.62).normalize().applyQuaternion(turn), up);
        }
        this.followedAt = undefined;
        this.updateProjection();
        this.controls?.update();
        this.onMoved();
    }

    /** The whole scene from one of the directions; in the plane there is one only. */
    preset(which: Preset): void {
        if (this.flat || !this.views[0]) {
            this.fit();
            return;
        }
        const { up } = this.views[0];
        const axis = new THREE.Vector3(which === 'x' ? 1 : 0, which === 'y' ? -1 : 0, which === 'z' ? 1 : 0);
        if (which === 'isometric')
            axis.set(1, -1, 1).applyQuaternion(
                new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), up),
            );
        axis.normalize();
        // straight from above any side may be up in the picture: then it is the one that lies in the picture's plane
        if (Math.abs(axis.dot(up)) > 0.999) {
            const side = new THREE.Vector3(0, Math.abs(up.y) > 0.9 ? 0 : 1, Math.abs(up.y) > 0.9 ? 1 : 0);
            axis.addScaledVector(side, -1e-4).normalize();
        }
        this.lookFrom(axis, up);
        this.followedAt = undefined;
        this.controls?.update();
        this.onMoved();
    }

    /** From which side the camera looks, and what is up in the picture: for the triad. */
    get orientation(): THREE.Quaternion {
        return this.camera().quaternion;
    }

    /** What the camera does by itself from now on. */
    setMode(mode: CameraMode, body = -1): void {
        this.mode = mode;
        this.followed = mode === 'body' ? body : -1;
        this.followedAt = undefined;
        this.onTheWay = mode === 'fit';
        this.onMoved();
    }

    /** Before a picture: the camera goes along with what moves. True: it is still on its way, another picture is needed. */
    follow(): boolean {
        const now = performance.now();
        const seconds = Math.min(0.1, (now - this.lastFollow) / 1000);
        this.lastFollow = now;
        if (this.mode === 'free' || this.held || !this.controls) return false;
        if (this.mode === 'body') this.followBody();
        else this.keepInView(seconds);
        for (const v of this.views) v.planes.follow(this.controls.target);
        return this.mode === 'fit' && this.onTheWay;
    }

    private followBody(): void {
        const v = this.views[0];
        const pose = v && v.shown >= 0 ? v.run.pose(v.shown, false) : undefined;
        if (!pose || this.followed < 0 || !this.controls) return;
        const at = new THREE.Vector3().fromArray(pose.position, 3 * this.followed);
        if (!Number.isFinite(at.x + at.y + at.z)) return;
        const shift = at.clone().sub(this.followedAt ?? this.controls.target);
        if (this.flat) shift.z = 0;
        this.camera().position.add(shift);
        this.controls.target.add(shift);
        this.followedAt = at;
        this.camera().updateMatrixWorld();
    }

    private keepInView(seconds: number): void {
        const balls = this.views.flatMap((v) => {
            const pose = v.shown >= 0 ? v.run.pose(v.shown, false) : undefined;
            if (!pose) return [];
            const reach = v === this.views[0] ? (this.reach ??= reachOf(v.run.model)) : reachOf(v.run.model);
            return Array.from(ballsNow(v.run.model, reach, pose.position, v.seen.size));
        });
        if (balls.length === 0 || !this.controls) return;
        const now = this.aim();
        const next = approach(now, this.aimAt(Float64Array.from(balls)), this.onTheWay, seconds);
        this.onTheWay = next !== undefined;
        if (next) this.setAim(next);
    }

    private aim(): Aim {
        const target = this.controls?.target.clone() ?? new THREE.Vector3();
        if (this.flat) return { target, distance: this.plan.top / this.plan.zoom };
        return { target, distance: this.solid.position.distanceTo(target) };
    }

    private setAim({ target, distance }: Aim): void {
        if (this.flat) {
            this.plan.position.set(target.x, target.y, 100);
            this.plan.zoom = this.plan.top / distance;
            this.plan.updateProjectionMatrix();
        } else {
            const from = this.solid.position.clone().sub(this.controls?.target ?? target);
            this.solid.position.copy(target).addScaledVector(from.normalize(), distance);
            this.setDepths(distance);
        }
        this.controls?.target.copy(target);
        this.camera().updateMatrixWorld();
    }

    /** Where the camera would see all of these balls, from the side that it is on. */
    private aimAt(balls: Float64Array): Aim {
        if (!this.flat) {
            const from = this.solid.position.clone().sub(this.controls?.target ?? new THREE.Vector3());
            return this.frameFor(from.normalize(), this.solid.up, balls);
        }
        const box = new THREE.Box2();
        for (let i = 0; i < balls.length; i += 4)
            for (const sign of [-1, 1])
                box.expandByPoint(
                    new THREE.Vector2(balls[i] + sign * balls[i + 3], balls[i + 1] + sign * balls[i + 3]),
                );
        const size = box.getSize(new THREE.Vector2());
        const middle = box.getCenter(new THREE.Vector2());
        const aspect = this.viewWidth() / this.height;
        return {
            target: new THREE.Vector3(middle.x, middle.y, 0),
            distance: 0.5 * MARGIN * Math.max(size.y, size.x / aspect),
        };
    }

    private lookFrom(from: THREE.Vector3, up: THREE.Vector3): void {
        const { target, distance } = this.frameFor(from, up, this.extent.balls);
        this.solid.position.copy(target).addScaledVector(from, distance);
        this.solid.up.copy(up);
        this.setDepths(distance);
        this.controls?.target.copy(target);
    }

    private setDepths(distance: number): void {
        this.solid.near = distance / 500;
        this.solid.far = 40 * distance + 12 * this.extent.size;
        this.solid.updateProjectionMatrix();
    }

    /** Looks at a point without turning the camera. */
    lookAt(p: THREE.Vector3): void {
        if (!this.controls) return;
        const shift = p.clone().sub(this.controls.target);
        this.camera().position.add(shift);
        this.controls.target.add(shift);
        this.controls.update();
        this.onMoved();
    }

    render(theme: Theme): void {
        this.pace.tick(performance.now());
        this.draw(theme, this.software ? this.pace.finish : FINE);
        this.tellDrawn();
        this.cool?.();
        this.cool = undefined;
        this.still = !this.software;
        if (this.still) return;
        clearTimeout(this.stillTimer);
        this.stillTimer = window.setTimeout(() => {
            this.renderFine(theme);
        }, this.pace.stillAfter);
    }

    /** As fine as it gets, now. */
    renderFine(theme: Theme): void {
        clearTimeout(this.stillTimer);
        this.draw(theme, FINE);
        this.still = true;
        this.tellDrawn();
    }

    private tellDrawn(): void {
        if (this.views.length > 0) this.canvas.style.visibility = '';
        for (const f of this.onDrawn) f();
    }

    pick(x: number, y: number): Picked | undefined {
        const w = this.viewWidth();
        const second = this.layout === 'side' && x >= w;
        const at = new THREE.Vector2((2 * (second ? x - w : x)) / w - 1, 1 - (2 * y) / this.height);
        const caster = new THREE.Raycaster();
        caster.setFromCamera(at, this.camera());
        const candidates = this.layout === 'side' ? [this.views[second ? 1 : 0]] : this.views;
        let best: { picked: Picked; distance: number } | undefined;
        for (const view of candidates) {
            const hit = view?.pick(caster.ray);
            if (hit && hit.body >= 0 && (!best || hit.distance < best.distance))
                best = {
                    picked: { view, body: hit.body, point: caster.ray.at(hit.distance, new THREE.Vector3()) },
                    distance: hit.distance,
                };
        }
        return best?.picked;
    }

    /** The point under the pointer in the plane through `p` that faces the camera; CSS pixels. */
    pointBeside(x: number, y: number, p: THREE.Vector3): THREE.Vector3 {
        const w = this.viewWidth();
        const caster = new THREE.Raycaster();
        caster.setFromCamera(new THREE.Vector2((2 * (x % w)) / w - 1, 1 - (2 * y) / this.height), this.camera());
        const normal = this.camera().getWorldDirection(new THREE.Vector3());
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, p);
        return caster.ray.intersectPlane(plane, new THREE.Vector3()) ?? p.clone();
    }

    /** A line from a body to the hand that pulls it; without arguments it goes away. */
    showPull(from?: THREE.Vector3, to?: THREE.Vector3, tone: Rgb = [1, 1, 1]): void {
        this.pull.clear();
        if (from && to) this.pull.add(from.x, from.y, from.z, to.x, to.y, to.z, tone);
        this.pull.commit();
        this.onMoved();
    }

    /** The camera stands still meanwhile. */
    hold(on: boolean): void {
        this.held = on ? this.aim() : undefined;
        this.followedAt = undefined;
    }

    /** Where a point of the scene is on the canvas, in CSS pixels; for tests and labels. */
    project(p: THREE.Vector3): { x: number; y: number } {
        const q = p.clone().project(this.camera());
        return { x: (0.5 + 0.5 * q.x) * this.viewWidth(), y: (0.5 - 0.5 * q.y) * this.height };
    }

    /** A point is before the camera, not behind it. */
    before(p: THREE.Vector3): boolean {
        const camera = this.camera();
        return p.clone().sub(camera.position).dot(camera.getWorldDirection(new THREE.Vector3())) > 0;
    }

    /** Where the camera looks, and from how far in this direction, for all balls of the scene to be seen. */
    private frameFor(from: THREE.Vector3, up: THREE.Vector3, balls: Float64Array): Aim {
        const centre = balls.length > 0 ? new THREE.Vector3() : this.extent.centre;
        for (let i = 0; i < balls.length; i += 4)
            centre.addScaledVector(new THREE.Vector3().fromArray(balls, i), 4 / balls.length);
        const right = new THREE.Vector3().crossVectors(up, from).normalize();
        const top = new THREE.Vector3().crossVectors(from, right);
        const tan = Math.tan((0.5 * FIELD_OF_VIEW * Math.PI) / 180) / MARGIN;
        const wide = tan * (this.viewWidth() / this.height);
        const target = centre.clone();
        let distance = 0;
        const p = new THREE.Vector3();
        // the middle of the picture depends on the distance and the other way round: a few rounds settle both
        for (let round = 0; round < 4; round++) {
            let [left, rightmost, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
            const last = distance;
            distance = 0;
            for (let i = 0; i < balls.length; i += 4) {
                p.fromArray(balls, i).sub(target);
                const [x, y, z, r] = [p.dot(right), p.dot(top), p.dot(from), balls[i + 3]];
                distance = Math.max(distance, z + (Math.abs(x) + r) / wide, z + (Math.abs(y) + r) / tan);
                const near = Math.max(last - z, r);
                left = Math.min(left, (x - r) / near);
                rightmost = Math.max(rightmost, (x + r) / near);
                low = Math.min(low, (y - r) / near);
                high = Math.max(high, (y + r) / near);
            }
            if (round === 0 || !Number.isFinite(left + low)) continue;
            target
                .addScaledVector(right, 0.5 * (left + rightmost) * last)
                .addScaledVector(top, 0.5 * (low + high) * last);
        }
        return { target, distance: Math.max(distance, 1e-3 * this.extent.size) };
    }

    private camera(): THREE.PerspectiveCamera | THREE.OrthographicCamera {
        return this.flat ? this.plan : this.solid;
    }

    private start(view: RunView): void {
        this.flat = view.run.model.dim === 2;
        this.controls?.dispose();
        const controls = new OrbitControls(this.camera(), this.canvas);
        controls.enableDamping = false;
        controls.zoomToCursor = true;
        if (this.flat) {
            controls.enableRotate = false;
            controls.screenSpacePanning = true;
            controls.mouseButtons = { LEFT: THREE.MOUSE.PAN, MIDDLE: THREE.MOUSE.DOLLY, RIGHT: THREE.MOUSE.PAN };
            controls.touches = { ONE: THREE.TOUCH.PAN, TWO: THREE.TOUCH.DOLLY_PAN };
        }
        controls.addEventListener('change', () => this.onMoved());
        controls.addEventListener('start', () => (this.held = this.aim()));
        controls.addEventListener('end', () => {
            // turning the camera is fine while it follows; moving it or coming nearer is the user's own choice
            const before = this.held;
            const after = this.aim();
            this.held = undefined;
            const moved = before && before.target.distanceTo(after.target) > 1e-6 * after.distance;
            const zoomed = before && Math.abs(before.distance / after.distance - 1) > 1e-6;
            if (this.mode === 'fit' && (moved || zoomed)) this.onFreed();
        });
        this.controls = controls;
        this.fit();
    }

    private viewWidth(): number {
        return this.layout === 'side' ? this.width / 2 : this.width;
    }

    private resize(): void {
        this.width = Math.max(1, this.parent.clientWidth);
        this.height = Math.max(1, this.parent.clientHeight);
        this.updateProjection();
        this.onMoved();
    }

    private updateProjection(): void {
        const aspect = this.viewWidth() / this.height;
        this.solid.aspect = aspect;
        this.solid.updateProjectionMatrix();
        const { half: box } = this.extent;
        const half = MARGIN * Math.max(box.y, box.x / aspect);
        this.plan.left = -half * aspect;
        this.plan.right = half * aspect;
        this.plan.top = half;
        this.plan.bottom = -half;
        this.plan.updateProjectionMatrix();
    }

    /** A canvas that is given a size, even the one it has, gets a new buffer; pictures of the same size share one. */
    private setBuffer(pixels: number): void {
        const { renderer, width, height } = this;
        const size = renderer.getSize(new THREE.Vector2());
        if (size.x === width && size.y === height && renderer.getPixelRatio() === pixels) return;
        renderer.setDrawingBufferSize(width, height, pixels);
    }

    private draw(theme: Theme, { ratio: pixels, full }: Finish): void {
        const { renderer } = this;
        this.setBuffer(pixels);
        renderer.setClearColor(new THREE.Color().setRGB(...theme.background, THREE.SRGBColorSpace), 1);
        renderer.setScissorTest(false);
        renderer.clear(true, true, true);
        const w = this.viewWidth();
        const camera = this.camera();
        camera.updateMatrixWorld();
        this.pull.resize(w * pixels, this.height * pixels, pixels);
        for (const v of this.views) {
            v.resize(w * pixels, this.height * pixels, pixels);
            v.bodies.coarse = !full;
            v.bodies.shadows.visible = v.shadows && full;
        }
        if (this.layout !== 'side') {
            renderer.setViewport(0, 0, this.width, this.height);
            renderer.render(this.scene, camera);
            return;
        }
        renderer.setScissorTest(true);
        this.views.forEach((v, i) => {
            this.views.forEach((o) => (o.group.visible = o === v));
            renderer.setViewport(i * w, 0, w, this.height);
            renderer.setScissor(i * w, 0, w, this.height);
            renderer.render(this.scene, camera);
        });
        this.views.forEach((v) => (v.group.visible = true));
    }
}
