/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sense.h - what a step leaves for the sensors of a world: impulses and changes of velocity. perp_sensor_read() makes readings of them. */
#ifndef PP_SENSE_H
#define PP_SENSE_H

#include "stage/frame.h"

/* Takes the impulses of a solved frame. add: it is a further part of the same step. */
void pp_sense_impulses(const pp_frame *f, bool add);
/* Takes the change of the velocities that are shown, from the state before the step to that after it. */
void pp_sense_motion(perp_world *w, const pp_state *before, const pp_state *after);
/* Forgets the last step. */
void pp_sense_nothing(perp_world *w);

#endif
