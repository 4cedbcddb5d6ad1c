/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_sparse_lu.c - sparse LU against products with the matrix, on random patterns; refusals */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/sparse_lu.h"
#include "oracle/random_problem.h"

#define MAX 60
static int start[MAX + 1], rows[MAX * MAX];
static double value[MAX * MAX], x[MAX], b[MAX], y[MAX];

/* About `fill` of all entries, and a permuted diagonal so that the pattern is regular. */
static void make(int n, double fill, int shift) {
    int count = 0;
    for (int j = 0; j < n; j++) {
        start[j] = count;
        for (int i = 0; i < n; i++)
            if (i == (j + shift) % n || rp_unit() < fill) {
                rows[count] = i;
                value[count++] = rp_sym() + (i == (j + shift) % n ? 4 : 0);
            }
    }
    start[n] = count;
}

static double left_over(int n, bool transposed) {
    double most = 0;
    for (int i = 0; i < n; i++) y[i] = -b[i];
    for (int j = 0; j < n; j++)
        for (int k = start[j]; k < start[j + 1]; k++)
            y[transposed ? j : rows[k]] += value[k] * x[transposed ? rows[k] : j];
    for (int i = 0; i < n; i++) most = fmax(most, fabs(y[i]));
    return most;
}

static void test_random(void **state) {
    (void)state;
    pp_sparse_lu *s = pp_sparse_lu_new();
    assert_non_null(s);
    for (int round = 0; round < 300; round++) {
        int n = 1 + rp_int(MAX);
        make(n, round % 3 * 0.1, rp_int(n));
        for (int again = 0; again < 2; again++) { /* the second time the pattern is known */
            if (again)
                for (int k = 0; k < start[n]; k++) value[k] += 0.1 * rp_sym();
            assert_true(pp_sparse_lu_factor(s, n, start, rows, value));
            for (int t = 0; t < 2; t++) {
                for (int i = 0; i < n; i++) x[i] = b[i] = rp_sym();
                assert_true(pp_sparse_lu_solve(s, t, x));
                double most = 1;
                for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
                assert_true(left_over(n, t) < 1e-12 * most);
            }
            double rcond = pp_sparse_lu_rcond(s);
            assert_true(rcond > 0 && rcond <= 1);
        }
    }
    pp_sparse_lu_free(s);
}

/* Entries from 1e-12 to 1e12: rows are scaled, so that nothing is taken for zero. */
static void test_scales(void **state) {
    (void)state;
    pp_sparse_lu *s = pp_sparse_lu_new();
    for (int round = 0; round < 100; round++) {
        int n = 2 + rp_int(20);
        make(n, 0.2, 0);
        double scale[MAX];
        for (int i = 0; i < n; i++) scale[i] = pow(10, 12 * rp_sym());
        for (int k = 0; k < start[n]; k++) value[k] *= scale[rows[k]];
        assert_true(pp_sparse_lu_factor(s, n, start, rows, value));
        for (int i = 0; i < n; i++) x[i] = b[i] = scale[i] * rp_sym();
        assert_true(pp_sparse_lu_solve(s, false, x));
        (void)left_over(n, false);
        for (int i = 0; i < n; i++) assert_true(fabs(y[i]) < 1e-10 * scale[i]);
    }
    pp_sparse_lu_free(s);
}

static void test_refused(void **state) {
    (void)state;
    pp_sparse_lu_free(NULL);
    pp_sparse_lu *s = pp_sparse_lu_new();
    double one[2] = {1, 1};
    assert_false(pp_sparse_lu_solve(s, false, one) && pp_sparse_lu_rcond(s) == 0); /* nothing factored: no crash */
    const int full[] = {0, 2, 4}, both[] = {0, 1, 0, 1};
    const double twice[] = {1, 2, 2, 4}, bad[] = {1, NAN, 0, 1}, good[] = {1, 2, 3, 4}, zero[] = {0, 0, 0, 0};
    assert_true(pp_sparse_lu_factor(s, 2, full, both, good));
    assert_false(pp_sparse_lu_factor(s, 2, full, both, twice));
    assert_false(pp_sparse_lu_solve(s, false, one));
    assert_true(pp_sparse_lu_rcond(s) == 0);
    assert_false(pp_sparse_lu_factor(s, 2, full, both, bad));
    assert_false(pp_sparse_lu_factor(s, 2, full, both, zero));
    const int hollow[] = {0, 1, 2}, same[] = {0, 0}; /* structurally singular: row 1 is empty */
    assert_false(pp_sparse_lu_factor(s, 2, hollow, same, good));
    const int none[] = {0};
    assert_true(pp_sparse_lu_factor(s, 0, none, NULL, NULL));
    assert_true(pp_sparse_lu_solve(s, false, NULL));
    assert_true(pp_sparse_lu_factor(s, 2, full, both, good)); /* it still works after all that */
    assert_true(pp_sparse_lu_solve(s, false, one));
    pp_sparse_lu_free(s);
}

/* The work that a step is charged for a factor follows its fill: n^3/3 multiplications of a full matrix, a few per unknown of a
 * diagonal one, none that is not finite if there is no factor. */
static void test_work(void **state) {
    (void)state;
    enum { N = 60 };
    static int first[N + 1], row[N * N];
    static double entry[N * N];
    pp_sparse_lu *s = pp_sparse_lu_new();
    for (int j = 0; j <= N; j++) first[j] = N * j;
    for (int k = 0; k < N * N; k++) {
        row[k] = k % N;
        entry[k] = k % N == k / N ? N : 1.0 / (1 + k % 7);
    }
    assert_true(pp_sparse_lu_factor(s, N, first, row, entry));
    double full = pp_sparse_lu_work(s), dense = N * N * N / 3.0;
    assert_true(full > 2 * dense && full < 8 * dense);
    for (int j = 0; j <= N; j++) first[j] = j;
    for (int k = 0; k < N; k++) row[k] = k, entry[k] = 1 + k;
    assert_true(pp_sparse_lu_factor(s, N, first, row, entry));
    assert_true(pp_sparse_lu_work(s) > 0 && pp_sparse_lu_work(s) < 20 * N);
    entry[3] = 0;
    assert_false(pp_sparse_lu_factor(s, N, first, row, entry));
    assert_true(pp_sparse_lu_work(s) >= 0 && pp_sparse_lu_work(s) < 20 * N);
    pp_sparse_lu_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
