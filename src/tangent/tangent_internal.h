/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* tangent_internal.h - what a tangent is made of, for src/tangent. */
#ifndef PP_TANGENT_INTERNAL_H
#define PP_TANGENT_INTERNAL_H

#include "perp/tangent.h"
#include "stage/frame.h"

/* A parameter in a direction. */
typedef struct pp_seed {
    int direction;
    perp_parameter parameter;
    double rate; /* change of the parameter per unit of the direction */
} pp_seed;

struct perp_tangent {
    perp_allocator alloc;
    perp_tangent_def def;
    int dim, nbody; /* slots */
    uint32_t *gen;  /* by slot: that of the body it was made for */
    perp_body_kind *kind;
    bool *particle;
    double *dq, *dv; /* directions x slots x 6: origin and rotation vector; velocity and angular velocity, in W */
    double *ddv;     /* of what takes velocities of a staggered world to the time of the poses (step/stagger.h) */
    double *next_q, *next_v, *next_ddv; /* the same, for the present step */
    pp_seed *seed;
    int nseed, cap_seed;
    perp_world **run; /* RUNS: 2 for each direction, before and after; NULL until the first step */
    double *reach;    /* RUNS: by direction, how far they were moved along it */
    perp_tangent_state state;
    char why[PP_WHY];
};

/* Numbers of a direction for the body in a slot, six of them. */
static inline double *pp_tangent_at(const perp_tangent *t, double *array, int direction, int slot) {
    return array + 6 * ((size_t)direction * (size_t)t->nbody + (size_t)slot);
}
static inline perp_vec3 pp_first3(const double *x) { return perp_v3(x[0], x[1], x[2]); }
static inline void pp_put3(double *x, perp_vec3 v) { x[0] = v.x, x[1] = v.y, x[2] = v.z; }

/* parameter.c */
/* Is there such a parameter, and may it change both ways? Says why not by pp_fail(). */
perp_status pp_parameter_check(perp_world *w, const perp_parameter *p, bool both_ways);
/* What pp_parameters_move changed, to take it back to the bit. From the arena. */
typedef struct pp_moved {
    struct pp_moved *before;
    double *place;
    double value;
    pp_body *body; /* not NULL: this body as a whole instead */
    pp_body whole;
} pp_moved;
/* Changes the parameters of a direction by `by` times their rates. What it changed is added to *moved, for
 * pp_parameters_back(); moved NULL: it stays. The warm start of the world is left alone. PERP_E_MEMORY */
perp_status pp_parameters_move(const perp_tangent *t, perp_world *w, int direction, double by, pp_moved **moved);
void pp_parameters_back(pp_moved *moved);
/* Largest part of itself that a parameter of the direction changes by, per unit; of one that is 0 its rate. */
double pp_parameters_size(const perp_tangent *t, perp_world *w, int direction);

/* tangent.c */
/* Moves a dynamic body or an obstacle along the direction by `by`. */
void pp_tangent_turned(perp_pose *X, double *theta, const double *dq, double by, int dim);
/* State s of the world moved along the direction: poses by `by_q`, velocities by `by_v`. */
void pp_tangent_move_state(const perp_tangent *t, const perp_world *w, int direction, double by_q, double by_v,
                           pp_state *s);
/* Scales of differences: size of bodies [L] and speed [L/T] in the state s. */
void pp_tangent_sizes(const perp_world *w, const pp_state *s, double *length, double *speed);
/* How much of a direction is in poses and in velocities, in these sizes. */
double pp_tangent_pose_size(const perp_tangent *t, int direction, double length);
double pp_tangent_velocity_size(const perp_tangent *t, const perp_world *w, int direction, double speed);
/* next_q, next_v of a direction from two states, 2 reach apart along it. */
void pp_tangent_between(perp_tangent *t, const perp_world *w, int direction, const pp_state *before,
                        const pp_state *after, double reach);

/* difference.c */
/* next_q, next_v by central differences of the step from the committed state of w. cert: of that step, to
 * compare modes with. */
perp_status pp_tangent_steps(perp_tangent *t, perp_world *w, const perp_certificate *cert);
/* The same by worlds that run beside this one. */
perp_status pp_tangent_runs_begin(perp_tangent *t, perp_world *w);
perp_status pp_tangent_runs(perp_tangent *t, perp_world *w, const perp_certificate *cert);
void pp_tangent_runs_end(perp_tangent *t);

/* moved_back.c */
/* Were velocities moved back before the step of this frame? */
bool pp_was_moved_back(const pp_frame *f);
/* dv, ddv of all directions after that, from those of the committed state of w. */
perp_status pp_tangent_moved_back(const perp_tangent *t, perp_world *w, double *dv, double *ddv);

#endif
