/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sample.c - draws from a density known up to a factor
 * Method   an ensemble of walkers in two halves. All walkers of one half propose at once, from positions of the other half, and are
 *          evaluated in one call: half of the moves are stretches, x' = y + z (x - y) with z between 1/2 and 2, accepted with
 *          z^(n-1) p(x')/p(x); half are differences, x' = x + gamma (y1 - y2) + little, gamma = 2.38/sqrt(2 n), one in ten with gamma = 1
 *          to jump between modes. Both adapt to scales and correlations by themselves.
 * Valid    densities with one connected mode, or few; up to some 20 dimensions. The walkers' random numbers depend on seed, step and
 *          walker alone: the same bits however calls are carried out.
 * Cost     walkers evaluations a step.
 * Source   Goodman, Weare, Comm. App. Math. Comp. Sci. 5 (2010) 65; Foreman-Mackey et al., PASP 125 (2013) 306 (halves); ter Braak,
 *          Statistics and Computing 16 (2006) 239 (differences). */
#include <math.h>
#include <string.h>

#include "fit/check.h"
#include "fit/ensemble.h"
#include "perp/fit.h"
#include "base/elementary.h"

#define STRETCH 2.0  /* a: z in 1/a .. a */
#define LITTLE  1e-5 /* of the distance between two walkers, so that differences reach everywhere */
#define REDRAWS 20   /* rounds in which first positions without density are drawn again */

typedef struct sampler {
    const perp_sample_problem *p;
    perp_sample_options o;
    int n, K;
    double *x, *logp;          /* K x n, K */
    double *proposed, *factor; /* K/2 x n; ln of the factor in the acceptance */
    double *batch, *values;    /* K x n, K: those within bounds */
    double *work;              /* (kept steps + 2) K */
    int *who;                  /* K: of a batch */
    int evaluations;
    int64_t accepted, moves;
} sampler;

static void fill_defaults(const perp_sample_problem *p, perp_sample_options *o) {
    int least = 4 * p->n > 32 ? 4 * p->n : 32;
    if (o->walkers == 0) o->walkers = least + least % 2;
    if (o->steps == 0) o->steps = 1000;
    if (o->burn_in == 0) o->burn_in = o->steps;
    if (o->thin == 0) o->thin = 1;
}

static perp_status check(const perp_sample_problem *p, perp_sample_options *o, perp_refusal *why) {
    if (p->n < 1 || p->n > 1000) return pp_fit_bad(why, "n", -1, p->n, "1 to 1000");
    if (!p->log_density || !o->start || !o->covariance)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){0},
                               !p->log_density ? "log_density"
                               : !o->start     ? "start"
                                               : "covariance",
                               "is missing");
    fill_defaults(p, o);
    if (o->walkers < 2 * p->n + 2 || o->walkers % 2 || o->walkers > 100000)
        return pp_fit_bad(why, "walkers", -1, o->walkers, "an even number, at least 2 n + 2, at most 100000");
    if (o->thin < 1) return pp_fit_bad(why, "thin", -1, o->thin, "at least 1");
    if (o->steps < 8 || o->steps / o->thin < 8)
        return pp_fit_bad(why, "steps", -1, o->steps, "at least 8 after thinning");
    if (o->burn_in < 0) return pp_fit_bad(why, "burn_in", -1, o->burn_in, "at least 0");
    int kept = o->steps / o->thin;
    if ((double)kept * o->walkers * p->n > PP_FIT_MOST)
        return pp_fit_bad(why, "steps", -1, o->steps, "a sample of at most 4e8 numbers");
    perp_status s = pp_fit_check_bounds(p->n, p->lower, p->upper, why);
    if (!s) s = pp_fit_check_finite(p->n, o->start, "start", false, why);
    for (int j = 0; !s && j < p->n; j++) {
        double v = o->covariance[j + p->n * j];
        if (!(v > 0) || !isfinite(v))
            s = pp_fit_bad(why, "covariance", j + p->n * j, v,
                           "a variance > 0: leave out what is fixed or not identified");
    }
    return s;
}

int perp_sample_count(const perp_sample_problem *problem, const perp_sample_options *options) {
    perp_sample_options o = *options;
    return check(problem, &o, NULL) ? 0 : o.steps / o.thin * o.walkers;
}

static bool inside(const sampler *s, const double *x) {
    for (int j = 0; j < s->n; j++) {
        if (!isfinite(x[j])) return false;
        if ((s->p->lower && x[j] < s->p->lower[j]) || (s->p->upper && x[j] > s->p->upper[j])) return false;
    }
    return true;
}

/* Log densities of `count` points; -INFINITY outside. False: stopped. */
static bool evaluate(sampler *s, int count, const double *x, double *out) {
    int k = 0;
    for (int i = 0; i < count; i++) {
        out[i] = -INFINITY;
        if (!inside(s, x + (size_t)s->n * (size_t)i)) continue;
        memcpy(s->batch + (size_t)s->n * (size_t)k, x + (size_t)s->n * (size_t)i, sizeof *x * (size_t)s->n);
        s->who[k++] = i;
    }
    if (k == 0) return true;
    s->evaluations += k;
    if (!s->p->log_density(s->p->ctx, k, s->batch, s->values)) return false;
    for (int i = 0; i < k; i++) /* NAN and +INFINITY are no densities */
        if (s->values[i] < INFINITY) out[s->who[i]] = s->values[i];
    return true;
}

static perp_status first_positions(sampler *s, pp_arena *arena, perp_refusal *why) {
    int n = s->n, alive = 0;
    double *L = PP_ARENA_ZERO(arena, double, n *n), *work = PP_ARENA_ZERO(arena, double, n *n);
    if (!L || !work) return pp_fit_memory(why);
    if (!pp_covariance_factor(n, s->o.covariance, L, work))
        return pp_complain_say(why, PERP_E_ARG, (pp_location){0}, "covariance",
                               "is not positive semidefinite, or not finite");
    for (int i = 0; i < s->K; i++) s->logp[i] = -INFINITY;
    for (int round = 0; round < REDRAWS && alive < s->K; round++) {
        for (int i = 0; i < s->K; i++) {
            if (s->logp[i] > -INFINITY) continue;
            uint64_t stream = perp_random_split(perp_random_split(s->o.seed, (uint64_t)round), (uint64_t)i);
            perp_random random = perp_random_start(stream);
            double *x = s->x + (size_t)n * (size_t)i;
            pp_draw_normal(n, s->o.start, L, &random, x);
            pp_reflect(n, s->p->lower, s->p->upper, x);
        }
        if (!evaluate(s, s->K, s->x, s->logp)) return pp_fit_stopped(why);
        alive = 0;
        for (int i = 0; i < s->K; i++) alive += s->logp[i] > -INFINITY;
    }
    if (alive < 2 * n + 2)
        return pp_complain_say(why, PERP_E_SOLVE, (pp_location){0}, "start",
                               "only %d of %d walkers found a point with a density above 0 about the start", alive,
                               s->K);
    return PERP_OK;
}

/* Proposal of walker i from the other half, which begins at `other`. */
static void propose(sampler *s, int i, int other, perp_random *random, double *out, double *factor) {
    int n = s->n, half = s->K / 2;
    const double *x = s->x + (size_t)n * (size_t)i;
    int a = other + (int)(perp_random_uniform(random) * half),
        b = other + (int)(perp_random_uniform(random) * (half - 1));
    if (b >= a) b++; /* two different walkers */
    const double *y = s->x + (size_t)n * (size_t)a, *w = s->x + (size_t)n * (size_t)b;
    *factor = 0;
    if (perp_random_uniform(random) < 0.5) {
        double u = perp_random_uniform(random),
               z = pp_pow((STRETCH - 1) * u + 1, 2) / STRETCH; /* density ~ 1/sqrt(z) */
        for (int j = 0; j < n; j++) out[j] = y[j] + z * (x[j] - y[j]);
        *factor = (n - 1) * pp_log(z);
    } else {
        double gamma = perp_random_uniform(random) < 0.1 ? 1 : 2.38 / sqrt(2.0 * n);
        for (int j = 0; j < n; j++) {
            double d = y[j] - w[j];
            out[j] = x[j] + gamma * d + LITTLE * fabs(d) * perp_random_normal(random);
        }
    }
}

/* One step of all walkers, half after half. False: stopped. */
static bool step(sampler *s, uint64_t stream) {
    int n = s->n, half = s->K / 2;
    for (int h = 0; h < 2; h++) {
        int first = h * half, other = half - first;
        for (int k = 0; k < half; k++) {
            perp_random random = perp_random_start(perp_random_split(stream, (uint64_t)(first + k)));
            propose(s, first + k, other, &random, s->proposed + (size_t)n * (size_t)k, &s->factor[k]);
            s->factor[k] -= pp_log(fmax(perp_random_uniform(&random), 0x1p-53));
        }
        double *logp = s->factor + half; /* of the proposals */
        if (!evaluate(s, half, s->proposed, logp)) return false;
        for (int k = 0; k < half; k++) {
            int i = first + k;
            s->moves++;
            if (!(logp[k] > -INFINITY && s->factor[k] + logp[k] - s->logp[i] > 0)) continue;
            s->accepted++;
            s->logp[i] = logp[k];
            memcpy(s->x + (size_t)n * (size_t)i, s->proposed + (size_t)n * (size_t)k, sizeof *s->x * (size_t)n);
        }
    }
    return true;
}

static void write_result(const sampler *s, const double *sample, perp_sample_result *r) {
    int n = s->n, kept = s->o.steps / s->o.thin;
    r->draws = kept * s->K;
    r->acceptance = s->moves > 0 ? (double)s->accepted / (double)s->moves : 0;
    r->evaluations = s->evaluations;
    for (int j = 0; j < n; j++) {
        double figures[2];
        pp_chain_figures(kept, s->K, n, sample, j, s->work, figures);
        if (r->r_hat) r->r_hat[j] = figures[0];
        if (r->effective) r->effective[j] = figures[1];
    }
    double *mean = s->batch; /* n of K x n */
    memset(mean, 0, sizeof *mean * (size_t)n);
    for (int i = 0; i < r->draws; i++)
        for (int j = 0; j < n; j++) mean[j] += sample[(size_t)n * (size_t)i + (size_t)j] / r->draws;
    if (r->mean) memcpy(r->mean, mean, sizeof *mean * (size_t)n);
    for (int a = 0; r->covariance && a < n; a++)
        for (int b = 0; b <= a; b++) {
            double sum = 0;
            for (int i = 0; i < r->draws; i++) {
                const double *x = sample + (size_t)n * (size_t)i;
                sum += (x[a] - mean[a]) * (x[b] - mean[b]);
            }
            r->covariance[a + n * b] = r->covariance[b + n * a] = sum / (r->draws - 1);
        }
}

static bool take_memory(sampler *s, pp_arena *arena) {
    size_t n = (size_t)s->n, K = (size_t)s->K;
    s->x = pp_arena_zero(arena, sizeof(double) * n * K);
    s->logp = pp_arena_zero(arena, sizeof(double) * K);
    s->proposed = pp_arena_zero(arena, sizeof(double) * n * K);
    s->factor = pp_arena_zero(arena, sizeof(double) * K);
    s->batch = pp_arena_zero(arena, sizeof(double) * n * K);
    s->values = pp_arena_zero(arena, sizeof(double) * K);
    s->who = pp_arena_zero(arena, sizeof(int) * K);
    s->work = pp_arena_zero(arena, sizeof(double) * K * (size_t)(s->o.steps / s->o.thin + 2));
    return s->work && s->x && s->logp && s->proposed && s->factor && s->batch && s->values && s->who;
}

static perp_status run(sampler *s, pp_arena *arena, double *sample, perp_sample_result *result, perp_refusal *why) {
    size_t row = (size_t)s->n * (size_t)s->K;
    int kept = s->o.steps / s->o.thin;
    if (!take_memory(s, arena)) return pp_fit_memory(why);
    if (!sample && !(sample = pp_arena_zero(arena, sizeof *sample * row * (size_t)kept))) return pp_fit_memory(why);
    perp_status status = first_positions(s, arena, why);
    uint64_t walk = perp_random_split(s->o.seed, UINT64_MAX);
    for (int t = 0, k = 0; !status && k < kept; t++) {
        if (!step(s, perp_random_split(walk, (uint64_t)t))) return pp_fit_stopped(why);
        if (t == s->o.burn_in - 1) s->accepted = s->moves = 0;
        if (t < s->o.burn_in || (t - s->o.burn_in + 1) % s->o.thin) continue;
        memcpy(sample + row * (size_t)k++, s->x, sizeof *sample * row);
    }
    if (!status && result) write_result(s, sample, result);
    return status;
}

perp_status perp_sample_posterior(const perp_sample_problem *problem, const perp_sample_options *options,
                                  double *sample, perp_sample_result *result, perp_refusal *why) {
    sampler s = {.p = problem, .o = *options, .n = problem->n};
    perp_status status = check(problem, &s.o, why);
    if (status) return status;
    s.K = s.o.walkers;
    pp_arena arena;
    pp_arena_init(&arena, s.o.alloc);
    status = run(&s, &arena, sample, result, why);
    pp_arena_free(&arena);
    return status;
}
