/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file problem_file.h
 *  Problems that own their arrays: reading and writing files, conversion between classes. */
#ifndef PERP_PROBLEM_FILE_H
#define PERP_PROBLEM_FILE_H

#include "perp/input.h"
#include "perp/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A problem together with its arrays. Opaque; made by reading or converting, freed by perp_stored_free(). */
typedef struct perp_stored perp_stored;

/** The problem; borrowed until `s` is freed. If a step problem is stored, its cone form, see perp_stored_step(). */
PERP_API const perp_problem *perp_stored_problem(const perp_stored *s);

/** The step problem, if one is stored; else NULL. Borrowed until `s` is freed. */
PERP_API const perp_step_problem *perp_stored_step(const perp_stored *s);

/** The solution in the file of a step problem: the one found in the run; NULL if there is none. Borrowed. */
PERP_API const perp_step_solution *perp_stored_step_solution(const perp_stored *s);

/** The initial guess in the file, perp_problem_size() numbers, or NULL. Borrowed. */
PERP_API const double *perp_stored_guess(const perp_stored *s);

/** Title; for a captured problem, where it was captured. "" if the file has none. Borrowed. */
PERP_API const char *perp_stored_title(const perp_stored *s);

/** Frees a stored problem. NULL is allowed. */
PERP_API void perp_stored_free(perp_stored *s);

/** Layouts of problem files. */
typedef enum perp_problem_format {
    PERP_FORMAT_PERP,        /**< HDF5, perp's own: every class except NCP; the step problem; exact to the bit */
    PERP_FORMAT_FCLIB,       /**< HDF5, FCLIB's local and global layouts: cone problems */
    PERP_FORMAT_SICONOS_TEXT /**< text: friction problems local and global, LCP, mixed LCP (Siconos' test data) */
} perp_problem_format;

/** Name of a layout: "perp", "fclib", "siconos". */
PERP_API const char *perp_problem_format_name(perp_problem_format f);

/** Reads a problem file of any layout. The layout, and the class of problem in a text file, are detected from the content
 *  (docs/problems.md).
 *  @param alloc  NULL: malloc and free
 *  @param format the layout found; may be NULL
 *  @return PERP_OK; PERP_E_IO, PERP_E_ARG, PERP_E_MEMORY with `why` filled (file, line of a text file, what was found, what is
 *  allowed) and *out = NULL */
PERP_API perp_status perp_problem_read(const char *path, const perp_allocator *alloc, perp_stored **out,
                                       perp_problem_format *format, perp_refusal *why);

/** Writes a problem. An existing file is replaced only after the new one is complete on disk.
 *  @param guess  perp_problem_size() numbers, or NULL
 *  @param title  one line of text, or NULL
 *  @return PERP_E_FIT if the layout cannot hold the class (`why` says so), PERP_E_IO, PERP_E_ARG, PERP_E_MEMORY */
PERP_API perp_status perp_problem_write(const char *path, perp_problem_format format, const perp_problem *p,
                                        const double *guess, const char *title, perp_refusal *why);

/** Writes a step problem in perp's own layout, with an initial guess for solvers. @param guess NULL: none; any of its arrays may
 *  be NULL, but the guess is used only if it has the impulses of all joints and contacts. The layout cannot hold rows of more
 *  than two bodies (perp_row.more): a problem with such rows is written as its cone problem. */
PERP_API perp_status perp_step_write(const char *path, const perp_step_problem *p, const perp_step_solution *guess,
                                     const char *title, perp_refusal *why);

/** As perp_step_write(), with the solution that was found, for comparison; no solver starts from it.
 *  @param solution with all arrays; p_spin and p_roll only if a contact has torsional or rolling friction; NULL: none */
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

/** Converts a step problem to a problem of one class: PERP_CONE (global form; pyramids become cones, which is exact in 2D),
 *  PERP_MLCP (joint impulses stay) or PERP_LCP (bilateral joint rows are eliminated, also linearly dependent ones). The last
 *  two need pyramids: PERP_E_FIT for true cones (PERP_CONE_DIRECTIONS).
 *  @param guess  guess of the step's solution, becomes perp_stored_guess(); NULL: none. `nu` is not used
 *  @return PERP_E_ARG if numbers are not finite, PERP_E_MEMORY. Arrays of `p` are copied */
PERP_API perp_status perp_step_convert(const perp_step_problem *p, perp_class to, const perp_step_solution *guess,
                                       const perp_allocator *alloc, perp_stored **out);

/** Converts an answer of a converted problem to one of the original problem: z of perp_problem_size(converted),
 *  `back` of perp_problem_size(original). PERP_E_ARG if `converted` was not made by perp_problem_convert(). */
PERP_API perp_status perp_stored_answer(const perp_stored *converted, const double *z, double *back);

/** The cone problem in local form: W and q are formed from M, H, f, b. The same as conversion to its own class. */
PERP_API perp_status perp_cone_condense(const perp_problem *p, const perp_allocator *alloc, perp_stored **out);

#ifdef __cplusplus
}
#endif
#endif
