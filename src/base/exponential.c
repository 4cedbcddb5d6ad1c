/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* exponential.c - exponential, logarithm, power
 * Method   exp: x = k ln2/64 + r, |r| <= ln2/128; 2^(k/64) from a table, exp(r) by its series.
 *          log: x = 2^e m, m in [1/sqrt2, sqrt2); m c = 1 + r with c of ten bits from a table, |r| < 2^-7, exactly; log(1 + r) by its series.
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

/* 2^k, a normal number. */
static inline double power_of_two(int k) {
    const uint64_t bits = (uint64_t)(1023 + k) << 52;
    double factor;
    memcpy(&factor, &bits, sizeof factor);
    return factor;
}

static double scale_far(double x, int k) {
    while (k > 1000) x *= 0x1p1000, k -= 1000;
    if (k < -1000) { /* in two factors, of which only the last may round */
        x *= 0x1p-900;
        k = k < -1900 ? -1000 : k + 900;
    }
    return x * power_of_two(k);
}

double pp_scale(double x, int k) { return k >= -1000 && k <= 1000 ? x * power_of_two(k) : scale_far(x, k); }

/* exp(x) - 1 - x, |x| <= 0.0055. */
static inline double exp_tail(double x) {
    const double x2 = x * x;
    return x2 * ((0.5 + x * (1.0 / 6)) + x2 * ((1.0 / 24 + x * (1.0 / 120)) + x2 * (1.0 / 720 + x * (1.0 / 5040))));
}

/* 2^(k/64) exp(r.hi + r.lo) to one number, |r.hi| <= 0.0055. */
static inline double round_from_table(int k, pp_dd r) {
    const int j = k & (PP_EXP_PARTS - 1);
    const pp_dd t = pp_exp_table[j];
    return pp_scale(t.hi + (t.lo + t.hi * (r.hi + (r.lo + exp_tail(r.hi)))), (k - j) / PP_EXP_PARTS);
}

/* 2^(k/64) exp(r), |r.hi| <= 0.0055. */
static pp_exp_parts from_table(int k, pp_dd r) {
    const pp_dd e = pp_dd_fast(r.hi, r.lo + exp_tail(r.hi)); /* exp(r) - 1 */
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

/* exp(x.hi + x.lo) to one number, |x.hi| at most 1500. */
static inline double exp_of(pp_dd x) {
    const double k = floor(x.hi * steps_per_unit + 0.5), rest = x.hi - k * step_high;
    const double low = x.lo - k * step_low; /* far smaller than a step, but not than an ulp of r */
    const double r = rest + low;
    return round_from_table((int)k, (pp_dd){r, (rest - r) + low});
}

double pp_exp(double x) {
    if (!(x < EXP_OVERFLOW)) return x >= EXP_OVERFLOW ? INFINITY : x; /* NaN: itself */
    if (x < EXP_UNDERFLOW) return 0;
    if (fabs(x) < 0x1p-54) return 1 + x;
    return exp_of((pp_dd){x, 0});
}

double pp_exp2(double x) {
    if (!(x < 1024)) return x >= 1024 ? INFINITY : x;
    if (x < -1075) return 0;
    if (fabs(x) < 0x1p-54) return 1 + x;
    const double k = floor(x * PP_EXP_PARTS + 0.5);
    const pp_dd r = pp_dd_mul((pp_dd){x - k / PP_EXP_PARTS, 0}, ln2);
    return round_from_table((int)k, r);
}

/* x = 2^exponent m, the entry of the table for m, and r = m c - 1 exactly as a pair. */
typedef struct log_parts {
    double exponent, c;
    pp_dd log, r;
} log_parts;

static inline log_parts take_apart(double x, int *e) {
    const uint64_t least = 0x3fe6a09e667f3bcdULL; /* bits of 1/sqrt2 */
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t above = bits - least + ((uint64_t)1024 << 52); /* positive for every normal x */
    *e = (int)(above >> 52) - 1024;
    bits -= (uint64_t)(int64_t)*e << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    const int j = (int)(m * PP_LOG_PARTS + 0.5) - PP_LOG_FIRST;
    const double c = pp_log_table[j].inverse;
    const double front =
        (m + 134217728.0 * 2) - 134217728.0 * 2; /* m to 24 bits behind the point: both products are exact */
    return (log_parts){*e, c, pp_log_table[j].log, pp_dd_sum(front * c - 1, (m - front) * c)};
}

/* log(1 + x) - x + x^2/2, |x| < 2^-7. */
static inline double log_tail(double x) {
    const double x2 = x * x, x4 = x2 * x2;
    const double low = (1.0 / 3 - x * (1.0 / 4)) + x2 * (1.0 / 5 - x * (1.0 / 6));
    const double high = (1.0 / 7 - x * (1.0 / 8)) + x2 * ((1.0 / 9 - x * (1.0 / 10)) + x2 * (1.0 / 11));
    return x2 * x * (low + x4 * high);
}

pp_dd pp_log_dd(pp_dd x) {
    int e;
    const log_parts p = take_apart(x.hi, &e);
    const double low = x.lo != 0 ? pp_scale(x.lo, -e) : 0;
    const double rl = p.r.lo + low * p.c, x1 = p.r.hi;
    const pp_dd square = pp_dd_square(x1);
    const double half = -0.5 * square.hi;
    pp_dd s = pp_dd_fast(x1, half); /* log(1 + r) */
    s = pp_dd_fast(s.hi, s.lo + ((rl - x1 * rl) - 0.5 * square.lo + log_tail(x1)));
    const pp_dd big = pp_dd_sum(p.exponent * ln2_high, p.log.hi), sum = pp_dd_sum(big.hi, s.hi);
    return pp_dd_fast(sum.hi, sum.lo + (big.lo + (p.exponent * ln2_low + (p.log.lo + s.lo))));
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
    if (x < 0x1p-1022) return log_of(x).hi;
    int e;
    const log_parts p = take_apart(x, &e);
    const pp_dd big = pp_dd_sum(p.exponent * ln2_high, p.log.hi), sum = pp_dd_fast(big.hi, p.r.hi);
    const double r = p.r.hi, small = p.r.lo + (log_tail(r) - 0.5 * r * r);
    return sum.hi + (sum.lo + (big.lo + (p.exponent * ln2_low + (p.log.lo + small))));
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
    return sign * exp_of(p);
}
