/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// All shapes of a run, drawn as one mesh: fine, or coarse while things move where that is hard to keep up with.
import * as THREE from 'three';

import type { Model, Pose } from '../data/model.ts';
import { placeRows, rowsOf } from '../geometry/pose.ts';
import { mark, surfaceOf, type Surface } from '../geometry/shapes.ts';
import type { Solid } from '../geometry/solid.ts';
import { bodyMeshes } from './body_mesh.ts';
import { bodyMaterial, MARK, paint, shadowMaterial, TEXELS, TEXTURE_WIDTH } from './body_material.ts';
import { retire } from './programs.ts';
import type { Rgb, Theme } from './theme.ts';

interface Part {
    /** -1: the mark of a body that has none */
    shape: number;
    body: number;
    surface: Surface;
    local: Float64Array;
}

export interface Floor {
    normal: readonly [number, number, number];
    offset: number;
}

/** Corners of a quarter circle, by the number of shapes: a thousand balls are small on the screen. */
function detailFor(shapes: number): number {
    return shapes > 2000 ? 3 : shapes > 300 ? 4 : shapes > 60 ? 8 : 12;
}

export class Bodies {
    readonly group = new THREE.Group();
    readonly shadows = new THREE.Group();
    /** radius of each body's ball about its centre of mass; 0 for half-spaces [L] */
    readonly reach: Float64Array;
    /** kinds of shape that this viewer does not know */
    readonly unknownKinds: number[];
    private readonly parts: Part[] = [];
    private readonly solids = new Map<string, Solid>();
    private readonly table: Float32Array;
    private readonly texture: THREE.DataTexture;
    private readonly material: THREE.ShaderMaterial;
    private readonly shadow: THREE.ShaderMaterial;
    private readonly detail: number;
    private readonly fineMeshes: THREE.BufferGeometry[];
    private coarseMeshes: THREE.BufferGeometry[] | undefined;

    constructor(
        private readonly model: Model,
        private readonly small: number,
    ) {
        const s = model.shapes;
        const n = s.body.length;
        this.reach = new Float64Array(model.bodies.name.length);
        this.detail = detailFor(n);
        const unknown = new Set<number>();
        for (let i = 0; i < n; i++) {
            const surface = surfaceOf(s, i, model.dim, this.detail, small);
            if (surface.role === 'unknown') unknown.add(s.kind[i]);
            if (surface.role === 'halfspace') continue;
            const local = rowsOf(s.pose, 7 * i);
            this.parts.push({ shape: i, body: s.body[i], surface, local });
            const far = Math.hypot(local[3], local[7], local[11]) + surface.reach;
            this.reach[s.body[i]] = Math.max(this.reach[s.body[i]], far);
        }
        this.markBare();
        this.unknownKinds = [...unknown].sort((a, b) => a - b);
        const height = Math.max(1, Math.ceil((this.parts.length * TEXELS) / TEXTURE_WIDTH));
        this.table = new Float32Array(4 * TEXTURE_WIDTH * height);
        this.texture = new THREE.DataTexture(this.table, TEXTURE_WIDTH, height, THREE.RGBAFormat, THREE.FloatType);
        this.material = bodyMaterial(this.texture);
        this.material.uniforms.lit.value = model.dim === 3;
        this.shadow = shadowMaterial(this.texture);
        this.fineMeshes = bodyMeshes(this.alike().map((slots) => ({ slots, solid: this.solidOf(slots[0]) })));
        for (const mesh of this.fineMeshes) this.add(mesh);
    }

    get count(): number {
        return this.parts.length;
    }

    /** Takes the bodies to their poses. */
    place(pose: Pose): void {
        const flat = this.model.dim === 2;
        this.parts.forEach((part, k) => {
            const at = 4 * TEXELS * k;
            placeRows(this.table, at, pose.position, pose.orientation, part.body, part.local, part.surface.scale);
            // in 2D nothing is above anything else: the order of bodies decides, obstacles are below
            if (flat) this.table[at + 11] = (part.body + 1) * 1e-3 - (this.model.bodies.kind[part.body] === 0 ? 10 : 0);
        });
        this.texture.needsUpdate = true;
    }

    /** Colours and marks of all shapes. */
    colour(of: (body: number, shape: number) => Rgb, marked: (body: number) => number): void {
        this.parts.forEach((part, k) => {
            const at = 4 * TEXELS * k + 12;
            const c = of(part.body, part.shape);
            this.table[at] = c[0];
            this.table[at + 1] = c[1];
            this.table[at + 2] = c[2];
            this.table[at + 3] = marked(part.body);
        });
        this.texture.needsUpdate = true;
    }

    paint(theme: Theme): void {
        paint(this.material, theme);
        paint(this.shadow, theme);
    }

    /** The second of two runs in one picture: tinted and half transparent. */
    overlay(on: boolean): void {
        this.material.uniforms.tintPart.value = on ? 0.75 : 0;
        this.material.uniforms.opacity.value = on ? 0.55 : 1;
        this.material.transparent = on;
        this.material.needsUpdate = true;
    }

    set edges(on: boolean) {
        this.material.uniforms.edgePart.value = on ? 1 : 0;
    }

    set pixels(ratio: number) {
        this.material.uniforms.pixels.value = ratio;
    }

    light(direction: THREE.Vector3, up: THREE.Vector3, floor: Floor | undefined, size: number): void {
        for (const m of [this.material, this.shadow]) (m.uniforms.light.value as THREE.Vector3).copy(direction);
        (this.material.uniforms.up.value as THREE.Vector3).copy(up);
        if (!floor) return;
        (this.shadow.uniforms.planeNormal.value as THREE.Vector3).set(...floor.normal);
        this.shadow.uniforms.planeOffset.value = floor.offset;
        this.shadow.uniforms.lift.value = 2e-4 * size;
    }

    /** Half the corners along each round. */
    set coarse(on: boolean) {
        if (on) this.coarseMeshes ??= this.buildCoarse();
        const meshes = (on && this.coarseMeshes) || this.fineMeshes;
        for (const group of [this.group, this.shadows])
            group.children.forEach((o, i) => ((o as THREE.Mesh).geometry = meshes[i]));
    }

    /** Nearest body along a ray, or -1. */
    pick(ray: THREE.Ray): { body: number; distance: number } {
        let best = Infinity;
        let found = -1;
        const inverse = new THREE.Matrix4();
        const local = new THREE.Ray();
        const corner = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()] as const;
        const hit = new THREE.Vector3();
        const t = this.table;
        this.parts.forEach((part, k) => {
            const r = 4 * TEXELS * k;
            if (t[r + 15] === MARK.hidden) return;
            const centre = hit.set(t[r + 3], t[r + 7], t[r + 11]);
            if (ray.distanceSqToPoint(centre) > part.surface.reach ** 2 * 1.01 + 1e-12) return;
            const m = Array.from(t.subarray(r, r + 12)) as number[];
            inverse.set(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], 0, 0, 0, 1).invert();
            local.copy(ray).applyMatrix4(inverse);
            const s = this.solidOf(k);
            for (let i = 0; i < s.index.length; i += 3) {
                for (let c = 0; c < 3; c++) corner[c].fromArray(s.position, 3 * s.index[i + c]);
                if (!local.intersectTriangle(corner[0], corner[1], corner[2], false, hit)) continue;
                hit.set(
                    m[0] * hit.x + m[1] * hit.y + m[2] * hit.z + m[3],
                    m[4] * hit.x + m[5] * hit.y + m[6] * hit.z + m[7],
                    m[8] * hit.x + m[9] * hit.y + m[10] * hit.z + m[11],
                );
                const distance = hit.distanceTo(ray.origin);
                if (distance >= best) continue;
                best = distance;
                found = part.body;
            }
        });
        return { body: found, distance: best };
    }

    /** Box of a body along the axes: the smallest that holds its corners; round parts by their reach. */
    bounds(body: number, low: Float64Array, high: Float64Array): boolean {
        low.fill(Infinity);
        high.fill(-Infinity);
        const t = this.table;
        for (const k of this.partsOf(body)) {
            const r = 4 * TEXELS * k;
            const s = this.solidOf(k);
            for (let i = 0; i < s.position.length; i += 3)
                for (let a = 0; a < 3; a++) {
                    const row = r + 4 * a;
                    const x =
                        t[row] * s.position[i] +
                        t[row + 1] * s.position[i + 1] +
                        t[row + 2] * s.position[i + 2] +
                        t[row + 3];
                    if (x < low[a]) low[a] = x;
                    if (x > high[a]) high[a] = x;
                }
        }
        return low[0] <= high[0];
    }

    dispose(): void {
        for (const mesh of [...this.fineMeshes, ...(this.coarseMeshes ?? [])]) mesh.dispose();
        this.texture.dispose();
        retire(this.material);
        retire(this.shadow);
    }

    /** Bodies without a shape are still there: a mark shows where. */
    private markBare(): void {
        const { small } = this;
        const { bodies, shapes, dim } = this.model;
        const carries = new Set(shapes.body);
        const local = rowsOf([0, 0, 0, 1, 0, 0, 0], 0);
        bodies.name.forEach((_, body) => {
            if (carries.has(body)) return;
            this.parts.push({ shape: -1, body, surface: mark(small, dim, 'mark'), local });
            this.reach[body] = small;
        });
    }

    private byBody: number[][] | undefined;
    private partsOf(body: number): number[] {
        if (!this.byBody) {
            this.byBody = this.model.bodies.name.map(() => []);
            this.parts.forEach((p, k) => this.byBody?.[p.body].push(k));
        }
        return this.byBody[body];
    }

    private solidOf(part: number): Solid {
        const { surface } = this.parts[part];
        let s = this.solids.get(surface.key);
        if (!s) {
            s = surface.build();
            this.solids.set(surface.key, s);
        }
        return s;
    }

    /** Parts with the same surface, together. */
    private alike(): number[][] {
        const equal = new Map<string, number[]>();
        this.parts.forEach((p, k) => {
            const list = equal.get(p.surface.key);
            if (list) list.push(k);
            else equal.set(p.surface.key, [k]);
        });
        return [...equal.values()];
    }

    private buildCoarse(): THREE.BufferGeometry[] {
        const { shapes, dim } = this.model;
        const detail = Math.max(2, Math.ceil(this.detail / 2));
        const meshes = bodyMeshes(
            this.alike().map((slots) => {
                const { shape } = this.parts[slots[0]];
                const solid =
                    shape < 0 ? this.solidOf(slots[0]) : surfaceOf(shapes, shape, dim, detail, this.small).build();
                return { slots, solid };
            }),
        );
        // what is too large to be copied finely may not be too large coarsely: then the fine ones serve
        return meshes.length === this.fineMeshes.length ? meshes : this.fineMeshes;
    }

    private add(geometry: THREE.BufferGeometry): void {
        for (const [group, material, order] of [
            [this.group, this.material, 0],
            [this.shadows, this.shadow, -1],
        ] as const) {
            const mesh = new THREE.Mesh(geometry, material);
            mesh.frustumCulled = false;
            mesh.renderOrder = order;
            group.add(mesh);
        }
    }
}
