/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stagger.h - velocities that are stored half a step behind the poses
 *
 * The state of a staggered world has velocities v, w of the time t - h/2, which the step works with, and the corrections dv, dw that
 * take them to t. Code outside a step sees the sums v + dv and w + dw. */
#ifndef PP_STAGGER_H
#define PP_STAGGER_H

#include "model/state.h"
#include "stage/frame.h"

/* Call before a step from s, a copy of the world's state. If the world is staggered, moves velocities that belong to t
 * back by half a step with the constrained acceleration. */
perp_status pp_stagger(perp_world *w, pp_state *s, const perp_wrench *held);
/* Largest speed along a row that velocities of the size of those at the start of f can have [L/T]. */
double pp_largest_speed(const pp_frame *f, const perp_row *row);
/* Makes a staggered world a plain one. Its velocities are those of the present time. */
void pp_make_plain(perp_world *w);
/* Call after a step of n solved frames that ended in the state `end`: computes the corrections dv, dw there. Frames
 * that were divided at impacts have them already. given: the state at the start, before pp_stagger(). */
perp_status pp_synchronise(perp_world *w, pp_frame *const *frame, int n, const pp_state *given, pp_state *end);

/* Call after pp_synchronise(): converts the ledger of the step from the stored velocities to the shown ones. The two
 * kinetic energies differ by a closed form; its change is entered as `sampling`. In a step of one substep, impulses do
 * the work of the mean of the shown velocities at both ends. start: the state after pp_stagger(). */
perp_status pp_show_energies(perp_world *w, const pp_state *start, pp_frame *const *frame, int n, const pp_state *end,
                             perp_ledger *l);

/* In a world in which only contacts and joints act, after a step in which nothing jumped: enters the `sampling` since the last such step as
 * `drift`, which is judged. The shown velocities at both times are of second order and nothing else stores energy, so what they gain or
 * lose is an error of the time integration. start: the state after pp_stagger(). */
void pp_sampling_is_drift(const perp_world *w, const pp_state *start, pp_frame *const *frame, int n, pp_state *end,
                          perp_ledger *l);

#endif
