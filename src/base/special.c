/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* special.c - roots, and functions of statistics and of volumes
 * Method   hypot: squares and their sum as pairs of numbers, one square root. cbrt: Newton's method, the last residual with a pair of numbers.
 *          tgamma: Stirling's series at x + n >= 24, divided by x (x + 1) ... (x + n - 1). erfc: the series of erf with positive terms below 2,
 *          the continued fraction above.
 * Source   Abramowitz, Stegun, Handbook of Mathematical Functions (1964), 6.1.40, 7.1.6, 7.1.14. */
#include <math.h>

#include "base/elementary.h"
#include "base/elementary_parts.h"

/* sqrt(a^2 + b^2), squares that are normal numbers. */
static inline double length(double a, double b) {
    const pp_dd p = pp_dd_square(a), q = pp_dd_square(b), s = pp_dd_sum(p.hi, q.hi);
    return sqrt(s.hi + (s.lo + (p.lo + q.lo)));
}

double pp_hypot(double x, double y) {
    double a = fabs(x), b = fabs(y), unit = 1;
    if (a > 0x1p-450 && a < 0x1p500 && b > 0x1p-450 && b < 0x1p500) return length(a, b);
    if (isinf(a) || isinf(b)) return INFINITY;
    if (isnan(a) || isnan(b)) return a + b;
    if (a < b) {
        const double t = a;
        a = b;
        b = t;
    }
    if (b <= a * 0x1p-54) return a; /* the square of b is lost beside that of a; both may be 0 */
    if (a > 0x1p500)
        a *= 0x1p-600, b *= 0x1p-600, unit = 0x1p600;
    else if (b < 0x1p-450)
        a *= 0x1p600, b *= 0x1p600, unit = 0x1p-600;
    return unit * length(a, b);
}

double pp_cbrt(double x) {
    if (x == 0 || !(fabs(x) < INFINITY)) return x;
    int e;
    double m = frexp(fabs(x), &e);
    while (e % 3 != 0) m *= 2, e--;
    double y = 0.46 + 0.55 * m - 0.085 * m * m; /* m in [1/2, 4): cube root within 15 % */
    y = m > 2 ? 0.95 + 0.16 * m : y;
    for (int k = 0; k < 5; k++) y -= (y * y * y - m) / (3 * y * y);
    const pp_dd cube = pp_dd_mul(pp_dd_product(y, y), (pp_dd){y, 0});
    y += ((m - cube.hi) - cube.lo) / (3 * y * y);
    return copysign(ldexp(y, e / 3), x);
}

#define STIRLING_FROM 24.0

double pp_tgamma(double x) {
    static const pp_dd half_log_two_pi = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};
    if (x == 0) return 1 / x;
    if (isnan(x) || x < 0) return NAN;
    if (x > 171.7) return INFINITY;
    if (x < 0x1p-1020) return 1 / x;
    pp_dd z = {x, 0}, product = {1, 0};
    for (double n = 1; z.hi < STIRLING_FROM; n++) {
        product = pp_dd_mul(product, z);
        z = pp_dd_sum(x, n);
    }
    const double w = 1 / z.hi, w2 = w * w;
    const double series =
        w * (1.0 / 12 - w2 * (1.0 / 360 -
                              w2 * (1.0 / 1260 -
                                    w2 * (1.0 / 1680 - w2 * (1.0 / 1188 - w2 * (691.0 / 360360 - w2 * (1.0 / 156)))))));
    pp_dd l = pp_dd_mul(pp_dd_add(z, (pp_dd){-0.5, 0}), pp_log_dd(z));
    l = pp_dd_add(pp_dd_add(l, pp_dd_negative(z)), half_log_two_pi);
    const pp_exp_parts e = pp_exp_dd(pp_dd_add(l, (pp_dd){series, 0}));
    return pp_scale(pp_dd_div(e.value, product).hi, e.exponent);
}

/* exp(-x^2) times a factor. */
static pp_exp_parts bell(double x, pp_dd factor) {
    pp_exp_parts e = pp_exp_dd(pp_dd_negative(pp_dd_product(x, x)));
    e.value = pp_dd_mul(e.value, factor);
    return e;
}

#define ERFC_SERIES_TO 2.0
#define ERFC_LEVELS    90 /* of the continued fraction: at x = 2 it has 2^-66 then */

/* erf(x), 0 <= x <= ERFC_SERIES_TO. */
static pp_dd erf_series(double x) {
    static const pp_dd two_per_root_pi = {0x1.20dd750429b6dp+0, 0x1.1ae3a914fed8p-56};
    const pp_dd square = pp_dd_product(x, x), twice = {2 * square.hi, 2 * square.lo};
    pp_dd term = {x, 0}, sum = term;
    for (double n = 3; term.hi > sum.hi * 0x1p-75; n += 2) {
        term = pp_dd_div(pp_dd_mul(term, twice), (pp_dd){n, 0});
        sum = pp_dd_add(sum, term);
    }
    const pp_exp_parts e = bell(x, pp_dd_mul(sum, two_per_root_pi));
    const double unit = pp_scale(1, e.exponent);
    return (pp_dd){unit * e.value.hi, unit * e.value.lo};
}

double pp_erfc(double x) {
    static const pp_dd per_root_pi = {0x1.20dd750429b6dp-1, 0x1.1ae3a914fed8p-57};
    const double size = fabs(x);
    if (isnan(x)) return x;
    if (size < 0x1p-56) return 1 - x;
    if (size <= ERFC_SERIES_TO) {
        const pp_dd f = erf_series(size);
        return pp_dd_add((pp_dd){1, 0}, x > 0 ? pp_dd_negative(f) : f).hi;
    }
    if (x > 28) return 0;
    if (x < -7) return 2;
    pp_dd level = {size, 0};
    for (int n = ERFC_LEVELS; n >= 1; n--) level = pp_dd_add((pp_dd){size, 0}, pp_dd_div((pp_dd){0.5 * n, 0}, level));
    const pp_exp_parts e = bell(size, pp_dd_div(per_root_pi, level));
    const double tail = pp_scale(e.value.hi, e.exponent);
    return x > 0 ? tail : 2 - tail;
}
