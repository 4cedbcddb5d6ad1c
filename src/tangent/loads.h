/* loads.h - of all loads that hold the same motion, some that are far from the ends of the laws. */
#ifndef PP_TANGENT_LOADS_H
#define PP_TANGENT_LOADS_H

#include "base/memory.h"
#include "perp/step.h"

/* Changes the impulses of s so that the velocity and all laws stay as they are, and so that the least of the margins
 * (modes.h) grows as far as it can or `enough` times the speed. Islands with few rows only; others keep what they have.
 * speed: that margins are compared with [L/T]. False: no memory. */
bool pp_loads_spread(const perp_step_problem *p, perp_step_solution *s, double speed, double enough, pp_arena *arena);

#endif
