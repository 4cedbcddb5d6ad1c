/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Round marks of constant size on the screen.
import * as THREE from 'three';

import type { Rgb } from './theme.ts';
import { grown } from './grow.ts';
import { retire, shaderMaterial } from './programs.ts';

const VERTEX = /* glsl */ `
in vec3 tone;
uniform float size;
out vec3 vTone;
void main() {
    vTone = tone;
    gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
    gl_PointSize = size;
}`;

const FRAGMENT = /* glsl */ `
precision highp float;
in vec3 vTone;
uniform vec3 rim;
uniform float size;
uniform float pixels;
out vec4 colour;
void main() {
    float r = length(gl_PointCoord - 0.5) * size;
    float outer = 0.5 * size;
    float alpha = 1.0 - smoothstep(outer - 0.6 * pixels, outer, r);
    if (alpha <= 0.0) discard;
    colour = vec4(mix(vTone, rim, smoothstep(outer - 1.5 * pixels, outer - 0.9 * pixels, r)), alpha);
}`;

export class Dots {
    readonly points: THREE.Points;
    private readonly material: THREE.ShaderMaterial;
    private readonly geometry = new THREE.BufferGeometry();
    private position = new Float32Array(0);
    private tone = new Float32Array(0);
    private n = 0;

    constructor(private readonly size: number) {
        this.material = shaderMaterial({
            vertexShader: VERTEX,
            fragmentShader: FRAGMENT,
            transparent: true,
            depthTest: false,
            depthWrite: false,
            uniforms: {
                size: { value: size },
                pixels: { value: 1 },
                rim: { value: new THREE.Vector3(1, 1, 1) },
            },
        });
        this.points = new THREE.Points(this.geometry, this.material);
        this.points.frustumCulled = false;
        this.points.renderOrder = 20;
        this.reserve(64);
    }

    clear(): void {
        this.n = 0;
    }

    add(x: number, y: number, z: number, c: Rgb): void {
        if (this.n === this.position.length / 3) this.reserve(2 * this.n);
        const k = 3 * this.n++;
        this.position[k] = x;
        this.position[k + 1] = y;
        this.position[k + 2] = z;
        this.tone[k] = c[0];
        this.tone[k + 1] = c[1];
        this.tone[k + 2] = c[2];
    }

    commit(): void {
        this.geometry.setDrawRange(0, this.n);
        this.points.visible = this.n > 0;
        for (const name of ['position', 'tone'])
            (this.geometry.getAttribute(name) as THREE.BufferAttribute).needsUpdate = true;
    }

    resize(pixels: number): void {
        this.material.uniforms.size.value = this.size * pixels;
        this.material.uniforms.pixels.value = pixels;
    }

    paint(rim: Rgb): void {
        (this.material.uniforms.rim.value as THREE.Vector3).set(...rim);
    }

    dispose(): void {
        this.geometry.dispose();
        retire(this.material);
    }

    private reserve(n: number): void {
        this.position = grown(this.position, n);
        this.tone = grown(this.tone, n);
        this.geometry.dispose();
        this.geometry.setAttribute('position', new THREE.BufferAttribute(this.position, 3));
        this.geometry.setAttribute('tone', new THREE.BufferAttribute(this.tone, 3));
    }
}
