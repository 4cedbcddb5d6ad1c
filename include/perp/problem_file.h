/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file problem_file.h
 *  Problems that own their data: read from files, converted from one class to another; and writing them. */
#ifndef PERP_PROBLEM_FILE_H
#define PERP_PROBLEM_FILE_H

#include "perp/input.h"
#include "perp/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A problem together with its arrays. Opaque; made by reading or converting, freed by perp_stored_free(). */
typedef struct perp_stored perp_stored;

/** The problem; borrowed until `s` is freed. For a stored step problem the cone form of it, see perp_stored_step(). */
PERP_API const perp_problem *perp_stored_problem(const perp_stored *s);

/** The step problem, if that is what is stored; else NULL. Borrowed until `s` is freed. */
PERP_API const perp_step_problem *perp_stored_step(const perp_stored *s);

/** The solution that came with a step problem: what was found when it was captured; NULL if there is none. Borrowed. */
PERP_API const perp_step_solution *perp_stored_step_solution(const perp_stored *s);

/** A guess that came with the problem, perp_problem_size() numbers, or NULL. Borrowed. */
PERP_API const double *perp_stored_guess(const perp_stored *s);

/** Title, or where it was captured; "" if the file says nothing. Borrowed. */
PERP_API const char *perp_stored_title(const perp_stored *s);

/** NULL is fine. */
PERP_API void perp_stored_free(perp_stored *s);

/** Layouts of problem files. */
typedef enum perp_problem_format {
    PERP_FORMAT_PERP,        /**< HDF5, perp's own: every class but NCP, and the step problem; exact to the bit */
    PERP_FORMAT_FCLIB,       /**< HDF5, FCLIB's local and global layouts: cone problems */
    PERP_FORMAT_SICONOS_TEXT /**< text: friction problems local and global, LCP, mixed LCP (Siconos' test data) */
} perp_problem_format;

/** Name of a layout: "perp", "fclib", "siconos". */
PERP_API const char *perp_problem_format_name(perp_problem_format f);

/** Reads a problem file of any layout, told apart by content; text files of LCP, mixed LCP and friction problems by
 *  their structure and, where that is not enough, their names (as listed in docs/problems.md).
 *  @param alloc  NULL: malloc and free
 *  @param format what it was; may be NULL
 *  @return PERP_OK; PERP_E_IO, PERP_E_ARG, PERP_E_MEMORY with `why` filled (file, line where there are lines, what was
 *  found, what is allowed) and *out = NULL */
PERP_API perp_status perp_problem_read(const char *path, const perp_allocator *alloc, perp_stored **out,
                                       perp_problem_format *format, perp_refusal *why);

/** Writes a problem. An existing file is replaced only once the new one is complete on disk.
 *  @param guess  perp_problem_size() numbers, or NULL
 *  @param title  a line for people, or NULL
 *  @return PERP_E_FIT if the layout cannot hold the class (`why` says so), PERP_E_IO, PERP_E_ARG, PERP_E_MEMORY */
PERP_API perp_status perp_problem_write(const char *path, perp_problem_format format, const perp_problem *p,
                                        const double *guess, const char *title, perp_refusal *why);

/** Writes a step problem in perp's own layout, with a guess to start solvers from. @param guess NULL: none; any of its
 *  arrays may be NULL. A guess counts as one when it has the impulses of all joints and contacts. The layout has no place for rows of more than two
 *  bodies (perp_row.more): of a problem with such rows the file gets the cone problem that it stands for. */
PERP_API perp_status perp_step_write(const char *path, const perp_step_problem *p, const perp_step_solution *guess,
                                     const char *title, perp_refusal *why);

/** perp_step_write() with the solution that was found, apart from the guess: to compare with, no solver starts from it.
 *  @param solution all of it, p_spin and p_roll only if a contact resists spin, rolling; NULL: none */
PERP_API perp_status perp_step_write_solved(const char *path, const perp_step_problem *p,
                                            const perp_step_solution *guess, const perp_step_solution *solution,
                                            const char *title, perp_refusal *why);

/** Converts a problem to another class that has the same solutions, or, from a cone problem in 3D to a mixed LCP, nearly
 *  the same (friction pyramids).
 *
 *      LCP -> MLCP -> SPARSE_MLCP -> NCP, and back from sparse to dense;  QP -> MLCP, SPARSE_MLCP;  CONE with dim 2 or
 *      mu = 0 everywhere -> MLCP (exact);  CONE with dim 3 -> MLCP with `facets` directions;  CONE global -> local
 *
 *  @param facets  directions of a friction pyramid, even and >= 4; used for dim 3 only
 *  @return PERP_E_FIT if there is no such conversion; PERP_E_ARG, PERP_E_MEMORY. Arrays of `p` are copied, except an
 *  NCP's functions and context, which must outlive *out */
PERP_API perp_status perp_problem_convert(const perp_problem *p, perp_class to, int facets, const perp_allocator *alloc,
                                          perp_stored **out);

/** Poses a step problem as a problem of one class: PERP_CONE (global form; pyramids are taken as the cones they stand
 *  for, exactly so in 2D), PERP_MLCP (joint impulses stay) or PERP_LCP (bilateral joint rows are eliminated, also those
 *  that depend on each other). The last two need pyramids: PERP_E_FIT for true cones (PERP_CONE_DIRECTIONS).
 *  @param guess  of the step's solution, becomes perp_stored_guess(); NULL: none. `nu` is not read
 *  @return PERP_E_ARG if numbers are not finite, PERP_E_MEMORY. Arrays of `p` are copied */
PERP_API perp_status perp_step_convert(const perp_step_problem *p, perp_class to, const perp_step_solution *guess,
                                       const perp_allocator *alloc, perp_stored **out);

/** Takes an answer of a converted problem back to one of the problem it came from: z of perp_problem_size(converted),
 *  `back` of perp_problem_size(original). PERP_E_ARG if `converted` was not made by perp_problem_convert(). */
PERP_API perp_status perp_stored_answer(const perp_stored *converted, const double *z, double *back);

/** The cone problem in local form: W and q formed from M, H, f, b. The same as converting to its own class. */
PERP_API perp_status perp_cone_condense(const perp_problem *p, const perp_allocator *alloc, perp_stored **out);

#ifdef __cplusplus
}
#endif
#endif
