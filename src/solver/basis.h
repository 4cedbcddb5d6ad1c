/* basis.h - solving an LCP from a guess of which variables are positive. */
#ifndef PP_BASIS_H
#define PP_BASIS_H

#include "solver/reduce.h"

typedef struct pp_basis {
    const pp_plain *lcp;
    double size;       /* largest |q_i|/ws_i: what residuals are compared with */
    double *A;         /* n x n room for the factors */
    double *w, *x, *y; /* n each */
    double *best;      /* n: answer with the lowest residual so far */
    double residual;   /* of it; INFINITY before the first */
    int *S, *piv;      /* n each: indices of the basis, row exchanges */
    int steps;         /* factorisations so far */
} pp_basis;

/* Scaled residual max |min(z_i/zs_i, w_i/ws_i)| with w = M z + q written to b->w. */
double pp_basis_measure(pp_basis *b, const double *z);

/* Starting from the set in[i] (changed), solves M_SS z_S = -q_S, drops variables that came out negative, adds rows that did, and
 * so on, at most `limit` times; keeps the best answer in b->best. True if its residual is <= tol * size.
 * `share` > 0 is added to the positive diagonal (in natural scales) of the factorised block only: the equations are still met exactly, by refinement, and
 * of many solutions of a singular block the one of least norm comes out. */
bool pp_basis_solve(pp_basis *b, bool *in, int limit, double tol, double share);

#endif
