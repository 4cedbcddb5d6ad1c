/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file contact.h
 *  The contacts of a step, as perp_world_contacts() returns them. */
#ifndef PERP_CONTACT_H
#define PERP_CONTACT_H

#include "perp/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/** State of a contact in the last step. */
typedef enum perp_contact_state {
    PERP_CONTACT_SEPARATING, /**< no impulse */
    PERP_CONTACT_STICKING,   /**< normal impulse, no slip */
    PERP_CONTACT_SLIDING     /**< normal impulse and slip; also every contact with an impulse but without friction */
} perp_contact_state;

/** A potential contact of the last step between shapes A and B. Points and gap are measured before the step, with kinematic
 *  bodies already at their end pose. With PERP_GEOMETRY_END and the stepper "implicit", points and frame are those of the end
 *  of the step, where the impulses act. If the step was divided, these are the contacts and impulses of its last part. */
typedef struct perp_contact {
    perp_shape_id a, b;
    uint64_t feature;        /**< the same feature pair has the same number from step to step */
    perp_vec3 a_W, b_W;      /**< the two points [L] */
    perp_vec3 n_W, t_W, o_W; /**< unit normal from A to B, tangents: a right-handed frame */
    double gap;              /**< n . (b - a) before the step [L]: > 0 apart, < 0 overlap */
    double mu, restitution;  /**< of this pair */
    double restitution_t;    /**< of this pair: tangential restitution */
    double e_t, e_o, e_r; /**< elliptic and torsional friction of this pair, see perp_pair_law; e_t, e_o are never 0 */
    double e_roll;        /**< rolling friction of this pair, see perp_pair_law */
    double impulse_C[3];  /**< on B, along n, t, o [M L/T] */
    double spin_impulse;  /**< on B, about n [M L^2/T]; 0 unless e_r > 0 */
    double roll_impulse[2]; /**< on B, about t and o [M L^2/T]; 0 unless e_roll > 0 */
    double gap_end; /**< gap at the end of the step [L]: measured there, or, if the contact model does not measure it,
                               linearised: gap + h n . (relative velocity) */
    perp_contact_state state;
} perp_contact;

#ifdef __cplusplus
}
#endif
#endif
