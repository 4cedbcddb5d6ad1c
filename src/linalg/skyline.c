/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* skyline.c - Cholesky's method within a profile
 * Method   L has the profile of the matrix. Row by row: l_ij = (a_ij - sum_k l_ik l_jk)/l_jj over the columns that both
 *          rows have.
 * Source   George, Liu, Computer Solution of Large Sparse Positive Definite Systems (1981), ch. 4. */
#include "linalg/skyline.h"

#include <math.h>

ptrdiff_t pp_skyline_place(pp_skyline *s) {
    s->start[0] = 0;
    for (int i = 0; i < s->n; i++) s->start[i + 1] = s->start[i] + i - s->first[i] + 1;
    return s->start[s->n];
}

bool pp_skyline_factor(pp_skyline *s) {
    for (int i = 0; i < s->n; i++) {
        int fi = s->first[i];
        double *a = s->value + s->start[i] - fi; /* a[j]: entry of column j */
        for (int j = fi; j <= i; j++) {
            int fj = s->first[j], from = fi > fj ? fi : fj;
            const double *b = s->value + s->start[j] - fj;
            double sum = a[j];
            for (int k = from; k < j; k++) sum -= a[k] * b[k];
            if (j < i) {
                a[j] = sum / b[j];
            } else {
                if (!(sum > 0) || !isfinite(sum)) return false;
                a[i] = sqrt(sum);
            }
        }
    }
    return true;
}

void pp_skyline_solve(const pp_skyline *s, double *x) {
    for (int i = 0; i < s->n; i++) {
        const double *a = s->value + s->start[i] - s->first[i];
        for (int k = s->first[i]; k < i; k++) x[i] -= a[k] * x[k];
        x[i] /= a[i];
    }
    for (int i = s->n - 1; i >= 0; i--) {
        const double *a = s->value + s->start[i] - s->first[i];
        x[i] /= a[i];
        for (int k = s->first[i]; k < i; k++) x[k] -= a[k] * x[i];
    }
}
