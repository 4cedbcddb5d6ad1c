/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* check.c - validity of a problem: properties that solvers rely on
 * Problem  sizes, missing arrays, numbers that are not finite, bounds that cross, patterns out of order, negative mu
 *          and axes, contacts and joints whose rows are zero. A problem without a solution is valid.
 * Method   all numbers are checked in order; the first error is reported in one sentence: which array, where, what was found,
 *          what is allowed. Nothing is allocated.
 * Valid    any contents of the struct, as long as arrays that are given have their lengths.
 * Cost     the entries of the data. */
#include <limits.h>
#include <math.h>

#include "base/refuse.h"
#include "perp/problem.h"

#define SEEN_ROWS 65536 /* rows of a sparse matrix whose entries are counted in one pass */
#define NOISE     1e-10 /* [1] a q of a zero row below this fraction of the largest q is rounding, not a demand */
#define ASYMMETRY 1e-8  /* [1] asymmetry of Q that is accepted, as a fraction of its largest entry */

/* Where the sentence goes. */
typedef struct note {
    char *why;
    size_t size;
} note;

#define REFUSE(...) pp_refuse(to.why, to.size, PERP_E_ARG, __VA_ARGS__)

static perp_status check_array(note to, const char *name, const void *array, ptrdiff_t n) {
    if (n > 0 && !array) return REFUSE("%s is NULL; it must hold %td numbers.", name, n);
    return PERP_OK;
}

static perp_status check_finite(note to, const char *name, const double *x, int n) {
    perp_status s = check_array(to, name, x, n);
    for (int i = 0; !s && i < n; i++)
        if (!isfinite(x[i])) s = REFUSE("%s[%d] is %g; it must be finite.", name, i, x[i]);
    return s;
}

/* Finite and >= 0. */
static perp_status check_not_negative(note to, const char *name, const double *x, int n) {
    perp_status s = check_array(to, name, x, n);
    for (int i = 0; !s && i < n; i++)
        if (!(x[i] >= 0 && x[i] < INFINITY)) s = REFUSE("%s[%d] is %g; it must be finite and >= 0.", name, i, x[i]);
    return s;
}

/* One side of the bounds of n variables. */
typedef struct bound {
    const char *name;
    const double *at; /* n; NULL: all are `otherwise` */
    double otherwise;
} bound;

static perp_status check_bounds(note to, bound lo, bound hi, int n) {
    for (int i = 0; i < n; i++) {
        double l = lo.at ? lo.at[i] : lo.otherwise, h = hi.at ? hi.at[i] : hi.otherwise;
        if (isnan(l) || l == INFINITY) return REFUSE("%s[%d] is %g; it must be finite or -INFINITY.", lo.name, i, l);
        if (isnan(h) || h == -INFINITY) return REFUSE("%s[%d] is %g; it must be finite or INFINITY.", hi.name, i, h);
        if (!(l <= h))
            return REFUSE("%s[%d] = %g is above %s[%d] = %g; it must be <= that.", lo.name, i, l, hi.name, i, h);
    }
    return PERP_OK;
}

static perp_status check_scales(note to, const perp_problem *p, int n) {
    for (int k = 0; k < 2; k++) {
        const double *scale = k ? p->w_scale : p->z_scale;
        for (int i = 0; scale && i < n; i++)
            if (!(scale[i] > 0 && scale[i] < INFINITY))
                return REFUSE("%c_scale[%d] is %g; it must be finite and > 0.", k ? 'w' : 'z', i, scale[i]);
    }
    return PERP_OK;
}

/* Column starts and rows of a sparse pattern. */
static perp_status check_pattern(note to, const char *name, int rows, int cols, const int *start, const int *index) {
    if (cols == 0) return PERP_OK;
    if (!start) return REFUSE("%s.start is NULL; it must hold %td numbers.", name, (ptrdiff_t)cols + 1);
    if (start[0] != 0) return REFUSE("%s.start[0] is %d; it must be 0.", name, start[0]);
    for (int j = 0; j < cols; j++)
        if (start[j + 1] < start[j])
            return REFUSE("%s.start[%d] is %d after %d; column starts must not decrease.", name, j + 1, start[j + 1],
                          start[j]);
    if (start[cols] == 0) return PERP_OK; /* no entries */
    if (!index) return REFUSE("%s.index is NULL; it must hold %d numbers.", name, start[cols]);
    for (int j = 0; j < cols; j++)
        for (int k = start[j]; k < start[j + 1]; k++) {
            if (index[k] < 0 || index[k] >= rows)
                return REFUSE("%s.index[%d] is %d in column %d; rows must lie in 0 .. %d.", name, k, index[k], j,
                              rows - 1);
            if (k > start[j] && index[k] <= index[k - 1])
                return REFUSE("%s.index[%d] is %d after %d in column %d; rows of a column must ascend, none twice.",
                              name, k, index[k], index[k - 1], j);
        }
    return PERP_OK;
}

static perp_status check_sparse(note to, const char *name, const perp_sparse *A, int rows, int cols) {
    if (A->rows != rows || A->cols != cols)
        return REFUSE("%s is %d x %d; it must be %d x %d.", name, A->rows, A->cols, rows, cols);
    perp_status s = check_pattern(to, name, rows, cols, A->start, A->index);
    if (s || cols == 0 || A->start[cols] == 0) return s;
    if (!A->value) return REFUSE("%s.value is NULL; it must hold %d numbers.", name, A->start[cols]);
    for (int j = 0; j < cols; j++)
        for (int k = A->start[j]; k < A->start[j + 1]; k++)
            if (!isfinite(A->value[k]))
                return REFUSE("%s.value[%d], entry (%d, %d), is %g; it must be finite.", name, k, A->index[k], j,
                              A->value[k]);
    return PERP_OK;
}

static double largest(const double *x, ptrdiff_t n) {
    double most = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        if (fabs(x[i]) > most) most = fabs(x[i]);
    return most;
}

/* Whether a row of zeros, w = q, can be satisfied: only if the bound that the sign of q needs exists. */
static bool shorter_step_useless(double q, double lo, double hi, double noise) {
    return (q < -noise && hi == INFINITY) || (q > noise && lo == -INFINITY);
}

static perp_status refuse_zero_row(note to, const char *name, int i, double q) {
    return REFUSE("Row %d of %s is zero and q[%d] is %g; then %s[%d] must be finite.", i, name, i, q,
                  q < 0 ? "hi" : "lo", i);
}

/* Rows of zeros of a square sparse matrix, told to `row` in ascending order, which says whether they matter. No memory
 * is taken: entries are noted in bits, for SEEN_ROWS rows at a time. */
static perp_status each_zero_row(const perp_sparse *A, perp_status (*row)(note to, const void *problem, int i), note to,
                                 const void *problem) {
    for (int from = 0; from<A->rows; from = from> INT_MAX - SEEN_ROWS ? INT_MAX : from + SEEN_ROWS) {
        unsigned char seen[SEEN_ROWS / 8] = {0};
        int count = A->rows - from < SEEN_ROWS ? A->rows - from : SEEN_ROWS;
        for (int k = 0; A->cols > 0 && k < A->start[A->cols]; k++) {
            int i = A->index[k] - from;
            if (i >= 0 && i < count && A->value[k] != 0) seen[i / 8] = (unsigned char)(seen[i / 8] | 1u << i % 8);
        }
        for (int i = 0; i < count; i++) {
            perp_status s = seen[i / 8] & 1u << i % 8 ? PERP_OK : row(to, problem, from + i);
            if (s) return s;
        }
    }
    return PERP_OK;
}

/* ---- classes ---- */

/* An LCP (mixed = false) has lo and hi NULL. */
static perp_status check_dense(note to, const perp_problem *p, const perp_mlcp *d, bool mixed) {
    const int n = d->n;
    const double *M = d->M;
    if (n < 0) return REFUSE("n is %d; it must be >= 0.", n);
    perp_status s = check_array(to, "M", M, (ptrdiff_t)n * n);
    for (int j = 0; !s && j < n; j++)
        for (int i = 0; !s && i < n; i++) {
            double a = M[i + (ptrdiff_t)n * j];
            if (!isfinite(a)) s = REFUSE("M(%d, %d) is %g; it must be finite.", i, j, a);
        }
    if (!s) s = check_finite(to, "q", d->q, n);
    if (!s && mixed) s = check_array(to, "lo", d->lo, n);
    if (!s && mixed) s = check_array(to, "hi", d->hi, n);
    if (!s) s = check_bounds(to, (bound){"lo", d->lo, 0}, (bound){"hi", d->hi, INFINITY}, n);
    if (!s) s = check_scales(to, p, n);
    return s;
}

static perp_status check_sparse_mlcp(note to, const perp_problem *whole) {
    const perp_sparse_mlcp *p = &whole->as.sparse_mlcp;
    if (p->n < 0) return REFUSE("n is %d; it must be >= 0.", p->n);
    perp_status s = check_sparse(to, "M", &p->M, p->n, p->n);
    if (!s) s = check_finite(to, "q", p->q, p->n);
    if (!s) s = check_array(to, "lo", p->lo, p->n);
    if (!s) s = check_array(to, "hi", p->hi, p->n);
    if (!s) s = check_bounds(to, (bound){"lo", p->lo, 0}, (bound){"hi", p->hi, INFINITY}, p->n);
    if (!s) s = check_scales(to, whole, p->n);
    return s;
}

static perp_status check_ncp(note to, const perp_problem *whole) {
    const perp_ncp *p = &whole->as.ncp;
    if (p->n < 0) return REFUSE("n is %d; it must be >= 0.", p->n);
    if (!p->F) return REFUSE("F is NULL; it must be a function.");
    if (p->index && !p->start) return REFUSE("start is NULL beside an index; the pattern of J needs both or neither.");
    perp_status s = check_bounds(to, (bound){"lo", p->lo, 0}, (bound){"hi", p->hi, INFINITY}, p->n);
    if (!s && p->start) s = check_pattern(to, "J", p->n, p->n, p->start, p->index);
    if (!s) s = check_scales(to, whole, p->n);
    return s;
}

static double entry(const perp_sparse *A, int i, int j) {
    int lo = A->start[j], hi = A->start[j + 1];
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (A->index[mid] < i)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < A->start[j + 1] && A->index[lo] == i ? A->value[lo] : 0;
}

/* Symmetric, without negative diagonal entries: necessary conditions of "positive semidefinite" that are cheap to check. */
static perp_status check_convex(note to, const perp_sparse *Q) {
    double most = Q->cols > 0 ? largest(Q->value, Q->start[Q->cols]) : 0;
    for (int j = 0; j < Q->cols; j++)
        for (int k = Q->start[j]; k < Q->start[j + 1]; k++) {
            int i = Q->index[k];
            double a = Q->value[k];
            if (i == j && a < 0) return REFUSE("Q(%d, %d) is %g; a diagonal entry must be >= 0.", i, i, a);
            if (i != j && fabs(a - entry(Q, j, i)) > ASYMMETRY * most)
                return REFUSE("Q(%d, %d) is %g and Q(%d, %d) is %g; they must be equal.", i, j, a, j, i,
                              entry(Q, j, i));
        }
    return PERP_OK;
}

static perp_status check_qp(note to, const perp_qp *p) {
    if (p->n < 0 || p->m < 0 || p->n > INT_MAX - p->m)
        return REFUSE("n is %d and m is %d; both must be >= 0 and n + m at most %d.", p->n, p->m, INT_MAX);
    perp_status s = p->n > 0 ? check_sparse(to, "Q", &p->Q, p->n, p->n) : PERP_OK;
    if (!s && p->m > 0) s = check_sparse(to, "A", &p->A, p->m, p->n);
    if (!s && p->n > 0) s = check_convex(to, &p->Q);
    if (!s) s = check_finite(to, "c", p->c, p->n);
    if (!s) s = check_bounds(to, (bound){"lo", p->lo, -INFINITY}, (bound){"hi", p->hi, INFINITY}, p->n);
    if (!s) s = check_array(to, "row_lo", p->row_lo, p->m);
    if (!s) s = check_array(to, "row_hi", p->row_hi, p->m);
    if (!s) s = check_bounds(to, (bound){"row_lo", p->row_lo, -INFINITY}, (bound){"row_hi", p->row_hi, INFINITY}, p->m);
    return s;
}

/* Contact c's normal row is zero. */
static perp_status refuse_normal(note to, const perp_cone *p, int row, const char *what, const char *matrix) {
    return REFUSE("%s %d of %s, the normal of contact %d, is zero; it must have an entry that is not.", what, row,
                  matrix, (row - p->nrow) / p->dim);
}

static bool is_normal(const perp_cone *p, int row) { return row >= p->nrow && (row - p->nrow) % p->dim == 0; }

static perp_status zero_row_of_cone(note to, const void *problem, int i) {
    const perp_cone *p = problem;
    if (is_normal(p, i)) return refuse_normal(to, p, i, "Row", "W");
    if (i >= p->nrow) return PERP_OK; /* tangents may be without effect */
    double lo = p->lo ? p->lo[i] : -INFINITY, hi = p->hi ? p->hi[i] : INFINITY;
    if (!(shorter_step_useless(p->q[i], lo, hi, 0) &&
          shorter_step_useless(p->q[i], lo, hi, NOISE * largest(p->q, p->W.rows))))
        return PERP_OK;
    return refuse_zero_row(to, "W", i, p->q[i]);
}

/* Bounds, mu and axes. After the matrices, whose sizes tell whether these arrays can be as long as they must be. */
static perp_status check_laws(note to, const perp_cone *p) {
    perp_status s = check_bounds(to, (bound){"lo", p->lo, -INFINITY}, (bound){"hi", p->hi, INFINITY}, p->nrow);
    if (!s) s = check_not_negative(to, "mu", p->mu, p->ncontact);
    if (!s && p->axes) s = check_not_negative(to, "axes", p->axes, (p->dim - 1) * p->ncontact);
    return s;
}

static perp_status check_local(note to, const perp_cone *p, int m) {
    perp_status s = check_sparse(to, "W", &p->W, m, m);
    if (!s) s = check_laws(to, p);
    if (!s) s = check_finite(to, "q", p->q, m);
    if (!s) s = each_zero_row(&p->W, zero_row_of_cone, to, p);
    return s;
}

static perp_status check_global(note to, const perp_cone *p, int m) {
    int n = p->M.cols;
    if (n < 0) return REFUSE("M has %d columns; it must have >= 0.", n);
    perp_status s = check_sparse(to, "M", &p->M, n, n);
    if (!s) s = check_sparse(to, "H", &p->H, n, m);
    if (!s) s = check_laws(to, p);
    if (!s) s = check_finite(to, "f", p->f, n);
    if (!s) s = check_finite(to, "b", p->b, m);
    if (!s && p->compliance) s = check_not_negative(to, "compliance", p->compliance, m);
    double noise = s ? 0 : NOISE * largest(p->b, m);
    for (int k = 0; !s && k < m; k++) {
        int e = p->H.start[k];
        while (e < p->H.start[k + 1] && p->H.value[e] == 0) e++;
        if (e < p->H.start[k + 1] || (p->compliance && p->compliance[k] > 0)) continue;
        if (is_normal(p, k)) s = refuse_normal(to, p, k, "Column", "H");
        if (k < p->nrow &&
            shorter_step_useless(p->b[k], p->lo ? p->lo[k] : -INFINITY, p->hi ? p->hi[k] : INFINITY, noise))
            s = REFUSE("Column %d of H is zero and b[%d] is %g; then %s[%d] must be finite.", k, k, p->b[k],
                       p->b[k] < 0 ? "hi" : "lo", k);
    }
    return s;
}

static perp_status check_cone(note to, const perp_cone *p) {
    if (p->dim < 2 || p->dim > PERP_CONE_ROWS)
        return REFUSE("dim is %d; a contact must have 2 to %d rows.", p->dim, PERP_CONE_ROWS);
    if (p->nrow < 0) return REFUSE("nrow is %d; it must be >= 0.", p->nrow);
    if (p->ncontact < 0 || p->ncontact > (INT_MAX - p->nrow) / p->dim)
        return REFUSE("ncontact is %d; it must be >= 0 and at most %d.", p->ncontact, (INT_MAX - p->nrow) / p->dim);
    int m = p->nrow + p->dim * p->ncontact;
    return p->global ? check_global(to, p, m) : check_local(to, p, m);
}

perp_status perp_problem_check(const perp_problem *p, char *why, size_t why_size) {
    note to = {why, why_size};
    if (why && why_size > 0) why[0] = 0;
    if (!p) return REFUSE("The problem is NULL; there must be one.");
    switch (p->cls) {
    case PERP_LCP: return check_dense(to, p, &(perp_mlcp){.n = p->as.lcp.n, .M = p->as.lcp.M, .q = p->as.lcp.q}, false);
    case PERP_MLCP: return check_dense(to, p, &p->as.mlcp, true);
    case PERP_SPARSE_MLCP: return check_sparse_mlcp(to, p);
    case PERP_NCP: return check_ncp(to, p);
    case PERP_QP: return check_qp(to, &p->as.qp);
    case PERP_CONE:
    case PERP_CONE_QP: return check_cone(to, &p->as.cone);
    }
    return REFUSE("The class is %d; it must be one of the values of perp_class.", (int)p->cls);
}
