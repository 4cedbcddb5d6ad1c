/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* h5_file.h - reading HDF5 files that may contain anything.
 *
 * Problem files may come from untrusted sources, and the HDF5 library is not safe on damaged files: it may crash. They are therefore
 * read by this small reader of the file format. It compares every address, length and count with the size of the file before it uses
 * them, and limits its work by the size of the file. Supported: superblocks 0 to 3; old-style groups and new ones with few links;
 * contiguous numbers and fixed-length texts; attributes; both byte orders. Other features (chunks, filters, external links, texts of
 * variable length) are refused by name.
 * Source: HDF5 File Format Specification, version 3.0. */
#ifndef PP_H5_FILE_H
#define PP_H5_FILE_H

#include "input/input.h"

typedef struct pp_h5 {
    const unsigned char *data; /* the whole file, borrowed */
    size_t size;
    const char *file; /* for messages */
    perp_refusal *why;
    uint64_t root; /* object header of the root group */
    size_t work;   /* steps left, so that references in circles end */
} pp_h5;

typedef enum pp_h5_kind { PP_H5_NONE, PP_H5_GROUP, PP_H5_DATASET } pp_h5_kind;
typedef enum pp_h5_type { PP_H5_INT, PP_H5_FLOAT, PP_H5_TEXT, PP_H5_OTHER } pp_h5_type;

#define PP_H5_RANK 4

/* A dataset or an attribute: its type, its shape, where its numbers are. */
typedef struct pp_h5_array {
    pp_h5_type type;
    size_t size;    /* bytes of one */
    bool sign, big; /* integers; byte order */
    int rank;       /* 0: scalar */
    uint64_t dim[PP_H5_RANK];
    uint64_t count; /* product of dim; count * size bytes are at raw */
    const unsigned char *raw;
} pp_h5_array;

/* True if the bytes begin as an HDF5 file does. */
bool pp_h5_is(const void *data, size_t size);

/* Starts reading. Refuses a file that is not HDF5, is truncated, or has an unknown superblock. */
perp_status pp_h5_open(pp_h5 *h, const char *file, const void *data, size_t size, perp_refusal *why);

/* What is at a path ("a/b/c" from the root), reached by plain links. Not there: PERP_OK and PP_H5_NONE. */
perp_status pp_h5_find(pp_h5 *h, const char *path, pp_h5_kind *kind, uint64_t *header);

/* The dataset at a path; *there = false if there is none. PERP_E_ARG if it is a group or stored in a way that is not
 * read. */
perp_status pp_h5_dataset(pp_h5 *h, const char *path, bool *there, pp_h5_array *out);

/* An attribute of the root group. */
perp_status pp_h5_attribute(pp_h5 *h, const char *name, bool *there, pp_h5_array *out);

/* ---- numbers (h5_numbers.c) ---- */

/* Integers and 64-bit floats of an array as they are in memory; type and range were checked. */
void pp_h5_get_doubles(const pp_h5_array *a, double *out);
int64_t pp_h5_get_integer(const pp_h5_array *a, uint64_t i);

/* "64-bit floats", "32-bit integers", "text", "another type"; "3 x 4", "a scalar". */
const char *pp_h5_type_words(const pp_h5_array *a, char *out, size_t size);
const char *pp_h5_shape_words(const pp_h5_array *a, char *out, size_t size);

/* Error report about the object at a path. */
perp_status pp_h5_refuse(pp_h5 *h, const char *path, const char *found, const char *allowed);
perp_status pp_h5_damaged(pp_h5 *h, const char *path, uint64_t at, const char *what);

#endif
