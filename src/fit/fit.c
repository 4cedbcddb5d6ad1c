/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fit.c - perp_fit: searches from one or more starts, the best of them, and the information of the data there. */
#include <math.h>
#include <string.h>

#include "fit/check.h"
#include "fit/fit.h"
#include "perp/random.h"

#define SAME_COST 1e-6 /* relative: two searches ended at the same optimum */

/* Start k > 0: from the prior, else between finite bounds, else normal about the given start with its scale. */
static void draw_start(const pp_fit *f, int k, double *x) {
    perp_random random = perp_random_start(perp_random_split(f->o.seed, (uint64_t)k));
    for (int j = 0; j < f->n; j++) {
        double sd = f->p->prior_sd ? f->p->prior_sd[j] : INFINITY;
        if (isfinite(sd))
            x[j] = f->p->prior_mean[j] + sd * perp_random_normal(&random);
        else if (isfinite(f->upper[j] - f->lower[j]))
            x[j] = perp_random_between(&random, f->lower[j], f->upper[j]);
        else
            x[j] = f->p->start[j] + f->scale[j] * perp_random_normal(&random);
    }
    pp_fit_clip(f, x);
}

perp_status pp_fit_run(pp_fit *f, double *x, pp_fit_end *end, int *agreeing, perp_refusal *why) {
    int n = f->n, starts = 1 + f->o.starts;
    double *at = PP_ARENA_ZERO(&f->arena, double, n), *costs = PP_ARENA_ZERO(&f->arena, double, starts);
    if (!at || !costs) return pp_fit_memory(why);
    *end = (pp_fit_end){.cost = INFINITY, .reason = "the residuals could not be evaluated at the start"};
    for (int k = 0; k < starts; k++) {
        pp_fit_end this;
        memcpy(at, f->p->start, sizeof *at * (size_t)n);
        if (k > 0) draw_start(f, k, at);
        perp_status s = pp_fit_search(f, at, &this);
        if (s == PERP_E_STOPPED) return pp_fit_stopped(why);
        if (s == PERP_E_MEMORY) return pp_fit_memory(why);
        costs[k] = this.cost;
        if (this.cost < end->cost) { /* a tie goes to the earlier start */
            *end = this;
            memcpy(x, at, sizeof *x * (size_t)n);
        }
    }
    if (!isfinite(end->cost))
        return pp_complain_say(why, PERP_E_SOLVE, (pp_location){0}, "start",
                               "the residuals are not finite at any of the %d starting points", starts);
    *agreeing = 0;
    for (int k = 0; k < starts; k++) *agreeing += costs[k] - end->cost <= SAME_COST * (end->cost + costs[k]);
    return PERP_OK;
}

/* C - C P C with P the prior's information: the part of the covariance that comes from the noise of the residuals. */
static double sampling_sd(const pp_fit *f, const pp_fit_information *q, int j) {
    const double *C = q->covariance + (size_t)f->n * (size_t)j;
    double v = C[j];
    for (int i = 0; f->p->prior_sd && i < f->n && isfinite(v); i++)
        if (C[i] != 0 && isfinite(f->p->prior_sd[i])) {
            double c = C[i] / f->p->prior_sd[i];
            v -= c * c / q->factor;
        }
    return sqrt(fmax(v, 0));
}

static void write_details(const pp_fit *f, const pp_fit_information *q, perp_fit_details *d) {
    int n = f->n;
    d->ndirection = q->ndirection;
    for (int j = 0; j < n; j++) {
        if (d->sd) d->sd[j] = sqrt(q->covariance[j + n * j]);
        if (d->sampling_sd) d->sampling_sd[j] = sampling_sd(f, q, j);
        if (d->bound) d->bound[j] = q->bound[j];
        if (d->difference_error) d->difference_error[j] = f->error[j];
        for (int i = 0; d->correlation && i < n; i++) {
            double v = q->covariance[i + n * i] * q->covariance[j + n * j];
            d->correlation[i + n * j] = i == j ? 1 : v > 0 && isfinite(v) ? q->covariance[i + n * j] / sqrt(v) : NAN;
        }
    }
    if (d->direction) memcpy(d->direction, q->direction, sizeof *d->direction * (size_t)n * (size_t)n);
    for (int i = 0; i < f->m; i++) {
        if (d->residual) d->residual[i] = f->r[i];
        if (d->weight) d->weight[i] = pp_loss_weight(f->loss, f->loss_scale, f->r[i]);
    }
}

static void write_result(const pp_fit *f, const pp_fit_end *end, const pp_fit_information *q, int agreeing,
                         perp_fit_result *out) {
    *out = (perp_fit_result){.cost = end->cost,
                             .dof = q->dof,
                             .rank = q->rank,
                             .iterations = f->iterations,
                             .evaluations = f->evaluations,
                             .converged = end->converged,
                             .reason = end->reason,
                             .agreeing = agreeing,
                             .rough = f->rough};
    for (int i = 0; i < f->m; i++) out->chi2 += f->r[i] * f->r[i];
    for (int j = 0; j < f->n; j++) out->difference_error = fmax(out->difference_error, f->error[j]);
}

perp_status pp_fit_look(pp_fit *f, const double *x, double *cost, pp_fit_information *q, perp_refusal *why) {
    if (!pp_fit_evaluate(f, 1, x, f->r)) return pp_fit_stopped(why);
    *cost = pp_fit_cost(f, x, f->r);
    if (!isfinite(*cost))
        return pp_complain_say(why, PERP_E_SOLVE, (pp_location){0}, "x", "the residuals are not finite at the optimum");
    bool ok = pp_fit_jacobian_checked(f, x, f->r, false);
    if (f->stopped) return pp_fit_stopped(why);
    if (f->no_memory) return pp_fit_memory(why);
    if (!ok)
        return pp_complain_say(why, PERP_E_SOLVE, (pp_location){0}, "",
                               "derivatives at the optimum could not be evaluated: points beside it fail");
    (void)pp_fit_smooth(f, x, *cost);
    if (f->stopped) return pp_fit_stopped(why);
    if (f->no_memory) return pp_fit_memory(why);
    return pp_fit_identify(f, x, *cost, q) ? pp_fit_memory(why) : PERP_OK;
}

perp_status perp_fit(const perp_fit_problem *problem, const perp_fit_options *options, double *x, double *covariance,
                     perp_fit_result *result, perp_refusal *why) {
    pp_fit f;
    pp_fit_end end = {0};
    pp_fit_information q = {0};
    int agreeing = 0;
    perp_status s = pp_fit_setup(&f, problem, options, why);
    if (!s) s = pp_fit_run(&f, x, &end, &agreeing, why);
    bool was_rough = f.rough;
    if (!s) s = pp_fit_look(&f, x, &end.cost, &q, why);
    /* found at the end that derivatives of the search missed something: again from there, with those that do not */
    if (!s && ((f.rough && !was_rough) || f.coupled)) {
        pp_fit_ungroup(&f);
        s = pp_fit_search(&f, x, &end);
        s = s == PERP_E_STOPPED ? pp_fit_stopped(why) : s == PERP_E_MEMORY ? pp_fit_memory(why) : PERP_OK;
        if (!s) s = pp_fit_look(&f, x, &end.cost, &q, why);
    }
    if (!s && q.covariance) {
        if (covariance) memcpy(covariance, q.covariance, sizeof *covariance * (size_t)f.n * (size_t)f.n);
        if (f.o.details) write_details(&f, &q, f.o.details);
        if (result) write_result(&f, &end, &q, agreeing, result);
    }
    pp_fit_free(&f);
    return s;
}
