/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_task.h - what a frame is to do, beside its length and its purpose. Whoever makes a frame writes it: the step, or a stepper of
 * several kicks. No stage writes it. */
#ifndef PP_FRAME_TASK_H
#define PP_FRAME_TASK_H

#include "model/state.h"
#include "model/world_data.h"

/* A pair of shape slots, or of body slots, in any order of the two. */
static inline uint64_t pp_pair_key(int a, int b) {
    uint32_t lo = (uint32_t)(a < b ? a : b), hi = (uint32_t)(a < b ? b : a);
    return (uint64_t)lo << 32 | hi;
}

typedef struct pp_frame_task {
    bool implicit_turn; /* the stepper has equations of its own, or contacts act at the end: see pp_move_block() */
    /* A half kick: half of the forces, and half of what bounded joint rows may bear (method/stepper/stepper_second_order.c). */
    bool half;
    bool last_resort; /* no finer division follows: take what holds approximately rather than fail */
    /* One of the parts that impacts divide a step into: its velocities are moved in time by step/impact_order.c. */
    bool in_order;
    const perp_wrench *held;     /* by body slot: user and PD forces, held over the whole step; NULL: none */
    const pp_state *force_state; /* positions and velocities that springs and dampers see; NULL: s0 */
    const bool *acts;            /* by body slot: dynamic bodies that take part, others do not exist; NULL: all do */
    /* nflying pairs of shape slots, sorted: they do not touch before this part ends (step/impact_order.c). */
    const uint64_t *flying;
    int nflying;
    double reach_factor; /* safety on how far bodies may travel */
    /* Of every dynamic body: the farthest that one went when this frame was tried before and a contact was missed [L]. */
    double least_travel;
    double touching_more; /* not PP_STEP: what counts as touching beyond pp_touching() [L] */
} pp_frame_task;

#endif
