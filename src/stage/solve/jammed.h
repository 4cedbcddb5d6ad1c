/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* jammed.h - what jams a step that has no answer, for step/step.c. */
#ifndef PP_JAMMED_H
#define PP_JAMMED_H

#include "stage/frame.h"

/* A way to solve the problem of a frame, once it is posed. */
typedef struct pp_way {
    perp_status (*solve)(pp_frame *f, const void *ctx);
    const void *ctx;
    bool ordinary; /* every contact of it is unilateral */
} pp_way;

/* Is so little work left that no part after this one gets a share worth having? Then a step without an answer goes on jammed. */
bool pp_jam_due(const pp_frame *f);

/* Lets a part that goes on jammed work a little beyond the limit of the step, so that it can. */
void pp_jam_may_work(perp_world *w);

/* For models that have no other way out: `st` is what came of the problem of f. If it had no answer and a shorter part
 * does not help, the problem is posed again with nothing asked to open, whatever its gap, and solved; what overlaps stays so,
 * which the certificate tells. A shorter part does not help if none follows, if most of the work of the step is done, or if
 * contacts are proven to contradict each other: overlap asks for more speed in less time. If a shorter part may follow, f->advice.blocked says whether a driven body touches another. */
perp_status pp_solve_jammed(pp_frame *f, perp_status st, const pp_way *way);

/* Adds to the world's sentence about a frame that was not solved what stands in the way of an answer, if that is
 * found. */
void pp_name_jam(const pp_frame *f);

#endif
