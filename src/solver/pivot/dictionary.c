/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* dictionary.c - complementary pivoting with columns that are updated when they are needed
 * Problem  w = q + M z + d a; exchange variables between left and right, one pair at a time.
 * Method   The entering column u and the pivot p of each exchange are stored (product form). The exchange in row r is applied to a column c by
 *          f = -c_r / p,  c += f u,  c_r = f:  the same sums in the same order as if all columns were updated at once, so the result
 *          is bitwise identical. Exchanges are applied to other right-hand sides in the same way.
 * Cost     n times the number of stored exchanges per pivot: at most half of n^2 in a run of n/2 pivots, and little at its beginning. When there
 *          are too many, they are applied to all columns and dropped.
 * Source   Cottle, Pang, Stone (1992), 2.3 (pivoting); product form of the inverse: Dantzig, Orchard-Hays (1954). */
#include "solver/pivot/dictionary.h"

#include <string.h>

#include "linalg/kernel.h"

/* Number of stored pivots: twice the size, limited by this many numbers; never fewer than LEAST. */
#define NUMBERS 4000000
#define LEAST   32

static int memory_of(int n) {
    int room = n > 0 ? NUMBERS / n : 0, most = 2 * n;
    if (most > room) most = room;
    return most > LEAST ? most : LEAST;
}

void pp_dictionary_lay_out(pp_dictionary *d, int n, pp_workspace *c) {
    size_t N = (size_t)n, most = (size_t)memory_of(n);
    d->n = n;
    d->most = (int)most;
    d->T = PP_CARVE(c, double, N *(N + 1));
    d->b = PP_CARVE(c, double, N);
    d->gone = PP_CARVE(c, double, N *most);
    d->value = PP_CARVE(c, double, most);
    d->basic = PP_CARVE(c, int, N);
    d->nonbasic = PP_CARVE(c, int, N + 1);
    d->place = PP_CARVE(c, int, 2 * N + 1);
    d->row = PP_CARVE(c, int, most);
    d->seen = PP_CARVE(c, int, N + 1);
}

void pp_dictionary_start(pp_dictionary *d) {
    int n = d->n;
    for (int i = 0; i < n; i++) {
        d->basic[i] = n + i;
        d->nonbasic[i] = i;
        d->place[i] = -1 - i;
        d->place[n + i] = i;
    }
    d->nonbasic[n] = 2 * n;
    d->place[2 * n] = -1 - n;
    for (int j = 0; j <= n; j++) d->seen[j] = 0;
    d->kept = 0;
    d->whole = true;
}

/* Applies the exchanges from `first` on to c. */
static void see(const pp_dictionary *d, int first, double *c) {
    ptrdiff_t n = d->n;
    for (int k = first; k < d->kept; k++) {
        int r = d->row[k];
        if (c[r] == 0) continue;
        double f = -c[r] / d->value[k];
        pp_axpy((int)n, f, d->gone + n * k, c);
        c[r] = f;
    }
}

const double *pp_dictionary_column(pp_dictionary *d, int col) {
    double *c = d->T + (ptrdiff_t)d->n * col;
    see(d, d->seen[col], c);
    d->seen[col] = d->kept;
    return c;
}

void pp_dictionary_cover(pp_dictionary *d, const double *by) {
    int col = -1 - d->place[2 * d->n];
    memcpy(d->T + (ptrdiff_t)d->n * col, by, sizeof *by * (size_t)d->n);
    d->seen[col] = d->kept;
}

/* Applies all exchanges to all columns and drops them. */
static void forget(pp_dictionary *d) {
    for (int j = 0; j <= d->n; j++) {
        (void)pp_dictionary_column(d, j);
        d->seen[j] = 0;
    }
    d->kept = 0;
    d->whole = false;
}

void pp_dictionary_pivot(pp_dictionary *d, int row, int col) {
    if (d->kept == d->most) forget(d);
    ptrdiff_t n = d->n;
    (void)pp_dictionary_column(d, col);
    double *entering = d->T + n * col, p = entering[row], *u = d->gone + n * d->kept;
    memcpy(u, entering, sizeof *u * (size_t)n);
    u[row] = 0; /* so that updates do not change this row */
    double br = -d->b[row] / p;
    pp_axpy((int)n, br, u, d->b);
    d->b[row] = br;
    for (int i = 0; i < n; i++) entering[i] = u[i] / p;
    entering[row] = 1 / p;
    d->value[d->kept] = p;
    d->row[d->kept] = row;
    d->seen[col] = ++d->kept;
    int in = d->nonbasic[col], out = d->basic[row];
    d->basic[row] = in;
    d->nonbasic[col] = out;
    d->place[in] = row;
    d->place[out] = -1 - col;
    d->count++;
}

double pp_dictionary_inverse(pp_dictionary *d, int row, int k) {
    int at = d->place[d->n + k];
    if (at >= 0) return at == row ? 1 : 0;
    return -pp_dictionary_column(d, -1 - at)[row];
}

void pp_dictionary_point(pp_dictionary *d, const double *q) {
    int n = d->n;
    if (d->whole) {
        memcpy(d->b, q, sizeof *q * (size_t)n);
        see(d, 0, d->b);
        return;
    }
    for (int i = 0; i < n; i++) d->b[i] = 0;
    for (int k = 0; k < n; k++) {
        int at = d->place[n + k];
        if (at >= 0)
            d->b[at] += q[k];
        else
            pp_axpy(n, -q[k], pp_dictionary_column(d, -1 - at), d->b);
    }
}
