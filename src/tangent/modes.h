/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* modes.h - the modes of an answer: which side of each complementarity condition is zero, and how near the other is. */
#ifndef PP_MODES_H
#define PP_MODES_H

#include "problem/rows.h"
#include "tangent/tangent_internal.h"

#include "base/elementary.h"

typedef enum pp_mode_kind {
    PP_MODE_OPEN,    /* no impulse */
    PP_MODE_PRESSED, /* closed, without friction */
    PP_MODE_STICK,   /* no slip */
    PP_MODE_SLIDE,   /* friction at its limit, against the slip */
    PP_MODE_CORNER,  /* of a pyramid: friction at its limit along one direction */
    PP_MODE_SIDE     /* of a pyramid: friction at its limit between two directions with equal slip */
} pp_mode_kind;

/* The mode of a contact. */
typedef struct pp_mode {
    pp_mode_kind kind;
    int n;                      /* parts that friction has */
    int part[PP_FRICTION_ROWS]; /* which, as problem/rows.h numbers them */
    double e[PP_FRICTION_ROWS]; /* axes of the ellipsoid for these */
    int corner[2];              /* directions of a pyramid */
    double normal;              /* margin of open or closed, */
    double friction;            /* and of friction; INFINITY: has none [L/T] */
} pp_mode;

/* Direction k of a pyramid: cosine and sine of its angle from t. */
static inline void pp_pyramid_direction(const perp_contact_row *c, int k, double d[2]) {
    double a = c->phase + 6.283185307179586 * k / c->nd;
    d[0] = pp_cos(a);
    d[1] = pp_sin(a);
}

/* Parts of the friction that a contact has, into m, and the largest inverse mass that they feel. */
double pp_friction_parts(const perp_step_problem *p, const perp_contact_row *c, pp_mode *m);
/* Slip of contact i along those parts; its size in the metric of the axes is returned [L/T]. */
double pp_slip_of(const perp_step_problem *p, const perp_step_solution *s, int i, const pp_mode *m,
                  double slip[PP_FRICTION_ROWS]);
/* The mode of contact i. */
pp_mode pp_contact_mode(const perp_step_problem *p, const perp_step_solution *s, int i);
/* Where the impulse of joint row i is: -1 at lo, 1 at hi, 0 between. *margin [L/T]. */
int pp_joint_mode(const perp_step_problem *p, const perp_step_solution *s, int i, double *margin);

/* Loads of a step, and how near its laws are to other modes with them. */
typedef struct pp_loads {
    perp_step_solution at; /* velocity and impulses of its last part: those of the answer, or others that make the same
                                 motion and are farther from changes of mode (loads.h) */
    bool spread;           /* `at` has other impulses than the answer */
    perp_step_solution other; /* then: impulses between `at` and the answer */
    perp_tangent_state given; /* margin, what, which with the loads of the answer, */
    perp_tangent_state best;  /* and with these */
} pp_loads;

/* Modes and margins of a step that was solved in n parts. Where margins are below `nearness`, other loads are tried.
 * Memory from the arena.
 * PERP_E_MEMORY */
perp_status pp_modes_margin(pp_frame *const *frame, int n, double nearness, pp_loads *out);

/* posed.c: next_q, next_v of all directions at the modes of a solved step. PERP_E_FIT: not possible, perp_world_why()
 * says why. *open: because the motion depends on loads that are not determined. */
perp_status pp_tangent_modes(perp_tangent *t, pp_frame *const *frame, int n, const pp_loads *loads, bool *open);

#endif
