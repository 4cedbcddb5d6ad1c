/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stagger.h - velocities half a step behind the poses, and those of the time of the poses
 *
 * The state of a staggered world has velocities v, w of t - h/2, which the step works with, and what takes them to t:
 * dv, dw. Everyone outside a step sees the sum. */
#ifndef PP_STAGGER_H
#define PP_STAGGER_H

#include "model/state.h"
#include "stage/frame.h"

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
