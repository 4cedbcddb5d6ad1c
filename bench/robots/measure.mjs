// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// measure.mjs PROGRAMS - the table of tools/bench-robots. PROGRAMS is a folder with `perp` and, if there, `mujoco` (native); MuJoCo's WebAssembly runs if its npm package is found.
// Runs every model of bench/robots in both ways with each engine, one after the other, ROUNDS times (default 3), and prints Markdown. Of the rounds the median time counts.
// Overlap and creep come from the frames of sites that the programs write, in the same way for all engines:
//   overlap  of round tips (sites touchN) with the floor, radius - z; of the tips of the hand with the rod, a capsule. Largest of the whole run. Floor, tips and rod are exact shapes.
//   creep    of the last half of a hold: how far a tip that touches moves along the floor, divided by the time; for the hand, how far the rod moves relative to the palm.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url)), programs = process.argv[2], rounds = Number(process.env.ROUNDS || 3);
const models = [
    { name: 'arm', what: 'arm of 7 hinges, its tip presses on the floor', radius: 0.02 },
    { name: 'hand', what: 'hand of 4 fingers, 12 hinges, holds a rod', radius: 0.009, rod: { radius: 0.02, half: 0.05 } },
    { name: 'quadruped', what: 'quadruped, 12 hinges, stands', radius: 0.024 },
    { name: 'humanoid', what: 'humanoid, 21 hinges, stands on 8 points', radius: 0.02 },
];
const TOUCHES = 1e-3; // a tip no farther than this from the floor may creep [m]: soft contacts float by less

const sub = (a, b) => a.map((x, i) => x - b[i]), dot = (a, b) => a.reduce((s, x, i) => s + x * b[i], 0);

function read(text) {
    const times = [];
    let now = {}, timing = null;
    for (const line of text.split('\n')) {
        const w = line.split(' ');
        if (w[0] === 'site') now[w[1]] = { p: w.slice(2, 5).map(Number), z: w.slice(5, 8).map(Number) };
        else if (w[0] === 'at') { times.push({ t: Number(w[1]), site: now }); now = {}; }
        else if (w[0] === 'steps') timing = 1e6 * Number(w[3]) / Number(w[1]);
    }
    return { times, timing };
}

function overlap_of(m, site) {
    let most = 0;
    for (const [name, s] of Object.entries(site)) {
        if (name.startsWith('touch')) most = Math.max(most, m.radius - s.p[2]);
        if (!m.rod || !name.startsWith('tip')) continue;
        const r = sub(s.p, site.object.p), along = Math.max(-m.rod.half, Math.min(m.rod.half, dot(r, site.object.z)));
        const away = sub(r, site.object.z.map(x => along * x));
        most = Math.max(most, m.radius + m.rod.radius - Math.sqrt(dot(away, away)));
    }
    return most;
}

function creep_of(m, times) {
    const late = times.filter(x => x.t >= times[times.length - 1].t / 2), a = late[0], b = late[late.length - 1];
    if (m.rod) { const d = sub(sub(b.site.object.p, b.site.palm.p), sub(a.site.object.p, a.site.palm.p)); return Math.sqrt(dot(d, d)) / (b.t - a.t); }
    let most = 0;
    for (const name of Object.keys(a.site).filter(x => x.startsWith('touch'))) {
        if (a.site[name].p[2] - m.radius > TOUCHES || b.site[name].p[2] - m.radius > TOUCHES) continue;
        most = Math.max(most, Math.hypot(b.site[name].p[0] - a.site[name].p[0], b.site[name].p[1] - a.site[name].p[1]) / (b.t - a.t));
    }
    return most;
}

const engines = [{ name: 'perp', command: m => [path.join(programs, 'perp'), m] }];
if (fs.existsSync(path.join(programs, 'mujoco'))) engines.push({ name: 'MuJoCo, native', command: m => [path.join(programs, 'mujoco'), m] });
try {
    const version = execFileSync(process.execPath, [path.join(here, 'mujoco.mjs'), path.join(here, 'arm.xml'), 'hold'], { encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'ignore'] });
    if (version.includes('steps')) engines.push({ name: 'MuJoCo, WebAssembly', command: m => [process.execPath, path.join(here, 'mujoco.mjs'), m] });
} catch { /* not installed */ }

console.log('| model | way | engine | time per step [µs] | perp / engine | creep [µm/s] | deepest overlap [µm] |\n|---|---|---|---|---|---|---|');
for (const m of models) for (const way of ['hold', 'move']) {
    const runs = engines.map(() => []);
    for (let k = 0; k < rounds; k++) engines.forEach((e, i) => { // in turns, so that all engines see the same load
        const [program, ...args] = [...e.command(path.join(here, `${m.name}.xml`)), way];
        runs[i].push(read(execFileSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 26 })));
    });
    const time = runs.map(r => r.map(x => x.timing).sort((a, b) => a - b)[rounds >> 1]);
    engines.forEach((e, i) => {
        const { times } = runs[i][0], micro = x => (1e6 * x).toPrecision(2);
        const deep = Math.max(...times.map(x => overlap_of(m, x.site)));
        console.log(`| ${i === 0 ? m.what : ''} | ${i === 0 ? way : ''} | ${e.name} | ${time[i].toPrecision(3)} | ${i ? (time[0] / time[i]).toPrecision(2) : ''} | ${way === 'hold' ? micro(creep_of(m, times)) : ''} | ${micro(deep)} |`);
    });
}
