/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* impact_merge.h - merges the step of some bodies with the separate step of all other bodies. In all functions `acts`
 * marks the bodies of the first group, by body slot. */
#ifndef PP_IMPACT_MERGE_H
#define PP_IMPACT_MERGE_H

#include "model/state.h"
#include "model/world_data.h"

/* Kinetic energy of the marked bodies [M L^2/T^2]. */
double pp_kinetic_of(const perp_world *w, const pp_state *s, const bool *acts);
/* Copies the states of the marked bodies and of their joints from s to s1. */
void pp_take_bodies(const perp_world *w, const bool *acts, const pp_state *s, pp_state *s1);
/* Adds the certificate of other bodies over the same time. */
void pp_add_beside(perp_certificate *sum, const perp_certificate *c);

#endif
