/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* lorentz.h - the second-order (Lorentz) cone L = {x : x_0 >= |x_T|} in 1 to 6 dimensions and its Jordan algebra.
 * x_0 is the first component of x, and x_T is the rest; e = (1, 0, ..). In one dimension L is the half line x >= 0. An
 * output may be the same array as an input unless a function says otherwise. */
#ifndef PP_LORENTZ_H
#define PP_LORENTZ_H

#include <stdbool.h>

#include "perp/problem.h"

#define PP_LORENTZ_MAX PERP_CONE_ROWS /* dimensions */

/* The smaller eigenvalue x_0 - |x_T|: positive inside L, 0 on its boundary. */
double pp_lorentz_least(int dim, const double *x);

/* x o y = (x'y, x_0 y_T + y_0 x_T) */
void pp_lorentz_product(int dim, const double *x, const double *y, double *out);

/* Solves x o y = b for y. x must be inside L. */
void pp_lorentz_divide(int dim, const double *x, const double *b, double *y);

/* Largest step a >= 0 with x + a dx in L, or INFINITY if all steps stay in L. x must be inside L. */
double pp_lorentz_step(int dim, const double *x, const double *dx);

/* Nesterov-Todd scaling of two points inside L: the symmetric positive definite Q with Q x = Q^-1 z = lambda.
 * Q = eta [w_0, w_T'; w_T, I + w_T w_T'/(1 + w_0)] with w on the unit hyperboloid w_0^2 - |w_T|^2 = 1. */
typedef struct pp_lorentz_nt {
    double eta;
    double w[PP_LORENTZ_MAX];
    double lambda[PP_LORENTZ_MAX];
} pp_lorentz_nt;
/* Returns false if x or z is not finite or not inside L. */
bool pp_lorentz_nt_make(int dim, const double *x, const double *z, pp_lorentz_nt *nt);
/* out = Q x */
void pp_lorentz_nt_apply(int dim, const pp_lorentz_nt *nt, const double *x, double *out);
/* out = Q^-1 x */
void pp_lorentz_nt_undo(int dim, const pp_lorentz_nt *nt, const double *x, double *out);
/* T = Q^2 = eta^2 (2 w w' - diag(1, -1, ..)), column-major with leading dimension ld: the matrix with T x = z. */
void pp_lorentz_nt_square(int dim, const pp_lorentz_nt *nt, double *T, int ld);

/* Euclidean projection of y on L. */
void pp_lorentz_project(int dim, const double *y, double *out);
/* An element of the projection's generalised derivative at y, column-major with leading dimension ld; symmetric, 0 <= D <= I. */
void pp_lorentz_project_derivative(int dim, const double *y, double *D, int ld);

#endif
