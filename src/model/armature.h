/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* armature.h - inertia on joint coordinates: rotors of drives
 *
 * A rotor with inertia a moves with a joint coordinate x: kinetic energy 1/2 a x'^2, force -a x'' on the coordinate. In a kick it takes the impulse
 *     p = -a (rate after - rate before),   that is the row  J nu + b + p/a = 0  with  b = b_kin - rate before.
 * Between kicks bodies move freely, and the rate changes although no impulse acts, because bodies and directions rotate. The impulses of the next kicks
 * must change the speed of the rotor accordingly. Therefore "rate before" is the rate at the kick minus the change of the rate by free motion over the
 * time interval of the kick, half of which lies before the kick and half after it. This is of second order and needs no memory. */
#ifndef PP_ARMATURE_H
#define PP_ARMATURE_H

#include "model/world_data.h"

/* A kick: its state and its time interval. */
typedef struct pp_rotor_kick {
    const pp_state *before; /* poses at the kick, velocities before it */
    const pp_state *
        moving; /* velocities at the time of the kick, for free motion: if its lag is not 0, those between stored and shown ones, */
    double
        part; /*   this part of the way. Substeps change velocities by less than the step for which they are shown. */
    double back, ahead; /* time interval of the kick, before and after it [T]; 0: an impact */
} pp_rotor_kick;

/* Free rotations of bodies that were computed for one kick: each body has several joints, and the certificate looks at the rotors again. A
 * rotation is taken from here only if body, time, orientation and angular velocity are the same to the bit. All zero: none. */
#define PP_FREE_TURNS 32
typedef struct pp_free_turn {
    double time;
    perp_quat from, to;
    perp_vec3 w_from, w_to;
} pp_free_turn;
typedef struct pp_free_turns {
    int body[2][PP_FREE_TURNS]; /* slot + 1, at slot modulo PP_FREE_TURNS; 0: none */
    pp_free_turn turn[2][PP_FREE_TURNS];
} pp_free_turns;

/* Whether a joint of the world has armature. */
bool pp_has_armature(const perp_world *w);
/* "rate before" of a coordinate, see above [L/T or rad/T]. found: of this kick, read and written */
double pp_rotor_rate(const perp_world *w, const pp_rotor_kick *k, int joint, int coord, pp_free_turns *found);
/* Rows of all rotors, with the bodies at the poses of s (kinematic ones at the end of the step). number: by row, its number within the joint; may be
 * NULL. found: of this kick, written; may be NULL. @return how many */
int pp_armature_rows(const perp_world *w, const pp_state *s, const int *block, const pp_rotor_kick *k,
                     perp_joint_row *rows, int *number, pp_free_turns *found);
/* Energy of all rotors, with rates at the time of the velocities, which is `lag` before that of the poses: half of the substep that ended there. */
double pp_rotor_energy(const perp_world *w, const pp_state *s, double lag);

#endif
