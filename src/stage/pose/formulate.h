/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* formulate.h - stage 4: the step problem. */
#ifndef PP_STAGE_FORMULATE_H
#define PP_STAGE_FORMULATE_H

#include "model/armature.h"
#include "stage/frame.h"

/* How contacts become rows; all zero: by their laws, where f->demand says. */
typedef struct pp_pose_options {
    bool no_lift; /* nothing is asked to open, whatever its gap: then there is always an answer */
    /* With levers of the end: the impulse between two dynamic bodies acts at one point of their start poses, so that it keeps their
     * angular momentum. */
    bool one_point;
} pp_pose_options;

/* contacts, joints -> step problem. */
perp_status pp_formulate(pp_frame *f, const pp_pose_options *o);
/* Of a solved frame: by how much the slip on driven bodies that the rows speak of differs from that of the answer [L/T]. */
double pp_slip_miss(const pp_frame *f);
/* The step problem of the frame without any rows: what the bodies do by themselves. */
perp_step_problem pp_free_problem(const pp_frame *f);

/* The kick of a frame as rotors see it. */
pp_rotor_kick pp_rotor_kick_of(const pp_frame *f);

#endif
