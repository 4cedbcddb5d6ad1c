/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* elementary_parts.h - exponential and logarithm with more than 60 bits, from which other functions are made. */
#ifndef PP_ELEMENTARY_PARTS_H
#define PP_ELEMENTARY_PARTS_H

#include "base/double_double.h"

/* exp(x.hi + x.lo) = (value.hi + value.lo) 2^exponent, value.hi in [1/2, 2]. Relative error below 2^-62. */
typedef struct pp_exp_parts {
    pp_dd value;
    int exponent;
} pp_exp_parts;
/* |x.hi| at most 1500. */
pp_exp_parts pp_exp_dd(pp_dd x);
/* Natural logarithm of x.hi + x.lo > 0, x.hi normal. Relative error below 2^-66. */
pp_dd pp_log_dd(pp_dd x);
/* x 2^k, rounded once if it is subnormal. |k| at most 2200. */
double pp_scale(double x, int k);

#endif
