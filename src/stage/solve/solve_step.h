/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_step.h - parts of stage 5 that contact models with laws of their own use too (method/disjunction/disjunction_solve.c). */
#ifndef PP_SOLVE_STEP_H
#define PP_SOLVE_STEP_H

#include "problem/islands.h"
#include "stage/solve/solve.h"

/* Solves island number k by the chain of solvers, with every contact unilateral, and writes its answer into f->solve.solution. With
 * o->no_lift driven bodies may stall. Motors without force limit yield if their speed has no answer. recalled: impulses of the last step for
 * the whole problem; NULL: none. *residual: of the laws in the island. */
perp_status pp_solve_island(pp_frame *f, pp_island *island, int k, const perp_step_solution *recalled,
                            const pp_solve_options *o, perp_step_residual *residual);

#endif
