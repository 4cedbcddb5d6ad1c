/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* rollout.h - a whole toss simulated by perp. */
#ifndef STUDY_ROLLOUT_H
#define STUDY_ROLLOUT_H

#include "predict.h"

/* State at the start of a toss, in the conventions of the data. */
typedef struct rollout_start {
    perp_pose X_WB; /* of the middle */
    perp_vec3 v_W, w_B;
} rollout_start;

/* Opens the scene with these values, starts it there, and writes the pose of the cube's middle in each of `rows` rows; out[0] is the
 * start. The scene has the parameters and the body of studies/real-tosses/scene.yaml. */
perp_status rollout_run(const char *scene, const predict_values *values, const rollout_start *start, int rows,
                        perp_pose *out, perp_refusal *why);

/* Distance of two middles [m] and angle between two orientations [rad]. */
double rollout_distance(perp_pose a, perp_pose b);
double rollout_angle(perp_pose a, perp_pose b);

#endif
