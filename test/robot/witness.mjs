// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// witness.mjs PERP FILE... - reads robot models with perp and with MuJoCo (the npm package @mujoco/mujoco) and compares: counts, masses, centres and moments,
// joints, forward kinematics of bodies and sites at random coordinates, and the table of pairs of shapes that may touch. Prints a line per file. Exit code 0: all agree,
// 1: some do not, 77: the package is not there (npm install @mujoco/mujoco, and NODE_PATH or the folder of this program).
// PERP_WITNESS_NUMBERS=PROGRAM (test/robot/joint_numbers.c) compares mass matrix and bias at a random state, too.
// Files that one of the two refuses are listed and do not count. PERP_WITNESS_CUBES=1 puts a cube in place of every mesh of MJCF files, for speed; without it that is done
// for files that MuJoCo's module has no memory for, and for files whose meshes are missing.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

import { loadMujoco } from './mujoco.mjs';

const [perp, ...files] = process.argv.slice(2);
if (!perp || files.length === 0) { console.error('witness: found too few arguments; allowed: PERP FILE...'); process.exit(2); }
const mujoco = await loadMujoco();

let seed = 1;
const random = () => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return seed / 4294967296; };

// ---- rotations and frames ----
const mul = (a, b) => [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]];
const unit = q => { const n = Math.hypot(...q); return q.map(x => x / n); };
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const add = (a, b) => a.map((x, i) => x + b[i]);
const sub = (a, b) => a.map((x, i) => x - b[i]);
const rotate = (q, v) => { const u = q.slice(1), t = cross(u, v).map(x => 2 * x); return add(add(v, t.map(x => q[0] * x)), cross(u, t)); };
const about = (axis, angle) => [Math.cos(angle / 2), ...axis.map(x => x * Math.sin(angle / 2))];
const compose = (A, B) => ({ p: add(A.p, rotate(A.q, B.p)), q: unit(mul(A.q, B.q)) });
const matrix = q => [0, 1, 2].map(c => rotate(q, [0, 1, 2].map(i => +(i === c)))); // columns
const apart = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i])));
const turned = (a, b) => { const A = matrix(a), B = matrix(b); return Math.max(...A.map((c, i) => apart(c, B[i]))); };

// ---- perp's model ----
const widths = { hinge: 1, slide: 1, ball: 4, free: 7 };
function kinematics(m, q) {
    const X = [];
    let at = 0;
    const first = m.joints.map(j => { const i = at; at += widths[j.kind]; return i; });
    const of = m.bodies.map(() => []);
    m.joints.forEach((j, i) => of[j.body].push(i));
    m.bodies.forEach((b, i) => {
        if (i === 0) { X.push({ p: [0, 0, 0], q: [1, 0, 0, 0] }); return; }
        let Y = compose(X[b.parent], { p: b.pos, q: b.quat });
        for (const k of of[i]) {
            const j = m.joints[k], s = first[k];
            if (j.kind === 'free') Y = { p: q.slice(s, s + 3), q: unit(q.slice(s + 3, s + 7)) };
            else if (j.kind === 'slide') Y.p = add(Y.p, rotate(Y.q, j.axis.map(x => x * (q[s] - j.numbers[0]))));
            else {
                const anchor = add(Y.p, rotate(Y.q, j.pos));
                Y.q = unit(mul(Y.q, j.kind === 'ball' ? unit(q.slice(s, s + 4)) : about(j.axis, q[s] - j.numbers[0])));
                Y.p = sub(anchor, rotate(Y.q, j.pos));
            }
        }
        X.push(Y);
    });
    return X;
}
const touch = (m, a, b) => {
    if (a.visual || b.visual) return false;
    const la = m.bodies[a.body].link, lb = m.bodies[b.body].link;
    if (la === lb) return false;
    if ((m.links[la].parent === lb && m.links[la].joined) || (m.links[lb].parent === la && m.links[lb].joined)) return false;
    return ((a.group & b.mask) >>> 0) !== 0 && ((b.group & a.mask) >>> 0) !== 0;
};

// ---- MuJoCo's model ----
function copy(from, to) {
    mujoco.FS.mkdirTree(to);
    for (const e of fs.readdirSync(from, { withFileTypes: true })) {
        const f = path.join(from, e.name), stat = fs.statSync(f, { throwIfNoEntry: false });
        if (!stat) continue;
        if (stat.isDirectory()) copy(f, `${to}/${e.name}`);
        else if (/\.(xml|urdf|stl|obj|msh|png|dae|skn)$/i.test(e.name)) mujoco.FS.writeFile(`${to}/${e.name}`, fs.readFileSync(f));
    }
}
let folder = 0;
function witness(file) {
    const dir = `/w${folder++}`;
    if (file.endsWith('.urdf')) { // MuJoCo takes meshes of URDF by their bare names, beside the file
        mujoco.FS.mkdirTree(dir);
        mujoco.FS.writeFile(`${dir}/${path.basename(file)}`, fs.readFileSync(file));
        const text = fs.readFileSync(file, 'utf8');
        for (const [, name] of text.matchAll(/filename\s*=\s*"([^"]+\.(?:stl|obj))"/gi)) {
            const rest = name.replace(/^(package|model):\/\/[^/]*\//, '').replace(/^file:\/\//, ''), whole = name.replace(/^(package|model):\/\//, '');
            for (let up = path.dirname(file), k = 0; k < 10; up = path.join(up, '..'), k++) {
                const found = [path.join(up, whole), path.join(up, rest)].find(p => fs.existsSync(p));
                if (found) { mujoco.FS.writeFile(`${dir}/${path.basename(name)}`, fs.readFileSync(found)); break; }
            }
        }
    } else copy(path.dirname(file), dir);
    return mujoco.MjModel.from_xml_path(`${dir}/${path.basename(file)}`);
}
const str = (m, adr) => { let s = ''; for (let i = adr; m.names[i]; i++) s += String.fromCharCode(m.names[i]); return s; };

function full(I, q) { // moments in axes q as Ixx Iyy Izz Ixy Ixz Iyz
    const c = matrix(q), M = [0, 1, 2].map(i => [0, 1, 2].map(k => I[0] * c[0][i] * c[0][k] + I[1] * c[1][i] * c[1][k] + I[2] * c[2][i] * c[2][k]));
    return [M[0][0], M[1][1], M[2][2], M[0][1], M[0][2], M[1][2]];
}

function compare(file) {
    const bad = [];
    const check = (what, error, limit) => { if (!(error <= limit)) bad.push(`${what} ${error.toPrecision(3)}`); return error; };
    const m = JSON.parse(execFileSync(perp, ['import', file, '--model'], { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] }));
    for (const list of ['geoms', 'sites']) m[list] = m[list].map((g, i) => [g, i]).sort((a, b) => a[0].body - b[0].body || a[1] - b[1]).map(x => x[0]); // as MuJoCo has them
    let w;
    try { w = witness(file); } catch (e) { return { skip: `MuJoCo refuses: ${mujoco.getExceptionMessage ? String(mujoco.getExceptionMessage(e)) : e}`.slice(0, 160) }; }
    if (!w) return { skip: 'MuJoCo refuses' };
    const d = new mujoco.MjData(w);
    const urdf = m.format === 'URDF';
    const names = [...Array(w.nbody).keys()].map(i => str(w, w.name_bodyadr[i]));
    // bodies of MuJoCo and of perp that are the same
    const pairs = [];
    if (!urdf) {
        for (const [what, a, b] of [['bodies', m.bodies.length, w.nbody], ['joints', m.joints.length, w.njnt], ['sites', m.sites.length, w.nsite],
            ['actuators', m.actuators.length, w.nu], ['equalities', m.equalities, w.neq], ['tendons', m.tendons, w.ntendon], ['excludes', m.excludes, w.nexclude],
            ['pairs', m.pairs, w.npair], ['keyframes', Math.max(m.keyframes, w.nkey), w.nkey], ['geoms', m.geoms.length, w.ngeom]])
            if (a !== b) bad.push(`${what} ${a} against ${b}`);
        for (let i = 1; i < Math.min(w.nbody, m.bodies.length); i++) pairs.push([i, i, m.bodies[i]]);
    } else {
        m.links.forEach((l, i) => { const k = names.indexOf(m.bodies[l.body].name); if (i > 0 && k > 0) pairs.push([k, l.body, l]); });
        if (pairs.length !== w.nbody - 1) bad.push(`links ${pairs.length} against ${w.nbody - 1}`);
    }
    let mass = 0, centre = 0, inertia = 0;
    for (const [i, , b] of pairs) {
        const size = Math.max(w.body_mass[i], 1e-12);
        mass = Math.max(mass, Math.abs(b.mass[0] - w.body_mass[i]) / size);
        if (w.body_mass[i] > 1e-10) {
            centre = Math.max(centre, apart(b.centre, [...w.body_ipos.slice(3 * i, 3 * i + 3)]));
            const I = full([...w.body_inertia.slice(3 * i, 3 * i + 3)], [...w.body_iquat.slice(4 * i, 4 * i + 4)]);
            inertia = Math.max(inertia, apart(b.inertia, I) / Math.max(...I.slice(0, 3), 1e-12));
        }
    }
    if (bad.length === 0) {
        const meshes = !urdf && m.geoms.some(g => g.kind === 'mesh' || w.nmesh > 0); // MuJoCo keeps vertices in single precision
        check('mass', mass, meshes ? 1e-6 : 1e-12); check('centre', centre, meshes ? 1e-6 : 1e-12); check('inertia', inertia, meshes ? 1e-5 : 1e-10);
    }
    let fk = 0, nq = m.joints.reduce((n, j) => n + widths[j.kind], 0), map = null;
    if (urdf) { // by names: MuJoCo may have fewer
        const wj = [...Array(w.njnt).keys()].map(i => str(w, w.name_jntadr[i]));
        map = m.joints.map(j => wj.indexOf(j.name));
        if (w.njnt !== m.joints.length || map.includes(-1)) bad.push(`joints ${m.joints.length} against ${w.njnt}`);
    } else if (nq !== w.nq) bad.push(`coordinates ${nq} against ${w.nq}`);
    if (bad.length === 0 || (nq === w.nq && !urdf)) for (let trial = 0; trial < 20; trial++) {
        const q = [];
        m.joints.forEach(j => {
            const r = () => 2 * random() - 1;
            if (widths[j.kind] === 1) q.push(j.limited ? j.range[0] + random() * (j.range[1] - j.range[0]) : r());
            else if (j.kind === 'ball') q.push(...unit([r(), r(), r(), r() + 2]));
            else q.push(r(), r(), r(), ...unit([r(), r(), r(), r() + 2]));
        });
        let at = 0;
        m.joints.forEach((j, k) => { const to = urdf ? w.jnt_qposadr[map[k]] : at; for (let i = 0; i < widths[j.kind]; i++) d.qpos[to + i] = q[at + i]; at += widths[j.kind]; });
        mujoco.mj_kinematics(w, d);
        const X = kinematics(m, q);
        for (const [i, k] of pairs) {
            if (w.body_mocapid[i] >= 0) continue;
            fk = Math.max(fk, apart(X[k].p, [...d.xpos.slice(3 * i, 3 * i + 3)]), turned(X[k].q, unit([...d.xquat.slice(4 * i, 4 * i + 4)])));
        }
        if (!urdf) m.sites.forEach((s, i) => { fk = Math.max(fk, apart(compose(X[s.body], { p: s.pos, q: s.quat }).p, [...d.site_xpos.slice(3 * i, 3 * i + 3)])); });
        if (!urdf && m.geoms.length === w.ngeom) m.geoms.forEach((g, i) => {
            if (g.kind !== 'mesh' && w.geom_dataid[i] < 0) fk = Math.max(fk, apart(compose(X[g.body], { p: g.pos, q: g.quat }).p, [...d.geom_xpos.slice(3 * i, 3 * i + 3)]));
        });
    }
    check('kinematics', fk, 1e-12 * Math.max(1, ...m.bodies.map(b => Math.hypot(...b.pos))) * 10);
    let wrong = 0, allowed = 0;
    if (!urdf && m.geoms.length === w.ngeom && m.bodies.length === w.nbody) {
        const excluded = new Set([...w.exclude_signature.slice(0, w.nexclude)]);
        const paired = new Set([...Array(w.npair).keys()].map(i => `${Math.min(w.pair_geom1[i], w.pair_geom2[i])} ${Math.max(w.pair_geom1[i], w.pair_geom2[i])}`));
        for (let a = 0; a < w.ngeom; a++) for (let b = 0; b < a; b++) {
            const i = w.geom_bodyid[a], k = w.geom_bodyid[b], wi = w.body_weldid[i], wk = w.body_weldid[k];
            let may = ((w.geom_contype[a] & w.geom_conaffinity[b]) | (w.geom_contype[b] & w.geom_conaffinity[a])) !== 0 && wi !== wk;
            const pi = w.body_weldid[w.body_parentid[wi]], pk = w.body_weldid[w.body_parentid[wk]];
            if (wi !== 0 && wk !== 0 && (wi === pk || wk === pi)) may = false;
            const lo = Math.min(i, k), hi = Math.max(i, k);
            if (excluded.has((lo << 16) + hi) || excluded.has((hi << 16) + lo)) may = false;
            if (w.geom_type[a] === 0 && wi === 0 && wk === 0) may = false;
            if (paired.has(`${b} ${a}`) && wi !== wk && !(wi !== 0 && wk !== 0 && (wi === pk || wk === pi))) may = true; // perp has no other pairs of neighbours
            allowed += may;
            wrong += may !== touch(m, m.geoms[a], m.geoms[b]);
        }
        if (wrong) bad.push(`pairs that may touch ${wrong} of ${allowed}`);
    }
    if (!urdf && m.joints.length === w.njnt) m.joints.forEach((j, i) => {
        const dof = w.jnt_dofadr[i], q = w.jnt_qposadr[i];
        if (widths[j.kind] !== 1) return;
        check(`ref of ${j.name}`, Math.abs(w.qpos0[q] - j.numbers[0]), 1e-14);
        check(`stiffness of ${j.name}`, Math.abs(w.jnt_stiffness[i] - j.numbers[2]), 1e-12 * Math.abs(j.numbers[2]));
        check(`damping of ${j.name}`, Math.abs(w.dof_damping[dof] - j.numbers[3]), 1e-12 * Math.abs(j.numbers[3]));
        check(`frictionloss of ${j.name}`, Math.abs(w.dof_frictionloss[dof] - j.numbers[4]), 1e-12 * Math.abs(j.numbers[4]));
        check(`armature of ${j.name}`, Math.abs(w.dof_armature[dof] - j.numbers[5]), 1e-12 * Math.abs(j.numbers[5]));
        if (j.limited) check(`range of ${j.name}`, apart(j.range, [...w.jnt_range.slice(2 * i, 2 * i + 2)]), 1e-12);
    });
    // actuators that perp keeps: gear, gain, bias and ranges, as MuJoCo compiles them
    if (m.actuators.length === w.nu) m.actuators.forEach((a, i) => {
        if (!a.kept) return;
        const bias = w.actuator_biastype[i] === 0 ? [0, 0, 0] : [...w.actuator_biasprm.slice(10 * i, 10 * i + 3)];
        const is = [w.actuator_gear[6 * i], w.actuator_gainprm[10 * i], ...bias];
        a.law.forEach((x, k) => check(`law of actuator ${a.name}[${k}]`, Math.abs(x - is[k]), 1e-9 * Math.max(1, Math.abs(is[k]))));
        for (const [what, mine, theirs] of [['ctrl', a.ctrl_range, w.actuator_ctrlrange], ['force', a.force_range, w.actuator_forcerange]])
            if (mine[0] !== null) check(`range of ${what} of ${a.name}`, apart(mine, [...theirs.slice(2 * i, 2 * i + 2)]), 1e-12);
    });
    // mass matrix, with armature, and bias at a random state; of models whose coordinates are those of MuJoCo one by one
    let dynamics = '';
    const simple = !urdf && w.nv > 0 && w.nv <= 200 && m.joints.every((j, i) => j.kind !== 'ball' && (i === 0 || m.joints[i - 1].body !== j.body));
    if (process.env.PERP_WITNESS_NUMBERS && simple && bad.length === 0) {
        const q = [], v = [];
        m.joints.forEach(j => {
            const r = () => 2 * random() - 1;
            if (j.kind === 'free') { q.push(r(), r(), r(), ...unit([r(), r(), r(), r() + 2])); for (let i = 0; i < 6; i++) v.push(r()); }
            else { q.push(j.limited ? j.range[0] + random() * (j.range[1] - j.range[0]) : r()); v.push(r()); }
        });
        const out = execFileSync(process.env.PERP_WITNESS_NUMBERS, [file], { input: [...q, ...v].join(' '), maxBuffer: 1 << 28, encoding: 'utf8' }).split('\n');
        if (out[0] !== `${w.nq} ${w.nv}`) dynamics = ', other coordinates';
        else {
            q.forEach((x, i) => { d.qpos[i] = x; });
            v.forEach((x, i) => { d.qvel[i] = x; });
            mujoco.mj_forward(w, d);
            const M = new mujoco.DoubleBuffer(w.nv * w.nv);
            mujoco.mj_fullM(w, d, M);
            const [mine, bias] = out.slice(1, 3).map(t => t.split(' ').map(Number)), is = [...M.GetView()], b = [...d.qfrc_bias];
            const eM = apart(mine, is) / Math.max(...is.map(Math.abs)), eb = apart(bias, b) / Math.max(...[...b, ...is].map(Math.abs)); // beside what accelerations of 1 need: it may be zero
            const meshes = w.nmesh > 0 && inertia > 1e-12; // masses from meshes are of single precision
            check('mass matrix', eM, meshes ? 1e-5 : 1e-9); check('bias', eb, meshes ? 1e-5 : 1e-9);
            dynamics = `, mass matrix ${eM.toExponential(1)}, bias ${eb.toExponential(1)}`;
        }
    }
    const kept = m.actuators.filter(a => a.kept).length;
    const figures = `${w.nbody - 1} bodies, ${w.nv} degrees of freedom, mass ${mass.toExponential(1)}, centre ${centre.toExponential(1)}, inertia ${inertia.toExponential(1)}, kinematics ${fk.toExponential(1)}, ${allowed} pairs, ${kept} of ${w.nu} actuators${dynamics}`;
    d.delete(); w.delete();
    return { bad, figures };
}

// A cube in place of every mesh: large meshes do not fit the memory of the module. Both programs then read the copy.
const cube = Buffer.alloc(84 + 50 * 12);
cube.writeUInt32LE(12, 80);
[[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]].forEach((t, i) =>
    t.forEach((c, k) => [c & 1, c >> 1 & 1, c >> 2 & 1].forEach((x, d) => cube.writeFloatLE((x - 0.5) * (0.02 + 0.01 * d), 84 + 50 * i + 12 + 12 * k + 4 * d))));
const obj = (() => { let t = ''; for (let c = 0; c < 8; c++) t += `v ${[0, 1, 2].map(d => ((c >> d & 1) - 0.5) * (0.02 + 0.01 * d)).join(' ')}\n`;
    return t + 'f 1 3 2\nf 2 3 4\nf 5 6 7\nf 6 8 7\nf 1 2 5\nf 2 6 5\nf 3 7 4\nf 4 7 8\nf 1 5 3\nf 3 5 7\nf 2 4 6\nf 4 8 6\n'; })();
function stand_in(file) {
    const to = fs.mkdtempSync(path.join(process.env.TMPDIR || '/tmp', 'witness-')), names = new Set();
    const walk = (from, dir) => {
        fs.mkdirSync(dir, { recursive: true });
        for (const e of fs.readdirSync(from)) {
            const f = path.join(from, e), stat = fs.statSync(f, { throwIfNoEntry: false });
            if (!stat) continue;
            if (stat.isDirectory()) walk(f, path.join(dir, e));
            else if (/\.(xml|png)$/i.test(e)) fs.copyFileSync(f, path.join(dir, e));
        }
    };
    walk(path.dirname(file), to);
    const text = execFileSync('cat', fs.readdirSync(to).filter(e => e.endsWith('.xml')).map(e => path.join(to, e)), { encoding: 'utf8', maxBuffer: 1 << 28 });
    const dirs = ['', ...[...text.matchAll(/(?:meshdir|assetdir)="([^"]*)"/g)].map(x => x[1])];
    for (const [, name] of text.matchAll(/file="([^"]+\.(?:stl|obj))"/gi)) for (const d of dirs) {
        const f = path.join(to, d, name);
        if (names.has(f) || !f.startsWith(to)) continue;
        names.add(f);
        fs.mkdirSync(path.dirname(f), { recursive: true });
        fs.writeFileSync(f, /stl$/i.test(name) ? cube : obj);
    }
    return to;
}

// One file, in a process of its own: the module does not survive every model.
if (process.env.PERP_WITNESS_ONE) {
    let r;
    try { r = compare(files[0]); } catch (e) { r = { skip: `${e.stderr ? 'perp refuses' : "MuJoCo's module fails"}: ${String(e.stderr || e.message || e).trim().split('\n')[0]}`.slice(0, 300), crash: !e.stderr }; }
    console.log('\n' + JSON.stringify(r));
    process.exit(0);
}
const alone = file => {
    try {
        const out = execFileSync(process.execPath, [process.argv[1], perp, file], { env: { ...process.env, PERP_WITNESS_ONE: '1' }, maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' });
        return JSON.parse(out.trim().split('\n').pop());
    } catch (e) { return { skip: 'MuJoCo ended the process', crash: true }; }
};
let agree = 0, differ = 0, skipped = 0;
for (const file of files) {
    let r = process.env.PERP_WITNESS_CUBES && !file.endsWith('.urdf') ? { skip: 'large', crash: true } : alone(file), cubes = '';
    if (r.skip && !file.endsWith('.urdf') && (r.crash || /mesh|cannot be read|No such file|Error opening/i.test(r.skip))) {
        const copy = stand_in(file);
        const again = alone(path.join(copy, path.basename(file)));
        if (!again.skip || r.crash) { r = again; cubes = ' [cubes for meshes]'; }
        fs.rmSync(copy, { recursive: true });
    }
    if (r.skip) { skipped++; console.log(`skipped  ${file}: ${r.skip}`); }
    else if (r.bad.length) { differ++; console.log(`DIFFERS  ${file}${cubes}: ${r.bad.slice(0, 8).join('; ')} (${r.figures})`); }
    else { agree++; console.log(`agrees   ${file}${cubes}: ${r.figures}`); }
}
console.log(`${agree} agree, ${differ} differ, ${skipped} are read by one program only`);
process.exit(differ ? 1 : 0);
