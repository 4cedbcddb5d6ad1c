/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_step.h - parts of stage 5 that contact models with laws of their own use too (method/disjunction/disjunction_solve.c). */
#ifndef PP_SOLVE_STEP_H
#define PP_SOLVE_STEP_H

#include "problem/islands.h"
#include "stage/solve/solve.h"

/* Solves island number k by the chain of solvers, every contact unilateral, and writes its answer into f->solve.solution. With
 * o->no_lift driven bodies may stall; motors without force limit yield where their speed has no answer.
 * recalled: impulses of the last step for the whole problem; NULL: none. *residual: of the laws in the island. */
perp_status pp_solve_island(pp_frame *f, pp_island *island, int k, const perp_step_solution *recalled,
                            const pp_solve_options *o, perp_step_residual *residual);

/* Worst residual of r over the speed scale of the problem: what is compared with `tolerance`. Of joint rows that contradict each
 * other only the part counts that an impulse could remove. row_scratch, dof_scratch: njoint, ndof. */
double pp_acceptance(const pp_frame *f, const perp_step_problem *p, const perp_step_solution *s,
                     const perp_step_residual *r, double tolerance, double *row_scratch, double *dof_scratch);

/* Is it `auto` that solves the posed problem as cones? Other solvers do not select loads when they are asked to. */
bool pp_loads_by_auto(const pp_frame *f);

/* Does something slide under load on a body that other contacts or joints hold as well? Then the motion depends on how they share the
 * load. Without memory: true. */
bool pp_loads_matter(pp_arena *arena, const perp_step_problem *p, const perp_step_solution *s);

/* What misses a law by more than this is no answer, whatever rounding and the impulses are [L/T]. tolerance: of the world, or with
 * slack; scale: speeds of the problem, pp_step_scale() [L/T]. */
double pp_sure_miss(const pp_frame *f, double tolerance, double scale);

#endif
