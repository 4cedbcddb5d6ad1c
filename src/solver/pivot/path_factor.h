/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* path_factor.h - the bases of the path search: an n x n matrix whose columns are those of J, of the identity, or the
 * residual that is reduced to zero; factorised, and updated by exchanges of columns. */
#ifndef PP_PATH_FACTOR_H
#define PP_PATH_FACTOR_H

#include "linalg/sparse_lu.h"
#include "solver/common/call.h"

/* Where x_i lies: z_i at its lower bound, between its bounds, at its upper bound. */
typedef enum pp_path_mode { PP_LOW = -1, PP_MID = 0, PP_HIGH = 1 } pp_path_mode;

/* J + lambda I, dense (column-major) or by compressed columns. Borrows its arrays. */
typedef struct pp_path_matrix {
    int n;
    bool dense;
    const int *start, *index;
    const double *value;
    double lambda;
} pp_path_matrix;

/* y += a (J + lambda I)(:, j) */
void pp_path_matrix_add_column(const pp_path_matrix *A, int j, double a, double *y);
/* y = (J + lambda I) x */
void pp_path_matrix_mul(const pp_path_matrix *A, const double *x, double *y);

typedef struct pp_path_factor {
    const pp_path_matrix *A;
    pp_work *work_of; /* work counter; NULL: none */
    const double *r;  /* n: column of variable n */
    const signed char
        *mode;         /* n: column of variable i < n is that of J + lambda I if PP_MID, else the i-th unit vector */
    int *var;          /* n: variable of each column of the basis */
    double *LU, *work; /* dense */
    int *piv;
    pp_sparse_lu *lu; /* sparse */
    int *start, *index;
    double *value;
    int neta, eta_limit, eta_room; /* product form: columns exchanged since the last factorisation */
    int *eta_slot, *eta_start, *eta_index;
    double *eta_pivot, *eta_value;
    int count; /* factorisations */
} pp_path_factor;

/* Allocates in the call's memory. Returns false if out of memory; call pp_path_factor_end() in any case. nnz: largest
 * number of entries of A. */
bool pp_path_factor_make(pp_path_factor *f, const pp_path_matrix *A, int nnz, const perp_call *call);
void pp_path_factor_end(pp_path_factor *f);

/* Factorises the basis of `var`, `mode`, `r`. False if singular to working precision. */
bool pp_path_factor_fresh(pp_path_factor *f);
/* v is overwritten by the solution of B x = v. */
void pp_path_factor_solve(const pp_path_factor *f, double *v);
/* Replaces column `slot` by one whose solution is d. Returns false if there is no more room: make a new factorisation. */
bool pp_path_factor_exchange(pp_path_factor *f, int slot, const double *d);

#endif
