/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import { defineConfig } from 'vite';

// The page that simulates: program, worker and style are files of their own, as its content security policy allows no inline script.
// perp.js and perp.wasm come from the npm package (make wasm) and lie beside it in perp/.
export default defineConfig({
    base: './',
    build: {
        target: 'es2022',
        outDir: 'dist/simulate',
        emptyOutDir: true,
        rollupOptions: { input: 'simulate.html' },
        chunkSizeWarningLimit: 100000,
        modulePreload: false,
        reportCompressedSize: false,
    },
    worker: { format: 'es' },
});
