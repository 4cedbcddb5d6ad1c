/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_chain_damping.h - implicit treatment of the tension in chains that are too stiff for the step. */
#ifndef PP_JOINT_CHAIN_DAMPING_H
#define PP_JOINT_CHAIN_DAMPING_H

#include "stage/frame.h"

/* Effect of rotation on the joint torques of one block in a step: an angular impulse -stiffness (axis . w - rate) axis. */
typedef struct pp_chain_damping {
    int block;
    perp_vec3 axis;   /* of length 1, in W */
    double stiffness; /* h times the change of the angular impulse with the angle [M L^2] */
    double rate; /* rotation rate of the whole chain about the axis at the start, which is not an oscillation [rad/T] */
} pp_chain_damping;

/* Finds, from a solved frame, the damping with which it should be solved again. *n: their number, mostly 0; allocated
 * in the arena. */
perp_status pp_find_chain_damping(pp_frame *f, pp_chain_damping **out, int *n);

#endif
