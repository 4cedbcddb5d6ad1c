/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rebound.h - limits of restitution and push-out for a contact. rebound_limit.c finds them. */
#ifndef PP_REBOUND_H
#define PP_REBOUND_H

#include "stage/frame.h"

/* Are the impacts of this world ordered by time (step/impact_order.c)? Otherwise Newton's rule is part of the equations
 * of a step. */
bool pp_orders_impacts(const perp_world *w);

/* Velocity of contact i along its normal before the impulses of a frame, including driven bodies; < 0: it closes [L/T]. */
double pp_approach(const pp_frame *f, int i);

/* A pair of shapes whose restitution is limited, and the state of the search. Works are those of all contacts of its
 * island. */
typedef struct pp_rebound_limit {
    int shape[2];            /* slots */
    double factor;           /* factor of the pair's restitution, 0 to 1 */
    double lo, hi;           /* factors with loss and with gain of energy */
    double work_lo, work_hi; /* work with these factors; NAN: not known yet [M L^2/T^2] */
    double base, gain;       /* work with factor 0 if it is a gain; work with factor 1 */
    int side, seen;          /* which of lo and hi moved last; number of the last try */
    bool done;
} pp_rebound_limit;

/* How fast a pair that penetrates at the start may be pushed apart. */
typedef enum pp_push_out {
    PP_PUSH_FREE,    /* until the gap is zero at the end */
    PP_PUSH_BOUND,   /* the same, but no faster than it approached */
    PP_PUSH_NOTHING, /* not at all: it is only kept from closing further */
    /* as PP_PUSH_BOUND, and contacts act at the mean velocity: u + u+ >= 0, friction opposes s + s+ */
    PP_PUSH_MEAN
} pp_push_out;

typedef struct pp_rebound_limits {
    pp_rebound_limit *pair;
    int n, cap, tries;
    pp_push_out push_out;
    bool jam_stays; /* model "peg": a body that a drive is jammed into stays at its depth */
    bool none;      /* no contact rebounds: with restitution the laws had no solution */
} pp_rebound_limits;

/* Lower bound of b_n for the push-out of a contact under this limit. Uses n and b_n_kin of `row`. */
double pp_push_out_bound(const pp_frame *f, pp_push_out limit, const perp_contact_row *row);
/* Factor of the restitution of a pair of shapes in this frame. */
double pp_rebound_factor(const pp_frame *f, const int shape[2]);

#endif
