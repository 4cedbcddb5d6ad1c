/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* columns.c - see columns.h */
#include "problem/columns.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool pp_columns_init(pp_columns *c, const perp_allocator *alloc, int rows, int cols) {
    *c = (pp_columns){.alloc = *alloc, .rows = rows, .cols = cols};
    c->start = pp_alloc(alloc, sizeof *c->start * ((size_t)cols + 1));
    c->sum = pp_alloc(alloc, sizeof *c->sum * (size_t)rows);
    c->in = pp_alloc(alloc, sizeof *c->in * (size_t)rows);
    c->touched = pp_alloc(alloc, sizeof *c->touched * (size_t)rows);
    if (!c->start || !c->sum || !c->in || !c->touched) return false;
    memset(c->in, 0, sizeof *c->in * (size_t)rows);
    c->start[0] = 0;
    return true;
}

void pp_columns_free(pp_columns *c) {
    pp_free(&c->alloc, c->start);
    pp_free(&c->alloc, c->index);
    pp_free(&c->alloc, c->value);
    pp_free(&c->alloc, c->sum);
    pp_free(&c->alloc, c->in);
    pp_free(&c->alloc, c->touched);
}

static int ascending(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

bool pp_columns_next(pp_columns *c) {
    int n = c->start[c->done];
    if (c->ntouched > INT_MAX - n) return false;
    if (!PP_GROW(&c->alloc, c->index, c->cap_index, n, n + c->ntouched) ||
        !PP_GROW(&c->alloc, c->value, c->cap_value, n, n + c->ntouched))
        return false;
    if (c->ntouched > 1) qsort(c->touched, (size_t)c->ntouched, sizeof *c->touched, ascending);
    for (int k = 0; k < c->ntouched; k++) {
        int row = c->touched[k];
        c->in[row] = false;
        if (c->sum[row] == 0) continue;
        c->index[n] = row;
        c->value[n++] = c->sum[row];
    }
    c->ntouched = 0;
    c->start[++c->done] = n;
    return true;
}

/* The arrays of a perp_sparse, to be written. */
typedef struct arrays {
    int *start, *index;
    double *value;
} arrays;

/* Memory for a matrix of that shape. False: there is none. */
static bool make(pp_arena *arena, int rows, int cols, int nnz, arrays *to, perp_sparse *out) {
    to->start = PP_ARENA_ARRAY(arena, int, (size_t)cols + 1);
    to->index = PP_ARENA_ARRAY(arena, int, nnz);
    to->value = PP_ARENA_ARRAY(arena, double, nnz);
    *out = (perp_sparse){rows, cols, to->start, to->index, to->value};
    return to->start && to->index && to->value;
}

bool pp_columns_keep(const pp_columns *c, pp_arena *arena, perp_sparse *out) {
    int nnz = c->start[c->cols];
    arrays to;
    if (!make(arena, c->rows, c->cols, nnz, &to, out)) return false;
    memcpy(to.start, c->start, sizeof *to.start * ((size_t)c->cols + 1));
    if (nnz > 0) {
        memcpy(to.index, c->index, sizeof *to.index * (size_t)nnz);
        memcpy(to.value, c->value, sizeof *to.value * (size_t)nnz);
    }
    return true;
}

bool pp_sparse_transpose(const perp_sparse *A, pp_arena *arena, perp_sparse *out) {
    int nnz = A->start[A->cols];
    arrays to;
    if (!make(arena, A->cols, A->rows, nnz, &to, out)) return false;
    int *start = to.start;
    memset(start, 0, sizeof *start * ((size_t)A->rows + 1));
    for (int k = 0; k < nnz; k++) start[A->index[k] + 1]++;
    for (int i = 0; i < A->rows; i++) start[i + 1] += start[i];
    for (int j = 0; j < A->cols; j++)
        for (int k = A->start[j]; k < A->start[j + 1]; k++) {
            int at = start[A->index[k]]++; /* start[i] runs to the end of row i: moved back below */
            to.index[at] = j;
            to.value[at] = A->value[k];
        }
    for (int i = A->rows; i > 0; i--) start[i] = start[i - 1];
    start[0] = 0;
    return true;
}
