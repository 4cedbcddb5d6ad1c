/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_cg.h - the linear systems of cone_linear.h without a factorisation: conjugate gradients, preconditioned.
 *
 * The same systems (C + E W~) dx = b, in contact space or through the bodies, (M + J'B J) y = J'C'^-1 b. The matrix is
 * kept by blocks of nodes (bodies) or contacts, so that storage and a step grow with the number of contacts, where a
 * factor of a packing fills in. Symmetric ones by conjugate gradients, the others (Newton's) by stabilised biconjugate
 * gradients. Preconditioner: incomplete block factors without fill. */
#ifndef PP_CONE_CG_H
#define PP_CONE_CG_H

#include "solver/cone/cone.h"

typedef struct pp_cone_cg {
    const pp_cone *c;
    int n;           /* blocks of unknowns: nodes, or blocks of rows */
    int unknowns;    /* ndof or m */
    const int *at;   /* n + 1: first unknown of each block */
    int *row;        /* n + 1: entries of block row i are row[i] .. row[i + 1] - 1 */
    int *col;        /* ascending */
    int *diagonal;   /* n: the entry on the diagonal */
    ptrdiff_t *spot; /* entries + 1: where the numbers of an entry begin; column-major */
    double *A;       /* the matrix */
    double *P;       /* incomplete factors: L and U apart from the diagonal, which holds inverses of pivots */
    double *stream;  /* the same in the order of their use */
    int *entry;      /* local: entry of the matrix by entry of c; body: by pair of entries of a block, in order */
    bool symmetric_operator;                /* M or W~ is symmetric */
    bool symmetric;                         /* the present matrix is symmetric */
    bool mirror;                            /* input: C^-1 E is symmetric except for rounding, and is symmetrised */
    bool jacobi;                            /* the incomplete factorisation failed: P is the block diagonal */
    const double *C, *E;                    /* borrowed from pp_cone_cg_prepare: nblock x square each */
    double *Cinv;                           /* body: nblock x square, C'^-1 */
    double *y;                              /* unknowns: the solution, and the start of the next one */
    double *r, *z, *d, *q, *g, *t, *shadow; /* unknowns each */
    double *u;                              /* m */
    int *mark;                              /* n */
    int steps;                              /* iterations of all solutions so far */
    int prepared;                           /* number of preconditioners made so far */
} pp_cone_cg;

/* In the call's memory. False if refused. */
bool pp_cone_cg_make(pp_cone_cg *k, const pp_cone *c, const perp_call *call);

/* Multiplications of one iteration, matrix and preconditioner, for comparison with pp_block_lu_work(). */
double pp_cone_cg_work(const pp_cone_cg *k);

/* Takes C and E as pp_cone_linear_factor() does, fills the matrix and makes its preconditioner. Returns false if a
 * number is not finite or a block is singular. */
bool pp_cone_cg_prepare(pp_cone_cg *k, const double *C, const double *E);

/* Computes dx from b, starting from the previous solution (k->y; set it to zero for a cold start). Stops when the
 * Euclidean norm of the residual of the system of k->A is at most `goal`, or after `most` iterations. Degrees of
 * freedom have unit mass, so this is about the residual of (C + E W~) dx = b if E is about I. Returns the residual
 * reached. b is kept; dx != b. */
double pp_cone_cg_solve(pp_cone_cg *k, const double *b, double *dx, double goal, int most);

/* y = A x, and y = P^-1 x, for tests. */
void pp_cone_cg_product(const pp_cone_cg *k, const double *x, double *y);
void pp_cone_cg_precondition(const pp_cone_cg *k, const double *x, double *y);

#endif
