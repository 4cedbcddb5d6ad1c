/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file drive.h
 *  Prescribed motion of kinematic bodies, and forces. */
#ifndef PERP_DRIVE_H
#define PERP_DRIVE_H

#include "perp/joint.h"
#include "perp/math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct perp_world perp_world;

/** @name Motion of kinematic bodies
 *  @{ */

/** Kinds of motion. */
typedef enum perp_motion_kind {
    PERP_MOTION_CONSTANT, /**< constant velocity and angular velocity, from the body's present pose */
    PERP_MOTION_USER,     /**< a function of time */
    PERP_MOTION_SINUSOID, /**< sums of sinusoids of acceleration (Berard 5.3) */
    PERP_MOTION_TABLE     /**< poses at given times, interpolated */
} perp_motion_kind;

/** One sinusoid amplitude sin(omega t + phase) of linear or angular acceleration, in world axes. */
typedef struct perp_sinusoid {
    bool angular; /**< false: p'' [L/T^2]; true: angular acceleration [rad/T^2] */
    int axis;     /**< 0, 1, 2: x, y, z; in 2D x, y linear and z angular only */
    double amplitude;
    double omega; /**< [rad/T], > 0 */
    double phase; /**< [rad] */
} perp_sinusoid;

/** A pose at a time. */
typedef struct perp_pose_at_time {
    double t; /**< [T] */
    perp_pose X_WB;
} perp_pose_at_time;

/** Definition of a motion. The pose at time t:
 *  - constant: moved by v (t - t0) and rotated by exp(w (t - t0)) from the body's pose at the time t0 when the motion is
 *    set;
 *  - user: as `pose` writes it; it may depend on t only (perp calls it for t and t + h, more than once);
 *  - sinusoid: centre + the double integral without constant or linear part, -A sin(omega t + phase)/omega^2 summed.
 *    The orientation solves q' = 1/2 (0, w) q with w the single integral, by a fourth-order Runge-Kutta method (closed
 *    form when all angular terms share an axis); it starts such that the angles are symmetric about the body's given
 *    orientation over one period of the slowest term if `zero_mean` is set, else at the given orientation;
 *  - table: linear interpolation of positions, shortest arc between orientations; constant before the first entry and after
 *    the last. */
typedef struct perp_motion_def {
    perp_motion_kind kind;
    perp_vec3 v_W, w_W;                                 /**< constant: velocity, angular velocity */
    void (*pose)(double t, perp_pose *X_WB, void *ctx); /**< user */
    void *ctx;                  /**< borrowed until the body is removed or gets another motion */
    const perp_sinusoid *terms; /**< sinusoid; copied */
    int nterm;
    bool zero_mean;                 /**< sinusoid; default true */
    const perp_pose_at_time *table; /**< table, strictly increasing times; copied */
    int ntable;
    uint32_t cookie; /**< set by perp_motion_def_default() */
} perp_motion_def;

/** A motion of this kind with nothing filled in. */
PERP_API perp_motion_def perp_motion_def_default(perp_motion_kind kind);
/** @} */

/** @name Forces
 *  @{ */

/** Kinds of force element. */
typedef enum perp_force_kind {
    PERP_FORCE_CONSTANT, /**< a wrench on body b */
    PERP_FORCE_SINUSOID, /**< wrench * sin(omega t + phase) on body b */
    PERP_FORCE_SPRING,   /**< spring and damper between a point of A and a point of B */
    PERP_FORCE_PD,       /**< PD control of one joint coordinate */
    PERP_FORCE_USER      /**< a wrench on body b from a function */
} perp_force_kind;

/** Definition of a force element. User functions and PD controllers are evaluated once per step, at its start, as by a digital
 *  controller. The others are evaluated at the start of each substep. All are constant in between. */
typedef struct perp_force_def {
    perp_force_kind kind;
    perp_body_id a, b;   /**< b: the body acted on. Spring: a may be {0}, the world */
    perp_vec3 point_A;   /**< spring: attachment in A (in the world if a is {0}) */
    perp_vec3 point_B;   /**< attachment in B; other kinds: where the force acts */
    perp_wrench wrench;  /**< constant, sinusoid: force at point_B and torque */
    bool body_frame;     /**< wrench is in axes of B instead of W */
    double omega, phase; /**< sinusoid [rad/T], [rad] */
    double stiffness;    /**< spring [M/T^2] */
    double rest_length;  /**< spring [L] */
    double damping;      /**< spring: damper along the line of the spring [M/T] */
    /** Spring: damper on the whole relative velocity, Berard (2.131) [M/T]. Its two forces are not on one line, so it does
     *  not conserve angular momentum. */
    double drag;
    perp_joint_id joint; /**< PD */
    int coord;           /**< PD: coordinate of the joint */
    double kp, kd;       /**< PD: force = kp (target - x) + kd (target_rate - x'), clipped to +-max_force */
    double target, target_rate, max_force; /**< PD; max_force INFINITY by default */
    /** User: writes force and torque about the centre of mass, in W. The world is in its state at the start of the step. */
    void (*user)(const perp_world *w, double t, perp_wrench *out, void *ctx);
    void *ctx;       /**< borrowed until the element is removed */
    uint32_t cookie; /**< set by perp_force_def_default() */
} perp_force_def;

/** A force element of this kind with nothing filled in. */
PERP_API perp_force_def perp_force_def_default(perp_force_kind kind);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
