/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_figure.h - the judge's unit-free natural map (perp_measures.natural) of points in the scaled variables of
 * cone.h, so that a solver stops where the judge would. Differs from pp_cone_measure() where contacts differ in mass:
 * the judge compares impulses, so a heavy contact counts for more. */
#ifndef PP_CONE_FIGURE_H
#define PP_CONE_FIGURE_H

#include "solver/cone/cone.h"

typedef struct pp_cone_figure {
    const pp_cone *c;
    double *weight;   /* nblock: factor of an error of the block */
    double unit;      /* largest weight times |q~_i| */
    double siconos;   /* weight of Siconos' measure in pp_cone_strictest() */
    bool within_step; /* steps compare speeds; Siconos' measure adds impulses and velocities and depends on the units */
    /* If the call has a judge of this problem: */
    double *law;         /* nblock: an error times this is the figure of the judge; NULL: there is none */
    double aim;          /* target figure: laws that miss it only by rounding count as meeting it */
    double *terms, *sum; /* m, ndof (twice): scratch for this check */
} pp_cone_figure;

/* In the call's memory; borrows c. False if refused. */
bool pp_cone_figure_make(pp_cone_figure *f, const pp_cone *c, const perp_call *call);

/* v = W~ x + q~. */
double pp_cone_figure_of(const pp_cone_figure *f, const double *x, const double *v);

/* The weight for a tolerance: from 5e-9 on, Siconos' measure must also meet it. */
static inline double pp_cone_siconos_weight(double tol) { return tol >= 5e-9 ? 1 : 0.2; }

/* Siconos' measure of the same point, in the units of the problem. */
double pp_cone_siconos(const pp_cone *c, const double *x, const double *v);

/* Sets the target. */
static inline void pp_cone_figure_aim(pp_cone_figure *f, double tol) {
    f->aim = tol;
    f->siconos = f->within_step ? 0 : pp_cone_siconos_weight(tol);
}

/* The largest of: the judge's figures (that of the verdict if the call has a judge), pp_cone_measure(), and Siconos'
 * measure with its weight. The latter depends on the units of the problem and is allowed a little more. */
double pp_cone_strictest(const pp_cone_figure *f, const double *x, const double *v);

#endif
