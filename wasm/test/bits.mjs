// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// bits.mjs PACKAGE RESULTS [--time] - steps the scenes of RESULTS (lines that scene_bits printed) with the module and compares: steps taken, failures, and the hash of the state. Exit code 1 if one differs.
// --time: also the ratio of processor times; the module first takes the steps once to be compiled.
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, results, flag] = process.argv.slice(2);
const { load } = await import(pathToFileURL(path.resolve(folder, "perp.js")));
const perp = await load();

/** The files of a scene under the names that it uses. */
function open(line) {
  const files = {};
  for (const name of line.files.slice(1)) files[name] = readFileSync(name);
  return perp.open(readFileSync(line.scene), { name: line.files[0], files });
}

function run(line) {
  const w = open(line);
  let failed = "";
  const most = line.failed ? line.steps + 1 : line.steps, begun = process.cpuUsage();
  try {
    // timed: all steps in one call, as the native program takes them without looking at certificates
    if (flag === "--time" && !line.failed) w.step(most);
    else for (let i = 0; i < most; i++) w.step();
  } catch (e) {
    failed = e.message;
  }
  const { user, system } = process.cpuUsage(begun);
  const out = { steps: w.steps, hash: w.hash, failed, seconds: (user + system) / 1e6 };
  w.close();
  return out;
}

let compared = 0, different = 0, ratios = 0, timed = 0;
for (const line of readFileSync(results, "utf8").trim().split("\n").map((l) => JSON.parse(l))) {
  const name = path.relative(process.cwd(), line.scene);
  if (line.refused) {
    console.log(`${name}: refused natively: ${line.refused}`);
    continue;
  }
  let here;
  try {
    if (flag === "--time") run(line);
    here = run(line);
  } catch (e) {
    here = { steps: 0, hash: "", failed: e.message };
  }
  compared++;
  const same = here.hash === line.hash && here.steps === line.steps && here.failed === line.failed;
  if (!same) {
    different++;
    console.log(`${name}: native ${line.steps} steps, ${line.hash} ${line.failed}; module ${here.steps} steps, ${here.hash} ${here.failed}`);
  }
  if (flag === "--time" && same && line.seconds > 0.01) {
    const ratio = here.seconds / line.seconds;
    console.log(`${name}: ${line.steps} steps, ${(1e3 * line.seconds / line.steps).toFixed(3)} ms each; module ${(1e3 * here.seconds / line.steps).toFixed(3)} ms; ratio ${ratio.toFixed(2)}`);
    ratios += Math.log(ratio);
    timed++;
  }
}
console.log(`${compared} scenes compared, ${different} with other bits`);
if (timed) console.log(`processor time of the module over native, geometric mean of ${timed} scenes: ${Math.exp(ratios / timed).toFixed(2)}`);
process.exitCode = different || !compared ? 1 : 0;
