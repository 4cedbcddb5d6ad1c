/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* motion.h - prescribed motion of kinematic bodies: time -> pose. */
#ifndef PP_MOTION_H
#define PP_MOTION_H

#include "base/memory.h"
#include "perp/drive.h"

typedef struct pp_motion pp_motion;

/* Marks a definition made by perp_motion_def_default(). */
#define PP_MOTION_COOKIE 0x4d4f5645u

/* Checks and copies a definition. X_W0: the pose the body was given (its pose at t = 0 for a constant motion, the
 * centre for sinusoids; unused for user and table). In 2D angles count from that of X_W0 in [-pi, pi]. PERP_E_ARG,
 * PERP_E_MEMORY with a sentence. */
perp_status pp_motion_create(const perp_motion_def *def, int dim, perp_pose X_W0, const perp_allocator *a,
                             pp_motion **out, char *why, size_t why_size);
perp_status pp_motion_clone(const pp_motion *m, const perp_allocator *a, pp_motion **out);
/* Frees a motion. NULL is allowed. */
void pp_motion_destroy(pp_motion *m, const perp_allocator *a);

/* The definition and the pose that the motion was created with. A motion created from them is bitwise identical. Terms and table are
 * borrowed until the motion is destroyed. */
perp_motion_def pp_motion_definition(const pp_motion *m, perp_pose *X_W0);

/* Pose at time t, without an earlier pose (integrates from 0 if there is no closed form). theta: accumulated angle in 2D, else
 * 0. False if a user function returned numbers that are not finite, not a unit quaternion, or not planar in 2D. */
bool pp_motion_start(const pp_motion *m, double t, perp_pose *X, double *theta);
/* Pose at t1 from the pose at t0: the same as pp_motion_start(t1) to the integrator's accuracy (1e-12 per step at
 * least), and a pure function of its arguments. In 2D theta1 continues theta0: exactly, except that user functions are continued by
 * the nearest turn. False as above; then nothing is written. */
bool pp_motion_advance(const pp_motion *m, double t0, double t1, perp_pose X0, double theta0, perp_pose *X1,
                       double *theta1);

/* Rotation vector of the motion from its orientation q0 at t0 to q1 at t1, full turns included; of motions that do not tell them (user, table,
 * sinusoids about several axes) the shortest. */
perp_vec3 pp_motion_turn(const pp_motion *m, double t0, double t1, perp_quat q0, perp_quat q1);

#endif
