/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* columns.h - a sparse matrix built column by column from sums of entries in any order. */
#ifndef PP_COLUMNS_H
#define PP_COLUMNS_H

#include "base/memory.h"
#include "perp/problem.h"

typedef struct pp_columns {
    perp_allocator alloc;
    int rows, cols;
    int done;   /* columns closed so far */
    int *start; /* cols + 1 */
    int *index; /* growing, as value */
    double *value;
    int cap_index, cap_value;
    double *sum;  /* rows: the open column */
    bool *in;     /* rows: is it in the open column? */
    int *touched; /* rows: which are */
    int ntouched;
} pp_columns;

/* False if memory is refused; pp_columns_free() is right in any case. */
bool pp_columns_init(pp_columns *c, const perp_allocator *alloc, int rows, int cols);
void pp_columns_free(pp_columns *c);

/* Adds to an entry of the open column. */
static inline void pp_columns_add(pp_columns *c, int row, double value) {
    if (!c->in[row]) {
        c->in[row] = true;
        c->sum[row] = 0;
        c->touched[c->ntouched++] = row;
    }
    c->sum[row] += value;
}

/* Closes the open column: rows ascending, sums that are exactly zero dropped. False if memory is refused. */
bool pp_columns_next(pp_columns *c);

/* The finished matrix, copied into an arena. False if memory is refused. */
bool pp_columns_keep(const pp_columns *c, pp_arena *arena, perp_sparse *out);

/* Transpose of A into an arena. False if memory is refused. */
bool pp_sparse_transpose(const perp_sparse *A, pp_arena *arena, perp_sparse *out);

#endif
