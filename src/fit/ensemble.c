/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ensemble.c - see ensemble.h */
#include "fit/ensemble.h"

#include <math.h>
#include <string.h>

#include "linalg/linalg.h"

#define FIRST_RIDGE 1e-14 /* of the variances; rounding of a product of covariances */
#define LAST_RIDGE  1e-6

bool pp_covariance_factor(int n, const double *C, double *L, double *work) {
    for (int j = 0; j < n; j++)
        if (!(C[j + n * j] >= 0) || !isfinite(C[j + n * j])) return false;
    for (double ridge = 0; ridge <= LAST_RIDGE; ridge = ridge > 0 ? 10 * ridge : FIRST_RIDGE) {
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) { /* correlations, so that sizes do not matter */
                double v = C[i + n * i] * C[j + n * j];
                work[i + n * j] = i == j ? 1 + ridge : v > 0 ? 0.5 * (C[i + n * j] + C[j + n * i]) / sqrt(v) : 0;
            }
        if (!pp_cholesky(n, work, n)) continue;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) L[i + n * j] = i >= j ? work[i + n * j] * sqrt(C[i + n * i]) : 0;
        return true;
    }
    return false;
}

void pp_draw_normal(int n, const double *mean, const double *L, perp_random *random, double *x) {
    memcpy(x, mean, sizeof *x * (size_t)n);
    for (int j = 0; j < n; j++) {
        double z = perp_random_normal(random);
        for (int i = j; i < n; i++) x[i] += L[i + n * j] * z;
    }
}

void pp_reflect(int n, const double *lower, const double *upper, double *x) {
    for (int j = 0; j < n; j++) {
        double lo = lower ? lower[j] : -INFINITY, hi = upper ? upper[j] : INFINITY;
        for (int k = 0; k < 8 && (x[j] < lo || x[j] > hi); k++) x[j] = x[j] < lo ? 2 * lo - x[j] : 2 * hi - x[j];
        x[j] = x[j] < lo ? lo : x[j] > hi ? hi : x[j];
    }
}
