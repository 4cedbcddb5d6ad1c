/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* kernel.h - the inner loops of the dense code: y += a x over columns.
 * Every element sees its additions in one fixed order, whatever the compiler makes of the loop, so that the bits
 * depend neither on alignment nor on the number of threads nor on the optimisation level. Four columns at a time, to
 * save loads and stores; two rows at a time, in one register. */
#ifndef PP_KERNEL_H
#define PP_KERNEL_H

/* Two numbers in one register; gcc and clang know it on every machine. */
typedef double pp_two __attribute__((vector_size(16), aligned(8), may_alias));

/* Unrolls the following loop of at most n iterations completely, if their number is a constant. In WebAssembly loops of unknown length stay
 * loops: the compiler would unroll them too, and the module would be 4 % larger. */
#define PP_PRAGMA(x) _Pragma(#x)
#ifdef __wasm__
#define PP_UNROLL(n) PP_PRAGMA(clang loop unroll(full))
#else
#define PP_UNROLL(n) PP_PRAGMA(GCC unroll n)
#endif

static inline void pp_axpy(int n, double a, const double *restrict x, double *restrict y) {
    const pp_two both = {a, a};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        *(pp_two *)(y + i) += both * *(const pp_two *)(x + i);
        *(pp_two *)(y + i + 2) += both * *(const pp_two *)(x + i + 2);
    }
    for (; i < n; i++) y[i] += a * x[i];
}

/* y += a[0] x0 + a[1] x1 + a[2] x2 + a[3] x3, added from left to right; the x are columns of a matrix, ld apart. */
static inline void pp_axpy4(int n, const double a[4], const double *restrict x, int ld, double *restrict y) {
    const double *restrict x0 = x, *restrict x1 = x + ld, *restrict x2 = x1 + ld, *restrict x3 = x2 + ld;
    const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    const pp_two b0 = {a0, a0}, b1 = {a1, a1}, b2 = {a2, a2}, b3 = {a3, a3};
    int i = 0;
    for (; i + 2 <= n; i += 2) {
        pp_two sum = *(pp_two *)(y + i);
        sum += b0 * *(const pp_two *)(x0 + i);
        sum += b1 * *(const pp_two *)(x1 + i);
        sum += b2 * *(const pp_two *)(x2 + i);
        sum += b3 * *(const pp_two *)(x3 + i);
        *(pp_two *)(y + i) = sum;
    }
    for (; i < n; i++) y[i] = (((y[i] + a0 * x0[i]) + a1 * x1[i]) + a2 * x2[i]) + a3 * x3[i];
}

/* Four partial sums, always the same ones. */
static inline double pp_dot(int n, const double *restrict x, const double *restrict y) {
    pp_two low = {0, 0}, high = {0, 0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        low += *(const pp_two *)(x + i) * *(const pp_two *)(y + i);
        high += *(const pp_two *)(x + i + 2) * *(const pp_two *)(y + i + 2);
    }
    double first = low[0];
    for (; i < n; i++) first += x[i] * y[i];
    return (first + low[1]) + (high[0] + high[1]);
}

#endif
