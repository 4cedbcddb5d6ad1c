/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_eigen.c - the dense symmetric eigenvalue routine: known spectra, degenerate and graded matrices, all sizes, and
 * LAPACK where it is installed */
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/linalg.h"
#include "oracle/random_problem.h"

#define MAX 201
#define PI  3.14159265358979323846
static double A[MAX * MAX], V[MAX * MAX], lambda[MAX], expected[MAX], work[4 * MAX];

/* Bound of residual and orthogonality, in ulp of the largest eigenvalue and of one. The largest seen is 0.8 (n + 4). */
static double bound(int n) { return 2 * (n + 4) * DBL_EPSILON; }

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Solves A (ld may exceed n) and holds A V = V diag(lambda), V'V = 1 and the order against the bound. */
static void check(int n, int ld) {
    double most = 0;
    memcpy(V, A, sizeof A);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) V[i + ld * j] = NAN; /* only the lower triangle is read */
    assert_true(pp_eigen_work(n) <= 4 * MAX);
    assert_true(pp_eigen(n, V, ld, lambda, work));
    for (int i = 0; i < n; i++) most = fmax(most, fabs(lambda[i]));
    for (int j = 0; j < n; j++) {
        assert_true(j == 0 || lambda[j] >= lambda[j - 1]);
        for (int i = 0; i < n; i++) {
            double r = 0, o = i == j ? -1 : 0;
            for (int k = 0; k < n; k++) { /* divided first: entries may be near the ends of the range */
                if (most > 0) r += A[i + ld * k] / most * V[k + ld * j];
                o += V[k + ld * i] * V[k + ld * j];
            }
            if (most > 0) r -= lambda[j] / most * V[i + ld * j];
            if (!(fabs(r) <= bound(n)) || !(fabs(o) <= bound(n)))
                fail_msg("n = %d, entry %d of vector %d: residual %g, orthogonality %g, bound %g", n, i, j, r, o,
                         bound(n));
        }
    }
}

/* ... and the eigenvalues against `expected`, which is sorted here. */
static void check_values(int n) {
    double most = 0;
    check(n, n);
    qsort(expected, (size_t)n, sizeof *expected, ascending);
    for (int i = 0; i < n; i++) most = fmax(most, fabs(expected[i]));
    for (int i = 0; i < n; i++)
        if (!(fabs(lambda[i] - expected[i]) <= bound(n) * most))
            fail_msg("n = %d, eigenvalue %d: %.17g, not %.17g", n, i, lambda[i], expected[i]);
}

static void set(int n, int i, int j, double v) { A[i + n * j] = A[j + n * i] = v; }

/* A = H diag(expected) H with a random reflection H, symmetric to the last bit. */
static void turn(int n) {
    double v[MAX], square = 0;
    for (int i = 0; i < n; i++) v[i] = rp_sym(), square += v[i] * v[i];
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += ((i == k) - 2 * v[i] * v[k] / square) * expected[k] * ((j == k) - 2 * v[j] * v[k] / square);
            set(n, i, j, sum);
        }
}

/* Every size up to 200 where time allows; a leading dimension beyond n. */
static void test_sizes(void **state) {
    (void)state;
    assert_true(pp_eigen(0, NULL, 1, NULL, work));
    for (int n = 1; n <= 200; n += n < 40 ? 1 : 23) {
        for (int j = 0; j < n; j++)
            for (int i = j; i < n; i++) A[i + MAX * j] = A[j + MAX * i] = rp_sym();
        check(n, MAX);
    }
    for (int j = 0; j < 200; j++)
        for (int i = j; i < 200; i++) set(200, i, j, rp_sym());
    check(200, 200);
}

static void test_known_spectra(void **state) {
    (void)state;
    for (int n = 1; n <= 200; n = 2 * n + 1) {
        memset(A, 0, sizeof A); /* second difference: 2 - 2 cos(k pi/(n + 1)) */
        for (int i = 0; i < n; i++) {
            set(n, i, i, 2);
            if (i > 0) set(n, i, i - 1, -1);
            expected[i] = 2 - 2 * cos((i + 1) * PI / (n + 1));
        }
        check_values(n);
        for (int j = 0; j < n; j++) /* ones: n and zeros */
            for (int i = j; i < n; i++) set(n, i, j, 1);
        for (int i = 0; i < n; i++) expected[i] = i == 0 ? n : 0;
        check_values(n);
        memset(A, 0, sizeof A); /* exchange: +1 and -1, no diagonal */
        for (int i = 0; i < n; i++) {
            A[i + n * (n - 1 - i)] = 1;
            expected[i] = i < (n + 1) / 2 ? 1 : -1;
        }
        check_values(n);
        memset(A, 0, sizeof A); /* Clement: n - 1, n - 3, ..., 1 - n, no diagonal */
        for (int i = 0; i < n; i++) {
            if (i > 0) set(n, i, i - 1, sqrt((double)i * (n - i)));
            expected[i] = n - 1 - 2 * i;
        }
        check_values(n);
        memset(A, 0, sizeof A); /* diagonal, in any order, and zero */
        check(n, n);
        for (int i = 0; i < n; i++) set(n, i, i, expected[i] = rp_sym());
        check_values(n);
    }
}

/* Clusters: many equal eigenvalues, eigenvalues an ulp apart, Wilkinson's pairs that agree to all digits. */
static void test_degenerate(void **state) {
    (void)state;
    const int n = 60;
    for (int i = 0; i < n; i++) expected[i] = i % 3 - 1;
    turn(n);
    check_values(n);
    for (int i = 0; i < n; i++) expected[i] = i < 30 ? 1 + i * DBL_EPSILON : 1e-14 * i;
    turn(n);
    check_values(n);
    for (int i = 0; i < n; i++) expected[i] = i == 7 ? 3 : 0; /* rank one */
    turn(n);
    check_values(n);
    memset(A, 0, sizeof A);
    for (int i = 0; i < 21; i++) {
        set(21, i, i, abs(i - 10));
        if (i > 0) set(21, i, i - 1, 1);
    }
    check(21, 21);
    assert_true(fabs(lambda[20] - 10.746194182903393) < 1e-13);
    assert_true(fabs(lambda[19] - 10.746194182903322) < 1e-13);
    assert_true(lambda[0] < -1.1254415221199847 + 1e-13 && lambda[0] > -1.1254415221199847 - 1e-13);
}

/* Entries from 1e-150 to 1e150, falling or rising along the diagonal, and matrices near both ends of the range. */
static void test_graded(void **state) {
    (void)state;
    for (int n = 2; n <= 80; n += 13)
        for (int kind = 0; kind < 6; kind++) {
            for (int j = 0; j < n; j++)
                for (int i = j; i < n; i++) {
                    double p = (i + j) / (2.0 * (n - 1));
                    double size = kind == 0   ? pow(10, 150 - 300 * p)
                                  : kind == 1 ? pow(10, 300 * p - 150)
                                  : kind == 2 ? 1e-150
                                  : kind == 3 ? 1e150
                                  : kind == 4 ? 1e-307
                                              : 1e306 / n;
                    set(n, i, j, size * (i == j ? 1 : 0.5 * rp_sym()));
                }
            check(n, n);
        }
    /* Decoupled blocks of very different size keep their own digits. */
    memset(A, 0, sizeof A);
    A[0] = 2e-140, A[1] = A[4] = 1e-140, A[5] = 2e-140, A[10] = 2e140, A[11] = A[14] = 1e140, A[15] = 2e140;
    assert_true(pp_eigen(4, A, 4, lambda, work));
    const double own[4] = {1e-140, 3e-140, 1e140, 3e140};
    for (int i = 0; i < 4; i++) assert_true(fabs(lambda[i] / own[i] - 1) < 4 * DBL_EPSILON);
}

static void test_refuses(void **state) {
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++)
        for (int at = 0; at < 3; at++) {
            memset(A, 0, sizeof A);
            set(3, 2, at, bad[k]);
            assert_false(pp_eigen(3, A, 3, lambda, work));
        }
}

typedef void (*lapack_dsyev)(const char *, const char *, const int *, double *, const int *, double *, double *,
                             const int *, int *);

/* The eigenvalues of LAPACK's dsyev on random, graded and semidefinite matrices. */
static void test_lapack(void **state) {
    (void)state;
    void *library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL), *symbol = NULL;
    if (library) symbol = dlsym(library, "dsyev_");
    if (!symbol) {
        print_message("LAPACK is not installed\n");
        skip();
    }
    lapack_dsyev dsyev;
    memcpy(&dsyev, &symbol, sizeof symbol);
    static double room[40 * MAX];
    for (int n = 1; n <= 160; n += 7)
        for (int kind = 0; kind < 3; kind++) {
            for (int j = 0; j < n; j++)
                for (int i = j; i < n; i++) set(n, i, j, kind == 1 ? rp_sym() * pow(10, -0.1 * (i + j)) : rp_sym());
            if (kind == 2) { /* of half the rank */
                for (int j = 0; j < n; j++)
                    for (int i = 0; i < n; i++) V[i + n * j] = rp_sym();
                pp_gemm(false, true, n, n, n / 2, 1, V, n, V, n, 0, A, n);
                for (int j = 0; j < n; j++)
                    for (int i = j; i < n; i++) set(n, i, j, A[i + n * j]);
            }
            memcpy(V, A, sizeof A);
            int space = 40 * MAX, info = 1;
            dsyev("V", "L", &n, V, &n, expected, room, &space, &info);
            assert_int_equal(info, 0);
            check_values(n);
        }
    dlclose(library);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),  cmocka_unit_test(test_known_spectra), cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_graded), cmocka_unit_test(test_refuses),       cmocka_unit_test(test_lapack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
