/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* turn_free.h - perp_rotate_free() where only the orientation at the end is needed. */
#ifndef PP_TURN_FREE_H
#define PP_TURN_FREE_H

#include "perp/math.h"

/* The orientation *q_WB after the free rotation of perp_rotate_free(), to the last bit. w_W: the angular velocity at the start. False, and
 * nothing changed, if it is not finite or the body spins too fast. */
bool pp_turn_free(perp_mat3 I_B, double h, perp_quat *q_WB, perp_vec3 w_W);

#endif
