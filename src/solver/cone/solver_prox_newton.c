/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_prox_newton.c - friction contact problems by proximal points and Alart-Curnier Newton: the main method for cones
 * Problem, Method, Valid, Cost, Source: see cone_newton.c. */
#include <stddef.h>
#include <string.h>

#include "solver/cone/cone_newton.h"
#include "solver/common/solver.h"

typedef struct settings {
    int max_steps;
    double tol, pull, warm_pull;
} settings;

static const perp_field fields[] = {
    {"max_steps", PERP_FIELD_INT, offsetof(settings, max_steps), 2000, 1, 1e9, "total number of Newton steps"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(settings, tol), 1e-9, 1e-15, 1, "unit-free residual at which to stop"},
    {"pull", PERP_FIELD_DOUBLE, offsetof(settings, pull), 1, 1e-9, 1e3,
     "first weight of the proximal term for a cold start"},
    {"warm_pull", PERP_FIELD_DOUBLE, offsetof(settings, warm_pull), 1e-3, 1e-9, 1e3, "the same from a guess"},
};

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    const settings *s = set;
    (void)work;
    pp_cone c;
    pp_cone_linear linear;
    bool singular, guess = false;
    info->iterations = 0;
    info->warm = false;
    if (!pp_cone_make(&c, p, call, &singular)) return singular ? PERP_OUTCOME_NUMERICS : PERP_OUTCOME_MEMORY;
    pp_cone_newton k = {.c = &c, .linear = &linear, .call = call, .tol = s->tol, .max_steps = s->max_steps};
    if (!pp_cone_linear_make(&linear, &c, call) || !pp_cone_newton_make(&k)) return PERP_OUTCOME_MEMORY;
    pp_cone_scale(&c, z, k.x);
    for (int i = 0; i < c.m; i++) guess |= k.x[i] != 0;
    k.pull = guess ? s->warm_pull : s->pull;
    k.out = perp_call_watched(call) ? z : NULL;
    perp_outcome o = pp_cone_newton_run(&k);
    pp_cone_unscale(&c, k.best, z);
    info->iterations = k.steps;
    info->factorisations = linear.factorisations;
    info->warm = guess && o == PERP_OUTCOME_SOLVED;
    return o;
}

const perp_solver_type pp_solver_prox_newton = {
    .abi = PERP_ABI,
    .name = "prox-newton",
    .source = "Alart, Curnier (1991); Rockafellar (1976); watchdog: Chamberlain et al. (1982)",
    .takes = PERP_CONE | PERP_CONE_QP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(settings),
    .solve = solve,
};
