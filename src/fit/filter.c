/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* filter.c - what the filters share: arguments, clouds of states, advancing and observing them, moments, gains. */
#include "fit/filter.h"

#include <math.h>
#include <string.h>

#include "fit/check.h"
#include "fit/ensemble.h"
#include "linalg/linalg.h"
#include "base/elementary.h"

#define TWO_PI 6.28318530717958647693

perp_status pp_filter_fail(pp_filter *f, int row, const char *words) {
    return pp_complain_say(f->why, PERP_E_SOLVE, (pp_location){0}, "", "row %d, time %g: %s", row, f->p->time[row],
                           words);
}

uint64_t pp_filter_stream(const pp_filter *f, int row, int what) {
    return perp_random_split(perp_random_split(f->o.seed, (uint64_t)row), (uint64_t)what);
}

bool pp_filter_finite(int n, const double *x) {
    for (int j = 0; j < n; j++)
        if (!isfinite(x[j])) return false;
    return true;
}

void pp_filter_admit(const pp_filter *f, double *x, bool reflect) {
    if (reflect) pp_reflect(f->n, f->p->lower, f->p->upper, x);
    for (int j = 0; j < f->n; j++) {
        if (f->p->lower && x[j] < f->p->lower[j]) x[j] = f->p->lower[j];
        if (f->p->upper && x[j] > f->p->upper[j]) x[j] = f->p->upper[j];
    }
    if (f->p->constrain) f->p->constrain(f->p->ctx, x);
}

perp_status pp_filter_cloud(pp_filter *f) {
    if (!pp_covariance_factor(f->n, f->p->covariance, f->L, f->work))
        return pp_complain_say(f->why, PERP_E_ARG, (pp_location){0}, "covariance",
                               "is not positive semidefinite, or not finite");
    for (int i = 0; i < f->count; i++) {
        perp_random random = perp_random_start(perp_random_split(pp_filter_stream(f, 0, 0), (uint64_t)i));
        double *x = f->x + (size_t)f->n * (size_t)i;
        pp_draw_normal(f->n, f->p->mean, f->L, &random, x);
        pp_filter_admit(f, x, true);
        f->weight[i] = 1.0 / f->count;
    }
    return PERP_OK;
}

perp_status pp_filter_advance(pp_filter *f, int row, bool walk) {
    const perp_filter_problem *p = f->p;
    f->evaluations += f->count;
    if (!p->advance(p->ctx, f->count, f->x, f->next, p->time[row - 1], p->time[row])) return pp_fit_stopped(f->why);
    double *was = f->x;
    f->x = f->next, f->next = was;
    uint64_t stream = pp_filter_stream(f, row, 0);
    for (int i = 0; walk && i < f->count; i++) {
        double *x = f->x + (size_t)f->n * (size_t)i;
        if (!pp_filter_finite(f->n, x)) continue;
        perp_random random = perp_random_start(perp_random_split(stream, (uint64_t)i));
        for (int j = 0; p->walk_sd && j < f->n; j++)
            if (p->walk_sd[j] > 0) x[j] += p->walk_sd[j] * perp_random_normal(&random);
        pp_filter_admit(f, x, true);
    }
    return PERP_OK;
}

perp_status pp_filter_observe(pp_filter *f, int row) {
    return f->p->observe(f->p->ctx, f->count, f->x, f->p->time[row], f->y) ? PERP_OK : pp_fit_stopped(f->why);
}

void pp_filter_moments(pp_filter *f) {
    int n = f->n;
    memset(f->mean, 0, sizeof *f->mean * (size_t)n);
    memset(f->C, 0, sizeof *f->C * (size_t)n * (size_t)n);
    for (int i = 0; i < f->count; i++)
        for (int j = 0; f->weight[i] > 0 && j < n; j++)
            f->mean[j] += f->weight[i] * f->x[(size_t)n * (size_t)i + (size_t)j];
    for (int i = 0; i < f->count; i++) {
        const double *x = f->x + (size_t)n * (size_t)i;
        for (int a = 0; f->weight[i] > 0 && a < n; a++)
            for (int b = 0; b <= a; b++) f->C[a + n * b] += f->weight[i] * (x[a] - f->mean[a]) * (x[b] - f->mean[b]);
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++) f->C[b + n * a] = f->C[a + n * b];
}

void pp_filter_write(pp_filter *f, int row, double effective, double log_likelihood) {
    perp_filter_result *r = f->result;
    size_t n = (size_t)f->n, at = (size_t)row;
    if (r->mean) memcpy(r->mean + n * at, f->mean, sizeof *f->mean * n);
    if (r->covariance) memcpy(r->covariance + n * n * at, f->C, sizeof *f->C * n * n);
    for (size_t j = 0; r->sd && j < n; j++) r->sd[n * at + j] = sqrt(fmax(0, f->C[j + n * j]));
    if (r->effective) r->effective[row] = effective;
    if (r->log_likelihood) r->log_likelihood[row] = log_likelihood;
    r->total += log_likelihood;
}

int pp_filter_data(pp_filter *f, int row) {
    int k = 0;
    for (int i = 0; i < f->m; i++)
        if (!isnan(f->p->data[(size_t)f->m * (size_t)row + (size_t)i])) f->used[k++] = i;
    return k;
}

bool pp_filter_gain(pp_filter *f, int k, double *log_likelihood) {
    if (!pp_cholesky(k, f->S, f->m)) return false;
    double *solved = f->work; /* k of n x n or more, see take_memory */
    double square = 0, log_det = 0;
    memcpy(solved, f->innovation, sizeof *solved * (size_t)k);
    pp_cholesky_solve(k, f->S, f->m, 1, solved, f->m);
    for (int i = 0; i < k; i++) square += solved[i] * f->innovation[i], log_det += 2 * pp_log(f->S[i + f->m * i]);
    *log_likelihood = -0.5 * (square + log_det + k * pp_log(TWO_PI));
    for (int j = 0; j < f->n; j++) { /* a row of the gain is S^-1 times a row of the covariance */
        for (int i = 0; i < k; i++) solved[i] = f->gain[j + f->n * i];
        pp_cholesky_solve(k, f->S, f->m, 1, solved, f->m);
        for (int i = 0; i < k; i++) f->gain[j + f->n * i] = solved[i];
    }
    return true;
}

static perp_status check(const perp_filter_problem *p, perp_filter_options *o, perp_refusal *why) {
    static const char *const methods = "particle, unscented, ensemble";
    if (!o->method) o->method = "particle";
    if (o->particles == 0) o->particles = 1000;
    if (o->resample == 0) o->resample = 0.5;
    if (o->alpha == 0) o->alpha = 1;
    if (strcmp(o->method, "particle") != 0 && strcmp(o->method, "unscented") != 0 && strcmp(o->method, "ensemble") != 0)
        return pp_complain(why, PERP_E_ARG, (pp_location){0}, "method", o->method, methods);
    if (p->n < 1 || p->n > 10000) return pp_fit_bad(why, "n", -1, p->n, "1 to 10000");
    if (p->m < 1 || p->m > 10000) return pp_fit_bad(why, "m", -1, p->m, "1 to 10000");
    if (p->rows < 1) return pp_fit_bad(why, "rows", -1, p->rows, "at least 1");
    if (o->particles < 8 || (double)o->particles * (p->n + p->m) > PP_FIT_MOST)
        return pp_fit_bad(why, "particles", -1, o->particles, "8 or more, within memory");
    if (!(o->resample > 0 && o->resample <= 1)) return pp_fit_bad(why, "resample", -1, o->resample, "0 < number <= 1");
    if (!(o->alpha > 0 && isfinite(o->alpha) && o->kappa > -p->n && isfinite(o->kappa) && isfinite(o->beta)))
        return pp_fit_bad(why, "alpha", -1, o->alpha, "alpha > 0, kappa > -n, all finite");
    if (!p->time || !p->data || !p->noise_sd || !p->mean || !p->covariance || !p->advance || !p->observe)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){0}, "",
                               "time, data, noise_sd, mean, covariance, advance and observe are all needed");
    perp_status s = pp_fit_check_bounds(p->n, p->lower, p->upper, why);
    if (!s) s = pp_fit_check_finite(p->rows, p->time, "time", false, why);
    if (!s) s = pp_fit_check_finite(p->m, p->noise_sd, "noise_sd", true, why);
    if (!s) s = pp_fit_check_finite(p->n, p->mean, "mean", false, why);
    if (!s) s = pp_fit_check_finite(p->n, p->walk_sd, "walk_sd", false, why);
    for (int i = 1; !s && i < p->rows; i++)
        if (p->time[i] < p->time[i - 1]) s = pp_fit_bad(why, "time", i, p->time[i], "not before the row above");
    for (int i = 0; !s && i < p->rows * p->m; i++)
        if (isinf(p->data[i])) s = pp_fit_bad(why, "data", i, p->data[i], "a number, or NAN for missing");
    return s;
}

static bool take_memory(pp_filter *f) {
    size_t n = (size_t)f->n, m = (size_t)f->m, count = (size_t)f->count, most = n > m ? n : m;
    bool ok = true;
#define TAKE(to, size) ok = ok && ((to) = pp_arena_zero(&f->arena, sizeof *(to) * (size)))
    TAKE(f->x, (count > m ? count : m) * n); /* both change places, and next is also room for n x m */
    TAKE(f->next, (count > m ? count : m) * n);
    TAKE(f->y, count * m);
    TAKE(f->weight, count);
    TAKE(f->mean, n);
    TAKE(f->C, n * n);
    TAKE(f->L, n * n);
    TAKE(f->work, n * most);
    TAKE(f->S, m * m);
    TAKE(f->gain, n * m);
    TAKE(f->innovation, m);
    TAKE(f->used, m);
#undef TAKE
    return ok;
}

perp_status perp_filter(const perp_filter_problem *problem, const perp_filter_options *options,
                        perp_filter_result *result, perp_refusal *why) {
    perp_filter_result own = {0};
    pp_filter f = {
        .p = problem, .o = options ? *options : (perp_filter_options){0}, .result = result ? result : &own, .why = why};
    perp_status s = check(problem, &f.o, why);
    if (s) return s;
    bool unscented = strcmp(f.o.method, "unscented") == 0;
    f.n = problem->n, f.m = problem->m;
    f.count = unscented ? 2 * f.n + 1 : f.o.particles;
    f.result->total = 0;
    pp_arena_init(&f.arena, f.o.alloc);
    if (!take_memory(&f))
        s = pp_fit_memory(why);
    else
        s = unscented                             ? pp_filter_unscented(&f)
            : strcmp(f.o.method, "ensemble") == 0 ? pp_filter_ensemble(&f)
                                                  : pp_filter_particle(&f);
    f.result->evaluations = f.evaluations;
    f.result->failed = f.failed;
    pp_arena_free(&f.arena);
    return s;
}
