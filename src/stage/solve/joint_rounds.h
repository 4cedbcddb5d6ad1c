/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_rounds.h - joints that hold at the end of the step, not only in the rows of its start. */
#ifndef PP_JOINT_ROUNDS_H
#define PP_JOINT_ROUNDS_H

#include "problem/convert/convert.h"
#include "problem/islands.h"
#include "problem/mix.h"
#include "stage/pose/joint_chain_damping.h"

/* Progress of the rounds of a frame. */
typedef struct pp_joint_rounds {
    int n;                /* number of joint rows, without chain damping rows */
    double *shift, *miss; /* by row: b of the next round, and its change since the last [L/T or rad/T] */
    pp_mix mix;
    pp_state end;                    /* scratch: end poses of a solution */
    pp_chain_damping *chain_damping; /* room for three per block */
    bool sought;                     /* the search for chain damping is done */
    double arm;                      /* shorter lever arms count as this [L] */
    double finest;                   /* errors that count as rounding [L] */
    double most;                     /* largest difference between joints and their rows after the latest round [L] */
    double least;                    /* smallest of all rounds */
    double last;                     /* of the round before */
    int idle;                        /* successive rounds that did not halve the smallest */
    int rounds;
    bool linear; /* rows of the start are used, without rounds */
    bool slow;   /* rounds are extrapolated */
    bool lost;   /* they ended without convergence */
} pp_joint_rounds;

/* Makes room for the rounds of a frame: f->demand.joints. pp_joint_rounds_anew() begins them. Leaves f->demand.joints NULL if joints are linearised at the start: geometry `once`, joint correction, steppers with their
 * own step equations, velocity-level problems, no joints. Returns PERP_OK or PERP_E_MEMORY. */
perp_status pp_joint_rounds_begin(pp_frame *f);
/* Begins the rounds, with the first guess in f->demand.joint_shift. linear: use the rows of the start from now on. Returns PERP_OK or PERP_E_MEMORY. */
perp_status pp_joint_rounds_anew(pp_frame *f, bool linear);
/* After a round was solved: measures joints at the poses `end` that velocity nu leads to, and sets
 * f->demand.joint_shift for the next round. After the first round, looks for chain damping. Returns PERP_OK,
 * PERP_E_SOLVE or PERP_E_MEMORY. */
perp_status pp_joint_rounds_look(pp_frame *f, const pp_state *end, const double *nu);
/* Would another round improve nothing? True if there are no rounds. news: something else changed in the last round. */
bool pp_joint_rounds_settled(pp_frame *f, bool news);
/* Returns PERP_E_SOLVE if the rounds ended with joints far from their rows. A shorter step may do better, unless this
 * is the shortest. */
perp_status pp_joint_rounds_end(pp_frame *f);
/* Sets f->demand.joint_shift to that of the last round of the solution nu. end_row, unless NULL, by row: its gradient
 * at the poses that nu leads to; for rows that are not measured there, that of the start. Returns false if the bodies
 * cannot be moved by nu. */
bool pp_joint_rounds_at(pp_frame *f, const double *nu, perp_row *end_row);
/* Did rounds end in this way? Another choice of contacts would not help: the step is too long for the joints. */
bool pp_joint_rounds_lost(const pp_frame *f);
/* All rounds for a problem whose contacts do not change, starting from the first solution, with the contacts of the
 * frame. no_lift: see pp_pose_options and pp_solve_options. */
perp_status pp_joint_rounds_run(pp_frame *f, bool no_lift);

/* Improves the solution of an island without inequalities by one step of iterative refinement with the factor of its
 * conversion c. Does nothing if a row has a known impulse. Returns false if out of memory. */
bool pp_joint_refine(const perp_step_problem *p, const pp_converted *c, pp_arena *arena, perp_step_solution *s);
/* Rounds of an island without inequalities. Changes its solution `s`, the rows of its problem (`row`, to which
 * island->p.joint points) and of the frame's problem so that joints hold at the end. c: its conversion, with the factor
 * for all rounds. If the rounds do not converge, nothing changes. Returns PERP_OK or PERP_E_MEMORY. */
perp_status pp_joint_rounds_within(pp_frame *f, const pp_island *island, perp_joint_row *row, const pp_converted *c,
                                   perp_step_solution *s);

#endif
