/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve.h - stage 5: impulses and velocities, and what is remembered of them. */
#ifndef PP_STAGE_SOLVE_H
#define PP_STAGE_SOLVE_H

#include "stage/frame.h"

/* A solution of zeros with room for the problem; false if memory is refused. */
bool pp_solution_new(pp_arena *a, const perp_step_problem *p, perp_step_solution *s);

/* How a step problem is to be solved; all zero: to the tolerance of the world, from the impulses of the last step. */
typedef struct pp_solve_options {
    /* Where the rows ask nothing to open: if there is no answer all the same, driven bodies may stall and rows give way. */
    bool no_lift;
    bool jam_lasts;       /* a driven body is inside another at the start, because that could not give way */
    pp_load_choice loads; /* which of those that obey the laws; ANY: as worlds ask for them */
    bool measure_later;   /* of rounds: the caller calls pp_measure_step() for the answer that is taken */
    double slack; /* > 1: how many times the tolerance this answer may miss the laws by: another round follows it */
    /* Of rounds, with `recall`: by what speed an island's last answer (demand.end_nu) may miss the laws to be kept; 0: none is [L/T]. */
    double enough;
    const pp_warm *recall; /* where guesses come from; NULL: the last step */
    /* Tried on each island before the solvers, from a guess or NULL: fills `out` and returns true if it has an answer,
     * which counts only if the laws hold. NULL: nothing is tried. */
    bool (*direct)(const perp_step_problem *p, const perp_step_solution *guess, pp_arena *arena,
                   perp_step_solution *out);
    /* By block, read and written: 1 of an island where a driven body stalled in an earlier round, 2 if rows gave way too
     * (stage/solve/give_way.h). With no_lift, later rounds do so at once. NULL: none. */
    unsigned char *jammed_block;
    /* By block, read and written: of an island whose motors yielded in an earlier round (stage/solve/motor_yield.h). Later rounds give them
     * that limit at once. NULL: none. */
    bool *yielded_block;
} pp_solve_options;

/* step problem -> impulses, velocity; PERP_E_SOLVE if no solver's answer is acceptable. */
perp_status pp_solve_step(pp_frame *f, const pp_solve_options *o);
/* Measures the laws over the whole step, if that has not been done. */
void pp_measure_step(pp_frame *f);
/* Makes room in the world for what pp_remember writes, so that a commit cannot fail. */
perp_status pp_reserve(pp_frame *f);
/* Remembers the impulses of a solved frame for warm starts, and the contacts and joint impulses for the user. */
void pp_remember(pp_frame *f, bool add_joint_impulses);
/* The same where impacts divided a step into n frames, of different bodies perhaps: contacts of all of them, each as it was
 * last, with the sum of its impulses; after pp_remember() of each. */
perp_status pp_reserve_sum(pp_frame *const *frame, int n);
void pp_remember_sum(pp_frame *const *frame, int n);
/* Remembers the impulses of a frame in m, as a guess for another try at the same step. False without memory. */
bool pp_remember_try(const pp_frame *f, pp_warm *m);
/* Deflection of the layer of contact c at the start of the frame, in W [L]: after the part of the step before it, or after
 * the last step; *pressed: was it under load then? False if the contact is new. */
bool pp_recall_layer(const pp_frame *f, const perp_contact *c, perp_vec3 *layer, bool *pressed);
/* Writes remembered impulses, matched by contact identity, as a guess for the frame's problem. m: where they are; NULL: those of the last
 * step. */
void pp_recall(const pp_frame *f, const pp_warm *m, perp_step_solution *guess);
/* Impulse of a joint row of the frame's problem in the last step, whether solvers start from it or not. 0: not remembered. */
double pp_recall_joint(const pp_frame *f, int row);

#endif
