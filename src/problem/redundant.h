/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* redundant.h - a step problem without those rows of joints that follow from others. */
#ifndef PP_REDUNDANT_H
#define PP_REDUNDANT_H

#include "base/memory.h"
#include "linalg/linalg.h"
#include "perp/step.h"

/* Rows of a part of the mechanism that has redundant ones. */
typedef struct pp_redundant_part {
    int n;
    int *row; /* n: numbers in the whole problem */
    pp_psd factor;
} pp_redundant_part;

typedef struct pp_redundant {
    int dropped; /* rows that follow from others. 0: there are none, and nothing else is set */
    const perp_step_problem *whole;
    perp_step_problem
        kept;   /* the problem without them. If rows disagree, b is replaced by the nearest one with a solution */
    int *index; /* kept.njoint: number in the whole problem */
    pp_redundant_part *part;
    int nparts;
    double *tmp; /* scratch */
} pp_redundant;

/* Everything lies in the arena; p is borrowed. False: no memory. */
bool pp_redundant_find(const perp_step_problem *p, pp_arena *arena, pp_redundant *r);

/* Impulses of the joint rows of the whole problem, in place, as impulses of the kept rows with the same effect. */
void pp_redundant_guess(const pp_redundant *r, double *p_joint);

/* Impulses of the kept rows, in place (room for whole->njoint), as those of the whole problem: rows that were left out have none. */
void pp_redundant_restore(const pp_redundant *r, double *p_joint);

/* Distributes the impulses over all rows: of all impulses with the same effect, those with the least sum of p^2 W, W the inverse mass of a row. They depend only on
 * the problem. If rows are dependent only up to rounded digits of a model (1e-8), the effect changes by as much; therefore these impulses are
 * for output only, not for the motion. */
void pp_redundant_share(const pp_redundant *r, double *p_joint);

#endif
