/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file statistic.h
 *  Confidence intervals and quantiles. All numbers are dimensionless. */
#ifndef PERP_STATISTIC_H
#define PERP_STATISTIC_H

#include "perp/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Wilson's interval for a probability, from `successes` in `trials`. confidence: such as 0.95. Without trials the
 *  interval is [0, 1]. PERP_E_ARG: successes not in 0 .. trials, or confidence not in (0, 1); lo and hi are NAN then. */
PERP_API perp_status perp_wilson(int64_t successes, int64_t trials, double confidence, double *lo, double *hi);

/** Probability that a standard normal number is below x. */
PERP_API double perp_normal_cdf(double x);
/** The x with perp_normal_cdf(x) = p; -INFINITY and INFINITY for 0 and 1, NAN for other p outside (0, 1). */
PERP_API double perp_normal_quantile(double p);

/** Probability that a chi^2 number with dof > 0 degrees of freedom is below x. NAN if dof is not above 0. */
PERP_API double perp_chi2_cdf(double x, double dof);
/** The x with perp_chi2_cdf(x, dof) = p; NAN for p outside [0, 1] or dof not above 0. */
PERP_API double perp_chi2_quantile(double p, double dof);

/** Probability that a number with Student's t distribution of dof > 0 degrees of freedom is below t. */
PERP_API double perp_student_cdf(double t, double dof);
/** The t with perp_student_cdf(t, dof) = p: the half width, in standard errors, of an interval whose noise was estimated
 *  from the same data. NAN for p outside [0, 1] or dof not above 0. */
PERP_API double perp_student_quantile(double p, double dof);

#ifdef __cplusplus
}
#endif
#endif
