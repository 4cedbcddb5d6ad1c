/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* budget.h - the work limit of a step, and its distribution over parts and solvers
 *
 * A step has perp_world_def.work_limit. Each part of a divided step may use half of what is left, and each solver of a problem half of
 * the share of that part. So work always remains for the next part or solver. A step that has used nearly all of it ends. */
#ifndef PP_BUDGET_H
#define PP_BUDGET_H

#include "model/world_data.h"

/* [1] Part of the work limit of a step that it may use beyond it for what must still be done: a jammed part, the names of what jams it. */
#define PP_LAST_SHARE 0.05
/* [1] Smallest part of the work at hand that is worth a try: with less left nothing more is begun, and pivoting on a small problem in the plane
 * gets no more before the problem is solved as cones (3500 pivots of 66 unknowns). */
#define PP_LEAST_SHARE (1.0 / 64)

/* Resets the work count at the start of a step. */
void pp_budget_start(perp_world *w);
/* Lowers the limit of `work` to half of what is left up to `whole`. @return the old limit, which the caller restores */
double pp_budget_share(pp_work *work, double whole);
/* Counts the work of posing a problem; size: number of rows and blocks. True: the share of the present part is used up. */
bool pp_budget_used(perp_world *w, double size);
/* Counts the work of the distance or of the contacts of two shapes. */
void pp_budget_pair(perp_world *w, const pp_geometry *a, const pp_geometry *b);
/* Counts the work of the free rotation of a body over h with angular velocity om (perp_rotate_free), as far as posing does not include
 * it. It grows with |om| h. */
void pp_budget_turn(perp_world *w, const pp_body *b, double h, perp_vec3 om);
/* Returns PERP_E_SOLVE with a sentence, for a part that has used up its share. */
perp_status pp_budget_fail(perp_world *w);
/* Whether the whole step has nearly used up its budget. If so, this is put before the present message. */
bool pp_budget_exhausted(perp_world *w);

#endif
