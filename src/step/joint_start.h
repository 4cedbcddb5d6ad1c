/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_start.h - velocities that were given to bodies and contradict joints */
#ifndef PP_JOINT_START_H
#define PP_JOINT_START_H

#include "stage/frame.h"

/* Call before a step from s, a copy of the world's state, and before pp_stagger(). Velocities that were set since the last step and that
 * joints do not allow are stopped by an impact on the joints. *f: the frame of the impact, with the velocities after it in
 * its end state; NULL: there was none. */
perp_status pp_start_on_joints(perp_world *w, pp_state *s, pp_frame **f);
/* Adds the impact to the ledger of the step, after pp_show_energies(). f as above. staggered: the ledger has the energies that are shown. */
void pp_ledger_start_on_joints(pp_frame *f, bool staggered, perp_ledger *l);

#endif
