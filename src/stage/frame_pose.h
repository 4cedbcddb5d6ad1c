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
    /* 2 per contact: what drives add to the slip along t and o, where b_t and b_o have more in them (springs along the surface).
     * NULL: b_t and b_o are that. For the ledger [L/T]. */
    const double *slip_driven;
} pp_frame_pose;

#endif
