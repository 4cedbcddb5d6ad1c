/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_shift.h - the state of a substep that is solved impact by impact, and the shift of its velocities in time. */
#ifndef PP_IMPACT_SHIFT_H
#define PP_IMPACT_SHIFT_H

#include "step/impact_laws.h"
#include "step/impact_order.h"
#include "step/impact_time.h"

/* The state of a substep while it is solved impact by impact. */
typedef struct pp_order {
    const pp_span *x;
    pp_impacts m;
    double left;
    uint64_t *flying; /* pairs of shape slots in free flight: with restitution, and not resting on each other */
    pp_impact_event *meeting;
    int nflying;
    double *a;              /* ndof: accelerations during the flight */
    pp_frame *look, *reach; /* contacts that touch now; pairs within reach in the time left */
    bool impact;            /* a touching contact closes fast enough for an impact */
    perp_ledger moved;      /* energy changes by shifting velocities in time */
    double shift;           /* largest error of these shifts, as a velocity */
    int flights;
    int *struck; /* by body slot: number of impacts */
} pp_order;

/* An acceleration, and the two frames that it was computed from. */
typedef struct pp_accelerated {
    double *a;               /* ndof */
    pp_frame *at;            /* with the forces over the whole step of the world */
    const pp_frame *without; /* without forces; NULL if there are no contacts and no joints */
} pp_accelerated;

/* A copy in the arena; NULL if out of memory. */
pp_state *pp_state_duplicate(perp_world *w, const pp_state *s);
/* Is any body driven? */
bool pp_any_driven(const perp_world *w);

/* Acceleration at m.s of all bodies that take part, with joints and with all contacts that are not in free flight. The
 * acceleration of a driven body is its mean value from the time m.behind/2 before the poses to the time to/2 before
 * them. */
perp_status pp_acceleration(pp_order *o, double to, pp_accelerated *out);
/* Shifts the velocities of m.s from the time from/2 before the poses to the time to/2 before them, with the
 * acceleration x, and enters the energy change into the ledger. */
perp_status pp_shift_velocities(pp_order *o, double from, double to, const pp_accelerated *x);
/* The same with the acceleration at m.s. */
perp_status pp_move_velocities(pp_order *o, double from, double to);

#endif
