/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* filter_ensemble.c - ensemble Kalman filter with perturbed data
 * Method   members are advanced and walk; the covariances of states and observations are those of the members; each member is moved by
 *          Kalman's gain towards the data plus noise drawn for it, the noise made to have mean 0 over the members.
 * Valid    distributions near normal; more members than data of a row. Sampling errors shrink as 1/sqrt(members). A member that fails
 *          is replaced by the next one that does not.
 * Cost     members states a row.
 * Source   Evensen, Ocean Dynamics 53 (2003) 343; Burgers, van Leeuwen, Evensen, Mon. Weather Rev. 126 (1998) 1719. */
#include <math.h>
#include <string.h>

#include "fit/filter.h"
#include "perp/random.h"

/* Replaces members that failed; false if all did. */
static bool repair(pp_filter *f, int k) {
    int good = -1;
    size_t n = (size_t)f->n, m = (size_t)f->m;
    double *sound = f->weight; /* 1: could be advanced and observed */
    for (int i = 0; i < f->count; i++) {
        sound[i] = pp_filter_finite(f->n, f->x + n * (size_t)i);
        for (int a = 0; a < k; a++)
            if (!isfinite(f->y[m * (size_t)i + (size_t)f->used[a]])) sound[i] = 0;
        if (sound[i] > 0) good = i;
    }
    if (good < 0) return false;
    for (int i = f->count - 1; i >= 0; i--) {
        if (sound[i] > 0) {
            good = i;
            continue;
        }
        f->failed++;
        memcpy(f->x + n * (size_t)i, f->x + n * (size_t)good, sizeof *f->x * n);
        memcpy(f->y + m * (size_t)i, f->y + m * (size_t)good, sizeof *f->y * m);
    }
    for (int i = 0; i < f->count; i++) f->weight[i] = 1.0 / f->count;
    return true;
}

/* S and the covariance of state and data; the mean observation into f->innovation. */
static void observed_moments(pp_filter *f, int k) {
    int n = f->n, m = f->m;
    double scale = 1.0 / (f->count - 1), *y_mean = f->innovation;
    pp_filter_moments(f);
    for (int a = 0; a < k; a++) {
        y_mean[a] = 0;
        for (int i = 0; i < f->count; i++) y_mean[a] += f->y[(size_t)m * (size_t)i + (size_t)f->used[a]] / f->count;
    }
    memset(f->S, 0, sizeof *f->S * (size_t)m * (size_t)m);
    memset(f->gain, 0, sizeof *f->gain * (size_t)n * (size_t)m);
    for (int i = 0; i < f->count; i++) {
        const double *y = f->y + (size_t)m * (size_t)i, *x = f->x + (size_t)n * (size_t)i;
        for (int a = 0; a < k; a++) {
            double d = scale * (y[f->used[a]] - y_mean[a]);
            for (int b = 0; b < k; b++) f->S[b + m * a] += d * (y[f->used[b]] - y_mean[b]);
            for (int j = 0; j < n; j++) f->gain[j + n * a] += d * (x[j] - f->mean[j]);
        }
    }
    for (int a = 0; a < k; a++) f->S[a + m * a] += f->p->noise_sd[f->used[a]] * f->p->noise_sd[f->used[a]];
}

/* Moves every member towards its own noisy copy of the data. */
static void move_members(pp_filter *f, int row, int k) {
    int n = f->n, m = f->m;
    const double *data = f->p->data + (size_t)m * (size_t)row;
    double *shift = f->innovation; /* mean of the noise drawn */
    memset(shift, 0, sizeof *shift * (size_t)m);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < f->count; i++) {
            perp_random random = perp_random_start(perp_random_split(pp_filter_stream(f, row, 1), (uint64_t)i));
            double *x = f->x + (size_t)n * (size_t)i;
            const double *y = f->y + (size_t)m * (size_t)i;
            for (int a = 0; a < k; a++) {
                int c = f->used[a];
                double noise = f->p->noise_sd[c] * perp_random_normal(&random);
                if (pass == 0) {
                    shift[a] += noise / f->count;
                    continue;
                }
                double d = data[c] + noise - shift[a] - y[c];
                for (int j = 0; j < n; j++) x[j] += f->gain[j + n * a] * d;
            }
            if (pass == 1) pp_filter_admit(f, x, true);
        }
}

perp_status pp_filter_ensemble(pp_filter *f) {
    perp_status s = pp_filter_cloud(f);
    for (int row = 0; !s && row < f->p->rows; row++) {
        if (row > 0) s = pp_filter_advance(f, row, true);
        if (!s) s = pp_filter_observe(f, row);
        if (s) break;
        int k = pp_filter_data(f, row);
        double log_likelihood = 0;
        if (!repair(f, k)) return pp_filter_fail(f, row, "no member is left that could be advanced and observed");
        if (k > 0) {
            observed_moments(f, k);
            for (int a = 0; a < k; a++)
                f->innovation[a] = f->p->data[(size_t)f->m * (size_t)row + (size_t)f->used[a]] - f->innovation[a];
            if (!pp_filter_gain(f, k, &log_likelihood))
                return pp_filter_fail(f, row, "the covariance of the data is not positive definite");
            move_members(f, row, k);
        }
        pp_filter_moments(f);
        for (int j = 0; j < f->n * f->n; j++) f->C[j] *= f->count / (f->count - 1.0);
        pp_filter_write(f, row, f->count, log_likelihood);
    }
    return s;
}
