/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// A small server for work on the viewer: the built page and recordings with ranges, as perp view serves them.
// node test/serve.js PORT RECORDING...    (port 0: any that is free)
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename } from 'node:path';

const [port, ...files] = process.argv.slice(2);
/** If set, only addresses with ?token=... are answered. */
const { TOKEN } = process.env;

function recordings() {
    return files.map((f, i) => ({ name: basename(f), url: `recording/${i}`, bytes: statSync(f).size }));
}

function sendFile(request, response, file) {
    const { size } = statSync(file);
    const range = /^bytes=(\d+)-(\d+)?$/.exec(request.headers.range ?? '');
    const from = range ? Number(range[1]) : 0;
    const to = range && range[2] ? Math.min(Number(range[2]), size - 1) : size - 1;
    response.writeHead(range ? 206 : 200, {
        'Content-Type': 'application/x-hdf5',
        'Content-Length': Math.max(0, to - from + 1),
        'Accept-Ranges': 'bytes',
        ...(range ? { 'Content-Range': `bytes ${from}-${to}/${size}` } : {}),
    });
    if (request.method === 'HEAD' || size === 0) response.end();
    else createReadStream(file, { start: from, end: to }).pipe(response);
}

const server = createServer((request, response) => {
    const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (TOKEN && searchParams.get('token') !== TOKEN) {
        response.writeHead(403).end();
        return;
    }
    const recording = /^\/recording\/(\d+)$/.exec(path);
    if (recording && files[Number(recording[1])]) {
        sendFile(request, response, files[Number(recording[1])]);
    } else if (path === '/recordings.json') {
        response.end(JSON.stringify({ perp: 'development', recordings: recordings(), live: null }));
    } else if (path === '/') {
        response.setHeader('Content-Type', 'text/html; charset=utf-8');
        response.end(readFileSync(new URL('../dist/viewer.html', import.meta.url)));
    } else {
        response.writeHead(404).end();
    }
});
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
