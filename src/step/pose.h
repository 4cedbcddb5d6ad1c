/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pose.h - poses the problem of the next step without solving it. Used by src/mpec, which needs the step as equations. */
#ifndef PP_POSE_H
#define PP_POSE_H

#include "stage/frame.h"

/* A step problem with the contacts its rows come from. Everything lies in the arena of the world until the next step or
 * the next problem that is posed. */
typedef struct pp_posed {
    const perp_step_problem *problem;
    const perp_contact *contact; /* ncontact contacts; rows of supports have no contact */
    int ncontact;
} pp_posed;

/* Checks that the step of this world is one linear problem at its start pose. If not, returns PERP_E_FIT and a
 * sentence. The reasons are: the stepper has its own step equations, the contact model selects contacts by the
 * solution, contacts act at the end pose, or the start is staggered. The model "peg" is accepted: if bodies do not
 * rotate, or rest on supports, its solution is the solution of these rows. */
perp_status pp_posable(const perp_world *w, char *why, size_t why_size);

/* Poses the problem of a step from the state of the world: control, collision, contacts and formulation, at the start
 * poses. Every pair of features within `margin` of each other [L] has a contact, even if the bodies are slow. So the
 * number of contacts does not depend on the velocity. The state of the world does not change. Returns PERP_E_MEMORY,
 * PERP_E_ARG or PERP_E_SOLVE (a spring is too stiff for the step); see perp_world_why(). */
perp_status pp_world_pose(perp_world *w, double margin, pp_posed *out);

#endif
