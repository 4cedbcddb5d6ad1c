// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// bits.mjs PACKAGE RESULTS - steps the scenes of RESULTS (lines that scene_bits printed) with the module and compares: steps taken, failures, and the hash of the state. Exit code 1 if one differs.
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, results] = process.argv.slice(2);
const { load } = await import(pathToFileURL(path.resolve(folder, "perp.js")));
const perp = await load();

/** The files of a scene under the names that it uses. */
function open(line) {
  const files = {};
  for (const name of line.files.slice(1)) files[name] = line.models[name] ?? readFileSync(name);
  return perp.open(readFileSync(line.scene), { name: line.files[0], files });
}

function run(line) {
  const w = open(line);
  let failed = "";
  const most = line.failed ? line.steps + 1 : line.steps;
  try {
    for (let i = 0; i < most; i++) w.step();
  } catch (e) {
    failed = e.message;
  }
  const out = { steps: w.steps, hash: w.hash, failed };
  w.close();
  return out;
}

let compared = 0, different = 0;
for (const line of readFileSync(results, "utf8").trim().split("\n").map((l) => JSON.parse(l))) {
  const name = path.relative(process.cwd(), line.scene);
  if (line.refused) {
    console.log(`${name}: refused natively: ${line.refused}`);
    continue;
  }
  let here;
  try {
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
}
console.log(`${compared} scenes compared, ${different} with other bits`);
process.exitCode = different || !compared ? 1 : 0;
