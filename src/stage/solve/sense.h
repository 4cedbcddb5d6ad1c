/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sense.h - stores impulses and velocity changes of a step for the sensors of a world. perp_sensor_read() computes the
 * readings from them. */
#ifndef PP_SENSE_H
#define PP_SENSE_H

#include "stage/frame.h"

/* Stores the impulses of a solved frame. add: a further substep of the same step. */
void pp_sense_impulses(const pp_frame *f, bool add);
/* Stores the change of the shown velocities over the step. */
void pp_sense_motion(perp_world *w, const pp_state *before, const pp_state *after);
/* Forgets the last step. */
void pp_sense_nothing(perp_world *w);

#endif
