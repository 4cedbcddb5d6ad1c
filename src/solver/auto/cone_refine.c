/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_refine.c - friction contact problems: Newton from a solution until the judge accepts it
 * Method   Proximal Newton (cone_newton.c) with the judge's figure as its measure, from the solution, with a small proximal weight: it solves the
 *          equations of the contacts that the solution found open, sticking and sliding.
 * Valid    As Newton's method. If it does not improve the solution, the solution is left unchanged.
 * Cost     Some factorisations. */
#include <math.h>
#include <string.h>

#include "solver/cone/cone_newton.h"
#include "solver/auto/refine.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [steps] Largest number of Newton steps. Near a solution each step doubles the digits. */
#define STEPS 20

perp_status pp_refine_cone(const perp_call *call, const perp_problem *p, perp_judge *judge, double tol, double *z,
                           perp_solve_info *info) {
    pp_cone c;
    pp_cone_linear linear = {0};
    pp_cone_newton n = {
        .c = &c, .linear = &linear, .call = call, .tol = tol, .pull = PP_POLISH_PULL, .max_steps = STEPS};
    bool singular;
    perp_call own = *call;
    own.judge = judge;
    own.judged = p;
    own.watch = NULL;
    n.call = &own;
    if (!pp_cone_make(&c, p, &own, &singular)) return singular ? PERP_OK : PERP_E_MEMORY;
    if (!pp_cone_newton_make(&n) || !pp_cone_linear_make(&linear, &c, &own)) return PERP_E_MEMORY;
    pp_cone_scale(&c, z, n.x);
    pp_cone_apply(&c, n.x, n.v);
    for (int i = 0; i < c.m; i++) n.v[i] += c.q[i];
    pp_cone_figure_aim(&n.figure, tol);
    double before = pp_cone_strictest(&n.figure, n.x, n.v);
    (void)pp_cone_newton_run(&n);
    info->iterations += n.steps;
    info->factorisations += linear.factorisations;
    if (n.measure < before) pp_cone_unscale(&c, n.best, z);
    return PERP_OK;
}
