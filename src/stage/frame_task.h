/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_task.h - the task of a frame, beside its length and its purpose. The code that makes a frame writes it: the
 * step, or a stepper with several kicks. No stage writes it. */
#ifndef PP_FRAME_TASK_H
#define PP_FRAME_TASK_H

#include "model/state.h"
#include "model/world_data.h"

/* Key of a pair of shape slots, or of body slots, independent of their order. */
static inline uint64_t pp_pair_key(int a, int b) {
    uint32_t lo = (uint32_t)(a < b ? a : b), hi = (uint32_t)(a < b ? b : a);
    return (uint64_t)lo << 32 | hi;
}

typedef struct pp_frame_task {
    bool implicit_turn; /* the stepper has its own step equations, or contacts act at the end: see pp_move_block() */
    /* A half kick: half of the forces, and half of the bounds of joint rows (method/stepper/stepper_second_order.c). */
    bool half;
    bool last_resort; /* no shorter substep will be tried: accept an approximate solution rather than fail */
    /* One of the frames of a step that is divided at impacts: step/impact_order.c shifts its velocities in time. */
    bool in_order;
    const perp_wrench *held;     /* by body slot: user and PD forces, constant over the whole step; NULL: none */
    const pp_state *force_state; /* positions and velocities for springs and dampers; NULL: s0 */
    const bool *acts; /* by body slot: dynamic bodies that take part; others are ignored; NULL: all take part */
    /* nflying pairs of shape slots, sorted: they have no contacts in this substep (step/impact_order.c). */
    const uint64_t *flying;
    int nflying;
    double reach_factor; /* safety factor on the travel of bodies */
    /* Least travel of every dynamic body: the largest travel in an earlier try of this frame, in which a contact was
     * missed [L]. */
    double least_travel;
    double touching_more; /* not PP_STEP: added to the touching distance pp_touching() [L] */
} pp_frame_task;

#endif
