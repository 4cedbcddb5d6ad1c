/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
import { defineConfig } from '@playwright/test';

// Tests without a browser: the runner is the same, so that there is only one to know.
export default defineConfig({ testDir: 'unit', outputDir: '../test-results/unit', reporter: 'line', workers: 1 });
