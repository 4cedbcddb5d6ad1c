/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* xml.c - an XML file as a tree, over expat's events.
 *
 * Method   One pass. Elements, attributes and texts go to the pool; the characters of the element at hand are gathered in a buffer, and kept
 *          if it ends without children. The first complaint stops the parser.
 * Cost     linear in the bytes. */
#include "input/xml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <expat.h>

#include "input/text.h"

#define POOL_BLOCK 65536u /* bytes that the pool takes of the arena at a time */
#define POOL_ALIGN 16u

void pp_pool_init(pp_pool *p, const perp_allocator *a) {
    memset(p, 0, sizeof *p);
    pp_arena_init(&p->arena, a ? *a : (perp_allocator){0});
}

void *pp_pool_get(pp_pool *p, size_t size) {
    size = (size + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN;
    if (size > p->left) {
        size_t block = size > POOL_BLOCK / 4 ? size : POOL_BLOCK;
        char *fresh = pp_arena_get(&p->arena, block);
        if (!fresh) return NULL;
        if (block == size) return memset(fresh, 0, size); /* a block of its own: the rest stays in use */
        p->at = fresh;
        p->left = block;
    }
    void *got = p->at;
    p->at += size;
    p->left -= size;
    return memset(got, 0, size);
}

char *pp_pool_text(pp_pool *p, const char *text, size_t length) {
    char *copy = pp_pool_get(p, length + 1);
    if (copy && length > 0) memcpy(copy, text, length);
    return copy;
}

void pp_pool_free(pp_pool *p) {
    pp_arena_free(&p->arena);
    memset(p, 0, sizeof *p);
}

pp_xml *pp_xml_child(const pp_xml *e, const char *name) {
    for (pp_xml *c = e ? e->first : NULL; c; c = c->next)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

pp_xml *pp_xml_again(const pp_xml *e) {
    for (pp_xml *c = e->next; c; c = c->next)
        if (!strcmp(c->name, e->name)) return c;
    return NULL;
}

const char *pp_xml_get(const pp_xml *e, const char *name) {
    for (const pp_xml_attribute *a = e ? e->attribute : NULL; a; a = a->next)
        if (!strcmp(a->name, name)) return a->value;
    return NULL;
}

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

int pp_xml_numbers(const char *text, double *out, int most) {
    int n = 0;
    for (const char *p = text;;) {
        while (blank(*p)) p++;
        if (!*p) return n;
        double sign = *p == '-' ? -1 : 1, x;
        if (*p == '-' || *p == '+') p++;
        size_t used = pp_number_scan(p, strcspn(p, " \t\n\r"), &x);
        if (used == 0) {
            bool special = !strncmp(p, "inf", 3) || !strncmp(p, "Inf", 3) || !strncmp(p, "nan", 3) ||
                           !strncmp(p, "NaN", 3) || !strncmp(p, "INF", 3) || !strncmp(p, "NAN", 3);
            return special ? -3 : -1;
        }
        p += used;
        if (*p && !blank(*p)) return -1;
        if (!isfinite(x)) return -3;
        if (n == most) return -2;
        out[n++] = sign * x;
    }
}

#ifdef PERP_WITHOUT_EXPAT /* expat's header is not there, but a stand-in */

perp_status pp_xml_parse(pp_pool *pool, const char *file, const char *data, size_t size, pp_xml **root,
                         perp_refusal *why) {
    (void)pool;
    (void)data;
    (void)size;
    *root = NULL;
    return pp_complain_say(why, PERP_E_FIT, (pp_location){file, 0, 0}, NULL, "%s", PERP_WITHOUT_EXPAT);
}

#else

typedef struct reading {
    pp_pool *pool;
    const char *file;
    perp_refusal *why;
    XML_Parser parser;
    pp_xml *root, *open;
    int elements, depth;
    char *text; /* characters of the open element */
    int ntext, cap_text;
    perp_status status;
} reading;

static pp_location here(const reading *r) {
    return (pp_location){r->file, (int)XML_GetCurrentLineNumber(r->parser),
                         (int)XML_GetCurrentColumnNumber(r->parser) + 1};
}

static void stop(reading *r, perp_status s) {
    r->status = s;
    (void)XML_StopParser(r->parser, XML_FALSE);
}

static void no_memory(reading *r) {
    stop(r, pp_complain_say(r->why, PERP_E_MEMORY, (pp_location){r->file, 0, 0}, NULL, "no memory for the XML tree"));
}

static bool add_attributes(reading *r, pp_xml *e, const char **pair) {
    pp_xml_attribute **last = &e->attribute;
    for (; pair[0]; pair += 2) {
        pp_xml_attribute *a = pp_pool_get(r->pool, sizeof *a);
        if (!a) return false;
        a->name = pp_pool_text(r->pool, pair[0], strlen(pair[0]));
        a->value = pp_pool_text(r->pool, pair[1], strlen(pair[1]));
        if (!a->name || !a->value) return false;
        *last = a;
        last = &a->next;
    }
    return true;
}

static void begin(void *ctx, const char *name, const char **attributes) {
    reading *r = ctx;
    if (r->status) return;
    if (r->elements == PP_XML_ELEMENTS || r->depth == PP_XML_DEPTH) {
        char found[64], allowed[64];
        bool deep = r->depth == PP_XML_DEPTH;
        (void)snprintf(found, sizeof found, "%s", deep ? "an element too deep" : "one element more");
        (void)snprintf(allowed, sizeof allowed, deep ? "at most %d levels" : "at most %d elements",
                       deep ? PP_XML_DEPTH : PP_XML_ELEMENTS);
        stop(r, pp_complain(r->why, PERP_E_ARG, here(r), NULL, found, allowed));
        return;
    }
    pp_xml *e = pp_pool_get(r->pool, sizeof *e);
    if (e) e->name = pp_pool_text(r->pool, name, strlen(name));
    if (!e || !e->name || !add_attributes(r, e, attributes)) {
        no_memory(r);
        return;
    }
    pp_location at = here(r);
    e->text = "";
    e->file = r->file;
    e->line = at.line;
    e->column = at.column;
    e->index = r->elements++;
    e->parent = r->open;
    if (!r->open)
        r->root = e;
    else if (r->open->last)
        r->open->last->next = e;
    else
        r->open->first = e;
    if (r->open) r->open->last = e;
    r->open = e;
    r->depth++;
    r->ntext = 0;
}

static void end(void *ctx, const char *name) {
    (void)name;
    reading *r = ctx;
    if (r->status) return;
    int from = 0;
    while (from < r->ntext && blank(r->text[from])) from++;
    while (r->ntext > from && blank(r->text[r->ntext - 1])) r->ntext--;
    if (!r->open->first && r->ntext > from) {
        r->open->text = pp_pool_text(r->pool, r->text + from, (size_t)(r->ntext - from));
        if (!r->open->text) {
            no_memory(r);
            return;
        }
    }
    r->ntext = 0;
    r->open = r->open->parent;
    r->depth--;
}

static void characters(void *ctx, const char *text, int length) {
    reading *r = ctx;
    if (r->status || !r->open) return;
    if (!PP_GROW(&r->pool->arena.alloc, r->text, r->cap_text, r->ntext, r->ntext + length)) {
        no_memory(r);
        return;
    }
    memcpy(r->text + r->ntext, text, (size_t)length);
    r->ntext += length;
}

static void entity(void *ctx, const char *name, int parameter, const char *value, int length, const char *base,
                   const char *system, const char *public_id, const char *notation) {
    (void)name, (void)parameter, (void)value, (void)length, (void)base, (void)system, (void)public_id, (void)notation;
    reading *r = ctx;
    if (r->status) return;
    stop(r, pp_complain(r->why, PERP_E_ARG, here(r), NULL, "the declaration of an entity",
                        "XML without entities of its own"));
}

perp_status pp_xml_parse(pp_pool *pool, const char *file, const char *data, size_t size, pp_xml **root,
                         perp_refusal *why) {
    *root = NULL;
    pp_location top = {file, 0, 0};
    if (size == 0) return pp_complain(why, PERP_E_ARG, top, NULL, "an empty file", "XML");
    if (size > PP_XML_BYTES) return pp_complain(why, PERP_E_ARG, top, NULL, "more than 64 MiB of XML", "less");
    reading r = {.pool = pool, .file = file, .why = why, .parser = XML_ParserCreate(NULL)};
    if (!r.parser) return pp_complain_say(why, PERP_E_MEMORY, top, NULL, "no memory for the XML parser");
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, begin, end);
    XML_SetCharacterDataHandler(r.parser, characters);
    XML_SetEntityDeclHandler(r.parser, entity);
    enum XML_Status parsed = XML_Parse(r.parser, data, (int)size, 1);
    if (parsed != XML_STATUS_OK && !r.status) {
        enum XML_Error code = XML_GetErrorCode(r.parser);
        r.status = code == XML_ERROR_NO_MEMORY
                       ? pp_complain_say(why, PERP_E_MEMORY, top, NULL, "no memory for the XML parser")
                       : pp_complain_say(why, PERP_E_ARG, here(&r), NULL, "not XML: %s", XML_ErrorString(code));
    }
    XML_ParserFree(r.parser);
    pp_free(&pool->arena.alloc, r.text);
    if (!r.status) *root = r.root;
    return r.status;
}

#endif
