/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_block_lu.c - sparse LU of block matrices against dense LU, on graphs of every shape. */
#include <math.h>
#include <string.h>

#include "arena_fixture.h"
#include "check.h"
#include "linalg/block_lu.h"
#include "linalg/linalg.h"
#include "linalg/tile.h"

static unsigned long long seed = 1;
static double uniform(void) { /* -1 .. 1 */
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

enum { BLOCKS = 40, ROWS = 6 * BLOCKS };

typedef struct sample {
    int nb, n, size[BLOCKS], first[BLOCKS + 1], start[BLOCKS + 1], index[BLOCKS * BLOCKS];
    bool linked[BLOCKS][BLOCKS];
} sample;

/* kind 0: chain, 1: random sparse, 2: dense, 3: star, 4: grid, 5: no links at all */
static void make(sample *s, int kind, int nb) {
    s->nb = nb;
    memset(s->linked, 0, sizeof s->linked);
    s->n = 0;
    for (int i = 0; i < nb; i++) {
        s->size[i] = 1 + (int)(3 * (uniform() + 1)) % 6;
        s->first[i] = s->n;
        s->n += s->size[i];
        for (int j = 0; j < i; j++) {
            bool l = kind == 0   ? j == i - 1
                     : kind == 1 ? uniform() > 0.8
                     : kind == 2 ? true
                     : kind == 3 ? j == 0
                     : kind == 4 ? (j == i - 1 && i % 6) || j == i - 6
                                 : false;
            s->linked[i][j] = s->linked[j][i] = l;
        }
    }
    s->first[nb] = s->n;
    int used = 0;
    for (int j = 0; j < nb; j++) {
        s->start[j] = used;
        for (int i = nb - 1; i >= 0; i--)
            if (s->linked[i][j] || (i == j && uniform() > 0)) s->index[used++] = i;
    }
    s->start[nb] = used;
}

/* Fills the sparse matrix and a dense copy; the diagonal is `strong` times the rest. */
static void fill(const sample *s, pp_block_lu *f, double *A, double strong) {
    memset(A, 0, sizeof *A * (size_t)s->n * (size_t)s->n);
    pp_block_lu_clear(f);
    for (int j = 0; j < s->nb; j++)
        for (int i = 0; i < s->nb; i++) {
            if (i != j && !s->linked[i][j]) continue;
            pp_block_place p = pp_block_lu_place(f, i, j);
            for (int c = 0; c < s->size[j]; c++)
                for (int r = 0; r < s->size[i]; r++) {
                    double v = uniform() + (i == j && r == s->size[i] - 1 - c ? strong : 0);
                    p.value[p.transposed ? c + p.ld * r : r + p.ld * c] = v;
                    A[s->first[i] + r + (ptrdiff_t)s->n * (s->first[j] + c)] = v;
                }
        }
}

static void test_against_dense(void **state) {
    (void)state;
    static sample s;
    static double A[ROWS * ROWS], x[ROWS], b[ROWS];
    for (int round = 0; round < 120; round++) {
        pp_arena_reset(&arena);
        make(&s, round % 6, 1 + round % BLOCKS);
        pp_block_lu *f = pp_block_lu_new(s.nb, s.size, s.start, s.index, &arena);
        assert_non_null(f);
        assert_true(pp_block_lu_room(f));
        for (int again = 0; again < 2; again++) { /* the same pattern with other numbers */
            fill(&s, f, A, 12);
            for (int i = 0; i < s.n; i++) b[i] = x[i] = uniform();
            int replaced = -1;
            assert_true(pp_block_lu_factor(f, &replaced));
            assert_int_equal(replaced, 0);
            pp_block_lu_solve(f, x);
            double worst = 0;
            for (int i = 0; i < s.n; i++) {
                double r = -b[i];
                for (int j = 0; j < s.n; j++) r += A[i + (ptrdiff_t)s.n * j] * x[j];
                worst = fmax(worst, fabs(r));
            }
            assert_true(worst < 1e-10);
        }
    }
}

/* What analysis promises is what a dense matrix needs. */
static void test_work(void **state) {
    (void)state;
    static sample s;
    pp_arena_reset(&arena);
    make(&s, 2, 20);
    pp_block_lu *f = pp_block_lu_new(s.nb, s.size, s.start, s.index, &arena);
    assert_non_null(f);
    double n = s.n;
    assert_true(fabs(pp_block_lu_entries(f) - n * n) < 0.5);
    assert_true(fabs(pp_block_lu_work(f) - n * n * n / 3) < 0.5);
}

static void test_singular_and_not_finite(void **state) {
    (void)state;
    static sample s;
    static double A[ROWS * ROWS];
    pp_arena_reset(&arena);
    make(&s, 4, 20);
    pp_block_lu *f = pp_block_lu_new(s.nb, s.size, s.start, s.index, &arena);
    assert_true(f && pp_block_lu_room(f));
    int replaced = 0;
    pp_block_lu_clear(f);
    assert_true(pp_block_lu_factor(f, &replaced));
    assert_int_equal(replaced, s.n);
    fill(&s, f, A, 12);
    *pp_block_lu_place(f, 3, 3).value = NAN;
    assert_false(pp_block_lu_factor(f, &replaced));
}

static void test_scalar_matrix(void **state) {
    (void)state;
    enum { N = 50 };
    static int start[N + 1], index[N * 5];
    static double value[N * 5], x[N], b[N];
    int used = 0;
    pp_arena_reset(&arena);
    for (int j = 0; j < N; j++) { /* pattern not symmetric */
        start[j] = used;
        for (int i = 0; i < N; i++)
            if (i == j || i == (7 * j + 3) % N) index[used] = i, value[used++] = i == j ? 5 : uniform();
    }
    start[N] = used;
    pp_block_lu *f = pp_block_lu_of_sparse(N, start, index, value, &arena);
    assert_non_null(f);
    assert_true(pp_block_lu_factor(f, NULL));
    for (int i = 0; i < N; i++) b[i] = x[i] = uniform();
    pp_block_lu_solve(f, x);
    for (int j = 0; j < N; j++)
        for (int s = start[j]; s < start[j + 1]; s++) b[index[s]] -= value[s] * x[j];
    for (int i = 0; i < N; i++) assert_true(fabs(b[i]) < 1e-13);
}

/* The product, whole and in pieces, for all sizes: the same bits as a sum in the order of k. */
static void test_products(void **state) {
    (void)state;
    static const int size[][3] = {{1, 1, 1},     {7, 5, 3},     {31, 90, 90},  {32, 40, 128},
                                  {33, 41, 128}, {40, 40, 129}, {75, 83, 260}, {64, 300, 24}};
    for (size_t t = 0; t < 2 * sizeof size / sizeof *size; t++) {
        int m = size[t / 2][0], n = size[t / 2][1], k = size[t / 2][2], lda = m + 3, ldc = m + 1;
        ptrdiff_t bk = t % 2 ? n + 2 : 1, bj = t % 2 ? 1 : k + 2; /* B by rows, or by columns */
        double *A = PP_ARENA_ARRAY(&arena, double, (ptrdiff_t)lda *k),
               *C = PP_ARENA_ARRAY(&arena, double, (ptrdiff_t)ldc *n),
               *B = PP_ARENA_ARRAY(&arena, double, (ptrdiff_t)(n + 2) * (k + 2)),
               *D = PP_ARENA_ARRAY(&arena, double, (ptrdiff_t)ldc *n);
        assert_true(A && B && C && D);
        for (int i = 0; i < lda * k; i++) A[i] = uniform();
        for (int i = 0; i < (n + 2) * (k + 2); i++) B[i] = uniform();
        for (int i = 0; i < ldc * n; i++) C[i] = D[i] = uniform();
        pp_subtract_product(m, n, k, (pp_factors){A, lda, B, bk, bj}, C, ldc);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
                for (int l = 0; l < k; l++) D[i + ldc * j] -= A[i + lda * l] * B[bk * l + bj * j];
        for (int i = 0; i < ldc * n; i++) assert_true(C[i] == D[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),      cmocka_unit_test(test_against_dense),
        cmocka_unit_test(test_work),          cmocka_unit_test(test_singular_and_not_finite),
        cmocka_unit_test(test_scalar_matrix),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
