/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// Waiting for what a run has not read or computed yet.
import type { Run } from '../data/run.ts';

/** The pose of a frame, waited for. */
export function poseOf(run: Run, frame: number): Promise<NonNullable<ReturnType<Run['pose']>>> {
    return new Promise((resolve, reject) => {
        const look = (): void => {
            const pose = run.pose(frame, false);
            if (pose) resolve(pose);
        };
        run.onArrived = look;
        run.onFailed = reject;
        look();
    });
}
