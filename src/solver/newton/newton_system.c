/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* newton_system.c - linear systems of semismooth Newton methods
 * Problem  V d = r and min |V d - r|^2 + mu |d|^2, V = diag(da) + diag(db) (A + shift I).
 * Method   Dense: rows with db = 0 (variables at a bound) give their d directly and are eliminated; LU of the rest; Cholesky of V'V + mu I.
 *          Sparse: KLU on a constant pattern, so it is ordered once; least squares by the augmented system (I V; V' -mu I), which fills
 *          in less than V'V and is regular for mu > 0. One step of refinement.
 * Cost     (2/3) m^3 with m remaining rows, or that of the fill.
 * Source   Bjorck, Numerical methods for least squares problems (1996) 2.5.3 for the augmented system. */
#include "solver/newton/newton_system.h"

#include <math.h>
#include <string.h>

#include "linalg/kernel.h"
#include "linalg/linalg.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [1] Largest residual of an accepted solution, relative to the right-hand side. */
#define LEFT_OVER 1e-5

static bool make_dense(pp_newton_system *s, size_t n) {
    s->V = perp_call_memory(s->call, sizeof(double) * n * n);
    s->factor = perp_call_memory(s->call, sizeof(double) * n * n);
    s->pivot = PP_CALL_ARRAY(s->call, int, n);
    s->rows = PP_CALL_ARRAY(s->call, int, n);
    return s->V && s->factor && s->pivot && s->rows;
}

/* Copies the pattern of J and inserts missing diagonal entries. Row indices ascend within a column. */
static bool make_sparse(pp_newton_system *s, int n) {
    const pp_box *b = s->b;
    s->start = PP_CALL_ARRAY(s->call, int, n + 1);
    s->index = PP_CALL_ARRAY(s->call, int, b->nnz + n);
    s->at = PP_CALL_ARRAY(s->call, int, b->nnz);
    s->diagonal = PP_CALL_ARRAY(s->call, int, n);
    s->V = PP_CALL_ARRAY(s->call, double, b->nnz + n);
    s->lu = pp_sparse_lu_new();
    if (!s->start || !s->index || !s->at || !s->diagonal || !s->V || !s->lu) return false;
    int to = 0;
    s->start[0] = 0;
    for (int j = 0; j < n; j++) {
        bool placed = false;
        for (int k = b->start[j]; k < b->start[j + 1]; k++) {
            int i = b->index[k];
            if (i > j && !placed) s->index[s->diagonal[j] = to++] = j, placed = true;
            if (i == j) s->diagonal[j] = to, placed = true;
            s->at[k] = to;
            s->index[to++] = i;
        }
        if (!placed) s->index[s->diagonal[j] = to++] = j;
        s->start[j + 1] = to;
    }
    return true;
}

bool pp_newton_system_make(pp_newton_system *s, const pp_box *b, const perp_call *call) {
    *s = (pp_newton_system){.b = b, .call = call};
    s->A = PP_CALL_ARRAY(call, double, b->nnz);
    s->r = PP_CALL_ARRAY(call, double, b->n);
    s->s = PP_CALL_ARRAY(call, double, b->n);
    if (!s->A || !s->r || !s->s) return false;
    return b->dense ? make_dense(s, (size_t)b->n) : make_sparse(s, b->n);
}

void pp_newton_system_free(pp_newton_system *s) {
    pp_sparse_lu_free(s->lu);
    pp_sparse_lu_free(s->lu2);
    s->lu = s->lu2 = NULL;
}

void pp_newton_matrix(pp_newton_system *s, const double *da, const double *db, double shift) {
    const pp_box *b = s->b;
    int n = b->n;
    s->da = da;
    s->db = db;
    if (b->dense) {
        for (int j = 0; j < n; j++) {
            const double *A = s->A + (ptrdiff_t)n * j;
            double *V = s->V + (ptrdiff_t)n * j;
            for (int i = 0; i < n; i++) V[i] = db[i] * A[i];
            V[j] += da[j] + db[j] * shift;
        }
        return;
    }
    memset(s->V, 0, sizeof *s->V * (size_t)s->start[n]);
    for (int k = 0; k < b->nnz; k++) s->V[s->at[k]] = db[b->index[k]] * s->A[k];
    for (int j = 0; j < n; j++) s->V[s->diagonal[j]] += da[j] + db[j] * shift;
}

/* y = V x or V'x, over s->start and s->index if sparse. */
static void multiply(const pp_newton_system *s, bool transposed, const double *x, double *y) {
    int n = s->b->n;
    if (s->b->dense) {
        pp_gemv(transposed, n, s->V, n, x, 0, y);
        return;
    }
    if (!transposed) memset(y, 0, sizeof *y * (size_t)n);
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = s->start[j]; k < s->start[j + 1]; k++) {
            if (transposed)
                sum += s->V[k] * x[s->index[k]];
            else
                y[s->index[k]] += s->V[k] * x[j];
        }
        if (transposed) y[j] = sum;
    }
}

/* Factors V restricted to the rows with db != 0, and lists them in s->rows. Returns their number, or -1 if V is
 * singular. */
static int factor_dense(pp_newton_system *s) {
    ptrdiff_t n = s->b->n;
    int m = 0;
    for (int i = 0; i < n; i++) {
        if (s->db[i] != 0)
            s->rows[m++] = i;
        else if (s->da[i] == 0)
            return -1;
    }
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) s->factor[i + (ptrdiff_t)m * j] = s->V[s->rows[i] + n * s->rows[j]];
    pp_count(s->call->work, pp_dense_work(m, 6)); /* the matrix, two solutions, two residuals */
    return m == 0 || pp_lu(m, s->factor, m, s->pivot) ? m : -1;
}

/* Solves V x = b by the factor. x holds b on entry and the solution on return. y: scratch of n. */
static void apply_dense(const pp_newton_system *s, int m, double *x, double *y) {
    ptrdiff_t n = s->b->n;
    if (m < n) {
        for (int i = 0; i < m; i++) y[i] = x[s->rows[i]];
        for (int j = 0; j < n; j++) {
            if (s->db[j] != 0) continue;
            x[j] /= s->da[j];
            if (x[j] == 0) continue;
            for (int i = 0; i < m; i++) y[i] -= s->V[s->rows[i] + n * j] * x[j];
        }
    } else {
        memcpy(y, x, sizeof *y * (size_t)n);
    }
    if (m > 0) pp_lu_solve(m, s->factor, m, s->pivot, 1, y, m);
    for (int i = 0; i < m; i++) x[s->rows[i]] = y[i];
}

static double largest(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i])) return INFINITY;
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

/* Computes the residual s->s = r - V d. Returns its largest absolute entry. */
static double left_over(pp_newton_system *s, const double *r, const double *d) {
    int n = s->b->n;
    multiply(s, false, d, s->s);
    for (int i = 0; i < n; i++) s->s[i] = r[i] - s->s[i];
    return largest(n, s->s);
}

bool pp_newton_solve(pp_newton_system *s, double *d) {
    int n = s->b->n, m = 0;
    double *work = s->b->scratch;
    memcpy(s->r, d, sizeof *d * (size_t)n);
    s->count++;
    bool ok = s->b->dense ? (m = factor_dense(s)) >= 0 : pp_sparse_lu_factor(s->lu, n, s->start, s->index, s->V);
    if (!s->b->dense) pp_count(s->call->work, pp_sparse_lu_work(s->lu));
    if (!ok) return false;
    if (s->b->dense)
        apply_dense(s, m, d, work);
    else if (!pp_sparse_lu_solve(s->lu, false, d))
        return false;
    if (!(largest(n, d) < INFINITY)) return false;
    double before = left_over(s, s->r, d);
    if (s->b->dense)
        apply_dense(s, m, s->s, work);
    else if (!pp_sparse_lu_solve(s->lu, false, s->s))
        return false;
    for (int i = 0; i < n; i++) work[i] = d[i] + s->s[i];
    double after = left_over(s, s->r, work);
    if (after < before) memcpy(d, work, sizeof *d * (size_t)n);
    return fmin(before, after) <= LEFT_OVER * largest(n, s->r);
}

static bool least_dense(pp_newton_system *s, double mu, double *d) {
    int n = s->b->n;
    pp_count(s->call->work, pp_dense_work(n, n + 2));
    pp_gemm(true, false, n, n, n, 1, s->V, n, s->V, n, 0, s->factor, n);
    for (int i = 0; i < n; i++) s->factor[i + (ptrdiff_t)n * i] += mu;
    if (!pp_cholesky(n, s->factor, n)) return false;
    pp_cholesky_solve(n, s->factor, n, 1, d, n);
    return largest(n, d) < INFINITY;
}

/* Allocates the augmented matrix (I V; V' -mu I). Its column j < n holds 1 on the diagonal, then row j of V. Its column
 * n + j holds column j of V, then -mu on the diagonal. */
static bool make_augmented(pp_newton_system *s) {
    int n = s->b->n, nnz = s->start[n];
    s->start2 = PP_CALL_ARRAY(s->call, int, 2 * n + 1);
    s->index2 = PP_CALL_ARRAY(s->call, int, 2 * nnz + 2 * n);
    s->value2 = PP_CALL_ARRAY(s->call, double, 2 * nnz + 2 * n);
    s->r2 = PP_CALL_ARRAY(s->call, double, 2 * n);
    if (!s->start2 || !s->index2 || !s->value2 || !s->r2) return false;
    s->lu2 = pp_sparse_lu_new();
    return s->lu2 != NULL;
}

static void fill_augmented(pp_newton_system *s, double mu) {
    int n = s->b->n, *start = s->start2, *index = s->index2;
    double *value = s->value2;
    memset(start, 0, sizeof *start * (size_t)(2 * n + 1));
    for (int k = 0; k < s->start[n]; k++) start[s->index[k] + 1]++;
    for (int i = 0; i < n; i++) {
        start[i + 1] += start[i] + 1;
        index[start[i]] = i;
        value[start[i]] = 1;
    }
    int *next = start + n + 1; /* n entries, written over below */
    for (int i = 0; i < n; i++) next[i] = start[i] + 1;
    for (int j = 0; j < n; j++)
        for (int k = s->start[j]; k < s->start[j + 1]; k++) {
            int to = next[s->index[k]]++;
            index[to] = n + j;
            value[to] = s->V[k];
        }
    int to = start[n];
    for (int j = 0; j < n; j++) {
        for (int k = s->start[j]; k < s->start[j + 1]; k++, to++) {
            index[to] = s->index[k];
            value[to] = s->V[k];
        }
        index[to] = n + j;
        value[to++] = -mu;
        start[n + j + 1] = to;
    }
}

static bool least_sparse(pp_newton_system *s, double mu, const double *psi, double *d) {
    int n = s->b->n;
    if (!s->lu2 && !make_augmented(s)) return false;
    fill_augmented(s, mu);
    bool ok = pp_sparse_lu_factor(s->lu2, 2 * n, s->start2, s->index2, s->value2);
    pp_count(s->call->work, pp_sparse_lu_work(s->lu2));
    if (!ok) return false;
    for (int i = 0; i < n; i++) {
        s->r2[i] = -psi[i]; /* y + V d = -psi, V'y = mu d */
        s->r2[n + i] = 0;
    }
    if (!pp_sparse_lu_solve(s->lu2, false, s->r2)) return false;
    memcpy(d, s->r2 + n, sizeof *d * (size_t)n);
    return true;
}

bool pp_newton_least(pp_newton_system *s, double mu, const double *psi, double *d) {
    int n = s->b->n;
    s->count++;
    if (!s->b->dense) return least_sparse(s, mu, psi, d);
    multiply(s, true, psi, d);
    for (int i = 0; i < n; i++) d[i] = -d[i];
    return least_dense(s, mu, d);
}
