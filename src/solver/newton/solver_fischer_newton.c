/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_fischer_newton.c - semismooth Newton on the Fischer-Burmeister equation
 *   lo <= z <= hi complementary to w = F(z)          LCP, mixed LCP (dense or sparse), NCP
 * Method   phi(a, b) = a + b - sqrt(a^2 + b^2) is zero exactly if a, b >= 0 and a b = 0. Each pair becomes one equation: phi(z - lo, w), or
 *          -phi(hi - z, -w), or w for a free variable, and phi(z - lo, -phi(hi - z, -w)) for two bounds. Newton's method on all of them
 *          uses an element of the B-subdifferential. Half the sum of squares is smooth and is the merit of the steps (newton.c).
 * Valid    P-matrices and uniform P-functions: from any start. Monotone problems with a solution: by the proximal restarts. Others: often;
 *          the merit may have minima that are no solution (Billups' example).
 * Cost     A factorisation and a few F per step; 5 to 30 steps are usual.
 * Source   De Luca, Facchinei, Kanzow, A semismooth equation approach to the solution of nonlinear complementarity
 *          problems (1996), procedure 3.1 for the subdifferential; Billups, Algorithms for complementarity problems and
 *          generalized equations (1995), 3.2 for two bounds. */
#include <math.h>

#include "solver/newton/newton.h"
#include "solver/common/solver.h"
#include "base/elementary.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [1] Length of a pair, in scaled variables, below which it is on the kink of the Fischer function. */
#define KINK 1e-14

/* phi without cancellation: (a + b)^2 - r^2 = 2 a b. The derivatives at the kink are those along (da, db). */
static bool phi(double a, double b, double along_a, double along_b, double *value, double *pa, double *pb) {
    double r = pp_hypot(a, b);
    bool kink = r <= KINK;
    *value = a + b > 0 ? 2 * a * (b / (a + b + r)) : a + b - r;
    if (kink) a = along_a, b = along_b, r = pp_hypot(a, b);
    *pa = r > 0 ? 1 - a / r : 1;
    *pb = r > 0 ? 1 - b / r : 1;
    return kink;
}

bool pp_newton_fischer(double x, double f, double lo, double hi, double dx, double df, double *psi, double *da,
                       double *db) {
    if (lo == hi) {
        *psi = x - lo, *da = 1, *db = 0;
        return false;
    }
    if (lo == -INFINITY && hi == INFINITY) {
        *psi = f, *da = 0, *db = 1;
        return false;
    }
    if (hi == INFINITY) return phi(x - lo, f, dx, df, psi, da, db);
    double inner, ia, ib, oa, ob;
    bool kink = phi(hi - x, -f, -dx, -df, &inner, &ia, &ib); /* -inner grows with x by ia, with f by ib */
    if (lo == -INFINITY) {
        *psi = -inner, *da = ia, *db = ib;
        return kink;
    }
    kink |= phi(x - lo, -inner, dx, ia * dx + ib * df, psi, &oa, &ob);
    *da = oa + ob * ia;
    *db = ob * ib;
    return kink;
}

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    (void)work;
    return pp_newton_run(p, pp_newton_fischer, set, z, call, info);
}

const perp_solver_type pp_solver_fischer_newton = {
    .abi = PERP_ABI,
    .name = "fischer-newton",
    .source = "De Luca, Facchinei, Kanzow (1996); Billups (1995) 3.2",
    .takes = PP_BOX_CLASSES,
    .fields = pp_newton_fields,
    .nfield = PP_NEWTON_FIELDS,
    .settings_size = sizeof(pp_newton_settings),
    .solve = solve,
};
