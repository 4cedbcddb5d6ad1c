/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* measure.c - all measures of an answer, for every class
 * Problem  dimensionless residuals of lo <= z <= hi complementary to w = F(z); other classes are measured in other files.
 * Method   w recomputed from the data; with scales given z_i/z_scale_i and w_i/w_scale_i over s = max
 *          |w_i(0)|/w_scale_i, without w over s and z over s/max |J_ij|. What depends on the problem alone is prepared
 *          once, so that many answers are measured cheaply and without allocation.
 * Valid    anything that perp_problem_check() accepts; where F is not defined every figure is INFINITY.
 * Cost     new: one look at the data. measure: one product with the matrix, or one call of F and, without scales, one
 *          of J (n + 1 of F if there is no J).
 * Source   Cottle, Pang, Stone (1992) 5.10; Fischer (1992); Billups (1995). */
#include "problem/judge/measure.h"

#include <float.h>
#include <string.h>

#include "linalg/linalg.h"
#include "problem/law.h"
#include "base/elementary.h"

bool pp_box_rows(const perp_problem *p, const double *z, double *w) {
    size_t n = (size_t)perp_problem_size(p);
    switch (p->cls) {
    case PERP_LCP:
    case PERP_MLCP: {
        bool mixed = p->cls == PERP_MLCP;
        const double *M = mixed ? p->as.mlcp.M : p->as.lcp.M, *q = mixed ? p->as.mlcp.q : p->as.lcp.q;
        if (n > 0) memcpy(w, q, sizeof *w * n);
        pp_gemv(false, (int)n, M, (int)n, z, 1, w);
        return true;
    }
    case PERP_SPARSE_MLCP:
        if (n > 0) memcpy(w, p->as.sparse_mlcp.q, sizeof *w * n);
        pp_add_product(&p->as.sparse_mlcp.M, z, w);
        return true;
    case PERP_NCP: return p->as.ncp.F(z, w, p->as.ncp.ctx) && pp_all_finite((int)n, w);
    case PERP_QP:
    case PERP_CONE:
    case PERP_CONE_QP: break;
    }
    return false;
}

void pp_box_bounds(const perp_problem *p, int i, double *lo, double *hi) {
    *lo = 0, *hi = INFINITY;
    if (p->cls == PERP_MLCP) *lo = p->as.mlcp.lo[i], *hi = p->as.mlcp.hi[i];
    if (p->cls == PERP_SPARSE_MLCP) *lo = p->as.sparse_mlcp.lo[i], *hi = p->as.sparse_mlcp.hi[i];
    if (p->cls == PERP_NCP && p->as.ncp.lo) *lo = p->as.ncp.lo[i];
    if (p->cls == PERP_NCP && p->as.ncp.hi) *hi = p->as.ncp.hi[i];
}

static double largest(const double *x, ptrdiff_t n) {
    double most = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        if (fabs(x[i]) > most) most = fabs(x[i]);
    return most;
}

static ptrdiff_t ncp_entries(const perp_ncp *p) {
    return p->start ? (p->n > 0 ? p->start[p->n] : 0) : (ptrdiff_t)p->n * p->n;
}

/* w(0), or where F is not defined there, w at the point of the bounds next to 0. Written to j->w. */
static bool rows_at_zero(perp_judge *j, double *z) {
    for (int i = 0; i < j->n; i++) z[i] = 0;
    if (pp_box_rows(&j->p, z, j->w)) return true;
    for (int i = 0; i < j->n; i++) {
        double lo, hi;
        pp_box_bounds(&j->p, i, &lo, &hi);
        z[i] = pp_clamp(0, lo, hi);
    }
    return pp_box_rows(&j->p, z, j->w);
}

static bool prepare_box(perp_judge *j) {
    const perp_problem *p = &j->p;
    int n = j->n;
    j->w = PP_ARENA_ARRAY(&j->arena, double, n);
    j->moved = PP_ARENA_ARRAY(&j->arena, double, n);
    if (!j->w || !j->moved) return false;
    if (p->cls == PERP_LCP) j->matrix = largest(p->as.lcp.M, (ptrdiff_t)n * n);
    if (p->cls == PERP_MLCP) j->matrix = largest(p->as.mlcp.M, (ptrdiff_t)n * n);
    if (p->cls == PERP_SPARSE_MLCP && n > 0)
        j->matrix = largest(p->as.sparse_mlcp.M.value, p->as.sparse_mlcp.M.start[n]);
    if (p->cls == PERP_NCP && !p->z_scale && !p->w_scale) {
        ptrdiff_t entries = ncp_entries(&p->as.ncp);
        j->w_new = PP_ARENA_ARRAY(&j->arena, double, n);
        if (p->as.ncp.J && !(j->jac = PP_ARENA_ARRAY(&j->arena, double, entries))) return false;
        if (!j->w_new) return false;
    }
    if (rows_at_zero(j, j->moved))
        for (int i = 0; i < n; i++) {
            j->norm = pp_hypot(j->norm, j->w[i]);
            pp_worsen(&j->unit, p->w_scale ? j->w[i] / p->w_scale[i] : j->w[i]);
        }
    if (!(j->unit > 0 && j->unit < INFINITY)) j->unit = 1;
    return true;
}

/* Largest |dF_i/dz_j| at z, where j->w = F(z): by J, or by differences. */
static double largest_derivative(perp_judge *j, const double *z) {
    const perp_ncp *p = &j->p.as.ncp;
    if (p->J) return p->J(z, j->jac, p->ctx) ? largest(j->jac, ncp_entries(p)) : 0;
    double most = 0;
    if (j->n > 0) memcpy(j->moved, z, sizeof *z * (size_t)j->n);
    for (int k = 0; k < j->n; k++) {
        double h = sqrt(DBL_EPSILON) * fmax(1, fabs(z[k]));
        for (int side = 0; side < 2; side++) { /* forward; backward if F ends there */
            j->moved[k] = z[k] + (side ? -h : h);
            if (!pp_box_rows(&j->p, j->moved, j->w_new)) continue;
            for (int i = 0; i < j->n; i++) most = fmax(most, fabs(j->w_new[i] - j->w[i]) / h);
            break;
        }
        j->moved[k] = z[k];
    }
    return most;
}

static void measure_box(perp_judge *j, const double *z, perp_measures *out) {
    const perp_problem *p = &j->p;
    pp_measures_lost(out);
    if (!pp_all_finite(j->n, z) || !pp_box_rows(p, z, j->w) || !pp_all_finite(j->n, j->w)) return;
    double wu = j->unit, zu = wu;
    if (!p->z_scale && !p->w_scale) {
        double slope = p->cls == PERP_NCP ? largest_derivative(j, z) : j->matrix;
        if (slope > 0 && slope < INFINITY) zu = wu / slope;
    }
    *out = (perp_measures){.z_unit = zu, .w_unit = wu, .largest = largest(z, j->n)};
    for (int i = 0; i < j->n; i++) {
        double lo, hi, zs = zu, ws = wu;
        pp_box_bounds(p, i, &lo, &hi);
        if (p->z_scale) zs *= p->z_scale[i];
        if (p->w_scale) ws *= p->w_scale[i];
        pp_law_measure(z[i] / zs, j->w[i] / ws, lo / zs, hi / zs, out);
        pp_worsen(&out->raw, pp_natural(z[i], j->w[i], lo, hi));
    }
    out->siconos = out->raw / fmax(j->norm, 1);
}

perp_status perp_judge_new(const perp_problem *p, const perp_allocator *alloc, perp_judge **out) {
    if (!out) return PERP_E_ARG;
    *out = NULL;
    perp_status s = perp_problem_check(p, NULL, 0);
    if (s) return s;
    perp_allocator a = alloc ? *alloc : (perp_allocator){0};
    perp_judge *j = pp_alloc(&a, sizeof *j);
    if (!j) return PERP_E_MEMORY;
    *j = (perp_judge){.alloc = a, .p = *p, .n = perp_problem_size(p)};
    pp_arena_init(&j->arena, a);
    if (p->cls == PERP_CONE || p->cls == PERP_CONE_QP)
        s = pp_cone_judge_new(&j->p, &a, &j->cone);
    else if (p->cls == PERP_QP)
        s = (j->qp = pp_qp_judge_new(&j->p.as.qp, &j->arena)) ? PERP_OK : PERP_E_MEMORY;
    else
        s = prepare_box(j) ? PERP_OK : PERP_E_MEMORY;
    if (s)
        perp_judge_free(j);
    else
        *out = j;
    return s;
}

perp_status perp_judge_measure(perp_judge *j, const double *z, perp_measures *out) {
    if (!j || !out || (!z && j->n > 0)) return PERP_E_ARG;
    if (j->cone)
        pp_cone_judge_measure(j->cone, z, out);
    else if (j->qp)
        pp_qp_judge_measure(j->qp, z, out);
    else
        measure_box(j, z ? z : j->w, out); /* without variables nothing is read */
    return PERP_OK;
}

void perp_judge_free(perp_judge *j) {
    if (!j) return;
    perp_allocator a = j->alloc;
    pp_cone_judge_free(j->cone);
    pp_arena_free(&j->arena);
    pp_free(&a, j);
}

perp_status perp_problem_measure(const perp_problem *p, const double *z, perp_measures *out) {
    if (!out) return PERP_E_ARG;
    pp_measures_lost(out);
    perp_judge *j = NULL;
    perp_status s = perp_judge_new(p, NULL, &j);
    if (!s) s = perp_judge_measure(j, z, out);
    perp_judge_free(j);
    return s;
}
