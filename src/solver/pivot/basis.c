/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* basis.c - solves an LCP from a guess of its basis
 * Problem  A set S should contain the positive variables: z_S with M_SS z_S = -q_S, z = 0 elsewhere, w = M z + q.
 * Method   LU of the block in the natural scales of z and w, one step of refinement on the original data. If some z_S or w is negative, all
 *          of them are exchanged at once and the system is solved again: this is Newton's method on min(z, w) = 0, which ends in a few
 *          steps from a good guess. Redundant contacts make M_SS singular. Then proximal points are used, whose matrix M_SS + share
 *          is regular. While the basis stays the same, one factorisation is enough for all of them, and they are iterative refinement.
 * Valid    M_SS regular. There is no guarantee that the exchanges end, so their number is limited.
 * Cost     2/3 |S|^3 + 4 n |S| per step.
 * Source   Cottle, Pang, Stone (1992) 2.1 (complementary bases); Kostreva, Block pivot methods for the LCP (1978). */
#include "solver/pivot/basis.h"

#include <math.h>
#include <string.h>

#include "linalg/kernel.h"

double pp_basis_measure(pp_basis *b, const double *z) {
    const pp_plain *p = b->lcp;
    double most = 0;
    memcpy(b->w, p->q, sizeof *b->w * (size_t)p->n);
    int columns = 0;
    for (int j = 0; j < p->n; j++)
        if (z[j] != 0) columns++, pp_axpy(p->n, z[j], p->M + (ptrdiff_t)p->n * j, b->w);
    if (p->n > 0) pp_count(b->counts, pp_dense_product(p->n) * columns / p->n);
    for (int i = 0; i < p->n; i++) {
        double a = z[i] / p->zs[i], c = b->w[i] / p->ws[i], m = fabs(a < c ? a : c);
        if (isnan(a) || isnan(c)) return INFINITY;
        if (m > most) most = m;
    }
    return most;
}

/* Indices of the set into b->S; their number. */
static int collect(pp_basis *b, const bool *in) {
    int m = 0;
    for (int i = 0; i < b->lcp->n; i++)
        if (in[i]) b->S[m++] = i;
    return m;
}

/* LU of M_SS + share D, in natural scales. Returns false if singular, or if no work is left. */
static bool factorise(pp_basis *b, int m, double share) {
    const pp_plain *p = b->lcp;
    ptrdiff_t n = p->n;
    /* there may be many exchanges, each of them fast */
    if (b->counts && b->counts->done > b->counts->limit) return false;
    for (int j = 0; j < m; j++) {
        double *column = b->A + (ptrdiff_t)m * j;
        for (int i = 0; i < m; i++) column[i] = p->M[b->S[i] + n * b->S[j]] / p->ws[b->S[i]] * p->zs[b->S[j]];
        column[j] += share * pp_basis_weight(p, b->S[j]);
    }
    b->steps++;
    b->m = m;
    pp_count(b->counts, pp_dense_work(m, 1));
    b->norm = pp_norm1(m, b->A, m);
    return pp_lu(m, b->A, m, b->piv);
}

double pp_basis_rcond(pp_basis *b) { return b->m > 0 ? pp_lu_rcond(b->m, b->A, b->m, b->piv, b->norm, b->work) : 1; }

/* z_S += -(block)^-1 w_S; false if something is not finite. */
static bool correct(pp_basis *b, int m, double *z) {
    const pp_plain *p = b->lcp;
    for (int i = 0; i < m; i++) b->y[i] = -b->w[b->S[i]] / p->ws[b->S[i]];
    pp_lu_solve(m, b->A, m, b->piv, 1, b->y, m);
    for (int i = 0; i < m; i++) {
        double d = p->zs[b->S[i]] * b->y[i];
        if (!isfinite(d)) return false;
        z[b->S[i]] += d;
    }
    return true;
}

/* Keeps z if it is the best so far; its residual (and b->w) has just been measured. Negative parts are cut off: within
 * the tolerance they are rounding. b->w still belongs to z. */
static void keep(pp_basis *b, const double *z, double residual) {
    int n = b->lcp->n;
    if (!(residual < b->residual)) return;
    bool negative = false;
    for (int i = 0; i < n; i++) {
        negative |= z[i] < 0;
        b->best[i] = z[i] > 0 ? z[i] : 0;
    }
    b->residual = residual;
    if (!negative) return;
    memcpy(b->y, b->w, sizeof *b->w * (size_t)n);
    b->residual = pp_basis_measure(b, b->best);
    memcpy(b->w, b->y, sizeof *b->w * (size_t)n);
}

bool pp_basis_solve(pp_basis *b, bool *in, int limit, double tol) {
    const pp_plain *p = b->lcp;
    int n = p->n;
    double *z = b->x, small = tol * b->size;
    for (int pass = 0; pass < limit; pass++) {
        int m = collect(b, in);
        if (!factorise(b, m, 0)) return false;
        for (int i = 0; i < n; i++) z[i] = 0;
        memcpy(b->w, p->q, sizeof *b->w * (size_t)n);
        double residual = INFINITY;
        for (int refine = 0; refine < 2; refine++) {
            if (!correct(b, m, z)) return false;
            residual = pp_basis_measure(b, z);
        }
        keep(b, z, residual);
        if (b->residual <= small) return true;
        bool changed = false;
        for (int i = 0; i < n; i++) {
            bool wrong = in[i] ? z[i] / p->zs[i] < -small : b->w[i] / p->ws[i] < -small;
            if (!wrong) continue;
            in[i] = !in[i];
            changed = true;
        }
        if (!changed) return false;
    }
    return false;
}

/* [1] If the reciprocal condition number is below this, the solution may be one of many. The next two: diagonal term,
 * and number of refinements. */
#define REGULAR     1e-8
#define NEARBY      1e-7
#define CORRECTIONS 4

void pp_basis_polish(pp_basis *b, bool *in, bool open) {
    int n = b->lcp->n;
    for (int i = 0; i < n; i++) {
        b->x[i] = b->best[i];
        in[i] = b->best[i] > 0;
    }
    int m = collect(b, in);
    if (!factorise(b, m, 0) || !(pp_basis_rcond(b) > REGULAR)) {
        if (!open || !factorise(b, m, NEARBY)) return;
    }
    (void)pp_basis_measure(b, b->x);
    for (int k = 0; k < CORRECTIONS; k++) {
        if (!correct(b, m, b->x)) return;
        keep(b, b->x, pp_basis_measure(b, b->x));
    }
}

/* [points] Largest number of proximal points. Each reduces the error by about share/(share + smallest eigenvalue), and
 * by at least the next: */
#define PROXIMAL_POINTS 60
#define SLOWEST         0.5
/* [1] If the equations of a basis contradict each other, points also drift, by residual/share each time, until another
 * contact opens or closes. Smaller compliance accelerates both. This is the smallest one; below it rounding dominates. */
#define LEAST_SHARE 1e-9

/* [exchanges] If the number of exchanges has not reached a new minimum for this long, the search ends. */
#define AIMLESS 6

/* One proximal point from z (changed) by at most `limit` exchanges. b->w belongs to the new z, *residual is its
 * residual. fresh: b->w belongs to z already. On failure z is unchanged. */
static bool proximal_point(pp_basis *b, bool *in, double *z, double share, double small, int limit, bool *factorised,
                           bool fresh, double *residual) {
    const pp_plain *p = b->lcp;
    int n = p->n;
    double *centre = b->c;
    int fewest = n + 1, since = 0;
    memcpy(centre, z, sizeof *z * (size_t)n);
    for (; limit > 0; limit--) {
        int m = collect(b, in);
        if (!*factorised && !factorise(b, m, share)) break;
        *factorised = true;
        /* start at the centre restricted to the set: there the equation is (M + share) dz = -w */
        for (int i = 0; i < n; i++) {
            double start = in[i] ? centre[i] : 0;
            fresh = fresh && z[i] == start;
            z[i] = start;
        }
        if (!fresh) (void)pp_basis_measure(b, z);
        if (!correct(b, m, z)) break;
        *residual = pp_basis_measure(b, z);
        fresh = true;
        if (b->near) keep(b, z, *residual);
        int changed = 0;
        for (int i = 0; i < n; i++) {
            bool wrong = in[i] ? z[i] / p->zs[i] < -small
                               : (b->w[i] - pp_basis_pull(p, i, share, centre[i])) / p->ws[i] < -small;
            if (!wrong) continue;
            in[i] = !in[i];
            changed++;
        }
        if (!changed) return true;
        *factorised = false;
        since = changed < fewest ? 0 : since + 1;
        if (changed < fewest) fewest = changed;
        if (since >= AIMLESS) break;
    }
    memcpy(z, centre, sizeof *z * (size_t)n);
    return false;
}

/* Drifting points move by the same dz each time. Moves along dz as far as no variable of the basis and no other row
 * becomes negative. Returns false if that is not further than the next point. b->c is the point before z; b->w belongs
 * to z; b->y is used. */
static bool run_ahead(pp_basis *b, const bool *in, double *z) {
    const pp_plain *p = b->lcp;
    int n = p->n;
    double far = INFINITY;
    for (int i = 0; i < n; i++) b->y[i] = 0;
    for (int j = 0; j < n; j++)
        if (z[j] != b->c[j]) pp_axpy(n, z[j] - b->c[j], p->M + (ptrdiff_t)n * j, b->y);
    for (int i = 0; i < n; i++) {
        double d = in[i] ? (z[i] - b->c[i]) / p->zs[i] : b->y[i] / p->ws[i],
               at = in[i] ? z[i] / p->zs[i] : b->w[i] / p->ws[i];
        if (d < 0 && -at / d < far) far = at > 0 ? -at / d : 0;
    }
    if (!isfinite(far) || far < 2) return false;
    for (int i = 0; i < n; i++) z[i] += far * (z[i] - b->c[i]);
    return true;
}

bool pp_basis_prox(pp_basis *b, bool *in, double *z, int limit, double tol, double *share) {
    double before = INFINITY, residual = INFINITY;
    bool factorised = false, fresh = false;
    for (int k = 0; k < PROXIMAL_POINTS; k++) {
        if (!proximal_point(b, in, z, *share, 0.1 * tol * b->size, limit, &factorised, fresh, &residual)) break;
        fresh = true;
        keep(b, z, residual);
        if (residual <= 0.01 * tol * b->size) break;
        bool slow = k > 2 && !(residual < SLOWEST * before);
        before = residual;
        if (!slow) continue;
        if (residual <= PP_BASIS_SLACK * tol * b->size) break;
        if (b->shared_residual == INFINITY) {
            for (int i = 0; i < b->lcp->n; i++) b->shared[i] = z[i] > 0 ? z[i] : 0;
            b->shared_residual = residual;
        }
        before = INFINITY;
        if (run_ahead(b, in, z)) {
            fresh = false;
            continue;
        }
        if (*share < LEAST_SHARE) break;
        *share *= 0.01; /* continue from there with longer steps */
        factorised = false;
    }
    return b->residual <= PP_BASIS_SLACK * tol * b->size;
}
