/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file contradiction.h
 *  Proofs that a problem has no answer: multipliers that anybody can check.
 *
 *  Contacts and limits need u_N >= 0 whatever the impulses are, joints u = 0. If y >= 0 on such rows (any sign on joints,
 *  0 on all others) has r . (W'y) <= 0 for every r that the cones and bounds allow, and q . y < 0, then
 *  y . u = q . y + r . (W'y) < 0 for every r, and no answer exists. For rigid bodies W'y = 0: pushes that balance, at
 *  contacts that close all the same. For an LCP: y >= 0, M'y <= 0, q . y < 0.
 *
 *  In numbers W'y is hardly ever 0. With what is left of it, any answer needs impulses of at least |q . y|/|W'y|. Where
 *  that is so large that double precision could not tell the velocities of such an answer from nothing, the proof holds. */
#ifndef PERP_CONTRADICTION_H
#define PERP_CONTRADICTION_H

#include "perp/judge.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is known about the answers of a problem. */
typedef enum perp_existence {
    PERP_EXISTENCE_UNKNOWN,  /**< nothing was found either way */
    PERP_EXISTENCE_NONE,     /**< proven: no answer exists */
    PERP_EXISTENCE_STRAINED, /**< an answer needs impulses of at least `least_impulse`, far above the usual */
    PERP_EXISTENCE_WEDGED,   /**< may have none: no velocity keeps all contacts apart by more than friction could take
                                  back. No proof: mu |u_T| may pay for it */
    PERP_EXISTENCE_SOME      /**< some velocity keeps all contacts strictly apart, so an answer exists (Acary, Cadoux
                                  2013) */
} perp_existence;

/** Words: "unknown", "infeasible", "strained", "may have none (wedged)", "has an answer". */
PERP_API const char *perp_existence_text(perp_existence e);

/** What multipliers y prove. */
typedef struct perp_contradiction {
    perp_existence existence; /**< NONE, STRAINED, or UNKNOWN if y proves nothing */
    double closing;           /**< -q . y > 0, y scaled so that its largest number is 1 [L/T] */
    double left;          /**< largest part of W'y that an impulse can use, or its rounding error if that is larger */
    double least_impulse; /**< sum over all |r| that an answer has at least [M L/T]; INFINITY: W'y is exactly 0. LCP: of
                               |z| */
    int fighting;         /**< laws with a multiplier that is not 0 */
    int law[8];           /**< the first of them by size; see perp_problem_laws() for their numbers */
} perp_contradiction;

/** Checks multipliers, from the data alone and independently of how they were found.
 *  @param y  perp_problem_size() numbers
 *  @return PERP_E_ARG for a bad problem, signs that are not allowed, or a class without such proofs (NCP, QP);
 *  PERP_E_MEMORY */
PERP_API perp_status perp_contradiction_check(const perp_problem *p, const double *y, perp_contradiction *out);

/** Looks for a proof that a problem has no answer: by the problem without friction in which the closing velocities are
 *  weighed, for an LCP by Farkas' alternative, both solved by pivoting; up to 1200 rows. Without one, a friction problem
 *  is asked whether some velocity keeps all contacts apart. What is returned was checked by perp_contradiction_check().
 *  @param y    perp_problem_size() numbers, written: the multipliers; zeros if there are none
 *  @return PERP_OK whatever is found; PERP_E_ARG, PERP_E_MEMORY */
PERP_API perp_status perp_problem_contradict(const perp_problem *p, const perp_allocator *alloc, double *y,
                                             perp_contradiction *out);

#ifdef __cplusplus
}
#endif
#endif
