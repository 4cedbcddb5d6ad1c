/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_judge.h - a cone problem prepared for judging many answers: M factorised once, velocities without impulses,
 * the diagonal of W. It shares nothing with the solvers.
 *
 * Everything is measured in the metric of the axes e: x_T = r_T/e and v_T = e u_T, in which the cone is circular and
 * r . u = x . v. A row of axis 0 is left out of the cone; its impulse must be 0 and counts as r sqrt(W_tt/W_NN). A
 * bounded row may be a torque beside forces, so in the unit-free figures it counts as g r with g = sqrt(W_kk/W), W the
 * mean over the contacts of their mean diagonals (without contacts: over the rows; it then cancels). */
#ifndef PP_CONE_JUDGE_H
#define PP_CONE_JUDGE_H

#include "base/memory.h"
#include "linalg/sparse_lu.h"
#include "perp/problem.h"
#include "problem/laws.h"

/* M = L U: either the dense blocks of a matrix that falls apart into small ones, or sparse. */
typedef struct pp_mass {
    int n;
    int nblock;       /* small blocks; 0: sparse */
    int *first;       /* nblock + 1: first place of each block */
    int *place;       /* n: place of a dof; dofs of a block are neighbours */
    int *block;       /* n: block of a place */
    int *pivot;       /* n */
    size_t *at;       /* nblock: where its factors begin */
    double *factor;   /* dense LU of the blocks, column-major */
    pp_sparse_lu *lu; /* sparse */
    double *y;        /* n: scratch, all zero between calls */
    int *part;        /* n: connected part of M's pattern that a dof belongs to */
    int nparts;
} pp_mass;

typedef struct pp_cone_judge {
    perp_allocator alloc;
    pp_arena arena;
    perp_cone p;     /* arrays borrowed */
    bool associated; /* PERP_CONE_QP: without De Saxce's term */
    int m, n;        /* rows, dofs (0 in local form) */
    pp_mass mass;    /* global form only */
    double *q;       /* m: velocities without impulses */
    double *diag;    /* m: diagonal of W */
    double *rho;     /* nrow + ncontact: 1/mean diagonal of the block of E W E */
    double *weight;  /* nrow: g */
    double *to_x;    /* m: x = to_x r */
    double *to_v;    /* m: v = to_v u */
    double *u, *v;   /* m, n: scratch */
} pp_cone_judge;

/* Borrows the arrays of p, a PERP_CONE or PERP_CONE_QP that perp_problem_check() accepts. PERP_E_ARG if M is singular,
 * PERP_E_MEMORY; *out = NULL then. */
perp_status pp_cone_judge_new(const perp_problem *p, const perp_allocator *alloc, pp_cone_judge **out);
void pp_cone_judge_free(pp_cone_judge *j); /* NULL is fine */

/* u = W r + q, and in global form the velocities v of the dofs (may be NULL). Never allocates, as the two below. */
void pp_cone_judge_velocity(pp_cone_judge *j, const double *r, double *u, double *v);

/* |M^-1| x for x >= 0, entry by entry, in place; of an M that is not made of small blocks |M^-1 x|. */
void pp_cone_judge_spread_noise(pp_cone_judge *j, double *x);

/* judge_cone.c. Velocities without impulses, inverse masses and neighbours of the laws: rows, then contacts. */
bool pp_cone_judge_graph(const pp_cone_judge *j, pp_law_graph *g, pp_arena *arena);

/* Violation (measure_cone.c) and noise (judge_cone.c) of each law, nrow + ncontact of them. scratch: 2 m + n. */
void pp_cone_judge_violations(pp_cone_judge *j, const double *r, double *violation);
void pp_cone_judge_noise_of_rows(pp_cone_judge *j, const double *r, double *scratch); /* the first m of scratch */
void pp_cone_judge_noise(pp_cone_judge *j, const double *r, double *scratch, double *noise);

/* measure_cone.c. Figures of r; and the largest |r - P(r - rho u^)|/rho alone. */
void pp_cone_judge_measure(pp_cone_judge *j, const double *r, perp_measures *out);
double pp_cone_judge_residual(pp_cone_judge *j, const double *r);
/* new, residual, free; INFINITY if memory is refused or M is singular. */
double pp_cone_residual(const perp_problem *p, const double *r);

#endif
