/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* special.c - regularised incomplete gamma and beta functions
 *   P(a, x) = 1/Gamma(a) int_0^x t^(a-1) e^-t dt,   I_x(a, b) = 1/B(a, b) int_0^x t^(a-1) (1-t)^(b-1) dt
 * Method   P by its power series for x < a + 1, Q = 1 - P by its continued fraction otherwise; I by its continued fraction
 *          on the side of the mean where it converges fast. Fractions are summed by the modified Lentz method.
 *          ln Gamma by Stirling's series, own because C's lgamma writes a global variable.
 * Valid    a, b > 0. Relative error about 1e-14 for a up to 1e3; it grows as 1e-16 a ln a, because of ln Gamma.
 * Cost     about sqrt(a) terms, at most TERMS.
 * Source   Abramowitz, Stegun, 6.1.41, 6.5.29, 6.5.31, 26.5.8; Lentz, Applied Optics 15 (1976); Thompson, Barnett, J. Comp. Phys.
 *          64 (1986). */
#include "statistic/statistic.h"

#include <float.h>
#include <math.h>

#include "base/elementary.h"

#define TERMS          100000 /* enough for a = 1e8; reached by no argument that a study has */
#define STIRLING       8      /* eight terms of the series leave 1e-16 from here on */
#define HALF_LN_TWO_PI 0.91893853320467274178
#define TINY           1e-300 /* stands for a zero denominator in Lentz's method; far below any term */

double pp_log_gamma(double x) {
    double shift =
        1; /* Gamma(x) = Gamma(x + k)/(x (x + 1) ... (x + k - 1)): upwards until Stirling's series is exact */
    for (; x < STIRLING; x++) shift *= x;
    double r = 1 / (x * x);
    static const double c[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                               1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
    double series = 0;
    for (int k = 7; k >= 0; k--) series = c[k] + r * series;
    series /= x;
    return (x - 0.5) * pp_log(x) - x + HALF_LN_TWO_PI + series - pp_log(shift);
}

static double gamma_series(double a, double x) {
    double term = 1 / a, sum = term;
    for (int k = 1; k < TERMS; k++) {
        term *= x / (a + k);
        sum += term;
        if (term < sum * DBL_EPSILON / 4) break;
    }
    return sum;
}

static double away_from_zero(double x) { return fabs(x) < TINY ? TINY : x; }

/* 1/(x + 1 - a - 1 (1 - a)/(x + 3 - a - 2 (2 - a)/(x + 5 - a - ...))) */
static double gamma_fraction(double a, double x) {
    double b = x + 1 - a, c = 1 / TINY, d = 1 / away_from_zero(b), h = d;
    for (int k = 1; k < TERMS; k++) {
        double f = -k * (k - a);
        b += 2;
        d = 1 / away_from_zero(f * d + b);
        c = away_from_zero(b + f / c);
        double change = d * c;
        h *= change;
        if (fabs(change - 1) < DBL_EPSILON) break;
    }
    return h;
}

void pp_gamma_regular(double a, double x, double *lower, double *upper) {
    if (!(x > 0)) {
        *lower = 0, *upper = 1;
    } else if (isinf(x)) {
        *lower = 1, *upper = 0;
    } else {
        double front = pp_exp(a * pp_log(x) - x - pp_log_gamma(a));
        if (x < a + 1) {
            *lower = fmin(1, front * gamma_series(a, x));
            *upper = 1 - *lower;
        } else {
            *upper = fmin(1, front * gamma_fraction(a, x));
            *lower = 1 - *upper;
        }
    }
}

static double beta_fraction(double a, double b, double x) {
    double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), h = d;
    for (int k = 1; k < TERMS; k++) {
        double even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        h *= d * c;
        double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        double change = d * c;
        h *= change;
        if (fabs(change - 1) < DBL_EPSILON) break;
    }
    return h;
}

double pp_beta_regular(double a, double b, double x) {
    if (!(x > 0)) return 0;
    if (!(x < 1)) return 1;
    double front = pp_exp(pp_log_gamma(a + b) - pp_log_gamma(a) - pp_log_gamma(b) + a * pp_log(x) + b * pp_log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}
