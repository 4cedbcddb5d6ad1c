/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* law.h - residuals of one bounded variable, lo <= z <= hi complementary to w.
 * Shared by the files of the judge. z and w have the same unit; the caller has scaled them. */
#ifndef PP_LAW_H
#define PP_LAW_H

#include <math.h>

#include "perp/problem.h"

#include "base/elementary.h"

/* Largest so far; a NaN counts as INFINITY and stays. */
static inline void pp_worsen(double *most, double r) {
    r = fabs(r);
    if (isnan(r)) r = INFINITY;
    if (r > *most) *most = r;
}

static inline double pp_clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

/* z - mid(lo, hi, z - w). For lo = 0, hi = INFINITY it is min(z, w). Written so that z - w is not rounded where it
 * need not be. */
static inline double pp_natural(double z, double w, double lo, double hi) {
    double below = z - lo, above = z - hi; /* mid(z - hi, w, z - lo) */
    if (isnan(z) || isnan(w)) return NAN;
    return pp_clamp(w, above, below);
}

/* a + b - sqrt(a^2 + b^2) of Fischer and Burmeister, zero exactly if a, b >= 0 and a b = 0. Without the difference of
 * near numbers where both are positive. */
static inline double pp_fischer(double a, double b) {
    double sum = a + b, root = pp_hypot(a, b);
    return sum > 0 ? 2 * a * (b / (sum + root)) : sum - root;
}

/* The same for two bounds, either of which may be missing: Billups (1995), chapter 3. */
static inline double pp_fischer_bounds(double z, double w, double lo, double hi) {
    if (hi < INFINITY) w = -pp_fischer(hi - z, -w);
    return lo > -INFINITY ? pp_fischer(z - lo, w) : w;
}

/* Adds the figures of one variable, all but the raw ones, to those of the others. */
static inline void pp_law_measure(double z, double w, double lo, double hi, perp_measures *m) {
    bool lower = lo > -INFINITY, upper = hi < INFINITY;
    pp_worsen(&m->natural, pp_natural(z, w, lo, hi));
    pp_worsen(&m->fischer, pp_fischer_bounds(z, w, lo, hi));
    /* the bound that the sign of w requires; if there is only one bound, that one; none for a free variable */
    double a = lower && (w >= 0 || !upper) ? z - lo : upper ? hi - z : 0;
    pp_worsen(&m->complementarity, a * w);
    if (z < lo) pp_worsen(&m->infeasible_z, lo - z);
    if (z > hi) pp_worsen(&m->infeasible_z, z - hi);
    if ((w < 0 && !upper) || (w > 0 && !lower)) pp_worsen(&m->infeasible_w, w);
}

/* Every figure INFINITY: something was not finite. */
static inline void pp_measures_lost(perp_measures *m) {
    *m = (perp_measures){INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY,
                         INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
}

static inline bool pp_all_finite(int n, const double *x) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

/* y += A x, and y += A'x. */
static inline void pp_add_product(const perp_sparse *A, const double *x, double *y) {
    for (int j = 0; j < A->cols; j++) {
        double a = x[j];
        if (a == 0) continue; /* open contacts cost nothing */
        for (int k = A->start[j]; k < A->start[j + 1]; k++) y[A->index[k]] += A->value[k] * a;
    }
}

static inline void pp_add_product_transposed(const perp_sparse *A, const double *x, double *y) {
    for (int j = 0; j < A->cols; j++) {
        double sum = 0;
        for (int k = A->start[j]; k < A->start[j + 1]; k++) sum += A->value[k] * x[A->index[k]];
        y[j] += sum;
    }
}

#endif
