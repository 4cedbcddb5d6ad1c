/* cone_admm.h - splitting between the operator and the cones (ADMM) on a scaled cone problem; what admm and auto call. */
#ifndef PP_CONE_ADMM_H
#define PP_CONE_ADMM_H

#include "solver/cone_cg.h"
#include "solver/cone_figure.h"
#include "solver/cone_linear.h"

#define PP_ADMM_MEMORY 20 /* most pairs that the acceleration may keep */

typedef struct pp_cone_admm {
    const pp_cone *c;
    const pp_cone_figure *figure;
    pp_cone_linear *linear; /* factorised systems, or */
    pp_cone_cg *cg;         /* iterated ones, if linear is NULL */
    const perp_call *call;
    double tol;         /* unit-free residual at which to stop */
    double penalty;     /* p; in: first value, out: last */
    double relaxation;  /* 1 to < 2 */
    int memory;         /* pairs kept for the acceleration; 0: none */
    int rebalance;      /* iterations between changes of p; 0: never */
    int max_iterations; /* in all */
    int iterations;     /* done so far */
    int accelerated;    /* accelerated steps kept, and */
    int rejected;       /* those taken back */
    double measure;     /* of the best x */
    double *out;        /* m: for the watch, may be NULL */
    /* m each */
    double *x;      /* in: guess; the point of the linear system */
    double *best;   /* x with the lowest figure */
    double *v;      /* velocities */
    double *y, *t;  /* point of the cones; y - w/p, the one unknown of the fixed point */
    double *g;      /* change of t in one iteration */
    double *b, *plain, *last_y;
    double *last_t, *last_g;
    double *dt, *dg;         /* memory x m: differences of t and g, in a ring */
    double *C, *E;           /* nblock x 16: p I and I */
    double *body;            /* ndof: velocities of the bodies */
    double gram[PP_ADMM_MEMORY * PP_ADMM_MEMORY]; /* dg'dg */
    int pairs, next;         /* in the ring */
} pp_cone_admm;

/* Takes its memory from the call; c, figure, linear or cg, call, memory must be set. False if refused. */
bool pp_cone_admm_make(pp_cone_admm *k);

/* From k->x (impulses only: w is found from them). The answer is k->best with k->measure. */
perp_outcome pp_cone_admm_run(pp_cone_admm *k);

#endif
