/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_admm.c - friction contact problems by ADMM, final accuracy by Newton's method
 * Problem, Method, Valid, Cost, Source: see cone_admm.c, cone_cg.c, cone_newton.c. The matrix is factorised; if that costs more than
 * iterating, conjugate gradients are used. At increasing intervals Newton's method is tried from the best point so far: by then the point
 * may have the correct open, sticking and sliding contacts. A solution within `tol` is improved by one Newton step. Both need factors, and
 * are left out if these are too large. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "solver/common/numbers.h"
#include "solver/cone/cone_admm.h"
#include "solver/cone/cone_newton.h"
#include "solver/common/solver.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [unknowns] Systems up to this size are always factorised. */
#define SMALL_SYSTEM 2000
/* [iterations] Number of iterations in the cost estimate. */
#define USUAL 100
/* [iterations] Conjugate gradient iterations per iteration in the cost estimate. */
#define CG_STEPS 6
/* [factorisations] Number of factorisations in the cost estimate. */
#define FACTORS 4
/* [multiplications] If a factorisation costs more, there is no final Newton phase. */
#define POLISH_WORK 1e11
/* [1] Newton's method is tried if the measure is below this. */
#define WORTH_POLISH 1e-2
/* [1] First weight of the proximal term of this Newton phase. */
#define PULL 1e-4
/* [1] Fraction of tol at which the improvement stops. */
#define SHARPER 1e-3

typedef struct settings {
    int max_iterations, memory, rebalance, polish_steps, first_polish, system;
    double tol, penalty, warm_penalty, relaxation;
    bool polish;
} settings;

static const perp_field fields[] = {
    {"max_iterations", PERP_FIELD_INT, offsetof(settings, max_iterations), 2000, 1, 1e9, "iterations"},
    {"tol", PERP_FIELD_DOUBLE, offsetof(settings, tol), 1e-9, 1e-15, 1, "unit-free residual at which to stop"},
    {"penalty", PERP_FIELD_DOUBLE, offsetof(settings, penalty), 1, 1e-6, 1e6, "first weight of the splitting"},
    {"warm_penalty", PERP_FIELD_DOUBLE, offsetof(settings, warm_penalty), 0.1, 1e-6, 1e6, "the same from a guess"},
    {"relaxation", PERP_FIELD_DOUBLE, offsetof(settings, relaxation), 1.6, 0.1, 1.99, "above 1 over-relaxes"},
    {"memory", PERP_FIELD_INT, offsetof(settings, memory), 10, 0, PP_ADMM_MEMORY,
     "pairs for the acceleration; 0: none"},
    {"rebalance", PERP_FIELD_INT, offsetof(settings, rebalance), 20, 0, 1e9,
     "iterations before the weight is first changed; 0: never"},
    {"polish", PERP_FIELD_BOOL, offsetof(settings, polish), 1, 0, 1, "use Newton's method for the last digits"},
    {"polish_steps", PERP_FIELD_INT, offsetof(settings, polish_steps), 30, 1, 1e9, "Newton steps of one attempt"},
    {"first_polish", PERP_FIELD_INT, offsetof(settings, first_polish), 250, 1, 1e9,
     "iterations before the first attempt; each later one after twice as many"},
    {"system", PERP_FIELD_INT, offsetof(settings, system), 0, 0, 2,
     "linear systems: 0 by estimated cost, 1 factorised, 2 by conjugate gradients"},
};

typedef struct plan {
    const settings *s;
    const perp_call *call;
    pp_cone c;
    pp_cone_figure figure;
    pp_cone_linear linear;
    pp_cone_cg cg;
    pp_cone_newton newton;
    pp_cone_admm admm;
    bool iterate; /* conjugate gradients */
    bool factors; /* `linear` is made */
    bool newton_made;
    double work; /* work of one factorisation, if it was computed; 0 for small ones */
    int newton_steps;
} plan;

/* Chooses between factorisation and iteration. Returns false if out of memory. */
static bool choose_system(plan *k) {
    k->iterate = k->s->system == 2;
    int unknowns = k->c.body ? k->c.ndof : k->c.m;
    if (!k->iterate && (k->s->system == 1 || unknowns < SMALL_SYSTEM)) return true;
    if (!pp_cone_cg_make(&k->cg, &k->c, k->call)) return false;
    int *size = PP_CALL_ARRAY(k->call, int, k->cg.n);
    if (!size) return false;
    for (int i = 0; i < k->cg.n; i++) size[i] = k->cg.at[i + 1] - k->cg.at[i];
    if (!k->cg.symmetric_operator) return true; /* its pattern need not be symmetric either */
    pp_block_lu *lu = pp_block_lu_new(k->cg.n, size, k->cg.row, k->cg.col, k->call->arena);
    if (!lu) return false;
    k->work = pp_block_lu_work(lu);
    double direct = FACTORS * k->work / PP_SOLVE_SLOWER + USUAL * pp_block_lu_entries(lu);
    if (k->s->system == 0) k->iterate = direct > (double)USUAL * CG_STEPS * pp_cone_cg_work(&k->cg);
    return true;
}

static bool make_factors(plan *k) {
    if (!k->factors) k->factors = pp_cone_linear_make(&k->linear, &k->c, k->call);
    return k->factors;
}

static bool make(plan *k, const perp_problem *p, const perp_call *call, bool *singular) {
    *singular = false;
    if (!pp_cone_make(&k->c, p, call, singular) || !pp_cone_figure_make(&k->figure, &k->c, call)) return false;
    if (!choose_system(k) || (!k->iterate && !make_factors(k))) return false;
    k->admm = (pp_cone_admm){.c = &k->c,
                             .figure = &k->figure,
                             .linear = k->iterate ? NULL : &k->linear,
                             .cg = k->iterate ? &k->cg : NULL,
                             .call = call,
                             .tol = k->s->tol,
                             .penalty = k->s->penalty,
                             .relaxation = k->s->relaxation,
                             .memory = k->s->memory,
                             .rebalance = k->s->rebalance};
    return pp_cone_admm_make(&k->admm);
}

/* Newton's method from the best point. Its result replaces the best point if it is better. */
static perp_outcome newton(plan *k, double tol, int steps) {
    pp_cone_newton *n = &k->newton;
    if (!k->newton_made) {
        *n = (pp_cone_newton){.c = &k->c, .linear = &k->linear, .call = k->call, .out = k->admm.out};
        if (!make_factors(k) || !pp_cone_newton_make(n)) return PERP_OUTCOME_MEMORY;
        k->newton_made = true;
    }
    k->admm.ready = k->iterate; /* the factors will be replaced */
    n->tol = tol;
    n->pull = PULL;
    n->steps = 0;
    n->max_steps = steps;
    n->iterations = k->admm.iterations;
    memcpy(n->x, k->admm.best, sizeof *n->x * (size_t)k->c.m);
    perp_outcome o = pp_cone_newton_run(n);
    k->newton_steps += n->steps;
    pp_cone_apply(&k->c, n->best, n->v);
    for (int i = 0; i < k->c.m; i++) n->v[i] += k->c.q[i];
    double figure = pp_cone_figure_of(&k->figure, n->best, n->v);
    if (figure < k->admm.measure) {
        k->admm.measure = figure;
        memcpy(k->admm.best, n->best, sizeof *n->best * (size_t)k->c.m);
    }
    return o;
}

/* One attempt. The figure weights contacts differently from Newton's own measure. If only that is missing, tries again
 * with a smaller tolerance. */
static perp_outcome polish(plan *k) {
    double tol = k->s->tol, before = k->admm.measure;
    perp_outcome o = newton(k, tol, k->s->polish_steps);
    if (o == PERP_OUTCOME_SOLVED && k->admm.measure > tol) o = newton(k, 0.3 * tol * tol / k->admm.measure, 4);
    if (o == PERP_OUTCOME_MEMORY || o == PERP_OUTCOME_STOPPED) return o;
    if (k->admm.measure > tol && k->admm.measure < 0.5 * before) pp_cone_admm_start(&k->admm, k->admm.best);
    return k->admm.measure <= tol ? PERP_OUTCOME_SOLVED : PERP_OUTCOME_LIMIT;
}

static perp_outcome run(plan *k) {
    const settings *s = k->s;
    perp_outcome o;
    bool may = s->polish && k->work <= POLISH_WORK;
    int next = may ? s->first_polish : s->max_iterations;
    do {
        k->admm.max_iterations = next < s->max_iterations ? next : s->max_iterations;
        next = next <= s->max_iterations / 2 ? 2 * next : s->max_iterations;
        o = pp_cone_admm_run(&k->admm);
        if (o == PERP_OUTCOME_SOLVED && may && k->admm.iterations > 0) (void)newton(k, SHARPER * s->tol, 1);
        if ((o == PERP_OUTCOME_LIMIT || o == PERP_OUTCOME_NUMERICS) && may && k->admm.measure < WORTH_POLISH) {
            perp_outcome polished = polish(k);
            if (polished != PERP_OUTCOME_LIMIT) o = polished;
        }
    } while (o == PERP_OUTCOME_LIMIT && k->admm.iterations < s->max_iterations);
    return o;
}

static perp_outcome solve(const perp_problem *p, const void *set, double *z, void *work, const perp_call *call,
                          perp_solve_info *info) {
    plan k = {.s = set, .call = call};
    bool singular, guess = false;
    (void)work;
    info->iterations = 0;
    info->warm = false;
    if (!make(&k, p, call, &singular)) {
        if (singular) pp_tell(info, "the mass matrix is singular");
        return singular ? PERP_OUTCOME_NUMERICS : PERP_OUTCOME_MEMORY;
    }
    k.admm.out = perp_call_watched(call) ? z : NULL;
    pp_cone_scale(&k.c, z, k.admm.x);
    for (int i = 0; i < k.c.m; i++) guess |= k.admm.x[i] != 0;
    if (guess) k.admm.penalty = k.s->warm_penalty;
    pp_cone_admm_start(&k.admm, k.admm.x);
    perp_outcome o = run(&k);
    pp_cone_unscale(&k.c, k.admm.best, z);
    info->iterations = k.admm.iterations;
    info->factorisations = k.factors ? k.linear.factorisations : 0;
    info->warm = guess && o == PERP_OUTCOME_SOLVED;
    pp_tell(info, "%d iterations (%d extrapolated, %d rejected), p = %.1e", k.admm.iterations, k.admm.accelerated,
            k.admm.rejected, k.admm.penalty);
    if (k.iterate) pp_tell(info, "%d conjugate gradient iterations", k.cg.steps);
    if (k.newton_steps > 0) pp_tell(info, "%d of Newton", k.newton_steps);
    return o;
}

const perp_solver_type pp_solver_admm = {
    .abi = PERP_ABI,
    .name = "admm",
    .source = "Gabay, Mercier (1976); De Saxce, Feng (1998); Walker, Ni (2011)",
    .takes = PERP_CONE | PERP_CONE_QP,
    .fields = fields,
    .nfield = (int)(sizeof fields / sizeof *fields),
    .settings_size = sizeof(settings),
    .solve = solve,
};
