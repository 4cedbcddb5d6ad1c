/* figures.c - have chains converged, and how many independent draws are they worth?
 * Method   every walker's chain is cut in two halves. R-hat: sqrt of (all variance)/(variance within the half chains). Effective
 *          size: draws/(1 + 2 sum of autocorrelations), the autocorrelations pooled over all half chains with the variance between them
 *          counted, summed in pairs while these are positive and made to fall (Geyer's initial monotone sequence).
 * Valid    half chains of 4 steps or more. Walkers of one ensemble are independent once it has converged.
 * Source   Vehtari, Gelman, Simpson, Carpenter, Buerkner, Bayesian Analysis 16 (2021) 667, without ranks; Geyer, Stat. Sci. 7 (1992). */
#include <math.h>

#include "fit/ensemble.h"

typedef struct chains {
    const double *first;         /* of parameter j at step 0, walker 0 */
    size_t step;                 /* from step to step */
    int n, walkers, half, begin; /* numbers of a point; walkers; steps of a half chain; the second half's first step */
} chains;

static double at(const chains *c, int chain, int t) {
    int walker = chain / 2, from = chain % 2 ? c->begin : 0;
    return c->first[c->step * (size_t)(from + t) + (size_t)(c->n * walker)];
}

static double mean_of(const chains *c, int chain) {
    double sum = 0;
    for (int t = 0; t < c->half; t++) sum += at(c, chain, t);
    return sum / c->half;
}

/* Mean over the chains of the autocovariance at a lag, each divided by its number of steps. */
static double autocovariance(const chains *c, int lag) {
    double all = 0;
    for (int k = 0; k < 2 * c->walkers; k++) {
        double mean = mean_of(c, k), sum = 0;
        for (int t = 0; t + lag < c->half; t++) sum += (at(c, k, t) - mean) * (at(c, k, t + lag) - mean);
        all += sum / c->half;
    }
    return all / (2 * c->walkers);
}

void pp_chain_figures(int steps, int walkers, int n, const double *sample, int j, double *r_hat, double *effective) {
    chains c = {
        .first = sample + j, .step = (size_t)n * (size_t)walkers, .n = n, .walkers = walkers, .half = steps / 2};
    c.begin = steps - c.half;
    *r_hat = *effective = NAN;
    if (c.half < 4) return;
    int count = 2 * walkers;
    double grand = 0, between = 0, within = autocovariance(&c, 0) * c.half / (c.half - 1);
    for (int k = 0; k < count; k++) grand += mean_of(&c, k) / count;
    for (int k = 0; k < count; k++) between += pow(mean_of(&c, k) - grand, 2) / (count - 1);
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
        fmax(2 * sum - 1, 1 / log10(fmax(10, (double)count * c.half))); /* antithetic chains: not more than that */
    *effective = (double)count * c.half / tau;
}
