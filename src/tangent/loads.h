/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* loads.h - among all impulses that give the same motion, some that are far from every change of mode. */
#ifndef PP_TANGENT_LOADS_H
#define PP_TANGENT_LOADS_H

#include "base/memory.h"
#include "perp/step.h"

/* Changes the impulses of s so that the velocity and all laws stay as they are, and so that the least of the margins
 * (modes.h) becomes as large as possible, at most `enough` times the speed. Only for islands with few rows; others keep
 * their impulses. speed: margins are compared with it [L/T]. False: no memory. */
bool pp_loads_spread(const perp_step_problem *p, perp_step_solution *s, double speed, double enough, pp_arena *arena);

#endif
