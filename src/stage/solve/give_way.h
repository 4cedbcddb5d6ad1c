/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* give_way.h - contacts and joints of a jammed island that give way a little; used by stage/solve/solve_step.c. */
#ifndef PP_GIVE_WAY_H
#define PP_GIVE_WAY_H

#include "model/actuator.h"
#include "problem/islands.h"
#include "stage/frame.h"

/* Adds a compliance to the rigid rows of an island, in the island's problem and in the frame's. *gives: false if they
 * have it already, or if restitution requires a contact to open. Returns PERP_OK or PERP_E_MEMORY. */
perp_status pp_give_way(pp_frame *f, pp_island *island, bool *gives);

/* Largest speed at which rows with added compliance give way in the solution of the frame: the violation of their laws
 * without it [L/T]. *law: includes these violations afterwards. *rows: number of such rows. For an island; NULL: for
 * all. */
double pp_gave_way(const pp_frame *f, const pp_island *island, perp_step_residual *law, int *rows);

/* Is joint row i of a frame a servo? A motor with added compliance looks like one, but is not. */
static inline bool pp_row_is_servo(const pp_frame *f, int i) {
    const perp_joint_row *r = &f->pose.problem.joint[i];
    return pp_is_servo(r) && !(f->solve.lent_joint && f->solve.lent_joint[i] > 0);
}

#endif
