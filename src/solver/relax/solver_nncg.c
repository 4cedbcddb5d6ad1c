/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_nncg.c - nonsmooth nonlinear conjugate gradients for LCP, mixed LCP and cones
 *   0 <= z  _|_  w = M z + q >= 0;  cones: contact by contact, Coulomb's law or the associated one
 * Method   The change of a symmetric Gauss-Seidel sweep takes the role of the gradient in the method of Fletcher and Reeves (relax_nncg.c).
 * Valid    Where Gauss-Seidel converges; on long chains of contacts with far fewer sweeps.
 * Cost     About two and a half plain sweeps per step.
 * Source   Silcowitz-Hansen, Niebe, Erleben (2010). */
#include <stddef.h>

#include "solver/relax/relax.h"
#include "solver/common/solver.h"

static const perp_field fields[] = {
    {"max_sweeps", PERP_FIELD_INT, offsetof(pp_relax_settings, max_sweeps), 5000, 1, 1e9,
     "symmetric sweeps over all rows"},
    {"relaxation", PERP_FIELD_DOUBLE, offsetof(pp_relax_settings, relaxation), 1, 1e-3, 1.999,
     "factor of a sweep; below 1 damps"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(pp_relax_settings, tol), 1e-9, 1e-16, 1, "unit-free residual at which to stop"},
};

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    const pp_relax_settings *s = set;
    (void)work;
    pp_relax o = {.max_sweeps = s->max_sweeps, .tol = s->tol, .relaxation = s->relaxation, .exact = true};
    o.symmetric = true;
    if (p->cls == PERP_CONE || p->cls == PERP_CONE_QP) return pp_cone_nncg(p, &o, z, call, info);
    return pp_lcp_nncg(p, &o, z, call, info);
}

const perp_solver_type pp_solver_nncg = {
    .abi = PERP_ABI,
    .name = "nncg",
    .source = "Silcowitz-Hansen, Niebe, Erleben (2010)",
    .takes = PERP_LCP | PERP_MLCP | PERP_CONE | PERP_CONE_QP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(pp_relax_settings),
    .solve = solve,
};
