/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_cone_interior_point.c - friction contact problems by interior points, final accuracy by Newton
 * Problem, Method, Valid, Cost, Source: see cone_interior.c, cone_newton.c. From `hand_over` on, a few steps of prox-newton improve the solution
 * to `tol`. It always starts from the centre; a guess does not help. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "solver/interior/cone_interior.h"
#include "solver/cone/cone_newton.h"
#include "solver/common/solver.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [steps] Number of steps to pass a fold. */
#define FOLD_STEPS 4

typedef struct settings {
    int max_steps, polish_steps, folds;
    double tol, hand_over, shift, least_sigma, feasible, soft;
} settings;

static const perp_field fields[] = {
    {"max_steps", PERP_FIELD_INT, offsetof(settings, max_steps), 60, 1, 1e9, "interior point steps"},
    {"polish_steps", PERP_FIELD_INT, offsetof(settings, polish_steps), 60, 0, 1e9, "Newton steps after them"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(settings, tol), 1e-9, 1e-15, 1, "unit-free residual at which to stop"},
    {"hand_over", PERP_FIELD_DOUBLE, offsetof(settings, hand_over), 1e-6, 1e-15, 1,
     "residual at which Newton takes over"},
    {"shift", PERP_FIELD_DOUBLE, offsetof(settings, shift), 1e-4, 0, 1,
     "added to the diagonal of Newton's matrix only"},
    {"least_sigma", PERP_FIELD_DOUBLE, offsetof(settings, least_sigma), 0, 0, 0.9, "least centring"},
    {"feasible", PERP_FIELD_DOUBLE, offsetof(settings, feasible), 1e-3, 0, 10,
     "if the mean product is below this fraction of the residual, it hardly decreases"},
    {"folds", PERP_FIELD_INT, offsetof(settings, folds), 0, 0, 1e9,
     "number of folds that may be passed; 0: short steps end the solve"},
    {"soft", PERP_FIELD_DOUBLE, offsetof(settings, soft), 0, 0, 1, "smooths the slip speed at zero, in mean products"},
};

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    const settings *s = set;
    (void)work;
    pp_cone c;
    pp_cone_linear linear;
    bool singular;
    info->iterations = 0;
    info->warm = false;
    if (!pp_cone_make(&c, p, call, &singular)) return singular ? PERP_OUTCOME_NUMERICS : PERP_OUTCOME_MEMORY;
    pp_cone_interior k = {.c = &c,
                          .linear = &linear,
                          .call = call,
                          .tol = s->hand_over > s->tol ? s->hand_over : s->tol,
                          .shift = s->shift,
                          .least_sigma = s->least_sigma,
                          .feasible = s->feasible,
                          .soft = s->soft,
                          .max_folds = s->folds,
                          .fold_steps = FOLD_STEPS,
                          .fold_tol = fmax(PP_CONE_FOLD_TOL, s->tol),
                          .max_steps = s->max_steps,
                          .out = perp_call_watched(call) ? z : NULL};
    if (!pp_cone_linear_make(&linear, &c, call) || !pp_cone_interior_make(&k)) return PERP_OUTCOME_MEMORY;
    perp_outcome o = pp_cone_interior_run(&k);
    double *answer = k.best;
    int steps = k.steps;
    if (o != PERP_OUTCOME_STOPPED && k.measure > s->tol && k.measure < 1e-2 && s->polish_steps > 0) {
        pp_cone_newton n = {.c = &c,
                            .linear = &linear,
                            .call = call,
                            .tol = s->tol,
                            .pull = 1e-4,
                            .max_steps = s->polish_steps,
                            .iterations = k.iterations,
                            .out = k.out};
        if (!pp_cone_newton_make(&n)) return PERP_OUTCOME_MEMORY;
        memcpy(n.x, k.best, sizeof *n.x * (size_t)c.m);
        o = pp_cone_newton_run(&n);
        answer = n.best;
        steps += n.steps;
        pp_tell(info, "%d interior steps to %.1e, then %d of Newton", k.steps, k.measure, n.steps);
    }
    pp_cone_unscale(&c, answer, z);
    info->iterations = steps;
    info->factorisations = linear.factorisations;
    return o;
}

const perp_solver_type pp_solver_cone_interior_point = {
    .abi = PERP_ABI,
    .name = "cone-interior-point",
    .source = "Acary, Armand, Nguyen, Shpakovych (2023); Nesterov, Todd (1997); De Saxce, Feng (1998)",
    .takes = PERP_CONE | PERP_CONE_QP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(settings),
    .solve = solve,
};
