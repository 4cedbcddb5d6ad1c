/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file view.h
 *  Poses and velocities of all bodies, and ctrl of all actuators, as arrays in the memory of the world, for programs that read
 *  many bodies after each step.
 *
 *      perp_world_view v;
 *      if (perp_world_look(w, &v)) ...;
 *      while (!perp_world_step(w, NULL)) plot(v.pose[7 * ball.slot + 2]);      // z of the ball; each step updates the array */
#ifndef PERP_VIEW_H
#define PERP_VIEW_H

#include "perp/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Arrays with one row for each slot of a body, at perp_body_id.slot. The row of a removed body has no meaning. Poses and
 *  velocities are borrowed until a body is added or the world is destroyed. */
typedef struct perp_world_view {
    int nslot; /**< rows */
    const double
        *pose; /**< nslot x 7: position x, y, z [L], quaternion w, x, y, z. Every change of the world updates it */
    /** nslot x 6: velocity of the centre of mass [L/T], angular velocity [rad/T], in W, as perp_body_velocity() returns them.
     *  perp_world_step() and perp_world_set_state() update it. After other changes call perp_world_look() again; the address
     *  stays the same. */
    const double *twist;
    int nctrl; /**< number of actuators */
    /** nctrl, in the order of perp_world_actuators(). You may read and write it; perp_actuator_set_ctrl() and
     *  perp_world_set_ctrl() update it. The next step uses the values; if one is not finite, the step fails with PERP_E_ARG and
     *  the world is unchanged. Borrowed until an actuator is added or removed, or the world is destroyed; NULL without
     *  actuators. */
    double *ctrl;
} perp_world_view;

/** Returns the arrays. PERP_E_MEMORY: then *out is not written. */
PERP_API perp_status perp_world_look(perp_world *w, perp_world_view *out);

#ifdef __cplusplus
}
#endif
#endif
