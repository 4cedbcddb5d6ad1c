/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* posterior.c - samples of the posterior for perp estimate: the density is exp(-cost/2), with the loss and the priors of the study and
 * flat within the bounds where there is none. With a robust loss this is a posterior for noise of that density, rho(r)/2 = -ln p(r) + constant. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/fit.h"
#include "measure/functions.h"
#include "estimate/estimation.h"

#define CONFIDENCE 0.95 /* of the intervals */
#define FROM_FIT   4    /* walkers that begin at a fit, with its spread, need this part of the steps to forget */
#define SHRINK     0.99 /* correlations are multiplied by this, so that rounding leaves the covariance positive definite */
#define SPREAD     0.01 /* part of the bounds or of the size, for the first positions where nothing else is known */

static bool log_density(void *ctx, int count, const double *x, double *out) {
    estimation *s = ctx;
    int n = s->e.n, m = s->e.m;
    double *r = malloc(sizeof *r * (size_t)count * (size_t)m), scale = s->e.loss_scale;
    pp_loss loss = PP_LOSS_SQUARE;
    (void)pp_loss_find(s->e.loss, &loss, &scale);
    if (!r || !pp_rollouts_residuals(s->runs, false, count, x, r)) {
        free(r);
        return false;
    }
    for (int i = 0; i < count; i++) {
        double sum = 0;
        for (int k = 0; k < m; k++) sum += pp_loss_value(loss, scale, r[(size_t)i * (size_t)m + (size_t)k]);
        for (int k = 0; k < n; k++) {
            const pp_unknown *u = &s->e.unknown[k];
            double d = (x[i * n + k] - u->prior_mean) / u->prior_sd;
            if (isfinite(u->prior_sd)) sum += d * d;
        }
        out[i] = -sum / 2;
    }
    free(r);
    return true;
}

/* From the 2.5 % quantile of the draws to the 97.5 % quantile. */
static void intervals(const estimation *s, found *f) {
    int n = s->e.n;
    double *v = malloc(sizeof *v * (size_t)(f->ndraw + 1));
    for (int k = 0; v && k < n; k++) {
        for (int i = 0; i < f->ndraw; i++) v[i] = f->draws[i * n + k];
        f->lo[k] = pp_quantile(v, (uint64_t)f->ndraw, (1 - CONFIDENCE) / 2);
        f->hi[k] = pp_quantile(v, (uint64_t)f->ndraw, (1 + CONFIDENCE) / 2);
    }
    free(v);
}

perp_status estimate_posterior(estimation *s, const method *m, found *f, perp_refusal *why) {
    int n = s->e.n;
    double lower[PP_STUDY_NAMES], upper[PP_STUDY_NAMES], start[PP_STUDY_NAMES],
        C[PP_STUDY_NAMES * PP_STUDY_NAMES] = {0};
    for (int k = 0; k < n; k++) {
        const pp_unknown *u = &s->e.unknown[k];
        lower[k] = u->lower, upper[k] = u->upper;
        start[k] = s->fit ? s->fit->x[k] : u->start;
        bool known = s->fit && isfinite(s->fit->row_sd[k]) && s->fit->row_sd[k] > 0;
        double sd = known                                      ? s->fit->row_sd[k]
                    : isfinite(u->prior_sd)                    ? u->prior_sd
                    : isfinite(u->upper) && isfinite(u->lower) ? SPREAD * (u->upper - u->lower)
                                                               : SPREAD * (1 + fabs(start[k]));
        C[k * n + k] = sd * sd;
    }
    const double *correlation = s->fit ? s->fit->correlation : NULL; /* walkers begin spread as the fit says */
    for (int k = 0; correlation && k < n; k++)
        for (int l = 0; l < n; l++)
            if (l != k && isfinite(correlation[k + l * n]))
                C[k * n + l] = SHRINK * correlation[k + l * n] * sqrt(C[k * n + k] * C[l * n + l]);
    perp_sample_problem p = {.n = n, .lower = lower, .upper = upper, .log_density = log_density, .ctx = s};
    perp_sample_options o = {.walkers = (int)m->walkers,
                             .burn_in =
                                 m->burn_in || !s->fit ? (int)m->burn_in : (int)(m->steps ? m->steps : 1000) / FROM_FIT,
                             .steps = (int)m->steps,
                             .seed = (uint64_t)m->seed,
                             .start = start,
                             .covariance = C};
    double covariance[PP_STUDY_NAMES * PP_STUDY_NAMES];
    f->ndraw = perp_sample_count(&p, &o);
    f->draws = malloc(sizeof *f->draws * (size_t)(f->ndraw * n + 1));
    perp_sample_result r = {.mean = f->x, .covariance = covariance, .effective = f->effective, .r_hat = f->r_hat};
    if (!f->draws) return pp_study_no_memory(s->e.study, "estimate", why);
    perp_status st = perp_sample_posterior(&p, &o, f->draws, &r, why);
    if (st) return st;
    double worst = 0, least = INFINITY;
    for (int k = 0; k < n; k++) {
        least = fmin(least, f->effective[k]);
        f->sd[k] = sqrt(covariance[k * n + k]);
        worst = f->r_hat[k] > worst ? f->r_hat[k] : worst;
    }
    intervals(s, f);
    f->evaluations = r.evaluations;
    f->ok = worst < 1.05;
    snprintf(f->why, sizeof f->why, "%d draws worth %.0f independent ones, acceptance %.2f, split R-hat at most %.3f%s",
             f->ndraw, least, r.acceptance, worst, f->ok ? "" : ": not converged, take more steps");
    return PERP_OK;
}
