/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* newton_help.h - running a solver on a complementarity problem over bounds, and a judge of the tests' own. */
#ifndef TEST_NEWTON_HELP_H
#define TEST_NEWTON_HELP_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena_fixture.h"
#include "solver/common/solver.h"

static const char *const newton_names[] = {"fischer-newton", "minmap-newton"};

/* One solver with a tolerance (0: its own); the outcome in its own words. */
static inline perp_outcome newton_solve(const char *name, const perp_problem *p, double tol, double *z,
                                        perp_solve_info *info) {
    const perp_solver_type *type = perp_solver_find(name);
    assert_non_null(type);
    pp_settings settings;
    pp_settings_default(type, tol, &settings);
    perp_call call = {.arena = &arena, .deadline = INFINITY};
    assert_int_equal(pp_solve_within(&call, type, &settings, p, z, info), PERP_OK);
    pp_arena_reset(&arena);
    for (int i = 0; i < perp_problem_size(p); i++) assert_true(isfinite(z[i]));
    return info->outcome;
}

/* Unit-free natural map of lo <= z <= hi and w = M z + q, M dense; lo, hi NULL: 0, INFINITY; no scales. */
static inline double judge_dense(int n, const double *M, const double *q, const double *lo, const double *hi,
                                 const double *z) {
    double unit = 0, entry = 0, most = 0;
    for (int i = 0; i < n; i++) unit = fmax(unit, fabs(q[i]));
    for (int i = 0; i < n * n; i++) entry = fmax(entry, fabs(M[i]));
    if (unit == 0) unit = 1;
    if (entry == 0) entry = 1;
    for (int i = 0; i < n; i++) {
        double w = q[i];
        for (int j = 0; j < n; j++) w += M[i + n * j] * z[j];
        double below = entry * (z[i] - (lo ? lo[i] : 0)), above = entry * (z[i] - (hi ? hi[i] : INFINITY));
        most = fmax(most, fabs(fmax(above, fmin(w, below))) / unit);
    }
    return most;
}

#endif
