/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* functions.c - see functions.h. Between frames a series is the line from one to the next. Times that miss a frame, or an end
 * of the run, by rounding only (SLACK of the distance of frames) count as met. */
#include "measure/functions.h"

#include <math.h>
#include <stdio.h>

#include "base/elementary.h"

const char *const pp_function_names[PP_FN_N] = {
    "at",   "first",    "last",     "largest",   "smallest",        "maxabs",
    "mean", "total",    "integral", "count",     "time_of_largest", "time_of_smallest",
    "when", "quantile", "crossing", "parameter", "order",           "norm",
    "sum"};

/* Arguments, and whether the first is a text; all others are numbers. */
static const struct arguments {
    int least, most;
    bool text;
    const char *allowed;
} arguments[PP_FN_N] = {
#define SERIES_ONLY \
    { 1, 1, true, "(\"series\")" }
#define SERIES_NUMBER \
    { 2, 2, true, "(\"series\", number)" }
#define SERIES_RANGE \
    { 1, 3, true, "(\"series\") or (\"series\", from, to)" }
    [PP_FN_AT] = SERIES_NUMBER,
    [PP_FN_FIRST] = SERIES_ONLY,
    [PP_FN_LAST] = SERIES_ONLY,
    [PP_FN_LARGEST] = SERIES_RANGE,
    [PP_FN_SMALLEST] = SERIES_RANGE,
    [PP_FN_MAXABS] = SERIES_RANGE,
    [PP_FN_MEAN] = SERIES_RANGE,
    [PP_FN_TOTAL] = SERIES_RANGE,
    [PP_FN_INTEGRAL] = SERIES_RANGE,
    [PP_FN_COUNT] = SERIES_RANGE,
    [PP_FN_TIME_OF_LARGEST] = SERIES_RANGE,
    [PP_FN_TIME_OF_SMALLEST] = SERIES_RANGE,
    [PP_FN_WHEN] = SERIES_RANGE,
    [PP_FN_QUANTILE] = SERIES_NUMBER,
    [PP_FN_CROSSING] = SERIES_NUMBER,
    [PP_FN_PARAMETER] = SERIES_ONLY,
    [PP_FN_ORDER] = {2, 2, false, "(number, number)"},
    [PP_FN_NORM] = {1, 64, false, "numbers"},
    [PP_FN_SUM] = {3, 3, true, "(\"expression of k\", from, to)"}};

bool pp_function_fits(pp_function f, const pp_expr_arg *arg, int narg, char *why, size_t why_size) {
    const struct arguments *a = &arguments[f];
    bool fits = a->text == (narg > 0 && arg[0].text != NULL) && narg >= a->least && narg <= a->most;
    for (int k = 1; k < narg; k++) fits = fits && !arg[k].text;
    if (!fits) snprintf(why, why_size, "found other arguments of %s; allowed: %s", pp_function_names[f], a->allowed);
    return fits;
}

/* What still counts as the time of a frame. */
/* Part of the distance of frames. Times of frames are sums of h: after 12,000 steps they are off by 2e-8 h. */
#define SLACK 1e-6

static double slack_of(const pp_samples *s) {
    return SLACK * (s->n > 1 ? (s->time[s->n - 1] - s->time[0]) / (double)(s->n - 1) : 1);
}

bool pp_value_at(const pp_samples *s, double t, double *out) {
    const double *time = s->time, *y = s->y;
    uint64_t n = s->n;
    double slack = slack_of(s);
    if (!(t >= time[0] - slack && t <= time[n - 1] + slack)) return false;
    uint64_t k = 0, above = n; /* time[k] <= t < time[above], where these exist */
    while (above - k > 1) {
        uint64_t middle = k + (above - k) / 2;
        if (time[middle] <= t)
            k = middle;
        else
            above = middle;
    }
    if (k + 1 == n || t <= time[k] + slack) {
        *out = y[k];
    } else if (t >= time[k + 1] - slack) {
        *out = y[k + 1];
    } else {
        double part = (t - time[k]) / (time[k + 1] - time[k]);
        *out = (1 - part) * y[k] + part * y[k + 1];
    }
    return true;
}

/* First time at which the line between frames passes the level; NAN if it never does. */
static double crossing(const pp_samples *s, double level) {
    const double *time = s->time, *y = s->y;
    for (uint64_t k = 0; k < s->n; k++) {
        if (y[k] == level) return time[k];
        if (k + 1 < s->n && (y[k] - level) * (y[k + 1] - level) < 0)
            return time[k] + (level - y[k]) / (y[k + 1] - y[k]) * (time[k + 1] - time[k]);
    }
    return NAN;
}

/* Under the line between frames from `from` to `to`, which need not be times of frames: a window that were rounded to
 * frames would be wrong by a frame. NAN if the run does not cover it. */
static double integral(const pp_samples *s, double from, double to) {
    const double *time = s->time, *y = s->y;
    uint64_t n = s->n;
    double slack = slack_of(s), area = 0;
    if (from == -INFINITY) from = time[0];
    if (to == INFINITY) to = time[n - 1];
    if (!(from >= time[0] - slack && from <= to && to <= time[n - 1] + slack)) return NAN;
    for (uint64_t k = 0; k + 1 < n; k++) {
        double a = fmax(from, time[k]), b = fmin(to, time[k + 1]);
        if (!(a < b)) continue;
        double part = ((a + b) / 2 - time[k]) / (time[k + 1] - time[k]);
        area += (b - a) * ((1 - part) * y[k] + part * y[k + 1]);
    }
    return area;
}

double pp_aggregate_range(pp_function f, const pp_samples *s, double from, double to) {
    double slack = slack_of(s), best = NAN, best_t = NAN, sum = 0, when = NAN;
    uint64_t n = 0, set = 0;
    bool broken = false;
    for (uint64_t k = 0; k < s->n; k++) {
        double t = s->time[k], v = s->y[k];
        if (t < from - slack || t > to + slack) continue;
        if (isnan(v)) broken = true;
        double size = f == PP_FN_MAXABS ? fabs(v) : f == PP_FN_SMALLEST || f == PP_FN_TIME_OF_SMALLEST ? -v : v;
        if (n == 0 || size > best) {
            best = size;
            best_t = t;
        }
        sum += v;
        if (v != 0) {
            if (set == 0) when = t;
            set++;
        }
        n++;
    }
    if (f == PP_FN_COUNT) return (double)set;
    if (f == PP_FN_WHEN) return when;
    if (broken || n == 0) return NAN;
    if (f == PP_FN_MEAN) return sum / (double)n;
    if (f == PP_FN_TOTAL) return sum;
    if (f == PP_FN_TIME_OF_LARGEST || f == PP_FN_TIME_OF_SMALLEST) return best_t;
    return f == PP_FN_SMALLEST ? -best : best;
}

/* Moves x[i] down to its place in a heap of n with the largest on top. */
static void sift(double *x, uint64_t i, uint64_t n) {
    double v = x[i];
    for (uint64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && x[child + 1] > x[child]) child++;
        if (!(x[child] > v)) break;
        x[i] = x[child];
    }
    x[i] = v;
}

/* Heap sort (Williams 1964): qsort() of the C library may allocate. */
static void put_in_order(double *x, uint64_t n) {
    for (uint64_t i = n / 2; i-- > 0;) sift(x, i, n);
    for (uint64_t last = n; last-- > 1;) {
        double v = x[0];
        x[0] = x[last];
        x[last] = v;
        sift(x, 0, last);
    }
}

double pp_quantile(double *x, uint64_t n, double part) {
    if (n == 0) return NAN;
    for (uint64_t i = 0; i < n; i++)
        if (isnan(x[i])) return NAN;
    put_in_order(x, n);
    double last = (double)(n - 1), at = fmin(fmax(part, 0), 1) * last;
    uint64_t k = at >= last ? n - 1 : (uint64_t)at;
    return k == n - 1 ? x[k] : x[k] + (at - (double)k) * (x[k + 1] - x[k]);
}

bool pp_function_apply(pp_function f, const pp_samples *s, const pp_expr_arg *arg, int narg, double *room,
                       double *out) {
    double from = narg > 1 ? arg[1].number : -INFINITY, to = narg > 2 ? arg[2].number : INFINITY;
    switch (f) {
    case PP_FN_AT: return pp_value_at(s, arg[1].number, out);
    case PP_FN_FIRST: *out = s->y[0]; return true;
    case PP_FN_LAST: *out = s->y[s->n - 1]; return true;
    case PP_FN_CROSSING: *out = crossing(s, arg[1].number); return true;
    case PP_FN_INTEGRAL: *out = integral(s, from, to); return true;
    case PP_FN_QUANTILE:
        for (uint64_t i = 0; i < s->n; i++) room[i] = s->y[i];
        *out = pp_quantile(room, s->n, arg[1].number);
        return true;
    default: *out = pp_aggregate_range(f, s, from, to); return true;
    }
}

bool pp_norm(const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size) {
    *out = 0;
    for (int k = 0; k < narg; k++) {
        if (arg[k].text) {
            snprintf(why, why_size, "found a text in norm; allowed: numbers");
            return false;
        }
        *out = pp_hypot(*out, arg[k].number);
    }
    return true;
}

bool pp_sum_bounds(const pp_expr_arg *arg, double *from, double *to, char *why, size_t why_size) {
    enum { TERMS_MAX = 1000000 }; /* more would be a mistake: an evaluation takes about a second then */
    double bound[2];
    for (int k = 0; k < 2; k++) {
        double x = arg[1 + k].number;
        bound[k] = round(x);
        if (fabs(x - bound[k]) <= 1e-9 * fmax(1, fabs(x))) continue; /* not so for NaN and inf - inf */
        snprintf(why, why_size, "found sum from %g to %g; allowed: whole numbers", arg[1].number, arg[2].number);
        return false;
    }
    if (!(bound[1] - bound[0] < TERMS_MAX)) {
        snprintf(why, why_size, "found sum from %g to %g; allowed: at most %d terms", bound[0], bound[1], TERMS_MAX);
        return false;
    }
    *from = bound[0];
    *to = bound[1];
    return true;
}
