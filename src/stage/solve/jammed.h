/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* jammed.h - steps that have no solution because something jams; used by step/step.c. */
#ifndef PP_JAMMED_H
#define PP_JAMMED_H

#include "stage/frame.h"

/* A function that solves the posed problem of a frame. */
typedef struct pp_solve_method {
    perp_status (*solve)(pp_frame *f, const void *ctx);
    const void *ctx;
    bool ordinary; /* all its contacts are unilateral */
} pp_solve_method;

/* Is so little work left that later substeps cannot use it? Then a step without solution goes on jammed. */
bool pp_jam_due(const pp_frame *f);

/* Before a frame is solved: no contact is required to open in it. */
void pp_start_jammed(pp_frame *f);

/* Lets a jammed substep exceed the work limit of the step by a little, so that it can be solved. */
void pp_jam_may_work(perp_world *w);

/* For models without another fallback. st: status of the problem of f. If it had no solution and a shorter substep does
 * not help, the problem is posed again without requiring any contact to open, and solved. Penetration then stays, and
 * the certificate reports it. A shorter substep does not help in three cases: none follows; most of the work of the
 * step is done; contacts are proven to contradict each other, since penetration demands more speed in less time. If a
 * shorter substep may follow, f->advice.blocked says whether a driven body touches another. */
perp_status pp_solve_jammed(pp_frame *f, perp_status st, const pp_solve_method *way);

/* After a frame was not solved: finds what prevents a solution, and adds it to the world's message. */
void pp_name_jam(const pp_frame *f);

#endif
