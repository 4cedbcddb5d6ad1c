/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import { defineConfig } from '@playwright/test';

import browser from './browser.config.ts';

// The page that simulates, from a server of plain files. PERP_SIMULATE: its folder.
export default defineConfig({ ...browser, testDir: 'simulate', globalSetup: undefined, workers: 1 });
