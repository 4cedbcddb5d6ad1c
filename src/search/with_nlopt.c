/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* with_nlopt.c - methods of the library NLopt, for builds that have it
 *   minimise f(x), lower <= x <= upper, g(x) <= 0, by values only
 * Method   bobyqa  trust region with quadratic models, Powell (2009); no constraints
 *          cobyla  trust region with linear models of f and g, Powell (1994)
 *          crs     controlled random search with local mutation, Kaelo and Ali (2006); random
 *          direct  DIRECT-L, division of the box, Gablonsky and Kelley (2001)
 *          isres   evolution strategy with stochastic ranking of constraints, Runarsson and Yao (2005); random
 *          sbplx   Nelder-Mead in subspaces, after Rowan's Subplex (1990)
 *          nlopt-nelder-mead   NLopt's own simplex with bounds
 *          Constraints: cobyla and isres take them as they are; crs, direct, sbplx, nlopt-nelder-mead get the exact
 *          penalty of penalty.c, whose weights come from n + 1 points evaluated first.
 *          Points that failed: cobyla and bobyqa, which model f, get a value somewhat above the highest so far; the others,
 *          which compare values, get FAILED_VALUE.
 * Ends     Local methods by NLopt's tests of x_tolerance and f_tolerance. For crs and isres NLopt's tests end as soon as
 *          two successive best points are near each other, by chance or not: here they have converged if as many
 *          points in succession as the population has lie within the tolerance of the best. direct uses up its
 *          evaluations.
 * Valid    NLopt evaluates one point at a time. Its random numbers are those of one generator for the process, or for the
 *          thread, as it was built. So a second random search is refused while one is running. NLopt allocates with malloc.
 * Source   S. G. Johnson, The NLopt nonlinear-optimization package; papers above. */
#include "search/search.h"

#ifdef PERP_HAVE_NLOPT

#include <float.h>
#include <math.h>
#include <nlopt.h>
#include <stdatomic.h>
#include <string.h>

/* For methods that compare values: above all that occur; its square, which isres forms, is finite. */
#define FAILED_VALUE 1e100
/* Values that differ by this fraction are equal but for rounding: no population can be drawn closer together by them. */
#define F_ROUNDING (4 * DBL_EPSILON)
/* bobyqa refuses steps above half of the range, after rounding. */
#define STEP_LIMIT 0.499

typedef struct nlopt_method {
    const char *name;
    nlopt_algorithm algorithm;
    bool models;      /* fits a model of f: huge values would spoil it */
    bool random;      /* uses NLopt's random numbers */
    bool local;       /* NLopt's own tests of convergence, and restarts at the best point */
    bool constraints; /* takes them as they are */
    int population;   /* NLopt's default, over n + 1 */
} nlopt_method;

static const nlopt_method METHODS[] = {
    {"bobyqa", NLOPT_LN_BOBYQA, true, false, true, false, 0},
    {"cobyla", NLOPT_LN_COBYLA, true, false, true, true, 0},
    {"crs", NLOPT_GN_CRS2_LM, false, true, false, false, 10},
    {"direct", NLOPT_GN_DIRECT_L, false, false, false, false, 0},
    {"isres", NLOPT_GN_ISRES, false, true, false, true, 20},
    {"sbplx", NLOPT_LN_SBPLX, false, false, true, false, 0},
    {"nlopt-nelder-mead", NLOPT_LN_NELDERMEAD, false, false, true, false, 0},
};

/* What the callbacks see. */
typedef struct bridge {
    pp_search *s;
    const nlopt_method *m;
    nlopt_opt opt;
    pp_search_penalty penalty;
    double *x, *g;             /* n, m: the point of the last call and its constraints */
    double *known_x, *known_g; /* n, m: where a run begins, if its values are known */
    double known_f;            /* NAN: they are not */
    double low, high;          /* of f, over all points that could be evaluated */
    double *g_high;            /* m: highest of each constraint */
    int near_x, near_f;        /* points in succession that are near the best */
    bool first;                /* of a run */
} bridge;

static bool same(const double *a, const double *b, int n) { return memcmp(a, b, (size_t)n * sizeof *a) == 0; }

/* ---- values ---- */

/* Counts points near the best; stops the run if there are enough in succession. */
static void look_near(bridge *b, double f) {
    const pp_search *s = b->s;
    bool near_x = !isnan(f);
    for (int i = 0; near_x && i < s->n; i++) near_x = fabs(b->x[i] - s->best_x[i]) <= s->o.x_tolerance * s->range[i];
    b->near_x = near_x ? b->near_x + 1 : 0;
    const double near_f = s->o.f_tolerance + F_ROUNDING * fabs(s->best_f);
    b->near_f = fabs(f - s->best_f) <= near_f ? b->near_f + 1 : 0;
    const int enough = s->o.population > 0 ? s->o.population : b->m->population * (s->n + 1);
    if (b->near_x >= enough || b->near_f >= enough) nlopt_force_stop(b->opt);
}

/* The stand-in for a point that failed. Its constraints, too, in b->g. */
static double stand_in(bridge *b) {
    const pp_search *s = b->s;
    for (int j = 0; j < s->m; j++) b->g[j] = b->m->models ? b->g_high[j] : FAILED_VALUE;
    if (!b->m->models) return FAILED_VALUE;
    return b->high + (b->high > b->low ? b->high - b->low : fmax(fabs(b->high), 1));
}

static void note(bridge *b, double f) {
    b->low = fmin(b->low, f);
    b->high = fmax(b->high, f);
    for (int j = 0; j < b->s->m; j++) b->g_high[j] = fmax(b->g_high[j], b->g[j]);
}

/* Evaluates b->x; what NLopt is told of it. Constraints are left in b->g. */
static double evaluate(bridge *b) {
    pp_search *s = b->s;
    double f = NAN, v = 0;
    const bool first = b->first;
    b->first = false;
    if (first && !isnan(b->known_f) && same(b->x, b->known_x, s->n)) {
        f = b->known_f;
        if (s->m > 0) memcpy(b->g, b->known_g, (size_t)s->m * sizeof *b->g);
    } else if (!pp_search_values(s, 1, b->x, &f, b->g, &v)) {
        nlopt_force_stop(b->opt);
        return stand_in(b); /* the run has been stopped: the value is not used */
    }
    if (first && isnan(f) && b->m->models) {
        s->end = PP_SEARCH_START_FAILED;
        nlopt_force_stop(b->opt);
    }
    if (!isnan(f)) note(b, f);
    if (b->m->population > 0) look_near(b, f);
    if (isnan(f)) return stand_in(b);
    return s->m > 0 && !b->m->constraints ? pp_search_merit(s, &b->penalty, f, b->g) : f;
}

/* Rounding when parameters are scaled may push a point off its bounds. */
static bool moved(bridge *b, const double *x) {
    bool other = false;
    for (int i = 0; i < b->s->n; i++) {
        double to = pp_search_project(b->s, i, x[i]);
        if (to != b->x[i]) other = true;
        b->x[i] = to;
    }
    return other;
}

static double objective(unsigned n, const double *x, double *gradient, void *ctx) {
    bridge *b = ctx;
    (void)n;
    (void)gradient;
    (void)moved(b, x);
    return evaluate(b);
}

/* NLopt asks for the constraints after the objective, at the same point. */
static void constraints(unsigned m, double *result, unsigned n, const double *x, double *gradient, void *ctx) {
    bridge *b = ctx;
    (void)n;
    (void)gradient;
    if (moved(b, x)) (void)evaluate(b);
    memcpy(result, b->g, (size_t)m * sizeof *result);
}

/* ---- runs ---- */

/* scratch: n. */
static nlopt_result set_up(bridge *b, double *scratch) {
    const pp_search *s = b->s;
    nlopt_result e = nlopt_set_lower_bounds(b->opt, s->p->lower);
    if (e > 0) e = nlopt_set_upper_bounds(b->opt, s->p->upper);
    if (e > 0) e = nlopt_set_min_objective(b->opt, objective, b);
    if (e > 0 && s->m > 0 && b->m->constraints)
        e = nlopt_add_inequality_mconstraint(b->opt, (unsigned)s->m, constraints, b, NULL);
    if (e > 0 && b->m->population > 0 && s->o.population > 0)
        e = nlopt_set_population(b->opt, (unsigned)s->o.population);
    if (!b->m->local) return e;
    for (int i = 0; i < s->n; i++) {
        double h = fmin(s->step[i], STEP_LIMIT * s->range[i]);
        if (s->restarts % 2 != 0) h = -h; /* every other time downwards */
        if (s->best_x[i] + h > s->p->upper[i] || s->best_x[i] + h < s->p->lower[i]) h = -h;
        scratch[i] = h;
    }
    if (e > 0) e = nlopt_set_initial_step(b->opt, scratch);
    for (int i = 0; i < s->n; i++) scratch[i] = s->o.x_tolerance * s->range[i];
    if (e > 0) e = nlopt_set_xtol_abs(b->opt, scratch);
    if (e > 0) e = nlopt_set_ftol_abs(b->opt, s->o.f_tolerance);
    return e;
}

/* One run from x (n, destroyed). */
static perp_status run(bridge *b, double *x, double *scratch, pp_search_end *how, perp_refusal *why) {
    pp_search *s = b->s;
    b->opt = nlopt_create(b->m->algorithm, (unsigned)s->n);
    nlopt_result e = b->opt ? set_up(b, scratch) : NLOPT_OUT_OF_MEMORY;
    double f = 0;
    b->near_x = b->near_f = 0;
    b->first = true;
    if (e > 0) e = nlopt_optimize(b->opt, x, &f);
    perp_status status = PERP_OK;
    if (s->end == PP_SEARCH_GOES_ON && e == NLOPT_OUT_OF_MEMORY)
        status = pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, "search", "NLopt found no memory.");
    else if (s->end == PP_SEARCH_GOES_ON && e == NLOPT_INVALID_ARGS)
        status = pp_complain_say(why, PERP_E_ARG, (pp_location){0}, "search.method",
                                 "NLopt refuses this problem for %s%s%s.", b->m->name,
                                 b->opt && nlopt_get_errmsg(b->opt) ? ": " : "",
                                 b->opt && nlopt_get_errmsg(b->opt) ? nlopt_get_errmsg(b->opt) : "");
    *how = e == NLOPT_ROUNDOFF_LIMITED || e == NLOPT_FAILURE ? PP_SEARCH_ROUND_OFF : PP_SEARCH_CONVERGED;
    nlopt_destroy(b->opt);
    b->opt = NULL;
    return status;
}

/* The first simplex in one call, for the weights of the penalty; false: the search is over. */
static perp_status weigh(bridge *b, perp_refusal *why) {
    pp_search *s = b->s;
    const size_t n = (size_t)s->n, m = (size_t)s->m;
    double *block = pp_alloc(&s->o.alloc, (n + 1) * (n + m + 2) * sizeof *block);
    if (!block)
        return pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, "search", "There is no memory for the simplex.");
    double *f = block + (n + 1) * n, *v = f + n + 1, *g = v + n + 1;
    pp_search_simplex(s, s->start, true, block);
    if (pp_search_values(s, s->n + 1, block, f, g, v)) {
        pp_search_weigh(s, &b->penalty, f, g);
        b->known_f = f[0];
        memcpy(b->known_x, block, n * sizeof *block);
        memcpy(b->known_g, g, m * sizeof *block);
    }
    pp_free(&s->o.alloc, block);
    return PERP_OK;
}

/* All runs. x, scratch: n each. */
static perp_status search(bridge *b, double *x, double *scratch, perp_refusal *why) {
    pp_search *s = b->s;
    perp_status status = PERP_OK;
    if (s->m > 0 && !b->m->constraints) {
        status = weigh(b, why);
    } else if (!b->m->local && b->m->population == 0 && s->p->start) { /* direct begins in the middle */
        double f, v;
        (void)pp_search_values(s, 1, s->start, &f, b->g, &v);
    }
    pp_search_runs runs = {0, NAN, INFINITY};
    memcpy(x, s->start, (size_t)s->n * sizeof *x);
    while (!status && s->end == PP_SEARCH_GOES_ON) {
        pp_search_end how = PP_SEARCH_CONVERGED;
        status = run(b, x, scratch, &how, why);
        if (status || s->end != PP_SEARCH_GOES_ON) break;
        bool again = s->m > 0 && !b->m->constraints && pp_search_raise(s, &b->penalty);
        if (!b->m->local && b->m->population > 0)
            runs.idle = 0; /* random methods: an idle restart says nothing about the next one */
        if (!again && (b->m->local || b->m->population > 0)) again = pp_search_again(s, &runs);
        if (!again) {
            s->end = how;
            break;
        }
        memcpy(x, s->best_x, (size_t)s->n * sizeof *x);
        memcpy(b->known_x, s->best_x, (size_t)s->n * sizeof *x);
        if (s->m > 0) memcpy(b->known_g, s->best_g, (size_t)s->m * sizeof *x);
        b->known_f = s->best_f;
    }
    return status;
}

bool pp_search_nlopt_built(void) { return true; }

perp_status pp_search_nlopt(pp_search *s, const char *method, perp_refusal *why) {
    static atomic_flag busy = ATOMIC_FLAG_INIT; /* a random search is running */
    const nlopt_method *m = METHODS;
    while (strcmp(m->name, method) != 0) m++;
    const size_t n = (size_t)s->n, k = (size_t)s->m;
    double *block = pp_alloc(&s->o.alloc, (4 * n + 4 * k) * sizeof *block);
    if (!block)
        return pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, "search", "There is no memory for the search.");
    bridge b = {.s = s, .m = m, .known_f = NAN, .low = INFINITY, .high = -INFINITY};
    double *x = block, *scratch = block + n;
    b.x = block + 2 * n;
    b.known_x = block + 3 * n;
    b.g = block + 4 * n;
    b.known_g = b.g + k;
    b.g_high = b.known_g + k;
    b.penalty.weight = b.g_high + k;
    for (size_t i = 0; i < n; i++) b.x[i] = NAN;
    for (size_t j = 0; j < k; j++) b.g_high[j] = -INFINITY;

    perp_status status = PERP_OK;
    if (m->random && atomic_flag_test_and_set(&busy)) {
        status = pp_complain_say(why, PERP_E_FIT, (pp_location){0}, "search.method",
                                 "A search by crs or isres is running in this process, and NLopt has one generator of "
                                 "random numbers for all. Run it after the other, or use cma-es.");
    } else {
        uint64_t state = s->o.seed;
        if (m->random) nlopt_srand((unsigned long)(pp_search_random(&state) & 0xffffffffu)); /* NLopt uses 32 bits */
        status = search(&b, x, scratch, why);
        if (m->random) atomic_flag_clear(&busy);
    }
    pp_free(&s->o.alloc, block);
    return status;
}

#else

bool pp_search_nlopt_built(void) { return false; }

/* perp_search() has refused the method already. */
perp_status pp_search_nlopt(pp_search *s, const char *method, perp_refusal *why) {
    (void)s;
    return pp_complain_say(why, PERP_E_FIT, (pp_location){0}, "search.method", "%s needs the library NLopt.", method);
}

#endif
