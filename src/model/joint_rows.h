/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_rows.h - joints as rows: frames and poses -> coordinates, errors, constraint rows.
 * The functions take poses and velocities of two sides; they do not use worlds. */
#ifndef PP_JOINT_ROWS_H
#define PP_JOINT_ROWS_H

#include "perp/joint.h"
#include "perp/step.h"

/* One side of a joint: a body, or the world (block -1, zero velocity). A kinematic body is at its pose at the end of the step, with
 * its mean velocity over the step. */
typedef struct pp_joint_side {
    perp_pose X_WB;
    double theta;   /* 2D: accumulated angle */
    perp_vec3 v, w; /* velocity of Bo, angular velocity, in W */
    int block;      /* mass block of a dynamic body, else -1 */
    int ndof;       /* 2, 3, 6 for a dynamic body, with or without a block; 0 for others */
} pp_joint_side;

/* Largest number of rows of a joint: 6 bilateral ones; for each of 3 coordinates limits (2), motor, spring and friction; and for each
 * coordinate an actuator, whose rows come after these and are numbered from PP_JOINT_OWN_ROWS. */
#define PP_JOINT_OWN_ROWS (6 + 5 * PERP_JOINT_MAX_COORD)
#define PP_JOINT_MAX_ROWS (PP_JOINT_OWN_ROWS + PERP_JOINT_MAX_COORD)
/* Number of the armature row of coordinate 0; the rows of coordinates 1, 2 have the numbers before it. A joint with n coordinates locks 6 - n motions, so
 * its own rows do not use these numbers. */
#define PP_JOINT_ARMATURE_ROW (PP_JOINT_OWN_ROWS - 1)

/* Marks a definition made by perp_joint_def_default(). */
#define PP_JOINT_COOKIE 0x4a4f494eu

/* Whether the kind is a coupling or tendon: it uses coordinates of other joints and has no bodies of its own. */
static inline bool pp_kind_couples(perp_joint_kind kind) {
    return kind == PERP_JOINT_COUPLING || kind == PERP_JOINT_TENDON;
}

/* Checks cookie, kind, frames (finite, unit quaternions to 1e-6), bounds and signs of limits, motors, springs and friction. The caller
 * checks ids. */
perp_status pp_joint_check(const perp_joint_def *def, int dim, char *why, size_t why_size);

/* Coordinates from poses. `last`: coordinates at the time before, from which angles are continued by the nearest turn
 * (NULL: the turn with |angle| <= pi). In 2D angles are differences of theta, continued likewise: theta may hold whole
 * turns from before the joint was made. */
void pp_joint_coords(const perp_joint_def *def, int dim, const pp_joint_side *a, const pp_joint_side *b,
                     const double *last, double *coord);
/* Their rates from the velocities. */
void pp_joint_rates(const perp_joint_def *def, int dim, const pp_joint_side *a, const pp_joint_side *b, double *rate);
/* Is the angle about an axis in space the only coordinate? Its rate then needs only orientations and angular velocities of A and B. */
bool pp_joint_is_hinge(const perp_joint_def *def, int dim);
double pp_joint_hinge_rate(const perp_joint_def *def, const perp_quat q[2], const perp_vec3 w[2]);

/* Errors of the bilateral part: at most 6, in the order of the rows; returns their number. */
int pp_joint_errors(const perp_joint_def *def, int dim, const pp_joint_side *a, const pp_joint_side *b, double *phi);

/* Name of a kind, which must be in range. */
const char *pp_joint_kind_name(perp_joint_kind kind);

/* Number of errors that are distances. They come first; the others are angles. */
int pp_joint_ntranslation(perp_joint_kind kind, int dim);

/* Constraint rows for a step of h: first the bilateral ones, then limits, motors, springs, friction by coordinate.
 * Row velocity is that of B relative to A; a positive impulse acts on B. There is a row for a limit only if it can be reached in the
 * step with the rate `margin` (an upper bound of the rate [L/T or rad/T]; INFINITY: always). Sets kind, and joint = -1. `coord` is
 * measured like the errors, with kinematic sides at their poses in a and b. If a side is a particle (ndof == dim), which has no
 * orientation, rotations are neither locked nor driven; pp_joint_errors() leaves them out too.
 * Returns the number of rows; none if both sides have no block. */
int pp_joint_rows(const perp_joint_def *def, int dim, const pp_joint_side *a, const pp_joint_side *b,
                  const double *coord, double h, double margin, perp_joint_row *out);

/* Arguments for making rows: see pp_joint_rows(). */
typedef struct pp_rows_for {
    const int *block; /* by body slot */
    double h, margin;
} pp_rows_for;

/* The same with the coordinates that follow the coordinates `last`, see pp_joint_coords(); how->block is not used. */
int pp_joint_rows_since(const perp_joint_def *def, int dim, const pp_joint_side *a, const pp_joint_side *b,
                        const double *last, const pp_rows_for *how, perp_joint_row *out);

/* Rows of limits, motor, spring and friction of one coordinate x, at most 5. along, against: the coordinate's row without law, and the
 * same with the other sign. Returns their number. */
int pp_joint_axis_rows(const perp_joint_row *along, const perp_joint_row *against, const perp_joint_axis *ax, double x,
                       double h, double margin, perp_joint_row *out);

/* A row along a coordinate, without law: b = 0, kind motor. False if there is none: an angle of a particle, or no side has a block. */
bool pp_joint_coordinate_row(const perp_joint_def *def, int dim, const pp_joint_side *a, const pp_joint_side *b,
                             int coord, perp_joint_row *out);

/* A motor without force limit keeps the limits of its own coordinate itself: there are no rows for them, which would depend
 * on its own. */
bool pp_motor_keeps_limits(const perp_joint_axis *ax);
/* The right-hand side b of such a motor's row, changed so that the demanded speed does not pass the limits within h. A limit that
 * is passed already is returned to in `whole`, the time of a whole step. x: the coordinate; x + h J nu is the coordinate at the end of the
 * step. */
double pp_motor_within_limits(const perp_joint_axis *ax, double x, double h, double whole, double b);

/* Impulse p of a row as a wrench on B at the origin of Jb, in W, for read-out: linear and angular part. */
perp_wrench pp_joint_row_wrench(const perp_joint_row *r, int dim, const pp_joint_side *b, const perp_joint_def *def,
                                double p);

#endif
