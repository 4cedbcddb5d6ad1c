/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* give_way.h - contacts and joints of a jammed island that give way a little, for stage/solve/solve_step.c. */
#ifndef PP_GIVE_WAY_H
#define PP_GIVE_WAY_H

#include "model/actuator.h"
#include "problem/islands.h"
#include "stage/frame.h"

/* Gives the rows of an island that nothing else would let yield a compliance, in the island's problem and in the frame's.
 * *gives: false if they have it already, or if restitution asks a contact to open. PERP_E_MEMORY */
perp_status pp_give_way(pp_frame *f, pp_island *island, bool *gives);

/* How fast rows that were lent a compliance give way in the answer of the frame: the largest violation of their laws without it
 * [L/T], which joins *law too. *rows: how many were lent one. Of an island; NULL: of all. */
double pp_gave_way(const pp_frame *f, const pp_island *island, perp_step_residual *law, int *rows);

/* Is joint row i of a frame that of a servo? A motor that was lent a compliance looks like one. */
static inline bool pp_row_is_servo(const pp_frame *f, int i) {
    const perp_joint_row *r = &f->pose.problem.joint[i];
    return pp_is_servo(r) && !(f->solve.lent_joint && f->solve.lent_joint[i] > 0);
}

#endif
