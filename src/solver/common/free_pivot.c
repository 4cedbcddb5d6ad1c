/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* free_pivot.c - makes free variables basic by pivoting
 * Problem  w = G z + g with pairs 0 <= z_i _|_ w_i >= 0, i < n, and free variables whose rows are equations w = 0, but whose block of G is
 *          singular: multipliers of equations (KKT systems), potentials of circuits.
 * Method   Principal block pivots after which every free z is basic and its w is not. One pivot in the free block while it has a large
 *          entry. Otherwise a free column f enters in the row of a pair r, whose other variable then enters in a free row e: the pivot on the
 *          block {f, r}, after which w_r is the variable of pair r and z_r its row. If no single pair works, a chain f, r_0, r_1, ..., e of
 *          them, shortest first. A free column that no row contains stays out, at 0. An empty free row is left out; if its right-hand side is
 *          not 0, there is no solution. If columns are left but no rows: the column enters in the row of a pair, whose z stays 0.
 * Valid    Any G. Each pivot preserves solutions (Tucker's principal transform), except in the last case, which loses those with z_r > 0. If G
 *          is positive semidefinite, so is the remaining matrix, and chains have one pair.
 * Cost     2 N^2 flops per pivot, nfree to 2 nfree pivots; the search nfree^2 n for each.
 * Source   Cottle, Pang, Stone (1992) 2.3 (principal pivotal transforms). */
#include "solver/common/free_pivot.h"

#include <math.h>
#include <string.h>

#include "base/rounding.h"
#include "linalg/kernel.h"
#include "solver/common/reduce.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [1] An entry of the equilibrated dictionary above this is used as a pivot at once. Smaller ones down to PP_RANK_TOL
 * are used if there is none. */
#define GOOD 0.1
/* [1] A free column or row is connected to a pair if its entry in the equilibrated dictionary exceeds this. */
#define TIED 1e-7

void pp_free_pivot_lay_out(pp_free_pivot *f, int n, int nfree, pp_workspace *c) {
    size_t N = (size_t)n + (size_t)nfree;
    f->n = n;
    f->nfree = nfree;
    f->N = n + nfree;
    f->T = PP_CARVE(c, double, N *N);
    f->b = PP_CARVE(c, double, N);
    f->grown = PP_CARVE(c, double, N);
    f->D = PP_CARVE(c, double, N);
    f->column = PP_CARVE(c, double, N);
    f->basic = PP_CARVE(c, int, N);
    f->nonbasic = PP_CARVE(c, int, N);
    f->from = PP_CARVE(c, int, N);
    f->queue = PP_CARVE(c, int, N);
}

/* Symmetric scaling by powers of two, without rounding. */
static void equilibrate(pp_free_pivot *f) {
    ptrdiff_t N = f->N;
    double *D = f->D, *most = f->column;
    for (int i = 0; i < N; i++) D[i] = 1;
    for (int pass = 0; pass < 6; pass++) {
        for (int i = 0; i < N; i++) most[i] = 0;
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                double a = fabs(f->T[i + N * j]) * D[i] * D[j];
                if (a > most[i]) most[i] = a;
                if (a > most[j]) most[j] = a;
            }
        for (int i = 0; i < N; i++)
            if (most[i] > 0 && isfinite(most[i])) D[i] /= sqrt(most[i]);
    }
    for (int i = 0; i < N; i++) {
        int e;
        (void)frexp(D[i], &e);
        D[i] = ldexp(1, e);
        if (!(D[i] > 1e-100 && D[i] < 1e100)) D[i] = 1;
    }
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) f->T[i + N * j] *= D[i] * D[j];
        f->b[j] *= D[j];
    }
}

/* Exchanges the variables of a row and a column. Twice is the identity. */
static void pivot(pp_free_pivot *f, int row, int col) {
    ptrdiff_t N = f->N;
    double *entering = f->T + N * col, p = entering[row], *c = f->column;
    memcpy(c, entering, sizeof *c * (size_t)N);
    c[row] = 0;
    double br = -f->b[row] / p, grown = f->grown[row] / fabs(p);
    pp_axpy((int)N, br, c, f->b);
    f->b[row] = br;
    for (int i = 0; i < N; i++) f->grown[i] += fabs(c[i]) * grown;
    f->grown[row] = grown;
    for (int j = 0; j < N; j++) {
        double *x = f->T + N * j, a = x[row];
        if (j == col || a == 0) continue;
        a = -a / p;
        for (int i = 0; i < N; i++) {
            double change = a * c[i], sum = x[i] + change;
            x[i] = fabs(sum) > PP_ROUNDING * fabs(change) ? sum : 0;
        }
        x[row] = a;
    }
    for (int i = 0; i < N; i++) entering[i] = c[i] / p;
    entering[row] = 1 / p;
    int in = f->nonbasic[col];
    f->nonbasic[col] = f->basic[row];
    f->basic[row] = in;
}

static void swap_rows(pp_free_pivot *f, int a, int b) {
    ptrdiff_t N = f->N;
    if (a == b) return;
    for (int j = 0; j < N; j++) {
        double t = f->T[a + N * j];
        f->T[a + N * j] = f->T[b + N * j];
        f->T[b + N * j] = t;
    }
    double t = f->b[a];
    f->b[a] = f->b[b], f->b[b] = t;
    int v = f->basic[a];
    f->basic[a] = f->basic[b], f->basic[b] = v;
}

static void swap_columns(pp_free_pivot *f, int a, int b) {
    ptrdiff_t N = f->N;
    if (a == b) return;
    for (int i = 0; i < N; i++) {
        double t = f->T[i + N * a];
        f->T[i + N * a] = f->T[i + N * b];
        f->T[i + N * b] = t;
    }
    int v = f->nonbasic[a];
    f->nonbasic[a] = f->nonbasic[b], f->nonbasic[b] = v;
}

/* Is this free row, or column, still to be processed? */
static bool row_waits(const pp_free_pivot *f, int i) { return i >= f->n && f->basic[i] >= f->N; }
static bool column_waits(const pp_free_pivot *f, int j) { return j >= f->n && f->nonbasic[j] < f->N; }

static double entry(const pp_free_pivot *f, int row, int col) { return fabs(f->T[row + (ptrdiff_t)f->N * col]); }

/* Free column col enters along queue[0 .. length - 1] of pairs, free row `row` leaves. Returns false, without changes,
 * if an entry on the way has vanished meanwhile. */
static bool follow(pp_free_pivot *f, int col, int length, int row) {
    const int *r = f->queue;
    for (int k = 0; k <= length; k++) {
        int into = k < length ? r[k] : row, out = k > 0 ? r[k - 1] : col;
        if (entry(f, into, out) > (length > 0 ? TIED : 0)) {
            pivot(f, into, out);
            continue;
        }
        while (k-- > 0) pivot(f, k < length ? r[k] : row, k > 0 ? r[k - 1] : col);
        return false;
    }
    for (int k = 0; k < length; k++) { /* move every pair back to its place */
        swap_rows(f, r[k], k + 1 < length ? r[k + 1] : row);
        swap_columns(f, col, r[k]);
    }
    return true;
}

/* Best pivot inside the free block, and best path over one pair. */
static bool eliminate_one(pp_free_pivot *f) {
    int row = -1, col = -1, by = -1, by_row = -1, by_col = -1;
    double own = 0, over = 0;
    for (int j = f->n; j < f->N; j++)
        for (int i = f->n; i < f->N && column_waits(f, j); i++)
            if (row_waits(f, i) && entry(f, i, j) > own) own = entry(f, i, j), row = i, col = j;
    if (own > GOOD) return follow(f, col, 0, row);
    for (int r = 0; r < f->n; r++) { /* for each pair the largest of the two entries; the smaller of them counts */
        int i = -1, j = -1;
        double up = 0, left = 0;
        for (int k = f->n; k < f->N; k++) {
            if (column_waits(f, k) && entry(f, r, k) > left) left = entry(f, r, k), j = k;
            if (row_waits(f, k) && entry(f, k, r) > up) up = entry(f, k, r), i = k;
        }
        double least = up < left ? up : left;
        if (least > over) over = least, by = r, by_row = i, by_col = j;
    }
    if (over > own && over > TIED) {
        f->queue[0] = by;
        if (follow(f, by_col, 1, by_row)) return true;
    }
    return own > PP_RANK_TOL && follow(f, col, 0, row);
}

/* A free row to be processed that contains pair r, or -1. */
static int row_beside(const pp_free_pivot *f, int r) {
    for (int i = f->n; i < f->N; i++)
        if (row_waits(f, i) && entry(f, i, r) > TIED) return i;
    return -1;
}

/* Shortest chain from a free column over pairs to a free row, breadth first. */
static bool chain_from(pp_free_pivot *f, int col) {
    int tail = 0;
    for (int i = 0; i < f->n; i++) {
        bool first = entry(f, i, col) > TIED;
        f->from[i] = first ? -1 : -2;
        if (first) f->queue[tail++] = i;
    }
    for (int head = 0; head < tail; head++) {
        int r = f->queue[head], row = row_beside(f, r), length = 0;
        if (row >= 0) {
            for (int k = r; k >= 0; k = f->from[k]) length++;
            for (int k = r, at = length; k >= 0; k = f->from[k]) f->queue[--at] = k;
            return follow(f, col, length, row);
        }
        for (int i = 0; i < f->n; i++)
            if (f->from[i] == -2 && entry(f, i, r) > TIED) f->from[i] = r, f->queue[tail++] = i;
    }
    return false;
}

static bool eliminate_by_chain(pp_free_pivot *f) {
    for (int col = f->n; col < f->N; col++)
        if (column_waits(f, col) && chain_from(f, col)) return true;
    return false;
}

/* A column that pairs contain but for which no free row is left enters in the row of a pair. That pair keeps the
 * variable that left; its other one stays 0, and its row is empty. */
static bool eliminate_alone(pp_free_pivot *f) {
    int row = -1, col = -1, by = -1;
    double most = TIED;
    for (int j = f->n; j < f->N; j++) {
        if (row_waits(f, j)) row = j;
        for (int i = 0; i < f->n && column_waits(f, j); i++)
            if (f->basic[i] >= 0 && entry(f, i, j) > most) most = entry(f, i, j), by = i, col = j;
    }
    if (by < 0 || row < 0) return false;
    pivot(f, by, col);
    swap_rows(f, by, row);
    swap_columns(f, by, col);
    for (int j = 0; j < f->N; j++) f->T[by + (ptrdiff_t)f->N * j] = 0;
    f->b[by] = 0;
    f->basic[by] = -1;
    return true;
}

void pp_free_pivot_run(pp_free_pivot *f) {
    equilibrate(f);
    for (int i = 0; i < f->N; i++) f->basic[i] = f->N + i, f->nonbasic[i] = i, f->grown[i] = fabs(f->b[i]);
    while (eliminate_one(f) || eliminate_by_chain(f)) continue;
    while (eliminate_alone(f)) continue;
    for (int i = 0; i < f->N; i++)
        if (fabs(f->b[i]) <= PP_SUM_ROUNDING * f->grown[i]) f->b[i] = 0;
    f->left_out = 0;
    for (int i = f->n; i < f->N; i++) f->left_out += row_waits(f, i);
}

double pp_free_pivot_unit(const pp_free_pivot *f, int variable) {
    return variable < 0 ? 1 : variable < f->N ? f->D[variable] : 1 / f->D[variable - f->N];
}

void pp_free_pivot_lcp(const pp_free_pivot *f, double *M, double *q) {
    ptrdiff_t n = f->n;
    for (int j = 0; j < n; j++) {
        double unit = pp_free_pivot_unit(f, f->nonbasic[j]);
        for (int i = 0; i < n; i++)
            M[i + n * j] = pp_free_pivot_unit(f, f->basic[i]) * f->T[i + (ptrdiff_t)f->N * j] / unit;
        q[j] = pp_free_pivot_unit(f, f->basic[j]) * f->b[j];
    }
}

/* Adds T x to y, where x are values of nonbasic variables. */
static void add(const pp_free_pivot *f, const double *x, double *y) {
    for (int j = 0; j < f->N; j++)
        if (x[j] != 0) pp_axpy(f->N, x[j], f->T + (ptrdiff_t)f->N * j, y);
}

void pp_free_pivot_answer(const pp_free_pivot *f, const double *v, double *z) {
    double *y = f->column;
    memcpy(y, f->b, sizeof *y * (size_t)f->N);
    for (int i = 0; i < f->N; i++) z[i] = 0;
    for (int j = 0; j < f->n; j++) {
        double x = v[j] / pp_free_pivot_unit(f, f->nonbasic[j]);
        if (f->nonbasic[j] < f->N) z[f->nonbasic[j]] = v[j];
        if (x != 0) pp_axpy(f->N, x, f->T + (ptrdiff_t)f->N * j, y);
    }
    for (int i = 0; i < f->N; i++)
        if (f->basic[i] >= 0 && f->basic[i] < f->N) z[f->basic[i]] = f->D[f->basic[i]] * y[i];
}

void pp_free_pivot_refine(const pp_free_pivot *f, const double *v, const double *w, double *z, double *tmp) {
    int N = f->N;
    double *x = tmp, *y = tmp + N;
    for (int j = 0; j < N; j++) {
        int i = f->nonbasic[j] - N;
        x[j] = i < 0 ? 0 : f->D[i] * ((j < f->n ? v[j] : 0) - w[i]);
        y[j] = 0;
    }
    add(f, x, y);
    for (int i = 0; i < N; i++)
        if (f->basic[i] >= 0 && f->basic[i] < N) z[f->basic[i]] += f->D[f->basic[i]] * y[i];
}
