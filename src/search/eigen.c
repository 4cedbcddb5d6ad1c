/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* eigen.c - eigenvalues and eigenvectors of a symmetric matrix by Jacobi's rotations
 *   A = V diag(d) V',  V orthogonal                             A: n x n, full storage
 * Method   cyclic sweeps; each rotation makes one element outside the diagonal zero. An element is left alone once it is
 *          below the rounding error of its two diagonal elements.
 * Valid    every finite symmetric A. Small eigenvalues of positive definite A come out with a high relative accuracy.
 * Cost     4 to 10 sweeps of about 6 n^3 operations; no memory.
 * Choice   pp_eigen() of linalg takes a tenth of the time at n = 48 and less beyond, but its error is relative to the largest
 *          eigenvalue. A covariance matrix of a search spans many orders, and the search divides by the square roots.
 * Source   Golub, Van Loan (2013), Matrix Computations, 8.5; Demmel, Veselic (1992), SIAM J. Matrix Anal. 13. */
#include "search/search.h"

#include <float.h>
#include <math.h>

#include "base/elementary.h"

#define SWEEPS_MAX 60 /* far more than ever needed: the last sweeps converge quadratically */

/* Rotates columns p and q of an n x n matrix: (a, b) -> (c a - s b, s a + c b). */
static void rotate_columns(double *M, int n, int p, int q, double c, double s) {
    for (int i = 0; i < n; i++) {
        double *r = M + (size_t)i * (size_t)n, a = r[p], b = r[q];
        r[p] = c * a - s * b;
        r[q] = s * a + c * b;
    }
}

static void rotate_rows(double *M, int n, int p, int q, double c, double s) {
    double *rp = M + (size_t)p * (size_t)n, *rq = M + (size_t)q * (size_t)n;
    for (int i = 0; i < n; i++) {
        double a = rp[i], b = rq[i];
        rp[i] = c * a - s * b;
        rq[i] = s * a + c * b;
    }
}

/* Makes A[p][q] zero; false if it was negligible already. */
static bool annihilate(double *A, double *V, int n, int p, int q) {
    double *app = &A[(size_t)p * (size_t)n + (size_t)p], *aqq = &A[(size_t)q * (size_t)n + (size_t)q];
    double *apq = &A[(size_t)p * (size_t)n + (size_t)q], *aqp = &A[(size_t)q * (size_t)n + (size_t)p];
    if (fabs(*apq) <= 0.5 * DBL_EPSILON * sqrt(fabs(*app)) * sqrt(fabs(*aqq)) || *apq == 0) {
        *apq = *aqp = 0;
        return false;
    }
    const double theta = (*aqq - *app) / (2 * *apq);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + pp_hypot(1, theta)), c = 1 / pp_hypot(1, t), s = c * t;
    rotate_columns(A, n, p, q, c, s);
    rotate_rows(A, n, p, q, c, s);
    *apq = *aqp = 0;
    rotate_columns(V, n, p, q, c, s);
    return true;
}

void pp_search_eigen(int n, double *A, double *d, double *V) {
    for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) == 0;
    bool rotated = true;
    for (int sweep = 0; rotated && sweep < SWEEPS_MAX; sweep++) {
        rotated = false;
        for (int p = 0; p < n - 1; p++)
            for (int q = p + 1; q < n; q++)
                if (annihilate(A, V, n, p, q)) rotated = true;
    }
    for (int i = 0; i < n; i++) d[i] = A[(size_t)i * (size_t)n + (size_t)i];
}
