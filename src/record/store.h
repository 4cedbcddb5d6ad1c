/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* store.h - helpers for HDF5 files: attributes, whole datasets, their checks. Every function closes the handles that it opens.
 * HDF5's error printing must be off (pp_quiet_begin). */
#ifndef PP_STORE_H
#define PP_STORE_H

#include "input/input.h"
#include "record/layout.h"
#include "record/sealed.h"

/* ---- writing; false if HDF5 fails ---- */
bool pp_put_text(hid_t at, const char *name, const char *text); /* at most PP_TEXT_MAX bytes are kept */
bool pp_put_words(hid_t at, const char *name, const char *const *word, int n);
bool pp_put_f64(hid_t at, const char *name, const double *x, int n);
bool pp_put_u64(hid_t at, const char *name, uint64_t x); /* made, or written over */
/* A new group; its links and attributes stay in its header, which is smaller. */
bool pp_put_group(hid_t file, const char *path);
/* A new dataset of the table, whole. `size`: bytes of each text. */
bool pp_put_static(hid_t file, pp_dataset d, const uint64_t *extent, size_t size, const void *data, int compression);
/* A new dataset of bytes that is not in the table. */
hid_t pp_put_bytes(hid_t file, const char *path, const void *data, size_t size, int compression);
/* A new dataset of no rows that grows, with a cache of about two chunks. */
hid_t pp_put_growing(hid_t file, pp_dataset d, const uint64_t *extent, hsize_t chunk_rows, int compression);
/* Opens an existing one to write on. */
hid_t pp_open_growing(hid_t file, pp_dataset d, size_t chunk_bytes);
/* Unit and description of a dataset. */
bool pp_put_notes(hid_t set, const char *unit, const char *about);

#define PP_TEXT_MAX 2000

/* ---- reading, of files that may hold anything ---- */

/* The attribute is a scalar (n == 1) or a row of n numbers, of that class; false: it is not. */
bool pp_get_f64(hid_t at, const char *name, double *x, int n);
bool pp_get_u64(hid_t at, const char *name, uint64_t *x);
bool pp_get_text(hid_t at, const char *name, char *out, size_t size); /* fixed text, cut to fit */
/* Fixed texts, each in PP_SOLVER_NAME bytes of out; returns their number, -1 if it is not so. */
int pp_get_words(hid_t at, const char *name, char (*out)[PP_SOLVER_NAME], int max);
/* Opens a dataset of which every step of the path is a plain link within the file; negative if there is none. */
hid_t pp_open_plain(hid_t file, const char *path);

/* Type and size of a dataset, for the checks before it is read. */
typedef struct pp_found {
    H5T_class_t class;
    size_t size; /* bytes of one */
    int rank;
    hsize_t dim[3];
    uint64_t bytes, stored; /* of all numbers; of what the file keeps */
} pp_found;
/* Inspects a dataset. False, with text in `why`, if its storage is not that of a recording: outside the file, other filters, huge
 * chunks, or more numbers than the stored size allows. */
bool pp_look(hid_t set, uint64_t file_size, pp_found *out, char *why, size_t size);
/* Its type is the one of the table. */
bool pp_type_is(hid_t set, pp_type t);
/* "32-bit floats", "300 x 4 x 3": for messages. */
void pp_found_type(hid_t set, char *out, size_t size);
void pp_found_shape(int rank, const hsize_t *dim, char *out, size_t size);

#endif
