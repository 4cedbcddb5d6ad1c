/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import { defineConfig } from '@playwright/test';

import chromium from './browser.config.ts';

// Debian's Firefox over WebDriver BiDi, for which Playwright needs no Firefox of its own. Without a window Firefox has no WebGL, so that it needs a display:
// test/view/npm-test starts it in Xvfb, with Mesa's software renderer.
export default defineConfig({
    ...chromium,
    use: {
        ...chromium.use,
        // not among the public names yet
        browserName: '_bidiFirefox' as 'firefox',
        headless: false,
        launchOptions: {
            executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
            firefoxUserPrefs: { 'webgl.force-enabled': true },
        },
    },
    workers: 1,
    // what differs between browsers: pictures, controls, charts, files, a live run. `make nightly` runs all of these files; else one test of each
    // kind that browsers do differently: WebGL, the pointer, a file from disk, a stream of frames. Chromium runs the others.
    testMatch: ['viewer.spec.ts', 'places.spec.ts'],
    grep: process.env.PERP_TEST_WHOLE
        ? /./
        : /demo: loads|named under the pointer|exported file opens|live run: follows/,
    metadata: { gallery: false },
});
