/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* actuator.h - actuators as laws of a joint coordinate, and as rows of the step problem. */
#ifndef PP_ACTUATOR_H
#define PP_ACTUATOR_H

#include "model/world_data.h"

/* Force of an actuator on a joint coordinate x: f0 - k x - d x', clipped to [lo, hi]. */
typedef struct pp_servo {
    double f0, k, d, lo, hi;
} pp_servo;

pp_servo pp_servo_of(const perp_actuator_def *def);

/* Whether the force depends on x or x'. If so, the actuator is a row; otherwise it is a force that is known beforehand. */
static inline bool pp_servo_acts_back(const pp_servo *s) { return s->k > 0 || s->d > 0; }
/* The force of an actuator that does not depend on x or x'. */
static inline double pp_servo_force(const pp_servo *s) { return fmin(fmax(s->f0, s->lo), s->hi); }

/* Whether a row belongs to a servo. Its kind is motor, with compliance; rows of joint motors have none. */
static inline bool pp_is_servo(const perp_joint_row *r) { return r->kind == PERP_ROW_MOTOR && r->compliance > 0; }
/* Whether a row is a motor without force limit. */
static inline bool pp_is_unlimited_motor(const perp_joint_row *r) {
    return r->kind == PERP_ROW_MOTOR && r->hi == INFINITY && r->compliance == 0;
}

/* Copies ctrl, which the user may have written, from robot.ctrl into the actuators. If a number is not finite: PERP_E_ARG, and nothing
 * is copied. */
perp_status pp_ctrl_take(perp_world *w);

/* The row of a servo for a kick of length `span`: r is the row of its coordinate (pp_joint_coordinate_row()), x the coordinate with
 * kinematic bodies at the end of the step. With x+ = x + span J nu and x'+ = J nu + b_kin,  p = span (f0 - k x+ - d x'+)  is
 *   J nu + b + compliance p = 0,  b = (k x - f0 + d b_kin)/(span k + d),  compliance = 1/(span (span k + d)),
 * and  span lo <= p <= span hi  is the clipping. */
void pp_servo_row(const pp_servo *s, double x, double span, perp_joint_row *r);

/* Rows of all servos of a world, for a kick of length `span`, with the bodies at the poses of s; angles are continued from those in `last`.
 * number: by row, its number within the joint; may be NULL. @return how many; -1: no memory */
int pp_servo_rows(perp_world *w, const pp_state *s, const pp_state *last, const int *block, double span,
                  perp_joint_row *rows, int *number);

#endif
