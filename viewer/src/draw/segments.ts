/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Many straight lines of constant width on the screen, with or without arrow heads: one draw call for all of a layer.
import * as THREE from 'three';

import type { Rgb } from './theme.ts';
import { grown } from './grow.ts';
import { retire, shaderMaterial } from './programs.ts';

const VERTEX = /* glsl */ `
in vec3 a;
in vec3 b;
in vec3 tone;
uniform vec2 resolution;
uniform float width;
uniform float head;
uniform float pixels;
out vec3 vTone;
void main() {
    vec4 va = viewMatrix * vec4(a, 1.0);
    vec4 vb = viewMatrix * vec4(b, 1.0);
    bool perspective = projectionMatrix[2][3] == -1.0;
    bool hidden = false;
    if (perspective) {
        // cut at a plane in front of the eye: behind it a projection has no meaning
        float near = -1.01 * projectionMatrix[3][2] / (projectionMatrix[2][2] - 1.0);
        if (va.z > near && vb.z > near) hidden = true;
        else if (va.z > near) va = mix(vb, va, (near - vb.z) / (va.z - vb.z));
        else if (vb.z > near) vb = mix(va, vb, (near - va.z) / (vb.z - va.z));
    }
    vec4 ca = projectionMatrix * va;
    vec4 cb = projectionMatrix * vb;
    vec3 na = ca.xyz / ca.w;
    vec3 nb = cb.xyz / cb.w;
    vec2 pa = 0.5 * resolution * na.xy;
    vec2 pb = 0.5 * resolution * nb.xy;
    vec2 along = pb - pa;
    float size = length(along);
    along = size > 1e-6 ? along / size : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x);
    float headSize = min(head * pixels, 0.7 * size);
    float shaft = size - 0.9 * headSize;
    // position.x: 0 begin, 1 end of the shaft, 2 base of the head, 3 tip; position.y: side
    float s = position.x < 0.5 ? 0.0 : position.x < 1.5 ? shaft : position.x < 2.5 ? size - headSize : size;
    float w = position.x < 1.5 ? 0.5 * width * pixels : position.x < 2.5 ? 0.42 * headSize : 0.0;
    vec2 p = pa + along * s + across * (w * position.y);
    float z = mix(na.z, nb.z, size > 1e-6 ? s / size : 0.0);
    vTone = tone;
    gl_Position = hidden ? vec4(2.0, 2.0, 2.0, 1.0) : vec4(2.0 * p / resolution, z, 1.0);
}`;

const FRAGMENT = /* glsl */ `
precision highp float;
in vec3 vTone;
uniform float opacity;
out vec4 colour;
void main() { colour = vec4(vTone, opacity); }`;

export interface SegmentStyle {
    width: number;
    head?: number;
    opacity?: number;
    /** seen through bodies */
    through?: boolean;
}

export class Segments {
    readonly mesh: THREE.Mesh;
    private readonly material: THREE.ShaderMaterial;
    private readonly geometry = new THREE.InstancedBufferGeometry();
    private a = new Float32Array(0);
    private b = new Float32Array(0);
    private tone = new Float32Array(0);
    private n = 0;

    constructor(style: SegmentStyle) {
        const corners = [0, -1, 0, 0, 1, 0, 1, 1, 0, 1, -1, 0];
        const index = [0, 3, 1, 1, 3, 2];
        if (style.head) {
            corners.push(2, -1, 0, 3, 0, 0, 2, 1, 0);
            index.push(4, 5, 6);
        }
        this.geometry.setAttribute('position', new THREE.Float32BufferAttribute(corners, 3));
        this.geometry.setIndex(index);
        this.material = shaderMaterial({
            vertexShader: VERTEX,
            fragmentShader: FRAGMENT,
            side: THREE.DoubleSide,
            transparent: true,
            depthTest: !style.through,
            depthWrite: false,
            uniforms: {
                resolution: { value: new THREE.Vector2(1, 1) },
                width: { value: style.width },
                head: { value: style.head ?? 0 },
                pixels: { value: 1 },
                opacity: { value: style.opacity ?? 1 },
            },
        });
        this.mesh = new THREE.Mesh(this.geometry, this.material);
        this.mesh.frustumCulled = false;
        this.mesh.renderOrder = style.through ? 10 : 5;
        this.reserve(64);
    }

    get count(): number {
        return this.n;
    }

    clear(): void {
        this.n = 0;
    }

    add(ax: number, ay: number, az: number, bx: number, by: number, bz: number, c: Rgb): void {
        if (this.n === this.a.length / 3) this.reserve(2 * this.n);
        const k = 3 * this.n++;
        this.a[k] = ax;
        this.a[k + 1] = ay;
        this.a[k + 2] = az;
        this.b[k] = bx;
        this.b[k + 1] = by;
        this.b[k + 2] = bz;
        this.tone[k] = c[0];
        this.tone[k + 1] = c[1];
        this.tone[k + 2] = c[2];
    }

    /** Shows what was added since clear(). */
    commit(): void {
        this.geometry.instanceCount = this.n;
        this.mesh.visible = this.n > 0;
        for (const name of ['a', 'b', 'tone']) {
            const attribute = this.geometry.getAttribute(name) as THREE.InstancedBufferAttribute;
            attribute.clearUpdateRanges();
            attribute.addUpdateRange(0, 3 * this.n);
            attribute.needsUpdate = true;
        }
    }

    resize(width: number, height: number, pixels: number): void {
        (this.material.uniforms.resolution.value as THREE.Vector2).set(width, height);
        this.material.uniforms.pixels.value = pixels;
    }

    dispose(): void {
        this.geometry.dispose();
        retire(this.material);
    }

    private reserve(n: number): void {
        this.a = grown(this.a, n);
        this.b = grown(this.b, n);
        this.tone = grown(this.tone, n);
        // buffers of another size need new buffers on the card
        this.geometry.dispose();
        this.geometry.setAttribute('a', new THREE.InstancedBufferAttribute(this.a, 3));
        this.geometry.setAttribute('b', new THREE.InstancedBufferAttribute(this.b, 3));
        this.geometry.setAttribute('tone', new THREE.InstancedBufferAttribute(this.tone, 3));
    }
}
