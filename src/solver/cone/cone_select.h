/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_select.h - of all loads that obey the laws, those that depend on the problem alone. */
#ifndef PP_CONE_SELECT_H
#define PP_CONE_SELECT_H

#include "solver/cone/cone_newton.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Slip below this fraction of the largest velocity without loads counts as zero. */
#define PP_NO_SLIP 1e-10

typedef struct pp_cone_select {
    pp_cone_newton *newton; /* its memory and its figure are used */
    const double *from;     /* m: a solution, or another start */
    double tol;             /* tolerance of the loads */
    double measure;         /* out: measure reached */
    int steps;              /* out: number of factorisations */
} pp_cone_select;

/* Can other loads than x, with velocities v, cause another motion? Not without friction, under the law of a cone QP, or
 * if nothing slides. */
bool pp_cone_select_matters(const pp_cone *c, const double *x, const double *v);

/* The loads are in newton->x. Returns false if they were not found. */
bool pp_cone_select_run(pp_cone_select *k);

/* The same if `from` was selected for a problem that has hardly changed, and still satisfies it: free loads stay. */
bool pp_cone_select_again(pp_cone_select *k);

#endif
