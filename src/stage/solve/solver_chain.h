/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solver_chain.h - the step problem of one island through the chain of solvers, for stage/solve/solve_step.c. */
#ifndef PP_SOLVER_CHAIN_H
#define PP_SOLVER_CHAIN_H

#include "problem/convert/cone_condensed.h"
#include "problem/islands.h"
#include "stage/solve/acceptance.h"
#include "stage/solve/solve.h"

/* The tries to solve one problem, and the best answer so far. */
typedef struct pp_trial {
    const perp_step_problem *p;
    const pp_solve_options *o;
    const pp_island *island; /* the island that p belongs to */
    perp_joint_row *row;     /* its joint rows, if rounds may change them; NULL: they are constant */
    perp_step_solution best, answer;
    const perp_step_solution *guess; /* for captures: the guess before the first try; NULL: there was none */
    pp_judge_room room;
    pp_cone_memory *memory; /* of the island in the round before; NULL: none */
    double allowed;         /* the answer may miss the laws by this many tolerances */
    double scale;           /* speeds of the problem, pp_step_scale() */
    double acceptance;      /* acceptance of the best answer */
    perp_step_residual residual;
    const perp_solver_type *used;
    perp_solve_info info;
    perp_outcome outcome; /* of the latest try */
    bool exhausted;       /* all complementary bases were tried, and none is an answer */
    int iterations, fallbacks, unknowns;
} pp_trial;

/* Is this problem solved as cones first, with all of its joint rows as unknowns? */
bool pp_solved_as_cones(const perp_world *w, const perp_step_problem *p);

/* A trial without an answer yet; false if memory is refused. Its fields o, island, row and memory are for the caller to set. figure: of the
 * rows of p, or NULL. */
bool pp_trial_new(pp_arena *a, const perp_step_problem *p, const pp_row_figure *figure, pp_trial *t);

/* What the worst residual of an answer may be, relative to the speeds of the problem. */
double pp_trial_tolerance(const pp_frame *f, const pp_trial *t);

/* Worst law residual of s over the speed scale: what is compared with pp_trial_tolerance(). *r: the residuals. */
double pp_trial_measure(const pp_frame *f, const pp_trial *t, const perp_step_solution *s, perp_step_residual *r);

/* Makes t->answer the best answer, with its acceptance and residual. */
void pp_trial_keep(pp_trial *t, double a, const perp_step_residual *r);

/* Solves the problem of t by the chain; the answer is t->best. guess: t->answer holds impulses to start from.
 * PERP_E_SOLVE: no answer is acceptable; the world's sentence says why. */
perp_status pp_trial_solve(pp_frame *f, pp_trial *t, bool guess);

/* Does `auto` solve the posed problem as cones? No other solver selects loads when it is asked to. */
bool pp_loads_by_auto(const pp_frame *f);

#endif
