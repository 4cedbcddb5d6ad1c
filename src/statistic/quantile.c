/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* quantile.c - Wilson's interval; normal, chi^2 and Student quantiles
 * Method   quantiles are roots of the distribution functions: a closed first guess (Abramowitz-Stegun 26.2.23 for the normal,
 *          Wilson-Hilferty for chi^2, the normal for Student), then Halley or Newton steps within a bracket. The smaller of p and
 *          1 - p is matched, relatively, so that tails keep their digits.
 * Valid    p in (0, 1), dof > 0. Relative error of a quantile about 1e-13.
 * Cost     a few evaluations of erfc, P or I.
 * Source   Wilson, J. Am. Stat. Assoc. 22 (1927) 209; Wilson, Hilferty, PNAS 17 (1931) 684; Abramowitz, Stegun, chapter 26;
 *          Brown, Cai, DasGupta, Statistical Science 16 (2001) on the interval. */
#include "statistic/statistic.h"

#include <float.h>
#include <math.h>

#include "base/elementary.h"

#define SQRT_HALF    0.70710678118654752440
#define SQRT_TWO_PI  2.50662827463100050242
#define NEWTON_STEPS 200 /* with bisection inside: a bracket of doubles is exhausted before */

double perp_normal_cdf(double x) { return 0.5 * pp_erfc(-x * SQRT_HALF); }

/* The x >= 0 above which lies the probability q <= 1/2. */
static double normal_upper(double q) {
    double t = sqrt(-2 * pp_log(q));
    double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int k = 0; k < 4; k++) { /* error 4.5e-4, cubed each time */
        double tail = 0.5 * pp_erfc(x * SQRT_HALF), density = pp_exp(-0.5 * x * x) / SQRT_TWO_PI;
        if (!(density > 0)) break; /* beyond 38 standard deviations: the guess is what there is */
        double step = (tail - q) / density;
        x += step / (1 - 0.5 * x * step);
    }
    return fmax(x, 0);
}

double perp_normal_quantile(double p) {
    if (!(p >= 0 && p <= 1)) return NAN;
    if (p == 0) return -INFINITY;
    if (p == 1) return INFINITY;
    return p <= 0.5 ? -normal_upper(p) : normal_upper(1 - p);
}

double perp_chi2_cdf(double x, double dof) {
    if (!(dof > 0) || isnan(x)) return NAN;
    double lower, upper;
    pp_gamma_regular(0.5 * dof, 0.5 * x, &lower, &upper);
    return lower;
}

/* Root of an increasing function of x > 0 by Newton's method in the bracket (lo, hi), bisection where it leaves it. */
typedef double (*rise)(double x, double dof, double p, double *slope); /* returns the excess over p */
static double find_root(rise f, double dof, double p, double x) {
    double lo = 0, hi = INFINITY;
    for (int k = 0; k < NEWTON_STEPS; k++) {
        double slope, excess = f(x, dof, p, &slope);
        if (excess == 0) break;
        if (excess > 0)
            hi = x;
        else
            lo = x;
        double next = x - excess / slope;
        if (!(next > lo && next < hi)) next = isinf(hi) ? 2 * x : lo > 0 ? 0.5 * (lo + hi) : hi / 16;
        double change = fabs(next - x);
        x = next;
        if (change <= 2 * DBL_EPSILON * x || x < DBL_MIN) break;
    }
    return x;
}

static double chi2_excess(double x, double dof, double p, double *slope) {
    double lower, upper, a = 0.5 * dof;
    pp_gamma_regular(a, 0.5 * x, &lower, &upper);
    *slope = 0.5 * pp_exp((a - 1) * pp_log(0.5 * x) - 0.5 * x - pp_log_gamma(a));
    return p < 0.5 ? lower - p : (1 - p) - upper;
}

double perp_chi2_quantile(double p, double dof) {
    if (!(p >= 0 && p <= 1) || !(dof > 0)) return NAN;
    if (p == 0) return 0;
    if (p == 1) return INFINITY;
    double c = 2 / (9 * dof), w = 1 - c + perp_normal_quantile(p) * sqrt(c), start = dof * w * w * w;
    double a = 0.5 * dof,
           small = 2 * pp_exp((pp_log(p) + pp_log_gamma(a + 1)) / a); /* P(a, x) ~ x^a/Gamma(a + 1) near 0 */
    if (!(start > 0) || small < 0.01 * dof) start = small;
    return find_root(chi2_excess, dof, p, fmax(start, DBL_MIN));
}

/* Probability above t >= 0. */
static double student_tail(double t, double dof) { return 0.5 * pp_beta_regular(0.5 * dof, 0.5, dof / (dof + t * t)); }

double perp_student_cdf(double t, double dof) {
    if (!(dof > 0) || isnan(t)) return NAN;
    if (isinf(dof)) return perp_normal_cdf(t);
    return t > 0 ? 1 - student_tail(t, dof) : student_tail(-t, dof);
}

static double student_excess(double t, double dof, double p, double *slope) {
    double half = 0.5 * (dof + 1);
    *slope = pp_exp(pp_log_gamma(half) - pp_log_gamma(0.5 * dof) - half * pp_log1p(t * t / dof)) /
             sqrt(dof * 3.14159265358979323846);
    return (1 - p) - student_tail(t, dof);
}

double perp_student_quantile(double p, double dof) {
    if (!(p >= 0 && p <= 1) || !(dof > 0)) return NAN;
    if (isinf(dof) || p == 0 || p == 1) return perp_normal_quantile(p);
    if (p == 0.5) return 0;
    if (p < 0.5) return -perp_student_quantile(1 - p, dof);
    return find_root(student_excess, dof, p, perp_normal_quantile(p));
}

perp_status perp_wilson(int64_t successes, int64_t trials, double confidence, double *lo, double *hi) {
    *lo = *hi = NAN;
    if (successes < 0 || successes > trials || !(confidence > 0 && confidence < 1)) return PERP_E_ARG;
    *lo = 0, *hi = 1;
    if (trials == 0) return PERP_OK;
    double n = (double)trials, p = (double)successes / n, z = perp_normal_quantile(0.5 + 0.5 * confidence);
    double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    if (successes > 0) *lo = fmax(0, middle - half); /* else exactly 0, which rounding would miss */
    if (successes < trials) *hi = fmin(1, middle + half);
    return PERP_OK;
}
