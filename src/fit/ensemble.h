/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ensemble.h - clouds of points: drawn from a normal distribution, kept within bounds, and judged as chains. */
#ifndef PP_FIT_ENSEMBLE_H
#define PP_FIT_ENSEMBLE_H

#include "base/memory.h"
#include "perp/random.h"

/* Lower factor L of a covariance C (n x n), L L' = C with a ridge where C is singular to rounding: at most 1e-6 of each variance.
 * Rows with variance 0 stay 0. False if C is not finite, or clearly not a covariance. work: n x n. */
bool pp_covariance_factor(int n, const double *C, double *L, double *work);
/* x = mean + L z, z standard normal. */
void pp_draw_normal(int n, const double *mean, const double *L, perp_random *random, double *x);
/* Reflects x at bounds (NULL: none) until it lies between them; one that is very far off goes to the nearer bound. */
void pp_reflect(int n, const double *lower, const double *upper, double *x);

/* figures.c. Sample: steps x walkers x n, as perp_sample_posterior writes it. figures: split R-hat and effective size of parameter j;
 * NAN if the chains are shorter than 8. work: (steps + 2) walkers doubles. */
void pp_chain_figures(int steps, int walkers, int n, const double *sample, int j, double *work, double *figures);

#endif
