/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* lifetime.h - creation and removal of worlds and their contents: checks, slots, generations, growth; for src/world. */
#ifndef PP_LIFETIME_H
#define PP_LIFETIME_H

#include "model/state.h"
#include "model/world_data.h"

/* Marks of definitions made by the _default functions. */
enum { PP_COOKIE_WORLD = 0x70770001, PP_COOKIE_BODY = 0x70770002 };

/* choose.c: checks a definition. On failure, writes a sentence to why, of n bytes. */
perp_status pp_check_world_def(const perp_world_def *d, char *why, size_t n);
/* Looks up the stages that w->def names, chooses those that it leaves open, and checks that they fit together. */
perp_status pp_choose_stages(perp_world *w, char *why, size_t n);

/* A slot for a new element: the first dead one if there is any, else `n`, the next after the last. The first field of an element is
 * its generation number. A reused slot continues to count, so that old ids stay stale. */
int pp_slot_claim(const void *array, int n, int dead, size_t size);

/* Copy of a string, or NULL for NULL; *ok false if memory is refused. */
char *pp_copy_name(const perp_allocator *a, const char *name, bool *ok);

/* Checks of input; a sentence naming `what` is left in the world. */
perp_status pp_check_pose(perp_world *w, const char *what, perp_pose *X);
perp_status pp_check_vector(perp_world *w, const char *what, perp_vec3 v, bool angular);

/* Normalises a quaternion, unless its norm is 1 to rounding: a quaternion that was read back keeps its bits. */
#define PP_UNIT_ROUNDING 4e-16 /* usual largest difference from 1 of the norm of a result of perp_q_unit() */
static inline perp_quat pp_unit_once(perp_quat q) {
    for (int i = 0; i < 4 && fabs(perp_q_norm(q) - 1) > PP_UNIT_ROUNDING; i++) q = perp_q_unit(q);
    return q;
}

/* Removes the joints and force elements of a body. */
void pp_joint_drop(perp_world *w, int slot);
void pp_force_drop(perp_world *w, int slot);
void pp_shape_drop(perp_world *w, int slot);
void pp_site_drop(perp_world *w, int slot);
void pp_actuator_drop(perp_world *w, int slot);
/* Removes the sensors of a joint, body or site that is removed; -1: none of these. */
void pp_sensor_drop_of(perp_world *w, int joint, int body, int site);
/* Removes the excluded pairs of a body. */
void pp_exclude_drop(perp_world *w, int body);
/* site.c, for cloning: false if there is no memory; then `to` has the copies made so far. */
bool pp_clone_sites(const perp_world *w, perp_world *to);
/* actuator.c, likewise; excluded pairs too. */
bool pp_clone_actuators(const perp_world *w, perp_world *to);
/* sensor.c, likewise. */
bool pp_clone_sensors(const perp_world *w, perp_world *to);
/* Drops the contacts of the last step and the impulses stored for a warm start, which no longer fit after a change by the user. */
void pp_forget(perp_world *w);

#endif
