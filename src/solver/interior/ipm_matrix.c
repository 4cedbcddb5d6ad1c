/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ipm_matrix.c - the Newton matrices of the interior point method: C + E M, C and E block diagonal
 * Method   Dense LU with partial pivoting for small or full matrices, KLU for sparse ones. M is given entry by entry. The pattern is made once by
 *          sorting and reused by every factorisation, so KLU analyses once. E mixes rows within a cone: the rows of a cone should have
 *          one pattern.
 * Cost     Dense 2/3 n^3; sparse as KLU fills in. */
#include <math.h>
#include <string.h>

#include "linalg/kernel.h"
#include "linalg/linalg.h"
#include "solver/interior/ipm.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [rows] Number of rows up to which systems are dense. */
#define SMALL 48
/* [1] Part of the entries from which on systems are dense. */
#define FULL 0.3
/* [steps] Refinement steps of a sparse system. */
#define REFINEMENT 2

bool pp_ipm_matrix_make(pp_ipm_matrix *m, int n, size_t entries, const perp_call *call) {
    *m = (pp_ipm_matrix){.n = n};
    size_t square = (size_t)n * (size_t)n;
    m->dense = n <= SMALL || (double)entries > FULL * (double)square;
    if (m->dense) {
        m->A = perp_call_memory(call, sizeof(double) * square);
        m->F = perp_call_memory(call, sizeof(double) * square);
        m->piv = PP_CALL_ARRAY(call, int, n);
        if (!m->A || !m->F || !m->piv) return false;
        memset(m->A, 0, sizeof(double) * square);
        return true;
    }
    if (entries > 0x3fffffff) return false;
    m->room = (int)entries;
    m->row = PP_CALL_ARRAY(call, int, m->room);
    m->col = PP_CALL_ARRAY(call, int, m->room);
    m->number = PP_CALL_ARRAY(call, double, m->room);
    return m->row && m->col && m->number;
}

void pp_ipm_matrix_free(pp_ipm_matrix *m) {
    pp_sparse_lu_free(m->lu);
    m->lu = NULL;
}

void pp_ipm_add(pp_ipm_matrix *m, int i, int j, double x) {
    if (m->dense) {
        m->A[i + (ptrdiff_t)m->n * j] += x;
        return;
    }
    int k = m->count++;
    m->row[k] = i;
    m->col[k] = j;
    m->number[k] = x;
}

/* Positions of the triplets in the order of their keys; stable for equal keys. */
static void sort_by(int n, int count, const int *key, const int *from, int *head, int *to) {
    memset(head, 0, sizeof(int) * (size_t)(n + 1));
    for (int k = 0; k < count; k++) head[key[k] + 1]++;
    for (int i = 0; i < n; i++) head[i + 1] += head[i];
    for (int k = 0; k < count; k++) {
        int t = from ? from[k] : k;
        to[head[key[t]]++] = t;
    }
}

bool pp_ipm_matrix_ready(pp_ipm_matrix *m, const perp_call *call) {
    if (m->dense) return true;
    int n = m->n;
    int *by_row = PP_CALL_ARRAY(call, int, m->count), *order = PP_CALL_ARRAY(call, int, m->count),
        *head = PP_CALL_ARRAY(call, int, n + 1);
    m->start = PP_CALL_ARRAY(call, int, n + 1);
    m->index = PP_CALL_ARRAY(call, int, m->count);
    m->value = PP_CALL_ARRAY(call, double, m->count);
    m->F = PP_CALL_ARRAY(call, double, m->count);
    if (!by_row || !order || !head || !m->start || !m->index || !m->value || !m->F) return false;
    sort_by(n, m->count, m->row, NULL, head, by_row);
    sort_by(n, m->count, m->col, by_row, head, order);
    int used = 0, at = 0;
    for (int j = 0; j < n; j++) {
        m->start[j] = used;
        for (; at < m->count && m->col[order[at]] == j; at++) {
            int t = order[at];
            if (used > m->start[j] && m->index[used - 1] == m->row[t]) {
                m->value[used - 1] += m->number[t];
            } else {
                m->index[used] = m->row[t];
                m->value[used++] = m->number[t];
            }
        }
    }
    m->start[n] = used;
    return (m->lu = pp_sparse_lu_new()) != NULL;
}

void pp_ipm_multiply(const pp_ipm *s, const double *x, double *y) {
    const pp_ipm_matrix *m = &s->M;
    if (s->op) {
        s->op->multiply(s->ctx, x, y);
        return;
    }
    memset(y, 0, sizeof *y * (size_t)m->n);
    if (m->dense) {
        pp_gemv(false, m->n, m->A, m->n > 0 ? m->n : 1, x, 1, y);
        return;
    }
    for (int j = 0; j < m->n; j++)
        for (int k = m->start[j]; k < m->start[j + 1]; k++) y[m->index[k]] += m->value[k] * x[j];
}

/* y = B x, B block diagonal */
static void block_multiply(const pp_ipm *s, const double *B, const double *x, double *y) {
    for (int i = 0; i < s->nbox; i++) y[i] = B[i] * x[i];
    int dim = s->dim;
    for (int c = 0; c < s->ncone; c++) {
        const double *b = B + s->nbox + (ptrdiff_t)c * dim * dim, *xc = x + s->nbox + (ptrdiff_t)c * dim;
        double *yc = y + s->nbox + (ptrdiff_t)c * dim;
        for (int i = 0; i < dim; i++) {
            yc[i] = 0;
            for (int j = 0; j < dim; j++) yc[i] += b[i + dim * j] * xc[j];
        }
    }
}

/* The part of a column in the rows of one cone: f = E v + (C if the column is the cone's own). */
static void mix(int dim, const double *E, const double *C, int own, const double *v, double *f) {
    for (int i = 0; i < dim; i++) {
        double x = own >= 0 ? C[i + dim * own] : 0;
        if (E)
            for (int k = 0; k < dim; k++) x += E[i + dim * k] * v[k];
        else
            x += v[i];
        f[i] = x;
    }
}

/* One column of C + E M: entries of rows `index` (NULL: all rows), n of them. */
static void make_column(const pp_ipm *s, int j, const double *C, const double *E, int n, const int *index,
                        const double *v, double *f) {
    int dim = s->dim;
    for (int k = 0; k < n;) {
        int i = index ? index[k] : k;
        if (i < s->nbox) {
            f[k] = (E ? E[i] : 1) * v[k] + (i == j ? C[i] : 0);
            k++;
            continue;
        }
        int c = (i - s->nbox) / dim, first = s->nbox + c * dim;
        ptrdiff_t b = s->nbox + (ptrdiff_t)c * dim * dim;
        int own = j >= first && j < first + dim ? j - first : -1;
        mix(dim, E ? E + b : NULL, C + b, own, v + k, f + k);
        k += dim;
    }
}

bool pp_ipm_factor(pp_ipm *s, const double *C, const double *E) {
    pp_ipm_matrix *m = &s->M;
    int n = m->n;
    s->factorisations++;
    if (s->op) return s->op->factor(s->ctx, C, E);
    if (m->dense) {
        pp_count(s->call->work, pp_dense_work(n, 1));
        for (int j = 0; j < n; j++) make_column(s, j, C, E, n, NULL, m->A + (ptrdiff_t)n * j, m->F + (ptrdiff_t)n * j);
        return pp_lu(n, m->F, n > 0 ? n : 1, m->piv);
    }
    for (int j = 0; j < n; j++) {
        int a = m->start[j];
        make_column(s, j, C, E, m->start[j + 1] - a, m->index + a, m->value + a, m->F + a);
    }
    bool ok = pp_sparse_lu_factor(m->lu, n, m->start, m->index, m->F);
    pp_count(s->call->work, pp_sparse_lu_work(m->lu));
    return ok;
}

static bool back_solve(pp_ipm_matrix *m, double *x) {
    if (!m->dense) return pp_sparse_lu_solve(m->lu, false, x);
    pp_lu_solve(m->n, m->F, m->n > 0 ? m->n : 1, m->piv, 1, x, m->n > 0 ? m->n : 1);
    return true;
}

bool pp_ipm_solve(pp_ipm *s, const double *C, const double *E, double *x) {
    int n = s->n;
    double *b = s->tmp, *e = s->tm, before = INFINITY;
    if (s->op) return s->op->solve(s->ctx, x);
    memcpy(b, x, sizeof *x * (size_t)n);
    if (!back_solve(&s->M, x)) return false;
    for (int round = 0; round < REFINEMENT; round++) {
        double *y = s->outside, size = 0; /* unused here: nothing is judged during a solve */
        pp_ipm_multiply(s, x, e);
        if (E)
            block_multiply(s, E, e, y);
        else
            memcpy(y, e, sizeof *e * (size_t)n);
        block_multiply(s, C, x, e);
        for (int i = 0; i < n; i++) {
            e[i] = b[i] - y[i] - e[i];
            size = fmax(size, fabs(e[i]));
        }
        if (!(size > 0) || !(size < 0.5 * before)) break;
        before = size;
        if (!back_solve(&s->M, e)) return false;
        for (int i = 0; i < n; i++) x[i] += e[i];
    }
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}
