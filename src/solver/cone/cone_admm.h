/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_admm.h - splitting between the operator and the cones (ADMM) on a scaled cone problem; what admm and auto call. */
#ifndef PP_CONE_ADMM_H
#define PP_CONE_ADMM_H

#include "solver/cone/cone_cg.h"
#include "solver/cone/cone_figure.h"
#include "solver/cone/cone_linear.h"

#define PP_ADMM_MEMORY 20 /* largest number of pairs of the acceleration */

typedef struct pp_cone_admm {
    const pp_cone *c;
    const pp_cone_figure *figure;
    pp_cone_linear *linear; /* factorised systems; or */
    pp_cone_cg *cg;         /* iterated ones, if linear is NULL */
    const perp_call *call;
    double tol;         /* unit-free figure at which to stop */
    double penalty;     /* p; in: first value, out: last */
    double relaxation;  /* 1 to < 2 */
    int memory;         /* pairs kept for the acceleration, at most PP_ADMM_MEMORY; 0: none */
    int rebalance;      /* iterations before the first change of p; later intervals are longer; 0: never */
    int max_iterations; /* total number; may be raised between runs */
    int iterations;     /* done so far */
    int prepared;       /* factorisations or preconditioners so far */
    int accelerated;    /* accelerated steps that were kept */
    int rejected;       /* and that were rejected */
    double measure;     /* figure of the best x */
    double *out;        /* m: for the watch, may be NULL */
    /* m each */
    double *x;     /* the point of the linear system */
    double *best;  /* x or y with the lowest figure */
    double *y, *t; /* the point in the cones, and y - w/p: the unknown of the fixed point */
    double *g;     /* change of t in one iteration */
    double *v, *b, *plain, *last_y, *last_t, *last_g;
    double *dt, *dg;                              /* memory x m: differences of t and g, in a ring */
    double *C, *E;                                /* nblock x square: p I and I */
    double *body;                                 /* ndof: velocities of the bodies */
    double gram[PP_ADMM_MEMORY * PP_ADMM_MEMORY]; /* dg'dg */
    int pairs, next;                              /* pairs in the ring, and the place of the next */
    double change, low,
        mark; /* |g| of the last iteration; its minimum since the last restart; its value when progress was last seen */
    int stalled;     /* iterations since then */
    int resting;     /* plain iterations still to do */
    int since, wait; /* iterations since p was checked, and until the next check */
    bool ready;      /* the system of this p is prepared */
    bool fresh;      /* no last point to compare with */
    bool tried;      /* t is an extrapolated point that is not accepted yet */
} pp_cone_admm;

/* Allocates in the call's memory; c, figure, linear or cg, call, memory must be set. Returns false if out of memory. */
bool pp_cone_admm_make(pp_cone_admm *k);

/* Starts from impulses x (scaled; may be k->x): w is their velocity. Call before the first run. */
void pp_cone_admm_start(pp_cone_admm *k, const double *x);

/* Continues until the figure of k->best is within tol or max_iterations are done. */
perp_outcome pp_cone_admm_run(pp_cone_admm *k);

#endif
