/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* newton_system.h - the linear systems of semismooth Newton methods: V d = r with V = diag(da) + diag(db) (A + shift I),
 * A the scaled derivative W^-1 J Z of a box problem. Dense or sparse as J is. */
#ifndef PP_NEWTON_SYSTEM_H
#define PP_NEWTON_SYSTEM_H

#include "linalg/sparse_lu.h"
#include "solver/common/box.h"

typedef struct pp_newton_system {
    const pp_box *b;
    const perp_call *call;
    double *A;             /* values of A, in the pattern of J */
    const double *da, *db; /* n each, as last given: borrowed until the next pp_newton_matrix */
    double *V;             /* dense: n x n; sparse: values in the pattern below */
    double *factor;        /* dense: n x n */
    int *pivot, *rows;     /* dense: n each */
    double *r, *s;         /* n each: right-hand side and residual */
    int *start, *index;    /* sparse: pattern of J with a full diagonal */
    int *at, *diagonal;    /* sparse: where entries of J and the diagonal lie in it */
    pp_sparse_lu *lu;
    int *start2, *index2; /* sparse: pattern of (I V; V' -mu I), 2n x 2n; made when first needed */
    double *value2, *r2;
    pp_sparse_lu *lu2;
    int count; /* factorisations so far */
} pp_newton_system;

/* In the call's memory, but for KLU's own: pp_newton_system_free() is due whatever the answer. False if refused. */
bool pp_newton_system_make(pp_newton_system *s, const pp_box *b, const perp_call *call);
void pp_newton_system_free(pp_newton_system *s);

/* V from da, db and A. */
void pp_newton_matrix(pp_newton_system *s, const double *da, const double *db, double shift);

/* d: right-hand side in, solution of V d = r out, refined once. False if V is singular to working precision. */
bool pp_newton_solve(pp_newton_system *s, double *d);

/* d = -(V'V + mu I)^-1 V'psi: Levenberg-Marquardt. False if it cannot be had. */
bool pp_newton_least(pp_newton_system *s, double mu, const double *psi, double *d);

#endif
