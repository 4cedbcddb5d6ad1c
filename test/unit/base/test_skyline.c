/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_skyline.c - Cholesky within a profile against the product with the matrix; what is not positive definite */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linalg/skyline.h"
#include "oracle/random_problem.h"

#define MAX 40

/* Random profiles; a diagonal that dominates makes them positive definite. */
static void solves(void **state) {
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        int n = 1 + trial % MAX, first[MAX];
        ptrdiff_t start[MAX + 1];
        double value[MAX * MAX], A[MAX][MAX] = {{0}}, x[MAX], b[MAX];
        for (int i = 0; i < n; i++) first[i] = rp_int(i + 1);
        pp_skyline s = {n, first, start, value};
        ptrdiff_t size = pp_skyline_place(&s);
        assert_true(size >= n && size <= n * (n + 1) / 2);
        for (int i = 0; i < n; i++)
            for (int j = first[i]; j <= i; j++)
                A[i][j] = A[j][i] = *pp_skyline_at(&s, i, j) = rp_sym() + (i == j ? n + 1 : 0);
        for (int i = 0; i < n; i++) x[i] = rp_sym();
        for (int i = 0; i < n; i++) {
            b[i] = 0;
            for (int j = 0; j < n; j++) b[i] += A[i][j] * x[j];
        }
        assert_true(pp_skyline_factor(&s));
        pp_skyline_solve(&s, b);
        for (int i = 0; i < n; i++) assert_true(fabs(b[i] - x[i]) < 1e-13);
    }
}

static void refuses(void **state) {
    (void)state;
    int first[2] = {0, 0};
    ptrdiff_t start[3];
    const double bad[3][3] = {{1, 2, 1}, {-1, 0, 1}, {1, NAN, 1}};
    for (int k = 0; k < 3; k++) {
        double value[3] = {bad[k][0], bad[k][1], bad[k][2]};
        pp_skyline s = {2, first, start, value};
        assert_int_equal(pp_skyline_place(&s), 3);
        assert_false(pp_skyline_factor(&s));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(refuses)};
    return cmocka_run_group_tests_name("skyline", tests, NULL, NULL);
}
