/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import { defineConfig } from '@playwright/test';

import browser from './browser.config.ts';

// How fast the page is; no test of `make test`, since it says little on a machine that does other things.
export default defineConfig({ ...browser, testDir: 'bench', globalSetup: undefined, workers: 1, timeout: 900_000 });
