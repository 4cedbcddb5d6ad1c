/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* motor_yield.h - motors without force limit that run against what cannot give way, for stage/solve/solve_step.c. */
#ifndef PP_MOTOR_YIELD_H
#define PP_MOTOR_YIELD_H

#include "problem/islands.h"
#include "stage/frame.h"

/* Gives the motors without force limit of an island a large limit, in the island's problem and in the frame's. *yields: false
 * if the island has no such motor; then nothing is changed. PERP_E_MEMORY */
perp_status pp_yield_motors(pp_frame *f, pp_island *island, bool *yields);

/* Counts motors of a solved island, without limit in its rows `given`, that were given one and miss their speed by more than `miss` [L/T]. */
void pp_count_yields(pp_frame *f, const pp_island *island, const perp_joint_row *given, double miss);

/* Joint rows that depend on each other count against no answer by what no impulse can remove (pp_acceptance). Is it proven
 * that this hides motors without force limit whose speeds contradict the joints or each other? r: of the answer at hand, which was to meet `tolerance`.
 * In words: why. False without memory. */
bool pp_motors_contradict(const pp_frame *f, const pp_island *island, const perp_step_residual *r, double tolerance,
                          char *why, size_t size);

#endif
