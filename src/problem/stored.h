/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* stored.h - a problem together with all its arrays, in one arena; made by readers and conversions.
 *
 * To make one: pp_stored_new(), arrays by PP_STORED_ARRAY() or the copying helpers, then fill `problem` (and `guess`,
 * `title`). After a failure, perp_stored_free() frees everything. */
#ifndef PP_STORED_H
#define PP_STORED_H

#include "base/memory.h"
#include "perp/problem_file.h"

struct perp_stored {
    pp_arena arena;                     /* holds everything that is pointed to below */
    perp_problem problem;               /* zeroed by pp_stored_new */
    const perp_step_problem *step;      /* NULL if it is none; then `problem` is its cone form */
    const double *guess;                /* perp_problem_size(), or NULL */
    const perp_step_solution *solution; /* of the step problem, or NULL */
    const char *title;                  /* never NULL */
    /* conversions only: how answers go back to the problem it came from, and guesses forth; NULL: not converted */
    void (*back)(const perp_stored *s, const double *z, double *original);
    void (*forth)(const perp_stored *s, const double *original, double *z);
    const void *way; /* what the two need, in the arena */
};

/* An empty one with title "". alloc NULL: malloc and free. NULL if memory is refused. */
perp_stored *pp_stored_new(const perp_allocator *alloc);

/* Memory of the object, 64-byte aligned, contents undefined; NULL if refused or count * size overflows. */
void *pp_stored_memory(perp_stored *s, size_t bytes);
void *pp_stored_array(perp_stored *s, size_t count, size_t size);
#define PP_STORED_ARRAY(s, type, count) ((type *)pp_stored_array((s), (size_t)(count), sizeof(type)))

/* Copies into the object's memory; false if refused. A NULL source gives NULL and is no failure. */
bool pp_stored_doubles(perp_stored *s, size_t count, const double *from, const double **to);
bool pp_stored_ints(perp_stored *s, size_t count, const int *from, const int **to);
bool pp_stored_sparse(perp_stored *s, const perp_sparse *from, perp_sparse *to); /* start NULL: empty matrix kept so */
bool pp_stored_set_title(perp_stored *s, const char *title);                     /* NULL: "" */
bool pp_stored_set_guess(perp_stored *s, const double *guess);                   /* after the problem; NULL: none */

/* Copies a whole problem with its scales. The functions and the context of an NCP are shared, not copied. */
bool pp_stored_copy(perp_stored *s, const perp_problem *p);

/* Copies a step problem; `problem` becomes its cone form (to_cone.h). PERP_E_ARG if numbers are not finite,
 * PERP_E_MEMORY. Sizes and block numbers are taken as they are: a reader checks them first. (stored_step.c) */
perp_status pp_stored_set_step(perp_stored *s, const perp_step_problem *p);
/* Copies a solution of it; false if memory is refused. Arrays that are NULL become zeros. */
bool pp_stored_set_solution(perp_stored *s, const perp_step_solution *solution);

/* Whether there is a conversion of p to class `to` with exactly the same solutions. (convert_class.c) */
bool pp_convert_lossless(const perp_problem *p, perp_class to);

/* A guess for the original, taken to one for the converted problem; the opposite of perp_stored_answer(). */
void pp_stored_forth(const perp_stored *converted, const double *original, double *z);

#endif
