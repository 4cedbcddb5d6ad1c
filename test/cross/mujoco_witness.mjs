// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// mujoco_witness.mjs MODEL.xml < "q ... v ...": what MuJoCo says of a model at q and v, for test_joint_space_mujoco.c.
// Prints on lines: nq nv nbody; mass matrix; bias; positions of the bodies' centres of mass; their quaternions; centre of mass of
// all; qacc without forces. Exit code 77: the npm package @mujoco/mujoco is not installed (looked for in PERP_NODE_MODULES, else in
// viewer/node_modules).
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const modules = process.env.PERP_NODE_MODULES ?? join(here, '../../viewer/node_modules');
const file = join(modules, '@mujoco/mujoco/mujoco.js');
if (!existsSync(file)) process.exit(77);
const mujoco = await (await import(pathToFileURL(file))).default();
const model = mujoco.MjModel.from_xml_string(readFileSync(process.argv[2], 'utf8'));
const data = new mujoco.MjData(model);
const numbers = readFileSync(0, 'utf8').trim().split(/\s+/).map(Number);
const { nq, nv, nbody } = model;
for (let i = 0; i < nq; i++) data.qpos[i] = numbers[i];
for (let i = 0; i < nv; i++) data.qvel[i] = numbers[nq + i];
mujoco.mj_forward(model, data);
const M = new mujoco.DoubleBuffer(nv * nv);
mujoco.mj_fullM(model, data, M);
const line = (x, n) => console.log(Array.from({ length: n }, (_, i) => x[i]).join(' '));
console.log(nq, nv, nbody);
line(M.GetView(), nv * nv);
line(data.qfrc_bias, nv);
line(data.xipos, 3 * nbody);
line(data.xquat, 4 * nbody);
line(data.subtree_com, 3);
line(data.qacc, nv);
