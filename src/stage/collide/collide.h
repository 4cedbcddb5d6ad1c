/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* collide.h - stage 2: which shapes may meet in the step. */
#ifndef PP_STAGE_COLLIDE_H
#define PP_STAGE_COLLIDE_H

#include "stage/frame.h"

/* shapes -> feature pairs, gaps (into w->found.pairs). */
perp_status pp_collide(pp_frame *f);
/* How far a body went in a frame that has been updated [L]. */
double pp_farthest_travel(const pp_frame *f);
/* May these two placed shapes touch? A pp_pair_filter with the frame as context. */
bool pp_may_touch(int i, int j, const void *frame);
/* Places all shapes by the poses of a state; the reaches are zero. From the arena. */
perp_status pp_place_shapes(perp_world *w, const pp_state *s, pp_placed **out, int *n);
/* The same, and the sorted body pairs that joints keep from touching. From the arena. */
perp_status pp_collide_place(perp_world *w, const pp_state *s, pp_frame_collide *out);

/* How far two shapes, given by their slots, are apart in a state; negative: how deep they overlap [L]. */
double pp_separation_in(const perp_world *w, const int shape[2], const pp_state *s);

#endif
