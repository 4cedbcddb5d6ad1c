/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* energy.h - energies of a world in a state, and springs between points. */
#ifndef PP_ENERGY_H
#define PP_ENERGY_H

#include "model/world_data.h"

/* A spring between points in a state: its force on the second body, its line of action, the relative velocity of its ends, and the
 * levers of the ends. */
typedef struct pp_spring_now {
    perp_vec3 force, u, v, ra, rb;
    double stretch; /* length minus rest length [L] */
} pp_spring_now;
pp_spring_now pp_spring_at(const perp_world *w, const pp_state *s, const pp_force *e);
/* Energies of a state, and increases of potentials from s0 to s1: of gravity, of springs between points, of springs in joints [M L^2/T^2]. */
double pp_kinetic_energy(const perp_world *w, const pp_state *s);
double pp_shown_kinetic_energy(const perp_world *w, const pp_state *s); /* with velocities of t */
double pp_gravity_change(const perp_world *w, const pp_state *s0, const pp_state *s1);
double pp_spring_change(const perp_world *w, const pp_state *s0, const pp_state *s1);
double pp_joint_spring_change(const perp_world *w, const pp_state *s0, const pp_state *s1);

#endif
