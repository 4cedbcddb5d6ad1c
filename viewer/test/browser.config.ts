import { defineConfig } from '@playwright/test';

import { OUT } from './support.ts';

// Debian's Chromium with its software renderer; nothing is downloaded.
export default defineConfig({
    testDir: 'browser',
    outputDir: `${OUT}/results`,
    globalSetup: './make-recordings.ts',
    reporter: 'list',
    workers: 1,
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
                '--use-gl=angle',
                '--use-angle=swiftshader',
                '--enable-unsafe-swiftshader',
                '--ignore-gpu-blocklist',
            ],
        },
    },
});
