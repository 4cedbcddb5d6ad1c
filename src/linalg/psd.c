/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* psd.c - symmetric positive semidefinite systems of any rank
 * Problem  x with A x = b in the least-squares sense, A = A' >= 0 perhaps singular: joint rows of a mechanism may be
 *          redundant.
 * Method   scale to unit diagonal; Cholesky with diagonal pivoting, which stops at the first pivot <= tol: that is
 *          the rank. If rank < n the n x r factor is made orthogonal, L = Q R (modified Gram-Schmidt, twice), so
 *          that A^+ = Q R'^-1 R^-1 Q'.
 * Valid    singular values of A (scaled) are either >> tol or << tol; for values near tol the rank is arbitrary.
 * Cost     n^3/3 flops at full rank, at most 4 n^3 more otherwise.
 * Source   Higham, Analysis of the Cholesky decomposition of a semi-definite matrix (1990); Golub, Van Loan (4th
 *          ed.) 5.2.8, 5.4.7. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "linalg/kernel.h"
#include "linalg/linalg.h"

/* A remainder of this size (unit diagonal) is not rounding error: the matrix is indefinite. */
#define CLEARLY 1e-5

size_t pp_psd_work(int n) {
    size_t m = n > 0 ? (size_t)n : 1;
    return 2 * m * m + 2 * m;
}

static void exchange(int n, double *F, int k, int p) {
    ptrdiff_t ld = n;
    for (int j = 0; j < k; j++) { /* rows of the finished columns */
        double t = F[k + ld * j];
        F[k + ld * j] = F[p + ld * j];
        F[p + ld * j] = t;
    }
    double t = F[k + ld * k]; /* the rest is symmetric, and only its lower triangle is kept */
    F[k + ld * k] = F[p + ld * p];
    F[p + ld * p] = t;
    for (int i = k + 1; i < p; i++) {
        t = F[i + ld * k];
        F[i + ld * k] = F[p + ld * i];
        F[p + ld * i] = t;
    }
    for (int i = p + 1; i < n; i++) {
        t = F[i + ld * k];
        F[i + ld * k] = F[i + ld * p];
        F[i + ld * p] = t;
    }
}

/* L (in F, n x r) = Q R; Q over L. */
static void orthogonalise(int n, int r, double *F, double *R) {
    ptrdiff_t ld = n;
    for (int j = 0; j < r; j++) {
        double *f = F + ld * j, *c = R + ld * j;
        for (int i = 0; i < r; i++) c[i] = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < j; i++) {
                double s = pp_dot(n, F + ld * i, f);
                pp_axpy(n, -s, F + ld * i, f);
                c[i] += s;
            }
        c[j] = sqrt(pp_dot(n, f, f));
        for (int i = 0; i < n; i++) f[i] /= c[j];
    }
}

bool pp_psd_factor(pp_psd *f, int n, const double *A, int ld, double tol, double *work) {
    assert(tol > 0);
    ptrdiff_t m = n;
    f->n = n;
    f->rank = 0;
    f->least = 1;
    f->scale = work;
    f->F = work + m;
    f->R = NULL;
    f->perm = (int *)(void *)(work + m + 2 * m * m);
    double *F = f->F;
    double most = 0;
    for (int i = 0; i < n; i++) most = A[i + (ptrdiff_t)ld * i] > most ? A[i + (ptrdiff_t)ld * i] : most;
    for (int i = 0; i < n; i++) {
        double d = A[i + (ptrdiff_t)ld * i];
        if (!isfinite(d) || d < -CLEARLY * most) return false;
        f->scale[i] = d > 0 ? 1 / sqrt(d) : 0;
        if (!isfinite(f->scale[i])) return false;
        f->perm[i] = i;
    }
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double a = A[i + (ptrdiff_t)ld * j];
            if (a != 0 && (f->scale[i] == 0 || f->scale[j] == 0) && i != j) return false; /* indefinite */
            a *= f->scale[i] * f->scale[j];
            if (!isfinite(a)) return false;
            F[i + m * j] = a;
        }
    int k = 0;
    for (; k < n; k++) {
        int p = k;
        double best = F[k + m * k];
        for (int i = k + 1; i < n; i++)
            if (F[i + m * i] > best) best = F[i + m * i], p = i;
        if (!(best > tol)) break;
        if (best < f->least) f->least = best;
        if (p != k) {
            exchange(n, F, k, p);
            int t = f->perm[k];
            f->perm[k] = f->perm[p];
            f->perm[p] = t;
        }
        double *c = F + m * k;
        c[k] = sqrt(best);
        for (int i = k + 1; i < n; i++) c[i] /= c[k];
        for (int j = k + 1; j < n; j++) pp_axpy(n - j, -c[j], c + j, F + m * j + j);
    }
    for (int i = k; i < n; i++)
        for (int j = k; j <= i; j++) /* what is left of a semidefinite matrix is rounding, off the diagonal too */
            if (!(F[i + m * j] >= -CLEARLY && F[i + m * j] <= CLEARLY)) return false;
    f->rank = k;
    if (k == n) return true;
    for (int j = 0; j < k; j++)
        for (int i = 0; i < j; i++) F[i + m * j] = 0; /* the upper triangle was never written */
    f->R = F + m * m;
    orthogonalise(n, k, F, f->R);
    return true;
}

void pp_psd_solve(const pp_psd *f, int nrhs, double *B, int ldb, double *tmp) {
    int n = f->n, r = f->rank;
    ptrdiff_t ld = n;
    for (int s = 0; s < nrhs; s++) {
        double *b = B + (ptrdiff_t)ldb * s;
        for (int i = 0; i < n; i++) tmp[i] = f->scale[f->perm[i]] * b[f->perm[i]];
        if (!f->R) {
            pp_cholesky_solve(n, f->F, n, 1, tmp, n);
        } else {
            double *c = b; /* room for r <= n numbers */
            for (int j = 0; j < r; j++) c[j] = pp_dot(n, f->F + ld * j, tmp);
            for (int j = r - 1; j >= 0; j--) {
                c[j] /= f->R[j + ld * j];
                pp_axpy(j, -c[j], f->R + ld * j, c);
            }
            for (int j = 0; j < r; j++) c[j] = (c[j] - pp_dot(j, f->R + ld * j, c)) / f->R[j + ld * j];
            for (int i = 0; i < n; i++) tmp[i] = 0;
            for (int j = 0; j < r; j++) pp_axpy(n, c[j], f->F + ld * j, tmp);
        }
        for (int i = 0; i < n; i++) b[f->perm[i]] = f->scale[f->perm[i]] * tmp[i];
    }
}

/* y = Q' S^-1 x or, not dual, Q' S x. scaled: n, y: rank */
static void coordinates(const pp_psd *f, bool dual, const double *x, double *scaled, double *y) {
    ptrdiff_t n = f->n;
    for (int i = 0; i < n; i++) {
        double s = f->scale[f->perm[i]];
        scaled[i] = !dual ? s * x[f->perm[i]] : s > 0 ? x[f->perm[i]] / s : 0;
    }
    for (int j = 0; j < f->rank; j++) y[j] = pp_dot((int)n, f->F + n * j, scaled);
}

void pp_psd_project(const pp_psd *f, bool dual, double *x, double *tmp) {
    assert(f->R);
    ptrdiff_t n = f->n;
    double *y = tmp + n;
    coordinates(f, dual, x, tmp, y);
    for (int i = 0; i < n; i++) tmp[i] = 0;
    for (int j = 0; j < f->rank; j++) pp_axpy((int)n, y[j], f->F + n * j, tmp);
    for (int i = 0; i < n; i++) {
        double s = f->scale[f->perm[i]];
        x[f->perm[i]] = dual ? s * tmp[i] : s > 0 ? tmp[i] / s : 0;
    }
}

/* Q_1' x = y with the first rows Q_1 of Q: L = Q R begins with a triangle L_1, so L_1' x = R' y. */
void pp_psd_basic_solution(const pp_psd *f, double *x, double *tmp) {
    assert(f->R);
    ptrdiff_t n = f->n, r = f->rank;
    double *y = tmp + n, *L = tmp + 2 * n;
    coordinates(f, true, x, tmp, y);
    for (int j = 0; j < r; j++) {
        tmp[j] = pp_dot(j + 1, f->R + n * j, y);
        for (int i = 0; i < n; i++) L[i + n * j] = 0;
        for (int k = 0; k <= j; k++) pp_axpy((int)(r - j), f->R[k + n * j], f->F + n * k + j, L + n * j + j);
    }
    for (int i = 0; i < n; i++) x[i] = 0;
    for (ptrdiff_t j = r - 1; j >= 0; j--) {
        tmp[j] = (tmp[j] - pp_dot((int)(r - j - 1), L + n * j + j + 1, tmp + j + 1)) / L[j + n * j];
        x[f->perm[j]] = f->scale[f->perm[j]] * tmp[j];
    }
}
