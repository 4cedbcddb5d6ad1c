/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* refine.c - linear complementarity problems: the solution of an active set, to full accuracy
 * Problem  Pivoting ends with the correct basis and a solution with the rounding errors of all pivots. Methods that stop at a residual leave
 *          errors in small rows.
 * Method   The active set follows from the natural map: variables whose D z - w lies beyond a bound are at the bound, the others are basic.
 *          Their rows are solved to 0: M_BB d = -w_B by an LU factorisation of the matrix with unit diagonal (rows and columns divided by
 *          sqrt D), repeated with w in twice the working precision until the residual no longer decreases. If the new solution has
 *          another active set, this is repeated with that one (Newton on the natural map).
 * Valid    If M_BB is regular; otherwise the solution is left unchanged.
 * Cost     |B|^3/3 for each active set, and some products with M.
 * Source   Wilkinson (1963) and Skeel (1980) for iterative refinement; Dekker (1971), Knuth for exact sums and products. */
#include "solver/auto/refine.h"

#include <math.h>
#include <string.h>

#include "linalg/linalg.h"
#include "problem/law.h"
#include "problem/judge/measure.h"
#include "solver/auto/auto.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [sets] Largest number of active sets that are tried. Half and double: other bits only. */
#define SETS 8
/* [steps] Refinement steps with each of them. Each step gains the digits of the factors, so two are usual. Half and
 * double: no effect. */
#define CORRECTIONS 5

typedef struct work {
    const perp_problem *p;
    perp_judge *judge;
    int n, nb;
    double *z, *w, *d; /* n: answer, its rows, right-hand side and correction of the basic ones */
    double *at;        /* n: bound at which a variable is; NAN: basic */
    int *basic;        /* n: of which nb count */
    double *LU;        /* nb x nb */
    int *pivot;        /* nb */
} work;

/* A sum of two numbers, hi + lo, that is exact to twice the precision. */
typedef struct twice {
    double hi, lo;
} twice;

static void add(twice *s, double a) {
    double sum = s->hi + a, part = sum - s->hi;
    s->lo += (s->hi - (sum - part)) + (a - part);
    s->hi = sum;
}

static void add_product(twice *s, double a, double b) {
    double product = a * b;
    s->lo += fma(a, b, -product);
    add(s, product);
}

static double dense_entry(const perp_problem *p, int i, int k) {
    const double *M = p->cls == PERP_LCP ? p->as.lcp.M : p->as.mlcp.M;
    return M[i + (ptrdiff_t)perp_problem_size(p) * k];
}

/* w = M z + q in twice the precision, rounded at the end. scratch: n. */
static void rows_exactly(const perp_problem *p, const double *z, twice *sum, double *w) {
    int n = perp_problem_size(p);
    const double *q = p->cls == PERP_LCP ? p->as.lcp.q : p->cls == PERP_MLCP ? p->as.mlcp.q : p->as.sparse_mlcp.q;
    for (int i = 0; i < n; i++) sum[i] = (twice){q[i], 0};
    for (int k = 0; k < n; k++) {
        if (z[k] == 0) continue;
        if (p->cls == PERP_SPARSE_MLCP) {
            const perp_sparse *M = &p->as.sparse_mlcp.M;
            for (int e = M->start[k]; e < M->start[k + 1]; e++) add_product(&sum[M->index[e]], M->value[e], z[k]);
        } else {
            for (int i = 0; i < n; i++) add_product(&sum[i], dense_entry(p, i, k), z[k]);
        }
    }
    for (int i = 0; i < n; i++) w[i] = sum[i].hi + sum[i].lo;
}

/* Unit of row i, and of variable i: the matrix between them has a diagonal of 1. */
static double row_unit(const work *k, int i) {
    const perp_problem *p = k->p;
    return p->z_scale || p->w_scale ? (p->w_scale ? p->w_scale[i] : 1) : sqrt(k->judge->inverse[i]);
}

static double variable_unit(const work *k, int i) {
    const perp_problem *p = k->p;
    return p->z_scale || p->w_scale ? (p->z_scale ? p->z_scale[i] : 1) : 1 / sqrt(k->judge->inverse[i]);
}

/* Determines which variables are at which bound. Returns true if the set has changed. */
static bool choose_set(work *k) {
    bool other = false;
    k->nb = 0;
    for (int i = 0; i < k->n; i++) {
        double lo, hi, at = NAN, unit = variable_unit(k, i) / row_unit(k, i), to = k->z[i] - unit * k->w[i];
        pp_box_bounds(k->p, i, &lo, &hi);
        if (to <= lo) at = lo;
        if (to >= hi) at = hi;
        if (isnan(at) != isnan(k->at[i]) || (!isnan(at) && at != k->at[i])) other = true;
        k->at[i] = at;
        if (isnan(at)) k->basic[k->nb++] = i;
    }
    return other;
}

static bool factor(work *k) {
    const perp_problem *p = k->p;
    int nb = k->nb, *place = k->pivot; /* used as scratch before the pivots */
    memset(k->LU, 0, sizeof *k->LU * (size_t)nb * (size_t)nb);
    if (p->cls == PERP_SPARSE_MLCP) {
        for (int i = 0; i < k->n; i++) place[i] = -1;
        for (int b = 0; b < nb; b++) place[k->basic[b]] = b;
    }
    for (int c = 0; c < nb; c++) {
        int at = k->basic[c];
        double unit = variable_unit(k, at), *column = k->LU + (ptrdiff_t)nb * c;
        if (p->cls == PERP_SPARSE_MLCP) {
            const perp_sparse *M = &p->as.sparse_mlcp.M;
            for (int e = M->start[at]; e < M->start[at + 1]; e++)
                if (place[M->index[e]] >= 0) column[place[M->index[e]]] = M->value[e] * unit / row_unit(k, M->index[e]);
        } else {
            for (int b = 0; b < nb; b++) column[b] = dense_entry(p, k->basic[b], at) * unit / row_unit(k, k->basic[b]);
        }
    }
    return nb == 0 || pp_lu(nb, k->LU, nb, k->pivot);
}

/* Solves the basic rows to 0 with all other variables at their bounds. Returns false if the matrix cannot be
 * factorised. */
static bool solve_set(work *k, twice *sum) {
    if (k->nb > PP_PIVOTING_MOST || !factor(k)) return false;
    for (int i = 0; i < k->n; i++)
        if (!isnan(k->at[i])) k->z[i] = k->at[i];
    double before = INFINITY;
    for (int c = 0; c < CORRECTIONS; c++) {
        rows_exactly(k->p, k->z, sum, k->w);
        double left = 0;
        for (int b = 0; b < k->nb; b++) {
            k->d[b] = -k->w[k->basic[b]] / row_unit(k, k->basic[b]);
            pp_worsen(&left, k->d[b]);
        }
        if (!(left < before) || !(left > 0)) break;
        before = left;
        pp_lu_solve(k->nb, k->LU, k->nb, k->pivot, 1, k->d, k->nb);
        for (int b = 0; b < k->nb; b++) k->z[k->basic[b]] += k->d[b] * variable_unit(k, k->basic[b]);
        if (!pp_all_finite(k->n, k->z)) return false;
    }
    rows_exactly(k->p, k->z, sum, k->w);
    return true;
}

static perp_status refine_linear(const perp_call *call, const perp_problem *p, perp_judge *judge, double tol,
                                 double *z) {
    work k = {.p = p, .judge = judge, .n = perp_problem_size(p)};
    perp_verdict v;
    perp_status s = perp_judge_verdict(judge, z, tol, &v, NULL);
    if (s || v.solved) return s;
    double best = pp_verdict_score(&v, tol);
    k.z = PP_CALL_ARRAY(call, double, k.n);
    k.w = PP_CALL_ARRAY(call, double, k.n);
    k.d = PP_CALL_ARRAY(call, double, k.n);
    k.at = PP_CALL_ARRAY(call, double, k.n);
    k.basic = PP_CALL_ARRAY(call, int, k.n);
    k.pivot = PP_CALL_ARRAY(call, int, k.n);
    twice *sum = PP_CALL_ARRAY(call, twice, k.n);
    size_t most = (size_t)(k.n < PP_PIVOTING_MOST ? k.n : PP_PIVOTING_MOST);
    k.LU = PP_CALL_ARRAY(call, double, most *most);
    if (!k.z || !k.w || !k.d || !k.at || !k.basic || !k.pivot || !sum || !k.LU) return PERP_E_MEMORY;
    memcpy(k.z, z, sizeof *z * (size_t)k.n);
    for (int i = 0; i < k.n; i++) k.at[i] = INFINITY; /* no set yet */
    rows_exactly(p, k.z, sum, k.w);
    for (int set = 0; set < SETS && choose_set(&k) && solve_set(&k, sum); set++) {
        s = perp_judge_verdict(judge, k.z, tol, &v, NULL);
        if (s) return s;
        double score = pp_verdict_score(&v, tol);
        if (score < best) {
            best = score;
            memcpy(z, k.z, sizeof *z * (size_t)k.n);
        }
        if (v.solved || !perp_call_look(call, 0, NULL)) break;
    }
    return PERP_OK;
}

perp_status pp_refine(const perp_call *call, const perp_problem *p, perp_judge *judge, double tol, double *z,
                      perp_solve_info *info) {
    switch (p->cls) {
    case PERP_LCP:
    case PERP_MLCP:
    case PERP_SPARSE_MLCP: return refine_linear(call, p, judge, tol, z);
    case PERP_CONE:
    case PERP_CONE_QP: return pp_refine_cone(call, p, judge, tol, z, info);
    case PERP_NCP:
    case PERP_QP: break;
    }
    return PERP_OK;
}
