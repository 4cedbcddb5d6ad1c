/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* slip.h - the slip of a contact over a step, as a displacement with finite rotations. */
#ifndef PP_STAGE_SLIP_H
#define PP_STAGE_SLIP_H

#include "stage/frame.h"

/* Can slips be displacements in this frame? Only in whole steps, not in kicks, and with `driven: mean`. */
bool pp_slip_spans_step(const pp_frame *f);
/* Adds to the right-hand sides of friction of contact i what its linear rows lack of the displacement over the step: demand.slip, or, without
 * it, the value at demand.end_nu or at the start velocity, and stores it in pose.slip. arm: lever arms of the rows of friction of
 * A and B. Contacts whose slip is a velocity stay as they are: see slip.c. */
void pp_slip_finish(pp_frame *f, int i, const perp_vec3 arm[2], perp_contact_row *row);
/* The same for the velocities nu (ndof), which lead to the poses `end`: what pose.slip would have to be. */
pp_slip_terms pp_slip_terms_at(const pp_frame *f, int i, const double *nu, const pp_state *end);

#endif
