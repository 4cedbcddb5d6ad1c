/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* residual.c - the judge's one figure: how far numbers are from solving a problem, in the units of its rows
 * Problem  natural-map residuals, zero exactly at a solution, measured from the problem data alone.
 * Method   dense: w = M z + q recomputed, rows in strips so that nothing is allocated; this is the one that steps of a
 *          world call. Sparse and by callback: w whole. Cones and QPs: measure_cone.c, measure.c.
 * Valid    anything that perp_problem_check() accepts: what is not finite gives INFINITY.
 * Cost     n^2, or the entries of the matrix, or one call of F.
 * Source   Cottle, Pang, Stone (1992) 5.10 for the natural map. */
#include "base/memory.h"
#include "linalg/kernel.h"
#include "problem/judge/cone_judge.h"
#include "problem/law.h"
#include "problem/judge/measure.h"

#define STRIP 64 /* rows of w at a time */

/* lo, hi, z_scale and w_scale may be NULL: 0, INFINITY, 1, 1. */
static double residual(const perp_mlcp *p, const double *z_scale, const double *w_scale, const double *z) {
    const int n = p->n;
    const double *M = p->M, *q = p->q, *lo = p->lo, *hi = p->hi;
    double most = 0;
    for (int start = 0; start < n; start += STRIP) {
        double w[STRIP];
        int rows = n - start < STRIP ? n - start : STRIP;
        for (int i = 0; i < rows; i++) w[i] = q[start + i];
        int j = 0;
        for (; j + 4 <= n; j += 4) pp_axpy4(rows, z + j, M + (ptrdiff_t)n * j + start, n, w);
        for (; j < n; j++) pp_axpy(rows, z[j], M + (ptrdiff_t)n * j + start, w);
        for (int i = 0; i < rows; i++) {
            int k = start + i;
            double zs = z_scale ? z_scale[k] : 1, ws = w_scale ? w_scale[k] : 1;
            pp_worsen(&most, pp_natural(z[k] / zs, w[i] / ws, lo ? lo[k] / zs : 0, hi ? hi[k] / zs : INFINITY));
        }
    }
    return pp_all_finite(n, z) ? most : INFINITY;
}

double perp_lcp_residual(const perp_lcp *p, const double *z) {
    return residual(&(perp_mlcp){.n = p->n, .M = p->M, .q = p->q}, NULL, NULL, z);
}

double perp_mlcp_residual(const perp_mlcp *p, const double *z) { return residual(p, NULL, NULL, z); }

/* Sparse matrix or callback: the whole of w at once. */
static double residual_whole(const perp_problem *p, const double *z) {
    bool ncp = p->cls == PERP_NCP;
    int n = perp_problem_size(p);
    const double *lo = ncp ? p->as.ncp.lo : p->as.sparse_mlcp.lo, *hi = ncp ? p->as.ncp.hi : p->as.sparse_mlcp.hi;
    if (!pp_all_finite(n, z)) return INFINITY;
    const perp_allocator heap = {0};
    double few[STRIP], *w = n <= STRIP ? few : pp_alloc(&heap, sizeof *w * (size_t)n);
    bool known = w && pp_box_rows(p, z, w);
    double most = known ? 0 : INFINITY;
    for (int i = 0; known && i < n; i++) {
        double zs = p->z_scale ? p->z_scale[i] : 1, ws = p->w_scale ? p->w_scale[i] : 1;
        pp_worsen(&most, pp_natural(z[i] / zs, w[i] / ws, lo ? lo[i] / zs : 0, hi ? hi[i] / zs : INFINITY));
    }
    if (w != few) pp_free(&heap, w);
    return most;
}

double perp_problem_residual(const perp_problem *p, const double *z) {
    const perp_mlcp *m = &p->as.mlcp;
    switch (p->cls) {
    case PERP_LCP:
        return residual(&(perp_mlcp){.n = p->as.lcp.n, .M = p->as.lcp.M, .q = p->as.lcp.q}, p->z_scale, p->w_scale, z);
    case PERP_MLCP: return residual(m, p->z_scale, p->w_scale, z);
    case PERP_SPARSE_MLCP:
    case PERP_NCP: return residual_whole(p, z);
    case PERP_QP: return pp_qp_residual(p, z);
    case PERP_CONE:
    case PERP_CONE_QP: return pp_cone_residual(p, z);
    }
    return INFINITY;
}
