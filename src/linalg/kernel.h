/* kernel.h - the inner loops of the dense code: y += a x over columns.
 * Every element sees its additions in one fixed order, whatever the compiler makes of the loop, so that the bits
 * depend neither on alignment nor on the number of threads nor on the optimisation level. Four columns at a time, to
 * save loads and stores. */
#ifndef PP_KERNEL_H
#define PP_KERNEL_H

static inline void pp_axpy(int n, double a, const double *restrict x, double *restrict y) {
    for (int i = 0; i < n; i++) y[i] += a * x[i];
}

/* y += a[0] x0 + a[1] x1 + a[2] x2 + a[3] x3, added from left to right; the x are columns of a matrix, ld apart. */
static inline void pp_axpy4(int n, const double a[4], const double *restrict x, int ld, double *restrict y) {
    const double *restrict x0 = x, *restrict x1 = x + ld, *restrict x2 = x1 + ld, *restrict x3 = x2 + ld;
    const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    for (int i = 0; i < n; i++) y[i] = (((y[i] + a0 * x0[i]) + a1 * x1[i]) + a2 * x2[i]) + a3 * x3[i];
}

/* Four partial sums, always the same ones. */
static inline double pp_dot(int n, const double *restrict x, const double *restrict y) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += x[i] * y[i];
        s1 += x[i + 1] * y[i + 1];
        s2 += x[i + 2] * y[i + 2];
        s3 += x[i + 3] * y[i + 3];
    }
    for (; i < n; i++) s0 += x[i] * y[i];
    return (s0 + s1) + (s2 + s3);
}

#endif
