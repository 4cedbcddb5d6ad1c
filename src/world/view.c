/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view.c - arrays of poses, velocities and ctrl in the memory of the world (perp/view.h)
 *
 * Poses are stored in the state in this form. Velocities are not: a staggered world stores them half a step behind, in two arrays.
 * After the first call of perp_world_look() the world therefore has an array of its own with six numbers per body, which
 * pp_twists_refresh() updates after each step. pp_ctrl_take() reads ctrl, which the user may write, at the start of a step. */
#include "perp/view.h"

#include "world/lifetime.h"

_Static_assert(sizeof(perp_pose) == 7 * sizeof(double), "a pose is lent as seven numbers");
_Static_assert(sizeof(pp_shown_twist) == 6 * sizeof(double), "a velocity is lent as six numbers");

perp_status perp_world_look(perp_world *w, perp_world_view *out) {
    if (!out) return pp_fail(w, PERP_E_ARG, "perp_world_look: out is NULL");
    if (!PP_GROW(&w->alloc, w->last.twist, w->last.cap_twist, 0, w->nbody))
        return pp_fail(w, PERP_E_MEMORY, "out of memory for the velocities of %d bodies", w->nbody);
    pp_twists_refresh(w);
    *out = (perp_world_view){.nslot = w->nbody,
                             .pose = (const double *)w->state.X,
                             .twist = (const double *)w->last.twist,
                             .nctrl = w->robot.nactuator - w->robot.dead_actuator,
                             .ctrl = w->robot.ctrl};
    return PERP_OK;
}
