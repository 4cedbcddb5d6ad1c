/* motor_yield.h - motors without force limit that run against what cannot give way, for stepper/solve_step.c. */
#ifndef PP_MOTOR_YIELD_H
#define PP_MOTOR_YIELD_H

#include "problem/islands.h"
#include "world/frame.h"

/* Gives the motors without force limit of an island a large limit, in the island's problem and in the frame's. *yields: false
 * if the island has no such motor; then nothing is changed. PERP_E_MEMORY */
perp_status pp_yield_motors(pp_frame *f, pp_island *island, bool *yields);

#endif
