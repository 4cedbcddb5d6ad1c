/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file joint.h
 *  Joints between two bodies, or a body and the world, and couplings between the coordinates of joints.
 *
 *  Each joint has two frames, Ja fixed in body A and Jb fixed in body B, that coincide when the joint is at zero. Its
 *  axis is z of the frames. A joint allows some of the six relative motions (Williams 2.2.3, Table 2.1):
 *
 *  | kind        | 3D free motions                      | 2D free motions      |
 *  |-------------|--------------------------------------|----------------------|
 *  | fixed       | none                                 | none                 |
 *  | revolute    | rotation about z                     | rotation             |
 *  | prismatic   | translation along the axis z         | translation along x  |
 *  | cylindrical | both about and along z               | not in 2D            |
 *  | spherical   | all rotations                        | not in 2D            |
 *  | universal   | about z of Ja and about x of Jb      | not in 2D            |
 *  | planar      | translation along x, y, rotation z   | not in 2D            |
 *
 *  In 2D the prismatic axis is x of the frames, so that it lies in the plane.
 *
 *  Two kinds have no bodies and no frames of their own. They use the sum
 *      x = offset + sum_k (c[0] q_k + c[1] q_k^2 + c[2] q_k^3 + c[3] q_k^4)
 *  over coordinates q_k of other joints:
 *
 *  | kind     | what it does                                                                                   |
 *  |----------|------------------------------------------------------------------------------------------------|
 *  | coupling | keeps x = 0: gears, mimic joints, equality constraints between joints. It has no coordinate      |
 *  | tendon   | x is its one coordinate, which may have limits, a motor, a spring, friction and an actuator     |
 *
 *  A gear of ratio r, q_b = r q_a, is a coupling with the terms {b, 1} and {a, -r}. A coupling holds at the end of each step to
 *  rounding, as every joint does. The steppers stewart-trinkle, anitescu-potra and second-order support these kinds. */
#ifndef PERP_JOINT_H
#define PERP_JOINT_H

#include "perp/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of joint. */
typedef enum perp_joint_kind {
    PERP_JOINT_FIXED,
    PERP_JOINT_REVOLUTE,
    PERP_JOINT_PRISMATIC,
    PERP_JOINT_CYLINDRICAL,
    PERP_JOINT_SPHERICAL,
    PERP_JOINT_UNIVERSAL,
    PERP_JOINT_PLANAR,
    PERP_JOINT_COUPLING,
    PERP_JOINT_TENDON,
    PERP_JOINT_KIND_COUNT
} perp_joint_kind;

/** Largest number of coordinates of a joint. */
#define PERP_JOINT_MAX_COORD 3

/** Limits, motor, spring, damper, friction and armature of one joint coordinate; all off by default. Coordinates are, in
 *  order: revolute: angle; prismatic:
 *  displacement; cylindrical: displacement, angle; universal: angle about z of Ja, angle about x of Jb; planar: x, y,
 *  angle; tendon: the sum. Spherical, fixed and coupling have none. "force" below is a torque for an angle. */
typedef struct perp_joint_axis {
    bool limited;       /**< keep lo <= coordinate <= hi */
    double lo, hi;      /**< [L or rad]; lo <= hi; infinities allowed */
    bool motor;         /**< drive the coordinate at `motor_speed` with at most `motor_force` */
    double motor_speed; /**< [L/T or rad/T] */
    double motor_force; /**< >= 0; INFINITY: as strong as needed */
    double stiffness;   /**< >= 0: implicit spring towards `rest` [force/L or torque/rad] */
    double rest;        /**< [L or rad] */
    double damping;     /**< >= 0: implicit damper [force T/L or torque T/rad] */
    double friction;    /**< >= 0: dry friction, largest force or torque */
    /** >= 0: inertia that moves with this coordinate only, such as the rotor of a drive times the square of its gear ratio
     *  [M or M L^2]. The steppers stewart-trinkle, anitescu-potra and second-order support it; tendons do not. */
    double armature;
} perp_joint_axis;

/** Highest power of a coordinate in a coupling or tendon. */
#define PERP_JOINT_TERM_DEGREE 4

/** One joint coordinate q in the sum of a coupling or tendon: c[0] q + c[1] q^2 + c[2] q^3 + c[3] q^4. */
typedef struct perp_joint_term {
    perp_joint_id joint;              /**< a joint between bodies */
    int coord;                        /**< coordinate of it */
    double c[PERP_JOINT_TERM_DEGREE]; /**< finite, not all 0 */
} perp_joint_term;

/** Definition of a joint. Start from perp_joint_def_default(). */
typedef struct perp_joint_def {
    perp_joint_kind kind;
    perp_body_id a, b; /**< a may be {0}: the world; b may not. Coupling, tendon: both {0} */
    perp_pose X_AJ;    /**< frame Ja in body A (in the world if a is {0}) */
    perp_pose X_BJ;    /**< frame Jb in body B */
    perp_joint_axis axis[PERP_JOINT_MAX_COORD];
    /** Coupling, tendon: `nterm` terms, copied. If one of their joints is removed, the coupling or tendon is removed too. */
    const perp_joint_term *term;
    int nterm;        /**< coupling, tendon: at least 1; others: 0 */
    double offset;    /**< coupling, tendon: constant part of the sum */
    bool collide;     /**< true: the two bodies can touch each other; default false */
    const char *name; /**< copied; NULL for none */
    uint32_t cookie;  /**< set by perp_joint_def_default() */
} perp_joint_def;

/** A joint of this kind without bodies, with its frames at the body origins. */
PERP_API perp_joint_def perp_joint_def_default(perp_joint_kind kind);

/** Number of coordinates of a kind in a world of that dimension; -1 if the kind does not exist there. */
PERP_API int perp_joint_ncoord(perp_joint_kind kind, int dim);

#ifdef __cplusplus
}
#endif
#endif
