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

#include "math/turn_free.h"
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

/* What "rate before" of a rotor is computed from, by side of its joint. A hinge in space needs only what stands before p, the rest is not set. */
typedef struct pp_rotor_motion {
    double back, ahead;
    perp_quat q[2];
    perp_vec3 w[2], moving_w[2]; /* before the kick; for free motion */
    perp_vec3 p[2], v[2], moving_v[2];
    double theta[2];
} pp_rotor_motion;

/* A rate that was computed. The certificate looks at the rotors again, and takes it only if it would be computed from the same numbers, to
 * the bit. */
typedef struct pp_rotor_known {
    int joint, coord;
    double rate;
    pp_rotor_motion motion;
} pp_rotor_known;

/* Free rotations of bodies and rates of rotors that were computed for one kick: each body has several joints. A rotation is taken from here only
 * if body, time, orientation and angular velocity are the same to the bit. All zero: none. */
#define PP_FREE_TURNS 32
typedef struct pp_free_turns {
    int body[2][PP_FREE_TURNS]; /* slot + 1, at slot modulo PP_FREE_TURNS; 0: none */
    pp_free_turn turn[2][PP_FREE_TURNS];
    pp_rotor_known *rotor; /* by rotor, in the order of their rows; NULL: not kept */
} pp_free_turns;

/* Whether a joint of the world has armature. */
bool pp_has_armature(const perp_world *w);
/* "rate before" of a coordinate, see above [L/T or rad/T]. known: may be it, or NULL. found: of this kick, read and written */
double pp_rotor_rate(const perp_world *w, const pp_rotor_kick *k, int joint, int coord, const pp_rotor_known *known,
                     pp_free_turns *found);
/* Rows of all rotors, with the bodies at the poses of s (kinematic ones at the end of the step). number: by row, its number within the joint; may be
 * NULL. found: of this kick, written; may be NULL. @return how many */
int pp_armature_rows(const perp_world *w, const pp_state *s, const int *block, const pp_rotor_kick *k,
                     perp_joint_row *rows, int *number, pp_free_turns *found);
/* Energy of all rotors, with rates at the time of the velocities, which is `lag` before that of the poses: half of the substep that ended there. */
double pp_rotor_energy(const perp_world *w, const pp_state *s, double lag);

#endif
