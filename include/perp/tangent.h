/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file tangent.h
 *  Derivatives through the step: how the state after a step changes with the state before it and with parameters.
 *
 *      perp_tangent_def td = perp_tangent_def_default();
 *      td.directions = 1;
 *      perp_tangent *t;
 *      if (perp_world_tangent(w, &td, &t)) puts(perp_world_why(w));
 *      perp_parameter mu = {.kind = PERP_PARAMETER_MU, .material = {0, 0}};
 *      perp_tangent_seed(t, w, 0, &mu, 1);                      // direction 0: d/d mu
 *      while (perp_world_time(w) < 1 && !perp_tangent_step(t, w, &c)) ...;
 *      perp_vec3 dp, turn;
 *      perp_tangent_pose(t, 0, body, &dp, &turn);               // dp: d position/d mu
 *      perp_tangent_free(t);
 *
 *  A direction is a change of the state and of parameters per unit of some variable of the user. Poses change in their
 *  tangent space: by a translation of the body's origin and a rotation vector, both in W (in 2D: x, y and an angle about
 *  z). A step is a smooth function of both as long as every contact and every bounded joint row keeps its mode (open,
 *  sticking, sliding; at a bound or not); see docs/theory.md. Where a mode changes, the step has a kink or a jump, and a
 *  derivative is one-sided at best: perp_tangent_report() tells how near that is.
 *
 *  A world with tangents goes the same way, to the bit, as one without. Differences call force functions of the user in
 *  worlds that differ a little from the one that is stepped: a function of state and time gives what is right. */
#ifndef PERP_TANGENT_H
#define PERP_TANGENT_H

#include "perp/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How derivatives are found. */
typedef enum perp_tangent_method {
    PERP_TANGENT_AUTO, /**< MODES where that is possible, STEPS where it is not */
    PERP_TANGENT_MODES, /**< the equations of the step at the modes of its answer, differentiated: one linear solve for all
                             directions. Where there are none such (perp_tangent_step() tells) PERP_E_FIT */
    PERP_TANGENT_STEPS, /**< central differences of each step by itself: two more steps for each direction; any stepper */
    PERP_TANGENT_RUNS /**< central differences of the run: two worlds for each direction, made at the first step, that go
                             beside the first by themselves. Changes made to the world after that do not reach them */
} perp_tangent_method;

/** Definition of a tangent. */
typedef struct perp_tangent_def {
    int directions; /**< 1 or more; default 1 */
    perp_tangent_method method;
    double
        difference;  /**< STEPS, RUNS: change of poses and velocities over the size of bodies and speeds, of a parameter
                            over itself; more than 0, at most 0.01; default 1e-5: curvature and rounding both
                            leave about 1e-9 */
    double nearness; /**< margin below which a mode counts as about to change, see perp_tangent_state; default 1e-6 */
    uint32_t cookie; /**< set by perp_tangent_def_default() */
} perp_tangent_def;

/** One direction, method auto. */
PERP_API perp_tangent_def perp_tangent_def_default(void);

/** What a parameter is. */
typedef enum perp_parameter_kind {
    PERP_PARAMETER_MU,          /**< friction of a pair of materials, `material`; {-1, -1}: of all pairs alike */
    PERP_PARAMETER_RESTITUTION, /**< likewise */
    PERP_PARAMETER_SUPPORT_MU,  /**< friction of point `index` (0 to 2) that `body` rests on; -1: of all three */
    PERP_PARAMETER_MASS,        /**< of `body`; its inertia stays [M] */
    PERP_PARAMETER_INERTIA,     /**< of `body`: entry xx, yy, zz, xy, xz, yz of I_B by `index`; in 2D 2 [M L^2] */
    PERP_PARAMETER_GRAVITY,     /**< component `index` [L/T^2] */
    PERP_PARAMETER_PRESS,       /**< perp_world_def.press [L/T^2] */
    PERP_PARAMETER_FORCE,   /**< on `body`, as set by perp_body_set_force(): component `index`, 0 to 2 the force, 3 to 5
                                         the torque */
    PERP_PARAMETER_ELEMENT, /**< of force element `force`: component `index` of its wrench, as above */
    PERP_PARAMETER_STIFFNESS,      /**< of `force`, a spring; or of coordinate `index` of `joint` */
    PERP_PARAMETER_REST,           /**< rest length or rest coordinate, likewise */
    PERP_PARAMETER_DAMPING,        /**< likewise */
    PERP_PARAMETER_TARGET,         /**< of `force`, a PD controller */
    PERP_PARAMETER_MOTOR_SPEED,    /**< of coordinate `index` of `joint` [L/T or rad/T] */
    PERP_PARAMETER_MOTOR_FORCE,    /**< likewise, finite: what a saturated motor gives */
    PERP_PARAMETER_JOINT_FRICTION, /**< likewise */
    PERP_PARAMETER_KIND_COUNT
} perp_parameter_kind;

/** A parameter of a world. What its kind does not name stays 0. */
typedef struct perp_parameter {
    perp_parameter_kind kind;
    int material[2];
    perp_body_id body;
    perp_joint_id joint;
    perp_force_id force;
    int index;
} perp_parameter;

/** The value of a parameter now. PERP_E_ARG: there is no such thing; perp_world_why() tells. */
PERP_API perp_status perp_parameter_get(perp_world *w, const perp_parameter *p, double *value);

/** Directions along a world, and what became of them. Opaque. */
typedef struct perp_tangent perp_tangent;

/** Makes a tangent for a world: all its directions are zero. Bodies must not be added or removed while it is used.
 *  PERP_E_ARG (perp_world_why() tells), PERP_E_MEMORY.
 *  @param w    lends its allocator, which must live as long as the tangent
 *  @param def  copied
 *  @param out  owned by the caller, see perp_tangent_free(); NULL on failure */
PERP_API perp_status perp_world_tangent(perp_world *w, const perp_tangent_def *def, perp_tangent **out);
/** NULL is fine. */
PERP_API void perp_tangent_free(perp_tangent *t);
/** All directions zero, parameters too; what was counted is forgotten. */
PERP_API void perp_tangent_clear(perp_tangent *t);

/** Adds a parameter to a direction: the parameter changes by `rate` per unit of it, in this and all later steps. A
 *  parameter at the end of its range, mu = 0 or restitution = 0 or 1, has no two sides: PERP_E_ARG. With RUNS seeds come
 *  before the first step. PERP_E_ARG, PERP_E_MEMORY; perp_world_why(w) tells.
 *  @param direction 0 and up */
PERP_API perp_status perp_tangent_seed(perp_tangent *t, perp_world *w, int direction, const perp_parameter *p,
                                       double rate);
/** Sets how the pose of a body that is not kinematic changes along a direction now: origin [L] and rotation vector [rad]
 *  per unit, in W. What an obstacle is given stays. PERP_E_ARG; with RUNS after the first step too. */
PERP_API perp_status perp_tangent_set_pose(perp_tangent *t, int direction, perp_body_id b, perp_vec3 dp,
                                           perp_vec3 turn);
/** Sets how the velocity of a dynamic body changes: of its origin [L/T] and angular [rad/T], in W. PERP_E_ARG. */
PERP_API perp_status perp_tangent_set_velocity(perp_tangent *t, int direction, perp_body_id b, perp_vec3 dv,
                                               perp_vec3 dw);

/** One step of the world, and of the directions with it. On failure both are as they were and perp_world_why() tells why:
 *  what perp_world_step() returns; PERP_E_ARG if the bodies are not those that the tangent was made for; PERP_E_FIT with
 *  method MODES, if the step has no smooth equations: stepper with equations of its own, contact model other than peg,
 *  geometry end, joints that are corrected, a step that was divided, restitution that was limited, a taut chain that was
 *  damped, modes that leave the motion open or contradict each other, an island
 *  with more than 600 rows.
 *  @param cert  as in perp_world_step(); may be NULL */
PERP_API perp_status perp_tangent_step(perp_tangent *t, perp_world *w, perp_certificate *cert);

/* In a staggered world directions of velocities begin with those of the time of the poses, and are read as such. One that is set
 * after a step is that of the velocity inside, half a step behind. */
/** How the pose of a body changes along a direction. Either pointer may be NULL. PERP_E_ARG: no such body or direction. */
PERP_API perp_status perp_tangent_pose(const perp_tangent *t, int direction, perp_body_id b, perp_vec3 *dp,
                                       perp_vec3 *turn);
/** How its velocity changes. */
PERP_API perp_status perp_tangent_velocity(const perp_tangent *t, int direction, perp_body_id b, perp_vec3 *dv,
                                           perp_vec3 *dw);

/** Which law is nearest to a change of mode. */
typedef enum perp_margin_kind {
    PERP_MARGIN_NONE,     /**< none can change */
    PERP_MARGIN_CONTACT,  /**< a contact is about to open or to close */
    PERP_MARGIN_FRICTION, /**< one is about to slip or to stick, or to change its direction of a pyramid */
    PERP_MARGIN_REBOUND,  /**< one that bounces closes just within the step, or just not */
    PERP_MARGIN_JOINT     /**< a limit, motor or friction of a joint is about to reach its bound or to leave it */
} perp_margin_kind;

/** How smooth the steps were. The margin of a law is the speed by which it keeps its mode, over the speed scale of the step
 *  (perp_step_residual.scale, or h g if that is larger): of an open contact its gap at the end over h; of a closed one
 *  impulse times inverse mass; of a sticking one how much less than the most friction does, times inverse mass; of a
 *  sliding one the slip; of a joint row likewise. */
typedef struct perp_tangent_state {
    bool near_change; /**< in the last step: the margin is below `nearness`, or differences saw two modes */
    double margin;    /**< of the last step, the least; INFINITY: no law could change, or it is not known (steppers with
                                equations of their own) */
    perp_margin_kind what; /**< whose it is */
    int which;        /**< perp_world_contacts() index, after them supports in the order of bodies; or joint slot; -1 */
    bool differences; /**< the last step was differentiated by differences of steps or runs */
    const char *why;  /**< with auto: why there was no other way; else "". Borrowed until the next step */
    uint64_t steps;   /**< since the tangent was made or cleared; */
    uint64_t changes; /**< of these with near_change, */
    uint64_t differenced; /**< and by differences */
    double least_margin;  /**< of all of them */
} perp_tangent_state;

/** What became of the steps so far. */
PERP_API perp_tangent_state perp_tangent_report(const perp_tangent *t);

#ifdef __cplusplus
}
#endif
#endif
