/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_small.c - products with small matrices: the straight code for usual sizes gives the bits of plain loops */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/small.h"
#include "oracle/random_problem.h"
#include "problem/rows.h"

enum { MOST_ROWS = 4, MOST = 12 };

static void fill(int n, double *x) {
    for (int i = 0; i < n; i++) x[i] = rp_sym();
}

static bool same(int n, const double *x, const double *y) { return memcmp(x, y, sizeof *x * (size_t)n) == 0; }

static void vectors(int rows, int n) {
    double A[MOST_ROWS * MOST], x[MOST], y[MOST], z[MOST];
    fill(rows * n, A), fill(MOST, x), fill(MOST, y);
    memcpy(z, y, sizeof z);
    pp_small_add(rows, n, A, x, y);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < rows; i++) z[i] += A[i + rows * j] * x[j];
    assert_true(same(rows, y, z));
    memcpy(z, y, sizeof z);
    pp_small_add_transposed(rows, n, A, x, y);
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < rows; i++) sum += A[i + rows * j] * x[i];
        z[j] += sum;
    }
    assert_true(same(n, y, z));
}

/* J' B J at a place of a larger matrix, as Newton's matrix is filled. */
static void matrices(int rows, int n, int cols) {
    enum { LD = MOST + 1 };
    double B[MOST_ROWS * MOST_ROWS], J[MOST_ROWS * MOST], K[MOST_ROWS * MOST], Jt[MOST_ROWS * MOST],
        Kt[MOST_ROWS * MOST], T[MOST_ROWS * MOST], C[LD * MOST], D[LD * MOST];
    fill(rows * rows, B), fill(rows * n, J), fill(rows * cols, K), fill(LD * MOST, C);
    memcpy(D, C, sizeof D);
    pp_small_transpose(rows, n, J, Jt);
    pp_small_transpose(rows, cols, K, Kt);
    pp_small_times(rows, cols, B, Kt, T);
    pp_small_add_outer(rows, n, cols, Jt, T, C, LD);
    for (int b = 0; b < cols; b++)
        for (int a = 0; a < n; a++) {
            double sum = 0;
            for (int r = 0; r < rows; r++) {
                double t = 0;
                for (int l = 0; l < rows; l++) t += B[r + rows * l] * K[l + rows * b];
                sum += J[r + rows * a] * t;
            }
            D[a + LD * b] += sum;
        }
    assert_true(same(LD * MOST, C, D));
}

/* Rows on blocks of two, three and six unknowns. */
static void row_products(int nd) {
    double Minv[36], nu[6], expected[6], mass = 0, dot = 0;
    const int ndof[1] = {nd}, offset[1] = {0};
    perp_step_problem p = {.nblock = 1, .ndof = nd, .block_ndof = ndof, .block_offset = offset, .Minv = Minv};
    perp_row row = {.block = {-1, 0}};
    fill(36, Minv), fill(6, nu), fill(6, row.J[1]);
    memcpy(expected, nu, sizeof nu);
    for (int d = 0; d < nd; d++)
        for (int c = 0; c < nd; c++) mass += row.J[1][c] * Minv[6 * d + c] * row.J[1][d];
    for (int c = 0; c < nd; c++) dot += row.J[1][c] * nu[c];
    double found_mass = pp_row_inverse_mass(&p, &row), found_dot = pp_row_dot(&p, &row, nu);
    assert_true(same(1, &found_mass, &mass));
    assert_true(same(1, &found_dot, &dot));
    pp_row_spread(&p, &row, 0.7, nu);
    for (int d = 0; d < nd; d++) {
        double x = row.J[1][d] * 0.7;
        for (int c = 0; c < nd; c++) expected[c] += Minv[6 * d + c] * x;
    }
    assert_true(same(6, nu, expected));
}

static void test_cones(void **state) {
    (void)state;
    for (int rows = 1; rows <= MOST_ROWS; rows++)
        for (int n = 1; n <= MOST; n++) {
            vectors(rows, n);
            for (int cols = 1; cols <= MOST; cols++) matrices(rows, n, cols);
        }
}

static void test_rows(void **state) {
    (void)state;
    row_products(2);
    row_products(3);
    row_products(6);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cones), cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
