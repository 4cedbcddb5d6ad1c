// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// rolling.mjs PERP FOLDER - rolling friction (condim 6) of a sphere beside MuJoCo (the npm package @mujoco/mujoco). perp imports the model and runs it; MuJoCo steps the same file with
// its elliptic cone. Compared are the deceleration and the ratio of the speeds of centre and surface, which shows that sliding and rolling share one ellipsoid. MuJoCo's contacts are soft and
// its load trembles, so the limits are those of its own scatter: 9 choices of solref and impratio gave decelerations from 0.69870 to 0.70020 m/s^2 and ratios from 1.028771 to
// 1.028793; hard contact has 0.69915 and 1.028802. Exit code 0: they agree, 1: they do not, 77: the package is not there.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { loadMujoco } from './mujoco.mjs';

const [perp, folder] = process.argv.slice(2);
if (!perp || !folder) { console.error('rolling: found too few arguments; allowed: PERP FOLDER'); process.exit(2); }
const mujoco = await loadMujoco();

const r = 0.1, g = 9.81, w0 = 10, h = 0.0005, from = 0.1, to = 1.2;
const xml = `<mujoco><option timestep="${h}" cone="elliptic" impratio="100" iterations="200" tolerance="1e-14" integrator="implicitfast"/>
  <default><geom condim="6" friction="0.5 0 0.01" solref="0.02 1" solimp="0.99 0.999 0.0001"/></default><worldbody><geom type="plane" size="10 10 1"/>
  <body name="ball" pos="0 0 ${r}"><freejoint/><geom type="sphere" size="${r}" mass="1"/></body></worldbody></mujoco>`;

// ---- perp: the law that it imports, and the motion with it ----
fs.rmSync(folder, { recursive: true, force: true });
fs.mkdirSync(folder, { recursive: true });
const file = path.join(folder, 'rolling.xml'), scene = path.join(folder, 'rolling.yaml'), experiment = path.join(folder, 'rolling');
fs.writeFileSync(file, xml);
const report = execFileSync(perp, ['import', file, '--report', '-o', scene], { encoding: 'utf8' });
let bad = 0;
const check = (what, found, expected, limit) => {
    const good = Math.abs(found - expected) <= limit;
    console.log(`${good ? 'ok ' : 'BAD'} ${what}: ${found} beside ${expected}, limit ${limit}`);
    if (!good) bad++;
};
if (/rolling friction/.test(report)) { console.log(`BAD the report names rolling friction:\n${report}`); bad++; }
fs.mkdirSync(experiment, { recursive: true });
// the scene as imported, with a speed at the start
const text = fs.readFileSync(scene, 'utf8').replace(/^duration: .*$/m, 'duration: 1.3').replace('    mass: 1\n', `    mass: 1\n    velocity: [${w0 * r}, 0, 0]\n    spin: [0, ${w0}, 0]\n`);
fs.writeFileSync(path.join(experiment, 'scene.yaml'), text);
fs.writeFileSync(path.join(experiment, 'experiment.yaml'), `perp-experiment: 1
title: A sphere rolls
about: Rolling friction of an imported model.
checks:
  - {what: deceleration, value: '(at("ball.vx", ${from}) - at("ball.vx", ${to}))/${to - from}', reference: 0, limit: 1e9}
  - {what: ratio, value: 'at("ball.vx", ${to})/(${r}*at("ball.wy", ${to}))', reference: 0, limit: 1e9}
`);
const said = JSON.parse(execFileSync(perp, ['experiment', 'rolling', '--folder', folder, '--json'], { encoding: 'utf8' }));
const ours = Object.fromEntries(said.checks.map(c => [c.what, c.value]));

// ---- MuJoCo ----
mujoco.FS.writeFile('/rolling.xml', xml);
const model = mujoco.MjModel.mj_loadXML('/rolling.xml'), data = new mujoco.MjData(model);
const roll = () => { data.qvel[0] = w0 * r; data.qvel[1] = data.qvel[3] = data.qvel[5] = 0; data.qvel[4] = w0; };
for (let i = 0; i < 4000; i++) { roll(); mujoco.mj_step(model, data); } // until the floor bears its weight
roll();
const at = [];
for (let i = 1; i <= Math.round(to / h); i++) {
    mujoco.mj_step(model, data);
    if (i === Math.round(from / h) || i === Math.round(to / h)) at.push([data.qvel[0], r * data.qvel[4]]);
}
const slows = (at[0][0] - at[1][0]) / (to - from), ratio = at[1][0] / at[1][1];
check('deceleration [m/s^2]', ours.deceleration, slows, 2e-3);
check('speed of the centre over that of the surface', ours.ratio, ratio, 1e-4);
process.exit(bad ? 1 : 0);
