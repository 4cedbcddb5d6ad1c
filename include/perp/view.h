/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file view.h
 *  Poses and velocities of all bodies, and ctrl of all actuators, as arrays that the world lends, for programs that read many
 *  bodies after each step.
 *
 *      perp_world_view v;
 *      if (perp_world_look(w, &v)) ...;
 *      while (!perp_world_step(w, NULL)) plot(v.pose[7 * ball.slot + 2]);      // z of the ball: the array follows the world */
#ifndef PERP_VIEW_H
#define PERP_VIEW_H

#include "perp/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Arrays with one row for each slot of a body, at perp_body_id.slot. The row of a slot whose body was removed means nothing.
 *  Poses and velocities are borrowed until a body is added or the world is destroyed. */
typedef struct perp_world_view {
    int nslot; /**< rows */
    const double
        *pose; /**< nslot x 7: position x, y, z [L], quaternion w, x, y, z. Follows every change of the world */
    const double *twist; /**< nslot x 6: velocity of the centre of mass [L/T], angular velocity [rad/T], in W, as
                              perp_body_velocity() gives them. Follows perp_world_step() and perp_world_set_state(); after other
                              changes perp_world_look() brings it up to date, at the same place */
    int nctrl;           /**< number of actuators */
    double *
        ctrl; /**< nctrl, in the order of perp_world_actuators(): to be read and written; follows perp_actuator_set_ctrl() and
                       perp_world_set_ctrl(). What is written is taken over when the next step begins; a number that is not finite
                       makes the step fail with PERP_E_ARG, the world unchanged. Borrowed until an actuator is added or removed, or
                       the world is destroyed; NULL without actuators */
} perp_world_view;

/** Lends the arrays. PERP_E_MEMORY: then *out is not written. */
PERP_API perp_status perp_world_look(perp_world *w, perp_world_view *out);

#ifdef __cplusplus
}
#endif
#endif
