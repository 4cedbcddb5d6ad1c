/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* skyline.h - symmetric positive definite systems with a profile: each row from its first entry to the diagonal. */
#ifndef PP_SKYLINE_H
#define PP_SKYLINE_H

#include <stdbool.h>
#include <stddef.h>

/* Entry (i, j) of the lower triangle, first[i] <= j <= i, is at value[start[i] + j - first[i]]. */
typedef struct pp_skyline {
    int n;
    int *first;       /* n */
    ptrdiff_t *start; /* n + 1; start[n] is the number of entries */
    double *value;
} pp_skyline;

/* From first to start; returns the number of entries. */
ptrdiff_t pp_skyline_place(pp_skyline *s);
/* Cholesky's factor in place; false if not positive definite. Cost: the sum of squares of the lengths of the rows. */
bool pp_skyline_factor(pp_skyline *s);
/* x is overwritten by the solution. */
void pp_skyline_solve(const pp_skyline *s, double *x);

static inline double *pp_skyline_at(const pp_skyline *s, int i, int j) {
    return s->value + s->start[i] + j - s->first[i];
}

#endif
