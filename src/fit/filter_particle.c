/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* filter_particle.c - bootstrap particle filter
 * Method   particles are advanced, walk, and are weighted by the normal density of the data; when fewer than the given share are effective,
 *          1/sum w^2, they are resampled systematically: one uniform number, equally spaced pointers into the running sum of weights.
 * Valid    any system; many particles where data are sharp: the likelihood of a row should not be narrower than the particles'
 *          spacing. A parameter stays alive by its walk. A particle that cannot be advanced or observed gets weight 0.
 * Cost     particles states a row.
 * Source   Gordon, Salmond, Smith, IEE Proc. F 140 (1993) 107; Kitagawa, J. Comput. Graph. Stat. 5 (1996) 1 (systematic). */
#include <math.h>
#include <string.h>

#include "fit/filter.h"
#include "perp/random.h"
#include "base/elementary.h"

#define HALF_LN_TWO_PI 0.91893853320467274178

/* ln density of a row's data for a particle, less what all particles have in common; -INFINITY if it failed. */
static double log_density(const pp_filter *f, int row, int i, int k) {
    const double *y = f->y + (size_t)f->m * (size_t)i, *data = f->p->data + (size_t)f->m * (size_t)row;
    if (!pp_filter_finite(f->n, f->x + (size_t)f->n * (size_t)i)) return -INFINITY;
    double sum = 0;
    for (int l = 0; l < k; l++) {
        int c = f->used[l];
        double z = (data[c] - y[c]) / f->p->noise_sd[c];
        sum -= 0.5 * z * z;
    }
    return sum > -INFINITY ? sum : -INFINITY; /* NAN too */
}

/* Weights times densities. False: none is left. */
static bool reweight(pp_filter *f, int row, double *log_likelihood) {
    int k = pp_filter_data(f, row);
    double most = -INFINITY, sum = 0, *log_w = f->next; /* of count x n */
    for (int i = 0; i < f->count; i++) {
        double l = log_density(f, row, i, k);
        f->failed += !(l > -INFINITY) && f->weight[i] > 0;
        log_w[i] = f->weight[i] > 0 ? l + pp_log(f->weight[i]) : -INFINITY;
        most = fmax(most, log_w[i]);
    }
    if (!(most > -INFINITY)) return false;
    for (int i = 0; i < f->count; i++) sum += f->weight[i] = pp_exp(log_w[i] - most);
    for (int i = 0; i < f->count; i++) f->weight[i] /= sum;
    *log_likelihood = most + pp_log(sum);
    for (int l = 0; l < k; l++) *log_likelihood -= pp_log(f->p->noise_sd[f->used[l]]) + HALF_LN_TWO_PI;
    return true;
}

static void resample(pp_filter *f, int row) {
    perp_random random = perp_random_start(pp_filter_stream(f, row, 1));
    double u = perp_random_uniform(&random), sum = f->weight[0];
    int from = 0;
    size_t n = (size_t)f->n;
    for (int i = 0; i < f->count; i++) {
        double pointer = (i + u) / f->count;
        while (pointer >= sum && from < f->count - 1) sum += f->weight[++from];
        while (!(f->weight[from] > 0)) from--; /* past the end by rounding */
        memcpy(f->next + n * (size_t)i, f->x + n * (size_t)from, sizeof *f->x * n);
    }
    double *was = f->x;
    f->x = f->next, f->next = was;
    for (int i = 0; i < f->count; i++) f->weight[i] = 1.0 / f->count;
}

perp_status pp_filter_particle(pp_filter *f) {
    perp_status s = pp_filter_cloud(f);
    for (int row = 0; !s && row < f->p->rows; row++) {
        if (row > 0) s = pp_filter_advance(f, row, true);
        if (!s) s = pp_filter_observe(f, row);
        if (s) break;
        double log_likelihood, squares = 0;
        if (!reweight(f, row, &log_likelihood))
            return pp_filter_fail(f, row, "no particle is left that explains the data");
        for (int i = 0; i < f->count; i++) squares += f->weight[i] * f->weight[i];
        pp_filter_moments(f);
        pp_filter_write(f, row, 1 / squares, log_likelihood);
        if (1 / squares < f->o.resample * f->count || f->o.resample == 1) resample(f, row);
    }
    return s;
}
