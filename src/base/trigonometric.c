/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* trigonometric.c - sine, cosine, tangent
 * Method   x = n pi/2 + r, |r| <= pi/4 and a little, r as a pair of numbers; series of sine and cosine.
 *          Up to 2^20 pi/2 the multiple is subtracted in four parts (Cody, Waite). Beyond, x is multiplied by as many bits of 2/pi as matter, in
 *          whole numbers (Payne, Hanek): every finite x is reduced to the last bit.
 * Source   Cody, Waite, Software Manual for the Elementary Functions (1980); Payne, Hanek, SIGNUM Newsletter 18 (1983) 19. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/elementary.h"
#include "base/elementary_tables.h"

/* pi/2 in parts of 33, 33, 33 and 53 bits */
static const double part_1 = 0x1.921fb544p+0, part_2 = 0x1.0b4611a6p-34, part_3 = 0x1.3198a2ep-69,
                    part_4 = 0x1.b839a252049c1p-104;
static const pp_dd half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const double per_half_pi = 0x1.45f306dc9c883p-1; /* 2/pi */

#define FEW_TURNS 1.0e6 /* below it n has at most 20 bits, so that n times a part of 33 bits is exact */

/* An angle in [-pi/4, pi/4] or hardly more, and the quadrant that it was moved from. */
typedef struct reduced {
    pp_dd r;
    int quadrant; /* 0 to 3 */
} reduced;

__extension__ typedef unsigned __int128 wide;

/* 64 bits of a number of five words, from bit `at` up; bits below 0 are zero. */
static uint64_t bits_at(const uint64_t w[5], int at) {
    if (at <= -64) return 0;
    if (at < 0) return w[0] << -at;
    const int i = at / 64, shift = at % 64;
    const uint64_t low = i < 5 ? w[i] >> shift : 0;
    return shift && i + 1 < 5 ? low | w[i + 1] << (64 - shift) : low;
}

/* hi 2^-64 + lo 2^-128, as a pair of numbers. */
static pp_dd fraction(uint64_t hi, uint64_t lo) {
    int zeros = 0;
    while (zeros < 127 && !(hi >> 63)) hi = hi << 1 | lo >> 63, lo <<= 1, zeros++;
    const double a = (double)(hi >> 11), b = (double)((hi & 0x7ff) << 42 | lo >> 22);
    const pp_dd f = pp_dd_fast(ldexp(a, -53 - zeros), ldexp(b, -106 - zeros));
    return f;
}

/* x = m 2^e > 0 for a whole number m of 53 bits. */
static reduced reduce_far(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int e = (int)(bits >> 52) - 1075;
    const uint64_t m = (bits & 0xfffffffffffffULL) | (uint64_t)1 << 52;
    /* Words of 2/pi above these give multiples of four turns. Eight words leave an error of 2^-169. */
    const int first = e >= 2 ? (e - 2) / 32 : 0;
    uint64_t product[5] = {0};
    uint64_t carry = 0;
    for (int k = 0; k < 4; k++) {
        const uint32_t *w = pp_two_over_pi + first + 6 - 2 * k;
        const wide p = (wide)((uint64_t)w[0] << 32 | w[1]) * m + carry;
        product[k] = (uint64_t)p;
        carry = (uint64_t)(p >> 64);
    }
    product[4] = carry;
    const int point = 32 * (first + 8) - e; /* bits behind the point */
    int n = (int)(bits_at(product, point) & 3);
    uint64_t hi = bits_at(product, point - 64), lo = bits_at(product, point - 128);
    double sign = 1;
    if (hi >> 63) { /* nearer to the next multiple */
        n = (n + 1) & 3;
        sign = -1;
        lo = ~lo + 1;
        hi = ~hi + (lo == 0);
    }
    pp_dd f = fraction(hi, lo);
    f.hi *= sign;
    f.lo *= sign;
    return (reduced){pp_dd_mul(f, half_pi), n};
}

/* |x| <= FEW_TURNS, close to a multiple of pi/2. */
static reduced reduce_close(double x, double n) {
    pp_dd r = pp_dd_sum(x - n * part_1, -n * part_2); /* the first difference is exact */
    pp_dd s = pp_dd_sum(r.hi, -n * part_3);
    s.lo += r.lo;
    s = pp_dd_fast(s.hi, s.lo - n * part_4);
    return (reduced){s, (int)((int64_t)n & 3)};
}

/* pi/4 < |x| */
static reduced reduce(double x) {
    if (fabs(x) > FEW_TURNS) {
        reduced far = reduce_far(fabs(x));
        if (x < 0) far = (reduced){pp_dd_negative(far.r), (4 - far.quadrant) & 3};
        return far;
    }
    const double n = floor(x * per_half_pi + 0.5);
    const double a = x - n * part_1, b = n * part_2, r = a - b; /* a and b are exact, b below 2^-14 */
    if (fabs(r) < 0x1p-10) return reduce_close(x, n);
    return (reduced){pp_dd_fast(r, ((a - r) - b) - n * part_3), (int)((int64_t)n & 3)};
}

/* Sine of |r| <= 0.8. Where only .hi is used, the compiler leaves out the rest. */
static inline pp_dd sine(pp_dd r) {
    const double x = r.hi, z = x * x;
    const double series =
        -1.0 / 6 +
        z * (1.0 / 120 +
             z * (-1.0 / 5040 +
                  z * (1.0 / 362880 + z * (-1.0 / 39916800 + z * (1.0 / 6227020800.0 + z * (-1.0 / 1307674368000.0 +
                                                                                            z / 355687428096000.0))))));
    return pp_dd_fast(x, x * z * series + r.lo * (1 - 0.5 * z));
}

static inline pp_dd cosine(pp_dd r) {
    const double x = r.hi, z = x * x, z2 = z * z;
    const double low = (1.0 / 24 - z * (1.0 / 720)) + z2 * (1.0 / 40320 - z * (1.0 / 3628800));
    const double high =
        (1.0 / 479001600 - z * (1.0 / 87178291200.0)) + z2 * (1.0 / 20922789888000.0 - z * (1.0 / 6402373705728000.0));
    const pp_dd square = pp_dd_square(x), front = pp_dd_fast(1, -0.5 * square.hi);
    return pp_dd_fast(front.hi, front.lo + (z2 * (low + z2 * z2 * high) - (0.5 * square.lo + x * r.lo)));
}

#define QUARTER_PI 0.78539816339744828

double pp_sin(double x) {
    if (fabs(x) <= QUARTER_PI) return fabs(x) < 0x1p-27 ? x : sine((pp_dd){x, 0}).hi;
    if (!(fabs(x) < INFINITY)) return x - x;
    const reduced a = reduce(x);
    const double v = a.quadrant & 1 ? cosine(a.r).hi : sine(a.r).hi;
    return a.quadrant & 2 ? -v : v;
}

double pp_cos(double x) {
    if (fabs(x) <= QUARTER_PI) return cosine((pp_dd){x, 0}).hi;
    if (!(fabs(x) < INFINITY)) return x - x;
    const reduced a = reduce(x);
    const double v = a.quadrant & 1 ? sine(a.r).hi : cosine(a.r).hi;
    return a.quadrant == 1 || a.quadrant == 2 ? -v : v;
}

void pp_sin_cos(double x, double *sin_x, double *cos_x) {
    if (fabs(x) <= QUARTER_PI) {
        *sin_x = fabs(x) < 0x1p-27 ? x : sine((pp_dd){x, 0}).hi;
        *cos_x = cosine((pp_dd){x, 0}).hi;
        return;
    }
    if (!(fabs(x) < INFINITY)) {
        *sin_x = *cos_x = x - x;
        return;
    }
    const reduced a = reduce(x);
    const double s = sine(a.r).hi, c = cosine(a.r).hi, sv = a.quadrant & 1 ? c : s, cv = a.quadrant & 1 ? s : c;
    *sin_x = a.quadrant & 2 ? -sv : sv;
    *cos_x = a.quadrant == 1 || a.quadrant == 2 ? -cv : cv;
}

double pp_tan(double x) {
    if (!(fabs(x) < INFINITY)) return x - x;
    if (fabs(x) < 0x1p-27) return x;
    const reduced a = fabs(x) <= QUARTER_PI ? (reduced){{x, 0}, 0} : reduce(x);
    const pp_dd s = sine(a.r), c = cosine(a.r);
    return a.quadrant & 1 ? -pp_dd_div(c, s).hi : pp_dd_div(s, c).hi;
}
