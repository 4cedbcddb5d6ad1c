/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* tile.h - C -= A B in small tiles that live in registers: the inner loop of the sparse factorisation.
 * Every element of C sees its products in one fixed order, k ascending. */
#ifndef PP_TILE_H
#define PP_TILE_H

#include <stddef.h>

#include "linalg/kernel.h"

/* The two factors of a product A B: A by columns with leading dimension lda, B(k, j) at B[bk k + bj j]. */
typedef struct pp_factors {
    const double *A;
    ptrdiff_t lda;
    const double *B;
    ptrdiff_t bk, bj;
} pp_factors;

/* The factors of the part of the product from row i and column j on. */
static inline __attribute__((always_inline)) pp_factors pp_factors_at(pp_factors f, ptrdiff_t i, ptrdiff_t j) {
    f.A += i;
    f.B += f.bj * j;
    return f;
}

/* One tile of C, 2 mp x nr. mp and nr are constants where it is used. */
static inline __attribute__((always_inline)) void pp_tile(int mp, int nr, int k, pp_factors f, double *C,
                                                          ptrdiff_t ldc) {
    pp_two c[4][4], a[4];
#pragma GCC unroll 4
    for (int j = 0; j < nr; j++)
#pragma GCC unroll 4
        for (int i = 0; i < mp; i++) c[j][i] = *(const pp_two *)(C + 2 * i + ldc * j);
    for (int l = 0; l < k; l++, f.A += f.lda, f.B += f.bk) {
#pragma GCC unroll 4
        for (int i = 0; i < mp; i++) a[i] = *(const pp_two *)(f.A + 2 * i);
#pragma GCC unroll 4
        for (int j = 0; j < nr; j++) {
            pp_two b = {f.B[f.bj * j], f.B[f.bj * j]};
#pragma GCC unroll 4
            for (int i = 0; i < mp; i++) c[j][i] -= a[i] * b;
        }
    }
#pragma GCC unroll 4
    for (int j = 0; j < nr; j++)
#pragma GCC unroll 4
        for (int i = 0; i < mp; i++) *(pp_two *)(C + 2 * i + ldc * j) = c[j][i];
}

/* A single row of C. */
static inline void pp_row(int n, int k, pp_factors f, double *C, ptrdiff_t ldc) {
    for (int j = 0; j < n; j++) {
        double sum = C[ldc * j];
        for (int l = 0; l < k; l++) sum -= f.A[f.lda * l] * f.B[f.bk * l + f.bj * j];
        C[ldc * j] = sum;
    }
}

/* A strip of 2 mp rows. */
static inline __attribute__((always_inline)) void pp_strip(int mp, int n, int k, pp_factors f, double *C,
                                                           ptrdiff_t ldc) {
    int j = 0;
    for (; j + 4 <= n; j += 4) pp_tile(mp, 4, k, pp_factors_at(f, 0, j), C + ldc * j, ldc);
    for (; j + 2 <= n; j += 2) pp_tile(mp, 2, k, pp_factors_at(f, 0, j), C + ldc * j, ldc);
    for (; j < n; j++) pp_tile(mp, 1, k, pp_factors_at(f, 0, j), C + ldc * j, ldc);
}

/* C -= A B, strip after strip of A. */
static inline void pp_subtract_strips(int m, int n, int k, pp_factors f, double *C, ptrdiff_t ldc) {
    int i = 0;
    for (; i + 8 <= m; i += 8) pp_strip(4, n, k, pp_factors_at(f, i, 0), C + i, ldc);
    if (i + 4 <= m) pp_strip(2, n, k, pp_factors_at(f, i, 0), C + i, ldc), i += 4;
    if (i + 2 <= m) pp_strip(1, n, k, pp_factors_at(f, i, 0), C + i, ldc), i += 2;
    if (i < m) pp_row(n, k, pp_factors_at(f, i, 0), C + i, ldc);
}

#define PP_DEEP 128 /* rows and columns of a piece of B that stays in the nearest cache */
#define PP_WIDE 40

/* C -= A B; C m x n, by columns with leading dimension ldc; A m x k. All of B is read for every strip of A: a large one
 * is taken in pieces, copied so that their rows lie side by side. */
static inline void pp_subtract_product(int m, int n, int k, pp_factors f, double *C, ptrdiff_t ldc) {
    if (m < 32 || (ptrdiff_t)n * k <= PP_DEEP * PP_WIDE) {
        pp_subtract_strips(m, n, k, f, C, ldc);
        return;
    }
    double piece[PP_DEEP * PP_WIDE];
    for (int l = 0; l < k; l += PP_DEEP) {
        int deep = k - l < PP_DEEP ? k - l : PP_DEEP;
        for (int j = 0; j < n; j += PP_WIDE) {
            int wide = n - j < PP_WIDE ? n - j : PP_WIDE;
            for (int a = 0; a < deep; a++)
                for (int b = 0; b < wide; b++) piece[PP_WIDE * a + b] = f.B[f.bk * (l + a) + f.bj * (j + b)];
            pp_subtract_strips(m, wide, deep, (pp_factors){f.A + f.lda * l, f.lda, piece, PP_WIDE, 1}, C + ldc * j,
                               ldc);
        }
    }
}

#endif
