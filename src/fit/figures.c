/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* figures.c - convergence of chains and their effective number of independent draws
 * Method   every walker's chain is cut in two halves. R-hat: sqrt of (all variance)/(variance within the half chains). Effective
 *          size: draws/(1 + 2 sum of autocorrelations), the autocorrelations pooled over all half chains with the variance between them
 *          counted, summed in pairs while these are positive and made to fall (Geyer's initial monotone sequence).
 * Valid    half chains of 4 steps or more. Walkers of one ensemble are independent once it has converged.
 * Source   Vehtari, Gelman, Simpson, Carpenter, Buerkner, Bayesian Analysis 16 (2021) 667, without ranks; Geyer, Stat. Sci. 7 (1992). */
#include <math.h>

#include "fit/ensemble.h"

#include "base/elementary.h"

typedef struct chains {
    int count, half; /* half chains; steps of one */
    double *mean;    /* count */
    double *x;       /* count x half, less the mean */
} chains;

/* Mean over the chains of the autocovariance at a lag, each divided by its number of steps. */
static double autocovariance(const chains *c, int lag) {
    double all = 0;
    for (int k = 0; k < c->count; k++) {
        const double *x = c->x + (size_t)c->half * (size_t)k;
        double sum = 0;
        for (int t = 0; t + lag < c->half; t++) sum += x[t] * x[t + lag];
        all += sum / c->half;
    }
    return all / c->count;
}

/* Half chain k out of the sample. */
static void gather(chains *c, int k, int steps, int walkers, int n, const double *sample, int j) {
    double *x = c->x + (size_t)c->half * (size_t)k, sum = 0;
    int from = k % 2 ? steps - c->half : 0;
    for (int t = 0; t < c->half; t++) {
        size_t draw = (size_t)walkers * (size_t)(from + t) + (size_t)(k / 2);
        sum += x[t] = sample[(size_t)n * draw + (size_t)j];
    }
    c->mean[k] = sum / c->half;
    for (int t = 0; t < c->half; t++) x[t] -= c->mean[k];
}

void pp_chain_figures(int steps, int walkers, int n, const double *sample, int j, double *work, double *figures) {
    chains c = {.count = 2 * walkers, .half = steps / 2, .mean = work, .x = work + 2 * walkers};
    double *r_hat = &figures[0], *effective = &figures[1];
    *r_hat = *effective = NAN;
    if (c.half < 4) return;
    for (int k = 0; k < c.count; k++) gather(&c, k, steps, walkers, n, sample, j);
    double grand = 0, between = 0, within = autocovariance(&c, 0) * c.half / (c.half - 1);
    for (int k = 0; k < c.count; k++) grand += c.mean[k] / c.count;
    for (int k = 0; k < c.count; k++) between += pp_pow(c.mean[k] - grand, 2) / (c.count - 1);
    double all = within * (c.half - 1) / c.half + between;
    if (!(within > 0)) return;
    *r_hat = sqrt(all / within);
    double sum = 0, last = INFINITY;
    for (int lag = 0; lag + 1 < c.half; lag += 2) {
        double pair = 0;
        for (int k = 0; k < 2; k++) pair += 1 - (within - autocovariance(&c, lag + k) * c.half / (c.half - 1)) / all;
        if (!(pair > 0)) break;
        last = fmin(last, pair);
        sum += last;
    }
    double tau =
        fmax(2 * sum - 1, 1 / pp_log10(fmax(10, (double)c.count * c.half))); /* antithetic chains: not more than that */
    *effective = (double)c.count * c.half / tau;
}
