/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* statistic.h - the special functions behind quantiles. */
#ifndef PP_STATISTIC_H
#define PP_STATISTIC_H

#include "perp/statistic.h"

/* ln Gamma(x), x > 0. */
double pp_log_gamma(double x);
/* Regularised incomplete gamma functions: *lower = P(a, x), *upper = Q(a, x) = 1 - P, each with its own relative accuracy.
 * a > 0, x >= 0. */
void pp_gamma_regular(double a, double x, double *lower, double *upper);
/* Regularised incomplete beta function I_x(a, b), 0 <= x <= 1, a, b > 0. */
double pp_beta_regular(double a, double b, double x);

#endif
