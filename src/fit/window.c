/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* window.c - estimation over a window that moves along the data
 * Problem  z = (state at the window's first row, parameters) from the rows of the window, and from what is known of the past.
 * Method   each window is a least-squares fit, from the last one's answer advanced. Arrival cost: a normal prior on z, mean m and
 *          covariance P, that stands for the rows which have left. When rows leave, their residuals r, linearised at the window's
 *          estimate z*, are added to it,
 *             C = (P^-1 + J'J)^-1,   m+ = z* - C (P^-1 (z* - m) + J'r),
 *          and it is carried on by the motion z' = f(z), linearised there: m' = f(z*) + F (m+ - z*), P' = F C F' + Q, Q from walk_sd.
 *          Nothing counts twice: a row is in the window or in the prior. For a linear system without walk this is the estimate from
 *          all rows so far.
 * Valid    arrival cost: square loss, motion that is smooth about the estimate. Directions that the rows which left do not determine
 *          get a standard deviation of WIDE scales; a motion that forgets (a body that comes to rest) gets at least NARROW scales.
 * Cost     one fit a window, from a near start: two or three Jacobians of 2 n points; arrival: 4 n points over `stride` rows.
 * Source   Rao, Rawlings, Lee, Automatica 37 (2001) 1619; Rawlings, Mayne, Diehl, Model Predictive Control (2nd ed.), 4.3. */
#include <math.h>
#include <string.h>

#include "fit/check.h"
#include "fit/ensemble.h"
#include "fit/fit.h"
#include "linalg/linalg.h"

#define WIDE   1e4  /* scales: no information, yet invertible */
#define NARROW 1e-9 /* scales */

typedef struct window {
    const perp_window_problem *p;
    const perp_window_options *o;
    perp_window_result *out;
    perp_refusal *why;
    pp_arena arena;
    int n, stride;
    int first, last;               /* rows of the residuals at present */
    bool prior;                    /* the arrival cost counts */
    double *scale, *z, *start;     /* n */
    double *prior_mean, *prior_sd; /* n: the caller's, as far as they count now */
    double *mean, *P, *L;          /* n, n x n: arrival cost, Cholesky factor of P */
    double *C, *F, *work, *work2;  /* n x n */
    double *J;                     /* each * stride x n */
    double *r, *covariance;        /* each * stride; n x n */
    double *rows;                  /* batch x each * length: residuals without the prior's rows */
    int evaluations;
} window;

/* L^-1 (z - mean) */
static void prior_rows(const window *w, const double *z, double *out) {
    for (int i = 0; i < w->n; i++) {
        double sum = z[i] - w->mean[i];
        for (int j = 0; j < i; j++) sum -= w->L[i + w->n * j] * out[j];
        out[i] = sum / w->L[i + w->n * i];
    }
}

/* Residuals of the rows, then those of the prior. */
static bool window_residuals(void *ctx, int count, const double *z, double *r) {
    window *w = ctx;
    const perp_window_problem *p = w->p;
    if (!w->prior) return p->residuals(p->ctx, w->first, w->last, count, z, r);
    size_t m = (size_t)p->each * (size_t)(w->last - w->first + 1), n = (size_t)w->n;
    if (!p->residuals(p->ctx, w->first, w->last, count, z, w->rows)) return false;
    for (size_t k = 0; k < (size_t)count; k++) {
        memcpy(r + (m + n) * k, w->rows + m * k, sizeof *r * m);
        prior_rows(w, z + n * k, r + (m + n) * k + m);
    }
    return true;
}

/* The motion from the window's first row to the next window's. */
static bool window_motion(void *ctx, int count, const double *z, double *out) {
    window *w = ctx;
    return w->p->advance(w->p->ctx, w->first, w->first + w->stride, count, z, out);
}

static perp_fit_problem describe(const window *w, int m) {
    return (perp_fit_problem){.n = w->n,
                              .m = m,
                              .lower = w->p->lower,
                              .upper = w->p->upper,
                              .start = w->start,
                              .scale = w->scale,
                              .residuals = window_residuals,
                              .ctx = (void *)w};
}

/* Value (m) and derivatives (m x n) of residuals or motion at z*. */
static perp_status differentiate(window *w, const perp_fit_problem *p, double *value, double *J) {
    pp_fit f;
    perp_status s = pp_fit_setup(&f, p, &w->o->fit, w->why);
    if (!s) {
        size_t m = (size_t)p->m;
        bool ok = pp_fit_evaluate(&f, 1, w->z, f.r) && pp_fit_jacobian(&f, w->z, f.r, 1);
        if (f.stopped)
            s = pp_fit_stopped(w->why);
        else if (!ok || !isfinite(pp_fit_cost(&f, w->z, f.r)))
            s = pp_complain_say(w->why, PERP_E_SOLVE, (pp_location){0}, "",
                                "the motion from row %d could not be differentiated", w->first);
        memcpy(value, f.r, sizeof *value * m);
        memcpy(J, f.J, sizeof *J * m * (size_t)w->n);
    }
    w->evaluations += f.evaluations;
    pp_fit_free(&f);
    return s;
}

/* Information of the prior so far plus J'J of the rows that leave, inverted into C; shift = m+ - z*. */
static perp_status add_leaving(window *w, double *shift) {
    int n = w->n, m = w->p->each * w->stride;
    double *A = w->work, *g = shift, *solved = w->work2;
    for (int a = 0; a < n; a++) {
        g[a] = 0;
        for (int i = 0; i < m; i++) g[a] += w->J[(size_t)m * (size_t)a + (size_t)i] * w->r[i];
        for (int b = 0; b <= a; b++) {
            double sum = a == b ? 1 / (WIDE * WIDE * w->scale[a] * w->scale[a]) : 0;
            for (int i = 0; i < m; i++)
                sum += w->J[(size_t)m * (size_t)a + (size_t)i] * w->J[(size_t)m * (size_t)b + (size_t)i];
            A[a + n * b] = sum;
        }
        double sd = w->prior_sd[a];
        if (!w->prior && isfinite(sd)) A[a + n * a] += 1 / (sd * sd), g[a] += (w->z[a] - w->prior_mean[a]) / (sd * sd);
    }
    if (w->prior) {             /* P^-1 = L^-T L^-1: columns of L^-1 from unit vectors */
        double *inverse = w->F; /* not in use yet */
        prior_rows(w, w->z, solved);
        for (int c = 0; c < n; c++)
            for (int i = 0; i < n; i++) {
                double sum = i == c;
                for (int j = c; j < i; j++) sum -= w->L[i + n * j] * inverse[j + n * c];
                inverse[i + n * c] = i < c ? 0 : sum / w->L[i + n * i];
            }
        for (int a = 0; a < n; a++) {
            for (int i = 0; i < n; i++) g[a] += inverse[i + n * a] * solved[i];
            for (int b = 0; b <= a; b++)
                for (int i = 0; i < n; i++) A[a + n * b] += inverse[i + n * a] * inverse[i + n * b];
        }
    }
    for (int a = 0; a < n; a++) { /* scaled, so that sizes do not spoil the factor */
        solved[a] = 1 / sqrt(A[a + n * a]);
        for (int b = 0; b <= a; b++) A[a + n * b] *= solved[a] * solved[b];
    }
    if (!pp_cholesky(n, A, n))
        return pp_complain_say(w->why, PERP_E_SOLVE, (pp_location){0}, "",
                               "the information of the rows before row %d is not positive definite",
                               w->first + w->stride);
    for (int c = 0; c < n; c++)
        for (int i = 0; i < n; i++) w->C[i + n * c] = i == c;
    pp_cholesky_solve(n, A, n, n, w->C, n);
    for (int c = 0; c < n; c++)
        for (int i = 0; i < n; i++) w->C[i + n * c] *= solved[i] * solved[c];
    memcpy(solved, g, sizeof *g * (size_t)n);
    for (int a = 0; a < n; a++) {
        shift[a] = 0;
        for (int b = 0; b < n; b++) shift[a] -= w->C[a + n * b] * solved[b];
    }
    return PERP_OK;
}

/* m' = f(z*) + F shift, P' = F C F' + Q. */
static perp_status carry_on(window *w, const double *shift) {
    int n = w->n;
    perp_fit_problem motion = describe(w, n);
    motion.residuals = window_motion;
    motion.start = w->z;
    perp_status s = differentiate(w, &motion, w->mean, w->F);
    if (s) return s;
    pp_gemv(false, n, w->F, n, shift, 1, w->mean);
    pp_gemm(false, false, n, n, n, 1, w->F, n, w->C, n, 0, w->work, n);
    pp_gemm(false, true, n, n, n, 1, w->work, n, w->F, n, 0, w->P, n);
    for (int j = 0; j < n; j++) {
        double walk = w->p->walk_sd ? w->p->walk_sd[j] : 0, narrow = NARROW * w->scale[j];
        w->P[j + n * j] += w->stride * walk * walk + narrow * narrow;
    }
    if (!pp_covariance_factor(n, w->P, w->L, w->work))
        return pp_complain_say(w->why, PERP_E_SOLVE, (pp_location){0}, "", "the arrival cost at row %d is not finite",
                               w->first + w->stride);
    w->prior = true;
    return PERP_OK;
}

/* The arrival cost at the next window's first row. */
static perp_status arrive(window *w) {
    bool prior = w->prior;
    int last = w->last;
    double *shift = w->start; /* n: the next start is written after this */
    perp_fit_problem leaving = describe(w, w->p->each * w->stride);
    leaving.start = w->z;
    w->last = w->first + w->stride - 1;
    w->prior = false; /* rows alone */
    perp_status s = differentiate(w, &leaving, w->r, w->J);
    w->prior = prior, w->last = last;
    if (!s) s = add_leaving(w, shift);
    return s ? s : carry_on(w, shift);
}

static perp_status fit_window(window *w, int index) {
    int n = w->n, m = w->p->each * w->o->length;
    perp_fit_problem p = describe(w, m + (w->prior ? n : 0));
    if (!w->prior) p.prior_mean = w->prior_mean, p.prior_sd = w->prior_sd;
    perp_fit_options o = w->o->fit;
    double *sd = w->work;
    perp_fit_details details = {.sd = sd};
    o.details = &details;
    perp_fit_result result;
    perp_status s = perp_fit(&p, &o, w->z, w->covariance, &result, w->why);
    if (s) return s;
    size_t nn = (size_t)n, at = (size_t)index;
    w->evaluations += result.evaluations;
    if (w->out->z) memcpy(w->out->z + nn * at, w->z, sizeof *w->z * nn);
    if (w->out->sd) memcpy(w->out->sd + nn * at, sd, sizeof *sd * nn);
    if (w->out->covariance) memcpy(w->out->covariance + nn * nn * at, w->covariance, sizeof *sd * nn * nn);
    if (w->out->cost) w->out->cost[index] = result.cost;
    if (w->out->converged) w->out->converged[index] = result.converged;
    return PERP_OK;
}

static perp_status check(const perp_window_problem *p, const perp_window_options *o, perp_refusal *why) {
    int stride = o->stride ? o->stride : 1;
    if (p->states < 0 || p->parameters < 0 || p->states + p->parameters < 1 || p->states + p->parameters > 10000)
        return pp_fit_bad(why, "states + parameters", -1, p->states + p->parameters, "1 to 10000");
    if (p->each < 1) return pp_fit_bad(why, "each", -1, p->each, "at least 1");
    if (p->rows < 1) return pp_fit_bad(why, "rows", -1, p->rows, "at least 1");
    if (o->length < 1 || o->length > p->rows)
        return pp_fit_bad(why, "length", -1, o->length, "1 to the number of rows");
    if (stride < 1 || (o->arrival && stride > o->length))
        return pp_fit_bad(why, "stride", -1, stride, "at least 1; with the arrival cost at most the length");
    if (!p->residuals || !p->advance || !p->start)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){0}, "", "residuals, advance and start are all needed");
    pp_loss loss;
    double scale = 1;
    if (o->arrival && o->fit.loss && (!pp_loss_find(o->fit.loss, &loss, &scale) || loss != PP_LOSS_SQUARE))
        return pp_complain(why, PERP_E_ARG, (pp_location){0}, "loss", o->fit.loss, "square with the arrival cost");
    perp_status s = pp_fit_check_finite(p->states + p->parameters, p->walk_sd, "walk_sd", false, why);
    return s ? s : pp_fit_check_prior(p->states + p->parameters, p->prior_mean, p->prior_sd, why);
}

int perp_window_count(const perp_window_problem *problem, const perp_window_options *options) {
    if (check(problem, options, NULL)) return 0;
    return 1 + (problem->rows - options->length) / (options->stride ? options->stride : 1);
}

static bool take_memory(window *w) {
    size_t n = (size_t)w->n, each = (size_t)w->p->each;
    bool ok = true;
#define TAKE(to, count) ok = ok && ((to) = pp_arena_zero(&w->arena, sizeof *(to) * (count)))
    TAKE(w->scale, n);
    TAKE(w->z, n);
    TAKE(w->start, n);
    TAKE(w->prior_mean, n);
    TAKE(w->prior_sd, n);
    TAKE(w->mean, n);
    TAKE(w->P, n * n);
    TAKE(w->L, n * n);
    TAKE(w->C, n * n);
    TAKE(w->F, n * n);
    TAKE(w->work, n * n);
    TAKE(w->work2, n * n);
    TAKE(w->covariance, n * n);
    TAKE(w->J, each * (size_t)w->stride * n);
    TAKE(w->r, each * (size_t)w->stride);
    TAKE(w->rows, (size_t)pp_fit_batch(w->n) * each * (size_t)w->o->length);
#undef TAKE
    return ok;
}

/* Scales as the first window's fit has them; the caller's prior. */
static perp_status prepare(window *w) {
    const perp_window_problem *p = w->p;
    pp_fit f;
    perp_fit_problem first = {.n = w->n,
                              .m = 0,
                              .lower = p->lower,
                              .upper = p->upper,
                              .start = p->start,
                              .scale = p->scale,
                              .prior_mean = p->prior_mean,
                              .prior_sd = p->prior_sd,
                              .residuals = window_residuals};
    perp_status s = pp_fit_setup(&f, &first, &w->o->fit, w->why);
    for (int j = 0; !s && j < w->n; j++) {
        w->scale[j] = f.scale[j];
        w->start[j] = p->start[j];
        w->prior_mean[j] = p->prior_mean ? p->prior_mean[j] : 0;
        w->prior_sd[j] = p->prior_sd ? p->prior_sd[j] : INFINITY;
    }
    pp_fit_free(&f);
    return s;
}

perp_status perp_fit_window(const perp_window_problem *problem, const perp_window_options *options,
                            perp_window_result *result, perp_refusal *why) {
    perp_status s = check(problem, options, why);
    if (s) return s;
    window w = {.p = problem, .o = options, .out = result, .why = why, .n = problem->states + problem->parameters};
    w.stride = options->stride ? options->stride : 1;
    pp_arena_init(&w.arena, options->fit.alloc);
    s = take_memory(&w) ? prepare(&w) : pp_fit_memory(why);
    int count = perp_window_count(problem, options);
    for (int i = 0; !s && i < count; i++) {
        w.first = i * w.stride, w.last = w.first + options->length - 1;
        s = fit_window(&w, i);
        if (s || i == count - 1) break;
        if (options->arrival) s = arrive(&w);
        for (int j = 0; j < problem->states; j++)
            w.prior_sd[j] = INFINITY; /* the prior of the state applies at row 0 only */
        w.evaluations++;
        if (!s && !window_motion(&w, 1, w.z, w.start)) s = pp_fit_stopped(why);
    }
    result->evaluations = w.evaluations;
    pp_arena_free(&w.arena);
    return s;
}
