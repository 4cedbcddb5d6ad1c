/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_linalg.c - dense linear algebra against plain definitions, on random asymmetric and rank-deficient
 * matrices */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/linalg.h"
#include "oracle/random_problem.h"

#define MAX 160
static double A[MAX * MAX], B[MAX * MAX], C[MAX * MAX], D[MAX * MAX], x[MAX], b[MAX], y[MAX], big[3 * MAX * MAX];
static int piv[MAX];

static void fill(double *a, int n) {
    for (int i = 0; i < n; i++) a[i] = rp_sym();
}

/* Largest |A x - b|, A n x n. */
static double left_over(int n, const double *a, int ld, const double *u, const double *v) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        double s = -v[i];
        for (int j = 0; j < n; j++) s += a[i + ld * j] * u[j];
        most = fmax(most, fabs(s));
    }
    return most;
}

/* A A^-1 is 1, in place too; what is singular is refused and left as it was. */
static void test_small_inverse(void **state) {
    (void)state;
    for (int round = 0; round < 200; round++) {
        int n = 1 + rp_int(PP_SMALL);
        fill(A, n * n);
        for (int i = 0; i < n; i++) A[i + n * i] += 3 * n;
        for (int j = 0; j < n; j++) /* rows change places, so that pivots are not on the diagonal */
            for (int i = 0; i < n; i++) B[(i + 1) % n + n * j] = A[i + n * j];
        memcpy(C, B, sizeof *B * (size_t)(n * n));
        assert_true(pp_small_inverse(n, B, D) && pp_small_inverse(n, C, C));
        assert_memory_equal(C, D, sizeof *D * (size_t)(n * n));
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) b[i] = i == j;
            assert_true(left_over(n, B, n, D + n * j, b) < 1e-13);
        }
        for (int i = 0; i < n; i++) A[i] = 0; /* a column */
        assert_false(pp_small_inverse(n, A, C));
        assert_memory_equal(C, D, sizeof *D * (size_t)(n * n));
    }
}

static void test_products(void **state) {
    (void)state;
    for (int round = 0; round < 200; round++) {
        int m = 1 + rp_int(13), n = 1 + rp_int(13), k = 1 + rp_int(13), ld = 15;
        double alpha = rp_sym(), beta = rp_int(3) ? rp_sym() : 0;
        fill(A, 15 * 15), fill(B, 15 * 15), fill(C, 15 * 15), fill(x, 15), fill(b, 15);
        for (int t = 0; t < 2; t++) {
            memcpy(y, b, sizeof y);
            if (beta == 0) y[0] = NAN; /* must not count */
            pp_gemv(t, n, A, ld, x, beta, y);
            for (int i = 0; i < n; i++) {
                double s = beta == 0 ? 0 : beta * b[i];
                for (int j = 0; j < n; j++) s += (t ? A[j + ld * i] : A[i + ld * j]) * x[j];
                assert_true(fabs(y[i] - s) < 1e-14);
            }
        }
        for (int t = 0; t < 4; t++) {
            bool ta = t & 1, tb = t & 2;
            memcpy(D, C, sizeof D);
            pp_gemm(ta, tb, m, n, k, alpha, A, ld, B, ld, beta, D, ld);
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++) {
                    double s = beta * C[i + ld * j];
                    for (int l = 0; l < k; l++)
                        s += alpha * (ta ? A[l + ld * i] : A[i + ld * l]) * (tb ? B[j + ld * l] : B[l + ld * j]);
                    assert_true(fabs(D[i + ld * j] - s) < 1e-14);
                }
            assert_true(D[m + ld * (n - 1)] == C[m + ld * (n - 1)]); /* nothing written outside */
        }
    }
}

static void test_lu(void **state) {
    (void)state;
    for (int step = 0; step < 60; step++) {
        int n = step < 20 ? step : step < 26 ? 20 + 23 * (step - 20) : 40, ld = n + 1;
        fill(A, MAX * MAX), fill(b, MAX);
        if (n > 2) A[0] = 0; /* needs an exchange at once */
        if (step >= 26) {    /* nearly singular: the inverse is nearly of rank one, in some direction */
            for (int i = 0; i < n; i++) A[i + ld * (n - 1)] *= 1e-6;
            for (int j = 0; j < n - 1; j++)
                for (int i = 0; i < n; i++) A[i + ld * (n - 1)] += 0.01 * j * A[i + ld * j];
        }
        memcpy(B, A, sizeof A);
        memcpy(x, b, sizeof b);
        assert_true(pp_lu(n, B, ld, piv));
        pp_lu_solve(n, B, ld, piv, 1, x, MAX);
        double most = 1; /* backward stable: what is left over is small beside A x, however large x is */
        for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
        assert_true(left_over(n, A, ld, x, b) < 4e-15 * (n + 1) * most);
        if (n == 0) continue;
        /* exact 1-norm of the inverse, column by column */
        double inverse = 0;
        for (int j = 0; j < n; j++) {
            memset(y, 0, sizeof y);
            y[j] = 1;
            pp_lu_solve(n, B, ld, piv, 1, y, MAX);
            double s = 0;
            for (int i = 0; i < n; i++) s += fabs(y[i]);
            inverse = fmax(inverse, s);
        }
        double norm = pp_norm1(n, A, ld), exact = 1 / (norm * inverse), rcond = pp_lu_rcond(n, B, ld, piv, norm, C);
        assert_true(rcond >= exact * (1 - 1e-6) && rcond < (step < 26 ? 5 : 1.2) * exact);
    }
    double singular[9] = {1, 2, 3, 2, 4, 6, 1, 0, 1};
    assert_false(pp_lu(3, singular, 3, piv));
    double strange[4] = {1, NAN, 2, 1}, strange2[4] = {1, 1, INFINITY, 1}, strange3[4] = {1, 1, NAN, 1};
    assert_false(pp_lu(2, strange, 2, piv));
    assert_false(pp_lu(2, strange2, 2, piv));
    assert_false(pp_lu(2, strange3, 2, piv));
    double one[4] = {1, 0, 0, 0};
    assert_true(pp_lu_rcond(2, one, 2, piv, NAN, C) == 0);
}

static void test_cholesky(void **state) {
    (void)state;
    for (int n = 1; n < MAX; n += n < 20 ? 1 : 37) {
        fill(B, n * n);
        pp_gemm(false, true, n, n, n, 1, B, n, B, n, 0, A, n);
        for (int i = 0; i < n; i++) A[i + n * i] += 0.1;
        fill(b, n);
        memcpy(x, b, sizeof b);
        memcpy(C, A, sizeof A);
        assert_true(pp_cholesky(n, C, n));
        pp_cholesky_solve(n, C, n, 1, x, n);
        assert_true(left_over(n, A, n, x, b) < 1e-9);
        C[0] = -1;
        assert_false(pp_cholesky(n, C, n));
        memcpy(C, A, sizeof A);
        C[n - 1 + n * (n - 1)] = NAN;
        assert_false(pp_cholesky(n, C, n));
    }
}

static void test_eigen(void **state) {
    (void)state;
    for (int n = 1; n < 80; n += 13) {
        for (int j = 0; j < n; j++)
            for (int i = 0; i <= j; i++) A[i + n * j] = A[j + n * i] = rp_sym();
        memcpy(B, A, sizeof A);
        double *work = malloc(sizeof(double) * (size_t)pp_eigen_work(n));
        assert_true(pp_eigen(n, B, n, y, work));
        free(work);
        for (int j = 0; j < n; j++) {
            if (j > 0) assert_true(y[j] >= y[j - 1]);
            for (int i = 0; i < n; i++) b[i] = y[j] * B[i + n * j];
            assert_true(left_over(n, A, n, B + n * j, b) < 1e-12 * n);
        }
        A[0] = NAN;
        assert_false(pp_eigen(n, A, n, y, C));
    }
}

/* Semidefinite of given rank, with rows of very different size; the diagonal scaling must not matter. */
static void make_psd(int n, int rank, double spread) {
    fill(B, n * n);
    for (int i = 0; i < n; i++) {
        double f = pow(spread, rp_unit());
        for (int k = 0; k < rank; k++) B[i + n * k] *= f;
    }
    pp_gemm(false, true, n, n, rank, 1, B, n, B, n, 0, A, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) A[i + n * j] = A[j + n * i];
}

static void test_psd(void **state) {
    (void)state;
    pp_psd f;
    for (int round = 0; round < 300; round++) {
        int n = 1 + rp_int(24), rank = rp_int(n + 1);
        make_psd(n, rank, 1e3);
        int zero = rp_int(3) == 0 ? rp_int(n) : -1; /* a row that touches nothing */
        for (int i = 0; zero >= 0 && i < n; i++) A[i + n * zero] = A[zero + n * i] = 0;
        if (zero >= 0 && rank == n) rank--;
        assert_true(pp_psd_factor(&f, n, A, n, 1e-11, big));
        assert_int_equal(f.rank, rank);
        /* consistent system: solved */
        fill(x, n);
        pp_gemv(false, n, A, n, x, 0, b);
        memcpy(y, b, sizeof b);
        pp_psd_solve(&f, 1, y, n, C);
        for (int i = 0; i < n; i++) {
            double s = -b[i], size = sqrt(A[i + n * i]);
            for (int j = 0; j < n; j++) s += A[i + n * j] * y[j], size += fabs(A[i + n * j] * x[j]);
            assert_true(fabs(s) <= 1e-9 * size);
        }
        if (zero >= 0) assert_true(y[zero] == 0);
        /* any other: least squares in the scale of the rows, A S^2 (A y - b) = 0, and of least norm: y = S^2 A u for
         * some u */
        fill(b, n);
        for (int i = 0; i < n; i++) b[i] *= sqrt(A[i + n * i]);
        memcpy(y, b, sizeof b);
        pp_psd_solve(&f, 1, y, n, C);
        double r[MAX], g = 0, size = 1; /* rounding goes with the size of y, 1 over the smallest eigenvalue */
        for (int i = 0; i < n; i++) {
            if (f.scale[i] > 0) size = fmax(size, fabs(y[i]) / f.scale[i]);
            r[i] = -b[i];
            for (int j = 0; j < n; j++) r[i] += A[i + n * j] * y[j];
            r[i] *= f.scale[i];
        }
        for (int i = 0; i < n; i++) {
            double s = 0;
            for (int j = 0; j < n; j++) s += f.scale[i] * A[i + n * j] * f.scale[j] * r[j];
            g = fmax(g, fabs(s));
        }
        assert_true(g < 1e-13 * n * size);
        /* the solution of A u = A y is y itself, if it has no part that A does not see */
        pp_gemv(false, n, A, n, y, 0, b);
        pp_psd_solve(&f, 1, b, n, D);
        for (int i = 0; i < n; i++)
            if (f.scale[i] > 0) assert_true(fabs(b[i] - y[i]) / f.scale[i] < 1e-6 * (1 + fabs(y[i]) / f.scale[i]));
    }
}

static void test_psd_refuses(void **state) {
    (void)state;
    pp_psd f;
    double indefinite[4] = {1, 2, 2, 1}, saddle[4] = {0, 1, 1, 0}, negative[4] = {-1, 0, 0, 1},
           nan[4] = {1, NAN, NAN, 1};
    assert_false(pp_psd_factor(&f, 2, indefinite, 2, 1e-11, big));
    assert_false(pp_psd_factor(&f, 2, saddle, 2, 1e-11, big));
    assert_false(pp_psd_factor(&f, 2, negative, 2, 1e-11, big));
    assert_false(pp_psd_factor(&f, 2, nan, 2, 1e-11, big));
    assert_true(pp_psd_factor(&f, 0, NULL, 1, 1e-11, big));
    /* Kahan's triangle: R'R is singular to 1e-15 although no pivot of plain Cholesky is below 1e-3. Pivots in order
     * must see it. */
    int n = 90;
    double c = 0.285, s = sqrt(1 - c * c);
    memset(B, 0, sizeof B);
    double p = 1;
    for (int i = 0; i < n; i++, p *= s) {
        B[i + n * i] = p;
        for (int j = i + 1; j < n; j++) B[i + n * j] = -c * p;
    }
    pp_gemm(true, false, n, n, n, 1, B, n, B, n, 0, A, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) A[i + n * j] = A[j + n * i];
    memcpy(C, A, sizeof A);
    assert_true(pp_eigen(n, C, n, y, big));
    assert_true(y[0] < 1e-12 * y[n - 1]); /* it is as singular as was said */
    assert_true(pp_psd_factor(&f, n, A, n, 1e-11, big));
    fill(x, n);
    pp_gemv(false, n, A, n, x, 0, b);
    memcpy(x, b, sizeof b);
    pp_psd_solve(&f, 1, x, n, C);
    assert_true(left_over(n, A, n, x, b) < 1e-8);
}

/* The same bits wherever the arrays lie. */
static void test_alignment(void **state) {
    (void)state;
    enum { N = 53 };
    static double room[N * N + 8], other[N * N + 8], u[N + 8], v[N + 8];
    double first[N];
    fill(A, N * N), fill(b, N);
    for (int shift = 0; shift < 8; shift++) {
        double *M = room + shift, *T = other + (shift * 3) % 8, *z = u + (shift * 5) % 8, *w = v + shift;
        memcpy(M, A, sizeof(double) * N * N);
        memcpy(z, b, sizeof(double) * N);
        pp_gemm(true, false, N, N, N, 1, M, N, M, N, 0, T, N);
        pp_gemv(true, N, T, N, z, 0, w);
        assert_true(pp_cholesky(N, T, N));
        pp_cholesky_solve(N, T, N, 1, w, N);
        assert_true(pp_lu(N, M, N, piv));
        pp_lu_solve(N, M, N, piv, 1, w, N);
        if (shift == 0) memcpy(first, w, sizeof first);
        assert_memory_equal(first, w, sizeof first);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_inverse), cmocka_unit_test(test_products),  cmocka_unit_test(test_lu),
        cmocka_unit_test(test_cholesky),      cmocka_unit_test(test_eigen),     cmocka_unit_test(test_psd),
        cmocka_unit_test(test_psd_refuses),   cmocka_unit_test(test_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
