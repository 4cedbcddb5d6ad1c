/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* progress.h - one line on stderr that tells how far a run is. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "cli.h"

typedef struct progress {
    bool on, drawn;
    double begun, last;    /* clock: of the beginning, of the last drawing */
    double end;            /* simulated time at the end */
    uint64_t done0, total; /* steps: before this run, in all */
    uint64_t last_done;
    double rate; /* steps per second, smoothed */
    int columns,
        cells; /* width of the terminal; width of the bar: the smallest that was needed so far, so that it does not jitter */
} progress;

void progress_begin(progress *p, bool on, uint64_t done, uint64_t total, double end);
/* After each step; draws about ten times a second. now: cli_clock() */
void progress_step(progress *p, double now, uint64_t done, double t, double law, double overlap);
void progress_end(progress *p); /* wipes the line */

#endif
