/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file math.h
 *  Vectors, quaternions, 3x3 matrices and poses, as small values passed by copy.
 *
 *  Quaternions are (w, x, y, z), unit, and map body to world: x_W = q x_B q*.
 *  A 3x3 matrix is stored by columns: m.c[j] is column j.
 *  Frames are written quantity_FromTo_ExpressedIn: X_WB is the pose of frame B in W. */
#ifndef PERP_MATH_H
#define PERP_MATH_H

#include <math.h>

#include "perp/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A vector of three numbers; in 2D worlds z is zero. */
typedef struct perp_vec3 {
    double x, y, z;
} perp_vec3;

/** A quaternion w + xi + yj + zk. */
typedef struct perp_quat {
    double w, x, y, z;
} perp_quat;

/** A 3x3 matrix by columns. */
typedef struct perp_mat3 {
    perp_vec3 c[3];
} perp_mat3;

/** Position and orientation of a frame. */
typedef struct perp_pose {
    perp_vec3 p; /**< origin [L] */
    perp_quat q; /**< orientation, unit */
} perp_pose;

/** Force and torque, or linear and angular impulse, about a stated point. */
typedef struct perp_wrench {
    perp_vec3 force;  /**< [M L/T^2] */
    perp_vec3 torque; /**< [M L^2/T^2] */
} perp_wrench;

/** @name Vectors
 *  @{ */
/** The vector (x, y, z). */
static inline perp_vec3 perp_v3(double x, double y, double z) {
    perp_vec3 r = {x, y, z};
    return r;
}
/** a + b */
static inline perp_vec3 perp_v3_add(perp_vec3 a, perp_vec3 b) { return perp_v3(a.x + b.x, a.y + b.y, a.z + b.z); }
/** a - b */
static inline perp_vec3 perp_v3_sub(perp_vec3 a, perp_vec3 b) { return perp_v3(a.x - b.x, a.y - b.y, a.z - b.z); }
/** -a */
static inline perp_vec3 perp_v3_neg(perp_vec3 a) { return perp_v3(-a.x, -a.y, -a.z); }
/** s a */
static inline perp_vec3 perp_v3_scale(double s, perp_vec3 a) { return perp_v3(s * a.x, s * a.y, s * a.z); }
/** a + s b */
static inline perp_vec3 perp_v3_axpy(perp_vec3 a, double s, perp_vec3 b) {
    return perp_v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
/** a . b */
static inline double perp_v3_dot(perp_vec3 a, perp_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
/** a x b */
static inline perp_vec3 perp_v3_cross(perp_vec3 a, perp_vec3 b) {
    return perp_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
/** |a| */
static inline double perp_v3_norm(perp_vec3 a) { return sqrt(perp_v3_dot(a, a)); }
/** a/|a|; the zero vector stays zero. */
static inline perp_vec3 perp_v3_unit(perp_vec3 a) {
    double n = perp_v3_norm(a);
    return n > 0 ? perp_v3_scale(1 / n, a) : a;
}
/** Whether all components are finite. */
static inline bool perp_v3_finite(perp_vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }
/** Two unit vectors t, o such that (n, t, o) is right-handed; n must be a unit vector. In the x-y plane
 *  (n.z == 0) t is n turned by +90 degrees about z and o is +z. */
PERP_API void perp_v3_frame(perp_vec3 n, perp_vec3 *t, perp_vec3 *o);
/** @} */

/** @name Matrices
 *  @{ */
/** The diagonal matrix of a, b, c. */
static inline perp_mat3 perp_m3_diag(double a, double b, double c) {
    perp_mat3 m = {{{a, 0, 0}, {0, b, 0}, {0, 0, c}}};
    return m;
}
/** m v */
static inline perp_vec3 perp_m3_mul_v(perp_mat3 m, perp_vec3 v) {
    return perp_v3(m.c[0].x * v.x + m.c[1].x * v.y + m.c[2].x * v.z, m.c[0].y * v.x + m.c[1].y * v.y + m.c[2].y * v.z,
                   m.c[0].z * v.x + m.c[1].z * v.y + m.c[2].z * v.z);
}
/** transpose(m) v */
static inline perp_vec3 perp_m3_tmul_v(perp_mat3 m, perp_vec3 v) {
    return perp_v3(perp_v3_dot(m.c[0], v), perp_v3_dot(m.c[1], v), perp_v3_dot(m.c[2], v));
}
/** a b */
static inline perp_mat3 perp_m3_mul(perp_mat3 a, perp_mat3 b) {
    perp_mat3 r = {{perp_m3_mul_v(a, b.c[0]), perp_m3_mul_v(a, b.c[1]), perp_m3_mul_v(a, b.c[2])}};
    return r;
}
/** transpose(m) */
static inline perp_mat3 perp_m3_transpose(perp_mat3 m) {
    perp_mat3 r = {{{m.c[0].x, m.c[1].x, m.c[2].x}, {m.c[0].y, m.c[1].y, m.c[2].y}, {m.c[0].z, m.c[1].z, m.c[2].z}}};
    return r;
}
/** a + b */
static inline perp_mat3 perp_m3_add(perp_mat3 a, perp_mat3 b) {
    perp_mat3 r = {{perp_v3_add(a.c[0], b.c[0]), perp_v3_add(a.c[1], b.c[1]), perp_v3_add(a.c[2], b.c[2])}};
    return r;
}
/** s a */
static inline perp_mat3 perp_m3_scale(double s, perp_mat3 a) {
    perp_mat3 r = {{perp_v3_scale(s, a.c[0]), perp_v3_scale(s, a.c[1]), perp_v3_scale(s, a.c[2])}};
    return r;
}
/** The matrix [a]x with [a]x b = a x b. */
static inline perp_mat3 perp_m3_skew(perp_vec3 a) {
    perp_mat3 r = {{{0, a.z, -a.y}, {-a.z, 0, a.x}, {a.y, -a.x, 0}}};
    return r;
}
/** Inverse by cofactors. m must be regular; a singular m gives infinities or NaN. */
PERP_API perp_mat3 perp_m3_inverse(perp_mat3 m);
/** Eigenvalues of a symmetric matrix, ascending, and its eigenvectors as the columns of a rotation
 *  matrix (NULL if not needed). Jacobi rotations: accurate to rounding for any symmetric input. */
PERP_API perp_vec3 perp_m3_eigen(perp_mat3 m, perp_mat3 *vectors);
/** @} */

/** @name Rotations
 *  @{ */
/** No rotation: (1, 0, 0, 0). */
static inline perp_quat perp_q_identity(void) {
    perp_quat q = {1, 0, 0, 0};
    return q;
}
/** The rotation b, then a: R(a b) = R(a) R(b). */
static inline perp_quat perp_q_mul(perp_quat a, perp_quat b) {
    perp_quat r = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                   a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return r;
}
/** The rotation back, if q is a unit quaternion. */
static inline perp_quat perp_q_conj(perp_quat q) {
    perp_quat r = {q.w, -q.x, -q.y, -q.z};
    return r;
}
/** |q| */
static inline double perp_q_norm(perp_quat q) { return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z); }
/** q/|q|; q must not be zero. */
static inline perp_quat perp_q_unit(perp_quat q) {
    double s = 1 / perp_q_norm(q);
    perp_quat r = {s * q.w, s * q.x, s * q.y, s * q.z};
    return r;
}
/** Whether all components are finite. */
static inline bool perp_q_finite(perp_quat q) {
    return isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z);
}
/** Rotates v: R(q) v. */
static inline perp_vec3 perp_q_rotate(perp_quat q, perp_vec3 v) {
    perp_vec3 u = {q.x, q.y, q.z};
    perp_vec3 t = perp_v3_scale(2, perp_v3_cross(u, v));
    return perp_v3_add(perp_v3_axpy(v, q.w, t), perp_v3_cross(u, t));
}
/** Rotates v back: transpose(R(q)) v. */
static inline perp_vec3 perp_q_unrotate(perp_quat q, perp_vec3 v) { return perp_q_rotate(perp_q_conj(q), v); }
/** Rotation matrix of a unit quaternion. */
PERP_API perp_mat3 perp_q_matrix(perp_quat q);
/** Unit quaternion of a rotation matrix. */
PERP_API perp_quat perp_q_from_matrix(perp_mat3 R);
/** Exponential map: the rotation by |phi| about phi. Exact at zero, no cancellation near it. */
PERP_API perp_quat perp_q_exp(perp_vec3 phi);
/** Logarithm: the rotation vector of q, of length at most pi. */
PERP_API perp_vec3 perp_q_log(perp_quat q);
/** Rotation by `angle` about the direction `axis` (need not be a unit vector). */
PERP_API perp_quat perp_q_axis_angle(perp_vec3 axis, double angle);
/** @} */

/** @name Poses
 *  @{ */
/** At the origin, without rotation. */
static inline perp_pose perp_pose_identity(void) {
    perp_pose X = {{0, 0, 0}, {1, 0, 0, 0}};
    return X;
}
/** Pose in the x-y plane, turned by `angle` about z. */
PERP_API perp_pose perp_pose_2d(double x, double y, double angle);
/** Pose at p without rotation. */
static inline perp_pose perp_pose_at(double x, double y, double z) {
    perp_pose X = {{x, y, z}, {1, 0, 0, 0}};
    return X;
}
/** x_W of the point x_B. */
static inline perp_vec3 perp_pose_apply(perp_pose X_WB, perp_vec3 x_B) {
    return perp_v3_add(X_WB.p, perp_q_rotate(X_WB.q, x_B));
}
/** x_B of the point x_W. */
static inline perp_vec3 perp_pose_unapply(perp_pose X_WB, perp_vec3 x_W) {
    return perp_q_unrotate(X_WB.q, perp_v3_sub(x_W, X_WB.p));
}
/** X_AC = X_AB X_BC */
static inline perp_pose perp_pose_mul(perp_pose X_AB, perp_pose X_BC) {
    perp_pose X = {perp_pose_apply(X_AB, X_BC.p), perp_q_mul(X_AB.q, X_BC.q)};
    return X;
}
/** X_BA of X_AB. */
static inline perp_pose perp_pose_inverse(perp_pose X) {
    perp_pose Y = {perp_v3_neg(perp_q_unrotate(X.q, X.p)), perp_q_conj(X.q)};
    return Y;
}
/** @} */

/** @name Inertia
 *  @{ */
/** Mass, centre of mass and inertia about it of a rigid body, in one frame B. */
typedef struct perp_mass {
    double mass;     /**< [M] */
    perp_vec3 com_B; /**< centre of mass [L] */
    perp_mat3 I_B;   /**< inertia about the centre of mass, axes of B [M L^2] */
} perp_mass;
/** The same body, expressed in frame A. */
PERP_API perp_mass perp_mass_move(perp_pose X_AB, perp_mass m);
/** Two bodies rigidly joined, both given in one frame. Masses may be negative (holes) as long as the sum is not
 *  zero. */
PERP_API perp_mass perp_mass_add(perp_mass a, perp_mass b);
/** R I R^T: inertia in world axes of a body with orientation q. */
PERP_API perp_mat3 perp_inertia_rotate(perp_quat q_WB, perp_mat3 I_B);
/** Torque-free rotation over time h of a body with inertia I_B: q and w_W (angular velocity in W) are replaced by
 *  their values after h. Keeps angular momentum to rounding, energy to rounding; exact if two moments of a diagonal I_B are
 *  equal, else fourth order in h (three implicit midpoint steps in the body frame with Cayley updates, composed
 *  after Yoshida 1990). Returns false, and changes nothing, if |w| h is beyond a thousand or the numbers are not
 *  finite. */
PERP_API bool perp_rotate_free(perp_mat3 I_B, double h, perp_quat *q_WB, perp_vec3 *w_W);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
