/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* state.h - the changing part of a world: memory for it, copies, velocities at the time of the poses (see step/stagger.h), and
 * changes by the user between steps. */
#ifndef PP_STATE_H
#define PP_STATE_H

#include <string.h>

#include "model/world_data.h"

/* memcpy that accepts NULL with nothing to copy. */
static inline void pp_copy_bytes(void *to, const void *from, size_t size) {
    if (size) memcpy(to, from, size);
}

/* Makes room for body and joint slots in the committed state; false if there is no memory (arrays that have grown stay so, which does
 * no harm). */
bool pp_state_grow(perp_world *w, int nbody, int njoint);
void pp_state_release(pp_state *s, const perp_allocator *a);

/* A state with room for all slots, from the arena; and the copying of one. */
perp_status pp_state_new(perp_world *w, pp_state *s);
void pp_state_copy(const perp_world *w, pp_state *to, const pp_state *from);

/* The parts of a velocity of ndof numbers, of a body in the plane or in space. */
static inline perp_vec3 pp_linear(int dim, const double *nu) { return perp_v3(nu[0], nu[1], dim == 3 ? nu[2] : 0); }
static inline perp_vec3 pp_angular(int dim, int ndof, const double *nu) {
    if (dim == 2) return perp_v3(0, 0, ndof == 3 ? nu[2] : 0);
    return ndof == 6 ? perp_v3(nu[3], nu[4], nu[5]) : perp_v3(0, 0, 0);
}

/* The velocity of a body at the time of the state. */
static inline perp_vec3 pp_shown_v(const pp_state *s, int slot) {
    return s->lag == 0 ? s->v[slot] : perp_v3_add(s->v[slot], s->dv[slot]);
}
static inline perp_vec3 pp_shown_w(const pp_state *s, int slot) {
    return s->lag == 0 ? s->w[slot] : perp_v3_add(s->w[slot], s->dw[slot]);
}

/* Updates the array of velocities for the user (perp/view.h), if there is one. */
void pp_twists_refresh(perp_world *w);

/* Sets the velocity of a body at the time of the state. */
void pp_velocity_was_set(pp_state *s, int slot, perp_vec3 v, perp_vec3 w);
/* Called after a body was placed: its velocity at the time of the state stays, its acceleration is dropped. */
void pp_pose_was_set(pp_state *s, int slot);
/* Called after the user changed the forces on a body. If they were constant for a step, this is a jump. Otherwise they are a function
 * of time, and each step uses one value of it. */
void pp_force_was_set(pp_state *s, int slot);
/* The same for both sides of a joint or force element; -1: none. */
void pp_forces_were_set(pp_state *s, int a, int b);

/* The sides of a joint with the velocities of the time of the state. */
pp_joint_side pp_shown_side(const perp_world *w, const pp_state *s, int slot);

#endif
