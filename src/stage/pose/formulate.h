/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* formulate.h - stage 4: the step problem. */
#ifndef PP_STAGE_FORMULATE_H
#define PP_STAGE_FORMULATE_H

#include "model/armature.h"
#include "stage/frame.h"

/* How contacts become rows. All zero: by their laws, at the places that f->demand gives. */
typedef struct pp_pose_options {
    bool no_lift; /* no contact is required to open, whatever its gap: then there is always a solution */
    /* With lever arms of the end: the impulse between two dynamic bodies acts at one point of their start poses, so
     * that it conserves their angular momentum. */
    bool one_point;
    /* The slip of every contact is its displacement over the step (slip.c). Otherwise this holds on driven bodies only. */
    bool finite_slip;
} pp_pose_options;

/* Makes the joint rows of a frame for all later calls of pp_formulate(), which add only what is demanded: for rounds. Forces, control and
 * the poses of the start must not change after it. */
perp_status pp_keep_joint_rows(pp_frame *f);
/* Of the right-hand side b of a row of a joint or a limit at the start pose: the part that is an error there, to be removed. */
double pp_row_error(const perp_joint_row *row, double b);
/* contacts, joints -> step problem. */
perp_status pp_formulate(pp_frame *f, const pp_pose_options *o);
/* The step problem of the frame without rows: the motion of the bodies without constraints. */
perp_step_problem pp_free_problem(const pp_frame *f);

/* The kick of a frame for rotors. */
pp_rotor_kick pp_rotor_kick_of(const pp_frame *f);

#endif
