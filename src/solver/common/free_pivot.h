/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* free_pivot.h - free variables made basic by pivoting, where their own rows do not determine them. */
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
    double *grown;     /* N: sum of the sizes of what went into each b */
    double *D;         /* N: T and b are in units with D G D of size about 1; z = D (its value here), w = value/D */
    double *column;    /* N */
    int *basic;        /* N: variable of each row: z_i is i, w_i is N + i, none is -1 */
    int *nonbasic;     /* N: variable of each column */
    int *from, *queue; /* N each */
    int left_out;      /* free rows that nothing is left of */
} pp_free_pivot;

void pp_free_pivot_lay_out(pp_free_pivot *f, int n, int nfree, struct pp_workspace *c);

/* T and b hold G and g on entry; both are overwritten. */
void pp_free_pivot_run(pp_free_pivot *f);

/* Unit of a variable: what its value here is multiplied by to get that of G and g. */
double pp_free_pivot_unit(const pp_free_pivot *f, int variable);

/* The LCP that is left, of size n, in the units of G and g: 0 <= v _|_ M v + q >= 0. v_i is w_i where the pair was
 * exchanged, else z_i. */
void pp_free_pivot_lcp(const pp_free_pivot *f, double *M, double *q);
static inline bool pp_free_pivot_exchanged(const pp_free_pivot *f, int i) { return f->nonbasic[i] != i; }

/* z of all N from an answer v of that LCP. */
void pp_free_pivot_answer(const pp_free_pivot *f, const double *v, double *z);
/* Corrects z: w is what G z + g really is. Two N: tmp. */
void pp_free_pivot_refine(const pp_free_pivot *f, const double *v, const double *w, double *z, double *tmp);

#endif
