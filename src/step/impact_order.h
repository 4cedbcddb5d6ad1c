/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_order.h - parts of a step between impacts, for step.c. */
#ifndef PP_IMPACT_ORDER_H
#define PP_IMPACT_ORDER_H

#include "stage/frame.h"

/* A part of a step of length h from s0, to be done whole. */
typedef struct pp_span {
    const pp_state *s0;
    double h;
    const perp_wrench *held; /* see pp_frame_task, as the next three */
    const bool *acts;
    const uint64_t *flying;
    int nflying;
    bool last;   /* no finer division follows */
    bool jammed; /* nothing is asked to open: the part is known to have no other answer */
    bool *
        stops; /* in: it may do without restitution if there is no answer with it, as the last one may in any case; out: it
                    did, or one before it */
} pp_span;

/* step.c: the part as one frame, with the end state s1. */
perp_status pp_substep(perp_world *w, const pp_span *x, pp_state *s1, pp_frame *f, perp_certificate *cert);

/* What a part became that impacts divided. */
typedef struct pp_ordered {
    bool divided; /* false: there are no impacts in it, nothing else is set */
    pp_frame **frame;
    int n;
    perp_certificate c;
} pp_ordered;

/* Does the part have impacts by the motion without constraints, or, `done` given, by its answer? Then it is done in their
 * order, with the end state s1. */
perp_status pp_order_impacts(perp_world *w, const pp_span *x, const pp_frame *done, pp_state *s1, pp_ordered *out);

#endif
