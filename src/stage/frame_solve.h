/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_solve.h - what stage 5 gives (stage/solve): the answer, how good it is, how it was found, and which rows had to yield. Models and
 * steppers with laws of their own write it themselves. */
#ifndef PP_FRAME_SOLVE_H
#define PP_FRAME_SOLVE_H

#include "model/world_data.h"

typedef struct pp_frame_solve {
    perp_step_solution solution; /* nu: right after the impulses, at the start pose; of an implicit turn: at the end */
    perp_step_residual residual;
    bool measured;                /* residual is that of the solution */
    double acceptance;            /* residual that decides, relative to the speed scale */
    const perp_solver_type *used; /* solver whose answer it is; NULL if there was nothing to solve */
    perp_solve_info info;
    int iterations, fallbacks, unknowns;
    bool *stalled; /* by contact: posed as if the driven body in it stood, since its friction had no end; NULL: none */
    /* Compliance that a rigid row of a jammed island was lent, beyond its own (stage/solve/give_way.h), by contact and by joint row; 0:
     * none. NULL: no row was lent any [1/M]. */
    double *lent_contact, *lent_joint;
    /* By joint row: what is added to its impulse when impulses are shown, since redundant rows share their load (problem/redundant.h). NULL: nothing.
     * [M L/T or M L^2/T] */
    double *share;
    int motor_yields; /* motors without force limit that were given one, since their speed had no answer */
    int yield_joint;  /* joint of the last of them */
} pp_frame_solve;

/* Impulse of joint row i as it is shown: to sensors, and as the impulse of its joint. */
static inline double pp_shown_impulse(const pp_frame_solve *s, int i) {
    return s->solution.p_joint[i] + (s->share ? s->share[i] : 0);
}

#endif
