/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* relax.h - relaxation methods: the loops that drive sweeps, and the sweeps of cone problems and of dense LCPs. Shared by
 * pgs, psor, jacobi, nncg, fixed-point and gauss-seidel. */
#ifndef PP_RELAX_H
#define PP_RELAX_H

#include "solver/cone/cone.h"

typedef struct pp_relax {
    int max_sweeps;
    double tol;        /* unit-free residual at which to stop */
    double relaxation; /* of a sweep */
    bool together;     /* Jacobi: all blocks from the old values, damped; otherwise Gauss-Seidel, in order */
    bool exact;        /* every block is solved exactly with the others constant; otherwise by one projected step */
    bool symmetric;    /* Gauss-Seidel: forwards and backwards, as one sweep */
    int window;        /* number of sweeps in which the residual must improve; 0: as suits Gauss-Seidel */
    bool extrapolate;  /* extrapolate if sweeps converge slowly along a line */
} pp_relax;

/* Sweeps over the blocks of a PERP_CONE or PERP_CONE_QP problem. z: guess in, best answer out. */
perp_outcome pp_cone_relax(const perp_problem *p, const pp_relax *o, double *z, const perp_call *call,
                           perp_solve_info *info);
/* Nonlinear conjugate gradients on such sweeps. */
perp_outcome pp_cone_nncg(const perp_problem *p, const pp_relax *o, double *z, const perp_call *call,
                          perp_solve_info *info);
/* Proximal fixed point x <- P(x - r_i v^) with one r_i per block, adapted. */
perp_outcome pp_cone_fixed_point(const perp_problem *p, const pp_relax *o, double *z, const perp_call *call,
                                 perp_solve_info *info);

/* The same for PERP_LCP and PERP_MLCP. Rows with a diagonal are solved singly, others with all variables that they
 * couple as a block that is solved exactly (blocks.h). Free variables are eliminated first (reduce.h). */
perp_outcome pp_lcp_relax(const perp_problem *p, const pp_relax *o, double *z, const perp_call *call,
                          perp_solve_info *info);
perp_outcome pp_lcp_nncg(const perp_problem *p, const pp_relax *o, double *z, const perp_call *call,
                         perp_solve_info *info);
/* Proximal fixed point for all of PP_BOX_CLASSES. */
perp_outcome pp_box_fixed_point(const perp_problem *p, const pp_relax *o, double *z, const perp_call *call,
                                perp_solve_info *info);

/* Settings that these solvers have in common. */
typedef struct pp_relax_settings {
    int max_sweeps;
    double relaxation, tol;
} pp_relax_settings;

/* The object that a loop drives. */
typedef struct pp_sweeper {
    int n;
    double *x;          /* n: the iterate */
    const double *unit; /* n: natural sizes of x, for lengths and angles; NULL: 1 */
    double *out;        /* where an answer for the watch goes */
    int every;          /* sweeps between two measures: 1 if measuring is cheap */
    void *self;
    /* One sweep of x with steps multiplied by `step`. Returns an estimate of the residual. */
    double (*sweep)(void *self, double step);
    double (*measure)(void *self); /* unit-free residual of x, velocities computed anew */
    void (*admit)(void *self);     /* moves x to the nearest admissible point; measure before the next sweep */
    void (*answer)(void *self, const double *x, double *z); /* in the variables of the problem */
} pp_sweeper;

/* Sweeps until solved, stuck, stopped or max_sweeps. x ends as the best point measured. */
perp_outcome pp_relax_run(pp_sweeper *s, const pp_relax *o, const perp_call *call, perp_solve_info *info);
perp_outcome pp_nncg_run(pp_sweeper *s, const pp_relax *o, const perp_call *call, perp_solve_info *info);

/* Best point so far. */
typedef struct pp_best {
    double *x;
    double least;
} pp_best;
void pp_best_note(pp_best *b, int n, const double *x, double residual);

/* Checks the clock at intervals; shows the iterate to the watch if there is one. Returns false to stop. */
bool pp_sweeper_look(pp_sweeper *s, int count, const perp_call *call);

/* A cone problem under relaxation. */
typedef struct pp_cone_sweeps {
    pp_cone c;
    double *x, *v; /* m: iterate, velocities */
    double *y;     /* ndof: velocities of the bodies, M^-1 H~ x; body mode only */
    double **B;    /* by entry: M^-1 H~_i, size of the node x rows; body mode only */
    double *slow;  /* nblock: Jacobi: W~_ii is taken this much larger, so that blocks moved together do not overshoot */
    double *bound; /* nblock: 1/upper bound of the eigenvalues of the tangential (associated: of the whole) block */
    double *target; /* m: Jacobi */
    const pp_relax *o;
} pp_cone_sweeps;

/* For a problem that is already prepared; the caller sets x. Returns false if out of memory. */
bool pp_cone_sweeps_on(pp_cone_sweeps *s, const pp_cone *c, const pp_relax *o, const perp_call *call);
/* x from the guess z, made admissible. Returns false with *why as the outcome. */
bool pp_cone_sweeps_make(pp_cone_sweeps *s, const perp_problem *p, const pp_relax *o, const double *z,
                         const perp_call *call, perp_outcome *why);
/* v (and y) from x. */
void pp_cone_sweeps_refresh(pp_cone_sweeps *s);
/* Velocity of block i, from y or x. */
void pp_cone_sweeps_velocity(const pp_cone_sweeps *s, int i, double *v);
/* x_i moves by dx, and y with it. */
void pp_cone_sweeps_move(pp_cone_sweeps *s, int i, const double *dx);
/* Refreshes, and measures as the judge does. */
double pp_cone_sweeps_measure(void *self);
void pp_cone_sweeps_admit(void *self);
void pp_cone_sweeps_answer(void *self, const double *x, double *z);

#endif
