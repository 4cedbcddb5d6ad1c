/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scatter.h - posterior of a mean and of the scatter about it, by sampling. */
#ifndef STUDY_SCATTER_H
#define STUDY_SCATTER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct scatter_figures {
    double mean, mean_sd, mean_95[2];
    double spread, spread_sd, spread_95[2];
    double next_95[2]; /* where a value that was not used lies with probability 0.95, free of noise */
    double acceptance; /* of the proposals */
    double effective;  /* effective number of draws of the mean */
} scatter_figures;

/* Values x_i with noise sd_i: x_i ~ N(mean, spread^2 + sd_i^2). Flat prior in the mean and in the spread > 0.
 * Returns false if n < 3 or memory is short. The same seed gives the same bits. */
bool scatter_sample(const double *x, const double *sd, int n, uint64_t seed, scatter_figures *out);

#endif
