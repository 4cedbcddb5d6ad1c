/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* condense.c - cone problems from the mass-matrix form to the Delassus form
 * Problem  W = H'M^-1 H + compliance and q = H'M^-1 f + b, W sparse.
 * Method   M falls apart into the connected parts of its pattern, the bodies of a rigid-body problem. Small parts are
 *          factorised densely, large ones by a sparse LU. For each column of H only the parts it touches are solved, and
 *          only the rows of H' that meet them are summed. If M is exactly symmetric the upper half of W is summed and
 *          mirrored, so that W is exactly symmetric too. Sums that are exactly zero are not stored.
 * Valid    M regular, any symmetry.
 * Cost     sum over bodies of (rows on it)^2 times its size; with one large part m solves with it.
 * Source   Acary, Brogliato (2008) 12.4. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "linalg/linalg.h"
#include "linalg/sparse_lu.h"
#include "problem/convert/convert_class.h"

#define SMALL 48 /* [rows] largest part that is factorised densely */

/* A part of M: a body, or everything that is coupled. */
typedef struct part {
    int first, size;      /* dofs[first] .. */
    double *LU;           /* size x size, or NULL: */
    pp_sparse_lu *sparse; /*   a large part */
    int *piv;
} part;

typedef struct mass {
    int n, nparts;
    part *parts;
    int *dofs;  /* n: dofs part by part, ascending within each */
    int *where; /* n: place of a dof in dofs */
    int *owner; /* n: part of a dof */
} mass;

/* Connected parts of the pattern, in the order of their first dofs. */
static bool find_parts(const perp_sparse *M, pp_arena *a, mass *m) {
    int n = M->cols;
    m->n = n;
    m->owner = PP_ARENA_ARRAY(a, int, n);
    m->dofs = PP_ARENA_ARRAY(a, int, n);
    m->where = PP_ARENA_ARRAY(a, int, n);
    int *parent = PP_ARENA_ARRAY(a, int, n);
    if (!m->owner || !m->dofs || !m->where || !parent) return false;
    pp_sets_make(parent, n);
    for (int j = 0; j < n; j++)
        for (int k = M->start[j]; k < M->start[j + 1]; k++) {
            pp_sets_join(parent, M->index[k], j);
        }
    for (int i = 0; i < n; i++) { /* a root is the smallest of its part and comes first */
        int r = pp_set_of(parent, i);
        m->owner[i] = r == i ? m->nparts++ : m->owner[r];
    }
    m->parts = PP_ARENA_ZERO(a, part, m->nparts);
    if (!m->parts) return false;
    for (int i = 0; i < n; i++) m->parts[m->owner[i]].size++;
    for (int k = 1; k < m->nparts; k++) m->parts[k].first = m->parts[k - 1].first + m->parts[k - 1].size;
    for (int k = 0; k < m->nparts; k++) m->parts[k].size = 0;
    for (int i = 0; i < n; i++) {
        part *p = &m->parts[m->owner[i]];
        m->where[i] = p->first + p->size++;
        m->dofs[m->where[i]] = i;
    }
    return true;
}

static perp_status factor_dense(const perp_sparse *M, pp_arena *a, const mass *m, part *p) {
    size_t n = (size_t)p->size;
    p->LU = PP_ARENA_ZERO(a, double, n *n);
    p->piv = PP_ARENA_ARRAY(a, int, n);
    if (!p->LU || !p->piv) return PERP_E_MEMORY;
    for (int j = 0; j < p->size; j++) {
        int col = m->dofs[p->first + j];
        for (int k = M->start[col]; k < M->start[col + 1]; k++)
            p->LU[m->where[M->index[k]] - p->first + p->size * j] = M->value[k];
    }
    return pp_lu(p->size, p->LU, p->size, p->piv) ? PERP_OK : PERP_E_ARG;
}

static perp_status factor_sparse(const perp_sparse *M, pp_arena *a, const mass *m, part *p) {
    int nnz = 0;
    for (int j = 0; j < p->size; j++) {
        int col = m->dofs[p->first + j];
        nnz += M->start[col + 1] - M->start[col];
    }
    pp_arena_mark mark = pp_arena_here(a);
    int *start = PP_ARENA_ARRAY(a, int, (size_t)p->size + 1), *index = PP_ARENA_ARRAY(a, int, nnz);
    double *value = PP_ARENA_ARRAY(a, double, nnz);
    p->sparse = pp_sparse_lu_new();
    if (!start || !index || !value || !p->sparse) return PERP_E_MEMORY;
    nnz = 0;
    for (int j = 0; j < p->size; j++) {
        int col = m->dofs[p->first + j];
        start[j] = nnz;
        for (int k = M->start[col]; k < M->start[col + 1]; k++) {
            index[nnz] = m->where[M->index[k]] - p->first; /* rows stay ascending */
            value[nnz++] = M->value[k];
        }
    }
    start[p->size] = nnz;
    bool ok = pp_sparse_lu_factor(p->sparse, p->size, start, index, value);
    pp_arena_release(a, mark);
    return ok ? PERP_OK : PERP_E_ARG;
}

static perp_status factor(const perp_sparse *M, pp_arena *a, mass *m) {
    if (!find_parts(M, a, m)) return PERP_E_MEMORY;
    perp_status s = PERP_OK;
    for (int k = 0; !s && k < m->nparts; k++)
        s = m->parts[k].size <= SMALL ? factor_dense(M, a, m, &m->parts[k]) : factor_sparse(M, a, m, &m->parts[k]);
    return s;
}

static bool solve_part(const part *p, double *x) {
    if (p->sparse) return pp_sparse_lu_solve(p->sparse, false, x);
    pp_lu_solve(p->size, p->LU, p->size, p->piv, 1, x, p->size);
    return true;
}

/* A matrix equal to its transpose, to the bit. */
static bool same(const perp_sparse *A, const perp_sparse *B) {
    size_t n = (size_t)A->cols, nnz = (size_t)A->start[n];
    if (memcmp(A->start, B->start, sizeof *A->start * (n + 1)) != 0) return false;
    if (nnz > 0 && memcmp(A->index, B->index, sizeof *A->index * nnz) != 0) return false;
    for (size_t k = 0; k < nnz; k++)
        if (A->value[k] != B->value[k]) return false;
    return true;
}

/* Scratch memory for one column. */
typedef struct column_work {
    double *x;    /* one for each degree of freedom */
    int *touched; /* parts of the mass matrix that the column meets */
    int *seen;    /* for each part the last column that met it */
} column_work;

/* Columns of H'M^-1 H + compliance; only rows up to the diagonal if `upper`. */
static bool sum_columns(const perp_cone *p, const mass *m, const perp_sparse *Ht, bool upper, const column_work *w,
                        pp_columns *c) {
    double *x = w->x;
    int *touched = w->touched, *seen = w->seen;
    for (int k = 0; k < m->nparts; k++) seen[k] = -1;
    for (int j = 0; j < p->H.cols; j++) {
        int count = 0;
        for (int k = p->H.start[j]; k < p->H.start[j + 1]; k++) {
            int dof = p->H.index[k], own = m->owner[dof];
            const part *q = &m->parts[own];
            if (seen[own] != j) {
                seen[own] = j;
                touched[count++] = own;
                memset(x + q->first, 0, sizeof *x * (size_t)q->size);
            }
            x[m->where[dof]] = p->H.value[k];
        }
        for (int t = 0; t < count; t++) {
            const part *q = &m->parts[touched[t]];
            if (!solve_part(q, x + q->first)) return false;
            for (int d = q->first; d < q->first + q->size; d++) {
                if (x[d] == 0) continue;
                for (int k = Ht->start[m->dofs[d]]; k < Ht->start[m->dofs[d] + 1]; k++) {
                    if (upper && Ht->index[k] > j) break;
                    pp_columns_add(c, Ht->index[k], Ht->value[k] * x[d]);
                }
            }
        }
        if (p->compliance && p->compliance[j] != 0) pp_columns_add(c, j, p->compliance[j]);
        if (!pp_columns_next(c)) return false;
    }
    return true;
}

/* U holds rows up to the diagonal: both halves into `keep`. */
static bool mirror(const perp_sparse *U, pp_arena *keep, pp_arena *scratch, perp_sparse *W) {
    perp_sparse L;
    int n = U->cols, nnz = U->start[n], diagonal = 0;
    if (!pp_sparse_transpose(U, scratch, &L)) return false;
    for (int j = 0; j < n; j++) diagonal += L.start[j + 1] > L.start[j] && L.index[L.start[j]] == j;
    if (nnz > INT_MAX / 2) return false;
    int *start = PP_ARENA_ARRAY(keep, int, (size_t)n + 1), *index = PP_ARENA_ARRAY(keep, int, 2 * nnz - diagonal);
    double *value = PP_ARENA_ARRAY(keep, double, 2 * nnz - diagonal);
    if (!start || !index || !value) return false;
    int at = 0;
    for (int j = 0; j < n; j++) {
        start[j] = at;
        for (int k = U->start[j]; k < U->start[j + 1]; k++) index[at] = U->index[k], value[at++] = U->value[k];
        for (int k = L.start[j]; k < L.start[j + 1]; k++)
            if (L.index[k] > j) index[at] = L.index[k], value[at++] = L.value[k];
    }
    start[n] = at;
    *W = (perp_sparse){n, n, start, index, value};
    return true;
}

static perp_status condense(const perp_cone *p, mass *m, pp_arena *keep, pp_arena *scratch, perp_sparse *W, double *q) {
    int rows = p->H.cols;
    perp_sparse Ht, Mt;
    column_work work = {PP_ARENA_ARRAY(scratch, double, m->n), PP_ARENA_ARRAY(scratch, int, m->nparts),
                        PP_ARENA_ARRAY(scratch, int, m->nparts)};
    double *x = work.x;
    if (!x || !work.touched || !work.seen || !pp_sparse_transpose(&p->H, scratch, &Ht) ||
        !pp_sparse_transpose(&p->M, scratch, &Mt))
        return PERP_E_MEMORY;
    bool symmetric = same(&p->M, &Mt), ok;
    perp_sparse U;
    pp_columns c;
    ok = pp_columns_init(&c, &scratch->alloc, rows, rows) && sum_columns(p, m, &Ht, symmetric, &work, &c) &&
         pp_columns_keep(&c, symmetric ? scratch : keep, symmetric ? &U : W) &&
         (!symmetric || mirror(&U, keep, scratch, W));
    pp_columns_free(&c);
    if (!ok) return PERP_E_MEMORY;
    for (int d = 0; d < m->n; d++) x[m->where[d]] = p->f[d];
    for (int k = 0; k < m->nparts; k++)
        if (!solve_part(&m->parts[k], x + m->parts[k].first)) return PERP_E_MEMORY;
    for (int j = 0; j < rows; j++) {
        double sum = 0;
        for (int k = p->H.start[j]; k < p->H.start[j + 1]; k++) sum += p->H.value[k] * x[m->where[p->H.index[k]]];
        q[j] = sum + p->b[j];
        if (!isfinite(q[j])) return PERP_E_ARG;
    }
    return PERP_OK;
}

perp_status pp_condense(const perp_cone *p, pp_arena *keep, pp_arena *scratch, perp_sparse *W, const double **q) {
    int rows = p->nrow + p->dim * p->ncontact;
    double *out = PP_ARENA_ARRAY(keep, double, rows);
    if (!out) return PERP_E_MEMORY;
    *q = out;
    if (rows == 0) {
        int *start = PP_ARENA_ZERO(keep, int, 1);
        *W = (perp_sparse){.start = start};
        return start ? PERP_OK : PERP_E_MEMORY;
    }
    mass m = {0};
    perp_status s = factor(&p->M, scratch, &m);
    if (!s) s = condense(p, &m, keep, scratch, W, out);
    for (int k = 0; m.parts && k < m.nparts; k++) pp_sparse_lu_free(m.parts[k].sparse);
    return s;
}
