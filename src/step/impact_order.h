/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_order.h - divides a substep at its impacts; used by step.c. */
#ifndef PP_IMPACT_ORDER_H
#define PP_IMPACT_ORDER_H

#include "stage/frame.h"

/* A substep of length h from the state s0. */
typedef struct pp_span {
    const pp_state *s0;
    double h;
    const perp_wrench *held; /* this and the next three: see pp_frame_task */
    const bool *acts;
    const uint64_t *flying;
    int nflying;
    bool last; /* no shorter substep will be tried */
    bool jam;  /* no contact is required to open, and impacts are not ordered */
    /* In: restitution may be dropped if there is no solution with it (always allowed if `last`). Out: it was dropped, here
     * or in an earlier substep. */
    bool *stops;
} pp_span;

/* Solves the substep as one frame and writes its end state to s1. Defined in step.c. */
perp_status pp_substep(perp_world *w, const pp_span *x, pp_state *s1, pp_frame *f, perp_certificate *cert);

/* The frames of a substep that was divided at its impacts. */
typedef struct pp_ordered {
    bool divided; /* false: it has no impacts, and the other fields are not set */
    pp_frame **frame;
    int n;
    perp_certificate c;
} pp_ordered;

/* Looks for impacts in the substep: by the motion without constraints, or by the solution `done` if it is not NULL. If
 * there are some, solves the substep impact by impact and writes the end state to s1. */
perp_status pp_order_impacts(perp_world *w, const pp_span *x, const pp_frame *done, pp_state *s1, pp_ordered *out);

#endif
