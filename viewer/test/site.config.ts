/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import { defineConfig } from '@playwright/test';

import browser from './browser.config.ts';

// The site of the documents, from a server of plain files. PERP_SITE: its folder.
export default defineConfig({ ...browser, testDir: 'site', globalSetup: undefined, workers: 1 });
