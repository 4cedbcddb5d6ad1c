// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// The JavaScript module, as a user of the package sees it. node --test; PERP_PACKAGE: folder of the package.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";

const folder = path.resolve(process.env.PERP_PACKAGE ?? "build/wasm/package");
const { load, PerpError, SceneError, SolveError } = await import(pathToFileURL(path.join(folder, "perp.js")));
const perp = await load();

const BOX = `
perp: 1
title: a box
duration: 1
parameters: {mu: {default: 0.4, min: 0, max: 1, unit: "-", about: friction}}
dim: 3
h: 0.01
law: {mu: mu}
bodies:
- {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}
- {name: box, density: 500, at: [0, 0, 0.1], velocity: [1, 0, 0], shape: {type: box, size: [0.2, 0.2, 0.2]}}
`;

test("a scene becomes a world that steps", () => {
  const w = perp.open(BOX);
  assert.equal(w.title, "a box");
  assert.equal(w.dim, 3);
  assert.equal(w.durationSteps, 100);
  const c = w.step(10);
  assert.equal(w.steps, 10);
  assert.ok(Math.abs(w.time - 0.1) < 1e-12);
  assert.ok(c.accepted && c.overlap < 1e-6 && c.law.normal <= 1e-8 * c.law.scale + 1e-12);
  // sliding: v = v0 - mu g t
  const slot = w.bodies.find((b) => b.name === "box").slot;
  assert.ok(Math.abs(w.twists[6 * slot] - (1 - 0.4 * 9.81 * 0.1)) < 1e-9);
  assert.ok(Math.abs(w.poses[7 * slot + 2] - 0.1) < 1e-6);
  w.close();
  assert.throws(() => w.time, PerpError);
  w.close();
});

test("views have no copies, follow the world and survive a growth of memory", () => {
  const w = perp.open(BOX), view = w.poses;
  assert.equal(w.poses, view);
  const before = view[8]; // memory of the module itself: a step is seen through the same array
  w.step(5);
  assert.equal(w.poses, view);
  const slot = w.bodies.find((b) => b.name === "box").slot, x = view[7 * slot];
  assert.ok(x > 0.04 && before !== undefined);
  const size = perp.memory, held = [];
  const row = (i) => `- {name: b${i}, density: 1, at: [${i}, 0, 10], shape: {type: sphere, radius: 0.1}}`;
  const many = `perp: 1\ndim: 3\nduration: 1\nbodies:\n${Array.from({ length: 1000 }, (_, i) => row(i)).join("\n")}\n`;
  while (perp.memory === size) held.push(perp.open(many));
  assert.equal(view.length, 0); // what JavaScript does to a view of memory that has grown
  assert.equal(w.poses[7 * slot], x);
  const c = w.step();
  assert.ok(c.accepted && w.poses[7 * slot] > x);
  for (const o of held) o.close();
  w.close();
});

test("contacts: objects, and an array without copies", () => {
  const w = perp.open(BOX);
  w.step(2);
  const contacts = w.contacts, list = [...contacts], at = perp.contactOffsets, shapes = w.shapes;
  assert.equal(list.length, 4);
  let impulse = 0;
  list.forEach((c, i) => {
    assert.equal(c.state, "sliding");
    assert.equal(shapes.filter((s) => s.slot === c.a || s.slot === c.b).length, 2);
    assert.equal(contacts.data[i * contacts.stride + at.gap / 8], c.gap);
    assert.deepEqual(Array.from(contacts.data.subarray(i * contacts.stride + at.n_W / 8, i * contacts.stride + at.n_W / 8 + 3)), c.n_W);
    impulse += Math.abs(c.n_W[2]) * c.impulse_C[0];
  });
  assert.ok(Math.abs(impulse - 500 * 0.008 * 9.81 * 0.01) < 1e-9);
  w.step();
  assert.throws(() => contacts.at(0), /earlier step/);
  w.close();
});

test("parameters", () => {
  const w = perp.open(BOX);
  const { about, ...mu } = w.parameters[0];
  assert.deepEqual(mu, { name: "mu", unit: "-", value: 0.4, initial: 0.4, min: 0, max: 1 });
  assert.equal(about, "friction");
  w.step(3);
  w.set({ mu: 0.1 });
  assert.equal(w.time, 0);
  assert.equal(w.parameters[0].value, 0.1);
  w.step(20);
  const other = perp.open(BOX, { define: { mu: 0.1 } });
  other.step(20);
  assert.equal(w.hash, other.hash);
  assert.throws(() => w.set({ mu: 3 }), (e) => e instanceof SceneError && /mu/.test(e.message) && /3/.test(e.message));
  assert.throws(() => w.set({ mu: NaN }), PerpError);
  assert.equal(w.hash, other.hash);
  w.close();
  other.close();
});

test("states come back to the bit", () => {
  const w = perp.open(BOX);
  w.step(7);
  const state = w.state;
  w.step(9);
  const end = w.hash;
  w.state = state;
  assert.equal(w.steps, 7);
  w.step(9);
  assert.equal(w.hash, end);
  assert.match(end, /^[0-9a-f]{16}$/);
  assert.throws(() => { w.state = state.subarray(0, 20); }, PerpError);
  w.close();
});

test("a refused scene is an exception with file, line and key", () => {
  const bad = BOX.replace("density: 500", "density: -500");
  assert.throws(() => perp.open(bad, { name: "bad.yaml" }), (e) => {
    assert.ok(e instanceof SceneError && e instanceof PerpError && e instanceof Error);
    assert.equal(e.status, "E_ARG");
    assert.equal(e.file, "bad.yaml");
    assert.equal(e.line, 11);
    assert.ok(e.column > 0);
    assert.match(e.key, /^bodies\[1\]/);
    assert.match(e.found, /-500/);
    assert.ok(e.message.startsWith("bad.yaml:11:"));
    return true;
  });
  assert.throws(() => perp.open("a: [1"), SceneError);
  assert.throws(() => perp.open(7), PerpError);
  assert.throws(() => perp.open(BOX, { define: { nu: 1 } }), /nu/);
  assert.throws(() => perp.open("include: other.yaml\n"), (e) => e instanceof SceneError && /other\.yaml/.test(e.message));
  const w = perp.open(BOX);
  assert.throws(() => w.step(1.5), PerpError);
  assert.throws(() => { w.h = -1; }, PerpError);
  w.close();
});

test("a step without an answer is an exception, the world unchanged", () => {
  const w = perp.open(BOX + "stages: {form: mlcp, solver: pgs, fallback: [], max_halvings: 0, settings: {pgs: {max_sweeps: 1}}}\n");
  const before = w.hash;
  try {
    w.step(50);
    assert.fail("the solver had one iteration");
  } catch (e) {
    if (!(e instanceof SolveError)) throw e;
    assert.equal(e.status, "E_SOLVE");
    assert.ok(e.message.length > 20);
    assert.equal(typeof e.certificate.residual, "number");
    assert.equal(w.hash, before);
  }
  w.close();
});

test("files in memory; bodies, shapes, poses and velocities", () => {
  const cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const w = perp.open("perp: 1\ndim: 3\nduration: 1\nbodies:\n- {name: m, density: 1, shape: {type: mesh, file: t.obj}}\n", { files: { "t.obj": cube } });
  const [b] = w.bodies, [s] = w.shapes;
  assert.equal(b.kind, "dynamic");
  assert.ok(Math.abs(b.mass - 1 / 6) < 1e-12);
  assert.equal(s.kind, "polyhedron");
  assert.equal(s.points.length, 12);
  assert.equal(s.faces.length, 4);
  w.setPose("m", [1, 2, 3, 1, 0, 0, 0]);
  w.setVelocity(b, [0, 0, 5]);
  assert.deepEqual(Array.from(w.poses.subarray(7 * b.slot, 7 * b.slot + 3)), [1, 2, 3]);
  assert.equal(w.twists[6 * b.slot + 2], 5);
  assert.throws(() => w.setPose("nobody", [0, 0, 0, 1, 0, 0, 0]), /nobody/);
  assert.throws(() => w.setPose("m", [0, 0, 0]), PerpError);
  w.close();
});

test("hulls that qhull refuses are refused, and the module goes on", () => {
  const flat = "perp: 1\ndim: 3\nduration: 1\nbodies:\n- {density: 1, shape: {type: polyhedron, points: [[0,0,0],[1,0,0],[0,1,0],[1,1,0],[0.5,0.5,0]]}}\n";
  for (let i = 0; i < 20; i++) assert.throws(() => perp.open(flat), SceneError);
  perp.open(BOX).close();
});

test("a recorder hands over datasets and frames, counts steps and pulls a body", () => {
  const w = perp.open(BOX.replace("velocity: [1, 0, 0], ", ""));
  const r = w.record(), statics = new Map(r.statics().map((d) => [d.path, d]));
  assert.deepEqual(statics.get("bodies/name").data, ["floor", "box"]);
  assert.deepEqual(statics.get("bodies/mass").shape, [2]);
  assert.ok(statics.get("shapes/half_size").data instanceof Float64Array);
  const frame = () => new Map(r.frame().map((d) => [d.path, d]));
  assert.equal(frame().get("frames/step").data[0], 0n);
  for (let i = 0; i < 5; i++) assert.ok(r.step().accepted);
  const f = frame();
  assert.equal(f.get("frames/step").data[0], 5n);
  assert.deepEqual(f.get("frames/position").shape, [1, 2, 3]);
  assert.deepEqual(Array.from(f.get("frames/position").data.subarray(3)), Array.from(w.poses.subarray(7, 10)));
  assert.equal(f.get("contacts/gap").data.length, w.contacts.length);
  const plain = perp.open(BOX.replace("velocity: [1, 0, 0], ", ""));
  plain.step(5);
  assert.equal(plain.hash, w.hash); // a recorder changes nothing
  r.pull(1, [0, 0, 0], [1, 0, 0.3]);
  for (let i = 0; i < 30; i++) r.step();
  assert.ok(w.poses[7] > 0.1 && frame().get("ledger/applied").data[0] > 0);
  r.drop();
  assert.throws(() => r.pull(-1, [0, 0, 0], [1, 0, 0]), PerpError);
  assert.throws(() => r.pull(1, [0, 0, NaN], [1, 0, 0]), PerpError);
  assert.deepEqual(w.gravity, [0, 0, -9.81]);
  assert.deepEqual(Object.keys(w.units), ["length", "mass", "time"]);
  assert.ok(r.solvers.length > 0);
  r.close();
  assert.throws(() => r.step(), PerpError);
  w.close();
  plain.close();
});

test("a recording takes the same steps, with the same pulls, and makes one file", async () => {
  const text = BOX.replace("velocity: [1, 0, 0], ", ""), w = perp.open(text), other = perp.open(text);
  const r = w.record(), recording = await other.recording();
  const both = (act) => [r, recording].forEach(act);
  const steps = (n) => {
    for (let i = 0; i < n; i++) r.step();
    recording.step(n);
  };
  steps(4);
  both((x) => x.pull(1, [0, 0, 0], [1, 0, 0.3]));
  steps(10);
  both((x) => x.drop());
  steps(20);
  assert.equal(other.hash, w.hash);
  assert.ok(w.poses[7] > 0.01);
  await recording.pack();
  const file = await recording.file();
  assert.equal(Buffer.from(file.subarray(1, 4)).toString(), "HDF");
  assert.equal(Buffer.from(file.subarray(file.length - 40, file.length - 32)).toString(), "perpseal");
  await assert.rejects(() => recording.file(), /made already/);
  both((x) => x.close());
  w.close();
  other.close();
});

test("memory can be limited", async () => {
  const small = await load({ memory: 64e6 });
  const many = `perp: 1\ndim: 3\nduration: 1\nbodies:\n- {density: 1, repeat: 200000, at: [i, 0, 1], shape: {type: sphere, radius: 0.1}}\n`;
  assert.throws(() => small.open(many), (e) => e.status === "E_MEMORY" && /64 MB are allowed/.test(e.message));
  assert.throws(() => small.open(BOX), /load it again/);
});

test("the declared types name every field", () => {
  const types = readFileSync(path.join(folder, "perp.d.ts"), "utf8");
  const names = (o) => Object.entries(o).flatMap(([k, v]) => (v && typeof v === "object" && !Array.isArray(v) ? [k, ...names(v)] : [k]));
  const w = perp.open(BOX);
  const c = w.step(2);
  for (const n of [...names(c), ...names(w.contacts.at(0)), ...Object.keys(w.shapes[0]), ...Object.keys(w.bodies[0])]) assert.match(types, new RegExp(`\\b${n}:`), n);
  w.close();
});

test("the schema of scenes", () => {
  assert.ok(JSON.stringify(perp.schema).includes("bodies"));
});

test("closing gives memory back", () => {
  let last = 0;
  for (let i = 0; i < 200; i++) {
    const w = perp.open(BOX);
    w.step();
    w.close();
    if (i === 100) last = perp.memory;
  }
  assert.equal(perp.memory, last);
});

test("sizes: the module below 2 MB, compressed below 700 kB", () => {
  const bytes = readFileSync(path.join(folder, "perp.wasm"));
  assert.ok(bytes.length < 2e6, `${bytes.length} bytes`);
  const packed = brotliCompressSync(bytes).length; // quality 11, as servers keep it
  assert.ok(packed < 700e3, `${packed} bytes compressed`);
});

test("npm installs the package from its folder and from an archive", (t) => {
  const work = mkdtempSync(path.join(tmpdir(), "perp-npm-"));
  t.after(() => rmSync(work, { recursive: true, force: true }));
  const npm = (...a) => execFileSync("npm", ["--offline", "--no-audit", "--no-fund", "--cache", path.join(work, "cache"), ...a], { cwd: work, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  writeFileSync(path.join(work, "package.json"), '{"name": "user", "version": "1.0.0", "private": true, "type": "module"}');
  writeFileSync(path.join(work, "use.js"), 'import { load } from "perp"; const p = await load(); const w = p.open("perp: 1\\ndim: 3\\nduration: 1\\nbodies: [{density: 1, shape: {type: sphere, radius: 1}}]\\n"); w.step(3); console.log(w.steps, p.version);');
  for (const how of ["folder", "archive"]) {
    npm("install", how === "folder" ? folder : path.join(work, npm("pack", folder).trim().split("\n").pop()));
    assert.equal(execFileSync("node", ["use.js"], { cwd: work, encoding: "utf8" }).trim(), `3 ${perp.version}`);
    rmSync(path.join(work, "node_modules"), { recursive: true, force: true });
  }
  cpSync(folder, path.join(work, "copied"), { recursive: true }); // from any folder, without npm
  execFileSync("node", ["--input-type=module", "-e", `import { load } from ${JSON.stringify(pathToFileURL(path.join(work, "copied", "perp.js")).href)}; await load();`]);
});
