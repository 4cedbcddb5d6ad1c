/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_solve.h - output of stage 5 (stage/solve): the solution, its residuals, how it was found, and which rows had to
 * yield. Models and steppers with their own laws write it themselves. */
#ifndef PP_FRAME_SOLVE_H
#define PP_FRAME_SOLVE_H

#include "model/world_data.h"

typedef struct pp_frame_solve {
    /* nu: right after the impulses, at the start pose; for an implicit rotation at the end */
    perp_step_solution solution;
    perp_step_residual residual;
    bool measured; /* the residual belongs to the solution */
    const struct pp_row_figure *
        figure; /* of the rows of the problem, see pp_figure_row(); NULL: not known. Of the problem that pp_solve_step() solved last */
    int figured[2];    /* numbers of joint rows and of contacts of that problem */
    double acceptance; /* worst residual relative to the speed scale; it decides whether the solution is accepted */
    const perp_solver_type *used; /* solver that found the solution; NULL if there was nothing to solve */
    perp_solve_info info;
    int iterations, fallbacks, unknowns;
    /* by contact: posed as if its driven body were at rest, because friction had no finite solution; NULL: none */
    bool *stalled;
    /* Compliance that was added to a rigid row of a jammed island (stage/solve/give_way.h), by contact and by joint
     * row; 0: none. NULL: to no row [1/M]. */
    double *lent_contact, *lent_joint;
    /* By joint row: added to its impulse when impulses are shown, because redundant rows share their load (problem/redundant.h). NULL: nothing.
     * [M L/T or M L^2/T] */
    double *share;
    /* number of motors without force limit that were given one, because their speed had no solution */
    int motor_yields;
    int yield_joint; /* joint of the last of them */
} pp_frame_solve;

/* Impulse of joint row i as it is shown: to sensors, and as the impulse of its joint. */
static inline double pp_shown_impulse(const pp_frame_solve *s, int i) {
    return s->solution.p_joint[i] + (s->share ? s->share[i] : 0);
}

#endif
