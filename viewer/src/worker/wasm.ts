/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The WebAssembly of HDF5 comes from the page, as the first message to this worker; it is unpacked and compiled as it
// streams in. To be imported before h5wasm, which starts by itself and calls `perpInstantiate` (see pack/one-file.js).

type Done = (instance: WebAssembly.Instance, module: WebAssembly.Module) => void;

let give: (packed: ArrayBuffer) => void;
const packed = new Promise<ArrayBuffer>((resolve) => (give = resolve));

export function takeWasm(bytes: ArrayBuffer): void {
    give(bytes);
}

async function instantiate(imports: WebAssembly.Imports, done: Done): Promise<void> {
    const stream = new Blob([await packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    const headers = { 'Content-Type': 'application/wasm' };
    const { instance, module } = await WebAssembly.instantiateStreaming(new Response(stream, { headers }), imports);
    done(instance, module);
}

(self as unknown as { perpInstantiate: unknown }).perpInstantiate = (
    imports: WebAssembly.Imports,
    done: Done,
): object => {
    instantiate(imports, done).catch((e: unknown) =>
        // out of the promise: an error of the worker is told to the page
        setTimeout(() => {
            throw e;
        }),
    );
    return {};
};
