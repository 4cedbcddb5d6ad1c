/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* predict.h - one impact simulated by perp, to compare with the measured one. */
#ifndef STUDY_PREDICT_H
#define STUDY_PREDICT_H

#include "tosses.h"

#include "perp/scene.h"

enum { PREDICT_VALUES = 32 }; /* most parameters that are set */

/* Values of scene parameters; start with {.count = 0}. */
typedef struct predict_values {
    const char *name[PREDICT_VALUES]; /* borrowed */
    char text[PREDICT_VALUES][32];
    int count;
} predict_values;

/* Sets a parameter; name is borrowed. */
void predict_set(predict_values *v, const char *name, double x);

/* Opens the scene with these values, makes one step, and reads the velocity of the centre of mass of a body and its angular
 * velocity, in world axes. */
perp_status predict_step(const char *scene, const char *body, const predict_values *v, perp_vec3 *v_W, perp_vec3 *w_W,
                         perp_refusal *why);

/* An impact of the cube: the scene of a toss at the pose and with the velocities before it, the board at the lowest corner, no
 * gravity. *error = sqrt(|dv|^2 + 0.003 m^2 |dw|^2) of the velocities after it [m/s], as in the README of the data. */
perp_status predict_impact(const char *scene, const cube *c, const toss_impact *i, double *error, perp_refusal *why);

#endif
