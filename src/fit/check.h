/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* check.h - complaints about the arguments of estimators, all with PERP_E_ARG. */
#ifndef PP_FIT_CHECK_H
#define PP_FIT_CHECK_H

#include "input/input.h"

#define PP_FIT_MOST 400000000 /* numbers in one array: 3.2 GB; more is a mistake */

/* "KEY[index]: found VALUE; allowed: ALLOWED"; index < 0: the key alone. */
perp_status pp_fit_bad(perp_refusal *why, const char *key, int index, double found, const char *allowed);
perp_status pp_fit_memory(perp_refusal *why);
perp_status pp_fit_stopped(perp_refusal *why);
/* Bounds (either may be NULL): no NAN, lower <= upper, and some finite number between them. */
perp_status pp_fit_check_bounds(int n, const double *lower, const double *upper, perp_refusal *why);
/* Prior: mean and sd, both or neither; sd > 0, mean finite where the sd is. */
perp_status pp_fit_check_prior(int n, const double *mean, const double *sd, perp_refusal *why);
/* All finite; positive: also > 0. NULL is fine. */
perp_status pp_fit_check_finite(int n, const double *v, const char *key, bool positive, perp_refusal *why);

#endif
