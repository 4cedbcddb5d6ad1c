/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_linear.h - the linear systems of Newton's method on cone problems: (C + E W~) dx = b, C and E block diagonal.
 *
 * Local form: C_i + E_i W~_ij, as many unknowns as rows. Through the bodies: with C' = C + E c~ and B = C'^-1 E,
 *     (M + J'B J) y = J' C'^-1 b,   dx = C'^-1 (b - E J y),   J = H~',
 * as many unknowns as dofs. Pattern, order and memory are settled once; every change of C and E costs one
 * factorisation. */
#ifndef PP_CONE_LINEAR_H
#define PP_CONE_LINEAR_H

#include "linalg/block_lu.h"
#include "solver/cone/cone.h"

typedef struct pp_cone_linear {
    const pp_cone *c;
    pp_block_lu *lu;
    pp_block_place *place;      /* local: by entry; body: by pair of entries of a block, in order */
    pp_block_place *mass;       /* body: diagonal blocks of the nodes */
    const double **turned;      /* body: by entry, its value with rows and columns exchanged */
    const double *C, *E;        /* borrowed from the latest factorisation: nblock x square each */
    double *Cinv;               /* body: nblock x square, C'^-1 of the factors */
    double *E0;                 /* nblock x square: E of the factors, if they may be used again */
    double *basis;              /* (most + 1) x m, for this */
    int most;                   /* affordable iterations with old factors; 0: none */
    double *r, *t, *correction; /* m each */
    double *y;                  /* ndof */
    int factorisations;
    double filling, solving; /* multiplications of filling the matrix, and of a solution with its factors */
} pp_cone_linear;

/* In the call's memory. False if refused. */
bool pp_cone_linear_make(pp_cone_linear *k, const pp_cone *c, const perp_call *call);

/* C, E: nblock x square, each block column-major with its own number of rows as leading dimension; borrowed until the next
 * factorisation. Returns false if a number is not finite. */
bool pp_cone_linear_factor(pp_cone_linear *k, const double *C, const double *E);

/* Computes dx from b, with iterative refinement until the residual is below `accuracy` times |b|, at most `refinements`
 * times. Returns the residual reached over |b|. b is kept; dx != b. */
double pp_cone_linear_solve(pp_cone_linear *k, const double *b, double *dx, double accuracy, int refinements);

/* dx = (C0 + E0 W~)^-1 b with the factors alone; y = (C + E W~) x. b != dx, x != y. */
void pp_cone_linear_direct(pp_cone_linear *k, const double *b, double *dx);
void pp_cone_linear_product(pp_cone_linear *k, const double *x, double *y);

/* As pp_cone_linear_solve() with the existing factors, which belong to another C and E (cone_reuse_factor.c). Returns
 * the residual reached over |b|, INFINITY if too many blocks have changed. C, E: borrowed. */
double pp_cone_again_solve(pp_cone_linear *k, const double *C, const double *E, const double *b, double *dx,
                           double accuracy);

/* Number of such iterations that cost less than a factorisation, 0 if too few; and memory for `most`. Factors that were
 * made before this memory exists cannot be used again. */
int pp_cone_again_worth(const pp_cone_linear *k);
bool pp_cone_again_room(pp_cone_linear *k, int most, const perp_call *call);

#endif
