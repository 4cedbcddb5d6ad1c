/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_fixed_point.c - proximal fixed point with adapted steps, for bounds and cones
 *   x = P(x - r F(x)), P the projection on [lo, hi] or on the cones
 * Method   Predictor and corrector with a step r that follows the rate of change of F (relax_fixed.c).
 * Valid    F monotone with a solution: converges, slowly if F is ill-conditioned. Needs only F, so it supports every class with a projection.
 *          Coulomb's law: usually.
 * Cost     Two evaluations of F per step.
 * Source   Foerg, Pfeiffer, Ulbrich (2005); Studer (2009) 5; He, Liao (2002). */
#include <stddef.h>

#include "solver/relax/relax.h"
#include "solver/common/solver.h"

static const perp_field fields[] = {
    {"max_iterations", PERP_FIELD_INT, offsetof(pp_relax_settings, max_sweeps), 20000, 1, 1e9,
     "steps, two evaluations each"},
    {"relaxation", PERP_FIELD_DOUBLE, offsetof(pp_relax_settings, relaxation), 1.8, 1e-3, 1.999,
     "factor of the corrector, below 2"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(pp_relax_settings, tol), 1e-9, 1e-16, 1, "unit-free residual at which to stop"},
};

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    const pp_relax_settings *s = set;
    (void)work;
    pp_relax o = {.max_sweeps = s->max_sweeps, .tol = s->tol, .relaxation = s->relaxation};
    if (p->cls == PERP_CONE || p->cls == PERP_CONE_QP) return pp_cone_fixed_point(p, &o, z, call, info);
    return pp_box_fixed_point(p, &o, z, call, info);
}

const perp_solver_type pp_solver_fixed_point = {
    .abi = PERP_ABI,
    .name = "fixed-point",
    .source = "Foerg, Pfeiffer, Ulbrich (2005); He, Liao (2002)",
    .takes = PERP_LCP | PERP_MLCP | PERP_SPARSE_MLCP | PERP_NCP | PERP_CONE | PERP_CONE_QP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(pp_relax_settings),
    .solve = solve,
};
