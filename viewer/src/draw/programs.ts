/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Compiled shaders outlive the recording that needed them first. Compiling takes a software renderer a third of a second,
// and the next recording needs the same ones.
import * as THREE from 'three';

/** Materials that were drawn, so that they hold a compiled program. */
const compiled = new WeakSet<THREE.ShaderMaterial>();
/** One material for each pair of shaders. three.js frees a program together with the last material that uses it. */
const keepers = new Map<string, THREE.ShaderMaterial>();

export function shaderMaterial(parameters: THREE.ShaderMaterialParameters): THREE.ShaderMaterial {
    const material = new THREE.ShaderMaterial({ glslVersion: THREE.GLSL3, ...parameters });
    material.onBeforeCompile = () => void compiled.add(material);
    return material;
}

/** In place of dispose(): frees the material, unless it is the only one left that keeps its program. */
export function retire(material: THREE.ShaderMaterial): void {
    const key = material.vertexShader + material.fragmentShader;
    if (!compiled.has(material) || keepers.has(key)) {
        material.dispose();
        return;
    }
    keepers.set(key, material);
    // what belongs to the recording is not kept with it
    for (const uniform of Object.values(material.uniforms))
        if (uniform.value instanceof THREE.Texture) uniform.value = null;
}
