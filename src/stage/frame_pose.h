/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_pose.h - what stage 4 gives (stage/pose): the step problem. Steppers with equations of their own write it themselves. */
#ifndef PP_FRAME_POSE_H
#define PP_FRAME_POSE_H

#include "perp/step.h"

typedef struct pp_frame_pose {
    perp_step_problem problem;
    perp_joint_row *joint_row; /* problem.joint, to write */
    int *row_number;           /* by joint row: number within its joint, for warm starts */
    double *joint_rest;        /* by joint row: what its b leaves of the error of the start [L/T or rad/T] */
    /* 3 per contact: what drives add to the slip along t and o and to the spin, where b_t, b_o and b_r have more in them (springs along
     * the surface, friction at the mean slip). NULL: b_t, b_o and b_r are that. For the ledger [L/T, L/T, rad/T]. */
    const double *slip_driven;
} pp_frame_pose;

/* Velocity that drives add to the slip of contact i along t and o (which = 0, 1), and to its spin (2). */
static inline double pp_driven_slip(const pp_frame_pose *p, int i, int which) {
    const perp_contact_row *c = &p->problem.contact[i];
    if (p->slip_driven) return p->slip_driven[3 * i + which];
    return which == 0 ? c->b_t : which == 1 ? c->b_o : c->b_r;
}

#endif
