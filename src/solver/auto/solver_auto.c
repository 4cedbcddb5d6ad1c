/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_auto.c - chooses solvers by class, size and guess, measures their results, falls back, and explains itself
 * Method   Cones: auto_cone.c; all other classes: auto_chain.c.
 * Valid    Every class.
 * Cost     Usually that of the first solver of its list. */
#include <stddef.h>

#include "solver/auto/auto.h"
#include "solver/common/solver.h"

typedef struct settings {
    double tol;
    int unique_loads;
} settings;

static const perp_field fields[] = {
    {"tol", PERP_FIELD_DOUBLE, offsetof(settings, tol), 1e-9, 1e-15, 1, "unit-free residual that counts as solved"},
    {"unique_loads", PERP_FIELD_INT, offsetof(settings, unique_loads), -1, -1, 1,
     "select the loads that depend on the problem alone, among all that satisfy the laws (cones, up to 50 contacts): 0 "
     "never, 1 always, -1 if a world requests it"},
};

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    const settings *s = set;
    (void)work;
    bool cone = p->cls == PERP_CONE || p->cls == PERP_CONE_QP;
    info->iterations = 0;
    info->warm = false;
    pp_load_choice loads = s->unique_loads == 0 ? PP_LOADS_ANY : call->loads;
    if (s->unique_loads > 0 && loads == PP_LOADS_ANY) loads = PP_LOADS_UNIQUE;
    return cone ? pp_auto_cone(p, s->tol, loads, z, call, info) : pp_auto_chain(p, s->tol, z, call, info);
}

const perp_solver_type pp_solver_auto = {
    .abi = PERP_ABI,
    .name = "auto",
    .source = "a chain of the other solvers, each measured",
    .takes = PERP_CLASS_ALL,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(settings),
    .solve = solve,
};
