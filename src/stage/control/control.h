/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* control.h - stage 1: forces and driven bodies; the free motion of bodies. */
#ifndef PP_STAGE_CONTROL_H
#define PP_STAGE_CONTROL_H

#include "math/turn_free.h"
#include "stage/frame.h"

/* time -> forces, kinematic poses, momentum. */
perp_status pp_control(pp_frame *f);
/* Velocities of driven bodies at the time `later` after the start of a frame, for which pp_control() was called. Arrays
 * by body slot; velocities of other bodies are not changed. */
perp_status pp_driven_velocities(const pp_frame *f, double later, perp_vec3 *v, perp_vec3 *omega);
/* Returns PERP_E_SOLVE if a spring is too stiff for the step, unless it is the shortest. */
perp_status pp_check_springs(pp_frame *f);
/* Evaluates user functions and PD controllers, once per step. *out by body slot, in the arena. */
perp_status pp_control_held(perp_world *w, const perp_wrench **out);
/* Moves block k freely over h with the velocity nu (its ndof numbers), from its pose in `from`: on a straight line, and
 * rotating without torque. *end, unless NULL: w_to is its angular velocity at the end; the other fields are those of its rotation, I_B
 * is NULL if none of perp_rotate_free() was needed. Returns false if it rotates too fast.
 * With an implicit rotation nu is the velocity at the end, for the inertia there, and the block rotates by h w + bend. */
bool pp_move_block(const pp_frame *f, int k, const pp_state *from, const double *nu, double h, pp_state *to,
                   pp_free_turn *end);
/* Displaces block k by h nu, with the exponential map for its rotation: a correction, not a motion in time. */
void pp_shift_block(const pp_frame *f, int k, const pp_state *from, const double *nu, double h, pp_state *to);
/* Writes the angular part of a 6 x 6 mass block, and of its inverse, for a body with orientation q. */
void pp_put_inertia(const pp_body *b, perp_quat q, double *M, double *Minv);
/* Displacement along a row by the bends of the free rotation [L or rad]: the angular part of J times the bends. */
double pp_row_bend(const pp_frame *f, const perp_row *row);

#endif
