/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_chain_damping.h - tension that holds links of a chain in line, taken at the end of the step where it is too stiff for its
 * start. */
#ifndef PP_JOINT_CHAIN_DAMPING_H
#define PP_JOINT_CHAIN_DAMPING_H

#include "stage/frame.h"

/* What turning does to the torques of the joints of one block in a step: an angular impulse -stiffness (axis . w - rate) axis. */
typedef struct pp_chain_damping {
    int block;
    perp_vec3 axis;   /* of length 1, in W */
    double stiffness; /* h times the change of the angular impulse with the angle [M L^2] */
    double rate;      /* of the chain as a whole about the axis, at the start: that is no oscillation [rad/T] */
} pp_chain_damping;

/* From a frame that is solved: what it should be solved again with. *n: how many, mostly none; they lie in the arena. */
perp_status pp_find_ripples(pp_frame *f, pp_chain_damping **out, int *n);

#endif
