/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import { defineConfig } from 'vite';

import { inlineWorker, onePage } from './pack/one-file.js';

export default defineConfig({
    plugins: [inlineWorker(), onePage('viewer.html')],
    build: {
        target: 'es2022',
        outDir: 'dist',
        // everything ends up in one page, so size of single pieces says nothing
        chunkSizeWarningLimit: 100000,
        assetsInlineLimit: 100000000,
        cssCodeSplit: false,
        modulePreload: false,
        reportCompressedSize: false,
    },
});
