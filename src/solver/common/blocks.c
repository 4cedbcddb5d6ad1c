/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* blocks.c - small dense LCPs inside a larger one
 *   0 <= x  _|_  A x + q >= 0        A = M_BB, q: rows of block B with the variables outside constant
 * Method   The basis of the last visit is tried first: one LU, and all signs must be correct. Otherwise complementary pivoting from a ray
 *          start; the final basis is solved again by LU, so that the solution does not contain the errors of the pivots. Ties go to
 *          the largest pivot; that may cycle in theory, so pivots are counted, and a second run has a perturbed q.
 * Valid    As Lemke's algorithm: A copositive-plus, as for a contact with any rank of its friction part (the directions of a pyramid span only
 *          two dimensions). With other A it may fail and reports it.
 * Cost     m |S| + |S|^3/3 for a valid basis S (|S| <= 4 for a contact), 2 m^2 per pivot if not.
 * Source   Cottle, Pang, Stone (1992), 4.4; blocks as in 5.2 there. */
#include "solver/common/blocks.h"

#include <math.h>
#include <string.h>

#include "base/rounding.h"
#include "base/sets.h"
#include "linalg/kernel.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [1] Size, relative to q, by which signs may be wrong for the last basis. */
#define SAME_TOL 1e-14

void pp_groups_lay_out(pp_groups *g, int n, pp_workspace *c) {
    g->D = PP_CARVE(c, double, n);
    g->start = PP_CARVE(c, int, n + 1);
    g->member = PP_CARVE(c, int, n);
    g->scratch = PP_CARVE(c, int, n);
}

/* A power of two near x; 1 if that is out of range. */
static double near_power(double x) {
    int e;
    if (!(x > 1e-100 && x < 1e100)) return 1;
    double f = frexp(x, &e);
    return ldexp(1, f > 0.7071067811865476 ? e : e - 1);
}

void pp_groups_find(pp_groups *g, const pp_plain *p) {
    ptrdiff_t n = p->n;
    int *parent = g->scratch;
    pp_sets_make(parent, (int)n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            if (p->M[i + n * i] > 0 || !(p->M[i + n * j] != 0)) continue;
            pp_sets_join(parent, i, j);
        }
    g->count = 0;
    int at = 0;
    for (int i = 0; i < n; i++) {
        if (pp_set_of(parent, i) != i) continue;
        g->start[g->count++] = at;
        for (int j = i; j < n; j++)
            if (pp_set_of(parent, j) == i) g->member[at++] = j;
    }
    g->start[g->count] = at;
    for (int i = 0; i < n; i++) g->D[i] = p->M[i + n * i] > 0 ? near_power(1 / sqrt(p->M[i + n * i])) : 1;
    for (int k = 0; k < g->count; k++)
        for (int a = g->start[k]; a < g->start[k + 1]; a++) {
            ptrdiff_t i = g->member[a];
            double most = 0;
            if (p->M[i + n * i] > 0) continue;
            for (int b = g->start[k]; b < g->start[k + 1]; b++) {
                ptrdiff_t j = g->member[b];
                if (p->M[j + n * j] > 0)
                    most = fmax(most, fmax(fabs(p->M[i + n * j]), fabs(p->M[j + n * i])) * g->D[j]);
            }
            if (most > 0) g->D[i] = near_power(1 / most);
        }
}

void pp_block_lay_out(pp_block *k, int n, pp_workspace *c) {
    size_t N = (size_t)n;
    k->T = PP_CARVE(c, double, N *(N + 1));
    k->q = PP_CARVE(c, double, N);
    k->x = PP_CARVE(c, double, N);
    k->b = PP_CARVE(c, double, N);
    k->column = PP_CARVE(c, double, N);
    k->basic = PP_CARVE(c, int, N);
    k->nonbasic = PP_CARVE(c, int, N + 1);
    k->place = PP_CARVE(c, int, 2 * N + 1);
    k->S = PP_CARVE(c, int, N);
}

/* A_ij, scaled. */
static double entry(const pp_block *k, int i, int j) {
    int r = k->v[i], c = k->v[j];
    return k->D[r] * k->M[r + k->n * c] * k->D[c];
}

/* Answer of the basis S: A_SS x_S = -q_S, zero elsewhere. False if the block is singular. */
static bool solve_basis(pp_block *k, int m, ptrdiff_t s) {
    double *F = k->T, *y = k->b;
    for (int j = 0; j < s; j++) {
        y[j] = -k->q[k->S[j]];
        for (int i = 0; i < s; i++) F[i + s * j] = entry(k, k->S[i], k->S[j]);
    }
    for (ptrdiff_t c = 0; c < s; c++) {
        ptrdiff_t r = c;
        for (ptrdiff_t i = c + 1; i < s; i++)
            if (fabs(F[i + s * c]) > fabs(F[r + s * c])) r = i;
        if (!(fabs(F[r + s * c]) > PP_RANK_TOL)) return false;
        if (r != c) {
            double t = y[c];
            y[c] = y[r];
            y[r] = t;
            for (ptrdiff_t j = c; j < s; j++) {
                t = F[c + s * j];
                F[c + s * j] = F[r + s * j];
                F[r + s * j] = t;
            }
        }
        for (ptrdiff_t i = c + 1; i < s; i++) {
            double f = F[i + s * c] / F[c + s * c];
            if (f == 0) continue;
            for (ptrdiff_t j = c + 1; j < s; j++) F[i + s * j] -= f * F[c + s * j];
            y[i] -= f * y[c];
        }
    }
    for (int i = 0; i < m; i++) k->x[i] = 0;
    for (ptrdiff_t c = s - 1; c >= 0; c--) {
        y[c] /= F[c + s * c];
        for (int i = 0; i < c; i++) y[i] -= F[i + s * c] * y[c];
        k->x[k->S[c]] = y[c];
    }
    return true;
}

/* Largest |min(x, A x + q)|. */
static double violation(pp_block *k, int m) {
    double most = 0;
    memcpy(k->column, k->q, sizeof(double) * (size_t)m);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m && k->x[j] != 0; i++) k->column[i] += entry(k, i, j) * k->x[j];
    for (int i = 0; i < m; i++) {
        double r = fabs(k->x[i] < k->column[i] ? k->x[i] : k->column[i]);
        if (!(r <= most)) most = r; /* a NaN too */
    }
    return most;
}

static void pivot(pp_block *k, int m, int row, int col) {
    double *entering = k->T + (ptrdiff_t)m * col, p = entering[row];
    memcpy(k->column, entering, sizeof(double) * (size_t)m);
    k->column[row] = 0;
    double br = -k->b[row] / p;
    pp_axpy(m, br, k->column, k->b);
    k->b[row] = br;
    for (int j = 0; j <= m; j++) {
        double *c = k->T + (ptrdiff_t)m * j, f = c[row];
        if (j == col || f == 0) continue;
        f = -f / p;
        pp_axpy(m, f, k->column, c);
        c[row] = f;
    }
    for (int i = 0; i < m; i++) entering[i] = k->column[i] / p;
    entering[row] = 1 / p;
    int in = k->nonbasic[col], out = k->basic[row];
    k->basic[row] = in;
    k->nonbasic[col] = out;
    k->place[in] = row;
    k->place[out] = -1 - col;
}

/* A fixed sequence in [0, 1) without pattern (golden ratio). */
static double spread(int i) {
    double x = 0.6180339887498949 * (i + 1);
    return x - floor(x);
}

/* Complementary pivoting. On true the basis is in k->basic and its values in k->b. Variables: x_i = i, w_i = m + i,
 * artificial = 2 m. */
static bool pivots(pp_block *k, int m, double size, double noise) {
    int first = -1, artificial = 2 * m;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) k->T[i + (ptrdiff_t)m * j] = entry(k, i, j);
    for (int i = 0; i < m; i++) {
        k->T[i + (ptrdiff_t)m * m] = 1;
        k->b[i] = k->q[i] + noise * size * (0.5 + spread(i));
        k->basic[i] = m + i;
        k->nonbasic[i] = i;
        k->place[i] = -1 - i;
        k->place[m + i] = i;
        if (k->b[i] < 0 && (first < 0 || k->b[i] < k->b[first])) first = i;
    }
    k->nonbasic[m] = artificial;
    k->place[artificial] = -1 - m;
    if (first < 0) return true;
    int left = k->basic[first];
    pivot(k, m, first, m);
    for (int count = 0; count < 10 * m + 20; count++) {
        int enter = left < m ? left + m : left - m, col = -1 - k->place[enter], row = -1;
        const double *c = k->T + (ptrdiff_t)m * col;
        double bound = INFINITY, most = 1;
        for (int i = 0; i < m; i++) most = fmax(most, fabs(c[i]));
        for (int i = 0; i < m; i++) { /* largest step at which no variable is below rounding */
            if (!(c[i] < -PP_RANK_TOL * most)) continue;
            double r = ((k->b[i] > 0 ? k->b[i] : 0) + PP_ROUNDING * size) / -c[i];
            if (r < bound) bound = r;
        }
        for (int i = 0; i < m; i++) {
            if (!(c[i] < -PP_RANK_TOL * most) || (k->b[i] > 0 ? k->b[i] : 0) / -c[i] > bound) continue;
            if (k->basic[i] == artificial) {
                row = i;
                break;
            }
            if (row < 0 || c[i] < c[row]) row = i;
        }
        if (row < 0) return false;
        left = k->basic[row];
        pivot(k, m, row, col);
        if (left == artificial) return true;
        if (!isfinite(k->b[row])) return false;
    }
    return false;
}

bool pp_block_solve(pp_block *k, const pp_groups *g, const pp_plain *p, int m, const int *v, const double *z,
                    const double *w, bool *in) {
    double size = 0;
    int s = 0;
    k->M = p->M;
    k->n = p->n;
    k->v = v;
    k->D = g->D;
    for (int i = 0; i < m; i++) k->q[i] = w[v[i]];
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m && z[v[j]] != 0; i++) k->q[i] -= p->M[v[i] + k->n * v[j]] * z[v[j]];
    for (int i = 0; i < m; i++) {
        if (!(p->M[v[i] + k->n * v[i]] > 0)) k->q[i] = p->q[v[i]]; /* nothing outside: exact */
        k->q[i] *= g->D[v[i]];
        if (!isfinite(k->q[i])) return false;
        if (fabs(k->q[i]) > size) size = fabs(k->q[i]);
        if (in[v[i]]) k->S[s++] = i;
    }
    bool good = solve_basis(k, m, s) && violation(k, m) <= SAME_TOL * size;
    for (int run = 0; !good && run < 3; run++) {
        double noise = run == 0 ? 0 : run == 1 ? 1e-12 : 1e-10;
        if (!pivots(k, m, size, noise)) continue;
        s = 0;
        for (int i = 0; i < m; i++) {
            in[v[i]] = k->place[i] >= 0;
            if (in[v[i]]) k->S[s++] = i;
            k->x[i] = in[v[i]] ? k->b[k->place[i]] : 0;
        }
        good = solve_basis(k, m, s) && violation(k, m) <= PP_RESIDUAL * size;
    }
    for (int i = 0; i < m && good; i++) {
        k->x[i] = k->x[i] > 0 ? k->x[i] * g->D[v[i]] : 0;
        if (!isfinite(k->x[i])) good = false;
    }
    return good;
}
