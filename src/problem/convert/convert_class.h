/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* convert_class.h - what the conversions between problem classes share.
 * Every one but the condensing of cones ends in a linear problem over bounds, the `pp_affine` below; how it is then laid
 * out (dense, sparse, by callback) is one and the same step for all. */
#ifndef PP_CONVERT_CLASS_H
#define PP_CONVERT_CLASS_H

#include "problem/columns.h"
#include "problem/stored.h"

/* lo <= z <= hi complementary to w = M z + q. */
typedef struct pp_affine {
    int n;
    const double *dense;   /* n x n, column-major; NULL: */
    perp_sparse sparse;    /*   n x n */
    const double *q;       /* n */
    const double *lo, *hi; /* n; NULL: 0 and INFINITY */
    const double *zs, *ws; /* n; NULL: 1 */
} pp_affine;

/* The linear problem that p is, borrowed: of the classes LCP, MLCP, SPARSE_MLCP, and an NCP that a conversion made. */
pp_affine pp_affine_of(const perp_problem *p);

/* y += column j of M times x. */
void pp_affine_axpy(const pp_affine *a, int j, double x, double *y);

/* Conversions: the linear problem into the scratch arena; s->back, forth and way set, `way` in the arena of s. */
perp_status pp_qp_affine(const perp_qp *p, perp_stored *s, pp_arena *scratch, pp_affine *out);
perp_status pp_cone_affine(const perp_problem *p, int facets, perp_stored *s, pp_arena *scratch, pp_affine *out);

/* W = H'M^-1 H + compliance and q = H'M^-1 f + b, into `keep`. PERP_E_ARG if M is singular, PERP_E_MEMORY. */
perp_status pp_condense(const perp_cone *p, pp_arena *keep, pp_arena *scratch, perp_sparse *W, const double **q);

/* How friction at a contact looks: the axes along which it acts, as rows of the contact (1 ..), `count` of them. None if
 * mu = 0. One: the cone is a wedge, which two directions fill exactly. */
typedef struct pp_friction {
    int count;
    int row[PERP_CONE_ROWS - 1];
    double axis[PERP_CONE_ROWS - 1];
} pp_friction;
pp_friction pp_friction_of(const perp_cone *p, int contact);

#endif
