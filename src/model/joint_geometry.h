/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_geometry.h - locked and free motions of each kind of joint, and the frames of a joint in W; for the files
 * joint_*.c. */
#ifndef PP_JOINT_GEOMETRY_H
#define PP_JOINT_GEOMETRY_H

#include "model/joint_rows.h"

/* Which rotations a kind locks. */
typedef enum pp_joint_turn {
    PP_TURN_FREE,
    PP_TURN_ALL,   /* all three: rotation vector of Jb in Ja is zero */
    PP_TURN_TILT,  /* x and y: the z axes stay parallel */
    PP_TURN_CROSS, /* one: z of Ja stays perpendicular to x of Jb */
    PP_TURN_PLANE  /* 2D: the one there is */
} pp_joint_turn;

/* What a coordinate measures. */
typedef enum pp_joint_measure {
    PP_SUM,     /* sum over coordinates of other joints: see coupling.h */
    PP_ALONG_X, /* displacement of the origin of Jb along an axis of Ja */
    PP_ALONG_Y,
    PP_ALONG_Z,
    PP_TWIST,   /* rotation about z */
    PP_CROSS_Z, /* universal: rotation about z of Ja */
    PP_CROSS_X  /* universal: rotation about x of Jb */
} pp_joint_measure;

typedef struct pp_joint_kind_data {
    const char *name;
    bool exists;
    bool lock[3]; /* translation along x, y, z of Ja */
    pp_joint_turn turn;
    int ncoord;
    pp_joint_measure coord[PERP_JOINT_MAX_COORD];
} pp_joint_kind_data;

/* The kind's line of the table; the kind must be in range. */
const pp_joint_kind_data *pp_joint_kind_of(perp_joint_kind kind, int dim);

/* Frames of a joint in W. */
typedef struct pp_joint_frames {
    perp_vec3 xyz_a[3], xyz_b[3]; /* axes of Ja and Jb; those of Jb only of kinds that lock a tilt or a cross */
    perp_vec3 d;                  /* from the origin of Ja to that of Jb */
    perp_vec3 arm_a, arm_b;       /* from the centres of mass of A and B to the origin of Jb */
    perp_quat q_ab;               /* orientation of Jb in Ja */
    double turn;                  /* 2D: angle of Jb in Ja, with all whole turns of the bodies; 3D: 0 */
    bool can_turn;                /* false: a side is a particle, which has no orientation to lock or measure */
} pp_joint_frames;

pp_joint_frames pp_joint_frames_of(const perp_joint_def *def, int dim, const pp_joint_side *a, const pp_joint_side *b);
/* Only xyz_a and q_ab, from the orientations of the bodies. Returns that of Jb. */
perp_quat pp_joint_axes_of(const perp_joint_def *def, perp_quat q_WA, perp_quat q_WB, pp_joint_frames *f);

/* pp_joint_coords() and pp_joint_errors() of these frames. */
void pp_joint_coords_of(perp_joint_kind kind, int dim, const pp_joint_frames *f, const double *last, double *coord);
int pp_joint_errors_of(perp_joint_kind kind, int dim, const pp_joint_frames *f, double *phi);

/* Gradient of a scalar s: ds/dt = lin . (v_B - v_A) + ang_b . w_B + ang_a . w_A, all in W. */
typedef struct pp_joint_gradient {
    perp_vec3 lin, ang_a, ang_b;
} pp_joint_gradient;

/* Gradient of d . e, with e fixed in A. */
pp_joint_gradient pp_joint_along(const pp_joint_frames *f, perp_vec3 e);
/* Gradient of a scalar that only the relative rotation changes: u . (w_B - w_A). */
pp_joint_gradient pp_joint_about(perp_vec3 u);
/* Gradient of a coordinate. */
pp_joint_gradient pp_joint_measure_gradient(const pp_joint_frames *f, int dim, pp_joint_measure m);

/* Whether a coordinate is an angle. */
static inline bool pp_joint_is_angle(pp_joint_measure m) { return m >= PP_TWIST; }

/* angle + 2 pi k nearest to `near`. */
double pp_joint_nearest_turn(double angle, double near);
/* Angle of a planar orientation, in [-pi, pi]. */
double pp_joint_plane_angle(perp_quat q);

#endif
