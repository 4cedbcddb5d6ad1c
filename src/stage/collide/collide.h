/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* collide.h - stage 2: finds shapes that may meet in the step. */
#ifndef PP_STAGE_COLLIDE_H
#define PP_STAGE_COLLIDE_H

#include "stage/frame.h"

/* shapes -> feature pairs, gaps (into w->found.pairs). */
perp_status pp_collide(pp_frame *f);
/* Largest travel of a body in an updated frame [L]. */
double pp_farthest_travel(const pp_frame *f);
/* May these two placed shapes touch? A pp_pair_filter with the frame as context. */
bool pp_may_touch(int i, int j, const void *frame);
/* Places all shapes at the poses of a state, with zero reach. In the arena. */
perp_status pp_place_shapes(perp_world *w, const pp_state *s, pp_placed **out, int *n);
/* The same, with the sorted body pairs that joints keep from touching. In the arena. */
perp_status pp_collide_place(perp_world *w, const pp_state *s, pp_frame_collide *out);

/* Distance of two shapes, given by their slots, in a state; negative: penetration [L]. */
double pp_separation_in(const perp_world *w, const int shape[2], const pp_state *s);

#endif
