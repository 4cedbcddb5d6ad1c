/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ipm.h - the interior point method behind "interior-point", for one form that all its classes are brought to:
 *
 *     w = M z + q
 *     boxes: lo <= z_i <= hi complementary to w_i (free: w_i = 0)
 *     cones: z_i in L, w_i in L, z_i'w_i = 0
 *
 * Variables: nbox boxes first, then ncone Lorentz cones of dim rows each (normal first). M monotone, that is with a
 * positive semidefinite symmetric part, is what the theory asks for. Blocks: what is diagonal by boxes and cones is
 * kept as nbox numbers followed by ncone column-major dim x dim matrices. */
#ifndef PP_IPM_H
#define PP_IPM_H

#include "linalg/sparse_lu.h"
#include "solver/common/call.h"

/* A square matrix, dense or by compressed columns, to which entries are added; and factors of C + E M. */
typedef struct pp_ipm_matrix {
    int n;
    bool dense;
    double *A; /* dense: n x n */
    /* sparse: triplets while it is made, then columns */
    int room, count;
    int *row, *col;
    double *number;
    int *start, *index;
    double *value;
    /* factors */
    double *F; /* what was factorised: n x n, or the values by columns */
    int *piv;
    pp_sparse_lu *lu;
} pp_ipm_matrix;

/* Room for `entries` calls of pp_ipm_add, which decides between dense and sparse. Returns false if out of memory. */
bool pp_ipm_matrix_make(pp_ipm_matrix *m, int n, size_t entries, const perp_call *call);
void pp_ipm_matrix_free(pp_ipm_matrix *m); /* frees the memory of KLU */
/* M_ij += x. Adding zero makes room in the pattern. */
void pp_ipm_add(pp_ipm_matrix *m, int i, int j, double x);
/* Call once after the last pp_ipm_add. Returns false if out of memory. */
bool pp_ipm_matrix_ready(pp_ipm_matrix *m, const perp_call *call);

/* M as an operator instead of numbers, with its own linear solver; blocks as in pp_ipm. */
typedef struct pp_ipm_operator {
    void (*multiply)(void *ctx, const double *x, double *y);     /* y = M x */
    bool (*factor)(void *ctx, const double *C, const double *E); /* C + E M; E NULL: identity */
    bool (*solve)(void *ctx, double *x);                         /* x = (C + E M)^-1 x, refined */
} pp_ipm_operator;

typedef struct pp_ipm {
    const perp_call *call;
    int n, nbox, ncone, dim;
    double *lo, *hi; /* nbox */
    double *q;       /* n */
    pp_ipm_matrix M;
    const pp_ipm_operator *op; /* if not NULL instead of M, with `ctx`, and nothing is scaled */
    int factorisations;
    /* Scaling by pp_ipm_scale: the original variables are beta d_i z_i, the original rows beta w_i / d_i. */
    double *d, beta;
    /* Measures a point in the original variables and writes its solution, perp_problem_size() numbers. The figure is
     * the unit-free natural map. */
    double (*judge)(void *ctx, const double *z, double *answer);
    void *ctx;
    double tol;
    int max_iterations;
    double *best, least; /* best solution so far, and its figure */
    double *answer;      /* scratch of judge */
    int size;            /* size of a solution */
    perp_solve_info *info;
    /* of the core and the polish */
    double *outside;  /* n: a point in the original variables */
    double *w;        /* n */
    double *C, *E;    /* blocks */
    double *tmp, *tm; /* n each */
    double *r, *rhs;  /* n each */
    double *saved;    /* n: of the polish */
} pp_ipm;

/* Allocates everything except M, which is separate; the caller fills lo, hi, q. No scaling yet. */
bool pp_ipm_make(pp_ipm *s, int nbox, int ncone, int dim, int size, const perp_call *call);
/* Equilibrates M by a congruence, one number for each box and each cone, and q by beta; bounds too. */
void pp_ipm_scale(pp_ipm *s);
/* Solves the scaled problem from a cold start. Ends with the best solution in s->best. */
perp_outcome pp_ipm_iterate(pp_ipm *s);

static inline int pp_ipm_blocks(const pp_ipm *s) { return s->nbox + s->ncone * s->dim * s->dim; }
/* y = M x */
void pp_ipm_multiply(const pp_ipm *s, const double *x, double *y);
/* C + E M for block diagonal C and E (NULL: identity). False if singular. */
bool pp_ipm_factor(pp_ipm *s, const double *C, const double *E);
/* x = (C + E M)^-1 x, with steps of refinement. */
bool pp_ipm_solve(pp_ipm *s, const double *C, const double *E, double *x);

/* Measures z (scaled variables) and keeps it if it is the best. */
double pp_ipm_consider(pp_ipm *s, const double *z);
/* Newton on the natural map from z (scaled variables, overwritten); measures every point. Returns true if the best is
 * then within tol. Not thorough: one round only. */
bool pp_ipm_polish(pp_ipm *s, double *z, bool thorough);

/* The classes. z: a guess if any number is not zero. */
perp_outcome pp_ipm_box(const perp_problem *p, double tol, int max_iterations, double *z, const perp_call *call,
                        perp_solve_info *info);
perp_outcome pp_ipm_qp(const perp_problem *p, double tol, int max_iterations, double *z, const perp_call *call,
                       perp_solve_info *info);
perp_outcome pp_ipm_cone(const perp_problem *p, double tol, int max_iterations, double *z, const perp_call *call,
                         perp_solve_info *info);
/* Common part after the problem is made: scale, try the guess (original variables; NULL: none), iterate, free, write
 * the best solution to z. */
perp_outcome pp_ipm_run(pp_ipm *s, const double *guess, double *z);

#endif
