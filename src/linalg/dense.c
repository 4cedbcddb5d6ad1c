/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* dense.c - dense products, LU, Cholesky (column-major)
 * Problem  A x = b, A = L L' for matrices of a few to a few hundred rows.
 * Method   column-oriented loops of our own (kernel.h): left-looking LU with partial pivoting, left-looking
 *          Cholesky, Hager's estimate of the condition. The bits are the same on every alignment and thread count,
 *          which BLAS does not promise.
 * Valid    any finite matrix; a matrix that is not finite is refused.
 * Cost     LU 2/3 n^3, Cholesky 1/3 n^3 flops.
 * Source   Golub, Van Loan, Matrix Computations (4th ed.), 3.2, 3.4, 4.2; Higham, Accuracy and Stability (2nd ed.),
 *          algorithm 15.1. */
#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

#include "linalg/kernel.h"

static const double *col(const double *A, int ld, int j) { return A + (size_t)ld * (size_t)j; }
static double *colw(double *A, int ld, int j) { return A + (size_t)ld * (size_t)j; }

static void scale_vector(int n, double beta, double *y) {
    if (beta == 0) /* so that y may hold anything before */
        for (int i = 0; i < n; i++) y[i] = 0;
    else if (beta != 1)
        for (int i = 0; i < n; i++) y[i] *= beta;
}

/* y += alpha A x */
static void add_product(int n, const double *A, int ld, const double *x, double *y) {
    int j = 0;
    for (; j + 4 <= n; j += 4) pp_axpy4(n, x + j, col(A, ld, j), ld, y);
    for (; j < n; j++) pp_axpy(n, x[j], col(A, ld, j), y);
}

void pp_gemv(bool trans, int n, const double *A, int ld, const double *x, double beta, double *y) {
    scale_vector(n, beta, y);
    if (!trans)
        add_product(n, A, ld, x, y);
    else
        for (int j = 0; j < n; j++) y[j] += pp_dot(n, col(A, ld, j), x);
}

void pp_gemm(bool ta, bool tb, int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
             double beta, double *C, int ldc) {
    for (int j = 0; j < n; j++) {
        double *c = colw(C, ldc, j);
        scale_vector(m, beta, c);
        if (!ta) {
            int l = 0;
            for (; l + 4 <= k; l += 4) {
                double a[4];
                for (int s = 0; s < 4; s++) a[s] = alpha * (tb ? col(B, ldb, l + s)[j] : col(B, ldb, j)[l + s]);
                pp_axpy4(m, a, col(A, lda, l), lda, c);
            }
            for (; l < k; l++) pp_axpy(m, alpha * (tb ? col(B, ldb, l)[j] : col(B, ldb, j)[l]), col(A, lda, l), c);
        } else if (!tb) {
            for (int i = 0; i < m; i++) c[i] += alpha * pp_dot(k, col(A, lda, i), col(B, ldb, j));
        } else {
            for (int i = 0; i < m; i++) {
                double s = 0;
                for (int l = 0; l < k; l++) s += col(A, lda, i)[l] * col(B, ldb, l)[j];
                c[i] += alpha * s;
            }
        }
    }
}

bool pp_lu(int n, double *A, int ld, int *piv) {
    for (int j = 0; j < n; j++) {
        double *a = colw(A, ld, j);
        for (int k = 0; k < j; k++) { /* the row exchanges so far */
            double t = a[k];
            a[k] = a[piv[k]];
            a[piv[k]] = t;
        }
        int k = 0;
        for (; k + 4 <= j; k += 4) { /* subtract four columns of L: first among the four rows themselves, then below */
            for (int s = 0; s < 4; s++)
                for (int r = s + 1; r < 4; r++) a[k + r] -= a[k + s] * col(A, ld, k + s)[k + r];
            const double f[4] = {-a[k], -a[k + 1], -a[k + 2], -a[k + 3]};
            pp_axpy4(n - k - 4, f, col(A, ld, k) + k + 4, ld, a + k + 4);
        }
        for (; k < j; k++) pp_axpy(n - k - 1, -a[k], col(A, ld, k) + k + 1, a + k + 1);
        int p = j;
        double best = fabs(a[j]);
        for (int i = j + 1; i < n; i++)
            if (fabs(a[i]) > best) best = fabs(a[i]), p = i;
        piv[j] = p;
        if (!(best > 0) || !isfinite(best)) return false;
        for (int i = 0; i < j; i++)
            if (!isfinite(a[i])) return false;
        if (p != j)
            for (int l = 0; l <= j; l++) {
                double *b = colw(A, ld, l), t = b[j];
                b[j] = b[p];
                b[p] = t;
            }
        for (int i = j + 1; i < n; i++) {
            a[i] /= a[j];
            if (!isfinite(a[i])) return false;
        }
    }
    return true;
}

void pp_lu_solve(int n, const double *LU, int ld, const int *piv, int nrhs, double *B, int ldb) {
    for (int r = 0; r < nrhs; r++) {
        double *b = colw(B, ldb, r);
        for (int k = 0; k < n; k++) {
            double t = b[k];
            b[k] = b[piv[k]];
            b[piv[k]] = t;
        }
        for (int k = 0; k < n; k++)
            if (b[k] != 0) pp_axpy(n - k - 1, -b[k], col(LU, ld, k) + k + 1, b + k + 1);
        for (int k = n - 1; k >= 0; k--) {
            b[k] /= col(LU, ld, k)[k];
            if (b[k] != 0) pp_axpy(k, -b[k], col(LU, ld, k), b);
        }
    }
}

/* A' x = b with the factors. */
static void lu_solve_transposed(int n, const double *LU, int ld, const int *piv, double *b) {
    for (int k = 0; k < n; k++) b[k] = (b[k] - pp_dot(k, col(LU, ld, k), b)) / col(LU, ld, k)[k];
    for (int k = n - 1; k >= 0; k--) b[k] -= pp_dot(n - k - 1, col(LU, ld, k) + k + 1, b + k + 1);
    for (int k = n - 1; k >= 0; k--) {
        double t = b[k];
        b[k] = b[piv[k]];
        b[piv[k]] = t;
    }
}

double pp_lu_rcond(int n, const double *LU, int ld, const int *piv, double anorm, double *work) {
    if (n == 0) return 1;
    if (!(anorm > 0) || !isfinite(anorm)) return 0;
    double *x = work, *y = work + n, est = 0;
    for (int i = 0; i < n; i++) x[i] = 1.0 / n;
    for (int pass = 0; pass < 5; pass++) {
        memcpy(y, x, sizeof *y * (size_t)n);
        pp_lu_solve(n, LU, ld, piv, 1, y, n);
        double s = 0;
        for (int i = 0; i < n; i++) s += fabs(y[i]);
        if (!isfinite(s)) return 0;
        if (s > est) est = s;
        for (int i = 0; i < n; i++) y[i] = y[i] < 0 ? -1 : 1;
        lu_solve_transposed(n, LU, ld, piv, y);
        int best = 0;
        double zx = 0;
        for (int i = 0; i < n; i++) {
            zx += y[i] * x[i];
            if (fabs(y[i]) > fabs(y[best])) best = i;
        }
        if (!isfinite(zx)) return 0;
        if (pass > 0 && fabs(y[best]) <= zx) break;
        for (int i = 0; i < n; i++) x[i] = 0;
        x[best] = 1;
    }
    /* Higham's second vector, against matrices that fool the iteration. */
    for (int i = 0; i < n; i++) y[i] = (i % 2 ? -1 : 1) * (1 + (n > 1 ? (double)i / (n - 1) : 0));
    pp_lu_solve(n, LU, ld, piv, 1, y, n);
    double s = 0;
    for (int i = 0; i < n; i++) s += fabs(y[i]);
    s *= 2.0 / (3.0 * n);
    if (s > est) est = s;
    double r = 1 / (anorm * est);
    return isfinite(r) ? r : 0;
}

double pp_norm1(int n, const double *A, int ld) {
    double norm = 0;
    for (int j = 0; j < n; j++) {
        double s = 0;
        for (int i = 0; i < n; i++) s += fabs(col(A, ld, j)[i]);
        if (!(s <= norm)) norm = s; /* lets NaN through, on purpose */
    }
    return norm;
}

/* t / pivot. Half of the numbers of an inverse are zeros on the way, and a product has the same sign. */
static inline double divided(double t, double pivot) { return t == 0 ? t * pivot : t / pivot; }

/* Gauss and Jordan with partial pivoting. n is a constant where it is small: a contact, a row. Then all indices are constants. */
static inline __attribute__((always_inline)) bool inverse_of(int n, const double *A, double *X) {
    double T[PP_SMALL * 2 * PP_SMALL]; /* the n x 2n that count are filled */
    PP_UNROLL(3)
    for (int j = 0; j < n; j++) {
        PP_UNROLL(3)
        for (int i = 0; i < n; i++) T[i + n * j] = A[i + n * j], T[i + n * (n + j)] = i == j;
    }
    PP_UNROLL(3)
    for (int p = 0; p < n; p++) {
        int best = p;
        double pivot = T[p + n * p]; /* cppcheck-suppress uninitvar */
        PP_UNROLL(3)
        for (int i = p + 1; i < n; i++)
            if (fabs(T[i + n * p]) > fabs(pivot)) best = i, pivot = T[i + n * p];
        if (!(fabs(pivot) > 1e-300) || !isfinite(pivot)) return false;
        PP_UNROLL(3)
        for (int i = p + 1; i < n; i++) {
            if (i != best) continue;
            PP_UNROLL(6)
            for (int j = p; j < 2 * n; j++) {
                double t = T[i + n * j];
                T[i + n * j] = T[p + n * j];
                T[p + n * j] = t;
            }
        }
        PP_UNROLL(6)
        for (int j = p; j < 2 * n; j++) T[p + n * j] = divided(T[p + n * j], pivot);
        PP_UNROLL(3)
        for (int i = 0; i < n; i++) {
            double f = T[i + n * p];
            if (i == p || f == 0) continue;
            PP_UNROLL(6)
            for (int j = p; j < 2 * n; j++) T[i + n * j] -= f * T[p + n * j];
        }
    }
    memcpy(X, T + n * n, sizeof *X * (size_t)(n * n));
    return true;
}

bool pp_small_inverse(int n, const double *A, double *X) {
    switch (n) {
    case 1: return inverse_of(1, A, X);
    case 2: return inverse_of(2, A, X);
    case 3: return inverse_of(3, A, X);
    default: return inverse_of(n, A, X);
    }
}

bool pp_cholesky(int n, double *A, int ld) {
    for (int j = 0; j < n; j++) {
        double *a = colw(A, ld, j);
        int k = 0;
        for (; k + 4 <= j; k += 4) {
            const double f[4] = {-col(A, ld, k)[j], -col(A, ld, k + 1)[j], -col(A, ld, k + 2)[j],
                                 -col(A, ld, k + 3)[j]};
            pp_axpy4(n - j, f, col(A, ld, k) + j, ld, a + j);
        }
        for (; k < j; k++) pp_axpy(n - j, -col(A, ld, k)[j], col(A, ld, k) + j, a + j);
        if (!(a[j] > 0) || !isfinite(a[j])) return false;
        double d = sqrt(a[j]);
        for (int i = j; i < n; i++) a[i] /= d;
        a[j] = d;
    }
    return true;
}

void pp_cholesky_solve(int n, const double *L, int ld, int nrhs, double *B, int ldb) {
    for (int r = 0; r < nrhs; r++) {
        double *b = colw(B, ldb, r);
        for (int k = 0; k < n; k++) {
            b[k] /= col(L, ld, k)[k];
            if (b[k] != 0) pp_axpy(n - k - 1, -b[k], col(L, ld, k) + k + 1, b + k + 1);
        }
        for (int k = n - 1; k >= 0; k--)
            b[k] = (b[k] - pp_dot(n - k - 1, col(L, ld, k) + k + 1, b + k + 1)) / col(L, ld, k)[k];
    }
}
