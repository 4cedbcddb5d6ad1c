/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file judge.h
 *  The verdict on an answer: does every law hold, measured by velocities that the data of the problem know.
 *
 *  A law is one contact or one bounded row. Its violation is a velocity, the natural map times the law's inverse mass:
 *
 *      contact   D |r - P_K(r - u^/D)|,  D the mean diagonal of its block of W, all in the metric of its axes
 *      row       |mid(D (r - hi), u, D (r - lo))|,  D = W_kk, or M_ii of an LCP
 *
 *  It is divided by a velocity v that depends on the data alone, so that no answer can make it look small: the largest
 *  |q| on the smallest ring of laws about it (laws that share a body, or an entry of the matrix) that has one above 1e-9
 *  of the largest of its island; never less than 1e-6 of that. From a row to another law |q| is converted by the square
 *  root of the ratio of their inverse masses, as a row may be a rotation. Other units of mass, length and time change no
 *  verdict.
 *
 *  LCP and mixed LCP with scales: all rows are velocities already, |mid((z - hi)/z_scale, w/w_scale, (z - lo)/z_scale)|.
 *  NCP and QP have no such data: their figure is perp_measures.natural, with one law for each row. */
#ifndef PERP_JUDGE_H
#define PERP_JUDGE_H

#include "perp/problem.h"
#include "perp/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is said of one law. */
typedef enum perp_law_state {
    PERP_LAW_HOLDS,    /**< violation <= tol times its scale */
    PERP_LAW_ROUNDING, /**< larger, but within 8 times the rounding errors of the velocity, which are below 1e-3 of the
                            scale: the answer is as good as double precision allows */
    PERP_LAW_VIOLATED  /**< neither */
} perp_law_state;

/** One law of a problem and how an answer obeys it. Velocities are in the unit of the law's row. */
typedef struct perp_law {
    double
        violation; /**< velocity; at least the noise, if that is above 1e-3 of the scale: then nothing is known of the
                           law; INFINITY if something is not finite */
    double scale;  /**< v: velocity of the data that it is compared with, > 0 */
    double noise;  /**< rounding error of the velocity: epsilon times the sum of the sizes of its terms */
    int island;    /**< laws that share no body or entry, directly or by others, are in different islands; from 0 */
    perp_law_state state;
} perp_law;

/** All laws together. */
typedef struct perp_verdict {
    double figure;  /**< largest violation/scale; 0 without laws */
    double unsound; /**< the same over laws that are violated: 0 if solved */
    int laws;       /**< judged: rows first, then contacts */
    int rounding;   /**< of them in state PERP_LAW_ROUNDING */
    int violated;   /**< in state PERP_LAW_VIOLATED */
    int blind;      /**< laws whose noise exceeds tol times their scale: they cannot be checked to tol */
    int islands;    /**< parts that share nothing */
    int worst;      /**< index of the law with the largest figure, of those violated if there are any; -1: none */
    bool solved;    /**< no law is violated */
} perp_verdict;

/** Number of laws of a problem: nrow + ncontact of cones, perp_problem_size() of the others. */
PERP_API int perp_problem_laws(const perp_problem *p);

/** Judges an answer.
 *  @param z    perp_problem_size() numbers
 *  @param tol  figure that counts as solved, > 0
 *  @param law  perp_problem_laws() of them, written; may be NULL
 *  @return PERP_E_ARG for a tol that is not positive; PERP_E_MEMORY at the first call only, which finds the scales. Not
 *  for two threads at a time. */
PERP_API perp_status perp_judge_verdict(perp_judge *j, const double *z, double tol, perp_verdict *out, perp_law *law);

/** The same in one call: perp_judge_new(), perp_judge_verdict(), perp_judge_free(). */
PERP_API perp_status perp_problem_judge(const perp_problem *p, const double *z, double tol, perp_verdict *out,
                                        perp_law *law);

/** The verdict on a step: momentum of the bodies, joint rows, contacts, in this order, nblock + njoint + ncontact laws.
 *  A contact's violation is the largest of perp_step_residual's normal, cone and dissipation for it; polygons of friction
 *  are judged as polygons. A body's is what is left of its momentum as a velocity, its scale the largest of those of the
 *  laws that act on it and of its own velocity without impulses. Where no law of connected bodies asks for more than the
 *  rounding of their speeds (bodies that go on as their motor wants it), laws are compared with these speeds.
 *  @param law    nblock + njoint + ncontact, or NULL
 *  @param alloc  NULL: malloc and free
 *  @return PERP_E_ARG for a tol that is not positive, PERP_E_MEMORY */
PERP_API perp_status perp_step_problem_judge(const perp_step_problem *p, const perp_step_solution *s, double tol,
                                             const perp_allocator *alloc, perp_verdict *out, perp_law *law);

#ifdef __cplusplus
}
#endif
#endif
