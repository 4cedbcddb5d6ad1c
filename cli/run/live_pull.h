/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* live_pull.h - a body that is dragged in the viewer.
 *
 * A spring and a damper act between a point of the body and the hand. They are a force element of the world (PERP_FORCE_USER), so
 * their work is in the ledger under `applied`, with the work of all other applied forces. The element is there only while
 * a body is held. It is no part of the world's state: a recording that was made meanwhile can be resumed. */
#ifndef LIVE_PULL_H
#define LIVE_PULL_H

#include <perp/perp.h>

/* What the hand holds. */
typedef struct live_grip {
    bool held;
    int body;          /* its number in the scene */
    perp_vec3 point_B; /* the point that is held, in the frame of the body [L] */
    perp_vec3 hand_W;  /* where the hand is [L] */
} live_grip;

typedef struct live_pull {
    live_grip grip;
    perp_body_id body;
    perp_force_id force; /* gen 0: there is none */
    double rate;         /* of the spring: its natural frequency [rad/T] */
    double mass;         /* that the hand feels at the point [M] */
} live_pull;

/* Rate of a hand that follows within a fraction of a second of wall time, in a run of this speed [T/s] (0: as fast as it goes)
 * and step [T]; see live_pull.c. */
double live_pull_rate(double speed, double h);

/* Applies, changes or removes the pull before a step. A pull on a body that does not exist, or that forces cannot move, has no effect.
 * @param p  zeroed before the first call with a world; must stay where it is while the world has its force */
perp_status live_pull_set(live_pull *p, perp_world *w, const live_grip *grip);

#endif
