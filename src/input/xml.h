/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* xml.h - XML files as trees with places, over expat's events; and memory that goes with a tree.
 *
 * Safe on any bytes: bytes, elements, attributes and depth are limited. Files that declare entities are refused, so nothing
 * is expanded and no other file is opened. */
#ifndef PP_XML_H
#define PP_XML_H

#include "input/input.h"

#define PP_XML_BYTES    (64u << 20) /* bytes of a file */
#define PP_XML_ELEMENTS 1000000     /* elements of a file */
#define PP_XML_DEPTH    400         /* levels of nesting: a chain of bodies in MJCF has one for each */

/* Many small things that are freed together. */
typedef struct pp_pool {
    pp_arena arena;
    char *at; /* rest of the newest block */
    size_t left;
} pp_pool;
void pp_pool_init(pp_pool *p, const perp_allocator *a);
/* 16-byte aligned and zero; NULL if memory is refused. */
void *pp_pool_get(pp_pool *p, size_t size);
/* A copy of length bytes with a final zero; NULL if memory is refused. */
char *pp_pool_text(pp_pool *p, const char *text, size_t length);
void pp_pool_free(pp_pool *p);

typedef struct pp_xml_attribute {
    const char *name, *value;
    struct pp_xml_attribute *next;
} pp_xml_attribute;

/* An element. */
typedef struct pp_xml {
    const char *name;
    const char *text;            /* of an element without children: its characters, without blanks around; else "" */
    const char *file;            /* for messages; borrowed from the caller of pp_xml_parse() */
    pp_xml_attribute *attribute; /* in the order of the file */
    struct pp_xml *parent, *first, *last, *next;
    int line, column; /* of its tag, from 1 */
    int index;        /* in the order of the file, from 0 */
} pp_xml;

/* Parses a file into a tree of the pool. `file` is how messages call it, and must stay as long as the tree. Refused: what is
 * not well-formed (expat's words, line and column), declared entities, sizes beyond the limits. */
perp_status pp_xml_parse(pp_pool *pool, const char *file, const char *data, size_t size, pp_xml **root,
                         perp_refusal *why);
/* The first child of that name; the next sibling of the same name. NULL: none. */
pp_xml *pp_xml_child(const pp_xml *e, const char *name);
pp_xml *pp_xml_again(const pp_xml *e);
/* The value of an attribute; NULL: it has none. */
const char *pp_xml_get(const pp_xml *e, const char *name);
static inline pp_location pp_xml_place(const pp_xml *e) { return (pp_location){e->file, e->line, e->column}; }

/* Reads up to `most` numbers with blanks between them. Returns how many there are; -1: something else stands there, -2: more than
 * `most`, -3: a number that is not finite. */
int pp_xml_numbers(const char *text, double *out, int most);

#endif
