/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* acceptance.h - when an answer of a step problem counts. */
#ifndef PP_ACCEPTANCE_H
#define PP_ACCEPTANCE_H

#include "stage/frame.h"

/* Speeds that residuals are compared with: those of the problem's rows, and the speed that gravity adds in a step [L/T]. */
double pp_speed_scale(const pp_frame *f, double of_rows);

/* Worst residual of r over the speed scale of the problem: what is compared with `tolerance`. Of joint rows that contradict each
 * other only the part counts that an impulse could remove. row_scratch, dof_scratch: njoint, ndof. */
double pp_acceptance(const pp_frame *f, const perp_step_problem *p, const perp_step_solution *s,
                     const perp_step_residual *r, double tolerance, double *row_scratch, double *dof_scratch);

/* What misses a law by more than this is no answer, whatever rounding and the impulses are [L/T]. tolerance: of the world, or with
 * slack; scale: speeds of the problem, pp_step_scale() [L/T]. */
double pp_sure_miss(const pp_frame *f, double tolerance, double scale);

/* Does something slide under load on a body that other contacts or joints hold as well? Then the motion depends on how they share the
 * load. Without memory: true. */
bool pp_loads_matter(pp_arena *arena, const perp_step_problem *p, const perp_step_solution *s);

#endif
