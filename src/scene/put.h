/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* put.h - writing maps of a scene file, by the same tables that are used for reading.
 *
 * The writer of a map fills the struct that the reader would fill (scene_in.h), and pp_put_map() writes every key whose field
 * says more than the default. A key that is new in a table is written as soon as its field is set:
 *
 *     pp_shape_in in;
 *     pp_put_blank(&pp_map_shape, &in);
 *     in.radius = def->radius;                          // one line for each key
 *     pp_put_map(t, &pp_map_shape, dim, PP_IN_SPHERE, &in, NULL);
 *
 * Values that a table calls "later" (maps in maps, lists) are handed over as text. */
#ifndef PP_SCENE_PUT_H
#define PP_SCENE_PUT_H

#include "scene/scene_in.h"

/* A text that grows. */
typedef struct pp_text {
    const perp_allocator *alloc;
    char *data; /* NULL: empty */
    int n, cap;
    bool failed; /* memory was refused; nothing more is added */
    bool *any;   /* set to true when memory is refused; may be NULL */
} pp_text;
void pp_text_add(pp_text *t, const char *format, ...) PERP_PRINTF(2, 3);
/* In double quotes, as YAML reads it back. */
void pp_text_quoted(pp_text *t, const char *text);
/* The text, to be freed by the caller; NULL, and nothing to free, if memory was refused. */
char *pp_text_take(pp_text *t);
void pp_text_free(pp_text *t);

#define PP_NUMBER_TEXT 32 /* bytes of a number as text */
/* The shortest text that reads as this number, to the bit and in any locale; inf and -inf too. */
void pp_number_text(double x, char *out, size_t size);
void pp_text_number(pp_text *t, double x);
/* [x, y] or [x, y, z] */
void pp_text_vector(pp_text *t, int dim, perp_vec3 v);

/* Bytes as base64 (RFC 4648), and back: to be freed. NULL: *size is 0 if the text is no base64, else no memory. */
void pp_text_base64(pp_text *t, const void *data, size_t size);
unsigned char *pp_base64_read(const perp_allocator *a, const char *text, size_t *size);

/* A value that the owner of the map writes, as YAML; NULL: the key is not written. */
typedef struct pp_nested {
    const char *key; /* NULL ends a list */
    const char *text;
} pp_nested;

/* Sets every field of the map's struct to its default, which is not written. */
void pp_put_blank(const pp_map *m, void *in);
/* A vector, or nothing if it is zero: for keys whose default is zero. */
perp_vec3 pp_put_some(perp_vec3 v);
/* Writes a map as {key: value, ...}. variant: -1 if the map has none. nested: ended by a key NULL; may be NULL. */
void pp_put_map(pp_text *t, const pp_map *m, int dim, int variant, const void *in, const pp_nested *nested);
/* The same as lines of the file: key: value. */
void pp_put_lines(pp_text *t, const pp_map *m, int dim, const void *in, const pp_nested *nested);

#endif
