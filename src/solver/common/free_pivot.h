/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* free_pivot.h - makes free variables basic by pivoting, if their own rows do not determine them. */
#ifndef PP_FREE_PIVOT_H
#define PP_FREE_PIVOT_H

#include "base/memory.h"

struct pp_workspace;

/* Dictionary  basic = b + T nonbasic  of  w = G z + g. Position i < n: row and column of the pair (z_i, w_i); from n
 * on: rows and columns that belong to free variables z and to their w, which are 0. */
typedef struct pp_free_pivot {
    int n, nfree, N;   /* pairs, free variables, both */
    double *T;         /* N x N */
    double *b;         /* N */
    double *grown;     /* N: sum of the absolute values of the terms of each b */
    double *D;         /* N: T and b are in units with D G D of size about 1; z = D (its value here), w = value/D */
    double *column;    /* N */
    int *basic;        /* N: variable of each row: z_i is i, w_i is N + i, none is -1 */
    int *nonbasic;     /* N: variable of each column */
    int *from, *queue; /* N each */
    int left_out;      /* number of free rows that became empty */
} pp_free_pivot;

void pp_free_pivot_lay_out(pp_free_pivot *f, int n, int nfree, struct pp_workspace *c);

/* T and b hold G and g on entry; both are overwritten. */
void pp_free_pivot_run(pp_free_pivot *f);

/* Unit of a variable: factor from its value here to that of G and g. */
double pp_free_pivot_unit(const pp_free_pivot *f, int variable);

/* The remaining LCP, of size n, in the units of G and g: 0 <= v _|_ M v + q >= 0. v_i is w_i if the pair was exchanged,
 * otherwise z_i. */
void pp_free_pivot_lcp(const pp_free_pivot *f, double *M, double *q);
static inline bool pp_free_pivot_exchanged(const pp_free_pivot *f, int i) { return f->nonbasic[i] != i; }

/* z of all N from a solution v of that LCP. */
void pp_free_pivot_answer(const pp_free_pivot *f, const double *v, double *z);
/* Corrects z: w is the true value of G z + g. tmp: 2 N. */
void pp_free_pivot_refine(const pp_free_pivot *f, const double *v, const double *w, double *z, double *tmp);

#endif
