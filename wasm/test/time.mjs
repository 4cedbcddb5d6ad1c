// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// time.mjs PACKAGE SCENE_BITS STEPS ROUNDS SCENE... - processor time of the module over that of the native library. In each round the native program and the module take the same steps one after the other,
// so that both meet the same machine; the least time of each counts. Prints each scene, then geometric mean, median and worst. Exit code 1 if states differ.
// To be run with --no-liftoff --no-wasm-lazy-compilation: the optimiser then compiles the module before the first step, and its time does not count. The time of reading a scene does not count on either side.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** Scenes whose steps take less than SHORT natively take MORE times the steps, up to their end, and each round repeats them. What takes less than LEAST to its end is too short for the clock [s]. */
const LEAST = 0.001, SHORT = 0.1, MORE = 50, REPEATED = 8;

const [folder, program, steps, rounds, ...scenes] = process.argv.slice(2);
const { load } = await import(pathToFileURL(path.resolve(folder, "perp.js")));
const perp = await load();

const native = (scene, most = Number(steps)) => JSON.parse(execFileSync(program, [String(most), scene], { encoding: "utf8", maxBuffer: 1e8 }));

/** The same steps in the module, all in one call, as the native program takes them without looking at certificates. */
function module(line) {
  const files = {};
  for (const name of line.files.slice(1)) files[name] = line.models[name] ?? readFileSync(name);
  const w = perp.open(readFileSync(line.scene), { name: line.files[0], files });
  const begun = process.cpuUsage();
  w.step(line.steps);
  const { user, system } = process.cpuUsage(begun), out = { seconds: (user + system) / 1e6, hash: w.hash };
  w.close();
  return out;
}

const ratios = [], left = [];
let different = 0;
for (const scene of scenes) {
  const first = native(scene), line = first.seconds < SHORT ? native(scene, MORE * steps) : first, name = path.relative(process.cwd(), scene);
  if (line.refused || line.failed || !line.steps || line.seconds < LEAST) {
    left.push(name);
    continue;
  }
  let here = line.seconds, there = Infinity;
  for (let i = 0; i < Number(rounds) * (here < SHORT ? REPEATED : 1); i++) {
    const m = module(line);
    if (m.hash !== line.hash) {
      console.log(`${name}: native ${line.hash}, module ${m.hash}`);
      different++;
    }
    there = Math.min(there, m.seconds);
    here = Math.min(here, native(scene, line.steps).seconds);
  }
  const ratio = there / here, ms = (s) => (1e3 * s / line.steps).toFixed(3);
  console.log(`${name}: ${line.steps} steps, ${ms(here)} ms each; module ${ms(there)} ms; ratio ${ratio.toFixed(2)}`);
  ratios.push({ ratio, name });
}
if (left.length) console.log(`left out, as they take less than ${1e3 * LEAST} ms to their end, or fail: ${left.join(", ")}`);
if (ratios.length) {
  ratios.sort((a, b) => a.ratio - b.ratio);
  const mean = Math.exp(ratios.reduce((sum, r) => sum + Math.log(r.ratio), 0) / ratios.length);
  const middle = (ratios[(ratios.length - 1) >> 1].ratio + ratios[ratios.length >> 1].ratio) / 2, worst = ratios[ratios.length - 1];
  console.log(`processor time of the module over native, ${ratios.length} scenes: geometric mean ${mean.toFixed(2)}, median ${middle.toFixed(2)}, worst ${worst.ratio.toFixed(2)} (${worst.name})`);
}
process.exitCode = different || !ratios.length ? 1 : 0;
