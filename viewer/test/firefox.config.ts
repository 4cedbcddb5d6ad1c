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
    // what differs between browsers: pictures, controls, charts, files, a live run
    testMatch: ['viewer.spec.ts', 'places.spec.ts'],
    metadata: { gallery: false },
});
