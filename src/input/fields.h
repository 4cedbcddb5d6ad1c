/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fields.h - strict maps: a table says which keys a YAML map may have and where their values go.
 *
 * A key that is not in the table, a key that is missing and a value of another kind are refused with place, path, what
 * was found and what is allowed. Used by experiment files and study files; scenes have a richer reader of their own. */
#ifndef PP_FIELDS_H
#define PP_FIELDS_H

#include "input/input.h"

typedef enum pp_field_kind {
    PP_FIELD_TEXT,   /* const char *, points into the tree */
    PP_FIELD_BOOL,   /* bool */
    PP_FIELD_NODE,   /* uint32_t: any node, read later */
    PP_FIELD_EXPR,   /* uint32_t: a scalar that is not empty, compiled later */
    PP_FIELD_NUMBER, /* double: a constant expression, finite */
    PP_FIELD_WHOLE   /* int64_t: the same, a whole number >= 0 */
} pp_field_kind;

typedef struct pp_field {
    const char *name; /* NULL ends the table */
    size_t offset;    /* of the value in the struct that is filled */
    pp_field_kind kind;
    bool required;
} pp_field;
#define PP_FIELDS_MAX 32 /* most entries of a table */

/* Reads a map. `path` is the way to it ("" for the top). Fields that are not there keep their value. */
perp_status pp_fields_read(const pp_tree *t, uint32_t map, const char *path, const pp_field *fields, void *out,
                           perp_refusal *why);
/* Reads a constant: a number or an expression without variables. */
perp_status pp_field_number(const pp_tree *t, uint32_t n, const char *path, double *out, perp_refusal *why);
/* A name: letters, digits, _ and, if `hyphens`, -; it begins with a letter and has less than 64 bytes. */
perp_status pp_field_name(const pp_tree *t, uint32_t n, const char *path, bool hyphens, const char **out,
                          perp_refusal *why);
/* Refuses the value at a node. */
perp_status pp_field_refuse(const pp_tree *t, uint32_t n, const char *path, const char *allowed, perp_refusal *why);
/* Error report about a word that is not in a list (ended by NULL). `what`: a noun such as "the parameter". */
perp_status pp_field_unknown(const pp_tree *t, uint32_t n, const char *path, const char *what, const char *const *words,
                             perp_refusal *why);
/* Error report about an expression: `words` is the message of the compiler or of a function, `where` the byte. */
perp_status pp_field_complain(const pp_tree *t, uint32_t n, size_t where, const char *path, const char *words,
                              perp_refusal *why);
/* "path.name", or "name" at the top; returns out. */
char *pp_field_path(char *out, size_t size, const char *path, const char *name);

#endif
