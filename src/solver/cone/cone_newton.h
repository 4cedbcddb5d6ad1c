/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_newton.h - proximal points and semismooth Newton on a scaled cone problem; what prox-newton and auto call. */
#ifndef PP_CONE_NEWTON_H
#define PP_CONE_NEWTON_H

#include "solver/cone/cone_figure.h"
#include "solver/cone/cone_linear.h"

/* [1] Smallest weight of a proximal term: below it rounding dominates. */
#define PP_LEAST_PULL 1e-9
/* [1] Weight of the proximal term for polishing: a smaller one would amplify rounding in loads that are not unique. */
#define PP_POLISH_PULL 1e-5
/* [1] Measure that polishing aims at: rounding. */
#define PP_EXACT 3e-15

typedef struct pp_cone_newton {
    const pp_cone *c;
    pp_cone_linear *linear;
    const perp_call *call;
    double tol;              /* unit-free residual at which to stop */
    double pull;             /* a: weight of the proximal term; in: first value, out: last */
    int max_steps;           /* Newton steps in all */
    int steps;               /* steps taken so far */
    int iterations;          /* outer steps so far */
    double fall;             /* factor of the pull after a quick success: closer to 1 after failures */
    int since;               /* steps when the measure was last halved */
    double halved;           /* the measure then */
    bool line_search_failed; /* the latest line search brought no improvement */
    bool stuck;              /* out: it ended near tol because the measure had not been halved for long */
    /* no jumps and no short line searches: slower where Newton makes small steps, more reliable elsewhere */
    bool plain;
    bool
        near_solution; /* starts close to a solution: a step that leads far away, or fails, increases the pull at once */
    bool ask;          /* ask the caller whether the best point is accepted when the measure no longer falls */
    bool balanced;     /* slip is weighted to the size of friction */
    double before;     /* |F| at the start of the previous outer step */
    double jump;  /* start of the next outer step beyond the end of this one, in units of its length; 0: at the end */
    int factored; /* number of factorisations after its latest own one, whose factors may be used again */
    double factored_pull; /* the pull of that factorisation */
    double measure;       /* of the best x, see pp_cone_strictest() */
    pp_cone_figure figure;
    double *out; /* m: for the watch, may be NULL */
    /* m each */
    double *x, *v; /* current outer point and W~ x + q~ */
    double *best;  /* x with the lowest measure */
    double *trial, *F, *dx, *w, *start, *last;
    double *way, *way_v;     /* direction of the latest outer step if it may be continued, and W~ times it */
    double *stand, *stand_v; /* x and v before a jump */
    double *C, *E;           /* nblock x square */
} pp_cone_newton;

/* Takes its memory from the call; c, linear, call must be set. False if refused. */
bool pp_cone_newton_make(pp_cone_newton *k);

/* Runs from k->x. The solution is k->best with k->measure; PERP_OUTCOME_SOLVED if that is within tol. */
perp_outcome pp_cone_newton_run(pp_cone_newton *k);

/* Computes the proximal point of k->x with weight k->pull, to rounding, starting at `from` (may be k->x), by at most
 * `most` full steps. If they do not reach `enough`, by as many with weighted slip, then by as many with a line search.
 * The point is k->trial, its velocity k->w. Returns |F| over |x|, INFINITY if a step could not be made. */
double pp_cone_newton_point(pp_cone_newton *k, const double *from, int most, double enough);

/* Moves k->x by one Newton step without the part that the laws leave free: components that they determine by much less
 * than k->pull stay; larger `times` makes this more exact. The velocity is k->w. Returns false if the step could not be
 * made. */
bool pp_cone_newton_correct(pp_cone_newton *k, int times);

/* Reduces d to the part that the laws, at x = `at`, leave free: components that they determine by much more than
 * k->pull vanish; larger `times` makes this more exact. Returns false if this is not possible. */
bool pp_cone_newton_free(pp_cone_newton *k, const double *at, double *d, int times);

#endif
