/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* capture.h - the step problems of a run as files. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "cli.h"

/* Saves the problems of a run while it steps: one file for each island and step, named step-000123-island-00.h5, and
 * step-000123-part-02-island-00.h5 where a step was divided or done again. Islands are bodies that touch or are
 * jointed. */
typedef struct capture {
    const char *folder; /* NULL: nothing is saved */
    const char *scene;  /* for titles */
    uint64_t every;     /* steps; 1: each */
    uint64_t saved;     /* files so far */
    uint64_t step;      /* of the last island seen, its number, and which pass over the step it was */
    int island, part;
    perp_status status; /* of the first file that could not be written */
    perp_refusal why;
} capture;

/* Checks the folder without changing it. A folder that holds problems of a run is refused, unless more may be
 * added. */
perp_status capture_begin(capture *c, const char *folder, const char *scene, int every, bool add, perp_refusal *why);
/* Creates the folder if necessary and starts to capture. `c` must stay valid until capture_end(). */
perp_status capture_watch(capture *c, perp_world *w, perp_refusal *why);
void capture_end(perp_world *w);

/* Saves the problem of the step that failed beside a recording ("pile-failed-step-000124.h5"), or in a folder; the path
 * goes to out. PERP_E_ARG: there is no such problem, or no place for it. */
perp_status capture_failed(const perp_world *w, const char *recording, const char *folder, const char *scene, char *out,
                           size_t size, perp_refusal *why);

#endif
