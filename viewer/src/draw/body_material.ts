/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Shaders of bodies. Placement and colour of all shapes are in one texture, four texels for each shape: three rows of
// its matrix, then colour and mark. So a frame is one upload, however many bodies there are.
import * as THREE from 'three';

import { shaderMaterial } from './programs.ts';
import type { Theme } from './theme.ts';

export const TEXELS = 4;
export const TEXTURE_WIDTH = 1024;
/** Values of the fourth number of the colour texel. */
export const MARK = { none: 0, hover: 1, selected: 2, hidden: -1 } as const;

const PLACE = /* glsl */ `
uniform highp sampler2D table;
in float slot;
vec4 row0, row1, row2, look;
void fetchShape() {
    int i = int(slot + 0.5) * ${TEXELS};
    ivec2 at = ivec2(i % ${TEXTURE_WIDTH}, i / ${TEXTURE_WIDTH});
    row0 = texelFetch(table, at, 0);
    row1 = texelFetch(table, at + ivec2(1, 0), 0);
    row2 = texelFetch(table, at + ivec2(2, 0), 0);
    look = texelFetch(table, at + ivec2(3, 0), 0);
}
vec3 placed(vec3 p) {
    vec4 q = vec4(p, 1.0);
    return vec3(dot(row0, q), dot(row1, q), dot(row2, q));
}`;

const BODY_VERTEX = /* glsl */ `
${PLACE}
in vec3 edge;
in float shade;
uniform vec3 light;
uniform vec3 up;
uniform vec3 selectColour;
uniform vec3 tint;
uniform float tintPart;
uniform bool lit;
out vec3 vEdge;
out vec3 vColour;
out float vMark;
void main() {
    fetchShape();
    vec3 world = placed(position);
    mat3 m = transpose(mat3(row0.xyz, row1.xyz, row2.xyz));
    vec3 squares = vec3(dot(m[0], m[0]), dot(m[1], m[1]), dot(m[2], m[2]));
    vec3 n = normalize(m * (normal / max(squares, vec3(1e-30))));
    float strength = 1.0;
    if (lit) {
        vec3 eye = normalize(cameraPosition - world);
        float sky = 0.5 + 0.5 * dot(n, up);
        strength = 0.42 + 0.22 * sky + 0.42 * max(0.0, dot(n, light)) + 0.10 * max(0.0, dot(n, eye));
    }
    vec3 colour = mix(look.rgb, tint, tintPart);
    if (look.a > 1.5) colour = mix(colour, selectColour, 0.55);
    vColour = colour * shade * strength;
    if (look.a > 0.5 && look.a < 1.5) vColour += 0.10;
    vEdge = edge;
    vMark = look.a;
    gl_Position = look.a < -0.5 ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * viewMatrix * vec4(world, 1.0);
}`;

const BODY_FRAGMENT = /* glsl */ `
precision highp float;
in vec3 vEdge;
in vec3 vColour;
in float vMark;
uniform vec3 edgeColour;
uniform vec3 selectColour;
uniform float edgePart;
uniform float pixels;
uniform float opacity;
out vec4 colour;
void main() {
    vec3 d = vEdge / max(fwidth(vEdge), vec3(1e-6));
    float nearest = min(min(d.x, d.y), d.z);
    float w = vMark > 1.5 ? 1.6 * pixels : 0.8 * pixels;
    float line = 1.0 - smoothstep(w - 0.6, w + 0.6, nearest);
    vec3 ink = vMark > 1.5 ? selectColour : mix(vColour, edgeColour, 0.75);
    colour = vec4(mix(vColour, ink, line * edgePart), opacity);
}`;

const SHADOW_VERTEX = /* glsl */ `
${PLACE}
uniform vec3 light;
uniform vec3 planeNormal;
uniform float planeOffset;
uniform float lift;
void main() {
    fetchShape();
    vec3 world = placed(position);
    float height = dot(planeNormal, world) - planeOffset;
    vec3 flat_ = world - light * (max(height, 0.0) / dot(planeNormal, light)) + planeNormal * lift;
    gl_Position = look.a < -0.5 ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * viewMatrix * vec4(flat_, 1.0);
}`;

const SHADOW_FRAGMENT = /* glsl */ `
precision highp float;
uniform vec3 shadowColour;
out vec4 colour;
void main() { colour = vec4(shadowColour, 0.55); }`;

export function bodyMaterial(table: THREE.Texture): THREE.ShaderMaterial {
    return shaderMaterial({
        vertexShader: BODY_VERTEX,
        fragmentShader: BODY_FRAGMENT,
        uniforms: {
            table: { value: table },
            light: { value: new THREE.Vector3(0.35, -0.55, 0.76).normalize() },
            up: { value: new THREE.Vector3(0, 0, 1) },
            lit: { value: true },
            edgeColour: { value: new THREE.Vector3() },
            selectColour: { value: new THREE.Vector3() },
            tint: { value: new THREE.Vector3() },
            tintPart: { value: 0 },
            edgePart: { value: 1 },
            pixels: { value: 1 },
            opacity: { value: 1 },
        },
    });
}

export function shadowMaterial(table: THREE.Texture): THREE.ShaderMaterial {
    return shaderMaterial({
        vertexShader: SHADOW_VERTEX,
        fragmentShader: SHADOW_FRAGMENT,
        transparent: true,
        depthWrite: false,
        // each place is darkened once, however many shadows fall on it
        stencilWrite: true,
        stencilFunc: THREE.EqualStencilFunc,
        stencilRef: 0,
        stencilZPass: THREE.IncrementStencilOp,
        uniforms: {
            table: { value: table },
            light: { value: new THREE.Vector3(0.35, -0.55, 0.76).normalize() },
            planeNormal: { value: new THREE.Vector3(0, 0, 1) },
            planeOffset: { value: 0 },
            lift: { value: 0 },
            shadowColour: { value: new THREE.Vector3() },
        },
    });
}

export function paint(material: THREE.ShaderMaterial, theme: Theme): void {
    const u = material.uniforms;
    (u.edgeColour?.value as THREE.Vector3 | undefined)?.set(...theme.edge);
    (u.selectColour?.value as THREE.Vector3 | undefined)?.set(...theme.select);
    (u.shadowColour?.value as THREE.Vector3 | undefined)?.set(...theme.shadow);
    (u.tint?.value as THREE.Vector3 | undefined)?.set(...theme.second);
}
