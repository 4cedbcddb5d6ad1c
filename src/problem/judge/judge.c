/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* judge.c - the verdict on an answer: the violation of every law relative to velocities in the data (perp/judge.h)
 * Problem  residuals relative to the size of the answer become small if the answer is large, or if heavy bodies are near light ones.
 * Method   violations and rounding errors of all laws (cones: measure_cone.c, judge_cone.c; LCP and mixed LCP: here), over
 *          scales that are found once for the problem (laws.c).
 *          The inverse mass D_i of a row of an LCP is |M_ii|. It is increased if D_i D_j < |M_ij M_ji|, which is impossible for
 *          a positive definite matrix: a diagonal entry that is zero or nearly zero gives no scale. Only dimensionless ratios
 *          are used, so the result does not depend on the units of rows and variables. A row that is coupled only to rows
 *          without a diagonal takes the mean of the entries.
 * Valid    anything that perp_problem_check() accepts.
 * Cost     first verdict: one pass over the data. Each: two products with the matrix, of which one with absolute values. */
#include <float.h>

#include "problem/law.h"
#include "problem/judge/measure.h"
#include "base/elementary.h"

/* ---- LCP and mixed LCP ---- */

typedef struct matrix {
    int n;
    const double *dense; /* n x n, column-major; NULL: */
    const perp_sparse *sparse;
    const double *q;
} matrix;

static matrix matrix_of(const perp_problem *p) {
    if (p->cls == PERP_LCP) return (matrix){p->as.lcp.n, p->as.lcp.M, NULL, p->as.lcp.q};
    if (p->cls == PERP_MLCP) return (matrix){p->as.mlcp.n, p->as.mlcp.M, NULL, p->as.mlcp.q};
    return (matrix){p->as.sparse_mlcp.n, NULL, &p->as.sparse_mlcp.M, p->as.sparse_mlcp.q};
}

static bool is_linear(const perp_problem *p) {
    return p->cls == PERP_LCP || p->cls == PERP_MLCP || p->cls == PERP_SPARSE_MLCP;
}

/* Entries of column k: how many, and where entry e is. */
static int column_end(const matrix *A, int k) { return A->dense ? A->n : A->sparse->start[k + 1]; }
static int column_begin(const matrix *A, int k) { return A->dense ? 0 : A->sparse->start[k]; }
static int row_of(const matrix *A, int e) { return A->dense ? e : A->sparse->index[e]; }
static double value_of(const matrix *A, int k, int e) {
    return A->dense ? A->dense[e + (ptrdiff_t)A->n * k] : A->sparse->value[e];
}

static double entry(const matrix *A, int i, int k) {
    if (A->dense) return A->dense[i + (ptrdiff_t)A->n * k];
    for (int lo = A->sparse->start[k], hi = A->sparse->start[k + 1]; lo < hi;) {
        int mid = lo + (hi - lo) / 2;
        if (A->sparse->index[mid] == i) return A->sparse->value[mid];
        if (A->sparse->index[mid] < i)
            lo = mid + 1;
        else
            hi = mid;
    }
    return 0;
}

/* Raises D of a pair that is too small for its two entries. `zero`: of pairs of which one has none yet. */
static void raise(double *D, int i, int k, double product, bool zero) {
    if (D[i] > 0 && D[k] > 0) {
        double ratio = product / D[i] / D[k];
        if (ratio > 1 && ratio < INFINITY) D[i] *= sqrt(ratio), D[k] *= sqrt(ratio);
    } else if (zero && (D[i] > 0) != (D[k] > 0)) {
        double raised = product / fmax(D[i], D[k]);
        if (raised > 0 && raised < INFINITY) D[D[i] > 0 ? k : i] = raised;
    }
}

static void inverse_masses(const matrix *A, double *D) {
    double mean = 0;
    int count = 0;
    for (int i = 0; i < A->n; i++) D[i] = fabs(entry(A, i, i));
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < A->n; k++)
            for (int e = column_begin(A, k); e < column_end(A, k); e++) {
                int i = row_of(A, e);
                double a = value_of(A, k, e);
                if (i <= k || a == 0) continue;
                raise(D, i, k, fabs(a) * fabs(entry(A, k, i)), pass > 0);
            }
    for (int k = 0; k < A->n; k++)
        for (int e = column_begin(A, k); e < column_end(A, k); e++)
            if (value_of(A, k, e) != 0) mean += pp_log(fabs(value_of(A, k, e))), count++;
    mean = count > 0 ? pp_exp(mean / count) : 1;
    for (int i = 0; i < A->n; i++)
        if (!(D[i] > 0 && D[i] < INFINITY)) D[i] = mean > 0 && mean < INFINITY ? mean : 1;
}

static bool graph_of_linear(perp_judge *j, pp_law_graph *g) {
    const perp_problem *p = &j->p;
    bool scaled = p->z_scale || p->w_scale;
    matrix A = matrix_of(p);
    g->n = g->vertices = A.n;
    g->q = PP_ARENA_ARRAY(&j->arena, double, A.n);
    g->D = j->inverse = PP_ARENA_ARRAY(&j->arena, double, A.n);
    g->velocity = PP_ARENA_ARRAY(&j->arena, bool, A.n);
    if (!g->q || !g->D || !g->velocity) return false;
    if (scaled) {
        for (int i = 0; i < A.n; i++) j->inverse[i] = 1;
    } else {
        inverse_masses(&A, j->inverse);
    }
    for (int i = 0; i < A.n; i++) {
        double lo, hi, z = p->z_scale ? p->z_scale[i] : 1;
        pp_box_bounds(p, i, &lo, &hi);
        g->velocity[i] = scaled;
        g->q[i] = fmax(fabs(A.q[i]) / (p->w_scale ? p->w_scale[i] : 1), g->D[i] * fabs(pp_clamp(0, lo, hi)) / z);
    }
    for (int k = 0; k < A.n; k++)
        for (int e = column_begin(&A, k); e < column_end(&A, k); e++)
            if (value_of(&A, k, e) != 0 && !pp_law_edge(g, k, row_of(&A, e))) return false;
    return true;
}

/* w = M z + q and the sizes of its terms, |q| + |M| |z|. */
static void rows_and_terms(const matrix *A, const double *z, double *w, double *terms) {
    for (int i = 0; i < A->n; i++) w[i] = A->q[i], terms[i] = fabs(A->q[i]);
    for (int k = 0; k < A->n; k++) {
        if (z[k] == 0) continue;
        for (int e = column_begin(A, k); e < column_end(A, k); e++) {
            double a = value_of(A, k, e) * z[k];
            w[row_of(A, e)] += a;
            terms[row_of(A, e)] += fabs(a);
        }
    }
}

static void judge_linear(perp_judge *j, const double *z) {
    const perp_problem *p = &j->p;
    matrix A = matrix_of(p);
    bool finite = pp_all_finite(A.n, z);
    if (finite) rows_and_terms(&A, z, j->w, j->noise);
    finite = finite && pp_all_finite(A.n, j->w);
    for (int i = 0; i < A.n; i++) {
        double lo, hi, ws = p->w_scale ? p->w_scale[i] : 1, D = j->inverse[i] / (p->z_scale ? p->z_scale[i] : 1);
        pp_box_bounds(p, i, &lo, &hi);
        j->violation[i] = finite ? fabs(pp_natural(D * z[i], j->w[i] / ws, D * lo, D * hi)) : INFINITY;
        j->noise[i] = finite ? DBL_EPSILON * j->noise[i] / ws : INFINITY;
    }
}

/* ---- all classes ---- */

int perp_problem_laws(const perp_problem *p) {
    bool cone = p->cls == PERP_CONE || p->cls == PERP_CONE_QP;
    return cone ? p->as.cone.nrow + p->as.cone.ncontact : perp_problem_size(p);
}

static bool find_laws(perp_judge *j) {
    pp_law_graph g = {.alloc = j->alloc};
    int n = perp_problem_laws(&j->p);
    bool got = true;
    if (j->cone) {
        got = pp_cone_judge_graph(j->cone, &g, &j->arena);
        got = got && (j->scratch = PP_ARENA_ARRAY(&j->arena, double, 2 * (ptrdiff_t)j->cone->m + j->cone->n));
    } else if (is_linear(&j->p)) {
        got = graph_of_linear(j, &g);
    }
    j->violation = PP_ARENA_ARRAY(&j->arena, double, n);
    j->noise = PP_ARENA_ARRAY(&j->arena, double, n);
    got = got && j->violation && j->noise;
    if (got && (j->cone || is_linear(&j->p))) got = pp_laws_make(&j->laws, &g, &j->arena);
    pp_free(&j->alloc, g.edge);
    return j->has_laws = got;
}

const pp_laws *pp_judge_laws(perp_judge *j) {
    if (!j->cone && !is_linear(&j->p)) return NULL;
    return j->has_laws || find_laws(j) ? &j->laws : NULL;
}

/* NCP and QP: one figure for all. */
static void judge_whole(perp_judge *j, const double *z, double tol, perp_verdict *out, perp_law *law) {
    perp_measures m;
    int n = perp_problem_laws(&j->p);
    (void)perp_judge_measure(j, z, &m);
    bool solved = m.natural <= tol;
    *out = (perp_verdict){m.natural, solved ? 0 : m.natural, n, 0, solved ? 0 : n, 0, n > 0, n > 0 ? 0 : -1, solved};
    for (int i = 0; law && i < n; i++)
        law[i] = (perp_law){m.natural, 1, 0, 0, solved ? PERP_LAW_HOLDS : PERP_LAW_VIOLATED};
}

perp_status perp_judge_verdict(perp_judge *j, const double *z, double tol, perp_verdict *out, perp_law *law) {
    if (!j || !out || (!z && j->n > 0) || !(tol > 0)) return PERP_E_ARG;
    if (!j->cone && !is_linear(&j->p)) {
        judge_whole(j, z, tol, out, law);
        return PERP_OK;
    }
    if (!j->has_laws && !find_laws(j)) return PERP_E_MEMORY;
    if (j->cone) {
        pp_cone_judge_violations(j->cone, z, j->violation);
        pp_cone_judge_noise(j->cone, z, j->scratch, j->noise);
    } else {
        judge_linear(j, z);
    }
    *out = pp_verdict_begin(&j->laws);
    for (int i = 0; i < j->laws.n; i++)
        pp_verdict_add(out, &j->laws, i, j->violation[i], j->noise[i], tol, law ? &law[i] : NULL);
    pp_verdict_end(out);
    return PERP_OK;
}

perp_status perp_problem_judge(const perp_problem *p, const double *z, double tol, perp_verdict *out, perp_law *law) {
    perp_judge *j = NULL;
    if (!out) return PERP_E_ARG;
    perp_status s = perp_judge_new(p, NULL, &j);
    if (!s) s = perp_judge_verdict(j, z, tol, out, law);
    perp_judge_free(j);
    return s;
}
