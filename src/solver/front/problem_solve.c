/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* problem_solve.c - perp_problem_solve(): one problem by the solver of a name */
#include <math.h>

#include "base/clock.h"
#include "solver/common/solver.h"

perp_status perp_problem_solve(const perp_problem *p, const char *solver, double *z, perp_solve_info *info) {
    perp_solve_info unused;
    if (!info) info = &unused;
    *info = (perp_solve_info){.outcome = PERP_OUTCOME_NUMERICS, .residual = INFINITY};
    const perp_solver_type *type = perp_solver_find(solver);
    if (!type) return PERP_E_NAME;
    perp_status s = perp_problem_check(p, NULL, 0);
    if (s) return s;
    if (!z && perp_problem_size(p) > 0) return PERP_E_ARG;
    pp_settings settings;
    pp_settings_default(type, 0, &settings);
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    double start = pp_clock();
    s = pp_solve(type, &settings, p, z, &arena, info);
    info->seconds = pp_clock() - start;
    pp_arena_free(&arena);
    return s;
}
