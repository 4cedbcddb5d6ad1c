/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve.c - the only function that calls a solver and measures its result; services for solvers. */
#include "perp/solve.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "solver/common/solver.h"

const char *perp_outcome_text(perp_outcome o) {
    switch (o) {
    case PERP_OUTCOME_SOLVED: return "solved";
    case PERP_OUTCOME_RAY: return "ended on a ray";
    case PERP_OUTCOME_LIMIT: return "iteration limit";
    case PERP_OUTCOME_NUMERICS: return "numerical trouble";
    case PERP_OUTCOME_TOO_LARGE: return "problem too large for this solver";
    case PERP_OUTCOME_STOPPED: return "stopped";
    case PERP_OUTCOME_MEMORY: return "out of memory";
    case PERP_OUTCOME_INFEASIBLE: return "infeasible";
    case PERP_OUTCOME_COUNT: break;
    }
    return "unknown outcome";
}

void *perp_call_memory(const perp_call *call, size_t bytes) { return pp_arena_get(call->arena, bytes ? bytes : 1); }

bool perp_call_watched(const perp_call *call) { return call->watch && call->watch->look; }

bool perp_call_unique(const perp_call *call) { return call->loads != PP_LOADS_ANY; }

/* [multiplications] Work of an iteration per unknown of a sparse or cone problem: contact laws, a few vectors. Factors
 * and products with them are counted separately (pp_count). */
#define SPARSE_WORK 100.0

/* Work of one iteration of a solver on p: a product with a dense matrix, a sweep over a sparse one. */
static double weight_of(const perp_problem *p) {
    int n = 1 + perp_problem_size(p);
    return p->cls == PERP_LCP || p->cls == PERP_MLCP ? pp_dense_product(n) : SPARSE_WORK * n;
}

/* Counts the iterations since the last check. Returns true if more are allowed. */
static bool count_work(const perp_call *call, int iteration) {
    pp_work *w = call->work;
    int more = iteration - w->last;
    w->done += call->weight * (more > 1 ? more : 1);
    w->last = iteration;
    return w->done <= w->limit;
}

bool perp_call_look(const perp_call *call, int iteration, const double *z) {
    if (call->work && !count_work(call, iteration)) return false;
    if (call->deadline < INFINITY && pp_clock() > call->deadline) return false;
    if (call->stop && call->stop(call->stop_ctx)) return false;
    return !z || !perp_call_watched(call) || call->watch->look(iteration, z, call->watch->ctx);
}

void pp_tell(perp_solve_info *info, const char *format, ...) {
    size_t used = strlen(info->story), room = sizeof info->story - used;
    if (used && room > 2) {
        memcpy(info->story + used, "; ", 3);
        used += 2, room -= 2;
    }
    size_t length = strlen(format);
    if (length < room && !strchr(format, '%')) { /* most reports within a step have no arguments */
        memcpy(info->story + used, format, length + 1);
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(info->story + used, room, format, arguments);
    va_end(arguments);
}

void pp_settings_default(const perp_solver_type *type, double tol, pp_settings *s) {
    *s = (pp_settings){0};
    perp_fields_default(type->fields, type->nfield, s);
    /* out of its range: the default stays */
    if (tol > 0) (void)perp_fields_set(type->fields, type->nfield, s, "tol", tol);
}

static bool finite_all(const double *z, int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(z[i])) return false;
    return true;
}

perp_status pp_solve_within(const perp_call *call, const perp_solver_type *type, const void *settings,
                            const perp_problem *p, double *z, perp_solve_info *info) {
    *info = (perp_solve_info){.outcome = PERP_OUTCOME_NUMERICS, .residual = INFINITY, .solver = type->name};
    if (!(type->takes & (unsigned)p->cls)) return PERP_E_FIT;
    int n = perp_problem_size(p);
    if (!z && n > 0) return PERP_E_ARG;
    perp_call inner = *call;
    inner.depth++;
    inner.weight = weight_of(p);
    if (call->work) call->work->last = 0;
    pp_arena_mark mark = pp_arena_here(call->arena);
    void *work = NULL;
    if (type->work_size && !(work = pp_arena_get(call->arena, type->work_size(p, settings)))) return PERP_E_MEMORY;
    for (int i = 0; i < n; i++)
        if (!isfinite(z[i])) z[i] = 0;
    info->outcome = type->solve(p, settings, z, work, &inner, info);
    pp_arena_release(call->arena, mark);
    if (!finite_all(z, n)) { /* such a solution is not usable; zero may not even be allowed, which the judge reports */
        for (int i = 0; i < n; i++) z[i] = 0;
        info->outcome = PERP_OUTCOME_NUMERICS;
        info->warm = false;
    }
    if ((unsigned)info->outcome >= PERP_OUTCOME_COUNT) info->outcome = PERP_OUTCOME_NUMERICS;
    info->residual = INFINITY;
    if (!info->solver) info->solver = type->name;
    return info->outcome == PERP_OUTCOME_MEMORY ? PERP_E_MEMORY : PERP_OK;
}

perp_status pp_solve_call(const perp_call *call, const perp_solver_type *type, const void *settings,
                          const perp_problem *p, double *z, perp_solve_info *info) {
    perp_status s = pp_solve_within(call, type, settings, p, z, info);
    if (!s) info->residual = perp_problem_residual(p, z);
    return s;
}

perp_status pp_solve(const perp_solver_type *type, const void *settings, const perp_problem *p, double *z,
                     pp_arena *arena, perp_solve_info *info) {
    perp_call call = {.arena = arena, .deadline = INFINITY};
    return pp_solve_call(&call, type, settings, p, z, info);
}
