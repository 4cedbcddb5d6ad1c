/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* blocks.h - exact solution of small dense LCPs inside a larger one, for block Gauss-Seidel. */
#ifndef PP_BLOCKS_H
#define PP_BLOCKS_H

#include "solver/common/reduce.h"

/* The variables of an LCP in groups: single ones, or blocks that must be solved together. */
typedef struct pp_groups {
    int count;
    int *start;   /* count + 1 */
    int *member;  /* n: variables of group g at start[g] .. start[g + 1] - 1, ascending */
    double *D;    /* n: powers of two that make D M D about 1 on the diagonal, or, where there is none, in its row */
    int *scratch; /* n */
} pp_groups;

/* Room for a block and its latest answer. */
typedef struct pp_block {
    double *q, *x;          /* m: D q, less what the others do; answer, already times D */
    double *T, *b, *column; /* dictionary m x (m + 1), or factors; right side; entering column */
    int *basic, *nonbasic, *place, *S;
    const double *M, *D; /* those of the whole problem, n x n and n; v: variables of the block */
    ptrdiff_t n;
    const int *v;
} pp_block;

/* Groups every row without a positive diagonal with the variables that it couples to (the slip speed of a contact with
 * its impulses, the multiplier of a bound with its variable); overlapping groups are merged. All others stay single. */
void pp_groups_lay_out(pp_groups *g, int n, pp_workspace *c);
void pp_groups_find(pp_groups *g, const pp_plain *p);

void pp_block_lay_out(pp_block *k, int n, pp_workspace *c);
/* Solves the LCP of the m variables v with all others constant: w is M z + q of the whole problem at z. The last basis
 * in[v] is tried first, and replaced if it is not valid. Solution in k->x. Returns false, with k->x not usable, if
 * there is none or it was not found. */
bool pp_block_solve(pp_block *k, const pp_groups *g, const pp_plain *p, int m, const int *v, const double *z,
                    const double *w, bool *in);

#endif
