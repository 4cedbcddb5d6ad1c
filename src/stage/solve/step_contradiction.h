/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* step_contradiction.h - explains in words why a step has no solution. */
#ifndef PP_STEP_CONTRADICTION_H
#define PP_STEP_CONTRADICTION_H

#include "stage/frame.h"

/* Where a law acts. a: joint, or a and b: the bodies of a contact. */
typedef enum pp_opponent_kind {
    PP_OPPONENT_CONTACT,
    PP_OPPONENT_JOINT,
    PP_OPPONENT_MOTOR,
    PP_OPPONENT_LIMIT,
    PP_OPPONENT_ROW
} pp_opponent_kind;
typedef struct pp_opponent {
    pp_opponent_kind kind;
    int a, b;
} pp_opponent;

#define PP_OPPONENTS 8 /* that a sentence names at most; as many as perp_contradiction has laws */

/* Writes "; no solution exists: A, B and 2 more contradict each other; driven: C" to `text`, of `size` bytes. n places,
 * up to PP_OPPONENTS, each once; more: number of places that are not named. */
void pp_tell_contradicting(const perp_world *w, const pp_opponent *place, int n, int more, char *text, size_t size);

/* If there is a proof that the problem of an island has no solution, writes the names of the bodies whose contacts, and
 * of the joints, that contradict each other, and of driven bodies: "; no solution exists: ..." to `text`. Otherwise, or
 * if out of memory, "". @return smallest possible violation of some law, for any impulses [L/T]; 0 without a proof */
double pp_tell_contradiction(const pp_frame *f, const perp_step_problem *p, char *text, size_t size);

/* The same with given multipliers y, one for each row of pp_step_to_cone(). They are checked. Any number of rows. */
double pp_tell_proof(const pp_frame *f, const perp_step_problem *p, const double *y, char *text, size_t size);

#endif
