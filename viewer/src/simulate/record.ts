/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// The worker that makes a recording of a run: it takes the same steps once more, with the same pulls, and writes what `perp run` writes. A run that is
// watched costs nothing for that, and as the bits are the same the file is that of the run; the hash of the state is compared at the end.
import type { Perp } from '../../../wasm/perp.d.ts';
import type { History, RecordAnswer, RecordRequest } from './protocol.ts';

/** Steps between two answers take about this long [ms]. */
const SLICE = 100;

const say = (answer: RecordAnswer, owned: ArrayBuffer[] = []): void => self.postMessage(answer, { transfer: owned });

async function record(perp: Perp, { opening, acts, steps, hash }: History): Promise<Uint8Array> {
    const { text, define, path: name, files } = opening;
    const world = perp.open(text, { define, name, files });
    const recording = await world.recording();
    let next = 0;
    let batch = 1;
    for (;;) {
        for (; next < acts.length && acts[next].step === world.steps; next++) {
            const { grip } = acts[next];
            if (grip) recording.pull(grip[0], grip.slice(1, 4), grip.slice(4, 7));
            else recording.drop();
        }
        const until = Math.min(acts[next]?.step ?? steps, steps);
        if (world.steps >= until) break;
        const begun = performance.now();
        recording.step(Math.min(batch, until - world.steps));
        const taken = performance.now() - begun;
        batch = taken < SLICE / 2 ? 2 * batch : taken > SLICE ? Math.ceil(batch / 2) : batch;
        await recording.pack();
        say({ steps: world.steps });
    }
    if (world.hash !== hash)
        throw new Error(
            'The steps have another result when they are repeated, as with a time_limit: there is no recording.',
        );
    return recording.file();
}

self.onmessage = async (e: MessageEvent<RecordRequest>) => {
    try {
        const module = (await import(/* @vite-ignore */ e.data.perp)) as {
            load(options: { memory: number }): Promise<Perp>;
        };
        const file = await record(await module.load({ memory: e.data.memory }), e.data.history);
        say({ file }, [file.buffer as ArrayBuffer]);
    } catch (error) {
        say({ error: error instanceof Error ? error.message : String(error) });
    }
};
