/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* path_factor.c - factorised bases of the path search
 * Problem  Solve B x = v, where one column of B changes per pivot.
 * Method   LU (pp_lu() if dense, KLU if sparse) of a base, then the product form of the inverse: each exchanged column is one more elementary
 *          matrix. A new factorisation is made when there are too many of them.
 * Valid    Any regular B; a reciprocal condition number below SINGULAR counts as singular.
 * Cost     Dense: n^3/1.5 per factorisation, n^2 per solve; sparse: as KLU; plus n per exchange since.
 * Source   Dantzig, Orchard-Hays, The product form for the inverse in the simplex method (1954). */
#include "solver/pivot/path_factor.h"

#include <math.h>
#include <string.h>

#include "linalg/kernel.h"
#include "linalg/linalg.h"

#define SINGULAR 1e-15
/* Exchanges between factorisations. */
#define EXCHANGES 48

void pp_path_matrix_add_column(const pp_path_matrix *A, int j, double a, double *y) {
    if (A->dense) {
        pp_axpy(A->n, a, A->value + (ptrdiff_t)A->n * j, y);
    } else {
        for (int k = A->start[j]; k < A->start[j + 1]; k++) y[A->index[k]] += a * A->value[k];
    }
    y[j] += a * A->lambda;
}

void pp_path_matrix_mul(const pp_path_matrix *A, const double *x, double *y) {
    for (int i = 0; i < A->n; i++) y[i] = 0;
    for (int j = 0; j < A->n; j++)
        if (x[j] != 0) pp_path_matrix_add_column(A, j, x[j], y);
}

bool pp_path_factor_make(pp_path_factor *f, const pp_path_matrix *A, int nnz, const perp_call *call) {
    int n = A->n;
    *f = (pp_path_factor){.A = A, .work_of = call->work, .eta_limit = EXCHANGES, .eta_room = (EXCHANGES + 1) * n};
    f->var = PP_CALL_ARRAY(call, int, n);
    f->eta_slot = PP_CALL_ARRAY(call, int, EXCHANGES);
    f->eta_start = PP_CALL_ARRAY(call, int, EXCHANGES + 1);
    f->eta_pivot = PP_CALL_ARRAY(call, double, EXCHANGES);
    f->eta_index = PP_CALL_ARRAY(call, int, f->eta_room);
    f->eta_value = PP_CALL_ARRAY(call, double, f->eta_room);
    if (!f->var || !f->eta_slot || !f->eta_start || !f->eta_pivot || !f->eta_index || !f->eta_value) return false;
    if (A->dense) {
        f->LU = (double *)perp_call_memory(call, sizeof(double) * (size_t)n * (size_t)n);
        f->work = PP_CALL_ARRAY(call, double, 2 * n);
        f->piv = PP_CALL_ARRAY(call, int, n);
        return f->LU && f->work && f->piv;
    }
    int room = nnz + 3 * n; /* every column with a diagonal entry of its own, and that of variable n */
    f->start = PP_CALL_ARRAY(call, int, n + 1);
    f->index = PP_CALL_ARRAY(call, int, room);
    f->value = PP_CALL_ARRAY(call, double, room);
    f->lu = pp_sparse_lu_new();
    return f->start && f->index && f->value && f->lu;
}

void pp_path_factor_end(pp_path_factor *f) {
    pp_sparse_lu_free(f->lu);
    f->lu = NULL;
}

static bool fresh_dense(pp_path_factor *f) {
    int n = f->A->n;
    for (int s = 0; s < n; s++) {
        double *c = f->LU + (ptrdiff_t)n * s;
        int v = f->var[s];
        if (v == n) {
            memcpy(c, f->r, sizeof *c * (size_t)n);
            continue;
        }
        for (int i = 0; i < n; i++) c[i] = 0;
        if (f->mode[v] == PP_MID)
            pp_path_matrix_add_column(f->A, v, 1, c);
        else
            c[v] = 1;
    }
    double size = pp_norm1(n, f->LU, n);
    pp_count(f->work_of, pp_dense_work(n, 6)); /* the condition number takes some solutions */
    if (!pp_lu(n, f->LU, n, f->piv)) return false;
    return pp_lu_rcond(n, f->LU, n, f->piv, size, f->work) > SINGULAR;
}

/* Column j of J with lambda put in at its place on the diagonal. */
static int emit(const pp_path_factor *f, int j, int at) {
    const pp_path_matrix *A = f->A;
    bool diagonal = A->lambda == 0;
    for (int k = A->start[j]; k <= A->start[j + 1]; k++) {
        bool end = k == A->start[j + 1];
        if (!diagonal && (end || A->index[k] >= j)) {
            bool there = !end && A->index[k] == j;
            f->index[at] = j;
            f->value[at++] = A->lambda + (there ? A->value[k] : 0);
            diagonal = true;
            if (there) continue;
        }
        if (end) break;
        f->index[at] = A->index[k];
        f->value[at++] = A->value[k];
    }
    return at;
}

static bool fresh_sparse(pp_path_factor *f) {
    int n = f->A->n, at = 0;
    for (int s = 0; s < n; s++) {
        int v = f->var[s];
        f->start[s] = at;
        if (v == n) {
            for (int i = 0; i < n; i++)
                if (f->r[i] != 0) f->index[at] = i, f->value[at++] = f->r[i];
        } else if (f->mode[v] == PP_MID) {
            at = emit(f, v, at);
        } else {
            f->index[at] = v;
            f->value[at++] = 1;
        }
    }
    f->start[n] = at;
    bool ok = pp_sparse_lu_factor(f->lu, n, f->start, f->index, f->value);
    pp_count(f->work_of, pp_sparse_lu_work(f->lu));
    return ok && pp_sparse_lu_rcond(f->lu) > SINGULAR;
}

bool pp_path_factor_fresh(pp_path_factor *f) {
    f->neta = 0;
    f->eta_start[0] = 0;
    f->count++;
    if (f->A->n == 0) return true;
    return f->A->dense ? fresh_dense(f) : fresh_sparse(f);
}

void pp_path_factor_solve(const pp_path_factor *f, double *v) {
    int n = f->A->n;
    if (n == 0) return;
    pp_count(f->work_of, (f->A->dense ? pp_dense_product(n) : 0) + f->eta_start[f->neta]);
    if (f->A->dense)
        pp_lu_solve(n, f->LU, n, f->piv, 1, v, n);
    else if (!pp_sparse_lu_solve(f->lu, false, v))
        v[0] = NAN; /* the caller checks that the step is finite */
    for (int e = 0; e < f->neta; e++) {
        double p = v[f->eta_slot[e]] / f->eta_pivot[e];
        v[f->eta_slot[e]] = p;
        if (p == 0) continue;
        for (int k = f->eta_start[e]; k < f->eta_start[e + 1]; k++) v[f->eta_index[k]] -= f->eta_value[k] * p;
    }
}

bool pp_path_factor_exchange(pp_path_factor *f, int slot, const double *d) {
    int at = f->eta_start[f->neta];
    if (f->neta == f->eta_limit || at + f->A->n > f->eta_room) return false;
    for (int i = 0; i < f->A->n; i++)
        if (i != slot && d[i] != 0) f->eta_index[at] = i, f->eta_value[at++] = d[i];
    f->eta_slot[f->neta] = slot;
    f->eta_pivot[f->neta] = d[slot];
    f->eta_start[++f->neta] = at;
    return true;
}
