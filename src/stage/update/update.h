/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* update.h - stage 6: the next state. */
#ifndef PP_STAGE_UPDATE_H
#define PP_STAGE_UPDATE_H

#include "stage/frame.h"

/* velocity -> next state. */
perp_status pp_update(pp_frame *f);
/* The same if bodies are displaced by h drift (ndof) and not by h times the velocity at the end. */
perp_status pp_update_along(pp_frame *f, const double *drift);
/* Returns PERP_E_SOLVE if a joint opens too far in this step because its bodies rotate. Uses the uncorrected end poses. */
perp_status pp_check_opening(pp_frame *f);
/* For every substep that is to be taken, the shortest one too: returns PERP_E_SOLVE if a joint is torn apart in it. */
perp_status pp_check_torn(const pp_frame *f);
/* Williams' Algorithm 1: moves the end state back onto the joints. */
perp_status pp_correct_joints(pp_frame *f);

#endif
