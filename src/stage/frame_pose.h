/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_pose.h - output of stage 4 (stage/pose): the step problem. Steppers with their own step equations write it
 * themselves. */
#ifndef PP_FRAME_POSE_H
#define PP_FRAME_POSE_H

#include "problem/rows.h"

/* What the linear rows of friction of a contact lack of its slip, a displacement with finite rotations (stage/pose/slip.c). */
typedef struct pp_slip_terms {
    perp_vec3 arm[2];           /* lever arms of the rows of friction [L] */
    double b[PP_FRICTION_ROWS]; /* in the right-hand sides, by row [L/T, L/T, 1/T] */
    bool finite;                /* false: the slip is a velocity, and b is 0 */
    bool driven;                /* a body is driven: b is the velocity of the drive, too */
} pp_slip_terms;

/* Joint rows of a frame as the laws pose them, without demands and chain damping: made once, copied in each round. The first `own` of
 * them can be shifted by demand.joint_shift, the others belong to servos and rotors. n = 0: not made. */
typedef struct pp_kept_rows {
    const perp_joint_row *row;
    int n, own;
    int *number; /* with room for chain damping; row_number and joint_rest of the frame point to these */
    double *rest;
    double *start_b;                 /* by own row: b at the start, before joint_rest and the bend of the motion */
    struct pp_free_turns *free_turn; /* of the bodies of rotors; NULL: there are no rotors */
} pp_kept_rows;

typedef struct pp_frame_pose {
    perp_step_problem problem;
    pp_kept_rows kept;
    perp_joint_row *joint_row; /* problem.joint, writable */
    int *row_number;           /* by joint row: number within its joint, for warm starts */
    double *joint_rest; /* by joint row: the part of the error of the start that b does not remove [L/T or rad/T] */
    /* PP_FRICTION_ROWS per contact: velocity of drives in the slip along the rows of friction (problem/rows.h), if b_t, b_o, b_r and b_roll
     * contain other terms (springs along the surface, friction at the mean slip). NULL: those are these velocities. For the ledger [L/T,
     * L/T, rad/T]. */
    const double *slip_driven;
    pp_slip_terms *slip; /* by contact; NULL in steppers with equations of their own */
    bool finite_slip;    /* the slips of all contacts are displacements, not only those on driven bodies */
} pp_frame_pose;

/* Velocity of drives in the slip of contact i along row `which` of friction. */
static inline double pp_driven_slip(const pp_frame_pose *p, int i, int which) {
    return p->slip_driven ? p->slip_driven[PP_FRICTION_ROWS * i + which] : pp_friction_b(&p->problem.contact[i], which);
}

/* The part of the right-hand side of row `which` of friction of contact i that comes from finite rotations of bodies that are not
 * driven. */
static inline double pp_slip_curve(const pp_frame_pose *p, int i, int which) {
    return p->slip && p->slip[i].finite && !p->slip[i].driven ? p->slip[i].b[which] : 0;
}

/* The velocities of drives in one row of friction after another, before other terms are added to it. */
static inline void pp_note_driven(const perp_contact_row *row, double driven[PP_FRICTION_ROWS]) {
    for (int k = 0; k < PP_FRICTION_ROWS; k++) driven[k] = pp_friction_b(row, k);
}

#endif
