/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file tangent.h
 *  Derivatives of the step: of the state after a step with respect to the state before it and to parameters.
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
 *  A direction is a change of the state and of parameters per unit of a variable that the user chooses. Changes of poses are in
 *  the tangent space: a translation of the body's origin and a rotation vector, both in W (in 2D: x, y and an angle about z). A
 *  step is a smooth function of state and parameters as long as every contact and every bounded joint row keeps its mode (open,
 *  sticking, sliding; at a bound or not); see docs/theory.md. Where a mode changes, the step has a kink or a jump, and there is
 *  at best a one-sided derivative. perp_tangent_report() returns the distance to the next change of mode.
 *
 *  A tangent does not change the motion of the world, to the bit. Methods by differences call user force functions in worlds
 *  that differ slightly from the one that is stepped, so these functions must depend only on state and time. */
#ifndef PERP_TANGENT_H
#define PERP_TANGENT_H

#include "perp/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Methods of differentiation. */
typedef enum perp_tangent_method {
    PERP_TANGENT_AUTO, /**< MODES if possible, otherwise STEPS */
    PERP_TANGENT_MODES, /**< differentiates the equations of the step with the modes of its solution: one linear solve for all
                             directions. PERP_E_FIT if the step has no smooth equations, see perp_tangent_step() */
    PERP_TANGENT_STEPS, /**< central differences of each single step: two more steps for each direction; any stepper */
    PERP_TANGENT_RUNS /**< central differences of the whole run: two worlds for each direction, cloned at the first step and
                             stepped along. Later changes of the world do not reach them */
} perp_tangent_method;

/** Definition of a tangent. */
typedef struct perp_tangent_def {
    int directions; /**< 1 or more; default 1 */
    perp_tangent_method method;
    /** STEPS, RUNS: relative step of the differences: for poses and velocities relative to the size of bodies and speeds, for a
     *  parameter relative to its value; more than 0, at most 0.01. Default 1e-5: the errors from curvature and from rounding are
     *  then both about 1e-9. */
    double difference;
    double nearness; /**< margin below which a mode counts as about to change, see perp_tangent_state; default 1e-6 */
    uint32_t cookie; /**< set by perp_tangent_def_default() */
} perp_tangent_def;

/** One direction, method auto. */
PERP_API perp_tangent_def perp_tangent_def_default(void);

/** Kinds of parameter. */
typedef enum perp_parameter_kind {
    PERP_PARAMETER_MU,          /**< friction of a pair of materials, `material`; {-1, -1}: of all pairs alike */
    PERP_PARAMETER_RESTITUTION, /**< likewise */
    PERP_PARAMETER_SUPPORT_MU,  /**< friction of support point `index` (0 to 2) of `body`; -1: of all three */
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
    PERP_PARAMETER_MOTOR_FORCE,    /**< likewise, finite: the force of a saturated motor */
    PERP_PARAMETER_JOINT_FRICTION, /**< likewise */
    PERP_PARAMETER_KIND_COUNT
} perp_parameter_kind;

/** A parameter of a world. Fields that its kind does not use are 0. */
typedef struct perp_parameter {
    perp_parameter_kind kind;
    int material[2];
    perp_body_id body;
    perp_joint_id joint;
    perp_force_id force;
    int index;
} perp_parameter;

/** The present value of a parameter. PERP_E_ARG if there is no such parameter, see perp_world_why(). */
PERP_API perp_status perp_parameter_get(perp_world *w, const perp_parameter *p, double *value);

/** Directions of a world, and the derivatives along them. Opaque. */
typedef struct perp_tangent perp_tangent;

/** Makes a tangent for a world: all its directions are zero. Bodies must not be added or removed while it is used.
 *  PERP_E_ARG (see perp_world_why()), PERP_E_MEMORY.
 *  @param w    the tangent uses its allocator, which must stay valid as long as the tangent
 *  @param def  copied
 *  @param out  owned by the caller, see perp_tangent_free(); NULL on failure */
PERP_API perp_status perp_world_tangent(perp_world *w, const perp_tangent_def *def, perp_tangent **out);
/** Frees a tangent. NULL is allowed. */
PERP_API void perp_tangent_free(perp_tangent *t);
/** Sets all directions to zero, removes their parameters, and resets the counters of perp_tangent_state. */
PERP_API void perp_tangent_clear(perp_tangent *t);

/** Adds a parameter to a direction: the parameter changes by `rate` per unit of the direction, in this and all later steps. A
 *  parameter at the end of its range (mu = 0, restitution = 0 or 1) cannot be varied to both sides: PERP_E_ARG. With RUNS, call
 *  this before the first step. PERP_E_ARG, PERP_E_MEMORY; see perp_world_why(w).
 *  @param direction 0 and up */
PERP_API perp_status perp_tangent_seed(perp_tangent *t, perp_world *w, int direction, const perp_parameter *p,
                                       double rate);
/** Sets the present change of the pose of a body along a direction: origin [L] and rotation vector [rad] per unit, in W. The
 *  body must not be kinematic. The change of an obstacle stays constant. PERP_E_ARG; with RUNS also after the first step. */
PERP_API perp_status perp_tangent_set_pose(perp_tangent *t, int direction, perp_body_id b, perp_vec3 dp,
                                           perp_vec3 turn);
/** Sets the present change of the velocity of a dynamic body along a direction: of its origin [L/T] and angular [rad/T], in W.
 *  PERP_E_ARG. */
PERP_API perp_status perp_tangent_set_velocity(perp_tangent *t, int direction, perp_body_id b, perp_vec3 dv,
                                               perp_vec3 dw);

/** Makes one step of the world and of the directions. On failure both are unchanged, and perp_world_why() gives the reason: any
 *  status of perp_world_step(); PERP_E_ARG if the bodies are not those that the tangent was made for; PERP_E_FIT with method
 *  MODES, if the step has no smooth equations: a stepper with equations of its own, a contact model other than peg, geometry
 *  end, corrected joints, a divided step, limited restitution, a damped taut chain, modes that do not determine the motion or
 *  contradict each other, or an island with more than 600 rows.
 *  @param cert  as in perp_world_step(); may be NULL */
PERP_API perp_status perp_tangent_step(perp_tangent *t, perp_world *w, perp_certificate *cert);

/* In a staggered world, changes of velocities that are set before the first step, and those that are read, belong to the time of
 * the poses. A change that is set after a step is that of the stored velocity, half a step behind. */
/** Derivative of the pose of a body along a direction. Either pointer may be NULL. PERP_E_ARG: no such body or direction. */
PERP_API perp_status perp_tangent_pose(const perp_tangent *t, int direction, perp_body_id b, perp_vec3 *dp,
                                       perp_vec3 *turn);
/** Derivative of its velocity. */
PERP_API perp_status perp_tangent_velocity(const perp_tangent *t, int direction, perp_body_id b, perp_vec3 *dv,
                                           perp_vec3 *dw);

/** Kind of the law that is nearest to a change of mode. */
typedef enum perp_margin_kind {
    PERP_MARGIN_NONE,     /**< none can change */
    PERP_MARGIN_CONTACT,  /**< a contact is about to open or to close */
    PERP_MARGIN_FRICTION, /**< a contact is about to slip or to stick, or to change its direction of the pyramid */
    PERP_MARGIN_REBOUND,  /**< a contact with restitution closes just within the step, or just after it */
    PERP_MARGIN_JOINT     /**< a limit, motor or friction of a joint is about to reach its bound or to leave it */
} perp_margin_kind;

/** Margins of the steps. The margin of a law is the speed by which it keeps its mode, divided by the speed scale of the step
 *  (perp_step_residual.scale, or h g if that is larger). The speed of an open contact is its gap at the end divided by h; of a
 *  closed one, its impulse times the inverse mass; of a sticking one, the distance of friction from its limit, times the inverse
 *  mass; of a sliding one, the slip. For joint rows likewise. */
typedef struct perp_tangent_state {
    bool
        near_change; /**< in the last step: the margin is below `nearness`, or the two sides of a difference have different
                                modes */
    double margin; /**< smallest margin of the last step; INFINITY: no law could change, or it is not known (steppers
                                with equations of their own) */
    perp_margin_kind what; /**< kind of the law with this margin */
    int which;        /**< perp_world_contacts() index, after them supports in the order of bodies; or joint slot; -1 */
    bool differences; /**< the last step was differentiated by differences of steps or runs */
    const char *why;  /**< with auto: why MODES was not possible; else "". Borrowed until the next step */
    uint64_t steps;   /**< steps since the tangent was made or cleared */
    uint64_t changes; /**< number of these steps with near_change */
    uint64_t differenced; /**< number of these steps that were differentiated by differences */
    double least_margin;  /**< smallest margin of these steps */
} perp_tangent_state;

/** Margins and counters of the steps so far. */
PERP_API perp_tangent_state perp_tangent_report(const perp_tangent *t);

#ifdef __cplusplus
}
#endif
#endif
