/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* evaluate.c - the values of points: calling back, the limit, what is best, and where points may lie.
 *
 * Ranking  feasible points by f; then infeasible ones by the sum of the positive g_j; then those that failed. */
#include "search/search.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A restart must lower f by this fraction of |f| to count as progress. Well above rounding errors of f and well below
 * any improvement that is worth a restart. */
#define RESTART_GAIN  1e-8
#define IDLE_RESTARTS 2 /* restarts without gain, one with steps upwards and one downwards: no more are made */

/* Makes f, v of one point out of what the caller returned. */
static void judge(int m, double *f, const double *g, double *v) {
    bool ok = isfinite(*f) != 0;
    double sum = 0;
    for (int j = 0; j < m; j++) {
        if (!isfinite(g[j])) ok = false;
        if (g[j] > 0) sum += g[j];
    }
    if (!ok) *f = NAN;
    *v = !ok ? INFINITY : sum > DBL_MAX ? DBL_MAX : sum;
}

bool pp_search_better(double f, double v, double f2, double v2) {
    if (isnan(f)) return false;
    if (isnan(f2)) return true;
    return v < v2 || (v == v2 && f < f2);
}

bool pp_search_values(pp_search *s, int count, const double *x, double *f, double *g, double *v) {
    if (s->end != PP_SEARCH_GOES_ON) return false;
    int left = s->o.evaluations - s->evaluations, ask = count < left ? count : left;
    if (ask > 0) {
        /* NAN: a value that the callback does not write must not be taken from an earlier point. */
        for (int k = 0; k < ask; k++) f[k] = NAN;
        for (int k = 0; k < ask * s->m; k++) g[k] = NAN;
        if (!s->p->values(s->p->ctx, ask, x, f, s->m > 0 ? g : NULL)) {
            s->end = PP_SEARCH_STOPPED;
            return false;
        }
        s->evaluations += ask;
    }
    for (int k = 0; k < ask; k++) {
        const double *gk = s->m > 0 ? g + (size_t)k * (size_t)s->m : NULL;
        judge(s->m, &f[k], gk, &v[k]);
        if (pp_search_better(f[k], v[k], s->best_f, s->best_violation)) {
            s->best_f = f[k];
            s->best_violation = v[k];
            memcpy(s->best_x, x + (size_t)k * (size_t)s->n, (size_t)s->n * sizeof *x);
            if (gk) memcpy(s->best_g, gk, (size_t)s->m * sizeof *gk);
        }
    }
    if (ask < count) s->end = PP_SEARCH_EVALUATIONS;
    return ask == count;
}

double pp_search_project(const pp_search *s, int i, double x) {
    const double lo = s->p->lower[i], hi = s->p->upper[i];
    return x > lo ? (x < hi ? x : hi) : lo; /* a NAN becomes lo */
}

double pp_search_mirror(const pp_search *s, int i, double x) {
    const double lo = s->p->lower[i], hi = s->p->upper[i], range = hi - lo;
    if (x >= lo && x <= hi) return x;
    double t = fmod(fabs(x - lo), 2 * range); /* the mirror image at lo has the same distance from lo */
    return pp_search_project(s, i, lo + (t > range ? 2 * range - t : t));
}

void pp_search_simplex(const pp_search *s, const double *around, bool up, double *x) {
    const int n = s->n;
    for (int k = 0; k <= n; k++) memcpy(x + (size_t)k * (size_t)n, around, (size_t)n * sizeof *x);
    for (int i = 0; i < n; i++) {
        double h = up ? s->step[i] : -s->step[i];
        if (around[i] + h > s->p->upper[i] || around[i] + h < s->p->lower[i]) h = -h;
        x[(size_t)(i + 1) * (size_t)n + (size_t)i] = pp_search_project(s, i, around[i] + h);
    }
}

/* Did the best point improve on (f, v)? */
static bool gained(const pp_search *s, double f, double v) {
    if (!pp_search_better(s->best_f, s->best_violation, f, v)) return false;
    if (isnan(f)) return true;
    if (s->best_violation < v) return s->best_violation <= 0 || v - s->best_violation > RESTART_GAIN * v;
    return f - s->best_f > s->o.f_tolerance + RESTART_GAIN * fabs(f);
}

bool pp_search_again(pp_search *s, pp_search_runs *r) {
    r->idle = gained(s, r->f, r->v) ? 0 : r->idle + 1;
    if (s->restarts >= s->o.restarts || r->idle >= IDLE_RESTARTS) return false;
    r->f = s->best_f;
    r->v = s->best_violation;
    s->restarts++;
    return true;
}
