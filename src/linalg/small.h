/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* small.h - products with the small matrices of contacts and bodies: a row or two or three, three or six unknowns.
 * For these sizes the loops are straight code, for others they are loops. Every element sees its additions in one fixed order, so the bits
 * do not depend on which of the two it is. */
#ifndef PP_SMALL_H
#define PP_SMALL_H

#include "linalg/kernel.h"

/* Calls f with rows and n as constants where they are of a usual size: joints and limits have one row, contacts two or three; a body has
 * three unknowns in the plane and six in space. Where rows act on rows, n is a number of rows too. */
#define PP_SMALL_CALL(f, rows, n, ...)             \
    do {                                           \
        switch ((n) <= 6 ? 8 * (rows) + (n) : 0) { \
        case 8 + 1: f(1, 1, __VA_ARGS__); break;   \
        case 8 + 2: f(1, 2, __VA_ARGS__); break;   \
        case 8 + 3: f(1, 3, __VA_ARGS__); break;   \
        case 8 + 6: f(1, 6, __VA_ARGS__); break;   \
        case 16 + 1: f(2, 1, __VA_ARGS__); break;  \
        case 16 + 2: f(2, 2, __VA_ARGS__); break;  \
        case 16 + 3: f(2, 3, __VA_ARGS__); break;  \
        case 16 + 6: f(2, 6, __VA_ARGS__); break;  \
        case 24 + 1: f(3, 1, __VA_ARGS__); break;  \
        case 24 + 3: f(3, 3, __VA_ARGS__); break;  \
        case 24 + 6: f(3, 6, __VA_ARGS__); break;  \
        default: f(rows, n, __VA_ARGS__);          \
        }                                          \
    } while (0)

/* y += A x, A rows x n by columns, rows <= 6. */
static inline __attribute__((always_inline)) void pp_small_add_of(int rows, int n, const double *restrict A,
                                                                  const double *restrict x, double *restrict y) {
    double sum[6] = {0};
    PP_UNROLL(4)
    for (int i = 0; i < rows; i++) sum[i] = y[i];
    PP_UNROLL(6)
    for (int j = 0; j < n; j++) {
        PP_UNROLL(4)
        for (int i = 0; i < rows; i++) sum[i] += A[i + rows * j] * x[j];
    }
    PP_UNROLL(4)
    for (int i = 0; i < rows; i++) y[i] = sum[i];
}

static inline void pp_small_add(int rows, int n, const double *restrict A, const double *restrict x,
                                double *restrict y) {
    PP_SMALL_CALL(pp_small_add_of, rows, n, A, x, y);
}

/* y += A x, A n x n by columns. */
static inline __attribute__((always_inline)) void pp_small_square(int n, const double *restrict A,
                                                                  const double *restrict x, double *restrict y) {
    PP_UNROLL(6)
    for (int j = 0; j < n; j++) {
        PP_UNROLL(6)
        for (int i = 0; i < n; i++) y[i] += A[i + n * j] * x[j];
    }
}

/* y += A'x, A rows x n by columns, rows >= 1. */
static inline __attribute__((always_inline)) void
pp_small_add_transposed_of(int rows, int n, const double *restrict A, const double *restrict x, double *restrict y) {
    PP_UNROLL(6)
    for (int j = 0; j < n; j++) {
        double sum = A[rows * j] * x[0];
        PP_UNROLL(4)
        for (int i = 1; i < rows; i++) sum += A[i + rows * j] * x[i];
        y[j] += sum;
    }
}

static inline void pp_small_add_transposed(int rows, int n, const double *restrict A, const double *restrict x,
                                           double *restrict y) {
    PP_SMALL_CALL(pp_small_add_transposed_of, rows, n, A, x, y);
}

/* B = A', A rows x n by columns. */
static inline __attribute__((always_inline)) void pp_small_transpose_of(int rows, int n, const double *restrict A,
                                                                        double *restrict B) {
    PP_UNROLL(6)
    for (int j = 0; j < n; j++) {
        PP_UNROLL(4)
        for (int i = 0; i < rows; i++) B[j + n * i] = A[i + rows * j];
    }
}

static inline void pp_small_transpose(int rows, int n, const double *restrict A, double *restrict B) {
    PP_SMALL_CALL(pp_small_transpose_of, rows, n, A, B);
}

/* T = (A J)', A rows x rows and J' n x rows by columns. */
static inline __attribute__((always_inline)) void pp_small_times_of(int rows, int n, const double *restrict A,
                                                                    const double *restrict Jt, double *restrict T) {
    PP_UNROLL(4)
    for (int r = 0; r < rows; r++) {
        PP_UNROLL(6)
        for (int j = 0; j < n; j++) {
            double sum = A[r] * Jt[j];
            PP_UNROLL(4)
            for (int l = 1; l < rows; l++) sum += A[r + rows * l] * Jt[j + n * l];
            T[j + n * r] = sum;
        }
    }
}

static inline void pp_small_times(int rows, int n, const double *restrict A, const double *restrict Jt,
                                  double *restrict T) {
    PP_SMALL_CALL(pp_small_times_of, rows, n, A, Jt, T);
}

/* C += X Y', X n x rows and Y cols x rows, C n x cols, all by columns; C has the leading dimension ld. */
static inline __attribute__((always_inline)) void pp_small_add_outer_of(int rows, int n, int cols,
                                                                        const double *restrict X,
                                                                        const double *restrict Y, double *restrict C,
                                                                        int ld) {
    for (int j = 0; j < cols; j++, C += ld) {
        int i = 0;
        PP_UNROLL(3)
        for (; i + 2 <= n; i += 2) {
            pp_two sum = *(const pp_two *)(X + i) * Y[j];
            PP_UNROLL(4)
            for (int l = 1; l < rows; l++) sum += *(const pp_two *)(X + i + n * l) * Y[j + cols * l];
            *(pp_two *)(C + i) += sum;
        }
        if (i < n) {
            double sum = X[i] * Y[j];
            PP_UNROLL(4)
            for (int l = 1; l < rows; l++) sum += X[i + n * l] * Y[j + cols * l];
            C[i] += sum;
        }
    }
}

static inline void pp_small_add_outer(int rows, int n, int cols, const double *restrict X, const double *restrict Y,
                                      double *restrict C, int ld) {
    PP_SMALL_CALL(pp_small_add_outer_of, rows, n, cols, X, Y, C, ld);
}

#endif
