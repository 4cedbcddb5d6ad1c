/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import { cpus } from 'node:os';

import { defineConfig } from '@playwright/test';

import { OUT } from './support.ts';

// Debian's Chromium with its software renderer; nothing is downloaded.
export default defineConfig({
    testDir: 'browser',
    outputDir: `${OUT}/results`,
    globalSetup: './make-recordings.ts',
    reporter: 'list',
    // ctest counts it as one of its jobs, of which there are more than processors: pages wait for timers and for each other
    workers: Math.min(2, cpus().length),
    // a loaded machine may be slow; on an idle one the whole takes about a minute
    timeout: 120_000,
    expect: { timeout: 30_000 },
    use: {
        viewport: { width: 1280, height: 720 },
        colorScheme: 'light',
        launchOptions: {
            executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
            args: [
                '--no-sandbox',
                // WebGL by the processor; the page around it is drawn by Chromium's own software, as on a machine without
                // a graphics card
                '--enable-unsafe-swiftshader',
                // the address bar's list would load its own 400 modules in each new window
                '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,PreloadTopChromeWebUI',
            ],
        },
    },
});
