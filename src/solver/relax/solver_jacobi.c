/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_jacobi.c - projected Jacobi, damped, for LCP, mixed LCP and cones
 *   0 <= z  _|_  w = M z + q >= 0;  cones: contact by contact, Coulomb's law or the associated one
 * Method   Every variable, block or contact is solved with the same old values, and moved a fraction of the way. The fraction ensures that no
 *          body or row is moved more than once in total: number of contacts on a body, row sums, both improved by power iterations
 *          (relax.c, relax_lcp.c). It is reduced further if the residual does not decrease.
 * Valid    M or W symmetric positive semidefinite: converges, at least two times slower than Gauss-Seidel, but independent of the order of
 *          the contacts. With friction usually.
 * Cost     A product with M, or with H twice, and a small solve per block, each sweep.
 * Source   Mangasarian (1977); Tonge, Benevolenski, Voroshilov (2012) for split masses. */
#include <stddef.h>

#include "solver/relax/relax.h"
#include "solver/common/solver.h"

static const perp_field fields[] = {
    {"max_sweeps", PERP_FIELD_INT, offsetof(pp_relax_settings, max_sweeps), 10000, 1, 1e9, "sweeps over all rows"},
    {"relaxation", PERP_FIELD_DOUBLE, offsetof(pp_relax_settings, relaxation), 1, 1e-3, 1.999,
     "factor of the safe step"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(pp_relax_settings, tol), 1e-9, 1e-16, 1, "unit-free residual at which to stop"},
};

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    const pp_relax_settings *s = set;
    (void)work;
    pp_relax o = {.max_sweeps = s->max_sweeps, .tol = s->tol, .relaxation = s->relaxation};
    o.together = o.exact = o.extrapolate = true;
    o.window = 300; /* slower than Gauss-Seidel, so a longer window */
    if (p->cls == PERP_CONE || p->cls == PERP_CONE_QP) return pp_cone_relax(p, &o, z, call, info);
    return pp_lcp_relax(p, &o, z, call, info);
}

const perp_solver_type pp_solver_jacobi = {
    .abi = PERP_ABI,
    .name = "jacobi",
    .source = "Mangasarian (1977); Tonge, Benevolenski, Voroshilov (2012)",
    .takes = PERP_LCP | PERP_MLCP | PERP_CONE | PERP_CONE_QP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(pp_relax_settings),
    .solve = solve,
};
