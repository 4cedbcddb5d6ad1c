/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* loops.h - which joints of a step problem are parts of closed loops. */
#ifndef PP_LOOPS_H
#define PP_LOOPS_H

#include "base/memory.h"
#include "perp/step.h"

/* Whether a row is rigid and without bounds: a locked motion of a joint, or a coupling. */
bool pp_row_locks(const perp_joint_row *r);

/* By joint row, `part`: the number of the part of the mechanism whose loops its joint is in; -1: it is in no loop, or the row does not lock.
 * Locked motions of different parts do not depend on each other. Returns the number of parts; -1: no memory. */
int pp_loops_find(const perp_step_problem *p, pp_arena *arena, int *part);

#endif
