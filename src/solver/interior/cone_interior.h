/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_interior.h - primal-dual interior points on a scaled cone problem, De Saxce's term inside Newton. */
#ifndef PP_CONE_INTERIOR_H
#define PP_CONE_INTERIOR_H

#include "solver/cone/cone_cg.h"
#include "solver/cone/cone_figure.h"
#include "solver/cone/cone_linear.h"
#include "solver/common/lorentz.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Residual at which Newton takes over from interior points, unless the tolerance is coarser: near a fold Newton
 * gets lost from further away. Half and double: no effect. */
#define PP_CONE_FOLD_TOL 1e-8
/* [1] Regularisation that is added to the diagonal of the systems of interior points only. */
#define PP_INTERIOR_SHIFT 1e-8

/* Both sides of a bounded row: distance to the bound and its multiplier; 0 where there is no bound. */
typedef struct pp_cone_bound {
    double gap[2], push[2];
} pp_cone_bound;

typedef struct pp_cone_interior {
    const pp_cone *c;
    pp_cone_linear *linear;
    pp_cone_cg *cg; /* iterated systems before factorised ones; NULL: factorised at once */
    const perp_call *call;
    double tol;                 /* unit-free residual at which to stop */
    double shift;               /* delta: added to the diagonal of the matrix only */
    double least_sigma;         /* least centring */
    double feasible;            /* while tau is below this of the residual, it hardly falls: feasibility first */
    double soft;                /* |z_T| is rounded off at its kink by this much of tau: 0, or about 0.1 */
    double kink;                /* soft times the present tau */
    bool resumed;               /* goes on from x and z, after a run that reached its tol */
    int max_folds;              /* times that it may go past a fold; 0: short steps are the end */
    int fold_steps;             /* steps that this takes */
    double fold_tol;            /* tol from the first one on: where there are folds, Newton needs a better start */
    int folds, lag, brief;      /* those so far, steps left to pass the present one, short steps in a row */
    double slip;                /* part of the derivative of |z_T| in the matrix: 1, or less past a fold */
    const double *from;         /* m: impulses to start from; NULL: from the centre */
    double from_tau;            /* with this mean product */
    const double *q;            /* m: velocities at x = 0 instead of those of c; NULL: those */
    const bool *idle;           /* nblock: contacts whose impulses are held at 0; NULL: none */
    const double *given;        /* m: impulses of idle contacts, if they are known; q has what they do; NULL: 0 */
    const pp_cone_figure *rest; /* not NULL: impulses that leave no velocity q + W~ x are looked for, judged by this */
    double rest_tol;            /* figure of those that is good enough */
    bool rest_sharply;          /* if not, it should show which bodies move */
    bool rest_fully;            /* late steps are made, too, where Newton might do */
    bool moving;                /* out: it ended because bodies move */
    double rest_measure;        /* figure of `rested`; INFINITY before */
    bool iterated;              /* conjugate gradients are still in use, */
    int cg_steps;               /* and so many had been made before this step */
    int max_steps, steps;
    int iterations;
    double measure; /* of `best`; INFINITY before */
    double *out;    /* m: for the watch, may be NULL */
    /* m each; x, z: inside their cones, scaled by P = diag(mu, 1, ..): x' = P x, z = P^-1 (v + mu |v_T| n) */
    double *x, *z, *best, *rested, *v, *rp, *rhs, *dx, *dz, *ax, *az, *t;
    double *C, *E;                          /* nblock x 16 */
    pp_lorentz_nt *nt;                      /* nblock */
    pp_cone_bound *bound, *dbound, *abound; /* nrow: rows, their steps, those of the predictor */
} pp_cone_interior;

/* Takes its memory from the call; c, linear, call must be set. False if refused. */
bool pp_cone_interior_make(pp_cone_interior *k);

/* From the centre, or as `from` and `resumed` say. The answer is k->best (scaled variables of c) with k->measure. */
perp_outcome pp_cone_interior_run(pp_cone_interior *k);

/* Impulses inside their cones where it ended (m, scaled variables of c). */
void pp_cone_interior_point(const pp_cone_interior *k, double *x);

#endif
