/* predict.h - one impact simulated by perp, to compare with the measured one. */
#ifndef STUDY_PREDICT_H
#define STUDY_PREDICT_H

#include "tosses.h"

#include "perp/scene.h"

/* Opens the scene of a toss at the pose and with the velocities before the impact, with the board at the lowest corner and without
 * gravity, makes one step, and compares the velocities with those measured after it:
 * *error = sqrt(|dv|^2 + 0.003 m^2 |dw|^2) [m/s], as in the README of the data. */
perp_status predict_impact(const char *scene, const cube *c, const toss_impact *i, double *error, perp_refusal *why);

#endif
