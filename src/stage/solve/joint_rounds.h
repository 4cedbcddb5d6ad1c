/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* joint_rounds.h - joints that hold at the end of the step, not only in the rows of its start. */
#ifndef PP_JOINT_ROUNDS_H
#define PP_JOINT_ROUNDS_H

#include "problem/convert/convert.h"
#include "problem/islands.h"
#include "problem/mix.h"
#include "stage/pose/joint_chain_damping.h"

/* What the rounds of a frame have come to. */
typedef struct pp_joint_rounds {
    int n;                /* rows of joints, without those against ripples */
    double *shift, *miss; /* by row: b of the next round, and by how much it differs from the last [L/T or rad/T] */
    pp_mix mix;
    pp_state end;                    /* scratch: where an answer leads */
    pp_chain_damping *chain_damping; /* room for three per block */
    bool sought;                     /* ripples have been looked for */
    double arm;                      /* least that counts as one [L] */
    double finest;                   /* errors that count as rounding [L] */
    double most;                     /* largest difference of joints and their rows, after the latest round [L] */
    double least;                    /* of all rounds */
    double last;                     /* of the round before */
    int idle;                        /* rounds in a row that did not halve the least */
    int rounds;
    bool linear; /* rows of the start after all: no rounds */
    bool slow;   /* rounds are mixed */
    bool lost;   /* they ended without having settled */
} pp_joint_rounds;

/* Prepares the rounds of a frame: f->demand.joints, and the first guess in f->joint_shift. Leaves f->demand.joints NULL where joints are
 * linearised at the start: geometry `once`, joints that are corrected afterwards, steppers with equations of their own, problems of velocities, no joints.
 * PERP_E_MEMORY. */
perp_status pp_joint_rounds_begin(pp_frame *f);
/* Forgets what rounds have found, for rounds that begin anew. linear: rows of the start from now on. PERP_E_MEMORY. */
perp_status pp_joint_rounds_anew(pp_frame *f, bool linear);
/* After a round was solved: measures joints at the poses `end` that velocity nu leads to, and sets f->demand.joint_shift for the
 * next round. Looks for ripples after the first. PERP_E_MEMORY. */
perp_status pp_joint_rounds_look(pp_frame *f, const pp_state *end, const double *nu);
/* Would another round better nothing? True if there are none. news: something else changed in the last round. */
bool pp_joint_rounds_settled(pp_frame *f, bool news);
/* PERP_E_SOLVE if rounds have ended with joints far from what their rows say: a shorter step may do better, unless this is the
 * shortest. */
perp_status pp_joint_rounds_end(pp_frame *f);
/* Sets f->demand.joint_shift to what the last round of an answer nu has. end_row, unless NULL, by row: its gradient at the poses that nu
 * leads to; of rows that are not measured there, that of the start. False: nu leads nowhere. */
bool pp_joint_rounds_at(pp_frame *f, const double *nu, perp_row *end_row);
/* Did rounds end so? Contacts posed otherwise would not help: the step is too long for the joints. */
bool pp_joint_rounds_lost(const pp_frame *f);
/* All of it for a problem whose contacts stay what they are: rounds from the first answer on, with the contacts in the
 * frame. no_lift: see pp_pose_options and pp_solve_options. */
perp_status pp_joint_rounds_run(pp_frame *f, bool no_lift);

/* An answer of an island without inequalities made better by one refinement with the factor of its conversion c. Does nothing where some row has
 * a known impulse. False: no memory. */
bool pp_joint_refine(const perp_step_problem *p, const pp_converted *c, pp_arena *arena, perp_step_solution *s);
/* Rounds of an island without inequalities: its answer `s`, the rows of its problem (`row`, which island->p.joint points to) and of
 * the frame's become those of joints that hold at the end. c: its conversion, with the factor that serves all rounds. Where
 * the rounds do not converge, all stays as it is. PERP_E_MEMORY. */
perp_status pp_joint_rounds_within(pp_frame *f, const pp_island *island, perp_joint_row *row, const pp_converted *c,
                                   perp_step_solution *s);

#endif
