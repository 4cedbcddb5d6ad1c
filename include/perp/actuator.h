/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file actuator.h
 *  Actuators: force, position and velocity servos on joint coordinates, each driven by one number, its ctrl. And pairs of bodies
 *  that never touch.
 *
 *      perp_actuator_def d = perp_actuator_def_default(PERP_ACTUATOR_POSITION);
 *      d.joint = elbow;
 *      d.kp = 400, d.kv = 20;
 *      d.force_lo = -87, d.force_hi = 87;
 *      perp_actuator_id servo;
 *      if (perp_actuator_add(w, &d, &servo)) puts(perp_world_why(w));
 *      perp_actuator_set_ctrl(w, servo, 0.5);
 *
 *  With x the joint coordinate, l = gear x the length of the actuator and c = ctrl_scale ctrl + ctrl_offset, ctrl clipped to its
 *  range, the actuator's force is
 *
 *  | kind     | force f                       |
 *  |----------|-------------------------------|
 *  | force    | c                             |
 *  | position | kp (c - l) - kv l'            |
 *  | velocity | kv (c - l')                   |
 *
 *  clipped to [force_lo, force_hi]. The force on the joint is gear f, clipped to [joint_lo, joint_hi]. These are MuJoCo's motor,
 *  position, velocity and affine general actuators. Servos are implicit: x and x' are those at the end of the step, so any kp
 *  and kv are stable, and clipping is a complementarity condition that holds exactly. The kind force is constant over the step.
 *  The work of servos is in perp_ledger.motor, that of forces in perp_ledger.applied. */
#ifndef PERP_ACTUATOR_H
#define PERP_ACTUATOR_H

#include "perp/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name Actuators
 *  @{ */
/** Id of an actuator; see base.h for ids. */
typedef struct perp_actuator_id {
    uint32_t slot, gen;
} perp_actuator_id;

/** Kinds of actuator. */
typedef enum perp_actuator_kind {
    PERP_ACTUATOR_FORCE,    /**< ctrl is the force */
    PERP_ACTUATOR_POSITION, /**< ctrl is the target of the length l */
    PERP_ACTUATOR_VELOCITY, /**< ctrl is the target of its rate l' */
    PERP_ACTUATOR_KIND_COUNT
} perp_actuator_kind;

/** ctrl as a function of time, called once in each step. @param t the time at which the step ends, where servos measure, too
 *  @param w the world at the start of the step; not to be changed @param ctx that of the actuator @return ctrl; the step fails if it is not finite */
typedef double (*perp_ctrl_fn)(const perp_world *w, double t, void *ctx);

/** Definition of an actuator. "force" is a torque for an angle. */
typedef struct perp_actuator_def {
    perp_actuator_kind kind;
    perp_joint_id joint;
    int coord;                 /**< coordinate of the joint. A coordinate has at most one actuator */
    double gear;               /**< length per coordinate, not 0; default 1 */
    double kp;                 /**< position: >= 0 [force/length] */
    double kv;                 /**< position, velocity: >= 0 [force T/length] */
    double ctrl;               /**< initial value; default 0 */
    double ctrl_lo, ctrl_hi;   /**< range of ctrl; infinite by default */
    double ctrl_scale;         /**< factor of the clipped ctrl; default 1 */
    double ctrl_offset;        /**< added to the result; default 0 */
    double force_lo, force_hi; /**< range of the actuator's force; infinite by default */
    double joint_lo, joint_hi; /**< range of the force on the joint; infinite by default */
    perp_ctrl_fn ctrl_fn;      /**< gives ctrl in each step; NULL: ctrl stays as it was set */
    void *ctrl_ctx;            /**< for ctrl_fn; borrowed, also by clones of the world */
    const char *name;          /**< copied; NULL for none */
    uint32_t cookie;           /**< set by perp_actuator_def_default() */
} perp_actuator_def;

/** An actuator of this kind with gear 1 and no limits. */
PERP_API perp_actuator_def perp_actuator_def_default(perp_actuator_kind kind);
/** Adds an actuator; it is removed with its joint. PERP_E_ARG, PERP_E_MEMORY. @param out may be NULL */
PERP_API perp_status perp_actuator_add(perp_world *w, const perp_actuator_def *def, perp_actuator_id *out);
/** Removes an actuator. PERP_E_ARG if stale. */
PERP_API perp_status perp_actuator_remove(perp_world *w, perp_actuator_id a);
/** Ids of all actuators in order of their slots; writes at most `max`. @return number of actuators */
PERP_API int perp_world_actuators(const perp_world *w, perp_actuator_id *out, int max);
/** The first actuator of that name; {0} if there is none. */
PERP_API perp_actuator_id perp_actuator_find(const perp_world *w, const char *name);
/** An actuator in its present state, with its ctrl, as a definition that adds the same actuator; name borrowed until it is
 *  removed. PERP_E_ARG if stale. */
PERP_API perp_status perp_actuator_get(const perp_world *w, perp_actuator_id a, perp_actuator_def *out);
/** Sets ctrl of one actuator, from the next step on; perp_world_view.ctrl is the array of all. A value outside the range is
 *  stored as given and clipped in the step. PERP_E_ARG: stale, not finite. */
PERP_API perp_status perp_actuator_set_ctrl(perp_world *w, perp_actuator_id a, double ctrl);
/** Lets a function give ctrl in each step; it overwrites what was set. fn NULL: ctrl stays as it is. PERP_E_ARG if stale. */
PERP_API perp_status perp_actuator_set_ctrl_fn(perp_world *w, perp_actuator_id a, perp_ctrl_fn fn, void *ctx);
/** Sets ctrl of all actuators in the order of perp_world_actuators(). If a number is not finite, or n is not the number of
 *  actuators: PERP_E_ARG, and nothing is set. */
PERP_API perp_status perp_world_set_ctrl(perp_world *w, const double *ctrl, int n);
/** Reads ctrl of all actuators; writes at most `max`. @return their number */
PERP_API int perp_world_get_ctrl(const perp_world *w, double *ctrl, int max);
/** Mean force of the actuator on the joint in the last step [force or torque]; 0 before the first step. PERP_E_ARG if stale. */
PERP_API perp_status perp_actuator_force(const perp_world *w, perp_actuator_id a, double *force);
/** @} */

/** @name Pairs of bodies that never touch
 *  @{ */
/** Excludes contacts between the shapes of two bodies, as between two bodies with a joint. A second call for the same pair has
 *  no effect. PERP_E_ARG, PERP_E_MEMORY. */
PERP_API perp_status perp_world_exclude(perp_world *w, perp_body_id a, perp_body_id b);
/** Allows contacts between an excluded pair again. PERP_E_ARG: stale, or the pair was not excluded. */
PERP_API perp_status perp_world_include(perp_world *w, perp_body_id a, perp_body_id b);
/** Number of excluded pairs. Removing a body removes its pairs. */
PERP_API int perp_world_exclude_count(const perp_world *w);
/** The i-th excluded pair, in the order in which they were given. PERP_E_ARG if there is none. */
PERP_API perp_status perp_world_exclude_at(const perp_world *w, int i, perp_body_id *a, perp_body_id *b);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
