/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Two steps that turn the viewer into one page: the worker and its WebAssembly become texts inside the program, and program
// and style go into the page. A page without parts opens from a disk, where a browser refuses to load modules and
// workers.
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const WORKER = 'virtual:perp-worker';

const packed = (data) => JSON.stringify(gzipSync(data, { level: 9 }).toString('base64'));

/** The text between two others that must be there. */
function between(code, before, after) {
    const from = code.indexOf(before) + before.length;
    const to = code.indexOf(after, from);
    if (from < before.length || to < 0) throw new Error(`h5wasm is not as expected: no ${before} ... ${after}`);
    return code.slice(from, to);
}

/** h5wasm carries its WebAssembly as a text that every worker would have to read again; it is taken out, and comes by the
 *  function perpInstantiate instead (src/worker/wasm.ts). */
function wasmApart() {
    const found = { bytes: undefined };
    const plugin = {
        name: 'perp-wasm-apart',
        transform(code, id) {
            if (id.endsWith('h5wasm/dist/esm/hdf5_util.js')) {
                const text = between(
                    code,
                    'function findWasmBinary(){return binaryDecode(',
                    ')}function getBinarySync',
                );
                // one character for each byte, with 256 for 0
                found.bytes = Uint8Array.from(new Function(`return ${text}`)(), (c) => c.charCodeAt(0) & 255);
                if (String.fromCharCode(...found.bytes.subarray(0, 4)) !== '\0asm')
                    throw new Error('h5wasm is not as expected: its text is not WebAssembly');
                return code.replace(text, () => "''");
            }
            if (id.endsWith('h5wasm/dist/esm/hdf5_hl.js')) {
                const options = between(code, 'ModuleFactory({', '})');
                return code.replace(options, () => `${options}, instantiateWasm: self.perpInstantiate`);
            }
            return undefined;
        },
    };
    return { plugin, found };
}

/** `import { program, wasm } from 'virtual:perp-worker'` gives the worker's program and its WebAssembly, this one packed by
 *  gzip and written in base64. The program is plain, so that the worker can start at once. */
export function inlineWorker() {
    return {
        name: 'perp-inline-worker',
        resolveId: (id) => (id === WORKER ? '\0' + WORKER : undefined),
        async load(id) {
            if (id !== '\0' + WORKER) return undefined;
            const { plugin, found } = wasmApart();
            const result = await build({
                configFile: false,
                logLevel: 'error',
                // a worker out of a blob has no address that its parts could be relative to, and no document to ask
                plugins: [
                    plugin,
                    { name: 'no-address', transform: (code) => code.replaceAll('import.meta.url', "'/'") },
                ],
                build: {
                    write: false,
                    target: 'es2022',
                    // a classic script: workers of module type cannot be made from a blob in every browser
                    lib: {
                        entry: resolve('src/worker/main.ts'),
                        formats: ['iife'],
                        name: 'perpWorker',
                        fileName: 'worker',
                    },
                },
            });
            const code = [result].flat()[0].output[0].code;
            if (!found.bytes || !code.includes('perpInstantiate'))
                throw new Error('h5wasm is not as expected: its WebAssembly was not found');
            return `export const program = ${JSON.stringify(code)};\nexport const wasm = ${packed(found.bytes)};`;
        },
    };
}

/** Text that may stand between <script> and </script>. */
function insideScript(code) {
    return code
        .replace(/<\/(script|body)/gi, '<\\/$1')
        .replace(/<!--/g, '<\\!--')
        .replace(/[\u0080-\uffff]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

/** Puts program and style into the page `entry` and names it. */
export function onePage(name, entry = 'index.html') {
    return {
        name: 'perp-one-page',
        enforce: 'post',
        apply: 'build',
        generateBundle(_options, bundle) {
            const page = bundle[entry];
            let html = page.source;
            let program = '';
            let style = '';
            for (const [key, part] of Object.entries(bundle)) {
                if (part.type === 'chunk') program += part.code;
                else if (key.endsWith('.css')) style += part.source;
                if (key !== entry) delete bundle[key];
            }
            html = html
                .replace(/\s*<script[^>]*src=[^>]*><\/script>/g, '')
                .replace(/\s*<link[^>]*stylesheet[^>]*>/g, '');
            // functions as replacements: dollar signs of the program are not patterns
            html = html.replace(
                '</head>',
                () => `<style>${style}</style>\n<script type="module">${insideScript(program)}</script>\n</head>`,
            );
            if (html.split('</body>').length !== 2 || html.split('<!--perp:data-->').length !== 2)
                this.error('the page must hold one </body> and one place for data');
            page.source = html;
            page.fileName = name;
        },
    };
}
