/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* support_rows.h - the friction of the three points on which planar bodies rest (Berard 3.3), as rows of the step
 * problem. For steppers with `supports`. */
#ifndef PP_SUPPORT_ROWS_H
#define PP_SUPPORT_ROWS_H

#include "stage/stepper.h"

/* What presses supported bodies on the plane [L/T^2]; 0 where the stepper has no supports. */
double pp_support_press(const perp_world *w);
/* Contact rows that the supports of the frame add; 0 where the stepper has none. */
int pp_support_count(const pp_frame *f);
/* Adds them behind the rows of the frame's contacts: f->pose.problem becomes one of dimension 3, since friction of supports
 * has two directions. The normal impulse of each is known: h times its part of the weight.
 * nu_free: velocities without constraints; noise: slip below this has no direction [L/T]; row: with room for them. */
void pp_support_rows(pp_frame *f, const double *nu_free, double noise, perp_contact_row *row);

/* Contact models that go with supports; NULL at the end. Others choose among contacts, and know nothing of the points that bodies rest on. */
extern const char *const pp_support_models[];

#endif
