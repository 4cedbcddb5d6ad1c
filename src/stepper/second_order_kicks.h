/* second_order_kicks.h - the two half kicks of a step, for stepper_second_order.c. */
#ifndef PP_SECOND_ORDER_KICKS_H
#define PP_SECOND_ORDER_KICKS_H

#include "world/frame.h"

/* The first half of the step and the motion to its end: from pp_control's results to f->solution and f->s1, whose
 * velocities are those of the middle of the step, turned to its end. span: time that passes, h or, backwards, -h.
 * contacts: false if none need be looked for. */
perp_status pp_first_kick(pp_frame *f, double span, bool contacts);
/* The second half at the pose of f->s1: the frame of it, from the arena, whose solution has become the velocity of
 * f->s1. */
perp_status pp_second_kick(pp_frame *f, bool contacts, pp_frame **out);

/* second_order_mix.c: the rounds of joints. */
#define PP_MIXED_ROUNDS 6
typedef struct pp_mix {
    int n, rounds;
    double *value[PP_MIXED_ROUNDS], *miss[PP_MIXED_ROUNDS], *basis[PP_MIXED_ROUNDS], *weight;
} pp_mix;
/* Room for n rows; false if memory is refused. */
bool pp_mix_new(pp_arena *a, int n, pp_mix *s);
/* Weights of the rows, by the joint rows of the problem. */
void pp_mix_weigh(pp_mix *s, const perp_step_problem *p);
/* Takes in a round: its misses, and the values that a plain round would go on with. mix: value becomes a better one. */
void pp_mix_step(pp_mix *s, const double *miss, double *value, bool mix);

/* second_order_shift.c: what the friction of the first kick must see so that the step is symmetric. */
/* The shifts that the answer of the first kick asks for, given its end contacts (those of `end`). *change: by how much
 * they differ from those in use [L/T]. */
perp_status pp_slip_shifts(pp_frame *f, const pp_frame *end, double *change);
/* Rebounds that the second kick owes to pairs that arrived in the first. */
perp_status pp_rebounds(const pp_frame *f, pp_frame *end);

#endif
