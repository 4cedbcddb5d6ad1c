// The canvas: renderer, cameras, one or two runs in it.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

import { emptyExtent, type Extent } from './extent.ts';
import { Pace, type Finish } from './pace.ts';
import type { RunView } from './run_view.ts';
import type { Theme } from './theme.ts';
import { warmUp } from './warm_up.ts';

export type Layout = 'single' | 'side' | 'overlay';

export interface Picked {
    view: RunView;
    body: number;
}

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
    private cool: (() => void) | undefined;
    private width = 1;
    private height = 1;

    constructor(private readonly parent: HTMLElement) {
        this.canvas = document.createElement('canvas');
        this.canvas.dataset.testid = 'canvas';
        this.canvas.tabIndex = 0;
        parent.append(this.canvas);
        const options = { antialias: false, stencil: true, preserveDrawingBuffer: true };
        const context = this.canvas.getContext('webgl2', options) as WebGL2RenderingContext | null;
        if (!context) throw new Error('This browser has no WebGL 2, which the pictures need.');
        this.software = drawnBySoftware(context);
        this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, context, ...options });
        this.renderer.autoClear = false;
        new ResizeObserver(() => this.resize()).observe(parent);
        this.resize();
    }

    /** Makes ready what the first picture needs. */
    warmUp(): void {
        this.cool ??= warmUp(this.renderer);
    }

    /** Shows these runs; the camera is moved if the dimension or the scene changed. */
    setViews(views: RunView[], layout: Layout): void {
        for (const v of this.views) this.scene.remove(v.group);
        const before = this.views[0]?.run;
        this.views = views;
        this.layout = views.length > 1 ? layout : 'single';
        for (const v of views) this.scene.add(v.group);
        views[0]?.bodies.overlay(false);
        views[1]?.bodies.overlay(this.layout === 'overlay');
        if (views[1])
            views[1].planes.group.visible = this.layout !== 'overlay' || views[1].planes.count > views[0].planes.count;
        if (views[0] && views[0].run !== before) this.start(views[0]);
        this.resize();
    }

    /** The camera back to where the whole scene is seen. */
    fit(): void {
        const { centre, size } = this.extent;
        if (this.flat) {
            this.plan.position.set(centre.x, centre.y, 100);
            this.plan.zoom = 1;
            this.controls?.target.set(centre.x, centre.y, 0);
        } else {
            const up = this.views[0]?.up ?? new THREE.Vector3(0, 0, 1);
            const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
            const from = new THREE.Vector3(0.95, -1.5, 0.62).normalize().applyQuaternion(turn);
            const { target, distance } = this.frameFor(from, up);
            this.solid.position.copy(target).addScaledVector(from, distance);
            this.solid.up.copy(up);
            this.solid.near = distance / 500;
            this.solid.far = 40 * distance + 12 * size;
            this.controls?.target.copy(target);
        }
        this.updateProjection();
        this.controls?.update();
        this.onMoved();
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
        this.cool?.();
        this.cool = undefined;
        this.still = !this.software;
        if (this.still) return;
        clearTimeout(this.stillTimer);
        this.stillTimer = window.setTimeout(() => {
            this.draw(theme, FINE);
            this.still = true;
        }, this.pace.stillAfter);
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
                best = { picked: { view, body: hit.body }, distance: hit.distance };
        }
        return best?.picked;
    }

    /** Where a point of the scene is on the canvas, in CSS pixels; for tests and labels. */
    project(p: THREE.Vector3): { x: number; y: number } {
        const q = p.clone().project(this.camera());
        return { x: (0.5 + 0.5 * q.x) * this.viewWidth(), y: (0.5 - 0.5 * q.y) * this.height };
    }

    /** Where the camera looks, and from how far in this direction, for all balls of the scene to be seen. */
    private frameFor(from: THREE.Vector3, up: THREE.Vector3): { target: THREE.Vector3; distance: number } {
        const { balls, centre } = this.extent;
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
        this.extent = view.extent;
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

    private draw(theme: Theme, { ratio: pixels, full }: Finish): void {
        const { renderer } = this;
        renderer.setPixelRatio(pixels);
        renderer.setSize(this.width, this.height, false);
        renderer.setClearColor(new THREE.Color().setRGB(...theme.background, THREE.SRGBColorSpace), 1);
        renderer.setScissorTest(false);
        renderer.clear(true, true, true);
        const w = this.viewWidth();
        const camera = this.camera();
        camera.updateMatrixWorld();
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
