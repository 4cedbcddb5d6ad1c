/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_minmap_newton.c - semismooth Newton on the natural map, an active-set method
 *   lo <= z <= hi complementary to w = F(z)          LCP, mixed LCP (dense or sparse), NCP
 * Method   mid(z - hi, w, z - lo) = 0 is complementarity; for an LCP it is min(z, w). A Newton step sets the variables whose bound is the
 *          middle value to that bound, and solves w = 0 for the others. For a linear problem the correct active set therefore gives the
 *          exact solution in one step. Full steps are allowed for a while. If they cycle, the direction is searched along, or
 *          replaced, using the merit of Fischer-Burmeister (newton.c).
 * Valid    As fischer-newton, whose steps are the fallback; full steps alone converge for M-matrices and near a regular solution.
 * Cost     A factorisation of the rows not at their bounds and a few F per step; 3 to 15 steps are usual.
 * Source   De Luca, Facchinei, Kanzow, A theoretical and numerical comparison of some semismooth algorithms for
 *          complementarity problems (2000), for the pairing with phi; Hintermueller, Ito, Kunisch, The primal-dual
 *          active set strategy as a semismooth Newton method (2003). */
#include <math.h>

#include "solver/newton/newton.h"
#include "solver/common/solver.h"

bool pp_newton_mid(double x, double f, double lo, double hi, double dx, double df, double *psi, double *da,
                   double *db) {
    (void)dx, (void)df; /* at a tie the bound is taken: a smaller system */
    double below = x - lo, above = x - hi;
    bool bound = f >= below || f <= above;
    *psi = f >= below ? below : f <= above ? above : f;
    *da = bound ? 1 : 0;
    *db = bound ? 0 : 1;
    return false;
}

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    (void)work;
    return pp_newton_run(p, pp_newton_mid, set, z, call, info);
}

const perp_solver_type pp_solver_minmap_newton = {
    .abi = PERP_ABI,
    .name = "minmap-newton",
    .source = "De Luca, Facchinei, Kanzow (2000); Hintermueller, Ito, Kunisch (2003)",
    .takes = PP_BOX_CLASSES,
    .fields = pp_newton_fields,
    .nfield = PP_NEWTON_FIELDS,
    .settings_size = sizeof(pp_newton_settings),
    .solve = solve,
};
