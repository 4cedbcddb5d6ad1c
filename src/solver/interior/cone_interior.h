/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_interior.h - primal-dual interior points on a scaled cone problem, with De Saxce's term inside Newton. */
#ifndef PP_CONE_INTERIOR_H
#define PP_CONE_INTERIOR_H

#include "solver/cone/cone_cg.h"
#include "solver/cone/cone_figure.h"
#include "solver/cone/cone_linear.h"
#include "solver/common/lorentz.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Residual at which Newton takes over from interior points, unless the tolerance is coarser: near a fold Newton
 * does not converge from further away. Half and double: no effect. */
#define PP_CONE_FOLD_TOL 1e-8
/* [1] Regularisation on the diagonal of the systems of interior points only. */
#define PP_INTERIOR_SHIFT 1e-8

/* Both sides of a bounded row: distance to the bound and its multiplier; 0 if there is no bound. */
typedef struct pp_cone_bound {
    double gap[2], push[2];
} pp_cone_bound;

typedef struct pp_cone_interior {
    const pp_cone *c;
    pp_cone_linear *linear;
    pp_cone_cg *cg; /* iterative systems before factorised ones; NULL: factorised at once */
    const perp_call *call;
    double tol;            /* unit-free residual at which to stop */
    double shift;          /* delta: added to the diagonal of the matrix only */
    double least_sigma;    /* least centring */
    double feasible;       /* if tau is below this fraction of the residual, it hardly decreases: feasibility first */
    double soft;           /* |z_T| is smoothed at its kink by this fraction of tau: 0, or about 0.1 */
    double kink;           /* soft times the present tau */
    bool resumed;          /* continues from x and z, after a run that reached its tol */
    int max_folds;         /* number of folds that it may pass; 0: short steps are the end */
    int fold_steps;        /* number of steps to pass a fold */
    double fold_tol;       /* tol after the first fold: with folds Newton needs a better start */
    int folds, lag, brief; /* folds so far, steps left to pass the present one, successive short steps */
    double slip;           /* fraction of the derivative of |z_T| in the matrix: 1, or less past a fold */
    const double *from;    /* m: impulses of the start; NULL: start from the centre */
    double from_tau;       /* mean product of this start */
    const double *q;       /* m: velocities at x = 0; NULL: those of c */
    const bool *idle;      /* nblock: contacts whose impulses are fixed at 0; NULL: none */
    const double *given;   /* m: known impulses of idle contacts; q contains their effect; NULL: 0 */
    const pp_cone_figure *rest; /* not NULL: search impulses without velocity q + W~ x; this measures them */
    double rest_tol;            /* figure of these that is good enough */
    bool identify_moving;       /* if there are none, show which bodies move */
    bool late_steps;            /* make late steps too, where Newton might be enough */
    bool moving;                /* out: it ended because bodies move */
    double rest_measure;        /* figure of `rested`; INFINITY before */
    bool iterated;              /* conjugate gradients are still in use */
    int cg_steps;               /* number of their iterations before this step */
    int max_steps, steps;
    int iterations;
    double measure; /* of `best`; INFINITY before */
    double *out;    /* m: for the watch, may be NULL */
    /* m each; x, z: inside their cones, scaled by P = diag(mu, 1, ..): x' = P x, z = P^-1 (v + mu |v_T| n) */
    double *x, *z, *best, *rested, *v, *rp, *rhs, *dx, *dz, *ax, *az, *t;
    double *C, *E;                          /* nblock x square */
    pp_lorentz_nt *nt;                      /* nblock */
    pp_cone_bound *bound, *dbound, *abound; /* nrow: rows, their steps, those of the predictor */
} pp_cone_interior;

/* Allocates in the call's memory; c, linear, call must be set. Returns false if out of memory. */
bool pp_cone_interior_make(pp_cone_interior *k);

/* Runs from the centre, or as `from` and `resumed` say. The solution is k->best (scaled variables of c) with
 * k->measure. */
perp_outcome pp_cone_interior_run(pp_cone_interior *k);

/* Final impulses inside their cones (m, scaled variables of c). */
void pp_cone_interior_point(const pp_cone_interior *k, double *x);

#endif
