/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_interior_point.c - interior point method for monotone complementarity problems, QPs and cone QPs
 *   lo <= z <= hi complementary to w = M z + q;  min x'Qx/2 + c'x with bounds and rows;  min r'Wr/2 + q'r over cones
 * Method   A guess is tried first, by Newton on the natural map. Otherwise primal-dual predictor and corrector steps from a cold start,
 *          Nesterov-Todd scaling for cones, proximal regularisation (ipm_core.c). As soon as the active set can be identified, it is
 *          solved exactly (ipm_polish.c). Dense or sparse by size and fill (ipm_matrix.c).
 * Valid    Monotone M (positive semidefinite, any symmetry) with a solution: including redundant rows, free variables, degenerate pairs and
 *          many solutions. Other M, such as friction with pyramids, are tried without guarantee. Cone QPs without a solution in the
 *          interior (wedged contacts) can be solved by regularisation. Without a solution it ends with PERP_OUTCOME_LIMIT or
 *          PERP_OUTCOME_NUMERICS, and the best point seen.
 * Cost     Usually 3 to 20 steps, 50 seen; with those of the polish up to three times as many factorisations. Size of a system: the variables
 *          (QP: and rows); cone QPs: rows, or dofs of the bodies if those are known.
 * Source   Mehrotra (1992); Wright (1997); Andersen, Roos, Terlaky (2003); Friedlander, Orban (2012). */
#include <stddef.h>

#include "solver/interior/ipm.h"
#include "solver/common/solver.h"

typedef struct settings {
    int max_iterations;
    double tol;
} settings;

static const perp_field fields[] = {
    {"max_iterations", PERP_FIELD_INT, offsetof(settings, max_iterations), 100, 1, 1e6, "predictor-corrector steps"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(settings, tol), 1e-11, 1e-16, 1, "unit-free natural map at which to stop"},
};

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    const settings *s = set;
    (void)work;
    if (p->cls == PERP_QP) return pp_ipm_qp(p, s->tol, s->max_iterations, z, call, info);
    if (p->cls == PERP_CONE_QP) return pp_ipm_cone(p, s->tol, s->max_iterations, z, call, info);
    return pp_ipm_box(p, s->tol, s->max_iterations, z, call, info);
}

const perp_solver_type pp_solver_interior_point = {
    .abi = PERP_ABI,
    .name = "interior-point",
    .source = "Mehrotra (1992); Andersen, Roos, Terlaky (2003)",
    .takes = PERP_LCP | PERP_MLCP | PERP_SPARSE_MLCP | PERP_QP | PERP_CONE_QP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(settings),
    .solve = solve,
};
