// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// mujoco.mjs MODEL hold|move - runs a robot model with MuJoCo's WebAssembly package (npm: @mujoco/mujoco) as its file says; the course of the run and the output are those of rows.h.
import fs from 'node:fs';

import { loadMujoco } from '../../test/robot/mujoco.mjs';

const [file, way] = process.argv.slice(2);
const header = fs.readFileSync(new URL('rows.h', import.meta.url), 'utf8');
const constant = name => Number(new RegExp(`#define ${name} ([\\d.]+)`).exec(header)[1]);
const duration = constant('DURATION'), every = constant('EVERY'), amplitude = constant('AMPLITUDE'), period = constant('PERIOD');

const mujoco = await loadMujoco();
mujoco.FS.writeFile('/model.xml', fs.readFileSync(file));
const m = mujoco.MjModel.from_xml_path('/model.xml'), d = new mujoco.MjData(m);
mujoco.mj_resetDataKeyframe(m, d, 0);
const names = [...Array(m.nsite).keys()].map(i => { let s = ''; for (let k = m.name_siteadr[i]; m.names[k]; k++) s += String.fromCharCode(m.names[k]); return s; });
const h = m.opt.timestep, steps = Math.round(duration / h), key = [...d.ctrl];
const rows = [];
let timed = 0, seconds = 0;
for (let n = 0; n < steps; n++) {
    const ctrl = d.ctrl;
    for (let i = 0; i < key.length; i++) ctrl[i] = key[i] + (way === 'move' ? amplitude * Math.sin(6.283185307179586 * n * h / period + i) : 0);
    const from = process.cpuUsage();
    mujoco.mj_step(m, d);
    if (2 * n >= steps) { const t = process.cpuUsage(from); seconds += (t.user + t.system) * 1e-6; timed++; }
    if ((n + 1) % every !== 0) continue;
    mujoco.mj_kinematics(m, d);
    const p = d.site_xpos, R = d.site_xmat;
    names.forEach((name, i) => rows.push(`site ${name} ${p[3 * i]} ${p[3 * i + 1]} ${p[3 * i + 2]} ${R[9 * i + 2]} ${R[9 * i + 5]} ${R[9 * i + 8]}`));
    rows.push(`at ${d.time.toFixed(6)}`);
}
fs.writeSync(1, rows.join('\n') + `\nsteps ${timed} seconds ${seconds}\n`);
