/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* second_order_kicks.h - the two half kicks of a step, for stepper_second_order.c. */
#ifndef PP_SECOND_ORDER_KICKS_H
#define PP_SECOND_ORDER_KICKS_H

#include "stage/frame.h"

/* The first half of the step and the motion to its end: from pp_control's results to f->solve.solution and f->s1, whose
 * velocities are those of the middle of the step, turned to its end. span: time that passes, h or, backwards, -h.
 * contacts: false if none need be looked for. */
perp_status pp_first_kick(pp_frame *f, double span, bool contacts);
/* The second half at the pose of f->s1: the frame of it, from the arena, whose solution has become the velocity of
 * f->s1. */
perp_status pp_second_kick(pp_frame *f, bool contacts, pp_frame **out);

/* second_order_shift.c: what the friction of the first kick must see so that the step is symmetric. */
/* The shifts that the answer of the first kick asks for, given its end contacts (those of `end`). *change: by how much
 * they differ from those in use [L/T]. */
perp_status pp_slip_shifts(pp_frame *f, const pp_frame *end, double *change);
/* Rebounds that the second kick owes to pairs that arrived in the first. */
perp_status pp_rebounds(const pp_frame *f, pp_frame *end);

#endif
