/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_psor.c - projected successive over-relaxation for LCP, mixed LCP and cones
 *   0 <= z  _|_  w = M z + q >= 0;  cones: contact by contact, Coulomb's law or the associated one
 * Method   As projected Gauss-Seidel, but each variable or block moves `relaxation` times as far as its own solution, and is then projected on the
 *          bounds or the cone. No extrapolation, because over-relaxation takes its place. If the residual does not decrease and the
 *          changes reverse, steps are shortened from the best point on.
 * Valid    M or W symmetric positive semidefinite, relaxation below 2: converges. With friction usually, near 1.
 * Cost     As a sweep of Gauss-Seidel.
 * Source   Cryer, The solution of a quadratic programming problem using systematic overrelaxation (1971); Cottle, Pang,
 *          Stone (1992) 5.3. */
#include <stddef.h>

#include "solver/relax/relax.h"
#include "solver/common/solver.h"

static const perp_field fields[] = {
    {"max_sweeps", PERP_FIELD_INT, offsetof(pp_relax_settings, max_sweeps), 5000, 1, 1e9, "sweeps over all rows"},
    {"relaxation", PERP_FIELD_DOUBLE, offsetof(pp_relax_settings, relaxation), 1.3, 1e-3, 1.999,
     "below 1 damps, above 1 over-relaxes"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(pp_relax_settings, tol), 1e-9, 1e-16, 1, "unit-free residual at which to stop"},
};

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    const pp_relax_settings *s = set;
    (void)work;
    pp_relax o = {.max_sweeps = s->max_sweeps, .tol = s->tol, .relaxation = s->relaxation};
    if (p->cls == PERP_CONE || p->cls == PERP_CONE_QP) return pp_cone_relax(p, &o, z, call, info);
    return pp_lcp_relax(p, &o, z, call, info);
}

const perp_solver_type pp_solver_psor = {
    .abi = PERP_ABI,
    .name = "psor",
    .source = "Cryer (1971); Cottle, Pang, Stone (1992) 5.3",
    .takes = PERP_LCP | PERP_MLCP | PERP_CONE | PERP_CONE_QP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(pp_relax_settings),
    .solve = solve,
};
