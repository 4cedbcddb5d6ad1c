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
    /* No row asks a contact to open. If the problem has no answer even so, driven bodies may stall and rows may give way. */
    bool no_lift;
    bool jam_lasts;       /* at the start a driven body is inside a body that could not give way */
    pp_load_choice loads; /* which loads are selected if several obey the laws; ANY: as the world asks */
    bool measure_later;   /* for rounds: the caller calls pp_measure_step() for the answer that it keeps */
    double slack; /* if > 1: the answer may miss the laws by this many tolerances, since another round follows */
    /* By block, for rounds: the answer of an island may miss the laws by this many tolerances, the most of its blocks, if solvers get no
     * closer at once, since another round follows. NULL: by one. */
    double *allowed;
    /* For rounds, with `recall`: an island keeps its last answer (demand.end_nu) if that misses the laws by at most this speed; 0: never
     * [L/T]. */
    double enough;
    const pp_warm *recall;          /* impulses to start from; NULL: those of the last step */
    struct pp_solve_memory *memory; /* of the round before (stage/solve/solve_memory.h); NULL: none */
    /* Called for each island before the solvers, with a guess or NULL. If it has an answer, it fills `out` and returns true; the answer
     * counts only if the laws hold. NULL: there is none. */
    bool (*direct)(const perp_step_problem *p, const perp_step_solution *guess, pp_arena *arena,
                   perp_step_solution *out);
    /* By block, read and written: 1 if a driven body stalled in its island in an earlier round, 2 if rows gave way too
     * (stage/solve/give_way.h). With no_lift, later rounds begin in that state. NULL: none. */
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
/* The same for a step that impacts divided into n frames, perhaps of different bodies. The world then has the contacts of all frames, each
 * in its last state and with the sum of its impulses. Called after pp_remember() of each frame. */
perp_status pp_reserve_sum(pp_frame *const *frame, int n);
void pp_remember_sum(pp_frame *const *frame, int n);
/* Remembers the impulses of a frame in m, as a guess for another try at the same step. False without memory. */
bool pp_remember_try(const pp_frame *f, pp_warm *m);
/* Deflection of the layer of contact c at the start of the frame, in W [L]: the state after the previous part of the step, or after the
 * last step. *pressed: whether it was under load then. False if the contact is new. */
bool pp_recall_layer(const pp_frame *f, const perp_contact *c, perp_vec3 *layer, bool *pressed);
/* Writes remembered impulses, matched by contact identity, as a guess for the frame's problem. m: where they are; NULL: those of the last
 * step. */
void pp_recall(const pp_frame *f, const pp_warm *m, perp_step_solution *guess);

#endif
