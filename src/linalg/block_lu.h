/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* block_lu.h - LU of sparse matrices made of small dense blocks with a symmetric pattern: bodies and contacts.
 * The pattern is analysed once; then matrices of that pattern are filled in place, factorised and solved with, again and
 * again, without any allocation. Everything lies in the arena given at the start. */
#ifndef PP_BLOCK_LU_H
#define PP_BLOCK_LU_H

#include "base/memory.h"

typedef struct pp_block_lu pp_block_lu;

/* Where a block (i, j) of the matrix is kept: element (r, c) at value[r + ld * c], or at value[c + ld * r] if
 * transposed. */
typedef struct pp_block_place {
    double *value;
    int ld;
    bool transposed;
} pp_block_place;

/* Orders and analyses. size[nblock]: rows of each block. Neighbours of block j: index[start[j]] .. index[start[j+1]-1],
 * symmetric, any order, none twice; the diagonal may be listed or not and is always there. NULL if memory is refused. */
pp_block_lu *pp_block_lu_new(int nblock, const int *size, const int *start, const int *index, pp_arena *arena);

/* Cost of one factorisation in multiplications, and number of stored doubles; known before their memory is allocated. */
double pp_block_lu_work(const pp_block_lu *f);
double pp_block_lu_entries(const pp_block_lu *f);

/* Takes the memory for the numbers. False if refused. To be called once, before all that follow. */
bool pp_block_lu_room(pp_block_lu *f);

/* Place of a block of the pattern; valid as long as f is. After a factorisation it holds something else: clear first. */
pp_block_place pp_block_lu_place(const pp_block_lu *f, int i, int j);

/* All numbers zero. */
void pp_block_lu_clear(pp_block_lu *f);

/* Factorises what was filled in. Rows are exchanged only within groups of blocks that are eliminated together; a pivot
 * that is too small there is replaced by one of 1e-10 of its group's size, so the factors may be those of a nearby
 * matrix: refine. False only if something is not finite. *replaced: how many; NULL is fine. */
bool pp_block_lu_factor(pp_block_lu *f, int *replaced);

/* x is overwritten by the solution; unknowns in the order of the blocks as given. */
void pp_block_lu_solve(pp_block_lu *f, double *x);

/* The same for a matrix in compressed columns, one block per row. NULL if memory is refused. */
pp_block_lu *pp_block_lu_of_sparse(int n, const int *start, const int *index, const double *value, pp_arena *arena);

#endif
