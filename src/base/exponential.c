/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* exponential.c - exponential, logarithm, power
 * Method   exp: x = k ln2/64 + r, |r| <= ln2/128; 2^(k/64) from a table, exp(r) by its series.
 *          log: x = 2^e m, m in [1/sqrt2, sqrt2]; m c = 1 + r with c of ten bits from a table, |r| < 2^-7, exactly; log(1 + r) by its series.
 *          pow: exp(y log x) with pairs of numbers throughout.
 * Source   Tang, ACM TOMS 15 (1989) 144 and 16 (1990) 378. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/elementary.h"
#include "base/elementary_parts.h"
#include "base/elementary_tables.h"

static const double ln2_high = 0x1.62e42fefa2p-1, ln2_low = 0x1.9ef35793c7673p-41;  /* ln 2; the first has 40 bits */
static const double step_high = 0x1.62e42fef8p-7, step_low = 0x1.1cf79abc9e3b4p-42; /* ln 2/64; 34 bits */
static const double steps_per_unit = 0x1.71547652b82fep+6;                          /* 64/ln 2 */
static const pp_dd ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const pp_dd per_ln2 = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
static const pp_dd per_ln10 = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};

#define EXP_OVERFLOW  709.79  /* exp() of more is infinite */
#define EXP_UNDERFLOW -745.14 /* of less: 0 */

double pp_scale(double x, int k) {
    while (k > 1000) x *= 0x1p1000, k -= 1000;
    if (k < -1000) { /* in two factors, of which only the last may round */
        x *= 0x1p-900;
        k = k < -1900 ? -1000 : k + 900;
    }
    const uint64_t bits = (uint64_t)(1023 + k) << 52;
    double factor;
    memcpy(&factor, &bits, sizeof factor);
    return x * factor;
}

/* 2^(k/64) exp(r), |r.hi| <= 0.0055. */
static pp_exp_parts from_table(int k, pp_dd r) {
    const double x = r.hi, x2 = x * x;
    const double tail =
        x2 * (0.5 + x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120 + x * (1.0 / 720 + x * (1.0 / 5040))))));
    const pp_dd e = pp_dd_fast(x, r.lo + tail); /* exp(r) - 1 */
    const int j = k & (PP_EXP_PARTS - 1);
    const pp_dd t = pp_exp_table[j], p = pp_dd_mul(t, e);
    pp_dd v = pp_dd_fast(t.hi, p.hi);
    v = pp_dd_fast(v.hi, v.lo + (t.lo + p.lo));
    return (pp_exp_parts){v, (k - j) / PP_EXP_PARTS};
}

pp_exp_parts pp_exp_dd(pp_dd x) {
    const double k = floor(x.hi * steps_per_unit + 0.5);
    const double rest = x.hi - k * step_high; /* exact: k has 18 bits, the step 34 */
    const pp_dd r = pp_dd_sum(rest, -k * step_low);
    return from_table((int)k, pp_dd_fast(r.hi, r.lo + x.lo));
}

static double whole(pp_exp_parts e) { return pp_scale(e.value.hi, e.exponent); }

double pp_exp(double x) {
    if (!(x < EXP_OVERFLOW)) return x >= EXP_OVERFLOW ? INFINITY : x; /* NaN: itself */
    if (x < EXP_UNDERFLOW) return 0;
    if (fabs(x) < 0x1p-54) return 1 + x;
    return whole(pp_exp_dd((pp_dd){x, 0}));
}

double pp_exp2(double x) {
    if (!(x < 1024)) return x >= 1024 ? INFINITY : x;
    if (x < -1075) return 0;
    if (fabs(x) < 0x1p-54) return 1 + x;
    const double k = floor(x * PP_EXP_PARTS + 0.5);
    const pp_dd r = pp_dd_mul((pp_dd){x - k / PP_EXP_PARTS, 0}, ln2);
    return whole(from_table((int)k, r));
}

pp_dd pp_log_dd(pp_dd x) {
    uint64_t bits;
    memcpy(&bits, &x.hi, sizeof bits);
    int e = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffULL) | (uint64_t)1023 << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) m *= 0.5, e++;
    const double low = x.lo != 0 ? pp_scale(x.lo, -e) : 0;
    const int j = (int)(m * PP_LOG_PARTS + 0.5) - PP_LOG_FIRST;
    const double c = pp_log_table[j].inverse;
    const pp_dd l = pp_log_table[j].log;
    const double front =
        (m + 134217728.0 * 2) - 134217728.0 * 2; /* m to 24 bits behind the point: both products are exact */
    const pp_dd r = pp_dd_sum(front * c - 1, (m - front) * c);
    const double rl = r.lo + low * c, x1 = r.hi;
    const pp_dd square = pp_dd_product(x1, x1);
    const double tail =
        x1 * x1 * x1 *
        (1.0 / 3 -
         x1 * (1.0 / 4 -
               x1 * (1.0 / 5 -
                     x1 * (1.0 / 6 - x1 * (1.0 / 7 - x1 * (1.0 / 8 - x1 * (1.0 / 9 - x1 * (1.0 / 10 - x1 / 11))))))));
    pp_dd s = pp_dd_fast(x1, -0.5 * square.hi); /* log(1 + r) */
    s = pp_dd_fast(s.hi, s.lo + ((rl - x1 * rl) - 0.5 * square.lo + tail));
    const double k = e;
    const pp_dd big = pp_dd_sum(k * ln2_high, l.hi), sum = pp_dd_sum(big.hi, s.hi);
    return pp_dd_fast(sum.hi, sum.lo + (big.lo + (k * ln2_low + (l.lo + s.lo))));
}

/* log x for x > 0, finite. */
static pp_dd log_of(double x) {
    if (x >= 0x1p-1022) return pp_log_dd((pp_dd){x, 0});
    pp_dd l = pp_log_dd((pp_dd){x * 0x1p100, 0});
    return pp_dd_add(l, (pp_dd){-100 * ln2_high, -100 * ln2_low});
}

/* What all logarithms have in common; true: *out is the result. */
static bool log_special(double x, double *out) {
    if (x > 0 && x < INFINITY) return false;
    if (x == 0)
        *out = -INFINITY;
    else if (x < 0)
        *out = NAN;
    else
        *out = x; /* infinite, or NaN */
    return true;
}

double pp_log(double x) {
    double special;
    if (log_special(x, &special)) return special;
    return log_of(x).hi;
}

double pp_log2(double x) {
    double special;
    if (log_special(x, &special)) return special;
    return pp_dd_mul(log_of(x), per_ln2).hi;
}

double pp_log10(double x) {
    double special;
    if (log_special(x, &special)) return special;
    return pp_dd_mul(log_of(x), per_ln10).hi;
}

double pp_log1p(double x) {
    if (x < -1) return NAN;
    if (x == -1) return -INFINITY;
    if (!(x < INFINITY) || fabs(x) < 0x1p-54) return x;
    return pp_log_dd(pp_dd_sum(1, x)).hi;
}

/* Whether y is an odd whole number; numbers from 2^53 on are even. */
static bool is_odd(double y) { return fabs(y) < 0x1p53 && floor(y) == y && fmod(y, 2) != 0; }

/* x^y where x or y is zero or infinite. */
static double pow_special(double x, double y) {
    const double size = fabs(x);
    if (isinf(y)) {
        if (size == 1) return 1;
        return (size > 1) == (y > 0) ? INFINITY : 0;
    }
    const double v = (size == 0) == (y > 0) ? 0 : INFINITY;
    return is_odd(y) ? copysign(v, x) : v;
}

double pp_pow(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (isnan(x) || isnan(y)) return x + y;
    if (x == 0 || isinf(x) || isinf(y)) return pow_special(x, y);
    double sign = 1;
    if (x < 0) {
        if (floor(y) != y) return NAN;
        sign = is_odd(y) ? -1 : 1;
        x = -x;
        if (x == 1) return sign;
    }
    const pp_dd l = log_of(x);
    const double about = y * l.hi;
    if (about > 711) return sign * INFINITY;
    if (about < -747) return sign * 0.0;
    if (fabs(about) < 0x1p-60) return sign * (1 + about);
    pp_dd p = pp_dd_product(y, l.hi);
    p = pp_dd_fast(p.hi, p.lo + y * l.lo);
    if (p.hi >= EXP_OVERFLOW) return sign * INFINITY;
    return sign * whole(pp_exp_dd(p));
}
