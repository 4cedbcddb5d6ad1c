/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* auto_chain.c - auto for LCP, mixed LCP, NCP and QP: tries solvers in order until one has solved the problem
 * Method   Dense problems: pivoting first, which is reliable, as far as the size allows. Then interior points if the problem is large, then
 *          Newton-like methods along the path of PATH, nonsmooth Newton, and relaxation last. Every solver but the first makes a cold
 *          start: the result of a failed attempt is a poor start. A solver's own claim of success does not count; its result is
 *          measured. If factorisations of a dense matrix are expensive, each of the others may make as many as take about a second. A
 *          problem that none of them solves by then most likely has no solution, and a step of a world waits for the result.
 * Cost     One measurement per attempt. */
#include <math.h>
#include <string.h>

#include "problem/judge/measure.h"
#include "solver/auto/auto.h"
#include "solver/auto/refine.h"
#include "solver/common/solver.h"
#include "base/elementary.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [unknowns] From this size on interior points, which need few steps, come before methods that restart, and those are
 * bounded. Half and double: no effect. */
#define LARGE 216

typedef struct stage {
    const perp_solver_type *type;
    unsigned classes;
    int least, most; /* sizes */
} stage;

static const stage stages[] = {
    {&pp_solver_lemke, PERP_LCP | PERP_MLCP, 0, PP_PIVOTING_MOST},
    {&pp_solver_interior_point, PERP_LCP | PERP_MLCP, LARGE, INT32_MAX},
    {&pp_solver_interior_point, PERP_QP, 0, INT32_MAX},
    {&pp_solver_accelerated_gradient, PERP_QP, 0, INT32_MAX},
    {&pp_solver_path_search, PERP_LCP | PERP_MLCP | PERP_SPARSE_MLCP | PERP_NCP, 0, INT32_MAX},
    {&pp_solver_fischer_newton, PERP_LCP | PERP_MLCP | PERP_SPARSE_MLCP | PERP_NCP, 0, INT32_MAX},
    {&pp_solver_minmap_newton, PERP_LCP | PERP_MLCP | PERP_SPARSE_MLCP | PERP_NCP, 0, INT32_MAX},
    {&pp_solver_interior_point, PERP_LCP | PERP_MLCP, 0, LARGE - 1},
    {&pp_solver_interior_point, PERP_SPARSE_MLCP, 0, INT32_MAX},
    {&pp_solver_lemke, PERP_LCP | PERP_MLCP, PP_PIVOTING_MOST + 1, INT32_MAX},
    {&pp_solver_pgs, PERP_LCP | PERP_MLCP, 0, INT32_MAX},
    {&pp_solver_fixed_point, PERP_LCP | PERP_MLCP | PERP_SPARSE_MLCP | PERP_NCP, 0, INT32_MAX},
};

/* Cost limit for large dense problems: a setting is at most work / n^power, if that is more than `least`. */
typedef struct limit {
    const perp_solver_type *type;
    const char *setting;
    double work;
    int power, least;
} limit;

static const limit limits[] = {
    {&pp_solver_path_search, "restarts", 6e7, 3, 0},       {&pp_solver_fischer_newton, "max_steps", 2.5e9, 3, 20},
    {&pp_solver_minmap_newton, "max_steps", 2.5e9, 3, 20}, {&pp_solver_fixed_point, "max_iterations", 2e9, 2, 500},
    {&pp_solver_pgs, "max_sweeps", 2e9, 2, 500},
};

static void set_limits(const perp_solver_type *t, const perp_problem *p, pp_settings *s) {
    int n = perp_problem_size(p);
    if ((p->cls != PERP_LCP && p->cls != PERP_MLCP) || n < LARGE) return;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const limit *l = &limits[i];
        double usual, most = fmax(l->least, floor(l->work / pp_pow(n, l->power)));
        if (l->type != t || perp_fields_get(t->fields, t->nfield, s, l->setting, &usual) || usual <= most) continue;
        (void)perp_fields_set(t->fields, t->nfield, s, l->setting, most);
    }
}

/* Largest |q_i|/w_scale_i of a linear problem: the unit of its residuals. */
static double size_of(const perp_problem *p) {
    const double *q = p->cls == PERP_LCP ? p->as.lcp.q : p->as.mlcp.q;
    double most = 0;
    for (int i = 0; i < perp_problem_size(p); i++) most = fmax(most, fabs(q[i]) / (p->w_scale ? p->w_scale[i] : 1));
    return most > 0 ? most : 1;
}

/* Unit-free residual. Dense linear problems occur inside the steps of a world and are measured without allocation. */
static double measure(const perp_problem *p, const double *z) {
    if (p->z_scale && (p->cls == PERP_LCP || p->cls == PERP_MLCP)) return perp_problem_residual(p, z) / size_of(p);
    perp_measures m;
    return perp_problem_measure(p, z, &m) ? INFINITY : m.natural;
}

/* Checks with the caller's judge; solutions that it rejects are refined. */
static perp_status judged(const perp_call *call, const perp_problem *p, perp_judge *judge, double tol, double *z,
                          perp_solve_info *own, double *now) {
    perp_verdict v;
    perp_status s = perp_judge_verdict(judge, z, tol, &v, NULL);
    if (!s && !v.solved && own->outcome == PERP_OUTCOME_SOLVED && measure(p, z) <= PP_REFINE_WITHIN * tol) {
        pp_arena_mark mark = pp_arena_here(call->arena);
        s = pp_refine(call, p, judge, tol, z, own);
        pp_arena_release(call->arena, mark);
        if (!s) s = perp_judge_verdict(judge, z, tol, &v, NULL);
    }
    *now = s ? INFINITY : pp_verdict_score(&v, tol);
    return s;
}

perp_outcome pp_auto_chain(const perp_problem *p, double tol, double *z, const perp_call *call, perp_solve_info *info) {
    int n = perp_problem_size(p);
    double *best = PP_CALL_ARRAY(call, double, n), least = INFINITY;
    if (!best) return PERP_OUTCOME_MEMORY;
    perp_outcome outcome = PERP_OUTCOME_NUMERICS;
    bool first = true;
    memcpy(best, z, sizeof *z * (size_t)n);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        const stage *s = &stages[i];
        if (!(s->classes & (unsigned)p->cls) || n < s->least || n > s->most) continue;
        if (!first) memset(z, 0, sizeof *z * (size_t)n);
        pp_settings settings;
        pp_settings_default(s->type, tol < 1e-11 ? tol : 0, &settings);
        set_limits(s->type, p, &settings);
        perp_solve_info own;
        perp_status st = pp_solve_within(call, s->type, &settings, p, z, &own);
        if (st == PERP_E_MEMORY) return PERP_OUTCOME_MEMORY; /* another stage might give another solution */
        if (st) {
            pp_tell(info, "%s: %s", s->type->name, perp_status_text(st));
            continue;
        }
        perp_judge *judge = pp_call_judge(call, p);
        double now = judge ? INFINITY : measure(p, z);
        if (judge && judged(call, p, judge, tol, z, &own, &now)) return PERP_OUTCOME_MEMORY;
        info->iterations += own.iterations;
        info->factorisations += own.factorisations;
        if (now < least || first) {
            least = now;
            outcome = own.outcome;
            info->warm = first && own.warm;
            info->solver = s->type->name;
            memcpy(best, z, sizeof *z * (size_t)n);
        }
        first = false;
        if (!call->terse)
            pp_tell(info, "%s: %s after %d, measured %.1e", s->type->name, perp_outcome_text(own.outcome),
                    own.iterations, now);
        if (now <= tol) {
            outcome = PERP_OUTCOME_SOLVED;
            break;
        }
        if (own.outcome == PERP_OUTCOME_STOPPED) break;
    }
    memcpy(z, best, sizeof *z * (size_t)n);
    if (outcome == PERP_OUTCOME_SOLVED && least > tol)
        outcome = PERP_OUTCOME_NUMERICS; /* a claim of success that the measure contradicts */
    return outcome;
}
