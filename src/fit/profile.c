/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* profile.c - the least cost as a function of one parameter, and the interval where it has risen by a given amount
 * Method   the parameter is fixed and the others are fitted, from the optimum of the neighbouring value. The ends of the interval: the
 *          root of sqrt(rise) - which is linear in the parameter where the cost is
 *          quadratic - by secants within a bracket.
 * Valid    intervals of a parameter whose cost is not quadratic (kinks, bounds, plateaus), where standard errors mislead. 95 % for
 *          normal noise of known size and rise 3.8415 (Wilks).
 * Cost     about 5 fits for each end, one for each value.
 * Source   Venzon, Moolgavkar, Appl. Statist. 37 (1988) 87; Raue et al., Bioinformatics 25 (2009) 1923. */
#include <math.h>
#include <string.h>

#include "fit/check.h"
#include "fit/fit.h"

#define RISE95     3.841458820694124 /* chi^2 with one degree of freedom */
#define FAR        1e3               /* scales: where an open side is given up */
#define ROOT_STEPS 40
#define ROOT_TOL   1e-4 /* of the distance from the optimum */
#define BEYOND     1.5  /* half intervals that the values cover */

typedef struct profile {
    perp_fit_problem p; /* with the parameter fixed */
    perp_fit_options o;
    const perp_fit_problem *given;
    int n, which, evaluations;
    double *lower, *upper, *x; /* n; the optimum of the last value */
    double *best;              /* n: the overall optimum */
    double least, base, rise;
    perp_refusal *why;
    perp_status status;
} profile;

/* Cost with the parameter at v, from the optimum of the last value. INFINITY where it cannot be evaluated. */
static double cost_at(profile *q, double v) {
    pp_fit f;
    pp_fit_end end = {.cost = INFINITY};
    q->lower[q->which] = q->upper[q->which] = q->x[q->which] = v;
    q->status = pp_fit_setup(&f, &q->p, &q->o, q->why);
    if (!q->status) {
        double *x = PP_ARENA_ZERO(&f.arena, double, q->n);
        q->status = x ? PERP_OK : pp_fit_memory(q->why);
        if (x) {
            memcpy(x, q->x, sizeof *x * (size_t)q->n);
            perp_status s = pp_fit_search(&f, x, &end);
            if (s == PERP_E_STOPPED) q->status = pp_fit_stopped(q->why);
            if (s == PERP_E_MEMORY) q->status = pp_fit_memory(q->why);
            if (!s) memcpy(q->x, x, sizeof *x * (size_t)q->n);
        }
    }
    q->evaluations += f.evaluations;
    pp_fit_free(&f);
    q->least = fmin(q->least, end.cost);
    return end.cost;
}

/* sqrt of the rise at v, less that at the end of the interval; -1 for a failure, which ends the search. */
static double excess(profile *q, double v) {
    double c = cost_at(q, v);
    return sqrt(fmax(0, c - q->base)) - sqrt(q->rise);
}

/* End of the interval on one side. step: first distance, with its sign. */
static double find_end(profile *q, double step, bool *open) {
    double x0 = q->best[q->which], in = x0, out, f_in = -sqrt(q->rise), f_out;
    double bound = step > 0 ? (q->given->upper ? q->given->upper[q->which] : INFINITY)
                            : (q->given->lower ? q->given->lower[q->which] : -INFINITY);
    double scale = q->p.scale[q->which];
    memcpy(q->x, q->best, sizeof *q->x * (size_t)q->n);
    *open = false;
    for (;;) { /* out to where it has risen enough */
        out = x0 + step;
        if (step > 0 ? out > bound : out < bound) out = bound;
        f_out = out == in ? -1 : excess(q, out);
        if (q->status) return NAN;
        if (f_out >= 0) break;
        if (out == bound || fabs(step) > FAR * scale) {
            *open = true;
            return out == bound ? bound : copysign(INFINITY, step);
        }
        in = out, f_in = f_out, step *= 2;
    }
    double last = 0; /* Illinois: a side that stays twice counts half */
    for (int k = 0; k < ROOT_STEPS && fabs(out - in) > ROOT_TOL * fabs(out - x0); k++) {
        double v = isfinite(f_out) ? in - f_in * (out - in) / (f_out - f_in) : 0.5 * (in + out), f = excess(q, v);
        if (q->status) return NAN;
        if (fabs(f) <= ROOT_TOL * sqrt(q->rise)) return v;
        if (f < 0) {
            in = v, f_in = f;
            if (last < 0 && isfinite(f_out)) f_out *= 0.5;
        } else {
            out = v, f_out = f;
            if (last > 0) f_in *= 0.5;
        }
        last = f;
    }
    return 0.5 * (in + out);
}

static void write_value(profile *q, perp_fit_profile_result *r, int i) {
    r->cost[i] = cost_at(q, r->value[i]);
    if (r->x) memcpy(r->x + (size_t)q->n * (size_t)i, q->x, sizeof *q->x * (size_t)q->n);
}

/* Values from the optimum outwards on both sides, each from its neighbour. */
static void fill_values(profile *q, perp_fit_profile_result *r, double sd) {
    int j = q->which, count = r->count;
    double x0 = q->best[j], wide = isfinite(sd) && sd > 0 ? 3 * sd : q->p.scale[j];
    double below = isfinite(r->lo) ? BEYOND * (x0 - r->lo) : wide,
           above = isfinite(r->hi) ? BEYOND * (r->hi - x0) : wide;
    double from = x0 - below, to = x0 + above;
    if (q->given->lower) from = fmax(from, q->given->lower[j]);
    if (q->given->upper) to = fmin(to, q->given->upper[j]);
    for (int i = 0; i < count; i++) r->value[i] = i == count - 1 ? to : from + (to - from) * i / (count - 1);
    int middle = 0;
    while (middle < count && r->value[middle] < x0) middle++;
    memcpy(q->x, q->best, sizeof *q->x * (size_t)q->n);
    for (int i = middle; i < count && !q->status; i++) write_value(q, r, i);
    memcpy(q->x, q->best, sizeof *q->x * (size_t)q->n);
    for (int i = middle - 1; i >= 0 && !q->status; i--) write_value(q, r, i);
}

/* Both ends and the values about the optimum. C: covariance there. */
static void run(profile *q, const double *C, double factor, perp_fit_profile_result *r) {
    int j = q->which;
    q->rise = (r->rise > 0 ? r->rise : RISE95) * factor;
    double sd = sqrt(C[j + q->n * j]);
    double step = isfinite(sd) && sd > 0 ? sd * sqrt(q->rise / factor) : 0.1 * q->p.scale[j];
    r->lo = find_end(q, -step, &r->lo_open);
    if (!q->status) r->hi = find_end(q, step, &r->hi_open);
    if (!q->status && r->count > 0) fill_values(q, r, sd);
    r->least = q->least;
}

perp_status perp_fit_profile(const perp_fit_problem *problem, const perp_fit_options *options, const double *x,
                             int which, perp_fit_profile_result *result, perp_refusal *why) {
    int n = problem->n;
    pp_fit f; /* at the optimum: base cost, scales, standard error */
    perp_status s = pp_fit_setup(&f, problem, options, why);
    if (!s && (which < 0 || which >= n)) s = pp_fit_bad(why, "which", -1, which, "the number of a parameter");
    if (!s && (result->count < 0 || result->count == 1))
        s = pp_fit_bad(why, "count", -1, result->count, "0, or at least 2");
    if (!s && !(result->rise >= 0 && isfinite(result->rise)))
        s = pp_fit_bad(why, "rise", -1, result->rise, "a number > 0");
    if (!s && pp_fit_fixed(&f, which))
        s = pp_fit_bad(why, "which", -1, which, "a parameter that is not fixed by its bounds");
    double *room = s ? NULL : PP_ARENA_ZERO(&f.arena, double, 4 * n);
    if (!s && !room) s = pp_fit_memory(why);
    pp_fit_information info = {0};
    double base = 0;
    if (!s && room) {
        memcpy(room, x, sizeof *x * (size_t)n);
        pp_fit_clip(&f, room);
        s = pp_fit_look(&f, room, &base, &info, why);
    }
    if (!s && room && info.covariance) {
        profile q = {
            .p = *problem, .o = f.o, .given = problem, .n = n, .which = which, .base = base, .least = base, .why = why};
        q.best = room, q.x = room + n, q.lower = room + 2 * n, q.upper = room + 3 * n;
        memcpy(q.lower, f.lower, sizeof *x * (size_t)n);
        memcpy(q.upper, f.upper, sizeof *x * (size_t)n);
        q.p.lower = q.lower, q.p.upper = q.upper, q.p.scale = f.scale, q.p.start = q.best;
        q.o.details = NULL;
        run(&q, info.covariance, info.factor, result);
        result->evaluations = f.evaluations + q.evaluations;
        s = q.status;
    }
    pp_fit_free(&f);
    return s;
}
