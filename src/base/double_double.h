/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* double_double.h - sums of two numbers, hi + lo with |lo| at most half an ulp of hi: about 106 bits
 * Every operation is made of additions and multiplications that IEEE 754 rounds in one way, without fused ones, so that the
 * bits are the same on every machine.
 * Source   Dekker, Numer. Math. 18 (1971) 224; Knuth, The Art of Computer Programming 2, 4.2.2. */
#ifndef PP_DOUBLE_DOUBLE_H
#define PP_DOUBLE_DOUBLE_H

#include <math.h>

typedef struct pp_dd {
    double hi, lo;
} pp_dd;

/* a + b exactly, if |a| >= |b| or a is 0. */
static inline pp_dd pp_dd_fast(double a, double b) {
    const double s = a + b;
    return (pp_dd){s, b - (s - a)};
}

/* a + b exactly. */
static inline pp_dd pp_dd_sum(double a, double b) {
    const double s = a + b, t = s - a;
    return (pp_dd){s, (a - (s - t)) + (b - t)};
}

/* The upper 26 bits of a, so that products of two such halves are exact; the rest has 26 bits too. |a| below 2^996. */
static inline double pp_upper_half(double a) {
    const double c = 134217729.0 * a; /* 2^27 + 1 */
    return c - (c - a);
}

/* a b exactly, unless something overflows (|a|, |b| below 2^996) or the product is below 2^-969. */
static inline pp_dd pp_dd_product(double a, double b) {
    const double ah = pp_upper_half(a), al = a - ah, bh = pp_upper_half(b), bl = b - bh;
    const double p = a * b;
    return (pp_dd){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

/* a^2 with an error of 2^-78 of it, in fewer operations: hi has 52 bits, lo is below 2^-25 hi. Same range. */
static inline pp_dd pp_dd_square(double a) {
    const double h = pp_upper_half(a);
    return (pp_dd){h * h, (a - h) * (a + h)};
}

static inline pp_dd pp_dd_add(pp_dd a, pp_dd b) {
    const pp_dd s = pp_dd_sum(a.hi, b.hi), t = pp_dd_sum(a.lo, b.lo);
    const pp_dd u = pp_dd_fast(s.hi, s.lo + t.hi);
    return pp_dd_fast(u.hi, u.lo + t.lo);
}

static inline pp_dd pp_dd_mul(pp_dd a, pp_dd b) {
    const pp_dd p = pp_dd_product(a.hi, b.hi);
    return pp_dd_fast(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline pp_dd pp_dd_div(pp_dd a, pp_dd b) {
    const double q = a.hi / b.hi;
    const pp_dd p = pp_dd_product(q, b.hi);
    const double rest = ((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo);
    return pp_dd_fast(q, rest / b.hi);
}

/* Of a > 0. */
static inline pp_dd pp_dd_sqrt(pp_dd a) {
    const double s = sqrt(a.hi);
    const pp_dd p = pp_dd_product(s, s);
    return pp_dd_fast(s, (((a.hi - p.hi) - p.lo) + a.lo) / (2 * s));
}

static inline pp_dd pp_dd_negative(pp_dd a) { return (pp_dd){-a.hi, -a.lo}; }

#endif
