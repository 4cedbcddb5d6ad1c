/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_select.h - of all loads that obey the laws, those that depend on the problem alone. */
#ifndef PP_CONE_SELECT_H
#define PP_CONE_SELECT_H

#include "solver/cone/cone_newton.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Slip that is none, as a part of the largest velocity without loads. */
#define PP_NO_SLIP 1e-10

typedef struct pp_cone_select {
    pp_cone_newton *newton; /* lends its memory; its figure measures */
    const double *from;     /* m: an answer, or where else to begin */
    double tol;             /* what the loads must hold to */
    double measure;         /* out: and hold to */
    int steps;              /* out: factorisations made */
} pp_cone_select;

/* Can other loads than x, with velocities v, make another motion? Not if there is no friction, or the law is that of a
 * cone QP, or nothing slides. */
bool pp_cone_select_matters(const pp_cone *c, const double *x, const double *v);

/* The loads are newton->x. False if they were not found. */
bool pp_cone_select_run(pp_cone_select *k);

/* The same if `from` was selected for a problem that has hardly changed, and still holds: loads that are free stay. */
bool pp_cone_select_again(pp_cone_select *k);

#endif
