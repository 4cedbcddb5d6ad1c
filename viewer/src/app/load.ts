/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Opening a run: the recording, and how large its scene is.
import { RecordedRun } from '../data/recorded.ts';
import type { Offer } from '../data/source.ts';
import { extentOf } from '../draw/extent.ts';
import type { Loaded } from './app.ts';
import { poseOf } from './wait.ts';

export async function load(offer: Offer): Promise<Loaded> {
    const run = await RecordedRun.open(offer.name, offer.place());
    performance.mark('perp header');
    const [start, some] = await Promise.all([poseOf(run, 0), run.someFrames()]);
    performance.mark('perp poses');
    return { run, extent: extentOf(run.model, start, some) };
}
