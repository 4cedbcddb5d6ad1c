/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* acceptance.h - does an answer of a step problem obey the laws well enough? */
#ifndef PP_ACCEPTANCE_H
#define PP_ACCEPTANCE_H

#include "problem/convert/convert.h"
#include "stage/frame.h"

/* Scratch of njoint and ndof numbers, and the figures of the rows if they are known (NULL: not). */
typedef struct pp_judge_room {
    double *rows, *dofs;
    const pp_row_figure *figure;
} pp_judge_room;

/* Speeds that residuals are compared with: those of the problem's rows, and the speed that gravity adds in a step [L/T]. */
double pp_speed_scale(const pp_frame *f, double of_rows);

/* The worst residual of r, divided by the speed scale of the problem. The caller compares it with `tolerance`. If joint rows contradict
 * each other, only the part of their residual counts that an impulse could remove. */
double pp_acceptance(const pp_frame *f, const perp_step_problem *p, const perp_step_solution *s,
                     const perp_step_residual *r, double tolerance, const pp_judge_room *room);

/* Does the answer surely miss the laws by more than `most` speed scales, as pp_acceptance() measures it? A quick look at the contacts
 * alone; false says nothing. scale: pp_step_scale(). */
bool pp_surely_misses(const pp_frame *f, const perp_step_problem *p, const perp_step_solution *s, double scale,
                      double tolerance, double most, const pp_judge_room *room);

/* A residual above this speed cannot be explained by rounding, however large the impulses are [L/T]. tolerance: that of the world, or one
 * with slack; scale: speeds of the problem, pp_step_scale() [L/T]. */
double pp_sure_miss(const pp_frame *f, double tolerance, double scale);

/* Does a contact slide under load on a body that other contacts or joints hold as well? Then the motion depends on how these share the
 * load. True if memory is refused. figure: of the rows; NULL: not known. */
bool pp_loads_matter(pp_arena *arena, const perp_step_problem *p, const pp_row_figure *figure,
                     const perp_step_solution *s);

#endif
