/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* reduce.c - mixed LCP -> LCP: eliminates free variables, shifts bounds to zero, doubles boxes
 * Problem  lo <= z <= hi complementary to w = M z + q, as perp_mlcp.
 * Method   Free block F: z_F = -M_FF^- (M_FR z_R + q_F); the rest gets the Schur complement. M_FF symmetric positive semidefinite:
 *          pseudo-inverse (psd.c), which is exact if the dependent rows of F (redundant joints) depend on each other in all of M. Otherwise LU
 *          with complete pivoting, if M_FF is far from singular. If it is not, or if dependent rows of F differ outside (equations beside
 *          free variables, circuits): pivots that exchange some pairs (free_pivot.c). z = p0 + u, or p0 - u below an upper bound; a box
 *          gives u and s with 0 <= u _|_ w + s, 0 <= s _|_ (hi - lo) - u. lo = hi: no variable.
 * Valid    Any M. free_pivot.c describes what pivots may have to leave out; the residual of the solution shows it. Rows of F that depend on
 *          each other but contradict each other have no solution; the residual shows this too.
 * Cost     nF^3 + nF^2 nR + nF nR^2 multiplies.
 * Source   Cottle, Pang, Stone (1992) 1.5, 2.3; Golub, Van Loan (4th ed.) 3.4.8. */
#include "solver/common/reduce.h"

#include <math.h>
#include <string.h>

#include "base/rounding.h"
#include "linalg/kernel.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [1] A symmetric entry of a row without diagonal, relative to the diagonals, is rounding up to this. */
#define HELD_ROW 1e-4
/* [1] For a column without a diagonal, the remainder after elimination with M_FF is more than rounding above this
 * fraction. */
#define COUPLED 1e-7
/* [1] If the smallest pivot of M_FF exceeds this fraction of the largest, it is eliminated without further checks. */
#define WEAK 1e-6
/* [1] A nearly singular M_FF is eliminated if this changes each diagonal by at most this multiple of it. */
#define STRAIN 1e3
/* [1] If the smallest pivot of an M_FF that is not symmetric semidefinite is below this, growth is checked. */
#define WEAK_LU 1e-2
/* [1] Largest growth of entries with which such an M_FF is eliminated. */
#define BLOWN_UP 100
/* [steps] Refinement steps of the equations of free variables. */
#define REFINED 2

void *pp_workspace_take(pp_workspace *c, size_t count, size_t size) {
    void *p = c->base ? c->base + c->used : NULL;
    c->used += (count * size + 15) / 16 * 16;
    return p;
}

typedef enum bound { FREE, LOWER, UPPER, BOTH, FIXED } bound;

static bound bound_of(const perp_mlcp *m, int i) {
    bool lo = m->lo[i] > -INFINITY, hi = m->hi[i] < INFINITY;
    if (lo && hi) return m->lo[i] == m->hi[i] ? FIXED : BOTH;
    return lo ? LOWER : hi ? UPPER : FREE;
}

typedef struct layout {
    double *M, *q, *zs, *ws, *psd_work, *A, *X;
} layout;

/* Lays out everything; counts only if c->base is NULL. */
static void lay_out(pp_reduction *r, pp_workspace *c, layout *l) {
    const perp_problem *p = r->p;
    if (p->cls == PERP_LCP) {
        int n = p->as.lcp.n;
        r->lcp.n = n;
        l->zs = PP_CARVE(c, double, n);
        l->ws = PP_CARVE(c, double, n);
        return;
    }
    const perp_mlcp *m = &p->as.mlcp;
    int n = 0, nfree = 0;
    for (int i = 0; i < m->n; i++) {
        bound b = bound_of(m, i);
        nfree += b == FREE;
        n += b == LOWER || b == UPPER ? 1 : b == BOTH ? 2 : 0;
    }
    r->lcp.n = n;
    r->nfree = nfree;
    size_t N = (size_t)n, F = (size_t)nfree, P = (size_t)m->n;
    l->M = PP_CARVE(c, double, N *N);
    l->q = PP_CARVE(c, double, N);
    l->zs = PP_CARVE(c, double, N);
    l->ws = PP_CARVE(c, double, N);
    l->psd_work = PP_CARVE(c, double, pp_psd_work(nfree));
    l->A = PP_CARVE(c, double, F *F);
    l->X = PP_CARVE(c, double, F *P);
    r->p0 = PP_CARVE(c, double, P);
    r->tmp = PP_CARVE(c, double, 4 * P);
    r->free_index = PP_CARVE(c, int, F);
    r->rperm = PP_CARVE(c, int, F);
    r->cperm = PP_CARVE(c, int, F);
    r->first = PP_CARVE(c, int, P);
    if (nfree == 0) return;
    pp_free_pivot_lay_out(&r->pivots, n, nfree, c);
    r->ext = PP_CARVE(c, double, 4 * (N + F));
}

size_t pp_reduce_work(const perp_problem *p) {
    pp_reduction r = {.p = p};
    pp_workspace c = {0};
    layout l = {0};
    lay_out(&r, &c, &l);
    return c.used;
}

/* LU with complete pivoting of the nfree square matrix A in place; stops when nothing above the tolerance is left. */
static void complete_lu(pp_reduction *r, double *A) {
    ptrdiff_t n = r->nfree;
    double most = 0;
    for (ptrdiff_t i = 0; i < n * n; i++) most = fabs(A[i]) > most ? fabs(A[i]) : most;
    for (int i = 0; i < n; i++) r->rperm[i] = r->cperm[i] = i;
    r->LU = A;
    for (r->rank = 0; r->rank < n; r->rank++) {
        int k = r->rank, pr = k, pc = k;
        double best = 0;
        for (int j = k; j < n; j++)
            for (int i = k; i < n; i++)
                if (fabs(A[i + n * j]) > best) best = fabs(A[i + n * j]), pr = i, pc = j;
        if (!(best > PP_RANK_TOL * most)) return;
        r->least = best / most;
        for (int j = 0; j < n; j++) {
            double t = A[k + n * j];
            A[k + n * j] = A[pr + n * j];
            A[pr + n * j] = t;
        }
        for (int i = 0; i < n; i++) {
            double t = A[i + n * k];
            A[i + n * k] = A[i + n * pc];
            A[i + n * pc] = t;
        }
        int t = r->rperm[k];
        r->rperm[k] = r->rperm[pr], r->rperm[pr] = t;
        t = r->cperm[k];
        r->cperm[k] = r->cperm[pc], r->cperm[pc] = t;
        for (int i = k + 1; i < n; i++) A[i + n * k] /= A[k + n * k];
        for (int j = k + 1; j < n; j++) pp_axpy((int)n - k - 1, -A[k + n * j], A + k + 1 + n * k, A + k + 1 + n * j);
    }
}

/* x = M_FF^- x, nfree numbers. */
static void solve_free(const pp_reduction *r, double *x, double *tmp) {
    ptrdiff_t n = r->nfree;
    if (r->psd) {
        pp_psd_solve(&r->sym, 1, x, (int)n, tmp);
        return;
    }
    for (int i = 0; i < n; i++) tmp[i] = x[r->rperm[i]];
    for (int k = 0; k < r->rank; k++) pp_axpy(r->rank - k - 1, -tmp[k], r->LU + k + 1 + n * k, tmp + k + 1);
    for (int k = r->rank - 1; k >= 0; k--) {
        tmp[k] /= r->LU[k + n * k];
        pp_axpy(k, -tmp[k], r->LU + n * k, tmp);
    }
    for (int i = 0; i < n; i++) x[r->cperm[i]] = i < r->rank ? tmp[i] : 0;
}

static void factor_free(pp_reduction *r, double *A, double *psd_work) {
    const perp_mlcp *m = &r->p->as.mlcp;
    ptrdiff_t n = r->nfree, N = m->n;
    bool symmetric = true;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                A[i + n * j] = m->M[r->free_index[i] + N * r->free_index[j]];
                if (A[i + n * j] != m->M[r->free_index[j] + N * r->free_index[i]]) symmetric = false;
            }
        if (pass == 0) {
            r->psd = symmetric && pp_psd_factor(&r->sym, (int)n, A, (int)n, PP_RANK_TOL, psd_work);
            if (r->psd) return;
        } else {
            complete_lu(r, A);
        }
    }
}

/* Computes M z + q of the free rows, then z_F -= M_FF^- of it. */
static void correct_free(const pp_reduction *r, double *z) {
    const perp_mlcp *m = &r->p->as.mlcp;
    double *w = r->tmp, *x = r->tmp + m->n;
    memcpy(w, m->q, sizeof *w * (size_t)m->n);
    for (int j = 0; j < m->n; j++)
        if (z[j] != 0) pp_axpy(m->n, z[j], m->M + (ptrdiff_t)m->n * j, w);
    for (int i = 0; i < r->nfree; i++) x[i] = w[r->free_index[i]];
    solve_free(r, x, w);
    for (int i = 0; i < r->nfree; i++) z[r->free_index[i]] -= x[i];
}

/* Cleans rows that the free variables alone determine: with M positive semidefinite only rounding remains of them,
 * which must not be mistaken for a tiny mass. w: q after elimination, by the numbers of the problem. */
static void clean_held(const pp_reduction *r, double *S, double *q, const double *w0) {
    const perp_mlcp *m = &r->p->as.mlcp;
    ptrdiff_t n = r->lcp.n, N = m->n;
    /* remaining diagonals below this part of the original ones are rounding */
    double held = PP_ELIMINATED / r->sym.least > PP_NEGLIGIBLE ? PP_ELIMINATED / r->sym.least : PP_NEGLIGIBLE, size = 0;
    for (int i = 0; i < r->nfree; i++) size += fabs(w0[r->free_index[i]]);
    for (int i = 0; i < N; i++) {
        ptrdiff_t v = r->first[i];
        double mi = m->M[i + N * i];
        if (v < 0 || !(mi > 0) || fabs(S[v + n * v]) > held * mi) continue;
        for (int j = 0; j < N; j++) {
            ptrdiff_t u = r->first[j];
            double mj = m->M[j + N * j];
            if (u < 0 || !(mj > 0)) continue;
            double small = HELD_ROW * sqrt(mi * mj);
            if (fabs(S[v + n * u]) < small && fabs(S[u + n * v]) < small) S[v + n * u] = S[u + n * v] = 0;
        }
        if (fabs(q[v]) < held * (fabs(w0[i]) + size)) q[v] = 0;
    }
}

/* Sets entries of column j after elimination to zero if they are only rounding of their terms; otherwise a solver might
 * use them as pivots. */
static void clean_column(const pp_reduction *r, const double *X, int j, double *column) {
    const perp_mlcp *m = &r->p->as.mlcp;
    ptrdiff_t N = m->n, F = r->nfree;
    for (int i = 0; i < N; i++) {
        double size = fabs(m->M[i + N * j]);
        for (int k = 0; k < F; k++) size += fabs(m->M[i + N * r->free_index[k]] * X[k + F * j]);
        if (fabs(column[i]) <= PP_SUM_ROUNDING * size / r->least) column[i] = 0;
    }
}

/* Does M_FF, of less than full rank, leave a remainder of other columns or rows that only it could have determined?
 * With M positive semidefinite it does not, up to rounding of the size of the square root of the rank tolerance. X:
 * M_FF^- M_FR. */
static bool coupled(const pp_reduction *r, const double *X) {
    const perp_mlcp *m = &r->p->as.mlcp;
    ptrdiff_t N = m->n, F = r->nfree;
    double *e = r->ext, *x = e + F, *tmp = e + 2 * F;
    for (int j = 0; j < N; j++) {
        if (r->first[j] < 0) continue;
        for (int side = 0; side < 2; side++) {
            double size = 0, mj = fabs(m->M[j + N * j]), left = 0;
            for (int i = 0; i < F; i++) {
                ptrdiff_t f = r->free_index[i];
                e[i] = side ? m->M[j + N * f] : m->M[f + N * j];
                if (r->sym.scale[i] == 0 && e[i] != 0) return true; /* a row that only pairs could satisfy */
                size = fmax(size, r->sym.scale[i] * fabs(e[i]));
                x[i] = side ? e[i] : X[i + F * j];
            }
            if (size == 0) continue;
            if (side) solve_free(r, x, tmp);
            for (int i = 0; i < F; i++)
                for (int k = 0; k < F; k++) e[k] -= m->M[r->free_index[k] + N * r->free_index[i]] * x[i];
            for (int i = 0; i < F; i++) left = fmax(left, r->sym.scale[i] * fabs(e[i]));
            if (left > (mj > 0 ? HELD_ROW * sqrt(mj) : COUPLED * size)) return true;
        }
    }
    return false;
}

/* Does M_FF, regular but nearly singular, give the rest larger entries than a positive semidefinite M allows? */
static bool strained(const pp_reduction *r, const double *X) {
    const perp_mlcp *m = &r->p->as.mlcp;
    ptrdiff_t N = m->n, F = r->nfree;
    for (int j = 0; j < N; j++) {
        double taken = 0;
        for (int i = 0; i < F && r->first[j] >= 0; i++) taken += m->M[j + N * r->free_index[i]] * X[i + F * j];
        if (fabs(taken) > STRAIN * fabs(m->M[j + N * j])) return true;
    }
    return false;
}

/* Does the elimination give the rest much larger entries than there were? Then digits are lost. */
static bool blown_up(const pp_reduction *r, const double *X) {
    const perp_mlcp *m = &r->p->as.mlcp;
    ptrdiff_t N = m->n, F = r->nfree;
    double most = 0;
    for (ptrdiff_t i = 0; i < N * N; i++) most = fmax(most, fabs(m->M[i]));
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N && r->first[j] >= 0; i++) {
            double taken = 0;
            for (int k = 0; k < F && r->first[i] >= 0; k++) taken += m->M[i + N * r->free_index[k]] * X[k + F * j];
            if (fabs(taken) > BLOWN_UP * most) return true;
        }
    return false;
}

/* Are pivots that involve pairs needed? */
static bool needs_pairs(const pp_reduction *r, const double *X) {
    if (!r->psd) return r->rank < r->nfree || (r->least < WEAK_LU && blown_up(r, X));
    if (r->sym.rank < r->nfree) return coupled(r, X);
    return r->sym.least < WEAK && strained(r, X);
}

/* z = p0 + x in the variables of the pairs and the free ones, x of lcp.n + nfree. */
static void from_ext(const pp_reduction *r, const double *x, double *z) {
    const perp_mlcp *m = &r->p->as.mlcp;
    for (int i = 0, k = 0; i < m->n; i++) {
        bound b = bound_of(m, i);
        double u = b == FREE ? x[r->lcp.n + k++] : b == FIXED ? 0 : x[r->first[i]];
        z[i] = r->p0[i] + (b == UPPER ? -u : u);
    }
}

/* Rows of the same: y = G x + g. */
static void rows_ext(const pp_reduction *r, const double *x, double *y) {
    const perp_mlcp *m = &r->p->as.mlcp;
    double *z = r->tmp, *w = r->tmp + m->n;
    from_ext(r, x, z);
    memcpy(w, m->q, sizeof *w * (size_t)m->n);
    for (int j = 0; j < m->n; j++)
        if (z[j] != 0) pp_axpy(m->n, z[j], m->M + (ptrdiff_t)m->n * j, w);
    for (int i = 0, k = 0; i < m->n; i++) {
        bound b = bound_of(m, i);
        int v = r->first[i];
        if (b == FREE) y[r->lcp.n + k++] = w[i];
        if (v < 0) continue;
        y[v] = b == UPPER ? -w[i] : b == BOTH ? w[i] + x[v + 1] : w[i];
        if (b == BOTH) y[v + 1] = m->hi[i] - m->lo[i] - x[v];
    }
}

/* The LCP by pivots that involve pairs. w: q with the bounds shifted to zero. */
static void reduce_by_pivots(pp_reduction *r, const double *w, layout *l) {
    const perp_mlcp *m = &r->p->as.mlcp;
    pp_free_pivot *f = &r->pivots;
    ptrdiff_t N = m->n, n = r->lcp.n, E = f->N;
    r->pivoted = true;
    memset(f->T, 0, sizeof *f->T * (size_t)(E * E));
    for (int j = 0, kj = 0; j < N; j++) {
        bound bj = bound_of(m, j);
        if (bj == FIXED) continue;
        ptrdiff_t vj = bj == FREE ? n + kj++ : r->first[j];
        double sj = bj == UPPER ? -1 : 1;
        for (int i = 0, ki = 0; i < N; i++) {
            bound bi = bound_of(m, i);
            if (bi == FIXED) continue;
            ptrdiff_t vi = bi == FREE ? n + ki++ : r->first[i];
            f->T[vi + E * vj] = sj * (bi == UPPER ? -1 : 1) * m->M[i + N * j];
        }
        f->b[vj] = sj * w[j];
        if (bj == FREE) continue;
        if (r->p->z_scale) l->zs[vj] = r->p->z_scale[j];
        if (r->p->w_scale) l->ws[vj] = r->p->w_scale[j];
        if (bj != BOTH) continue;
        f->T[vj + E * (vj + 1)] = 1;
        f->T[vj + 1 + E * vj] = -1;
        f->b[vj + 1] = m->hi[j] - m->lo[j];
        l->zs[vj + 1] = l->ws[vj];
        l->ws[vj + 1] = l->zs[vj];
    }
    pp_free_pivot_run(f);
    pp_free_pivot_lcp(f, l->M, l->q);
    for (int i = 0; i < n; i++) {
        if (!pp_free_pivot_exchanged(f, i)) continue;
        double t = l->zs[i];
        l->zs[i] = l->ws[i], l->ws[i] = t;
    }
    r->lcp.M = l->M;
    r->lcp.q = l->q;
}

void pp_reduce(pp_reduction *r, const perp_problem *p, void *work) {
    memset(r, 0, sizeof *r);
    r->p = p;
    pp_workspace c = {work, 0};
    layout l = {0};
    lay_out(r, &c, &l);
    ptrdiff_t n = r->lcp.n;
    for (int i = 0; i < n; i++) l.zs[i] = l.ws[i] = 1;
    r->lcp.zs = l.zs;
    r->lcp.ws = l.ws;
    if (p->cls == PERP_LCP) {
        if (p->z_scale) memcpy(l.zs, p->z_scale, sizeof *l.zs * (size_t)n);
        if (p->w_scale) memcpy(l.ws, p->w_scale, sizeof *l.ws * (size_t)n);
        r->lcp.M = p->as.lcp.M;
        r->lcp.q = p->as.lcp.q;
        return;
    }
    const perp_mlcp *m = &p->as.mlcp;
    ptrdiff_t N = m->n, F = r->nfree;
    double *w = r->tmp, *w0 = r->tmp + 3 * N;
    memcpy(w, m->q, sizeof *w * (size_t)N);
    int v = 0, nfree = 0;
    for (int i = 0; i < N; i++) {
        bound b = bound_of(m, i);
        r->first[i] = -1;
        r->p0[i] = b == FREE ? 0 : b == UPPER ? m->hi[i] : m->lo[i];
        if (r->p0[i] != 0) pp_axpy((int)N, r->p0[i], m->M + N * i, w);
        if (b == FREE) r->free_index[nfree++] = i;
        if (b == FREE || b == FIXED) continue;
        r->first[i] = v;
        v += b == BOTH ? 2 : 1;
    }
    if (F > 0) {
        factor_free(r, l.A, l.psd_work);
        double *x0 = r->tmp + N, *tmp = r->tmp + 2 * N;
        for (int i = 0; i < F; i++) x0[i] = w[r->free_index[i]];
        solve_free(r, x0, tmp);
        memcpy(w0, w, sizeof *w * (size_t)N);
        for (int i = 0; i < F; i++) pp_axpy((int)N, -x0[i], m->M + N * r->free_index[i], w);
        for (int j = 0; j < N; j++) {
            if (r->first[j] < 0) continue;
            for (int i = 0; i < F; i++) l.X[i + F * j] = m->M[r->free_index[i] + N * j];
            solve_free(r, l.X + F * j, tmp);
        }
        if (needs_pairs(r, l.X)) {
            reduce_by_pivots(r, w0, &l);
            return;
        }
    }
    memset(l.M, 0, sizeof *l.M * (size_t)(n * n));
    double *column = r->tmp + N;
    for (int j = 0; j < N; j++) {
        ptrdiff_t vj = r->first[j];
        if (vj < 0) continue;
        bound b = bound_of(m, j);
        memcpy(column, m->M + N * j, sizeof *column * (size_t)N);
        for (int i = 0; i < F; i++) pp_axpy((int)N, -l.X[i + F * j], m->M + N * r->free_index[i], column);
        if (F > 0 && !r->psd) clean_column(r, l.X, j, column);
        double sj = b == UPPER ? -1 : 1;
        for (int i = 0; i < N; i++)
            if (r->first[i] >= 0) l.M[r->first[i] + n * vj] = sj * (bound_of(m, i) == UPPER ? -1 : 1) * column[i];
        l.q[vj] = sj * w[j];
        if (p->z_scale) l.zs[vj] = p->z_scale[j];
        if (p->w_scale) l.ws[vj] = p->w_scale[j];
        if (b != BOTH) continue;
        l.M[vj + n * (vj + 1)] = 1;
        l.M[vj + 1 + n * vj] = -1;
        l.q[vj + 1] = m->hi[j] - m->lo[j];
        l.zs[vj + 1] = l.ws[vj];
        l.ws[vj + 1] = l.zs[vj];
    }
    if (F > 0 && r->psd) clean_held(r, l.M, l.q, w0);
    r->lcp.M = l.M;
    r->lcp.q = l.q;
}

void pp_reduce_guess(const pp_reduction *r, const double *z, double *x) {
    if (r->p->cls == PERP_LCP) {
        for (int i = 0; i < r->lcp.n; i++) x[i] = z[i] > 0 ? z[i] : 0;
        return;
    }
    const perp_mlcp *m = &r->p->as.mlcp;
    bool any = false;
    for (int i = 0, k = 0; i < m->n; i++) {
        int v = r->first[i];
        any |= z[i] != 0;
        if (r->pivoted && bound_of(m, i) == FREE) r->ext[r->lcp.n + k++] = z[i];
        if (v < 0) continue;
        bound b = bound_of(m, i);
        double u = b == UPPER ? m->hi[i] - z[i] : z[i] - m->lo[i];
        x[v] = u > 0 ? u : 0;
        if (b != BOTH) continue;
        double room =
            m->hi[i] - m->lo[i]; /* at a bound except for rounding: at the bound; the upper one with some multiplier */
        if (u < PP_RESIDUAL * room) x[v] = 0;
        bool top = room - u < PP_RESIDUAL * room;
        x[v + 1] = top ? room / r->lcp.zs[v] * r->lcp.zs[v + 1] : 0;
        if (top) x[v] = room;
    }
    if (!r->pivoted || !any) return;
    double *y = r->ext + r->lcp.n + r->nfree;
    memcpy(r->ext, x, sizeof *x * (size_t)r->lcp.n);
    rows_ext(r, r->ext, y);
    for (int i = 0; i < r->lcp.n; i++)
        if (pp_free_pivot_exchanged(&r->pivots, i)) x[i] = y[i] > 0 ? y[i] : 0;
}

/* z from a solution of the LCP after pivots, with two steps of refinement on the data of the problem. */
static void answer_by_pivots(const pp_reduction *r, const double *x, double *z) {
    ptrdiff_t E = r->pivots.N;
    double *e = r->ext, *y = e + E;
    pp_free_pivot_answer(&r->pivots, x, e);
    for (int pass = 0; pass < 2; pass++) {
        rows_ext(r, e, y);
        pp_free_pivot_refine(&r->pivots, x, y, e, y + E);
    }
    from_ext(r, e, z);
}

void pp_reduce_answer(const pp_reduction *r, const double *x, double *z) {
    if (r->p->cls == PERP_LCP) {
        for (int i = 0; i < r->lcp.n; i++) z[i] = x[i];
        return;
    }
    const perp_mlcp *m = &r->p->as.mlcp;
    if (r->pivoted) answer_by_pivots(r, x, z);
    for (int i = 0; i < m->n; i++) {
        int v = r->first[i];
        bound b = bound_of(m, i);
        if (!r->pivoted) z[i] = r->p0[i];
        if (!r->pivoted && v >= 0) z[i] += b == UPPER ? -x[v] : x[v];
        if (z[i] < m->lo[i]) z[i] = m->lo[i];
        if (z[i] > m->hi[i]) z[i] = m->hi[i];
    }
    if (r->nfree > 0 && !r->pivoted) {
        correct_free(r, z);
        correct_free(r, z);
    }
}

void pp_reduce_polish(pp_reduction *r, double *z) {
    if (r->nfree == 0 || (r->psd && !r->pivoted && r->p->z_scale)) return; /* contacts: redundant ones share the load */
    const perp_mlcp *m = &r->p->as.mlcp;
    ptrdiff_t N = m->n, k = 0;
    double *A = r->pivots.T, *y = r->ext, *x = r->tmp, *w = r->tmp + N, size = 0;
    int *in = r->pivots.queue, *piv = r->pivots.from;
    for (int i = 0; i < N; i++) {
        size = fmax(size, fabs(m->q[i]) / (r->p->w_scale ? r->p->w_scale[i] : 1));
        if (z[i] > m->lo[i] && z[i] < m->hi[i]) in[k++] = i;
        x[i] = z[i];
    }
    double best = perp_problem_residual(r->p, z);
    if (best <= PP_ROUNDING * size) return;
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++) A[i + k * j] = m->M[in[i] + N * in[j]];
    double norm = pp_norm1((int)k, A, (int)k);
    if (!pp_lu((int)k, A, (int)k, piv) || !(pp_lu_rcond((int)k, A, (int)k, piv, norm, w) > PP_NEGLIGIBLE)) return;
    for (int step = 0; step < REFINED; step++) {
        memcpy(w, m->q, sizeof *w * (size_t)N);
        for (int j = 0; j < N; j++)
            if (x[j] != 0) pp_axpy((int)N, x[j], m->M + N * j, w);
        for (int i = 0; i < k; i++) y[i] = -w[in[i]];
        pp_lu_solve((int)k, A, (int)k, piv, 1, y, (int)k);
        for (int i = 0; i < k; i++) x[in[i]] = fmin(fmax(x[in[i]] + y[i], m->lo[in[i]]), m->hi[in[i]]);
        double residual = perp_problem_residual(r->p, x);
        if (!(residual < best)) continue;
        best = residual;
        memcpy(z, x, sizeof *z * (size_t)N);
    }
}

double pp_reduce_missed(const pp_reduction *r, const double *z) {
    const perp_mlcp *m = &r->p->as.mlcp;
    double most = 0, size = 0;
    for (int k = 0; k < r->nfree; k++) {
        int i = r->free_index[k];
        double w = m->q[i], sum = fabs(w), unit = r->p->w_scale ? r->p->w_scale[i] : 1;
        for (int j = 0; j < m->n; j++) {
            double a = m->M[i + (ptrdiff_t)m->n * j] * z[j];
            w += a;
            sum += fabs(a);
        }
        if (isnan(w)) return INFINITY;
        most = fmax(most, fabs(w) / unit);
        size = fmax(size, sum / unit);
    }
    return size > 0 ? most / size : 0;
}
