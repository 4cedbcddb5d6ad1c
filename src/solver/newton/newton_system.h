/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* newton_system.h - linear systems of the semismooth Newton methods
 * Solves V d = r with V = diag(da) + diag(db) (A + shift I). A = W^-1 J Z is the scaled Jacobian of a box problem. V is
 * dense if J is dense, and sparse if J is sparse. */
#ifndef PP_NEWTON_SYSTEM_H
#define PP_NEWTON_SYSTEM_H

#include "linalg/sparse_lu.h"
#include "solver/common/box.h"

typedef struct pp_newton_system {
    const pp_box *b;
    const perp_call *call;
    double *A;             /* values of A, in the pattern of J */
    const double *da, *db; /* n each: arguments of the last pp_newton_matrix, not copied */
    double *V;             /* dense: n x n; sparse: values in the pattern below */
    double *factor;        /* dense: n x n */
    int *pivot, *rows;     /* dense: n each */
    double *r, *s;         /* n each: right-hand side and residual */
    int *start, *index;    /* sparse: pattern of J with a full diagonal */
    int *at, *diagonal;    /* sparse: positions of J's entries and of the diagonal in the pattern */
    pp_sparse_lu *lu;
    int *start2, *index2; /* sparse: pattern of (I V; V' -mu I), 2n x 2n; made at first use */
    double *value2, *r2;
    pp_sparse_lu *lu2;
    int count; /* factorisations so far */
} pp_newton_system;

/* Allocates from the call's memory. KLU allocates its own: call pp_newton_system_free() even after a failure. Returns
 * false if memory is refused. */
bool pp_newton_system_make(pp_newton_system *s, const pp_box *b, const perp_call *call);
void pp_newton_system_free(pp_newton_system *s);

/* Computes V from da, db and A. Keeps the pointers da and db. */
void pp_newton_matrix(pp_newton_system *s, const double *da, const double *db, double shift);

/* Solves V d = r with one step of iterative refinement. d holds r on entry and the solution on return. Returns false if
 * V is singular to working precision. */
bool pp_newton_solve(pp_newton_system *s, double *d);

/* Levenberg-Marquardt step d = -(V'V + mu I)^-1 V'psi. Returns false if memory is refused or the
 * factorisation fails. */
bool pp_newton_least(pp_newton_system *s, double mu, const double *psi, double *d);

#endif
