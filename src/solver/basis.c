/* basis.c - an LCP from a guess of its basis
 * Problem  given a set S that should hold the positive variables: z_S with M_SS z_S = -q_S, z = 0 elsewhere, w = M z + q.
 * Method   LU of the block in the natural scales of z and w, one step of refinement on the original data. If some z_S or w is negative, exchange all of them
 *          at once and solve again: this is Newton's method on min(z, w) = 0, which ends in a few steps from a good guess.
 *          Redundant contacts make M_SS singular; with `share` the factors are those of M_SS + share, and refinement still meets
 *          the equations exactly. The load is then shared as by contacts of equal, vanishing compliance.
 * Valid    M_SS regular; no guarantee that the exchanges end, hence the limit.
 * Cost     2/3 |S|^3 + 4 n |S| per step.
 * Source   Cottle, Pang, Stone (1992) 2.1 (complementary bases); Kostreva, Block pivot methods for the LCP (1978). */
#include "solver/basis.h"

#include <math.h>
#include <string.h>

#include "linalg/kernel.h"

double pp_basis_measure(pp_basis *b, const double *z) {
    const pp_plain *p = b->lcp;
    double most = 0;
    memcpy(b->w, p->q, sizeof *b->w * (size_t)p->n);
    for (int j = 0; j < p->n; j++)
        if (z[j] != 0) pp_axpy(p->n, z[j], p->M + (ptrdiff_t)p->n * j, b->w);
    for (int i = 0; i < p->n; i++) {
        double a = z[i] / p->zs[i], c = b->w[i] / p->ws[i], m = fabs(a < c ? a : c);
        if (isnan(a) || isnan(c)) return INFINITY;
        if (m > most) most = m;
    }
    return most;
}

/* Most steps of refinement with a regularised block; each gains a factor of about share/(smallest eigenvalue). */
#define REFINEMENTS 12

/* Largest |w_i|/ws_i over the basis. */
static double basis_error(const pp_basis *b, int m) {
    double most = 0;
    for (int i = 0; i < m; i++) {
        double e = fabs(b->w[b->S[i]] / b->lcp->ws[b->S[i]]);
        if (!(e <= most)) most = e;
    }
    return most;
}

bool pp_basis_solve(pp_basis *b, bool *in, int limit, double tol, double share) {
    const pp_plain *p = b->lcp;
    ptrdiff_t n = p->n;
    double *z = b->x;
    for (int pass = 0; pass < limit; pass++) {
        int m = 0;
        for (int i = 0; i < n; i++) {
            z[i] = 0;
            if (in[i]) b->S[m++] = i;
        }
        for (int j = 0; j < m; j++)
            for (int i = 0; i < m; i++)
                b->A[i + (ptrdiff_t)m * j] = p->M[b->S[i] + n * b->S[j]] / p->ws[b->S[i]] * p->zs[b->S[j]];
        if (share > 0)
            for (int i = 0; i < m; i++)
                if (b->A[i + (ptrdiff_t)m * i] > 0) b->A[i + (ptrdiff_t)m * i] += share;
        b->steps++;
        if (!pp_lu(m, b->A, m, b->piv)) return false;
        double residual = INFINITY, before = INFINITY;
        for (int refine = 0; refine < (share > 0 ? REFINEMENTS : 2); refine++) { /* z = 0 first: w is q */
            if (refine == 0) memcpy(b->w, p->q, sizeof *b->w * (size_t)n);
            double error = basis_error(b, m);
            if (refine >= 2 && (error <= 0.01 * tol * b->size || !(error < 0.5 * before))) break;
            before = error;
            for (int i = 0; i < m; i++) b->y[i] = -b->w[b->S[i]] / p->ws[b->S[i]];
            pp_lu_solve(m, b->A, m, b->piv, 1, b->y, m);
            for (int i = 0; i < m; i++) {
                double d = p->zs[b->S[i]] * b->y[i];
                if (!isfinite(d)) return false;
                z[b->S[i]] += d;
            }
            residual = pp_basis_measure(b, z);
        }
        /* What is kept is the answer with negative parts cut off: within the tolerance they are rounding. */
        bool negative = false;
        for (int i = 0; i < m; i++)
            if (z[b->S[i]] < 0) negative = true;
        if (residual < b->residual) {
            for (int i = 0; i < n; i++) b->best[i] = z[i] > 0 ? z[i] : 0;
            b->residual = residual;
            if (negative) { /* measured as it is kept; w of the uncut answer is still needed below */
                memcpy(b->y, b->w, sizeof *b->w * (size_t)n);
                b->residual = pp_basis_measure(b, b->best);
                memcpy(b->w, b->y, sizeof *b->w * (size_t)n);
            }
        }
        if (b->residual <= tol * b->size) return true;
        bool changed = false;
        double small = tol * b->size;
        for (int i = 0; i < n; i++) {
            bool wrong = in[i] ? z[i] / p->zs[i] < -small : b->w[i] / p->ws[i] < -small;
            if (wrong) {
                in[i] = !in[i];
                changed = true;
            }
        }
        if (!changed) return false;
    }
    return false;
}
