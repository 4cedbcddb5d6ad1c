/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* inverse_trigonometric.c - angles of a right triangle
 * Method   All are the angle of a point (x, y): of (1, x), (sqrt(1 - x^2), x), (x, sqrt(1 - x^2)). Mirrored to 0 <= y <= x, q = y/x is compared with the nearest
 *          c = j/16: atan q = atan c + atan t, t = (q - c)/(1 + q c), |t| <= 1/32, the first from a table, the second by its series.
 * Source   Gal, Bachelis, ACM TOMS 17 (1991) 26, on tables with nodes. */
#include <math.h>
#include <stdbool.h>

#include "base/elementary.h"
#include "base/elementary_tables.h"

static const pp_dd half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const pp_dd pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/* atan q, 0 <= q <= 1. */
static pp_dd arc(pp_dd q) {
    const int j = (int)(q.hi * PP_ATAN_PARTS + 0.5);
    const double c = (double)j / PP_ATAN_PARTS;
    pp_dd t = q;
    if (j > 0) {
        const pp_dd p = pp_dd_product(q.hi, c), above = pp_dd_sum(q.hi, -c), below = pp_dd_sum(1, p.hi);
        t = pp_dd_div(pp_dd_fast(above.hi, above.lo + q.lo), pp_dd_fast(below.hi, below.lo + (p.lo + q.lo * c)));
    }
    const double x = t.hi, z = x * x;
    const double series =
        x * z *
        (-1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11 + z * (1.0 / 13 - z * (1.0 / 15)))))));
    const pp_dd a = pp_dd_sum(pp_atan_table[j].hi, x);
    return pp_dd_fast(a.hi, a.lo + (pp_atan_table[j].lo + (t.lo + series)));
}

/* Angle of the point (x, y) in [0, pi], y >= 0; neither both 0 nor infinite, and no more than 2^900 apart. */
static pp_dd angle(pp_dd y, pp_dd x) {
    const pp_dd size = x.hi < 0 ? pp_dd_negative(x) : x;
    pp_dd a = y.hi <= size.hi ? arc(pp_dd_div(y, size)) : pp_dd_add(half_pi, pp_dd_negative(arc(pp_dd_div(size, y))));
    return x.hi < 0 ? pp_dd_add(pi, pp_dd_negative(a)) : a;
}

/* b in two parts, whose products with j/16 are exact. */
static inline pp_dd halves(double b) {
    const double h = pp_upper_half(b);
    return (pp_dd){h, b - h};
}

/* atan(a/b), 0 < a <= b, as a pair; both far from overflow and underflow. With c = j/16 near a/b, t = (a - c b)/(b + c a) needs no division
 * before. */
static inline pp_dd arc_of(double a, double b) {
    const int j = (int)(a / b * PP_ATAN_PARTS + 0.499999); /* a/b is at least c/2, even if the quotient is rounded up */
    const double c = (double)j / PP_ATAN_PARTS;
    const pp_dd ah = halves(a), bh = halves(b);
    const double rest = c * bh.lo, n = a - c * bh.hi; /* exact: the terms are within a factor of two, or c is 0 */
    const double above = n - rest, above_low = (n - above) - rest;
    const double ca = c * a, below = b + ca, below_low = ((b - below) + ca) + ((c * ah.hi - ca) + c * ah.lo);
    const double t = above / below;
    const pp_dd p = pp_dd_product(t, below);
    const double t_low = (((above - p.hi) - p.lo) + (above_low - t * below_low)) / below;
    const double z = t * t, z2 = z * z;
    const double low = (-1.0 / 3 + z * (1.0 / 5)) + z2 * (-1.0 / 7 + z * (1.0 / 9));
    const double series = t * z * (low + z2 * z2 * (-1.0 / 11 + z * (1.0 / 13 - z * (1.0 / 15))));
    const pp_dd s = pp_dd_fast(pp_atan_table[j].hi, t); /* the table is 0, or at least twice t */
    return (pp_dd){s.hi, s.lo + (pp_atan_table[j].lo + (t_low + series))};
}

/* Angle of the point (x, y) in [0, pi], y > 0; both far from overflow and underflow. */
static inline double angle_of(double y, double x) {
    const double across = fabs(x);
    const bool steep = y > across;
    pp_dd a = steep ? arc_of(across, y) : arc_of(y, across);
    if (steep == (x < 0)) { /* in an octant that begins at an axis: the multiple of pi/2 is added */
        if (!steep) return a.hi + a.lo;
    } else {
        a = pp_dd_negative(a);
    }
    const pp_dd from = steep ? half_pi : pi, s = pp_dd_fast(from.hi, a.hi);
    return s.hi + (s.lo + (from.lo + a.lo));
}

double pp_atan2(double y, double x) {
    if (fabs(y) > 0x1p-400 && fabs(y) < 0x1p400 && fabs(x) > 0x1p-400 && fabs(x) < 0x1p400)
        return copysign(angle_of(fabs(y), x), y);
    if (isnan(x) || isnan(y)) return x + y;
    const double up = fabs(y), across = fabs(x), back = signbit(x) ? pi.hi : 0;
    double a;
    if (up == 0)
        a = back;
    else if (isinf(up) && isinf(across))
        a = signbit(x) ? 3 * (pi.hi / 4) : pi.hi / 4;
    else if (isinf(across))
        a = back;
    else if (across == 0 || isinf(up))
        a = half_pi.hi;
    else {
        int eu, ea;
        const double u = frexp(up, &eu), c = frexp(across, &ea);
        if (eu - ea > 60)
            a = half_pi.hi;
        else if (eu - ea < -60)
            a = signbit(x) ? pi.hi : up / across;
        else {
            const pp_dd v = angle((pp_dd){ldexp(u, eu - ea), 0}, (pp_dd){copysign(c, x), 0});
            a = v.hi;
        }
    }
    return copysign(a, y);
}

double pp_atan(double x) {
    if (isnan(x)) return x;
    if (fabs(x) < 0x1p-27) return x;
    return pp_atan2(x, 1);
}

/* sqrt(1 - x^2), |x| < 1 */
static pp_dd other_side(double x) { return pp_dd_sqrt(pp_dd_mul(pp_dd_sum(1, -x), pp_dd_sum(1, x))); }

double pp_asin(double x) {
    const double size = fabs(x);
    if (isnan(x)) return x;
    if (size > 1) return NAN;
    if (size == 1) return copysign(half_pi.hi, x);
    if (size < 0x1p-27) return x;
    return copysign(angle((pp_dd){size, 0}, other_side(x)).hi, x);
}

double pp_acos(double x) {
    if (isnan(x)) return x;
    if (fabs(x) > 1) return NAN;
    if (x == 1) return 0;
    if (x == -1) return pi.hi;
    return angle(other_side(x), (pp_dd){x, 0}).hi;
}
