/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* csv.h - tables of measured data: text files with a line of names, then rows of fields between commas. */
#ifndef PP_CSV_H
#define PP_CSV_H

#include "input/input.h"

enum { PP_CSV_COLUMNS = 256, PP_CSV_ROWS = 10000000 };

typedef struct pp_csv {
    perp_allocator alloc;
    char *file;   /* name in messages */
    char *data;   /* the file's bytes, cut into fields */
    char **field; /* rows x columns */
    char *name[PP_CSV_COLUMNS];
    int *line; /* of each row, from 1 */
    int ncolumn, nrow;
} pp_csv;

/* Reads a file. Refused: no line of names, a name twice, a row with another number of fields, quotes that do not end.
 * Blank lines and lines that begin with # are left out. */
/* @param root folder that the file must lie in; "/": any */
perp_status pp_csv_read(const perp_allocator *a, const char *root, const char *path, pp_csv *out, perp_refusal *why);
/* The same from memory. data: size bytes and a zero byte, from the allocator. The table owns it; it is freed on failure. */
perp_status pp_csv_parse(const perp_allocator *a, const char *name, char *data, size_t size, pp_csv *out,
                         perp_refusal *why);
void pp_csv_free(pp_csv *t);
/* Index of a column; -1: there is none. */
int pp_csv_column(const pp_csv *t, const char *name);
/* Complains that there is no such column. `at`: where it was asked for. */
perp_status pp_csv_no_column(const pp_csv *t, const char *name, pp_location at, const char *key, perp_refusal *why);
static inline const char *pp_csv_text(const pp_csv *t, int row, int column) {
    return t->field[(size_t)row * (size_t)t->ncolumn + (size_t)column];
}
/* A number. An empty field, "nan", "NA" and "-" mean that it is missing: NAN. Anything else is refused with file, line
 * and column. */
perp_status pp_csv_number(const pp_csv *t, int row, int column, double *out, perp_refusal *why);

#endif
