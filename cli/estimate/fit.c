/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fit.c - least squares for perp estimate: optimum, standard errors by rows or by cases, profiles, check of predictions.
 *
 * Errors by cases. Where a model does not fit to the noise, residuals of one case belong together, and errors from rows are
 * too small. With J the derivatives, g_c = J_c' r_c the gradient of case c and H = J'J, the covariance is
 * H^-1 (sum over c of g_c g_c') H^-1 * C/(C - n), the sandwich with clusters (Liang and Zeger 1986). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perp/fit.h"
#include "estimate/estimation.h"

static bool residuals(void *ctx, int count, const double *x, double *r) {
    estimation *s = ctx;
    return pp_rollouts_residuals(s->runs, false, count, x, r);
}

/* Central differences with the steps that the study gives; all points in one batch. */
static bool jacobian(void *ctx, const double *x, double *J) {
    estimation *s = ctx;
    int n = s->e.n, m = s->e.m;
    double *point = calloc(2 * (size_t)n * (size_t)n, sizeof *point),
           *r = malloc(sizeof *r * 2 * (size_t)n * (size_t)m);
    bool ok = point && r;
    double width[PP_STUDY_NAMES];
    for (int k = 0; ok && k < n; k++) {
        const pp_unknown *u = &s->e.unknown[k];
        double step = u->step > 0 ? u->step : 1e-6 * (fabs(x[k]) > 1e-3 ? fabs(x[k]) : 1e-3);
        double *up = point + 2 * (size_t)k * (size_t)n, *down = up + n;
        memcpy(up, x, sizeof *x * (size_t)n);
        memcpy(down, x, sizeof *x * (size_t)n);
        up[k] = x[k] + step < u->upper ? x[k] + step : u->upper;
        down[k] = x[k] - step > u->lower ? x[k] - step : u->lower;
        width[k] = up[k] - down[k];
    }
    ok = ok && pp_rollouts_residuals(s->runs, false, 2 * n, point, r);
    for (int k = 0; ok && k < n; k++)
        for (int i = 0; i < m; i++) {
            const double *up = r + 2 * (size_t)k * (size_t)m;
            J[(size_t)k * (size_t)m + (size_t)i] = (up[i] - up[m + i]) / width[k];
        }
    free(point);
    free(r);
    return ok;
}

/* ---- errors by cases ---- */

/* Inverse of a small symmetric positive matrix by Gauss-Jordan with scaling; false if it is singular. */
static bool invert(double *A, int n) {
    double scale[PP_STUDY_NAMES];
    for (int i = 0; i < n; i++) {
        scale[i] = sqrt(A[i * n + i]);
        if (!(scale[i] > 0)) return false;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[i * n + j] /= scale[i] * scale[j];
    for (int k = 0; k < n; k++) {
        double p = A[k * n + k];
        if (!(p > 1e-13)) return false;
        for (int j = 0; j < n; j++) A[k * n + j] /= p;
        A[k * n + k] = 1 / p;
        for (int i = 0; i < n; i++) {
            double f = A[i * n + k];
            if (i == k) continue;
            for (int j = 0; j < n; j++)
                if (j != k) A[i * n + j] -= f * A[k * n + j];
            A[i * n + k] = -f / p;
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[i * n + j] /= scale[i] * scale[j];
    return true;
}

static bool errors_by_case(const estimation *s, const double *J, const double *r, const double *weight, double *sd) {
    int n = s->e.n, m = s->e.m, cases = 0;
    double *H = calloc((size_t)(2 * n * n), sizeof *H), *meat = H ? H + n * n : NULL, g[PP_STUDY_NAMES];
    if (!H) return false;
    for (int c = 0; c < s->e.ncase; c++) {
        const pp_case *x = &s->e.cases[c];
        if (!x->fit) continue;
        cases++;
        memset(g, 0, sizeof g);
        for (int i = x->first; i < x->first + x->count; i++)
            for (int k = 0; k < n; k++) {
                double jk = J[(size_t)k * (size_t)m + (size_t)i];
                g[k] += weight[i] * jk * r[i];
                for (int l = 0; l < n; l++) H[k * n + l] += weight[i] * jk * J[(size_t)l * (size_t)m + (size_t)i];
            }
        for (int k = 0; k < n; k++)
            for (int l = 0; l < n; l++) meat[k * n + l] += g[k] * g[l];
    }
    bool ok = cases > n && invert(H, n);
    for (int k = 0; ok && k < n; k++) {
        double v = 0;
        for (int i = 0; i < n; i++)
            for (int l = 0; l < n; l++) v += H[k * n + i] * meat[i * n + l] * H[l * n + k];
        sd[k] = sqrt(v * cases / (cases - n));
    }
    free(H);
    return ok;
}

/* ---- the fit ---- */

static perp_status no_memory(const estimation *s, perp_refusal *why) {
    return pp_study_no_memory(s->e.study, "estimate", why);
}

static perp_fit_problem problem_of(estimation *s, double (*a)[PP_STUDY_NAMES]) {
    bool steps = false, prior = false;
    for (int k = 0; k < s->e.n; k++) {
        const pp_unknown *u = &s->e.unknown[k];
        a[0][k] = u->lower, a[1][k] = u->upper, a[2][k] = u->start, a[3][k] = u->prior_mean, a[4][k] = u->prior_sd;
        steps = steps || u->step > 0;
        prior = prior || isfinite(u->prior_sd);
    }
    return (perp_fit_problem){.n = s->e.n,
                              .m = s->e.m,
                              .lower = a[0],
                              .upper = a[1],
                              .start = a[2],
                              .prior_mean = prior ? a[3] : NULL,
                              .prior_sd = prior ? a[4] : NULL,
                              .residuals = residuals,
                              .jacobian = steps ? jacobian : NULL,
                              .ctx = s};
}

static perp_status profiles(estimation *s, const perp_fit_problem *p, const perp_fit_options *o, found *f,
                            perp_refusal *why) {
    perp_status st = PERP_OK;
    for (int k = 0; !st && k < s->e.n; k++) {
        perp_fit_profile_result r = {.count = 0};
        if (f->bound[k] || !isfinite(f->sd[k])) continue;
        st = perp_fit_profile(p, o, f->x, k, &r, why);
        f->lo[k] = r.lo;
        f->hi[k] = r.hi;
        f->evaluations += r.evaluations;
    }
    return st;
}

perp_status estimate_least_squares(estimation *s, const method *m, found *f, perp_refusal *why) {
    int n = s->e.n, rows = s->e.m;
    double bounds[5][PP_STUDY_NAMES], covariance[PP_STUDY_NAMES * PP_STUDY_NAMES],
        direction[PP_STUDY_NAMES * PP_STUDY_NAMES];
    f->correlation = malloc(sizeof *f->correlation * (size_t)(n * n));
    s->residual = malloc(sizeof *s->residual * (size_t)rows);
    double *weight = malloc(sizeof *weight * (size_t)rows), *J = NULL;
    if (!f->correlation || !s->residual || !weight) {
        free(weight);
        return no_memory(s, why);
    }
    perp_fit_problem p = problem_of(s, bounds);
    perp_fit_details d = {.sd = f->sd,
                          .sampling_sd = f->sampling_sd,
                          .correlation = f->correlation,
                          .bound = f->bound,
                          .direction = direction,
                          .residual = s->residual,
                          .weight = weight};
    perp_fit_options o = perp_fit_options_default();
    if (m->iterations) o.iterations = (int)m->iterations;
    o.loss = s->e.loss;
    o.loss_scale = s->e.loss_scale;
    o.starts = (int)m->starts;
    o.seed = (uint64_t)m->seed;
    o.noise_known = m->noise_known;
    o.details = &d;
    perp_fit_result r;
    perp_status st = perp_fit(&p, &o, f->x, covariance, &r, why);
    if (st) {
        free(weight);
        return st;
    }
    f->ok = r.converged;
    f->rough = r.rough;
    snprintf(f->why, sizeof f->why, "%s%s", f->ok ? "" : "not converged: ", r.reason ? r.reason : "");
    f->cost = r.cost, f->chi2 = r.chi2, f->dof = r.dof, f->evaluations = r.evaluations;
    f->ndirection = d.ndirection < 8 ? d.ndirection : 8;
    for (int i = 0; i < f->ndirection; i++) memcpy(f->direction[i], direction + i * n, sizeof *direction * (size_t)n);
    memcpy(f->row_sd, f->sd, sizeof f->sd);
    int fitted = 0;
    for (int i = 0; i < s->e.ncase; i++) fitted += s->e.cases[i].fit;
    if (m->errors ? !strcmp(m->errors, "cases") : fitted > 1) {
        J = malloc(sizeof *J * (size_t)n * (size_t)rows);
        if (!J) st = no_memory(s, why);
        if (!st && !jacobian(s, f->x, J)) st = PERP_E_STOPPED;
        f->by_case = !st && errors_by_case(s, J, s->residual, weight, f->sd);
        free(J);
    }
    o.details = NULL;
    if (!st && s->profile && !f->by_case) st = profiles(s, &p, &o, f, why);
    free(weight);
    s->fit = f;
    return st;
}

perp_status estimate_half(estimation *s, const method *m, found *f, perp_refusal *why) {
    int n = s->e.n;
    found *other = calloc(1, sizeof *other);
    double start[PP_STUDY_NAMES], *residual = s->residual;
    bool profile = s->profile;
    method once = *m;
    if (!other) return no_memory(s, why);
    once.starts = 0;
    for (int k = 0; k < n; k++) start[k] = s->e.unknown[k].start, s->e.unknown[k].start = f->x[k];
    s->residual = NULL, s->profile = false;
    pp_rollouts_refine(s->runs, 2);
    perp_status st = estimate_least_squares(s, &once, other, why);
    pp_rollouts_refine(s->runs, 1);
    for (int k = 0; k < n; k++) {
        s->e.unknown[k].start = start[k];
        f->half[k] = st ? NAN : other->x[k];
    }
    free(s->residual);
    s->residual = residual, s->profile = profile, s->fit = f;
    found_free(other);
    free(other);
    return st;
}

/* ---- predictions ---- */

/* Mean over rows, then over cases, of how far each quantity is off in cases that were not fitted. */
perp_status estimate_check(estimation *s, const found *f, perp_refusal *why) {
    const pp_estimate *e = &s->e;
    int total = 0, n = 0;
    for (int i = 0; i < e->ncase; i++)
        if (!e->cases[i].fit) total += e->cases[i].count, n++;
    if (n == 0) return PERP_OK;
    double *r = malloc(sizeof *r * (size_t)(total + 1)), square[PP_OBSERVED_MAX] = {0};
    if (!r) return no_memory(s, why);
    if (!pp_rollouts_residuals(s->runs, true, 1, f->x, r)) {
        free(r);
        return PERP_E_STOPPED;
    }
    for (int i = 0; i < e->ncase; i++) {
        const pp_case *c = &e->cases[i];
        if (c->fit || c->count == 0) continue;
        double sum[PP_OBSERVED_MAX] = {0};
        int count[PP_OBSERVED_MAX] = {0};
        const double *at = r + c->first;
        bool failed = isnan(at[0]);
        for (int row = 0; row < c->nrow && !failed; row++) {
            const double *y = c->y + (size_t)row * (size_t)e->columns;
            for (int k = 0; k < e->nobserved; k++) {
                const pp_observed *o = &e->observed[k];
                double size = 0;
                bool missing = isnan(y[0]);
                y += o->rotation ? 4 : 1;
                if (missing) continue;
                for (int j = 0; j < o->width; j++) size += at[j] * at[j];
                at += o->width;
                sum[k] += sqrt(size) * o->sd;
                count[k]++;
            }
        }
        s->check_failed += failed;
        if (failed) continue;
        s->checked++;
        for (int k = 0; k < e->nobserved; k++) {
            double mean = count[k] ? sum[k] / count[k] : 0;
            s->check_mean[k] += mean;
            square[k] += mean * mean;
        }
    }
    for (int k = 0; k < e->nobserved && s->checked; k++) {
        double c = s->checked, mean = s->check_mean[k] / c;
        s->check_mean[k] = mean;
        s->check_error[k] = c > 1 ? sqrt((square[k] - c * mean * mean) / (c - 1) / c) : NAN;
    }
    free(r);
    return PERP_OK;
}

void found_free(found *f) {
    free(f->correlation);
    free(f->t);
    free(f->mean);
    free(f->deviation);
    free(f->draws);
    f->correlation = f->t = f->mean = f->deviation = f->draws = NULL;
}
