/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* basis.h - solving an LCP from a guess of which variables are positive. */
#ifndef PP_BASIS_H
#define PP_BASIS_H

#include "solver/common/call.h"
#include "solver/common/reduce.h"

typedef struct pp_basis {
    const pp_plain *lcp;
    pp_work *counts;        /* counts multiplications; NULL: they are not counted */
    double size;            /* largest |q_i|/ws_i: what residuals are compared with */
    double *A;              /* n x n room for the factors */
    double *w, *x, *y, *c;  /* n each */
    double *best;           /* n: answer with the lowest residual so far */
    double residual;        /* of it; INFINITY before the first */
    double *shared;         /* n: where proximal points first got on slowly */
    double shared_residual; /* of it; INFINITY before */
    int *S, *piv;           /* n each: indices of the basis, row exchanges */
    int m;                  /* size of the block last factorised */
    double norm;            /* 1-norm of it */
    double *work;           /* 2 n */
    int steps;              /* factorisations so far */
    bool near; /* proximal points begin next to an answer: what lies between two of them may be taken too */
} pp_basis;

/* Scaled residual max |min(z_i/zs_i, w_i/ws_i)| with w = M z + q written to b->w. */
double pp_basis_measure(pp_basis *b, const double *z);

/* Starting from the set in[i] (changed), solves M_SS z_S = -q_S, drops variables that came out negative, adds rows that
 * did, and so on, at most `limit` times; keeps the best answer in b->best. True if its residual is <= tol * size. */
bool pp_basis_solve(pp_basis *b, bool *in, int limit, double tol);

/* Reciprocal condition number of the block last solved by pp_basis_solve. */
double pp_basis_rcond(pp_basis *b);

/* Corrects b->best by the equations of its positive variables, in[] of them (changed). Where these leave it open (block
 * singular): only if `open`, to a point nearby. Never makes it worse. */
void pp_basis_polish(pp_basis *b, bool *in, bool open);

/* Proximal points end at this multiple of tol when they get on slowly. Four feet of a box are never coplanar to the
 * last digit: demanding more would take the load off one of them for the sake of rounding. */
#define PP_BASIS_SLACK 100

/* Proximal points z_{k+1} = solution of LCP(M + share D, q - share D z_k), D about 1 in natural scales,
 * each from the basis of the last by exchanges as above. From z = 0 they end at a solution of the LCP itself, of many
 * the one that contacts of equal, vanishing compliance would choose: every redundant contact bears its share, whatever
 * the numbering. z: starting point in, last point out; not b->x. *share falls where the points get on too slowly. At
 * most `limit` exchanges for each. True if the best residual is <= PP_BASIS_SLACK tol size; false also when the exchanges
 * do not settle: then z is the last point reached, and in[] of no use. */
bool pp_basis_prox(pp_basis *b, bool *in, double *z, int limit, double tol, double *share);

/* D_i: rows without a diagonal of their own (slip speeds) get far less, just enough to keep every block regular. */
static inline double pp_basis_weight(const pp_plain *p, int i) { return p->M[i + (ptrdiff_t)p->n * i] != 0 ? 1 : 1e-3; }

/* Term that a proximal point at `centre` takes off row i: share D_i centre_i. */
static inline double pp_basis_pull(const pp_plain *p, int i, double share, double centre) {
    return share * pp_basis_weight(p, i) * p->ws[i] / p->zs[i] * centre;
}

#endif
