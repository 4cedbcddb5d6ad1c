/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_pose.h - output of stage 4 (stage/pose): the step problem. Steppers with their own step equations write it
 * themselves. */
#ifndef PP_FRAME_POSE_H
#define PP_FRAME_POSE_H

#include "perp/step.h"

typedef struct pp_frame_pose {
    perp_step_problem problem;
    perp_joint_row *joint_row; /* problem.joint, writable */
    int *row_number;           /* by joint row: number within its joint, for warm starts */
    double *joint_rest; /* by joint row: the part of the error of the start that b does not remove [L/T or rad/T] */
    /* 3 per contact: velocity of drives in the slip along t and o and in the spin, if b_t, b_o and b_r contain other
     * terms (springs along the surface, friction at the mean slip). NULL: b_t, b_o and b_r are these velocities. For
     * the ledger [L/T, L/T, rad/T]. */
    const double *slip_driven;
} pp_frame_pose;

/* Velocity of drives in the slip of contact i along t and o (which = 0, 1), and in its spin (2). */
static inline double pp_driven_slip(const pp_frame_pose *p, int i, int which) {
    const perp_contact_row *c = &p->problem.contact[i];
    if (p->slip_driven) return p->slip_driven[3 * i + which];
    return which == 0 ? c->b_t : which == 1 ? c->b_o : c->b_r;
}

#endif
