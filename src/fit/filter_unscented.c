/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* filter_unscented.c - unscented Kalman filter
 * Method   2 n + 1 points, the mean and +-sqrt(n + lambda) columns of the covariance's Cholesky factor, lambda = alpha^2 (n + kappa) - n, are
 *          advanced; their weighted moments, plus the walk's variance, are the prediction. Points drawn again from it are observed; the
 *          update is Kalman's. By default lambda = 0: the centre has no weight, all weights are positive, and so are the covariances.
 *          A factor that fails by rounding gets a ridge (ensemble.c).
 * Valid    one mode; moments of quadratic functions are exact. Points beyond bounds are moved there, which biases near bounds.
 * Cost     2 n + 1 states a row; n^3.
 * Source   Julier, Uhlmann, Proc. IEEE 92 (2004) 401; Wan, van der Merwe, AS-SPCC 2000; Arasaratnam, Haykin, IEEE Trans. Autom.
 *          Control 54 (2009) 1254 (the default weights). */
#include <math.h>
#include <string.h>

#include "fit/ensemble.h"
#include "fit/filter.h"

#define LEAST 1e-15 /* of the variance before an update: what rounding may leave of it */

typedef struct transform {
    double spread, centre_mean, centre_covariance, other;
} transform;

static transform weights(const pp_filter *f) {
    double n = f->n, a2 = f->o.alpha * f->o.alpha, sum = a2 * (n + f->o.kappa), lambda = sum - n;
    return (transform){sqrt(sum), lambda / sum, lambda / sum + 1 - a2 + f->o.beta, 0.5 / sum};
}

/* Points from f->mean and f->C. */
static bool draw_points(pp_filter *f, const transform *w) {
    int n = f->n;
    if (!pp_covariance_factor(n, f->C, f->L, f->work)) return false;
    for (int i = 0; i < f->count; i++) {
        double *x = f->x + (size_t)n * (size_t)i;
        memcpy(x, f->mean, sizeof *x * (size_t)n);
        int c = (i - 1) / 2;
        double sign = i % 2 ? w->spread : -w->spread;
        for (int j = 0; i > 0 && j < n; j++) x[j] += sign * f->L[j + n * c];
        pp_filter_admit(f, x, false);
    }
    return true;
}

/* Mean (width) of count points. */
static void mean_of(const pp_filter *f, const transform *w, int width, const double *points, double *mean) {
    memset(mean, 0, sizeof *mean * (size_t)width);
    for (int i = 0; i < f->count; i++)
        for (int j = 0; j < width; j++)
            mean[j] += (i ? w->other : w->centre_mean) * points[(size_t)width * (size_t)i + (size_t)j];
}

static bool predict(pp_filter *f, const transform *w) {
    int n = f->n;
    for (int i = 0; i < f->count; i++)
        if (!pp_filter_finite(n, f->x + (size_t)n * (size_t)i)) return false;
    mean_of(f, w, n, f->x, f->mean);
    for (int a = 0; a < n; a++)
        for (int b = 0; b <= a; b++) {
            double sum = 0;
            for (int i = 0; i < f->count; i++) {
                const double *x = f->x + (size_t)n * (size_t)i;
                sum += (i ? w->other : w->centre_covariance) * (x[a] - f->mean[a]) * (x[b] - f->mean[b]);
            }
            if (a == b && f->p->walk_sd) sum += f->p->walk_sd[a] * f->p->walk_sd[a];
            f->C[a + n * b] = f->C[b + n * a] = sum;
        }
    return true;
}

/* S, gain (as covariance of state and data) and innovation from f->x and f->y. */
static void observed_moments(pp_filter *f, const transform *w, int row, int k) {
    int n = f->n, m = f->m;
    double *y_mean = f->innovation;
    for (int a = 0; a < k; a++) {
        y_mean[a] = 0;
        for (int i = 0; i < f->count; i++)
            y_mean[a] += (i ? w->other : w->centre_mean) * f->y[(size_t)m * (size_t)i + (size_t)f->used[a]];
    }
    for (int a = 0; a < k; a++) {
        int ca = f->used[a];
        for (int b = 0; b <= a; b++) {
            double sum = a == b ? f->p->noise_sd[ca] * f->p->noise_sd[ca] : 0;
            for (int i = 0; i < f->count; i++) {
                const double *y = f->y + (size_t)m * (size_t)i;
                sum += (i ? w->other : w->centre_covariance) * (y[ca] - y_mean[a]) * (y[f->used[b]] - y_mean[b]);
            }
            f->S[a + m * b] = f->S[b + m * a] = sum;
        }
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int i = 0; i < f->count; i++)
                sum += (i ? w->other : w->centre_covariance) * (f->x[(size_t)n * (size_t)i + (size_t)j] - f->mean[j]) *
                       (f->y[(size_t)m * (size_t)i + (size_t)ca] - y_mean[a]);
            f->gain[j + n * a] = sum;
        }
    }
    for (int a = 0; a < k; a++) f->innovation[a] = f->p->data[(size_t)m * (size_t)row + (size_t)f->used[a]] - y_mean[a];
}

static bool update(pp_filter *f, int k, double *log_likelihood) {
    int n = f->n;
    double *cross = f->next; /* n x k, kept: the covariance falls by gain cross' */
    memcpy(cross, f->gain, sizeof *cross * (size_t)n * (size_t)k);
    if (!pp_filter_gain(f, k, log_likelihood)) return false;
    for (int a = 0; a < n; a++)
        for (int i = 0; i < k; i++) f->mean[a] += f->gain[a + n * i] * f->innovation[i];
    for (int a = 0; a < n; a++)
        for (int b = 0; b <= a; b++) {
            double sum = 0, was = f->C[a + n * b];
            for (int i = 0; i < k; i++)
                sum += 0.5 * (f->gain[a + n * i] * cross[b + n * i] + f->gain[b + n * i] * cross[a + n * i]);
            double now = was - sum;
            if (a == b && now < LEAST * was) now = LEAST * was;
            f->C[a + n * b] = f->C[b + n * a] = now;
        }
    pp_filter_admit(f, f->mean, false);
    return true;
}

/* The update by the data of a row. */
static perp_status take_data(pp_filter *f, const transform *w, int row, double *log_likelihood) {
    int k = pp_filter_data(f, row);
    *log_likelihood = 0;
    if (k == 0) return PERP_OK;
    if (!draw_points(f, w)) return pp_filter_fail(f, row, "the covariance is not positive semidefinite any more");
    perp_status s = pp_filter_observe(f, row);
    if (s) return s;
    for (int i = 0; i < f->count; i++)
        for (int a = 0; a < k; a++)
            if (!isfinite(f->y[(size_t)f->m * (size_t)i + (size_t)f->used[a]]))
                return pp_filter_fail(f, row, "a point of the unscented filter could not be observed");
    observed_moments(f, w, row, k);
    return update(f, k, log_likelihood) ? PERP_OK
                                        : pp_filter_fail(f, row, "the covariance of the data is not positive definite");
}

perp_status pp_filter_unscented(pp_filter *f) {
    const transform w = weights(f);
    size_t n = (size_t)f->n;
    memcpy(f->mean, f->p->mean, sizeof *f->mean * n);
    memcpy(f->C, f->p->covariance, sizeof *f->C * n * n);
    pp_filter_admit(f, f->mean, false);
    for (int row = 0; row < f->p->rows; row++) {
        perp_status s = PERP_OK;
        if (row > 0) {
            if (!draw_points(f, &w))
                return pp_filter_fail(f, row, "the covariance is not positive semidefinite any more");
            s = pp_filter_advance(f, row, false);
            if (!s && !predict(f, &w))
                s = pp_filter_fail(f, row, "a point of the unscented filter could not be advanced");
        }
        double log_likelihood;
        if (!s) s = take_data(f, &w, row, &log_likelihood);
        if (s) return s;
        pp_filter_write(f, row, f->count, log_likelihood);
    }
    return PERP_OK;
}
