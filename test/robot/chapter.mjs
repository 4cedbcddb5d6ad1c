// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// chapter.mjs PERP FOLDER [--time] - the robots of docs/robots.md in MuJoCo (the npm package @mujoco/mujoco), on the same model files, with the same ctrl in each step and MuJoCo's settings of
// the file. Compared with what the page prints: its figures may differ by 5 %, since they are those of one version. The held rod is run by perp, too; for the others experiments/* check perp.
// --time runs all of them in perp as well and prints the processor time of both. Exit code 0: all as the page says, 1: not, 77: the package is not there.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { loadMujoco } from './mujoco.mjs';

const [perp, folder, option] = process.argv.slice(2);
if (!perp || !folder) { console.error('chapter: found too few arguments; allowed: PERP FOLDER [--time]'); process.exit(2); }
const mujoco = await loadMujoco();
const root = path.resolve(import.meta.dirname || path.dirname(new URL(import.meta.url).pathname), '../../experiments');
fs.mkdirSync(folder, { recursive: true });
let bad = 0;
const check = (what, found, expected, slack) => {
    const good = Math.abs(found - expected) <= slack;
    console.log(`${good ? 'ok ' : 'BAD'} ${what}: ${found.toPrecision(4)} (${expected})`);
    if (!good) bad++;
};
const like = (what, found, expected) => check(what, found, expected, 0.05 * Math.abs(expected));

// ---- the functions of scenes ----
const through = (x, points, ease) => {
    if (x <= points[0][0]) return points[0][1];
    for (let i = 0; i + 1 < points.length; i++) {
        const [x0, y0] = points[i], [x1, y1] = points[i + 1];
        if (x < x1) { const s = (x - x0) / (x1 - x0); return y0 + (y1 - y0) * (ease ? s * s * (3 - 2 * s) : s); }
    }
    return points[points.length - 1][1];
};
const smooth = (x, ...points) => through(x, points, true);

// ---- MuJoCo ----
// A model with one keyframe, from which it starts. Included files lie beside it. change: applied to the text
const load = (file, change = text => text) => {
    const at = path.dirname(file);
    for (const name of fs.readdirSync(at).filter(n => n.endsWith('.xml'))) mujoco.FS.writeFile('/' + name, change(fs.readFileSync(path.join(at, name), 'utf8')));
    const m = mujoco.MjModel.mj_loadXML('/' + path.basename(file)), d = new mujoco.MjData(m);
    mujoco.mj_resetDataKeyframe(m, d, 0);
    return { m, d, h: m.opt.timestep, body: name => mujoco.mj_name2id(m, 1, name), deepest: 0, seconds: 0, at: 0 };
};
// Steps until time t. ctrl(t): a list. look(t): called after each step
const run = (s, t, ctrl, look) => {
    const start = process.cpuUsage();
    for (; s.at < Math.round(t / s.h); s.at++) {
        const now = (s.at + 1) * s.h;
        if (ctrl) ctrl(now).forEach((x, i) => { s.d.ctrl[i] = x; });
        mujoco.mj_step(s.m, s.d);
        if (look) look(now);
    }
    const used = process.cpuUsage(start);
    s.seconds += (used.user + used.system) / 1e6;
};
const overlap = s => { for (let i = 0; i < s.d.ncon; i++) s.deepest = Math.max(s.deepest, -s.d.contact.get(i).dist); };
const place = (s, body) => [0, 1, 2].map(i => s.d.xpos[3 * body + i]);
// Position of body b in the frame of body a
const within = (s, a, b) => {
    const R = [...Array(9).keys()].map(i => s.d.xmat[9 * a + i]), p = place(s, a), q = place(s, b), v = q.map((x, i) => x - p[i]);
    return [0, 1, 2].map(i => R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2]);
};
const apart = (p, q) => Math.hypot(...p.map((x, i) => x - q[i]));
const still = { T: 0.5, S: 0.15, H: 0.3, lift: 0.05 };
const leg = (t, phase) => {
    const { T, S, H, lift } = still, p = (t / T + phase) % 1, grows = smooth(t, [1, 0], [2, 1]);
    const x = S * grows * through(p, [[0, 0.5], [0.5, -0.5], [1, 0.5]], false), d = H - lift * grows * Math.max(0, -Math.sin(2 * Math.PI * (t / T + phase))) ** 2;
    const a = Math.acos(Math.hypot(x, d) / 0.4);
    return [0, a - Math.atan2(x, d), -2 * a];
};

const times = {};
// The rod: speed downwards over 4 s, overlap
for (const [words, name, creep, deep] of [['', 'rod', 1503, 3.267], ['impratio="10"', 'rod, impratio 10', 150.3, 3.267], ['impratio="10" noslip_iterations="10"', 'rod, noslip', -0.2, 3.267]]) {
    const s = load(path.join(root, 'held-rod/rod.xml'), text => text.replace('cone="elliptic"', `cone="elliptic" ${words}`));
    run(s, 4);
    overlap(s);
    check(`${name}: creep [um/s]`, -1e6 * s.d.qpos[2] / 4, creep, 0.05 * Math.abs(creep) + 0.1);
    like(`${name}: overlap [mm]`, 1e3 * s.deepest, deep);
    if (!words) times.rod = s.seconds;
}
// The arm: distance of the box from its target, its way in the gripper while it lifts and turns, overlap. The second time with settings that users choose against creep
for (const [words, name, miss, lifts, turns, deep] of [['', 'arm', 14.08, 1.874, 15.74, 1.981],
    ['cone="elliptic" impratio="10" noslip_iterations="10"', 'arm, stiff, elliptic, impratio 10, noslip', 1.611, 0.04188, 2.128, 0.2861]]) {
    const file = path.join(root, 'arm-pick/scene.yaml'), rows = [...fs.readFileSync(file, 'utf8').matchAll(/^ +- (\[[^\]]*\])$/gm)].map(r => JSON.parse(r[1].replaceAll('pi/2', String(Math.PI / 2))));
    const s = load(path.join(root, 'arm-pick/cell.xml'), text => words ? text.replace('integrator="implicitfast"', `integrator="implicitfast" ${words}`).replace('<default>', '<default><geom solref="0.004 1"/>') : text), hand = s.body('link7'), box = s.body('box'), at = {};
    const joint = (t, k) => smooth(t, ...rows.map(r => [r[0], r[k]]));
    run(s, 7, t => [joint(t, 1), joint(t, 2), 0, joint(t, 3), 0, joint(t, 4), 0, smooth(t, [1.4, 0.04], [1.8, 0], [5.2, 0], [5.6, 0.04])], t => {
        overlap(s);
        for (const when of [2.1, 2.9, 5]) if (Math.abs(t - when) < 1e-9) at[when] = within(s, hand, box);
    });
    like(`${name}: distance of the box from its target [mm]`, 1e3 * apart(place(s, box), [0, 0.5, 0.17]), miss);
    like(`${name}: slip while it lifts [mm]`, 1e3 * apart(at[2.9], at[2.1]), lifts);
    like(`${name}: slip while it turns [mm]`, 1e3 * apart(at[5], at[2.9]), turns);
    like(`${name}: overlap [mm]`, 1e3 * s.deepest, deep);
    if (!words) times.arm = s.seconds;
}
// The quadruped: creep from 4 s to 10 s as it stands; speed as it trots
{
    let s = load(path.join(root, 'quadruped-trot/quadruped.xml')), x;
    run(s, 4);
    x = place(s, s.body('trunk'));
    run(s, 10, null, () => overlap(s));
    check('quadruped: creep [um/s]', 1e6 * apart(place(s, s.body('trunk')), x) / 6, 0, 0.01);
    like('quadruped, stands: overlap [mm]', 1e3 * s.deepest, 0.6936);
    times.stands = s.seconds;
    s = load(path.join(root, 'quadruped-trot/quadruped.xml'));
    const gait = t => [...leg(t, 0), ...leg(t, 0.5), ...leg(t, 0.5), ...leg(t, 0)];
    run(s, 2.5, gait, () => overlap(s));
    x = s.d.qpos[0];
    run(s, 7.5, gait, () => overlap(s));
    like('quadruped: speed over 2 S/T', (s.d.qpos[0] - x) / 5 / 0.6, 0.7194);
    like('quadruped, trots: overlap [mm]', 1e3 * s.deepest, 12.68);
    run(s, 8, gait);
    times.trots = s.seconds;
}
// The hand: creep of the ball in it, overlap
{
    const s = load(path.join(root, 'hand-hold/hand.xml')), palm = s.body('palm'), ball = s.body('ball');
    const finger = t => smooth(t, [0.2, -0.25], [0.7, 0]);
    const ctrl = t => [smooth(t, [0.8, 0], [1.6, 0.1]), finger(t), 0.3, finger(t), 0.3, finger(t), 0.3];
    run(s, 5, ctrl, () => overlap(s));
    const p = within(s, palm, ball);
    run(s, 62, ctrl, () => overlap(s));
    like('hand: creep of the ball [um/s]', 1e6 * apart(within(s, palm, ball), p) / 57, 0.07273);
    like('hand: overlap [mm]', 1e3 * s.deepest, 7.766);
    times.hand = s.seconds;
}

// ---- perp ----
const file = path.join(folder, 'run.h5');
const mine = (scene, ...more) => {
    const said = execFileSync('bash', ['-c', `${perp} run ${path.join(root, scene)} ${more.join(' ')} --output ${file} --force && times`], { encoding: 'utf8', cwd: folder });
    const used = [...said.trim().split('\n').pop().matchAll(/(\d+)m([\d.]+)s/g)].map(r => 60 * r[1] + Number(r[2]));
    if (!/Certificate: good/.test(said)) console.log(`    ${scene}: ${said.match(/Certificate: \w+/)[0]}`);
    return used[0] + used[1];
};
times['rod, perp'] = mine('held-rod/scene.yaml');
execFileSync(perp, ['plot', file, '--csv', 'scene-rod.z', '-o', path.join(folder, 'rod.csv')]);
check('rod, perp: creep [um/s]', -1e6 * Number(fs.readFileSync(path.join(folder, 'rod.csv'), 'utf8').trim().split('\n').pop().split(',')[1]) / 4, 0, 1e-9);
if (option === '--time') {
    times['arm, perp'] = mine('arm-pick/scene.yaml');
    times['stands, perp'] = mine('quadruped-trot/stand.yaml');
    times['trots, perp'] = mine('quadruped-trot/scene.yaml');
    times['hand, perp'] = mine('hand-hold/scene.yaml');
    for (const [name, t] of Object.entries(times)) console.log(`    ${name}: ${t.toFixed(2)} s of processor time`);
}
process.exit(bad ? 1 : 0);
