/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* to_cone.h - step problem -> cone problem in global form -> impulses and velocity
 *
 * Rows of the cone problem, in order: the joint rows, with their bounds and compliance; the normal rows of contacts
 * without friction, bounded by [0, INFINITY); then the contacts with friction, n and t (in 2D) or n, t, o (in 3D) of
 * each. If any of them resists spin, the row about n of all follows, with axis 0 where there is no torsion. If any of them resists rolling,
 * the rows about n, t and o of all follow, likewise. M is the block diagonal matrix of the bodies, H has J' of each row as a column, f is
 * the momentum. */
#ifndef PP_TO_CONE_H
#define PP_TO_CONE_H

#include "base/memory.h"
#include "problem/convert/convert.h"
#include "perp/step.h"

typedef struct pp_step_cone {
    perp_problem problem; /* to hand to a solver; PERP_CONE */
    int n;                /* its size: rows */
    int width;            /* rows of a contact with friction: 2, 3, 4 or 6 */
    bool round;           /* all cones are circular: no axes */
    const perp_step_problem *step;
    int *at;     /* ncontact: row of the contact's normal impulse */
    bool *slips; /* ncontact: has friction, so that the rows after it are its tangents */
} pp_step_cone;

/* Everything is allocated from the arena; `step` is borrowed while `c` is used. Pyramids are taken as the cones that
 * they stand for, exactly so in 2D. PERP_E_MEMORY; PERP_E_SOLVE if numbers are not finite. */
perp_status pp_step_to_cone(const perp_step_problem *step, pp_arena *arena, pp_step_cone *c);

/* From the impulses r of the rows to those of the step, its velocity and slip speeds; `out` arrays are the caller's. */
void pp_step_cone_recover(const pp_step_cone *c, const double *r, perp_step_solution *out);

/* From the impulses of a solution (of a step before) to a guess r, within bounds and cones. p_joint: njoint, p_contact: 3 x ncontact,
 * p_spin: ncontact, p_roll: 2 x ncontact, or NULL: zero. nu and sigma are not read. */
void pp_step_cone_guess(const pp_step_cone *c, const perp_step_solution *from, double *r);

/* perp_problem_residual() of recovered impulses: the largest |r - P(r - rho u^)|/rho over rows and contacts, with rho
 * = 1/(mean inverse mass of the rows). Straight from the rows of the step, so that nothing is allocated. */
double pp_step_cone_residual(const pp_step_cone *c, const perp_step_solution *s, const pp_row_figure *figure);

#endif
