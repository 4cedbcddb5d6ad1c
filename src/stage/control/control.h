/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* control.h - stage 1: forces and driven bodies; the motion of bodies by themselves. */
#ifndef PP_STAGE_CONTROL_H
#define PP_STAGE_CONTROL_H

#include "stage/frame.h"

/* time -> forces, kinematic poses, momentum. */
perp_status pp_control(pp_frame *f);
/* Velocities of driven bodies `later` after the start of a frame from pp_control() on, into arrays by body slot; those of other bodies
 * stay. */
perp_status pp_driven_velocities(const pp_frame *f, double later, perp_vec3 *v, perp_vec3 *omega);
/* PERP_E_SOLVE if a spring is too stiff for the step, unless it is the shortest. */
perp_status pp_check_springs(pp_frame *f);
/* User functions and PD controllers, once per step. *out by body slot, from the arena. */
perp_status pp_control_held(perp_world *w, const perp_wrench **out);
/* Moves block k freely over h with the velocity nu (ndof of it), from its pose in `from`: straight on, and turning
 * without torque. *w_end, if wanted: its angular velocity then. False if it spins too fast to tell. With an implicit
 * turn nu is the velocity at the end, on the inertia there, and the block turns by h w + bend. */
bool pp_move_block(const pp_frame *f, int k, const pp_state *from, const double *nu, double h, pp_state *to,
                   perp_vec3 *w_end);
/* Displaces block k by h nu, turning it by the exponential map: a correction, not a motion in time. */
void pp_shift_block(const pp_frame *f, int k, const pp_state *from, const double *nu, double h, pp_state *to);
/* Writes the angular part of a 6 x 6 block of mass, and of its inverse, for a body of orientation q. */
void pp_put_inertia(const pp_body *b, perp_quat q, double *M, double *Minv);
/* What the bends of the free rotation add to a displacement along a row [L or rad]: the angular part of J times
 * them. */
double pp_row_bend(const pp_frame *f, const perp_row *row);

#endif
