/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* hyperbolic.c - hyperbolic sine, cosine, tangent
 * Method   from exp(|x|) with more than 60 bits; near zero, where its parts cancel, by series. */
#include <math.h>

#include "base/elementary.h"
#include "base/elementary_parts.h"

#define NEAR_ZERO 0.3
#define LARGE     40.0   /* exp(-x) is lost beside exp(x) */
#define TOO_LARGE 710.48 /* infinite */

/* sinh, |x| < NEAR_ZERO */
static pp_dd small_sine(double x) {
    const double z = x * x;
    const double series =
        1.0 / 6 +
        z * (1.0 / 120 + z * (1.0 / 5040 + z * (1.0 / 362880 + z * (1.0 / 39916800 + z * (1.0 / 6227020800.0)))));
    return pp_dd_fast(x, x * z * series);
}

static pp_dd small_cosine(double x) {
    const pp_dd square = pp_dd_product(x, x);
    const double z = square.hi;
    const double series = 1.0 / 24 + z * (1.0 / 720 + z * (1.0 / 40320 + z * (1.0 / 3628800 + z * (1.0 / 479001600))));
    const pp_dd front = pp_dd_fast(1, 0.5 * z);
    return pp_dd_fast(front.hi, front.lo + (0.5 * square.lo + z * z * series));
}

/* (exp(x) + sign exp(-x))/2 for x >= 0. */
static double half_sum(double x, double sign) {
    const pp_exp_parts e = pp_exp_dd((pp_dd){x, 0});
    if (x > LARGE) return pp_scale(e.value.hi, e.exponent - 1);
    const double up = pp_scale(1, e.exponent), down = pp_scale(sign, -e.exponent);
    const pp_dd other = pp_dd_div((pp_dd){1, 0}, e.value);
    return 0.5 * pp_dd_add((pp_dd){up * e.value.hi, up * e.value.lo}, (pp_dd){down * other.hi, down * other.lo}).hi;
}

double pp_sinh(double x) {
    const double size = fabs(x);
    if (!(size < INFINITY) || size < 0x1p-28) return x;
    if (size < NEAR_ZERO) return small_sine(x).hi;
    return copysign(size > TOO_LARGE ? INFINITY : half_sum(size, -1), x);
}

double pp_cosh(double x) {
    const double size = fabs(x);
    if (isnan(x)) return x;
    return size > TOO_LARGE ? INFINITY : half_sum(size, 1);
}

double pp_tanh(double x) {
    const double size = fabs(x);
    if (isnan(x) || size < 0x1p-28) return x;
    if (size < NEAR_ZERO) return pp_dd_div(small_sine(x), small_cosine(x)).hi;
    if (size > LARGE) return copysign(1, x);
    const pp_exp_parts e = pp_exp_dd((pp_dd){2 * size, 0});
    const double up = pp_scale(1, e.exponent);
    const pp_dd v = {up * e.value.hi, up * e.value.lo};
    return copysign(pp_dd_div(pp_dd_add(v, (pp_dd){-1, 0}), pp_dd_add(v, (pp_dd){1, 0})).hi, x);
}
