/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* dictionary.h - a dictionary of complementary pivoting whose columns are updated when they are read. */
#ifndef PP_DICTIONARY_H
#define PP_DICTIONARY_H

#include "solver/common/reduce.h"

/* basic = b + T nonbasic. Variables: z_i is i, w_i is n + i, the artificial one 2 n; initially w = b + T (z,
 * artificial). A pivot changes all columns, but the next one needs only the entering column. So each column stores how
 * many of the pivots were applied to it, and the others are applied when it is read. */
typedef struct pp_dictionary {
    int n;
    double *T;     /* n x (n + 1) */
    double *b;     /* n: basic variables */
    int *basic;    /* n: variable of each row */
    int *nonbasic; /* n + 1: variable of each column */
    int *place;    /* 2 n + 1: row of a basic variable, -1 - column of a nonbasic one */
    int count;     /* pivots, over all starts */
    double *gone;  /* n x most: entering columns of the stored pivots, 0 in the row of the pivot */
    double *value; /* most: the pivots */
    int *row;      /* most: their rows */
    int *seen;     /* n + 1: number of stored pivots that were applied to a column */
    int most, kept;
    bool whole; /* all pivots since the start are stored */
} pp_dictionary;

void pp_dictionary_lay_out(pp_dictionary *d, int n, pp_workspace *c);

/* Call after T and b were set to M, the covering vector and q: no variable has been exchanged yet. */
void pp_dictionary_start(pp_dictionary *d);

/* An updated column. */
const double *pp_dictionary_column(pp_dictionary *d, int col);

/* Replaces the vector of the artificial variable, which is not basic, in the present dictionary. */
void pp_dictionary_cover(pp_dictionary *d, const double *by);

/* The variable of this row leaves, that of the column enters. */
void pp_dictionary_pivot(pp_dictionary *d, int row, int col);

/* Entry (row, k) of the inverse basis: the effect of a change of q_k on the variable of this row. */
double pp_dictionary_inverse(pp_dictionary *d, int row, int k);

/* b for another q, in the present basis; the artificial variable is not basic. */
void pp_dictionary_point(pp_dictionary *d, const double *q);

#endif
