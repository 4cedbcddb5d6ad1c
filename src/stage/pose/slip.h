/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* slip.h - the slip of a contact over a step, as a displacement with finite rotations. */
#ifndef PP_STAGE_SLIP_H
#define PP_STAGE_SLIP_H

#include "stage/frame.h"

/* Can slips be displacements in this frame? Only in whole steps, not in kicks, and with `driven: mean`. */
bool pp_slip_spans_step(const pp_frame *f);
/* Adds to the right-hand sides of the friction rows of contact i the difference between the displacement over the step and their linear slip. It is
 * linearised at demand.end_nu or, if that is NULL, at the start velocity, and stored in pose.slip. arm: lever arms of the friction rows on
 * A and B. Contacts whose slip is a velocity are not changed (see slip.c). */
void pp_slip_finish(pp_frame *f, int i, const perp_vec3 arm[2], perp_contact_row *row);
/* The value that pose.slip would have if it were linearised at the velocities nu (ndof), which lead to the poses `end`. */
pp_slip_terms pp_slip_terms_at(const pp_frame *f, int i, const double *nu, const pp_state *end);
/* For a solved frame: largest difference between pose.slip and its value at the solution, over contacts with an impulse [L/T]. end: poses
 * that the solution leads to. */
double pp_slip_miss(const pp_frame *f, const pp_state *end);

#endif
