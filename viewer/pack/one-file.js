// Two steps that turn the viewer into one page: the worker becomes packed text inside the program, and program and style
// go into the page. A page without parts opens from a disk, where a browser refuses to load modules and workers.
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const WORKER = 'virtual:perp-worker';

/** `import text from 'virtual:perp-worker'` gives the worker's program, packed by gzip and written in base64. */
export function inlineWorker() {
    return {
        name: 'perp-inline-worker',
        resolveId: (id) => (id === WORKER ? '\0' + WORKER : undefined),
        async load(id) {
            if (id !== '\0' + WORKER) return undefined;
            const result = await build({
                configFile: false,
                logLevel: 'error',
                // a worker out of a blob has no address that its parts could be relative to, and no document to ask
                plugins: [{ name: 'no-address', transform: (code) => code.replaceAll('import.meta.url', "'/'") }],
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
            return `export default ${JSON.stringify(gzipSync(code, { level: 9 }).toString('base64'))};`;
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

/** Puts program and style into the page and names it. */
export function onePage(name) {
    return {
        name: 'perp-one-page',
        enforce: 'post',
        apply: 'build',
        generateBundle(_options, bundle) {
            const page = bundle['index.html'];
            let html = page.source;
            let program = '';
            let style = '';
            for (const [key, part] of Object.entries(bundle)) {
                if (part.type === 'chunk') program += part.code;
                else if (key.endsWith('.css')) style += part.source;
                if (key !== 'index.html') delete bundle[key];
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
