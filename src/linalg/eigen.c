/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* eigen.c - eigenvalues and eigenvectors of a dense symmetric matrix
 *   A = V diag(lambda) V',  V orthogonal                        A: n x n, column-major, lower triangle given
 * Method   Householder reflections make A tridiagonal; implicit QL sweeps with Wilkinson's shift make it diagonal. Each
 *          unreduced block is swept from its smaller end (QL or QR), which keeps graded matrices converging. The matrix
 *          is first scaled by a power of two so that its largest entry is near one.
 * Valid    every finite symmetric A. Residual and orthogonality are a small multiple of n ulp, relative to the largest
 *          eigenvalue. An eigenvalue far below the largest one may have no correct digit: use Jacobi's rotations
 *          (pp_search_eigen() of search) where small eigenvalues must be relatively accurate.
 * Bits     only IEEE operations and sqrt, in an order that is fixed: the same on every machine.
 * Cost     about 4/3 n^3 flops for the reduction, 4/3 n^3 for the reflections' product, 5 n^3 for the sweeps.
 * Source   Golub, Van Loan, Matrix Computations (4th ed.), 8.3; Parlett, The Symmetric Eigenvalue Problem (1998), 8. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/kernel.h"
#include "linalg/linalg.h"

#define SWEEPS_PER_VALUE 30 /* limit; between one and two are usual */

static double *column(double *A, int ld, int j) { return A + (size_t)ld * (size_t)j; }

/* c = g/r, s = f/r, r = sqrt(f^2 + g^2), which is returned; orthogonal to rounding even if r is denormal. libm's hypot() is
 * not used: its last bit differs between systems. */
static double rotation(double f, double g, double *c, double *s) {
    const double big = fmax(fabs(f), fabs(g));
    if (big == 0) return 0;
    const double x = g / big, y = f / big, length = sqrt(x * x + y * y);
    *c = x / length;
    *s = y / length;
    return big * length;
}

/* Reflection I - tau v v' that maps x (n entries) to (beta, 0, ..., 0): v with v[0] = 1 over x, returns tau. */
static double reflection(int n, double *x, double *beta) {
    double most = 0, sum = 0;
    for (int i = 1; i < n; i++) most = fmax(most, fabs(x[i]));
    *beta = x[0];
    if (most == 0) return 0;
    most = fmax(most, fabs(x[0]));
    for (int i = 0; i < n; i++) {
        x[i] /= most;
        sum += x[i] * x[i];
    }
    const double alpha = x[0], length = alpha > 0 ? -sqrt(sum) : sqrt(sum), divisor = alpha - length;
    for (int i = 1; i < n; i++) x[i] /= divisor;
    x[0] = 1;
    *beta = length * most;
    return (length - alpha) / length;
}

/* p = A v with the lower triangle of A. */
static void symmetric_product(int n, const double *A, int ld, const double *v, double *p) {
    memset(p, 0, sizeof *p * (size_t)n);
    for (int j = 0; j < n; j++) {
        const double *a = A + (size_t)ld * (size_t)j + j;
        p[j] += a[0] * v[j] + pp_dot(n - j - 1, a + 1, v + j + 1);
        pp_axpy(n - j - 1, v[j], a + 1, p + j + 1);
    }
}

/* A -> d (diagonal), e (n - 1, below it), the reflections in the columns of A below the diagonal and in tau. w: n. */
static void make_tridiagonal(int n, double *A, int ld, double *d, double *e, double *tau, double *w) {
    for (int k = 0; k + 1 < n; k++) {
        const int m = n - k - 1; /* rows and columns that are left */
        double *v = column(A, ld, k) + k + 1, *S = column(A, ld, k + 1) + k + 1;
        d[k] = v[-1];
        tau[k] = reflection(m, v, &e[k]);
        if (tau[k] == 0) continue;
        symmetric_product(m, S, ld, v, w);
        for (int i = 0; i < m; i++) w[i] *= tau[k];
        pp_axpy(m, -0.5 * tau[k] * pp_dot(m, w, v), v, w);
        for (int j = 0; j < m; j++) { /* S -= v w' + w v' */
            double *s = S + (size_t)ld * (size_t)j;
            pp_axpy(m - j, -w[j], v + j, s + j);
            pp_axpy(m - j, -v[j], w + j, s + j);
        }
    }
    d[n - 1] = column(A, ld, n - 1)[n - 1];
}

/* The product of the reflections, over A. Row and column 0 are those of the identity. */
static void form_product(int n, double *A, int ld, const double *tau) {
    for (int k = n - 2; k >= 0; k--) { /* reflection k acts on rows k + 1 .. n - 1; its vector moves one column on */
        const int m = n - k - 1;
        double *v = column(A, ld, k) + k + 1, *to = column(A, ld, k + 1) + k + 1;
        for (int j = 1; j < m;
             j++) { /* columns to the right are those of the product so far; their first row is zero */
            double *c = column(A, ld, k + 1 + j) + k + 1;
            c[0] = 0;
            if (tau[k] != 0) pp_axpy(m, -tau[k] * pp_dot(m - 1, v + 1, c + 1), v, c);
        }
        if (tau[k] != 0)
            for (int i = 0; i < m; i++) to[i] = -tau[k] * v[i];
        else
            memset(to, 0, sizeof *to * (size_t)m);
        to[0] += 1;
    }
    memset(A, 0, sizeof *A * (size_t)n);
    A[0] = 1;
    for (int j = 1; j < n; j++) column(A, ld, j)[0] = 0;
}

/* A symmetric tridiagonal matrix, and the rotations that have been applied to it. */
typedef struct tridiagonal {
    double *d, *e; /* diagonal, and the entries beside it */
    double *V;     /* n x n: the product of the rotations */
    int n, ld;
} tridiagonal;

/* An unreduced block of it, seen from one of its ends. */
typedef struct block {
    tridiagonal t;
    int end, step; /* row i of the view is row end + step i */
} block;
static double *diagonal(const block *b, int i) { return b->t.d + b->end + b->step * i; }
static double *beside(const block *b, int i) {
    return b->t.e + b->end + b->step * i - (b->step < 0);
} /* of i and i + 1 */

static void rotate(const block *b, int i, double c, double s) {
    double *x = column(b->t.V, b->t.ld, b->end + b->step * i), *y = column(b->t.V, b->t.ld, b->end + b->step * (i + 1));
    for (int k = 0; k < b->t.n; k++) {
        const double f = y[k];
        y[k] = s * x[k] + c * f;
        x[k] = c * x[k] - s * f;
    }
}

static bool negligible(double e, double d0, double d1) {
    return fabs(e) <= 0.5 * DBL_EPSILON * sqrt(fabs(d0)) * sqrt(fabs(d1)) || fabs(e) < DBL_MIN;
}

/* One implicit QL sweep over rows 0 .. m of the view; converges to an eigenvalue at row 0. */
static void sweep(const block *b, int m) {
    double g = (*diagonal(b, 1) - *diagonal(b, 0)) / (2 * *beside(b, 0));
    double s = 1, c = 1, p = 0, r = fabs(g) > 1 / DBL_EPSILON ? fabs(g) : sqrt(g * g + 1);
    g = *diagonal(b, m) - *diagonal(b, 0) + *beside(b, 0) / (g + copysign(r, g));
    for (int i = m - 1; i >= 0; i--) {
        const double f = s * *beside(b, i), h = c * *beside(b, i);
        r = rotation(f, g, &c, &s);
        if (i + 1 < m) *beside(b, i + 1) = r;
        if (r == 0) { /* the block falls apart here */
            *diagonal(b, i + 1) -= p;
            return;
        }
        g = *diagonal(b, i + 1) - p;
        r = (*diagonal(b, i) - g) * s + 2 * c * h;
        p = s * r;
        *diagonal(b, i + 1) = g + p;
        g = c * r - h;
        rotate(b, i, c, s);
    }
    *diagonal(b, 0) -= p;
    *beside(b, 0) = g;
}

/* Diagonalises rows lo .. hi, all of whose neighbours are coupled; returns the number of sweeps taken, at most `most`. One
 * eigenvalue is split off, or the block falls in two: the caller looks again. */
static int reduce(const tridiagonal *t, int lo, int hi, int most) {
    const double *d = t->d;
    double *e = t->e;
    const bool upward = fabs(d[hi]) >= fabs(d[lo]); /* small entries first */
    const block b = {*t, upward ? lo : hi, upward ? 1 : -1};
    int taken = 0;
    while (taken < most) {
        for (int i = lo; i < hi; i++)
            if (negligible(e[i], d[i], d[i + 1])) {
                e[i] = 0;
                return taken;
            }
        sweep(&b, hi - lo);
        taken++;
    }
    return taken;
}

static bool diagonalise(int n, double *d, double *e, double *V, int ld) {
    long left = (long)SWEEPS_PER_VALUE * n;
    for (int hi = n - 1; hi > 0;) {
        if (e[hi - 1] == 0) {
            hi--;
            continue;
        }
        int lo = hi - 1;
        while (lo > 0 && e[lo - 1] != 0) lo--;
        if (left <= 0) return false;
        left -= reduce(&(tridiagonal){d, e, V, n, ld}, lo, hi, (int)left);
    }
    return true;
}

static void sort(int n, double *d, double *V, int ld) {
    for (int i = 0; i + 1 < n; i++) {
        int least = i;
        for (int j = i + 1; j < n; j++)
            if (d[j] < d[least]) least = j;
        if (least == i) continue;
        const double t = d[i];
        d[i] = d[least];
        d[least] = t;
        double *x = column(V, ld, i), *y = column(V, ld, least);
        for (int k = 0; k < n; k++) {
            const double f = x[k];
            x[k] = y[k];
            y[k] = f;
        }
    }
}

int pp_eigen_work(int n) { return n < 1 ? 1 : 3 * n; } /* beside, tau, one vector */

bool pp_eigen(int n, double *A, int ld, double *lambda, double *work) {
    if (n == 0) return true;
    double most = 0;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            if (!isfinite(column(A, ld, j)[i])) return false;
            most = fmax(most, fabs(column(A, ld, j)[i]));
        }
    int exponent = 0;
    (void)frexp(most, &exponent);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) column(A, ld, j)[i] = ldexp(column(A, ld, j)[i], -exponent);
    double *e = work, *tau = work + n, *w = work + 2 * n;
    make_tridiagonal(n, A, ld, lambda, e, tau, w);
    form_product(n, A, ld, tau);
    for (int i = 0; i + 1 < n; i++)
        if (negligible(e[i], lambda[i], lambda[i + 1])) e[i] = 0;
    if (!diagonalise(n, lambda, e, A, ld)) return false;
    sort(n, lambda, A, ld);
    for (int i = 0; i < n; i++) lambda[i] = ldexp(lambda[i], exponent);
    return true;
}
