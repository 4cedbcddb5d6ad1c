/* stagger.h - velocities half a step behind the poses, and those of the time of the poses
 *
 * The state of a staggered world has velocities v, w of t - h/2, which the step works with, and what takes them to t:
 * dv, dw. Everyone outside a step sees the sum. */
#ifndef PP_STAGGER_H
#define PP_STAGGER_H

#include "world/frame.h"

/* The velocity of a body at the time of the state. */
static inline perp_vec3 pp_shown_v(const pp_state *s, int slot) {
    return s->lag == 0 ? s->v[slot] : perp_v3_add(s->v[slot], s->dv[slot]);
}
static inline perp_vec3 pp_shown_w(const pp_state *s, int slot) {
    return s->lag == 0 ? s->w[slot] : perp_v3_add(s->w[slot], s->dw[slot]);
}

/* Gives a body a velocity at the time of the state. */
void pp_velocity_given(pp_state *s, int slot, perp_vec3 v, perp_vec3 w);
/* Keeps its velocity at the time of the state, and forgets its acceleration: it was placed elsewhere. */
void pp_place_given(pp_state *s, int slot);
/* The forces on a body are changed from outside. If they stood still for a step they jump now; else they are a function of
 * time, of which each step sees a value. */
void pp_force_given(pp_state *s, int slot);
/* The same for both sides of a joint or force element; -1: none. */
void pp_forces_given(pp_state *s, int a, int b);

/* The sides of a joint with the velocities of the time of the state. */
pp_joint_side pp_shown_side(const perp_world *w, const pp_state *s, int slot);

/* Before a step from s, a copy of the world's state: moves velocities that belong to t back by half a step of the
 * constrained acceleration, if the world is staggered. */
perp_status pp_stagger(perp_world *w, pp_state *s, const perp_wrench *held);
/* Makes a staggered world a plain one, with the velocities of the present time. */
void pp_make_plain(perp_world *w);
/* After a step made of n solved frames, to the state `end`: what takes the velocities there to the time of its end. Bodies of frames
 * in the order of impacts have it already. */
perp_status pp_synchronise(perp_world *w, pp_frame *const *frame, int n, pp_state *end);

/* Then: the ledger of the step, which speaks of velocities that the step works with, with those that are shown. Kinetic energies
 * differ by a closed form, the change of which is sampling; in a step of one part impulses do the work of the mean of the
 * velocities at the ends of the step. start: after pp_stagger(). */
perp_status pp_show_energies(perp_world *w, const pp_state *start, pp_frame *const *frame, int n, const pp_state *end,
                             perp_ledger *l);

#endif
