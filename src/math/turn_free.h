/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* turn_free.h - free rotations whose orientation at the end is needed alone, or again; rotation vectors beyond half a turn. */
#ifndef PP_TURN_FREE_H
#define PP_TURN_FREE_H

#include "perp/math.h"

/* Of the rotation vectors of q, which differ by full turns about its axis, the one nearest to `near`. */
perp_vec3 pp_q_log_near(perp_quat q, perp_vec3 near);

/* The orientation *q_WB after the free rotation of perp_rotate_free(), to the last bit. w_W: the angular velocity at the start. False, and
 * nothing changed, if it is not finite or the body spins too fast. */
bool pp_turn_free(perp_mat3 I_B, double h, perp_quat *q_WB, perp_vec3 w_W);

/* A free rotation that was computed: of what, and its end. A check that needs the same rotation takes it from here. */
typedef struct pp_free_turn {
    const perp_mat3 *I_B;
    double time;
    perp_quat from, to;
    perp_vec3 w_from, w_to;
} pp_free_turn;

/* Is it the rotation of this body over this time from this orientation and angular velocity, to the bit? */
static inline bool pp_turn_starts(const pp_free_turn *t, const perp_mat3 *I_B, double time, const perp_quat *q,
                                  const perp_vec3 *w) {
    return t->I_B == I_B && t->time == time && t->from.w == q->w && t->from.x == q->x && t->from.y == q->y &&
           t->from.z == q->z && t->w_from.x == w->x && t->w_from.y == w->y && t->w_from.z == w->z;
}

/* Notes what rotates. */
void pp_keep_turn(pp_free_turn *t, const perp_mat3 *I_B, double time, const perp_quat *from, const perp_vec3 *w_from);
/* perp_rotate_free() of what was noted. False: then its end is its start. */
bool pp_rotate_kept(pp_free_turn *t);

#endif
