/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* support_rows.h - friction at the three points on which planar bodies rest (Berard 3.3), as rows of the step problem.
 * For steppers with `supports`. */
#ifndef PP_SUPPORT_ROWS_H
#define PP_SUPPORT_ROWS_H

#include "stage/stepper.h"

/* Acceleration that presses supported bodies on the plane [L/T^2]; 0 if the stepper has no supports. */
double pp_support_press(const perp_world *w);
/* Number of contact rows for the supports of the frame; 0 if the stepper has none. */
int pp_support_count(const pp_frame *f);
/* Appends them to the rows of the frame's contacts. f->pose.problem becomes three-dimensional, because friction of
 * supports has two directions. The normal impulse of each is known: h times its share of the weight. nu_free:
 * velocities without constraints; noise: slip below this has no direction [L/T]; row: has room for them. */
void pp_support_rows(pp_frame *f, const double *nu_free, double noise, perp_contact_row *row);

/* Contact models that work with supports; NULL at the end. The others choose among contacts and do not know supports. */
extern const char *const pp_support_models[];

#endif
