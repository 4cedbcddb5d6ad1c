/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_control.h - output of stage 1 (stage/control): mass blocks, driven bodies, impulses of forces, momentum. All
 * data are in the world's arena. */
#ifndef PP_FRAME_CONTROL_H
#define PP_FRAME_CONTROL_H

#include "model/state.h"
#include "model/world_data.h"

typedef struct pp_frame_control {
    int nblock, ndof;
    int *block;      /* by body slot: mass block, or -1 */
    int *block_body; /* by block: body slot */
    int *block_ndof, *block_offset;
    perp_vec3 *end_v, *end_w; /* by body slot: velocities of kinematic bodies at the end; NULL: as in s1, the mean */
    perp_vec3 *start_v, *start_w; /* the same at the start; only for a half kick */
    /* By shape slot: velocity of its surface (stage/control/belt.h). NULL: no surface moves. */
    const struct pp_belt *belt;
    double *nu0; /* ndof: velocity at the start */
    /* ndof: impulses of forces, h f: gravity, applied forces, springs between points, their dampers */
    double *i_gravity, *i_applied, *i_spring, *i_damper;
    perp_quat *q_free; /* by block: orientation at the end without constraints (3D) */
    perp_vec3 *w_free; /* by block: angular velocity at that orientation */
    perp_vec3 *bend;   /* by block: rotation vector minus h times the velocity after the kick of the forces [rad] */
    double *M, *Minv, *momentum; /* see perp_step_problem; inertia at the start; for an implicit rotation at q_free */
} pp_frame_control;

#endif
