/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* scatter.c - posterior of mean and spread of a sample with known noise
 *   x_i ~ N(m, s^2 + sd_i^2),    p(m, s) flat, s > 0
 * Method   random-walk Metropolis with steps of a good size for two unknowns, from the sample's own mean and spread;
 *          the first tenth of the draws is left out. Random numbers: splitmix64.
 * Valid    n >= 3 (the posterior of s is not proper below). The spread of values is assumed normal.
 * Cost     DRAWS times n.
 * Source   Gelman, Carlin, Stern, Rubin, Bayesian Data Analysis, 5.4 and 11.2. */
#include "scatter.h"

#include "random.h"
#include "robust.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 40000, LEFT_OUT = DRAWS / 10, LAG_MAX = 400 };
#define STEP 1.7 /* of proposals, in posterior standard deviations: 2.4/sqrt(2), the best for two normal unknowns */

static double log_density(const double *x, const double *sd, int n, double m, double s) {
    if (!(s > 0)) return -INFINITY;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double v = s * s + sd[i] * sd[i];
        sum -= ((x[i] - m) * (x[i] - m) / v + log(v)) / 2;
    }
    return sum;
}

/* Mean, standard deviation and the 2.5 % and 97.5 % points of n draws; sorts them. */
static void summarise(double *x, int n, double *mean, double *sd, double *interval) {
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    *mean = sum / n;
    for (int i = 0; i < n; i++) squares += (x[i] - *mean) * (x[i] - *mean);
    *sd = sqrt(squares / (n - 1));
    robust_median(x, n);
    interval[0] = x[(int)(0.025 * n)];
    interval[1] = x[(int)(0.975 * n)];
}

/* Effective number of n correlated draws: n/(1 + 2 sum of autocorrelations, up to the first below 0.05). */
static double effective(const double *x, int n) {
    double mean = 0, variance = 0, sum = 0;
    for (int i = 0; i < n; i++) mean += x[i] / n;
    for (int i = 0; i < n; i++) variance += (x[i] - mean) * (x[i] - mean);
    for (int lag = 1; lag < LAG_MAX; lag++) {
        double c = 0;
        for (int i = 0; i + lag < n; i++) c += (x[i] - mean) * (x[i + lag] - mean);
        if (c < 0.05 * variance) break;
        sum += c / variance;
    }
    return n / (1 + 2 * sum);
}

bool scatter_sample(const double *x, const double *sd, int n, uint64_t seed, scatter_figures *out) {
    double *draw = malloc(sizeof *draw * 3 * (size_t)DRAWS);
    if (n < 3 || !draw) return free(draw), false;
    double *mean = draw, *spread = draw + DRAWS, *next = draw + 2 * (size_t)DRAWS, m = 0, s = 0;
    for (int i = 0; i < n; i++) m += x[i] / n;
    for (int i = 0; i < n; i++) s += (x[i] - m) * (x[i] - m) / (n - 1);
    s = sqrt(s);
    double m_step = STEP * s / sqrt(n), s_step = STEP * s / sqrt(2.0 * n), p = log_density(x, sd, n, m, s);
    int kept = 0, accepted = 0;
    for (int i = 0; i < DRAWS; i++) {
        double m1 = m + m_step * random_normal(&seed), s1 = s + s_step * random_normal(&seed),
               p1 = log_density(x, sd, n, m1, s1);
        if (log(1 - random_uniform(&seed)) < p1 - p) m = m1, s = s1, p = p1, accepted++;
        double one = m + s * random_normal(&seed);
        if (i < LEFT_OUT) continue;
        mean[kept] = m;
        spread[kept] = s;
        next[kept++] = one;
    }
    double ignore;
    out->acceptance = (double)accepted / DRAWS;
    out->effective = effective(mean, kept);
    summarise(mean, kept, &out->mean, &out->mean_sd, out->mean_95);
    summarise(spread, kept, &out->spread, &out->spread_sd, out->spread_95);
    summarise(next, kept, &ignore, &ignore, out->next_95);
    free(draw);
    return true;
}
