/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* reduce.h - mixed LCP -> LCP with the same solutions, and back. */
#ifndef PP_REDUCE_H
#define PP_REDUCE_H

#include "linalg/linalg.h"
#include "perp/problem.h"
#include "solver/common/free_pivot.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [1] A residual of the rows of free variables, see pp_reduce_missed(), above this is not rounding. */
#define PP_MISSED 1e-8
/* [1] Rounding of a sum, as a fraction of the sizes of its terms, if these come from a solve with pivots of one size. */
#define PP_SUM_ROUNDING 1e-15

/* An LCP with scales, as the pivoting code wants it. */
typedef struct pp_plain {
    int n;
    const double *M, *q;   /* n x n, n */
    const double *zs, *ws; /* n each, never NULL */
} pp_plain;

typedef struct pp_reduction {
    const perp_problem *p;
    pp_plain lcp; /* what to solve */
    int nfree;
    int *free_index; /* nfree: variables without bounds, eliminated */
    int *first;      /* p->n: first variable of the LCP, -1 if free or fixed */
    double *p0;      /* p->n: value at which the variable of the LCP is zero */
    bool psd;        /* free block symmetric positive semidefinite: */
    pp_psd sym;      /*   factorised so */
    double *LU;      /* else: complete pivoting, nfree square, rank found */
    int rank, *rperm, *cperm;
    double least;         /*   smallest pivot over the largest */
    double *tmp;          /* 4 * p->n */
    bool pivoted;         /* free rows alone do not determine the free variables; they are eliminated by */
    pp_free_pivot pivots; /*   pivots that involve pairs, some of which are exchanged in `lcp` */
    double *ext;          /* 4 * (lcp.n + nfree) */
} pp_reduction;

/* Size in bytes; depends on the bounds. */
size_t pp_reduce_work(const perp_problem *p);
/* `r` borrows p and is stored in work. An LCP is passed on unchanged (with scales filled in). */
void pp_reduce(pp_reduction *r, const perp_problem *p, void *work);
/* Guess for the LCP from a guess for the problem, and the answer back. x: r->lcp.n, z: size of the problem. */
void pp_reduce_guess(const pp_reduction *r, const double *z, double *x);
void pp_reduce_answer(const pp_reduction *r, const double *x, double *z);

/* Corrects a solution by the equations of the problem itself, those of the free variables and of the variables between
 * their bounds, if the elimination has lost digits. Keeps the better one by perp_problem_residual(). Call last, because
 * it overwrites parts of `r`. */
void pp_reduce_polish(pp_reduction *r, double *z);

/* Largest |w_i| over the rows of the free variables at z, in natural scales, divided by the largest sum of |q_i| and
 * all |M_ij z_j| of such a row. It is rounding, unless contradicting rows had to be left out. A solver that saw only
 * the LCP checks this before it reports "solved". */
double pp_reduce_missed(const pp_reduction *r, const double *z);

/* Hands out consecutive pieces of a workspace, 16-byte aligned; with base NULL it only counts. */
typedef struct pp_workspace {
    char *base;
    size_t used;
} pp_workspace;
void *pp_workspace_take(pp_workspace *c, size_t count, size_t size);
#define PP_CARVE(c, type, count) ((type *)pp_workspace_take((c), (size_t)(count), sizeof(type)))

#endif
