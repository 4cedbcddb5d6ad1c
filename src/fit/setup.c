/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* setup.c - a fit's problem and options checked, defaults filled in, memory taken; residuals called and costs summed. */
#include <math.h>
#include <string.h>

#include "fit/check.h"
#include "fit/fit.h"

#define ITERATIONS 200
#define TOLERANCE  1e-8
#define DIFFERENCE 1e-6 /* residuals are exact to rounding, 1e-16: derivatives to 1e-10, and few kinks lie within */

perp_fit_options perp_fit_options_default(void) {
    return (perp_fit_options){.iterations = ITERATIONS,
                              .tolerance = TOLERANCE,
                              .difference = DIFFERENCE,
                              .loss = "square",
                              .noise_known = true};
}

static perp_status check_problem(const perp_fit_problem *p, perp_refusal *why) {
    if (p->n < 1) return pp_fit_bad(why, "n", -1, p->n, "at least one parameter");
    if (p->m < 0) return pp_fit_bad(why, "m", -1, p->m, "a count of residuals");
    if ((double)p->n * (p->m + (double)p->n) > 0.5 * PP_FIT_MOST)
        return pp_fit_bad(why, "n * m", -1, (double)p->n * p->m, "a Jacobian of at most 2e8 numbers");
    if (!p->residuals || !p->start)
        return pp_complain_say(why, PERP_E_ARG, (pp_location){0}, p->start ? "residuals" : "start", "is missing");
    perp_status s = pp_fit_check_bounds(p->n, p->lower, p->upper, why);
    if (!s) s = pp_fit_check_finite(p->n, p->start, "start", false, why);
    if (!s) s = pp_fit_check_finite(p->n, p->scale, "scale", true, why);
    if (!s) s = pp_fit_check_prior(p->n, p->prior_mean, p->prior_sd, why);
    return s;
}

static perp_status check_options(pp_fit *f, perp_refusal *why) {
    perp_fit_options *o = &f->o;
    if (!o->iterations) o->iterations = ITERATIONS;
    if (o->tolerance == 0) o->tolerance = TOLERANCE;
    if (o->difference == 0) o->difference = DIFFERENCE;
    f->loss_scale = o->loss_scale;
    if (o->iterations < 1) return pp_fit_bad(why, "iterations", -1, o->iterations, "at least 1");
    if (!(o->tolerance > 0 && o->tolerance < 1))
        return pp_fit_bad(why, "tolerance", -1, o->tolerance, "0 < number < 1");
    if (!(o->difference > 0 && o->difference < 1))
        return pp_fit_bad(why, "difference", -1, o->difference, "0 < number < 1");
    if (!(o->loss_scale >= 0 && isfinite(o->loss_scale)))
        return pp_fit_bad(why, "loss_scale", -1, o->loss_scale, "a number > 0");
    if (o->starts < 0 || o->starts > 1000000) return pp_fit_bad(why, "starts", -1, o->starts, "0 to 1000000");
    if (!pp_loss_find(o->loss, &f->loss, &f->loss_scale))
        return pp_complain(why, PERP_E_ARG, (pp_location){0}, "loss", o->loss, "square, huber, cauchy, tukey");
    return PERP_OK;
}

/* Typical size of a parameter where none is given: the start, but between a tenth of the range and the range; about 0 without a
 * range, the prior's s.d., else 1. */
static double guess_scale(const pp_fit *f, int j) {
    double size = fabs(f->p->start[j]), range = f->upper[j] - f->lower[j];
    double sd = f->p->prior_sd ? f->p->prior_sd[j] : INFINITY;
    if (isfinite(range) && range > 0) return fmin(fmax(size, 0.1 * range), range);
    if (size > 0) return size;
    return isfinite(sd) ? sd : 1;
}

static bool take_memory(pp_fit *f) {
    pp_arena *a = &f->arena;
    int n = f->n;
    size_t nn = (size_t)n, mm = (size_t)f->m + 1;
    bool ok = true;
#define TAKE(to, count) ok = ok && ((to) = pp_arena_zero(a, sizeof *(to) * (count)))
    TAKE(f->lower, nn);
    TAKE(f->upper, nn);
    TAKE(f->scale, nn);
    TAKE(f->difference, nn);
    TAKE(f->points, (size_t)pp_fit_batch(n) * nn);
    TAKE(f->values, (size_t)pp_fit_batch(n) * mm);
    TAKE(f->r, mm);
    TAKE(f->trial_r, mm);
    TAKE(f->J, nn * mm);
    TAKE(f->J_half, nn * mm);
    TAKE(f->g, nn);
    TAKE(f->B, nn * nn);
    TAKE(f->d, nn);
    TAKE(f->trial, 3 * nn);
    TAKE(f->error, nn);
    TAKE(f->qp, pp_box_qp_work(n));
    TAKE(f->side, nn);
    TAKE(f->group, nn);
    TAKE(f->pattern, (nn + 1) * mm);
    TAKE(f->wanted, 2 * nn);
    TAKE(f->flat, nn);
#undef TAKE
    return ok;
}

perp_status pp_fit_setup(pp_fit *f, const perp_fit_problem *p, const perp_fit_options *o, perp_refusal *why) {
    *f = (pp_fit){.p = p, .n = p->n, .m = p->m, .o = o ? *o : perp_fit_options_default()};
    pp_arena_init(&f->arena, f->o.alloc);
    perp_status s = check_problem(p, why);
    if (!s) s = check_options(f, why);
    if (s) return s;
    if (!take_memory(f)) return pp_fit_memory(why);
    for (int j = 0; j < f->n; j++) {
        f->lower[j] = p->lower ? p->lower[j] : -INFINITY;
        f->upper[j] = p->upper ? p->upper[j] : INFINITY;
        f->scale[j] = p->scale ? p->scale[j] : guess_scale(f, j);
        f->difference[j] = f->o.difference;
    }
    pp_fit_ungroup(f);
    return PERP_OK;
}

void pp_fit_free(pp_fit *f) { pp_arena_free(&f->arena); }

void pp_fit_clip(const pp_fit *f, double *x) {
    for (int j = 0; j < f->n; j++) x[j] = x[j] < f->lower[j] ? f->lower[j] : x[j] > f->upper[j] ? f->upper[j] : x[j];
}

bool pp_fit_evaluate(pp_fit *f, int count, const double *x, double *r) {
    f->evaluations += count;
    if (!f->p->residuals(f->p->ctx, count, x, r)) f->stopped = true;
    return !f->stopped;
}

double pp_fit_cost(const pp_fit *f, const double *x, const double *r) {
    double sum = 0;
    for (int i = 0; i < f->m; i++) sum += pp_loss_value(f->loss, f->loss_scale, r[i]);
    for (int j = 0; f->p->prior_sd && j < f->n; j++) {
        double sd = f->p->prior_sd[j], z = (x[j] - f->p->prior_mean[j]) / sd;
        if (isfinite(sd)) sum += z * z;
    }
    if (f->loss == PP_LOSS_TUKEY) /* a constant far out, also for what is not finite */
        for (int i = 0; i < f->m; i++)
            if (!isfinite(r[i])) return INFINITY;
    return isfinite(sum) ? sum : INFINITY;
}
