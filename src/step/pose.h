/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pose.h - the problem of the next step, posed and not solved: for what states the laws of steps as equations
 * (src/mpec). */
#ifndef PP_POSE_H
#define PP_POSE_H

#include "stage/frame.h"

/* A step problem with the contacts its rows come from. Everything lies in the arena of the world until the next step or
 * the next problem that is posed. */
typedef struct pp_posed {
    const perp_step_problem *problem;
    const perp_contact *contact; /* ncontact of them; rows of supports have none */
    int ncontact;
} pp_posed;

/* Is the step of this world one linear problem at its start pose? PERP_E_FIT, and a sentence, if not: its stepper has
 * equations of its own, its contact model chooses contacts by the answer, contacts act at the end pose or the start is
 * staggered. "peg" is taken: where bodies do not turn, or rest on supports, its answer is the one of these rows. */
perp_status pp_posable(const perp_world *w, char *why, size_t why_size);

/* Poses the problem of a step from the state of the world: control, collision, contacts, formulation, at the poses of the
 * start of the step. Every pair of features within `margin` of each other has a contact [L], however slow the bodies are,
 * so that the number of contacts does not depend on the velocity. PERP_E_MEMORY, PERP_E_ARG, PERP_E_SOLVE (a spring
 * that is too stiff for the step); see perp_world_why(). The state of the world does not change. */
perp_status pp_world_pose(perp_world *w, double margin, pp_posed *out);

#endif
