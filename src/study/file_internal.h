/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* file_internal.h - between file.c and file_read.c. */
#ifndef PP_STUDY_FILE_INTERNAL_H
#define PP_STUDY_FILE_INTERNAL_H

#include "record/store.h"
#include "study/file.h"

enum { PP_COLUMNS = 12, PP_COLUMN_NUMBER = 0 };
enum { PP_WIDTH_PARAMETERS = -1, PP_WIDTH_MEASURES = -2 }; /* in place of a width */

/* A column of the table of trials: where it is in the file and in a row. */
typedef struct pp_study_column {
    const char *path;
    pp_type type;
    size_t offset;
    int width; /* numbers, or one of the above */
    const char *unit, *about;
} pp_study_column;
extern const pp_study_column pp_study_columns[PP_COLUMNS];

struct pp_study_file {
    perp_allocator alloc;
    char *path;
    hid_t file, set[PP_COLUMNS], failed_number, failed_why;
    pp_study_info info;
    int sources;
    uint64_t failures; /* rows of /failures */
    size_t row_size;
    char *waiting_rows, *packed; /* rows not yet handed to HDF5; room to turn them into columns */
    int waiting;
};

int pp_study_width(const pp_study_file *f, int column);
size_t pp_study_offset(const pp_study_file *f, int column);
/* Reads (out) or writes (in) rows first .. first + n - 1 of a dataset with so many numbers a row; the other is NULL. */
bool pp_study_transfer(hid_t set, hid_t type, uint64_t first, uint64_t n, int width, void *out, const void *in);
pp_study_file *pp_study_file_new(const char *path, perp_refusal *why);
/* Checks the layout of an open file and fills `info`. */
perp_status pp_study_file_load(pp_study_file *f, perp_refusal *why);
perp_status pp_study_file_trouble(const pp_study_file *f, const char *key, perp_refusal *why);

#endif
