/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cma_es.c - evolution strategy with covariance matrix adaptation, restarted with growing populations
 *   minimise f(x), lower <= x <= upper, g(x) <= 0, by the order of values only
 * Method   Hansen's (mu/mu_w, lambda) strategy with full covariance, rank-one and rank-mu update (positive weights),
 *          cumulative step length control. Parameters are scaled: y = (x - start) / step, so the first population has
 *          covariance I. All of a population is evaluated in one call; the first call also has the start, as its first
 *          point, which counts for the best only.
 *          Bounds: a sample beyond a bound is mirrored at it before it is evaluated; the strategy itself goes on with the
 *          sample as drawn, that is, it minimises the mirrored function, whose minima are those within the bounds.
 *          Constraints: feasible points are ranked before infeasible ones, which are ranked by violation; points that
 *          failed come last.
 *          Restart (IPOP): population doubled, first mean uniform within the bounds, first covariance again.
 * Ends     if the standard deviation of every parameter is below x_tolerance of its range; if the best values of the
 *          last 10 + 30 n / lambda generations and all of the last generation differ by no more than f_tolerance; if the
 *          covariance has a condition above CONDITION_MAX.
 * Cost     4 + 3 ln n points a generation by default; about n^2 operations a sample, and an eigenvalue decomposition of
 *          some 50 n^3 every 1 / (10 n (c_1 + c_mu)) generations, with c_1 + c_mu about 2 / n^2; memory 3 n^2 + lambda (2 n + m) doubles.
 * Source   Hansen (2016), The CMA evolution strategy: a tutorial, arXiv:1604.00772, appendix A and B; Auger, Hansen
 *          (2005), A restart CMA evolution strategy with increasing population size, CEC. */
#include "search/search.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"

#define CONDITION_MAX 1e14 /* of the covariance: beyond it samples are rounding errors along the short axes */
#define HISTORY_MAX   400  /* generations the flatness test looks back, at most: 10 + 30 n / lambda for n = 100 */

typedef struct strategy {
    int n, m, lambda, mu;
    double *weight; /* mu */
    double mu_w, c_sigma, d_sigma, c_c, c_1, c_mu, chi_n;
    double sigma;
    double *mean, *old_mean;     /* n each, scaled */
    double *p_sigma, *p_c;       /* n each: evolution paths */
    double *C, *B, *D;           /* covariance, its eigenvectors (columns), roots of its eigenvalues */
    double *work;                /* n^2 */
    double *y;                   /* lambda rows of n: samples as drawn, scaled */
    double *x, *f, *g, *v;       /* lambda + 1 points (the start first, in the first call), and their values */
    int *order, *spare;          /* lambda each: samples, best first; for sorting */
    int generation, decomposed;  /* generation at which B, D were computed last */
    double history[HISTORY_MAX]; /* best f of the last generations, a ring */
    uint64_t random;
} strategy;

/* ---- set-up ---- */

static double *take(double **at, size_t count) {
    double *p = *at;
    *at += count;
    return p;
}

/* Memory for populations of t->lambda; NULL if it is refused. */
static void *strategy_create(const pp_search *s, strategy *t) {
    const size_t n = (size_t)s->n, m = (size_t)s->m, k = (size_t)t->lambda;
    const size_t numbers = k + 5 * n + 3 * n * n + k * n + (k + 1) * (n + m + 2);
    double *block = pp_alloc(&s->o.alloc, numbers * sizeof(double) + 2 * k * sizeof(int));
    if (!block) return NULL;
    double *at = block;
    t->weight = take(&at, k);
    t->mean = take(&at, n);
    t->old_mean = take(&at, n);
    t->p_sigma = take(&at, n);
    t->p_c = take(&at, n);
    t->D = take(&at, n);
    t->C = take(&at, n * n);
    t->B = take(&at, n * n);
    t->work = take(&at, n * n);
    t->y = take(&at, k * n);
    t->x = take(&at, (k + 1) * n);
    t->f = take(&at, k + 1);
    t->g = take(&at, (k + 1) * m);
    t->v = take(&at, k + 1);
    t->order = (void *)at; /* ints at the end of the block: doubles are aligned at least as strictly */
    t->spare = t->order + k;
    return block;
}

/* Constants of the strategy: table 1 of the tutorial, with the weights (49) of the better half only. */
static void set_constants(strategy *t) {
    const double n = t->n;
    double sum = 0, squares = 0;
    t->mu = t->lambda / 2;
    for (int i = 0; i < t->mu; i++) {
        t->weight[i] = pp_log((t->lambda + 1) / 2.0) - pp_log(i + 1);
        sum += t->weight[i];
    }
    for (int i = 0; i < t->mu; i++) {
        t->weight[i] /= sum;
        squares += t->weight[i] * t->weight[i];
    }
    t->mu_w = 1 / squares;
    t->c_sigma = (t->mu_w + 2) / (n + t->mu_w + 5);
    t->d_sigma = 1 + 2 * fmax(0, sqrt((t->mu_w - 1) / (n + 1)) - 1) + t->c_sigma;
    t->c_c = (4 + t->mu_w / n) / (n + 4 + 2 * t->mu_w / n);
    t->c_1 = 2 / ((n + 1.3) * (n + 1.3) + t->mu_w);
    t->c_mu = fmin(1 - t->c_1, 2 * (t->mu_w - 2 + 1 / t->mu_w) / ((n + 2) * (n + 2) + t->mu_w));
    t->chi_n = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n)); /* expected length of a normal vector */
}

/* A fresh strategy around `mean` (scaled; already in t->mean). */
static void set_state(strategy *t) {
    const size_t n = (size_t)t->n;
    for (size_t i = 0; i < n; i++) {
        t->p_sigma[i] = t->p_c[i] = 0;
        t->D[i] = 1;
    }
    for (size_t i = 0; i < n * n; i++) t->C[i] = t->B[i] = i % (n + 1) == 0;
    t->sigma = 1;
    t->generation = t->decomposed = 0;
}

/* ---- one generation ---- */

/* Box and Muller, one number of each pair: the stream then has a fixed number of draws for each sample. */
static double normal(uint64_t *random) {
    const double u1 = pp_search_uniform(random), u2 = pp_search_uniform(random), two_pi = 6.283185307179586477;
    return sqrt(-2 * pp_log(u1)) * pp_cos(two_pi * u2);
}

/* Draws y = mean + sigma B D z, and x within the bounds. */
static void sample(const pp_search *s, strategy *t, double *x) {
    const size_t n = (size_t)t->n;
    for (size_t k = 0; k < (size_t)t->lambda; k++) {
        double *y = t->y + k * n, *z = t->work;
        for (size_t j = 0; j < n; j++) z[j] = t->D[j] * normal(&t->random);
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++) sum += t->B[i * n + j] * z[j];
            y[i] = t->mean[i] + t->sigma * sum;
            x[k * n + i] = pp_search_mirror(s, (int)i, s->start[i] + s->step[i] * y[i]);
        }
    }
}

/* Orders a[0 .. count) by merging halves; equal ones keep their order. spare: count. */
static void merge_sort(const double *f, const double *v, int *a, int count, int *spare) {
    if (count < 2) return;
    const int half = count / 2;
    merge_sort(f, v, a, half, spare);
    merge_sort(f, v, a + half, count - half, spare);
    memcpy(spare, a, (size_t)count * sizeof *a);
    for (int k = 0, i = 0, j = half; k < count; k++) {
        bool right = i == half || (j < count && pp_search_better(f[spare[j]], v[spare[j]], f[spare[i]], v[spare[i]]));
        a[k] = right ? spare[j++] : spare[i++];
    }
}

/* The new mean, paths, step length and covariance. h is Hansen's h_sigma. */
static void move_mean(strategy *t) {
    const size_t n = (size_t)t->n;
    memcpy(t->old_mean, t->mean, n * sizeof *t->mean);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < t->mu; k++) sum += t->weight[k] * (t->y[(size_t)t->order[k] * n + i] - t->old_mean[i]);
        t->mean[i] = t->old_mean[i] + sum;
    }
}

static double move_paths(strategy *t) {
    const size_t n = (size_t)t->n;
    double *z = t->work; /* D^-1 B' (mean - old_mean) / sigma */
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += t->B[i * n + j] * (t->mean[i] - t->old_mean[i]);
        z[j] = sum / (t->D[j] * t->sigma);
    }
    const double keep = 1 - t->c_sigma, add = sqrt(t->c_sigma * (2 - t->c_sigma) * t->mu_w);
    double length = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += t->B[i * n + j] * z[j];
        t->p_sigma[i] = keep * t->p_sigma[i] + add * sum;
        length += t->p_sigma[i] * t->p_sigma[i];
    }
    length = sqrt(length);
    const double settled = sqrt(1 - pp_pow(keep, 2.0 * (t->generation + 1)));
    const double h = length / settled < (1.4 + 2.0 / (t->n + 1)) * t->chi_n ? 1 : 0;
    for (size_t i = 0; i < n; i++)
        t->p_c[i] = (1 - t->c_c) * t->p_c[i] +
                    h * sqrt(t->c_c * (2 - t->c_c) * t->mu_w) * (t->mean[i] - t->old_mean[i]) / t->sigma;
    t->sigma *= pp_exp(fmin(1, t->c_sigma / t->d_sigma * (length / t->chi_n - 1)));
    return h;
}

/* sigma: the one the samples were drawn with. */
static void adapt_covariance(strategy *t, double h, double sigma) {
    const size_t n = (size_t)t->n;
    const double keep = 1 - t->c_1 - t->c_mu + (1 - h) * t->c_1 * t->c_c * (2 - t->c_c);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < t->mu; k++) {
                const double *y = t->y + (size_t)t->order[k] * n;
                sum += t->weight[k] * (y[i] - t->old_mean[i]) * (y[j] - t->old_mean[j]);
            }
            double c = keep * t->C[i * n + j] + t->c_1 * t->p_c[i] * t->p_c[j] + t->c_mu * sum / (sigma * sigma);
            t->C[i * n + j] = t->C[j * n + i] = c;
        }
}

/* B and D anew, if enough generations have passed (tutorial, B.2). False: the covariance is too ill-conditioned. */
static bool decompose(strategy *t) {
    const double wait = 1 / ((t->c_1 + t->c_mu) * t->n * 10);
    if (t->generation - t->decomposed <= wait) return true;
    const size_t n = (size_t)t->n;
    memcpy(t->work, t->C, n * n * sizeof *t->C);
    pp_search_eigen(t->n, t->work, t->D, t->B);
    t->decomposed = t->generation;
    double low = t->D[0], high = t->D[0];
    for (size_t i = 1; i < n; i++) {
        low = fmin(low, t->D[i]);
        high = fmax(high, t->D[i]);
    }
    if (!(low > 0) || high > CONDITION_MAX * low) return false;
    for (size_t i = 0; i < n; i++) t->D[i] = sqrt(t->D[i]);
    return true;
}

/* A deviation above the range of a parameter says no more than that range. */
static void limit_sigma(const pp_search *s, strategy *t) {
    for (int i = 0; i < t->n; i++) {
        double deviation = s->step[i] * sqrt(t->C[(size_t)i * (size_t)(t->n + 1)]);
        if (t->sigma * deviation > s->range[i]) t->sigma = s->range[i] / deviation;
    }
}

/* ---- end of a run ---- */

static bool narrow(const pp_search *s, const strategy *t) {
    for (int i = 0; i < t->n; i++) {
        double deviation = fmax(sqrt(t->C[(size_t)i * (size_t)(t->n + 1)]), fabs(t->p_c[i]));
        if (t->sigma * deviation * s->step[i] > s->o.x_tolerance * s->range[i]) return false;
    }
    return true;
}

/* Do the best of the last generations and all of this one differ by no more than the tolerance? Only for feasible
 * points: infeasible ones are not ordered by f. */
static bool flat(const pp_search *s, strategy *t, const double *f, const double *v) {
    int window = 10 + (int)ceil(30.0 * t->n / t->lambda);
    if (window > HISTORY_MAX) window = HISTORY_MAX;
    const int worst = t->order[t->lambda - 1], best = t->order[0];
    t->history[t->generation % window] = v[best] == 0 ? f[best] : NAN;
    if (t->generation + 1 < window || !(v[worst] == 0)) return false;
    double low = f[best], high = f[worst];
    for (int k = 0; k < window; k++) {
        if (isnan(t->history[k])) return false;
        low = fmin(low, t->history[k]);
        high = fmax(high, t->history[k]);
    }
    return high - low <= s->o.f_tolerance;
}

/* One run, until it converges. False: the search is over. with_start: the start is evaluated too. */
static bool run(pp_search *s, strategy *t, bool with_start) {
    const size_t n = (size_t)t->n;
    set_constants(t);
    set_state(t);
    for (;; t->generation++) {
        const size_t skip = with_start && t->generation == 0 ? 1 : 0;
        if (skip) memcpy(t->x, s->start, n * sizeof *t->x);
        sample(s, t, t->x + skip * n);
        if (!pp_search_values(s, t->lambda + (int)skip, t->x, t->f, t->g, t->v)) return false;
        const double *f = t->f + skip, *v = t->v + skip;
        int failed = 0;
        for (int k = 0; k < t->lambda; k++) {
            t->order[k] = k;
            failed += isnan(f[k]) != 0;
        }
        if (failed == t->lambda) continue; /* nothing to learn from: draw again */
        merge_sort(f, v, t->order, t->lambda, t->spare);
        const double sigma = t->sigma;
        move_mean(t);
        const double h = move_paths(t);
        adapt_covariance(t, h, sigma);
        /* If most of the points are equal, the steps are too short to see a difference (tutorial, B.3). */
        const int most = t->order[(int)(0.7 * t->lambda)];
        if (f[t->order[0]] == f[most] && v[t->order[0]] == v[most]) t->sigma *= pp_exp(0.2 + t->c_sigma / t->d_sigma);
        limit_sigma(s, t);
        if (flat(s, t, f, v) || narrow(s, t) || !decompose(t)) return true;
    }
}

perp_status pp_search_cma_es(pp_search *s, perp_refusal *why) {
    strategy t = {.n = s->n, .m = s->m, .random = s->o.seed};
    t.lambda = s->o.population > 0 ? s->o.population : 4 + (int)(3 * pp_log(s->n));
    for (bool on = true; on;) {
        void *block = strategy_create(s, &t);
        if (!block)
            return pp_complain_say(why, PERP_E_MEMORY, (pp_location){0}, "search",
                                   "There is no memory for a population of %d points.", t.lambda);
        for (int i = 0; i < s->n; i++) {
            double u = s->restarts > 0 ? pp_search_uniform(&t.random) : 0;
            t.mean[i] = s->restarts > 0 ? (s->p->lower[i] + u * s->range[i] - s->start[i]) / s->step[i] : 0;
        }
        on = run(s, &t, s->restarts == 0) && s->restarts < s->o.restarts;
        pp_free(&s->o.alloc, block);
        if (!on) break;
        s->restarts++;
        if (t.lambda <= PP_SEARCH_POPULATION_MAX / 2) t.lambda *= 2;
    }
    if (s->end == PP_SEARCH_GOES_ON) s->end = PP_SEARCH_CONVERGED;
    return PERP_OK;
}
