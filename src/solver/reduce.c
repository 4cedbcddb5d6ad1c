/* reduce.c - mixed LCP -> LCP: free variables eliminated, bounds shifted to zero, boxes doubled
 * Problem  lo <= z <= hi complementary to w = M z + q, as perp_mlcp.
 * Method   free block F: z_F = -M_FF^- (M_FR z_R + q_F), the rest sees the Schur complement. M_FF symmetric positive
 *          semidefinite: pseudo-inverse (psd.c); else LU with complete pivoting, dependent columns set to zero and
 *          dependent rows left out. z = p0 + u, or p0 - u below an upper bound; a box gives u and s with 0 <= u _|_
 *          w + s, 0 <= s _|_ (hi - lo) - u. lo = hi: no variable.
 * Valid    any M. If M_FF is singular and its rows do not agree, no solution exists and the residual of the answer
 *          tells.
 * Cost     nF^3 + nF^2 nR + nF nR^2 multiplies.
 * Source   Cottle, Pang, Stone (1992) 1.5, 2.3; Golub, Van Loan (4th ed.) 3.4.8. */
#include "solver/reduce.h"

#include <math.h>
#include <string.h>

#include "linalg/kernel.h"

#define RANK_TOL 1e-11
/* A diagonal below HELD_TOL of what it was, or below HELD_EPS over the smallest pivot, if that is more, is rounding;
 * so are then the symmetric entries of its row and column, which are at most HELD_ROW of the diagonals. */
#define HELD_TOL 1e-12
#define HELD_EPS 1e-14
#define HELD_ROW 1e-4
#define AT_BOUND 1e-9

void *pp_carve(pp_carver *c, size_t count, size_t size) {
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
static void lay_out(pp_reduction *r, pp_carver *c, layout *l) {
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
}

size_t pp_reduce_work(const perp_problem *p) {
    pp_reduction r = {.p = p};
    pp_carver c = {0};
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
        if (!(best > RANK_TOL * most)) return;
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
            r->psd = symmetric && pp_psd_factor(&r->sym, (int)n, A, (int)n, RANK_TOL, psd_work);
            if (r->psd) return;
        } else {
            complete_lu(r, A);
        }
    }
}

/* M z + q of the free rows, then z_F -= M_FF^- of it. */
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

/* Rows that the free variables alone hold: with M positive semidefinite, nothing is left of them but rounding, which
 * must not be taken for a tiny mass. w: q after elimination, by the numbers of the problem. */
static void clean_held(const pp_reduction *r, double *S, double *q, const double *w0) {
    const perp_mlcp *m = &r->p->as.mlcp;
    ptrdiff_t n = r->lcp.n, N = m->n;
    double held = HELD_EPS / r->sym.least > HELD_TOL ? HELD_EPS / r->sym.least : HELD_TOL, size = 0;
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

void pp_reduce(pp_reduction *r, const perp_problem *p, void *work) {
    memset(r, 0, sizeof *r);
    r->p = p;
    pp_carver c = {work, 0};
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
    }
    memset(l.M, 0, sizeof *l.M * (size_t)(n * n));
    double *column = r->tmp + N;
    for (int j = 0; j < N; j++) {
        ptrdiff_t vj = r->first[j];
        if (vj < 0) continue;
        bound b = bound_of(m, j);
        memcpy(column, m->M + N * j, sizeof *column * (size_t)N);
        for (int i = 0; i < F; i++) pp_axpy((int)N, -l.X[i + F * j], m->M + N * r->free_index[i], column);
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
    for (int i = 0; i < m->n; i++) {
        int v = r->first[i];
        if (v < 0) continue;
        bound b = bound_of(m, i);
        double u = b == UPPER ? m->hi[i] - z[i] : z[i] - m->lo[i];
        x[v] = u > 0 ? u : 0;
        if (b != BOTH) continue;
        double room =
            m->hi[i] - m->lo[i]; /* at a bound but for rounding: at the bound, the upper one with some multiplier */
        if (u < AT_BOUND * room) x[v] = 0;
        bool top = room - u < AT_BOUND * room;
        x[v + 1] = top ? room / r->lcp.zs[v] * r->lcp.zs[v + 1] : 0;
        if (top) x[v] = room;
    }
}

void pp_reduce_answer(const pp_reduction *r, const double *x, double *z) {
    if (r->p->cls == PERP_LCP) {
        for (int i = 0; i < r->lcp.n; i++) z[i] = x[i];
        return;
    }
    const perp_mlcp *m = &r->p->as.mlcp;
    for (int i = 0; i < m->n; i++) {
        int v = r->first[i];
        bound b = bound_of(m, i);
        z[i] = r->p0[i];
        if (v >= 0) z[i] += b == UPPER ? -x[v] : x[v];
        if (z[i] < m->lo[i]) z[i] = m->lo[i];
        if (z[i] > m->hi[i]) z[i] = m->hi[i];
    }
    if (r->nfree > 0) {
        correct_free(r, z);
        correct_free(r, z);
    }
}
