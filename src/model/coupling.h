/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* coupling.h - coordinates, errors, rates and rows of the joints of a world, whatever their kind
 *
 * Joints between bodies are those of joint_rows.h. Couplings and tendons use a sum over coordinates q_k of such joints,
 *     x = offset + sum_k P_k(q_k),   x' = sum_k P_k'(q_k) q_k',
 * so a row along x is the sum of the rows along q_k, each times P_k'. It has blocks for the bodies of all these joints: perp_row.more. A coupling has one
 * locked motion, x = 0. A tendon has the coordinate x, which may have limits, a motor, a spring and friction like that of any joint.
 * Below, poses and velocities are those of the state `s`; angles are continued from the coordinates of the state `last`. */
#ifndef PP_COUPLING_H
#define PP_COUPLING_H

#include "model/world_data.h"

/* Whether a joint is a coupling or a tendon. */
static inline bool pp_couples(const pp_joint *j) { return pp_kind_couples(j->def.kind); }
/* Whether the world has a coupling or tendon. */
bool pp_has_couplings(const perp_world *w);

/* P(q) and P'(q) of a term. */
double pp_term_value(const perp_joint_term *t, double q);
double pp_term_slope(const perp_joint_term *t, double q);

/* Coordinates of a joint: as many as it has. */
void pp_joint_coords_at(const perp_world *w, const pp_state *s, const pp_state *last, int joint, double *coord);
/* Their rates, with the velocities at the time of the state. */
void pp_joint_rates_at(const perp_world *w, const pp_state *s, int joint, double *rate);
/* Errors of its locked motions: at most 6. @return how many. */
int pp_joint_errors_at(const perp_world *w, const pp_state *s, const pp_state *last, int joint, double *phi);

/* The row along a coordinate, without law (pp_joint_coordinate_row()). @return 1; 0: there is none; -1: no memory in the arena, which holds the list of
 * further blocks. */
int pp_joint_coordinate_row_at(perp_world *w, const pp_state *s, const pp_state *last, const int *block, int joint,
                               int coord, perp_joint_row *out);

/* Rows of a joint; row[].joint is set. @return how many, at most PP_JOINT_MAX_ROWS; 0: it is dead, or none of its bodies is dynamic; -1: no memory */
int pp_joint_rows_at(perp_world *w, const pp_state *s, const pp_state *last, int joint, const pp_rows_for *how,
                     perp_joint_row *out);

/* Marks the forces on the bodies of a joint as changed by the user: see pp_forces_were_set(). */
void pp_joint_forces_were_set(perp_world *w, int joint);

#endif
