/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Half-spaces: large planes with a grid that fades away; in 2D a filled half-plane. They follow their body.
import * as THREE from 'three';

import { SHAPE, type Model, type Pose } from '../data/model.ts';
import { rowsOf, turn } from '../geometry/pose.ts';
import type { Floor } from './bodies.ts';
import { retire, shaderMaterial } from './programs.ts';
import type { Theme } from './theme.ts';

const VERTEX = /* glsl */ `
uniform vec3 origin;
uniform vec3 axisU;
uniform vec3 axisV;
uniform float size;
out vec2 vAt;
void main() {
    vAt = position.xy * size;
    vec3 world = origin + axisU * vAt.x + axisV * vAt.y;
    gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
}`;

const FRAGMENT = /* glsl */ `
precision highp float;
in vec2 vAt;
uniform vec3 fill;
uniform vec3 grid;
uniform vec3 edge;
uniform float cell;
uniform float size;
uniform float fillPart;
uniform float pixels;
uniform bool planar;
out vec4 colour;
float lines(vec2 q, vec2 w) {
    vec2 d = abs(fract(q - 0.5) - 0.5) / w;
    float near = 1.0 - smoothstep(0.4 * pixels, 0.4 * pixels + 1.0, min(d.x, d.y));
    return near * (1.0 - smoothstep(0.15, 0.45, max(w.x, w.y)));
}
void main() {
    if (planar) {
        // depth below the surface is -vAt.y: a line on the surface, then hatching that fades
        float below = -vAt.y;
        float px = fwidth(vAt.y);
        float line = 1.0 - smoothstep(1.6 * pixels, 1.6 * pixels + 1.0, below / px);
        float h = abs(fract((vAt.x + vAt.y) / (0.5 * cell)) - 0.5) * 0.5 * cell / (1.414 * px);
        float hatch = 1.0 - smoothstep(0.5 * pixels, 0.5 * pixels + 1.0, h);
        vec3 c = mix(fill, grid, 0.75 * hatch);
        colour = vec4(mix(c, edge, 0.8 * line), 1.0);
        return;
    }
    float fade = 1.0 - smoothstep(0.25, 0.98, length(vAt) / size);
    vec2 q = vAt / cell;
    vec2 w = max(fwidth(q), vec2(1e-6));
    float line = max(0.55 * lines(q, w), lines(0.2 * q, 0.2 * w));
    colour = vec4(mix(fill, grid, line), mix(fillPart, 1.0, 0.7 * line) * fade);
}`;

interface Plane {
    body: number;
    /** outward normal and a point of the surface, in the body */
    normal: [number, number, number];
    point: [number, number, number];
    mesh: THREE.Mesh;
    material: THREE.ShaderMaterial;
}

/** 1, 2 or 5 times a power of ten, about a tenth of the size. */
export function gridCell(size: number): number {
    const want = size / 10;
    const power = 10 ** Math.floor(Math.log10(want));
    const part = want / power;
    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : 5);
}

export class Planes {
    readonly group = new THREE.Group();
    floor: Floor | undefined;
    private readonly list: Plane[] = [];
    private readonly centre: THREE.Vector3;

    constructor(
        private readonly model: Model,
        centre: THREE.Vector3,
        private readonly size: number,
    ) {
        this.centre = centre.clone();
        const s = model.shapes;
        const planar = model.dim === 2;
        const shape = new THREE.PlaneGeometry(2, 2);
        // in 2D the surface is the upper side of the square
        if (planar) shape.translate(0, -1, 0);
        for (let i = 0; i < s.body.length; i++) {
            if (s.kind[i] !== SHAPE.halfspace) continue;
            const local = rowsOf(s.pose, 7 * i);
            const n = [s.normal[3 * i], s.normal[3 * i + 1], s.normal[3 * i + 2]] as const;
            const along = (v: readonly number[]): [number, number, number] => [
                local[0] * v[0] + local[1] * v[1] + local[2] * v[2],
                local[4] * v[0] + local[5] * v[1] + local[6] * v[2],
                local[8] * v[0] + local[9] * v[1] + local[10] * v[2],
            ];
            const normal = along(n);
            const point = along(n.map((x) => x * s.offset[i])).map((x, k) => x + local[4 * k + 3]);
            const material = shaderMaterial({
                vertexShader: VERTEX,
                fragmentShader: FRAGMENT,
                side: THREE.DoubleSide,
                transparent: true,
                depthWrite: false,
                uniforms: {
                    origin: { value: new THREE.Vector3() },
                    axisU: { value: new THREE.Vector3() },
                    axisV: { value: new THREE.Vector3() },
                    size: { value: planar ? 200 * size : 12 * size },
                    cell: { value: gridCell(2 * size) },
                    fill: { value: new THREE.Vector3() },
                    grid: { value: new THREE.Vector3() },
                    edge: { value: new THREE.Vector3() },
                    fillPart: { value: 1 },
                    pixels: { value: 1 },
                    planar: { value: planar },
                },
            });
            const mesh = new THREE.Mesh(shape, material);
            mesh.frustumCulled = false;
            mesh.renderOrder = -2;
            this.group.add(mesh);
            this.list.push({
                body: s.body[i],
                normal,
                point: [point[0], point[1], point[2]],
                mesh,
                material,
            });
        }
    }

    /** Number of half-spaces. */
    get count(): number {
        return this.list.length;
    }

    /** A camera that follows something takes the planes along: they end somewhere. Seen from the next place() on. */
    follow(target: THREE.Vector3): void {
        if (this.centre.distanceTo(target) > this.size) this.centre.copy(target);
    }

    place(pose: Pose): void {
        const g = new THREE.Vector3(...this.model.gravity);
        const up = g.length() > 0 ? g.normalize().negate() : new THREE.Vector3(0, 0, 1);
        this.floor = undefined;
        for (const p of this.list) {
            const n = new THREE.Vector3(...turn(pose.orientation, p.body, p.normal));
            const at = new THREE.Vector3(...turn(pose.orientation, p.body, p.point)).add(
                new THREE.Vector3().fromArray(pose.position, 3 * p.body),
            );
            const offset = n.dot(at);
            const origin = this.centre.clone().addScaledVector(n, offset - n.dot(this.centre));
            const u = p.material.uniforms;
            const axisU = u.axisU.value as THREE.Vector3;
            const axisV = u.axisV.value as THREE.Vector3;
            if (this.model.dim === 2) {
                axisV.copy(n);
                axisU.set(n.y, -n.x, 0);
                origin.z = -20;
            } else {
                const other = Math.abs(n.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
                axisU.copy(other).addScaledVector(n, -other.dot(n)).normalize();
                axisV.crossVectors(n, axisU);
                // lines of the grid at multiples of the cell, as in the coordinates of the scene
                const cell = 5 * (u.cell.value as number);
                origin.addScaledVector(axisU, -(origin.dot(axisU) % cell));
                origin.addScaledVector(axisV, -(origin.dot(axisV) % cell));
            }
            (u.origin.value as THREE.Vector3).copy(origin);
            // walls are mostly grid: nothing must hide behind them
            const floorLike = n.dot(up) > 0.3;
            u.fillPart.value = floorLike ? 0.92 : 0.12;
            if (floorLike && !this.floor) this.floor = { normal: [n.x, n.y, n.z], offset };
        }
    }

    paint(theme: Theme): void {
        for (const { material } of this.list) {
            (material.uniforms.fill.value as THREE.Vector3).set(...theme.plane);
            (material.uniforms.grid.value as THREE.Vector3).set(...theme.grid);
            (material.uniforms.edge.value as THREE.Vector3).set(...theme.surface);
        }
    }

    set pixels(ratio: number) {
        for (const { material } of this.list) material.uniforms.pixels.value = ratio;
    }

    /** Distance along a ray to a half-space's surface, and its body; -1: none. */
    pick(ray: THREE.Ray): { body: number; distance: number } {
        let best = { body: -1, distance: Infinity };
        for (const p of this.list) {
            const u = p.material.uniforms;
            const n = new THREE.Vector3().crossVectors(u.axisU.value as THREE.Vector3, u.axisV.value as THREE.Vector3);
            if (this.model.dim === 2) {
                const below = ray.origin.clone().sub(u.origin.value as THREE.Vector3);
                if (below.dot(u.axisV.value as THREE.Vector3) < 0) best = { body: p.body, distance: 1e30 };
                continue;
            }
            const towards = -n.dot(ray.direction);
            const height = n.dot(ray.origin) - n.dot(u.origin.value as THREE.Vector3);
            const distance = height / towards;
            if (towards > 0 && distance > 0 && distance < best.distance) best = { body: p.body, distance };
        }
        return best;
    }

    dispose(): void {
        for (const p of this.list) {
            p.mesh.geometry.dispose();
            retire(p.material);
        }
    }
}
