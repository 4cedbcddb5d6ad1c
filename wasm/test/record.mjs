// SPDX-FileCopyrightText: the perp authors
// SPDX-License-Identifier: Apache-2.0
// record.mjs PACKAGE SCENE OUTPUT [STEPS] - runs a scene with the module and writes its recording, as `perp run` does; STEPS: only so many.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const BATCH = 50; // steps
const [folder, scene, output, some] = process.argv.slice(2);
const { load } = await import(pathToFileURL(path.resolve(folder, "perp.js")));
const perp = await load();
const world = perp.open(readFileSync(scene), { name: scene });
const recording = await world.recording();
const steps = Math.min(world.durationSteps, Number(some ?? Infinity));
while (world.steps < steps) {
  recording.step(Math.min(BATCH, steps - world.steps));
  await recording.pack();
}
writeFileSync(output, await recording.file());
recording.close();
world.close();
