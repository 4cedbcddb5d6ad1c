/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_shift.h - impacts of a part in the order of their times: the state of that, and its velocities moved in time. */
#ifndef PP_IMPACT_SHIFT_H
#define PP_IMPACT_SHIFT_H

#include "step/impact_laws.h"
#include "step/impact_order.h"
#include "step/impact_time.h"

/* The bodies that act, on their way through a part. */
typedef struct pp_order {
    const pp_span *x;
    pp_impacts m;
    double left;
    uint64_t *flying; /* pairs of shape slots with restitution that do not rest on each other */
    pp_impact_event *meeting;
    int nflying;
    double *a;              /* ndof: accelerations of the flight */
    pp_frame *look, *reach; /* what touches now; what may be reached within the time left */
    bool impact;            /* something touches and closes */
    perp_ledger moved;      /* what moving velocities in time did */
    double shift;           /* how far that was from what forces do, as a velocity */
    int flights;
    int *struck; /* by body slot: impacts */
} pp_order;

/* An acceleration, and the frames it was found with. */
typedef struct pp_accelerated {
    double *a;               /* ndof */
    pp_frame *at;            /* with the forces over the whole step of the world */
    const pp_frame *without; /* the same without forces; NULL: nothing touches or is jointed */
} pp_accelerated;

/* A copy in the arena; NULL: no memory. */
pp_state *pp_state_duplicate(perp_world *w, const pp_state *s);
/* Is any body driven? */
bool pp_any_driven(const perp_world *w);

/* Acceleration of all bodies that act at m.s, with the contacts that do not fly and with joints. Driven bodies are accelerated as they are
 * from half of m.behind before the poses to half of `to` before them. */
perp_status pp_acceleration(pp_order *o, double to, pp_accelerated *out);
/* Moves the velocities of m.s from half of `from` before the poses to half of `to` before them, and books what that does to the energy. */
perp_status pp_shift_velocities(pp_order *o, double from, double to, const pp_accelerated *x);
/* The same with the acceleration at m.s. */
perp_status pp_move_velocities(pp_order *o, double from, double to);

#endif
