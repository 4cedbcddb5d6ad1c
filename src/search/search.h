/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* search.h - what the methods share: the state of one search, evaluation, ranking, the first simplex, penalties. */
#ifndef PP_SEARCH_H
#define PP_SEARCH_H

#include "base/memory.h"
#include "input/input.h"
#include "perp/search.h"

#define PP_SEARCH_POPULATION_MAX 1000000 /* points of a generation */

/* Why a search ended; pp_search_reason() has the words. */
typedef enum pp_search_end {
    PP_SEARCH_GOES_ON,
    PP_SEARCH_CONVERGED,
    PP_SEARCH_EVALUATIONS,
    PP_SEARCH_STOPPED,
    PP_SEARCH_START_FAILED,
    PP_SEARCH_ROUND_OFF
} pp_search_end;

/* One search. Filled by perp_search(); the methods read all of it, and write `end` and `restarts`. */
typedef struct pp_search {
    const perp_search_problem *p;
    perp_search_options o; /* defaults are filled in */
    int n, m;              /* parameters, constraints */
    double *start, *step;  /* n each: step at most half of the range */
    double *range;         /* n: upper - lower */
    double *best_x;        /* n: best point so far, or start */
    double *best_g;        /* m: constraints there */
    double best_f;         /* NAN: no point could be evaluated yet */
    double best_violation; /* 0: feasible; INFINITY: no point could be evaluated yet */
    int evaluations, restarts;
    pp_search_end end;
} pp_search;

/* ---- evaluation and ranking (evaluate.c) ---- */

/* Values at the points: f (count), g (count rows of m), v (count; sum of the positive g). A point that could not be
 * evaluated gets f = NAN and v = INFINITY. False: the search is over (s->end says why), and nothing was written that
 * may be used. At the limit of evaluations only the points that remain are evaluated, for the sake of the best. */
bool pp_search_values(pp_search *s, int count, const double *x, double *f, double *g, double *v);
/* Whether (f, v) is better than (f2, v2): feasible points by f, then the others by violation, then those that failed. */
bool pp_search_better(double f, double v, double f2, double v2);
/* Into the bounds: the nearest value. */
double pp_search_project(const pp_search *s, int i, double x);
/* Into the bounds: mirrored at them, as often as needed. A value within the bounds stays as it is. */
double pp_search_mirror(const pp_search *s, int i, double x);
/* The simplex around a point: row 0 is the point, row i + 1 differs from it in parameter i by the first step, upwards
 * if `up`, but downwards (upwards) where the bound is too near. */
void pp_search_simplex(const pp_search *s, const double *around, bool up, double *x);

/* For methods that begin again at the best point: {0, NAN, INFINITY} before the first run. */
typedef struct pp_search_runs {
    int idle;    /* runs in succession that gained nothing */
    double f, v; /* the best before the last run */
} pp_search_runs;
/* Whether to restart after a run that converged; if so, it is counted in s->restarts. Not if the restarts are used up or two in
 * succession gained nothing. */
bool pp_search_again(pp_search *s, pp_search_runs *r);

/* ---- exact penalty (penalty.c) ---- */

/* merit(x) = f + sum of weight_j max(0, g_j); INFINITY for a point that failed. */
typedef struct pp_search_penalty {
    double *weight; /* m */
    double scale;   /* largest difference of f within the first simplex; > 0 */
    double merit;   /* smallest of this run */
    int raised;     /* how often the weights were raised */
} pp_search_penalty;

/* The weights from a simplex (n + 1 points, row 0 its centre). weight: m, by the caller. */
void pp_search_weigh(const pp_search *s, pp_search_penalty *a, const double *f, const double *g);
double pp_search_merit(pp_search *s, pp_search_penalty *a, double f, const double *g);
/* After a run: if its best merit is so far below the best feasible f that the weights are too small, multiplies them by RAISE
 * (penalty.c) and returns true; the run should then be repeated. */
bool pp_search_raise(const pp_search *s, pp_search_penalty *a);

/* ---- random numbers: splitmix64 (Steele, Lea, Flood 2014) ---- */

static inline uint64_t pp_search_random(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}
/* In (0, 1), neither end included. */
static inline double pp_search_uniform(uint64_t *state) {
    return ((double)(pp_search_random(state) >> 12) + 0.5) * 0x1p-52;
}

/* ---- methods ---- */

/* Each searches until s->end says why it is over. An error: `why` has the sentence. */
perp_status pp_search_nelder_mead(pp_search *s, perp_refusal *why);
perp_status pp_search_cma_es(pp_search *s, perp_refusal *why);
/* By a method of NLopt; PERP_E_FIT if the build lacks it. */
bool pp_search_nlopt_built(void);
perp_status pp_search_nlopt(pp_search *s, const char *method, perp_refusal *why);

/* ---- eigenvalues (eigen.c) ---- */

/* Eigenvalues and eigenvectors of the symmetric n x n matrix A, which is destroyed: A = V diag(d) V'. Eigenvector k is
 * column k of V (V[i * n + k]). Ascending order is not kept. */
void pp_search_eigen(int n, double *A, double *d, double *V);

#endif
