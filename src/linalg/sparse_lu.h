/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sparse_lu.h - general sparse systems A x = b: partial pivoting, the pattern analysed once (by KLU) while it stays.
 * Both allocate by themselves, so this is for solvers outside the step of a world. */
#ifndef PP_SPARSE_LU_H
#define PP_SPARSE_LU_H

#include "base/memory.h"

typedef struct pp_sparse_lu pp_sparse_lu;
/* NULL if memory is refused. */
pp_sparse_lu *pp_sparse_lu_new(void);
void pp_sparse_lu_free(pp_sparse_lu *s); /* NULL is fine */
/* Compressed columns, rows ascending. False if singular, not finite, or out of memory. */
bool pp_sparse_lu_factor(pp_sparse_lu *s, int n, const int *start, const int *index, const double *value);
/* x (n) is overwritten by the solution; transposed: of A'x = b. */
bool pp_sparse_lu_solve(pp_sparse_lu *s, bool transposed, double *x);
/* Rough estimate of the reciprocal condition number of the last factor: its smallest pivot over the largest. */
double pp_sparse_lu_rcond(pp_sparse_lu *s);
/* What the last factorisation cost, in multiplications of a dense product. */
double pp_sparse_lu_work(pp_sparse_lu *s);

#endif
