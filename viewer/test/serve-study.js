/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// A stand-in for perp study: the page of studies, test/mock/study.json, and trials that are made up. A trial that is
// played is a recording that is there already.
// node test/serve-study.js PORT RECORDING [running | broken | refused]    (port 0: any that is free)
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename } from 'node:path';

const [port, recording, how = ''] = process.argv.slice(2);
const file = (name) => readFileSync(new URL(name, import.meta.url));
const study = JSON.parse(file('mock/study.json'));
/** of a study that goes on: how often it was read */
let read = 0;
/** trials that were asked for, and how often their state was read since */
const asked = new Map();

/** The same numbers for the same trial, 0 to 1. */
function random(trial, k) {
    let s = (trial * 16 + k + 1) >>> 0;
    for (let i = 0; i < 3; i++) {
        s = Math.imul(s ^ (s >>> 15), 0x2c1b3c6d) >>> 0;
        s = Math.imul(s ^ (s >>> 12), 0x297a2d39) >>> 0;
    }
    return ((s ^ (s >>> 15)) >>> 0) / 2 ** 32; // xor gives a signed number
}

/** Trials of a cell: as many succeed as the map says. */
function cellOf(map, cell) {
    const m = study.maps[map];
    const n = m?.count[cell] ?? 0;
    const good = Math.round((m?.value[cell] ?? 0) * n);
    const trials = [...Array(n).keys()].map((k) => {
        const trial = (map * 1000 + cell) * 28 + k;
        const unsolved = k === 0 && (m.unsolved?.[cell] ?? 0) > 0;
        const success = k >= n - good;
        return {
            trial,
            state: unsolved ? 'unsolved' : 'done',
            values: unsolved
                ? [random(trial, 0), random(trial, 1), null, null]
                : [random(trial, 0), random(trial, 1), success ? 27.457 : 24.6 + random(trial, 2), success ? 1 : 0],
            steps: 375,
            seconds: 0.05,
            why: unsolved ? 'step 122: no solver found an answer' : '',
        };
    });
    return {
        columns: [
            { name: 'mu', unit: '', kind: 'parameter' },
            { name: 'mu_jaw', unit: '', kind: 'parameter' },
            { name: 'opening', unit: 'mm', kind: 'measure' },
            { name: 'success', unit: '', kind: 'measure', boolean: true },
        ],
        trials,
        total: trials.length,
    };
}

function studyNow() {
    if (how === 'broken') return { ...study, maps: [{ ...study.maps[0], value: [1, 2, 3] }] };
    if (how !== 'running') return study;
    read++;
    const first = { ...study.maps[0], value: study.maps[0].value.map((v, i) => (i < 20 * read ? v : null)) };
    const done = Math.min(study.trials.planned, 1500 * read);
    return { ...study, trials: { ...study.trials, done }, maps: [first] };
}

function stateOf(trial) {
    if (!asked.has(trial)) return { state: 'none' };
    if (how === 'refused') return { state: 'failed', why: 'the scene grasp.yaml has changed since the study' };
    const times = asked.get(trial);
    asked.set(trial, times + 1);
    return times < 2 ? { state: 'running', part: times / 2 } : { state: 'ready' };
}

function sendFile(request, response) {
    const { size } = statSync(recording);
    const range = /^bytes=(\d+)-(\d+)?$/.exec(request.headers.range ?? '');
    const from = range ? Number(range[1]) : 0;
    const to = range && range[2] ? Math.min(Number(range[2]), size - 1) : size - 1;
    response.writeHead(range ? 206 : 200, {
        'Content-Type': 'application/x-hdf5',
        'Content-Length': to - from + 1,
        'Accept-Ranges': 'bytes',
        ...(range ? { 'Content-Range': `bytes ${from}-${to}/${size}` } : {}),
    });
    createReadStream(recording, { start: from, end: to }).pipe(response);
}

const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const json = (v) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(v));
    const html = (name) => response.setHeader('Content-Type', 'text/html; charset=utf-8').end(file(name));
    const cell = /^\/map\/(\d+)\/cell\/(\d+)\.json$/.exec(path);
    const trial = /^\/trial\/(\d+)\/(.*)$/.exec(path);
    if (path === '/') html('../dist/study.html');
    else if (path === '/study.json') json(studyNow());
    else if (cell) json(cellOf(Number(cell[1]), Number(cell[2])));
    else if (trial?.[2] === 'run' && request.method === 'POST') {
        let body = '';
        request.on('data', (d) => (body += d));
        request.on('end', () => {
            if (body !== study.token) {
                response.writeHead(403).end('the token is not that of this study\n');
                return;
            }
            if (!asked.has(trial[1])) asked.set(trial[1], 0);
            json(stateOf(trial[1]));
        });
    } else if (trial?.[2] === 'state.json') json(stateOf(trial[1]));
    else if (trial?.[2] === '') html('../dist/viewer.html');
    else if (trial?.[2] === 'recordings.json')
        json({
            perp: 'mock',
            recordings: [{ name: `trial ${trial[1]}`, url: 'recording/0', bytes: statSync(recording).size }],
            live: null,
        });
    else if (trial?.[2] === 'recording/0') sendFile(request, response);
    else response.writeHead(404).end('there is nothing here\n');
});
server.listen(Number(port), '127.0.0.1', () =>
    console.log(`${basename(recording)}: http://127.0.0.1:${server.address().port}/`),
);
