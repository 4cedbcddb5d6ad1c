/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* box.h - one view of LCP, mixed LCP (dense or sparse) and NCP: lo <= z <= hi complementary to w = F(z). Used by
 * Newton-like solvers. Variables and rows keep their order; nothing is eliminated or scaled here. */
#ifndef PP_BOX_H
#define PP_BOX_H

#include "solver/common/call.h"

typedef struct pp_box {
    int n;
    const double *lo, *hi; /* n each, never NULL */
    const double *zs, *ws; /* n each, never NULL: natural scales, 1 where the problem gives none */
    bool linear;           /* F(z) = M z + q, so that J is constant */
    bool dense;            /* J is n x n, column-major; otherwise compressed columns start, index */
    const int *start, *index;
    int nnz;          /* entries of J: n*n if dense */
    const double *q;  /* F(0) if linear, else NULL */
    const double *J0; /* values of J if linear, else NULL */
    const perp_problem *p;
    double *scratch; /* 3 n, for differences */
} pp_box;

/* The supported classes. */
#define PP_BOX_CLASSES (PERP_LCP | PERP_MLCP | PERP_SPARSE_MLCP | PERP_NCP)

/* All in the call's memory; borrows p. False if memory is refused. */
bool pp_box_make(pp_box *b, const perp_problem *p, const perp_call *call);

/* w = F(z). False if not defined or not finite. */
bool pp_box_F(const pp_box *b, const double *z, double *w);

/* value[nnz] = J(z). False if not defined or not finite. */
bool pp_box_J(const pp_box *b, const double *z, double *value);

/* y = J x, or y = J'x. */
void pp_box_mul(const pp_box *b, const double *value, const double *x, double *y);
void pp_box_mul_transposed(const pp_box *b, const double *value, const double *x, double *y);

/* mid(lo, hi, z) */
void pp_box_clip(const pp_box *b, double *z);

/* Largest |mid(z/zs - hi/zs, w/ws, z/zs - lo/zs)|: the natural map in natural scales. */
double pp_box_natural(const pp_box *b, const double *z, const double *w);

/* The judge's units of variables and rows (perp_measures), n each. For a copy of b with zs = zu and ws = wu,
 * pp_box_natural() is the judge's `natural`. size: largest |w_i(0)|/ws_i, or 1 if that is 0; J: values at the point
 * that is measured. */
void pp_box_units(const pp_box *b, double size, const double *J, double *zu, double *wu);

#endif
