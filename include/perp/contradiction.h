/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file contradiction.h
 *  Infeasibility certificates: multipliers which prove that a problem has no solution, and which can be checked independently.
 *
 *  Contacts and limits require u_N >= 0 whatever the impulses are, joints u = 0. Let y >= 0 on such rows (any sign on joints,
 *  0 on all others). If r . (W'y) <= 0 for every r that the cones and bounds allow, and q . y < 0, then
 *  y . u = q . y + r . (W'y) < 0 for every r, and no solution exists. For rigid bodies W'y = 0: the impulses y balance each
 *  other, at contacts that nevertheless close. For an LCP: y >= 0, M'y <= 0, q . y < 0.
 *
 *  In floating point W'y is hardly ever exactly 0. Then any solution needs impulses of at least |q . y|/|W'y|. If these are so
 *  large that their velocities would be lost in the rounding of double precision, the proof holds. */
#ifndef PERP_CONTRADICTION_H
#define PERP_CONTRADICTION_H

#include "perp/judge.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is known about the existence of solutions. */
typedef enum perp_existence {
    PERP_EXISTENCE_UNKNOWN,  /**< neither a proof nor a solution was found */
    PERP_EXISTENCE_NONE,     /**< proven: no solution exists */
    PERP_EXISTENCE_STRAINED, /**< a solution needs impulses of at least `least_impulse`, far above the usual */
    PERP_EXISTENCE_WEDGED,   /**< there may be no solution: no velocity keeps all contacts strictly apart. This is not a
                                  proof, because the term mu |u_T| of the law may open them */
    PERP_EXISTENCE_SOME      /**< some velocity keeps all contacts strictly apart, so a solution exists (Acary, Cadoux
                                  2013) */
} perp_existence;

/** Text: "unknown", "infeasible", "strained", "may have none (wedged)", "has an answer". */
PERP_API const char *perp_existence_text(perp_existence e);

/** What multipliers y prove. */
typedef struct perp_contradiction {
    perp_existence existence; /**< NONE, STRAINED, or UNKNOWN if y proves nothing */
    double closing;           /**< -q . y > 0, y scaled so that its largest number is 1 [L/T] */
    double left; /**< largest component of W'y that an impulse can use, or its rounding error if that is larger */
    double
        least_impulse; /**< lower bound of the sum of |r| of any solution [M L/T]; INFINITY: W'y is exactly 0. LCP: of
                               |z| */
    int nlaw;          /**< number of laws with a non-zero multiplier */
    int law[8];        /**< those with the largest multipliers; see perp_problem_laws() for their numbers */
} perp_contradiction;

/** Checks multipliers, from the data alone and independently of how they were found.
 *  @param y  perp_problem_size() numbers
 *  @return PERP_E_ARG for a bad problem, signs that are not allowed, or a class without such proofs (NCP, QP);
 *  PERP_E_MEMORY */
PERP_API perp_status perp_contradiction_check(const perp_problem *p, const double *y, perp_contradiction *out);

/** Looks for a proof that a problem has no solution: by the problem without friction with weighted closing velocities, for an
 *  LCP by Farkas' alternative, both solved by pivoting; up to 1200 rows. If there is no proof, a friction problem is checked
 *  for a velocity that keeps all contacts apart. perp_contradiction_check() has checked the result.
 *  @param y    perp_problem_size() numbers, written: the multipliers; zeros if there are none
 *  @return PERP_OK whatever is found; PERP_E_ARG, PERP_E_MEMORY */
PERP_API perp_status perp_problem_contradict(const perp_problem *p, const perp_allocator *alloc, double *y,
                                             perp_contradiction *out);

#ifdef __cplusplus
}
#endif
#endif
