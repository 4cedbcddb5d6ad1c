/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* motion_sinusoid.h - sums of sinusoids of acceleration, integrated to positions and orientations; for the files
 * motion*.c. */
#ifndef PP_MOTION_SINUSOID_H
#define PP_MOTION_SINUSOID_H

#include "perp/drive.h"

/* Displacement from the centre at t: the sum of -A sin(omega t + phase)/omega^2 over linear terms [L]. */
perp_vec3 pp_sinusoid_displacement(const perp_sinusoid *term, int n, double t);
/* The same sum over angular terms: the angle, if all have one axis [rad]. */
double pp_sinusoid_angle(const perp_sinusoid *term, int n, double t);
/* Angular velocity at t in W: the sum of -A cos(omega t + phase)/omega over angular terms [rad/T]. */
perp_vec3 pp_sinusoid_spin(const perp_sinusoid *term, int n, double t);

/* An upper bound of the frequencies and of half the angular velocity [1/T]; 0 without angular terms. */
double pp_sinusoid_rate(const perp_sinusoid *term, int n);
/* Number of Runge-Kutta steps that keeps the error of an orientation over `span` below 1e-12, or at rounding level per step if the
 * span is longer than a period. A whole number, at least 1. */
double pp_sinusoid_steps(double rate, double span);
/* Orientation at t1 from q at t0: `nstep` steps of the classical Runge-Kutta method on q' = 1/2 (0, w) q. */
perp_quat pp_sinusoid_turn(const perp_sinusoid *term, int n, double t0, double t1, perp_quat q, double nstep);

/* Number of steps that pp_sinusoid_zero_mean() takes. */
double pp_sinusoid_zero_mean_steps(const perp_sinusoid *term, int n);
/* Orientation at t = 0 that makes the Euler angles of the motion symmetric about zero over one period of the slowest
 * term. */
perp_quat pp_sinusoid_zero_mean(const perp_sinusoid *term, int n);

#endif
