/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sparse_help.h - dense matrices by columns as sparse ones, for tests. */
#ifndef SPARSE_HELP_H
#define SPARSE_HELP_H

#include "perp/problem.h"

/* The entries of a matrix that are not 0. start: cols + 1; index, value: room for all entries. They are the caller's and are
 * borrowed by the result. */
static inline perp_sparse sparse_of(int rows, int cols, const double *dense, int *start, int *index, double *value) {
    int nnz = 0;
    for (int j = 0; j < cols; j++) {
        start[j] = nnz;
        for (int i = 0; i < rows; i++)
            if (dense[i + rows * j] != 0) index[nnz] = i, value[nnz++] = dense[i + rows * j];
    }
    start[cols] = nnz;
    return (perp_sparse){rows, cols, start, index, value};
}

#endif
