/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* path_model.h - the problem as the path search sees it: scaled so that rows and columns of J have size 1. */
#ifndef PP_PATH_MODEL_H
#define PP_PATH_MODEL_H

#include "solver/common/box.h"
#include "solver/pivot/path_pivot.h"

/* Variables z' = z/C, rows w' = R w, J' = R J C; R and C are powers of two, so scaling does not round. All vectors
 * below are scaled unless stated otherwise. */
typedef struct pp_path_model {
    pp_box box;
    int n;
    double *R, *C;
    double *lo, *hi;
    double *J;         /* box.nnz: at the point of the last pp_path_model_J */
    double *z, *w;     /* in the units of the problem, scratch */
    double *row, *col; /* scratch of the scaling */
    double unit;       /* largest |w_i(0)|/ws_i, the unit of rows; 1 if it is 0 */
    double stiffest;   /* largest |J_ij| in the units of the problem if no scales are given, otherwise 1 */
    bool given;        /* the problem has scales of its own */
} pp_path_model;

/* Memory from the call; false if refused. */
bool pp_path_model_make(pp_path_model *m, const perp_problem *p, const perp_call *call);
/* Scales by J at z, given in the units of the problem. False if J is not defined there. */
bool pp_path_model_scale(pp_path_model *m, const double *z);

/* Scales, and scales back; the latter stays within the bounds. */
void pp_path_model_in(const pp_path_model *m, const double *z, double *scaled);
void pp_path_model_out(const pp_path_model *m, const double *scaled, double *z);

bool pp_path_model_F(pp_path_model *m, const double *z, double *w);
bool pp_path_model_J(pp_path_model *m, const double *z);

/* f = F(pi(x)) + x - pi(x), z = pi(x), w = F(z). Returns the Euclidean norm of f, INFINITY if F is not defined. */
double pp_path_model_normal(pp_path_model *m, const double *x, double *z, double *w, double *f);
/* The x of least |f| with pi(x) = z. */
void pp_path_model_lift(const pp_path_model *m, const double *z, const double *w, double *x);
/* Euclidean norm of mid(z - hi, w, z - lo). */
double pp_path_model_natural(const pp_path_model *m, const double *z, const double *w);
/* The figure of the judge: perp_measures.natural. */
double pp_path_model_measure(const pp_path_model *m, const double *z, const double *w);

#endif
