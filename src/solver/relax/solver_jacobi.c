/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_jacobi.c - projected Jacobi, damped, for LCP, mixed LCP and cones
 *   0 <= z  _|_  w = M z + q >= 0;  cones: contact by contact, Coulomb's law or the associated one
 * Method   every variable, block or contact is solved for from the same old values, and moved a share of the way. The
 *          share is the least that no body or row is moved twice over: number of contacts on a body, row sums, both
 *          sharpened by power iterations (relax.c, relax_lcp.c); it is cut further if the residual does not fall.
 * Valid    M or W symmetric positive semidefinite: converges, slower than Gauss-Seidel by a factor of two and more, but
 *          the order of the contacts does not matter. With friction usually.
 * Cost     a product with M, or with H twice, and a small solve per block, each sweep.
 * Source   Mangasarian (1977); Tonge, Benevolenski, Voroshilov (2012) for split masses. */
#include <stddef.h>

#include "solver/relax/relax.h"
#include "solver/common/solver.h"

static const perp_field fields[] = {
    {"max_sweeps", PERP_FIELD_INT, offsetof(pp_relax_settings, max_sweeps), 10000, 1, 1e9, "sweeps over all rows"},
    {"relaxation", PERP_FIELD_DOUBLE, offsetof(pp_relax_settings, relaxation), 1, 1e-3, 1.999,
     "of the share that is safe"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(pp_relax_settings, tol), 1e-9, 1e-16, 1, "unit-free residual at which to stop"},
};

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    const pp_relax_settings *s = set;
    (void)work;
    pp_relax o = {.max_sweeps = s->max_sweeps, .tol = s->tol, .relaxation = s->relaxation};
    o.together = o.exact = o.extrapolate = true;
    o.window = 300; /* slower than Gauss-Seidel, so more patience */
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
