/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file judge.h
 *  The verdict on an answer: whether every law holds, relative to velocities in the data of the problem.
 *
 *  A law is one contact or one bounded row. Its violation is a velocity: the natural residual times the law's inverse mass.
 *
 *      contact   D |r - P_K(r - u^/D)|,  D the mean diagonal of its block of W, all in the metric of its axes
 *      row       |mid(D (r - hi), u, D (r - lo))|,  D = W_kk, or M_ii of an LCP
 *
 *  It is divided by a velocity v that depends only on the data, so that a large answer cannot make it look small. v is the
 *  largest |q| in the nearest neighbourhood of the law (laws that share a body, or an entry of the matrix; then their
 *  neighbours; and so on) in which some |q| is above 1e-9 of the largest of the island; v is at least 1e-6 of that largest one.
 *  If a bounded row is involved, |q| is converted by the square root of the ratio of the inverse masses, because a row may be a
 *  rotation. The verdict does not depend on the units of mass, length and time.
 *
 *  LCP and mixed LCP with scales: all rows are velocities already, |mid((z - hi)/z_scale, w/w_scale, (z - lo)/z_scale)|.
 *  An NCP or QP has no such data: its figure is perp_measures.natural, with one law for each row. */
#ifndef PERP_JUDGE_H
#define PERP_JUDGE_H

#include "perp/problem.h"
#include "perp/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Verdict on one law. */
typedef enum perp_law_state {
    PERP_LAW_HOLDS,    /**< violation <= tol times its scale */
    PERP_LAW_ROUNDING, /**< larger, but within 8 times the rounding error of the velocity, which is below 1e-3 of the
                            scale: the answer is as good as double precision allows */
    PERP_LAW_VIOLATED  /**< neither */
} perp_law_state;

/** One law of a problem, and its violation by an answer. Velocities are in the unit of the law's row. */
typedef struct perp_law {
    /** A velocity. If the noise is above 1e-3 of the scale, the law cannot be checked, and the violation is at least the noise.
     *  INFINITY if a number is not finite. */
    double violation;
    double scale; /**< v: velocity of the data that the violation is compared with, > 0 */
    double noise; /**< rounding error of the velocity: epsilon times the sum of the sizes of its terms */
    int island; /**< number of the island, from 0. Laws that share a body or entry, directly or through others, are in one
                       island */
    perp_law_state state;
} perp_law;

/** All laws together. */
typedef struct perp_verdict {
    double figure;          /**< largest violation/scale; 0 without laws */
    double worst_violation; /**< the same over laws that are violated: 0 if solved */
    int laws;               /**< number of laws: rows first, then contacts */
    int rounding;           /**< number in state PERP_LAW_ROUNDING */
    int violated;           /**< number in state PERP_LAW_VIOLATED */
    int blind;              /**< laws whose noise exceeds tol times their scale: they cannot be checked to tol */
    int islands;            /**< number of islands */
    int worst;   /**< index of the law with the largest figure; if laws are violated, the worst of these; -1: none */
    bool solved; /**< no law is violated */
} perp_verdict;

/** Number of laws of a problem: nrow + ncontact of cones, perp_problem_size() of the others. */
PERP_API int perp_problem_laws(const perp_problem *p);

/** Judges an answer.
 *  @param z    perp_problem_size() numbers
 *  @param tol  figure that counts as solved, > 0
 *  @param law  perp_problem_laws() of them, written; may be NULL
 *  @return PERP_E_ARG if tol is not positive; PERP_E_MEMORY, only at the first call, which computes the scales. Only one thread
 *  at a time may use a judge. */
PERP_API perp_status perp_judge_verdict(perp_judge *j, const double *z, double tol, perp_verdict *out, perp_law *law);

/** The same in one call: perp_judge_new(), perp_judge_verdict(), perp_judge_free(). */
PERP_API perp_status perp_problem_judge(const perp_problem *p, const double *z, double tol, perp_verdict *out,
                                        perp_law *law);

/** The verdict on a step: momentum of the bodies, joint rows, contacts, in this order, nblock + njoint + ncontact laws.
 *  The violation of a contact is the largest of normal, cone and dissipation of perp_step_residual for it; friction polygons
 *  are judged as polygons. The violation of a body is the residual of its momentum as a velocity. Its scale is the largest of
 *  the scales of the laws that act on it and of its own velocity without impulses. If no law of connected bodies demands more
 *  than the rounding error of their speeds (for example bodies that already move at the speed of their motor), laws are
 *  compared with these speeds.
 *  @param law    nblock + njoint + ncontact, or NULL
 *  @param alloc  NULL: malloc and free
 *  @return PERP_E_ARG if tol is not positive, PERP_E_MEMORY */
PERP_API perp_status perp_step_problem_judge(const perp_step_problem *p, const perp_step_solution *s, double tol,
                                             const perp_allocator *alloc, perp_verdict *out, perp_law *law);

#ifdef __cplusplus
}
#endif
#endif
