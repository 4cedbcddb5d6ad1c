/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* path_pivot.h - pivoting along the path of a linear complementarity problem over a box, from any point. */
#ifndef PP_PATH_PIVOT_H
#define PP_PATH_PIVOT_H

#include "solver/pivot/path_factor.h"

/* Largest number of stored points of a path. */
#define PP_PATH_POINTS 32

typedef enum pp_path_end {
    PP_PATH_REACHED,  /* t = 1: x solves the linear problem */
    PP_PATH_RAY,      /* the path continues forever with t < 1 */
    PP_PATH_LOOP,     /* it returned to its start */
    PP_PATH_LIMIT,    /* too many pivots */
    PP_PATH_SINGULAR, /* the basis at the start, or a later one, is singular */
    PP_PATH_STOPPED   /* time limit reached */
} pp_path_end;

/* L(x) = A pi(x) + c + x - pi(x), the normal map of lo <= z <= hi complementary to A z + c; pi the projection on the
 * box, z = pi(x), w = z - x at a root of L. The path is L(x(t)) = (1 - t) L(x(0)). */
typedef struct pp_path_pivot {
    int n;
    pp_path_matrix A; /* may be changed between runs */
    const double *lo, *hi;
    const double *c;  /* n */
    double pivot_tol; /* smaller entries of a column, relative to its largest, count as zero */
    double tie_tol;   /* ratios within this, relative to the start, are ties */
    int max_pivots;   /* per run */
    const perp_call *call;
    double *x; /* n + 1: start in, end out; x[n] is t */
    pp_path_factor f;
    signed char *mode; /* n: where each x_i lies */
    double *r;         /* n: L at the start */
    double *d;         /* n: entering column */
    double *shift;     /* n: first order of the values under a symbolic perturbation, by slot */
    double *g, *b;     /* n each: that perturbation; a right-hand side */
    int enter;         /* the variable outside the basis */
    double way;        /* +1 or -1: its direction */
    int first;         /* the variable, its direction and the modes after the first exchange */
    double first_way;
    signed char *first_mode;
    double size; /* of the values at the start */
    bool keep;   /* store the points of the path */
    int npoint;
    double *point; /* n x PP_PATH_POINTS */
    double t_at[PP_PATH_POINTS];
    int count; /* pivots of all runs */
} pp_path_pivot;

/* Allocates in the call's memory; lo, hi borrowed. Returns false if out of memory. Call pp_path_pivot_end() in any
 * case. */
bool pp_path_pivot_make(pp_path_pivot *p, const pp_path_matrix *A, int nnz, const double *lo, const double *hi,
                        bool keep, const perp_call *call);
void pp_path_pivot_end(pp_path_pivot *p);

/* Computes L(x) in f. z: n, set to pi(x). */
void pp_path_pivot_map(const pp_path_pivot *p, const double *x, double *z, double *f);

/* Follows the path from p->x. */
pp_path_end pp_path_pivot_run(pp_path_pivot *p);

/* Sets p->x to the start of Lemke's ray: all variables with bounds are at one of them, L(x) = -s d there, s > 0 as
 * small as possible; free variables satisfy their equations. d: covering vector, n, positive. Returns false if the free
 * variables cannot. */
bool pp_path_pivot_ray(pp_path_pivot *p, const double *d);

/* The point at fraction `tau` of the pieces of the stored path; returns its t. */
double pp_path_pivot_point(const pp_path_pivot *p, double tau, double *x);

#endif
