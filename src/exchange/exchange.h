/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* exchange.h - shared by the readers and writers of problem files.
 *
 * Readers work on a whole file in memory, check everything in it, and build a perp_stored. No count in a file is used for an
 * allocation before it was compared with the size of the file. Writers build the whole new file in memory and then replace the old
 * one atomically. */
#ifndef PP_EXCHANGE_H
#define PP_EXCHANGE_H

#include "exchange/h5_file.h"
#include "problem/stored.h"

/* One reading. */
typedef struct pp_exchange {
    perp_stored *out;
    pp_arena scratch; /* until the reading ends */
    const char *file; /* for messages */
    const char *data;
    size_t size;
    perp_refusal *why;
} pp_exchange;

perp_status pp_exchange_no_memory(const pp_exchange *x);

/* perp_problem_read() on bytes in memory; `file` is for messages only. */
perp_status pp_exchange_read(const char *file, const void *data, size_t size, const perp_allocator *alloc,
                             perp_stored **out, perp_problem_format *format, perp_refusal *why);

/* The layouts. */
perp_status pp_text_read(pp_exchange *x);
perp_status pp_fclib_read(pp_exchange *x, pp_h5 *h, bool global);
perp_status pp_perp_read(pp_exchange *x, pp_h5 *h);

/* ---- matrices in the making (entries.c) ---- */

typedef struct pp_entries {
    int rows, cols;
    size_t n, cap;
    int *row, *col;
    double *value;
} pp_entries;

/* Room for `more` further entries. */
perp_status pp_entries_room(pp_exchange *x, pp_entries *e, size_t more);
/* Adds one; there must be room, and it must lie within the matrix. */
void pp_entries_add(pp_entries *e, int row, int col, double value);
/* By columns, rows ascending; entries at one place are summed in the order in which they came; zeros stay. `key` names
 * the matrix in a complaint about a sum that is not finite. */
perp_status pp_entries_sparse(pp_exchange *x, const pp_entries *e, const char *key, perp_sparse *out);
/* Column-major. */
perp_status pp_entries_dense(pp_exchange *x, const pp_entries *e, const char *key, const double **out);

/* ---- text (text_words.c) ---- */

typedef struct pp_words {
    pp_exchange *x;
    size_t at;         /* next byte */
    size_t line_start; /* first byte of the line */
    int line;          /* from 1 */
} pp_words;

typedef struct pp_word {
    const char *text;
    size_t length; /* 0: the end of the file */
    pp_location place;
} pp_word;

pp_words pp_words_begin(pp_exchange *x);
/* The next word between blanks and line ends. */
pp_word pp_words_next(pp_words *w);
/* The next word without taking it. */
pp_word pp_words_peek(const pp_words *w);
void pp_words_skip_line(pp_words *w);
bool pp_word_is(pp_word t, const char *text);
/* Its value; false if it is no finite number. */
bool pp_word_value(pp_word t, double *out);
/* At most so many words can follow. */
int pp_words_left(const pp_words *w);
perp_status pp_words_refuse(const pp_words *w, pp_word t, const char *key, const char *allowed);
/* Take one whole number within lo .. hi, one number, n numbers (key[i] in complaints). */
perp_status pp_words_integer(pp_words *w, const char *key, int lo, int hi, int *out);
perp_status pp_words_number(pp_words *w, const char *key, double *out);
perp_status pp_words_numbers(pp_words *w, const char *key, int n, double *out);
perp_status pp_words_expect(pp_words *w, const char *key, const char *text);

/* A matrix in one of Siconos' storages 0, 1, 2 (text_matrix.c). rows, cols: what they must be, or -1. *sparse: it was
 * not stored in full. */
perp_status pp_text_matrix(pp_words *w, const char *key, int rows, int cols, pp_entries *out, bool *sparse);

/* ---- writing (place.c, *_write.c) ---- */

/* Replaces the file at path by `size` bytes, atomically: on failure the old file stays. */
perp_status pp_place_file(const char *path, const void *data, size_t size, perp_refusal *why);

/* A file being built in memory; libc's malloc. */
typedef struct pp_image {
    char *data;
    size_t size, cap;
    bool failed; /* out of memory */
} pp_image;

void pp_image_add(pp_image *m, const void *data, size_t size);
void pp_image_free(pp_image *m);

perp_status pp_text_image(const char *path, const perp_problem *p, const char *title, pp_image *m, perp_refusal *why);
perp_status pp_fclib_image(const char *path, const perp_problem *p, const double *guess, const char *title,
                           pp_image *out, perp_refusal *why);
perp_status pp_perp_image(const char *path, const perp_problem *p, const double *guess, const char *title,
                          pp_image *out, perp_refusal *why);
perp_status pp_perp_step_image(const char *path, const perp_step_problem *p, const perp_step_solution *guess,
                               const perp_step_solution *solution, const char *title, pp_image *out, perp_refusal *why);

/* Checks sizes and pattern of a sparse matrix of the caller: rows x cols, start, index, rows ascending without duplicates. */
perp_status pp_check_sparse(const char *file, const char *key, const perp_sparse *m, int rows, int cols,
                            perp_refusal *why);

#endif
