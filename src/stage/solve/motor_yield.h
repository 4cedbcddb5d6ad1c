/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* motor_yield.h - motors without force limit that are blocked; used by stage/solve/solve_step.c. */
#ifndef PP_MOTOR_YIELD_H
#define PP_MOTOR_YIELD_H

#include "problem/islands.h"
#include "stage/frame.h"

/* Gives the motors without force limit of an island a large limit, in the island's problem and in the frame's. *yields:
 * false if the island has no such motor; then nothing is changed. Returns PERP_OK or PERP_E_MEMORY. */
perp_status pp_yield_motors(pp_frame *f, pp_island *island, bool *yields);

/* Does a motor without force limit of this island have one in the memory of the last step or substep? If it does not
 * reach its limit now, the solution is that of the motor without limit. */
bool pp_motors_yielded(const pp_frame *f, const pp_island *island);

/* Is row i of a solved frame a motor without force limit that was given one, while some motor of the frame yields? */
bool pp_motor_was_limited(const pp_frame *f, int i);

/* Counts the motors of a solved island that had no limit in its rows `given`, were given one, and miss their speed by
 * more than `miss` [L/T]. */
void pp_count_yields(pp_frame *f, const pp_island *island, const perp_joint_row *given, double miss);

/* Residuals of dependent joint rows that no impulse can remove do not count against a solution (pp_acceptance). Checks
 * whether this provably hides motors without force limit whose speeds contradict the joints or each other. r: residual
 * of the present solution, which had to meet `tolerance`. why: the reason in words. Returns false if out of memory. */
bool pp_motors_contradict(const pp_frame *f, const pp_island *island, const perp_step_residual *r, double tolerance,
                          char *why, size_t size);

#endif
