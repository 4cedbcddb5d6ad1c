/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* table.h - a CSV file with a header line, as numbers by column name.
 * Cells that are not numbers are NaN; the text of the first column is kept, because names such as 019 are not numbers. */
#ifndef STUDY_TABLE_H
#define STUDY_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum { TABLE_NAME = 32, TABLE_COLUMNS = 64 }; /* longest name with its final zero; most columns */

typedef struct table {
    int rows, columns;
    char name[TABLE_COLUMNS][TABLE_NAME]; /* of the columns */
    char (*key)[TABLE_NAME];              /* rows: text of the first column */
    double *value;                        /* rows x columns, row by row */
} table;

/* Reads a file. On failure why holds one sentence and the table is empty. Free it with table_free(). */
bool table_read(const char *path, table *t, char *why, size_t why_size);
void table_free(table *t);
/* Column of a name, -1 if there is none. */
int table_column(const table *t, const char *name);
/* Columns of n names, all of which must be there; else why says which one is missing. */
bool table_columns(const table *t, const char *const *name, int n, int *column, char *why, size_t why_size);
double table_at(const table *t, int row, int column);

#endif
