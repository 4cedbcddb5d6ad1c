/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_merge.h - a step that some bodies did apart from the others, put together. `acts`: by body slot, those bodies. */
#ifndef PP_IMPACT_MERGE_H
#define PP_IMPACT_MERGE_H

#include "model/state.h"
#include "model/world_data.h"

/* Kinetic energy of those bodies [M L^2/T^2]. */
double pp_kinetic_of(const perp_world *w, const pp_state *s, const bool *acts);
/* Takes those bodies, and joints of theirs, from s into s1. */
void pp_take_bodies(const perp_world *w, const bool *acts, const pp_state *s, pp_state *s1);
/* Two certificates of the same time, of different bodies. */
void pp_add_beside(perp_certificate *sum, const perp_certificate *c);

#endif
