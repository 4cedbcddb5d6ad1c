/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* basis.h - solves an LCP from a guess of its positive variables. */
#ifndef PP_BASIS_H
#define PP_BASIS_H

#include "solver/common/call.h"
#include "solver/common/reduce.h"

typedef struct pp_basis {
    const pp_plain *lcp;
    pp_work *counts;        /* counts multiplications; NULL: they are not counted */
    double size;            /* largest |q_i|/ws_i: the unit of residuals */
    double *A;              /* n x n room for the factors */
    double *w, *x, *y, *c;  /* n each */
    double *best;           /* n: answer with the lowest residual so far */
    double residual;        /* of it; INFINITY before the first */
    double *shared;         /* n: point at which proximal points first became slow */
    double shared_residual; /* of it; INFINITY before */
    int *S, *piv;           /* n each: indices of the basis, row exchanges */
    int m;                  /* size of the block last factorised */
    double norm;            /* 1-norm of it */
    double *work;           /* 2 n */
    int steps;              /* factorisations so far */
    bool near;              /* proximal points begin near a solution: points between two of them may be accepted too */
} pp_basis;

/* Scaled residual max |min(z_i/zs_i, w_i/ws_i)| with w = M z + q written to b->w. */
double pp_basis_measure(pp_basis *b, const double *z);

/* Starting from the set in[i] (changed), solves M_SS z_S = -q_S, drops negative variables, adds negative rows, and
 * repeats at most `limit` times. Keeps the best solution in b->best. Returns true if its residual is <= tol * size. */
bool pp_basis_solve(pp_basis *b, bool *in, int limit, double tol);

/* Reciprocal condition number of the block last solved by pp_basis_solve. */
double pp_basis_rcond(pp_basis *b);

/* Corrects b->best by the equations of its positive variables, in[] (changed). If these do not determine it (singular
 * block): only if `open`, to a nearby point. Never makes it worse. */
void pp_basis_polish(pp_basis *b, bool *in, bool open);

/* [1] Slow proximal points end at this multiple of tol. Four feet of a box are never coplanar to the last digit: a
 * stricter limit would unload one of them because of rounding. */
#define PP_BASIS_SLACK 100

/* Proximal points z_{k+1} = solution of LCP(M + share D, q - share D z_k), D about 1 in natural scales, each from the
 * basis of the last by exchanges as above. From z = 0 they converge to a solution of the LCP itself, namely the one
 * that contacts of equal, vanishing compliance would have: every redundant contact carries its share, independent of
 * the numbering. z: start in, last point out; not b->x. *share decreases if the points are too slow. At most `limit`
 * exchanges for each. Returns true if the best residual is <= PP_BASIS_SLACK tol size; false also if the exchanges do
 * not converge: then z is the last point reached, and in[] is not usable. */
bool pp_basis_prox(pp_basis *b, bool *in, double *z, int limit, double tol, double *share);

/* D_i: rows without a diagonal (slip speeds) get far less, just enough to keep every block regular. */
static inline double pp_basis_weight(const pp_plain *p, int i) { return p->M[i + (ptrdiff_t)p->n * i] != 0 ? 1 : 1e-3; }

/* Term of a proximal point at `centre` in row i: share D_i centre_i. */
static inline double pp_basis_pull(const pp_plain *p, int i, double share, double centre) {
    return share * pp_basis_weight(p, i) * p->ws[i] / p->zs[i] * centre;
}

#endif
