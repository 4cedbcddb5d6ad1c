/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import { defineConfig } from 'vite';

import { onePage } from './pack/one-file.js';

// The page of studies: a page of its own, without the drawing of worlds, so it is small.
export default defineConfig({
    plugins: [onePage('study.html', 'study.html')],
    build: {
        target: 'es2022',
        outDir: 'dist',
        emptyOutDir: false,
        rollupOptions: { input: 'study.html' },
        assetsInlineLimit: 100000000,
        cssCodeSplit: false,
        modulePreload: false,
        reportCompressedSize: false,
    },
});
