/* solve.c - the one place that calls a solver, and measures what it says. */
#include <math.h>

#include "solver/solver.h"

static int size_of(const perp_problem *p) { return p->cls == PERP_LCP ? p->as.lcp.n : p->as.mlcp.n; }

perp_status pp_solve(const perp_solver_type *type, const void *settings, const perp_problem *p, double *z,
                     pp_arena *arena, perp_solve_info *info) {
    *info = (perp_solve_info){.outcome = PERP_OUTCOME_NUMERICS, .residual = INFINITY};
    if (!(type->takes & (unsigned)p->cls)) return PERP_E_FIT;
    int n = size_of(p);
    if (!z && n > 0) return PERP_E_ARG;
    pp_arena_mark mark = pp_arena_here(arena);
    void *work = pp_arena_get(arena, type->work_size(p, settings));
    if (!work) return PERP_E_MEMORY;
    for (int i = 0; i < n; i++)
        if (!isfinite(z[i])) z[i] = 0;
    info->outcome = type->solve(p, settings, z, work, info);
    pp_arena_release(arena, mark);
    bool finite = true;
    for (int i = 0; i < n; i++)
        if (!isfinite(z[i])) finite = false;
    if (!finite) { /* nothing to keep of such an answer; zero may not even be allowed, which the residual tells */
        for (int i = 0; i < n; i++) z[i] = 0;
        info->outcome = PERP_OUTCOME_NUMERICS;
        info->warm = false;
    }
    if ((unsigned)info->outcome >= PERP_OUTCOME_COUNT) info->outcome = PERP_OUTCOME_NUMERICS;
    info->residual = perp_problem_residual(p, z);
    return PERP_OK;
}

perp_status perp_problem_solve(const perp_problem *p, const char *solver, double *z, perp_solve_info *info) {
    perp_solve_info unused;
    if (!info) info = &unused;
    *info = (perp_solve_info){.outcome = PERP_OUTCOME_NUMERICS, .residual = INFINITY};
    const perp_solver_type *type = perp_solver_find(solver);
    if (!type) return PERP_E_NAME;
    perp_status s = perp_problem_check(p, NULL, 0);
    if (s) return s;
    if (!z && size_of(p) > 0) return PERP_E_ARG;
    union {
        double align;
        char bytes[PERP_SETTINGS_MAX];
    } settings = {0};
    perp_fields_default(type->fields, type->nfield, &settings);
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    s = pp_solve(type, &settings, p, z, &arena, info);
    pp_arena_free(&arena);
    return s;
}
