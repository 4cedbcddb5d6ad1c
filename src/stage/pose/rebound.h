/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rebound.h - what restitution and overlap may ask of a contact. The limits are found in rebound_limit.c. */
#ifndef PP_REBOUND_H
#define PP_REBOUND_H

#include "stage/frame.h"

/* Are impacts of this world ordered by time (step/impact_order.c)? Else Newton's rule stands in the equations of a step. */
bool pp_orders_impacts(const perp_world *w);

/* Velocity of contact i along its normal before a frame's impulses, driven bodies with it; < 0: it closes [L/T]. */
double pp_approach(const pp_frame *f, int i);

/* A pair of shapes whose rebound is limited, and the search for how much. Works are those of its island's contacts. */
typedef struct pp_rebound_limit {
    int shape[2];            /* slots */
    double factor;           /* of the restitution of the pair, 0 to 1 */
    double lo, hi;           /* factors that lose, that gain energy */
    double work_lo, work_hi; /* with these; NAN: not known yet [M L^2/T^2] */
    double base, gain;       /* with 0 if that is a gain; with 1 */
    int side, seen;          /* which of both moved last; the try that it was looked at in */
    bool done;
} pp_rebound_limit;

/* How fast a pair that overlaps at the start may be pushed apart. */
typedef enum pp_push_out {
    PP_PUSH_FREE,    /* so that the gap is zero at the end */
    PP_PUSH_BOUND,   /* and no faster than it approaches */
    PP_PUSH_NOTHING, /* not at all: it is only kept from closing further */
    /* as with PP_PUSH_BOUND, and contacts act at the mean velocity: u + u+ >= 0 is enough, and friction opposes s + s+ */
    PP_PUSH_MEAN
} pp_push_out;

typedef struct pp_rebound_limits {
    pp_rebound_limit *pair;
    int n, cap, tries;
    pp_push_out push_out;
    bool jam_stays; /* the model "peg": what a drive is jammed into stays there, as deep as it is */
    bool none;      /* nothing bounces: with restitution the laws had no answer */
} pp_rebound_limits;

/* The least b_n that the overlap of a contact may ask for with this limit. `row`: of the contact, n and b_n_kin are used. */
double pp_push_out_bound(const pp_frame *f, pp_push_out limit, const perp_contact_row *row);
/* Part of its restitution that a pair of shapes has in this frame. */
double pp_rebound_factor(const pp_frame *f, const int shape[2]);

#endif
