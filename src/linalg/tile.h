/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* tile.h - C -= A B in small tiles that live in registers: the inner loop of the sparse factorisation.
 * Every element of C sees its products in one fixed order, k ascending. */
#ifndef PP_TILE_H
#define PP_TILE_H

#include <stddef.h>

#include "linalg/kernel.h"

/* One tile of C, 2 mp x nr; B(k, j) at B[bk k + bj j]. mp and nr are constants where it is used. */
static inline __attribute__((always_inline)) void pp_tile(int mp, int nr, int k, const double *A, ptrdiff_t lda,
                                                          const double *B, ptrdiff_t bk, ptrdiff_t bj, double *C,
                                                          ptrdiff_t ldc) {
    pp_two c[4][4], a[4];
#pragma GCC unroll 4
    for (int j = 0; j < nr; j++)
#pragma GCC unroll 4
        for (int i = 0; i < mp; i++) c[j][i] = *(const pp_two *)(C + 2 * i + ldc * j);
    for (int l = 0; l < k; l++, A += lda, B += bk) {
#pragma GCC unroll 4
        for (int i = 0; i < mp; i++) a[i] = *(const pp_two *)(A + 2 * i);
#pragma GCC unroll 4
        for (int j = 0; j < nr; j++) {
            pp_two b = {B[bj * j], B[bj * j]};
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
static inline void pp_row(int n, int k, const double *A, ptrdiff_t lda, const double *B, ptrdiff_t bk, ptrdiff_t bj,
                          double *C, ptrdiff_t ldc) {
    for (int j = 0; j < n; j++) {
        double sum = C[ldc * j];
        for (int l = 0; l < k; l++) sum -= A[lda * l] * B[bk * l + bj * j];
        C[ldc * j] = sum;
    }
}

/* A strip of 2 mp rows. */
static inline __attribute__((always_inline)) void pp_strip(int mp, int n, int k, const double *A, ptrdiff_t lda,
                                                           const double *B, ptrdiff_t bk, ptrdiff_t bj, double *C,
                                                           ptrdiff_t ldc) {
    int j = 0;
    for (; j + 4 <= n; j += 4) pp_tile(mp, 4, k, A, lda, B + bj * j, bk, bj, C + ldc * j, ldc);
    for (; j + 2 <= n; j += 2) pp_tile(mp, 2, k, A, lda, B + bj * j, bk, bj, C + ldc * j, ldc);
    for (; j < n; j++) pp_tile(mp, 1, k, A, lda, B + bj * j, bk, bj, C + ldc * j, ldc);
}

/* C -= A B, strip after strip of A. */
static inline void pp_subtract_strips(int m, int n, int k, const double *A, ptrdiff_t lda, const double *B,
                                      ptrdiff_t bk, ptrdiff_t bj, double *C, ptrdiff_t ldc) {
    int i = 0;
    for (; i + 8 <= m; i += 8) pp_strip(4, n, k, A + i, lda, B, bk, bj, C + i, ldc);
    if (i + 4 <= m) pp_strip(2, n, k, A + i, lda, B, bk, bj, C + i, ldc), i += 4;
    if (i + 2 <= m) pp_strip(1, n, k, A + i, lda, B, bk, bj, C + i, ldc), i += 2;
    if (i < m) pp_row(n, k, A + i, lda, B, bk, bj, C + i, ldc);
}

#define PP_DEEP 128 /* rows and columns of a piece of B that stays in the nearest cache */
#define PP_WIDE 40

/* C -= A B; C m x n, A m x k, both by columns with leading dimensions. All of B is read for every strip of A: a large one
 * is taken in pieces, copied so that their rows lie side by side. */
static inline void pp_subtract_product(int m, int n, int k, const double *A, ptrdiff_t lda, const double *B,
                                       ptrdiff_t bk, ptrdiff_t bj, double *C, ptrdiff_t ldc) {
    if (m < 32 || (ptrdiff_t)n * k <= PP_DEEP * PP_WIDE) {
        pp_subtract_strips(m, n, k, A, lda, B, bk, bj, C, ldc);
        return;
    }
    double piece[PP_DEEP * PP_WIDE];
    for (int l = 0; l < k; l += PP_DEEP) {
        int deep = k - l < PP_DEEP ? k - l : PP_DEEP;
        for (int j = 0; j < n; j += PP_WIDE) {
            int wide = n - j < PP_WIDE ? n - j : PP_WIDE;
            for (int a = 0; a < deep; a++)
                for (int b = 0; b < wide; b++) piece[PP_WIDE * a + b] = B[bk * (l + a) + bj * (j + b)];
            pp_subtract_strips(m, wide, deep, A + lda * l, lda, piece, PP_WIDE, 1, C + ldc * j, ldc);
        }
    }
}

#endif
