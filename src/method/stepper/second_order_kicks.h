/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* second_order_kicks.h - the two half kicks of a step, for stepper_second_order.c. */
#ifndef PP_SECOND_ORDER_KICKS_H
#define PP_SECOND_ORDER_KICKS_H

#include "stage/frame.h"

/* The first half of the step and the motion to its end: from the results of pp_control to f->solve.solution and f->s1.
 * The velocities of f->s1 are those of the middle of the step, rotated to its end. span: elapsed time, h or (backwards)
 * -h. contacts: false if there are none. */
perp_status pp_first_kick(pp_frame *f, double span, bool contacts);
/* The second half at the pose of f->s1. *out: its frame, in the arena; its solution is the velocity of f->s1. */
perp_status pp_second_kick(pp_frame *f, bool contacts, pp_frame **out);

/* second_order_shift.c: shifts of the friction law of the first kick that make the step symmetric. */
/* Computes the shifts from the solution of the first kick and its end contacts (those of `end`). *change: difference to
 * the present shifts [L/T]. */
perp_status pp_slip_shifts(pp_frame *f, const pp_frame *end, double *change);
/* Sets the rebounds in the second kick for pairs that arrived in the first. */
perp_status pp_rebounds(const pp_frame *f, pp_frame *end);

#endif
