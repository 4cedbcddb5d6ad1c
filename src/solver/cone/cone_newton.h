/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cone_newton.h - proximal points and semismooth Newton on a scaled cone problem; what prox-newton and auto call. */
#ifndef PP_CONE_NEWTON_H
#define PP_CONE_NEWTON_H

#include "solver/cone/cone_figure.h"
#include "solver/cone/cone_linear.h"

/* [1] Least weight of a proximal term: below it rounding prevails. */
#define PP_LEAST_PULL 1e-9
/* [1] Weight of the proximal term of steps that polish an answer: a weaker one would magnify rounding in loads that are not unique. */
#define PP_POLISH_PULL 1e-5
/* [1] Measure to which answers are polished: rounding. */
#define PP_EXACT 3e-15

typedef struct pp_cone_newton {
    const pp_cone *c;
    pp_cone_linear *linear;
    const perp_call *call;
    double tol;     /* unit-free residual at which to stop */
    double pull;    /* a: weight of the proximal term; in: first value, out: last */
    int max_steps;  /* Newton steps in all */
    int steps;      /* taken so far */
    int iterations; /* outer steps so far */
    double fall;    /* what the pull falls by after a quick success: closer to 1 after failures */
    int since;      /* steps when the measure was last halved */
    double halved;  /* the measure then */
    bool vain;      /* the latest line search brought nothing */
    bool stuck;     /* out: it gave up near tol, as the measure had long not been halved */
    bool plain;     /* neither jumps nor short line searches: slower where Newton creeps, surer elsewhere */
    bool wary;      /* begins close to an answer: a step that leads far away, or fails, makes the pull rise at once */
    bool balanced;  /* slip is weighed so that it counts as much as friction */
    double before;  /* |F| where the outer step before began */
    double jump;    /* how far beyond its end the next one begins, in units of its way; 0: there */
    int factored;   /* count of factorisations after the latest of its own, whose factors may do again */
    double factored_pull; /* a then */
    double measure;       /* of the best x, see pp_cone_strictest() */
    pp_cone_figure figure;
    double *out; /* m: for the watch, may be NULL */
    /* m each */
    double *x, *v; /* current outer point and W~ x + q~ */
    double *best;  /* x with the lowest measure */
    double *trial, *F, *dx, *w, *start, *last;
    double *way, *way_v;     /* of the latest outer step that may be gone on, and W~ times it */
    double *stand, *stand_v; /* x and v before a jump */
    double *C, *E;           /* nblock x 16 */
} pp_cone_newton;

/* Takes its memory from the call; c, linear, call must be set. False if refused. */
bool pp_cone_newton_make(pp_cone_newton *k);

/* From k->x. The answer is k->best with k->measure; PERP_OUTCOME_SOLVED if that is within tol. */
perp_outcome pp_cone_newton_run(pp_cone_newton *k);

/* The proximal point of k->x with weight k->pull, to rounding, from `from` (may be k->x) by at most `most` full steps; where
 * those do not get to `enough`, by as many with slip weighed, then by as many with a line search. The point is k->trial,
 * with velocity k->w; |F| over |x| is returned, INFINITY if a step could not be made. */
double pp_cone_newton_point(pp_cone_newton *k, const double *from, int most, double enough);

/* Moves k->x by one step of Newton, but for what the laws leave free of it: what they hold by much less than k->pull stays,
 * the more exactly the more `times`. Its velocity is k->w. False if the step could not be made. */
bool pp_cone_newton_correct(pp_cone_newton *k, int times);

/* d becomes that part of it which the laws, with x = `at`, leave free: what they hold by much more than k->pull vanishes,
 * the more exactly the more `times`. False if that could not be done. */
bool pp_cone_newton_free(pp_cone_newton *k, const double *at, double *d, int times);

#endif
