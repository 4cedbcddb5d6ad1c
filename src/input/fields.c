/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fields.c - see fields.h */
#include "input/fields.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define WHOLE_MAX 9007199254740992.0 /* 2^53: whole numbers are exact up to here */

char *pp_field_path(char *out, size_t size, const char *path, const char *name) {
    (void)snprintf(out, size, "%s%s%s", path, *path ? "." : "", name);
    return out;
}

perp_status pp_field_refuse(const pp_tree *t, uint32_t n, const char *path, const char *allowed, perp_refusal *why) {
    char found[200];
    return pp_complain(why, PERP_E_ARG, pp_yaml_place(t, n), path, pp_yaml_found(t, n, found, sizeof found), allowed);
}

perp_status pp_field_unknown(const pp_tree *t, uint32_t n, const char *path, const char *what, const char *const *words,
                             perp_refusal *why) {
    char allowed[512] = "", found[200], shown[128];
    size_t at = 0;
    const char *near = pp_suggest(pp_yaml_text(t, n), words);
    for (int i = 0; words[i]; i++) {
        size_t need = strlen(words[i]) + (i > 0 ? 2 : 0);
        if (at + need + 80 > sizeof allowed) {
            at += (size_t)snprintf(allowed + at, sizeof allowed - at, ", ...");
            break;
        }
        at += (size_t)snprintf(allowed + at, sizeof allowed - at, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    if (near) (void)snprintf(allowed + at, sizeof allowed - at, "; did you mean %.48s?", near);
    (void)snprintf(found, sizeof found, "%s `%s`", what,
                   pp_printable(shown, sizeof shown, pp_yaml_text(t, n), t->node[n].length));
    return pp_complain(why, PERP_E_ARG, pp_yaml_place(t, n), path, found, allowed);
}

perp_status pp_field_complain(const pp_tree *t, uint32_t n, size_t where, const char *path, const char *words,
                              perp_refusal *why) {
    pp_location p = pp_yaml_place(t, n);
    p.column += (int)where + (t->node[n].plain ? 0 : 1);
    return pp_complain_say(why, PERP_E_ARG, p, path, "%s", words);
}

static perp_status read_text(const pp_tree *t, uint32_t n, const char *path, const char **out, perp_refusal *why) {
    const pp_node *v = &t->node[n];
    if (v->kind != PP_NODE_SCALAR || v->length == 0) return pp_field_refuse(t, n, path, "a text", why);
    *out = pp_yaml_text(t, n);
    if (strlen(*out) != v->length) return pp_field_refuse(t, n, path, "a text without zero bytes", why);
    return PERP_OK;
}

static perp_status read_bool(const pp_tree *t, uint32_t n, const char *path, bool *out, perp_refusal *why) {
    const pp_node *v = &t->node[n];
    bool scalar = v->kind == PP_NODE_SCALAR && v->plain;
    *out = scalar && !strcmp(pp_yaml_text(t, n), "true");
    if (*out || (scalar && !strcmp(pp_yaml_text(t, n), "false"))) return PERP_OK;
    return pp_field_refuse(t, n, path, "true or false", why);
}

perp_status pp_field_number(const pp_tree *t, uint32_t n, const char *path, double *out, perp_refusal *why) {
    static const perp_allocator plain = {0};
    const pp_expr_names none = {.nvariable = 0};
    char words[512];
    size_t where = 0;
    if (t->node[n].kind != PP_NODE_SCALAR || t->node[n].length == 0)
        return pp_field_refuse(t, n, path, "a number", why);
    pp_expr *x = pp_expr_compile(&plain, pp_yaml_text(t, n), t->node[n].length, &none, words, sizeof words, &where);
    if (!x) return pp_field_complain(t, n, where, path, words, why);
    (void)pp_expr_eval(x, NULL, NULL, NULL, out, words, sizeof words);
    pp_expr_free(&plain, x);
    return isfinite(*out) ? PERP_OK : pp_field_refuse(t, n, path, "a finite number", why);
}

static perp_status read_whole(const pp_tree *t, uint32_t n, const char *path, int64_t *out, perp_refusal *why) {
    double x = 0;
    perp_status s = pp_field_number(t, n, path, &x, why);
    if (s) return s;
    if (!(x >= 0 && x <= WHOLE_MAX && floor(x) == x)) return pp_field_refuse(t, n, path, "a whole number >= 0", why);
    *out = (int64_t)x;
    return PERP_OK;
}

perp_status pp_field_name(const pp_tree *t, uint32_t n, const char *path, bool hyphens, const char **out,
                          perp_refusal *why) {
    const char *s = pp_yaml_text(t, n);
    bool good = isalpha((unsigned char)s[0]) != 0 && strlen(s) < 64 && strlen(s) == t->node[n].length;
    for (const char *c = s; *c; c++) good = good && (isalnum((unsigned char)*c) || *c == '_' || (hyphens && *c == '-'));
    if (!good)
        return pp_field_refuse(t, n, path,
                               hyphens ? "a name of letters, digits, - and _ that starts with a letter"
                                       : "a name of letters, digits and _ that starts with a letter",
                               why);
    *out = s;
    return PERP_OK;
}

static perp_status read_value(const pp_tree *t, uint32_t n, const char *path, const pp_field *f, void *to,
                              perp_refusal *why) {
    switch (f->kind) {
    case PP_FIELD_TEXT: return read_text(t, n, path, (const char **)to, why);
    case PP_FIELD_BOOL: return read_bool(t, n, path, (bool *)to, why);
    case PP_FIELD_NUMBER: return pp_field_number(t, n, path, (double *)to, why);
    case PP_FIELD_WHOLE: return read_whole(t, n, path, (int64_t *)to, why);
    case PP_FIELD_EXPR:
        if (t->node[n].kind != PP_NODE_SCALAR || t->node[n].length == 0)
            return pp_field_refuse(t, n, path, "a number or an expression", why);
        *(uint32_t *)to = n;
        return PERP_OK;
    case PP_FIELD_NODE: *(uint32_t *)to = n; return PERP_OK;
    }
    return PERP_OK;
}

perp_status pp_fields_read(const pp_tree *t, uint32_t map, const char *path, const pp_field *fields, void *out,
                           perp_refusal *why) {
    if (t->node[map].kind != PP_NODE_MAP) return pp_field_refuse(t, map, path, "a map", why);
    bool seen[PP_FIELDS_MAX] = {false};
    for (uint32_t k = t->node[map].first; k; k = pp_yaml_next_key(t, k)) {
        uint32_t v = t->node[k].next;
        int i = 0;
        while (fields[i].name && strcmp(fields[i].name, pp_yaml_text(t, k)) != 0) i++;
        if (!fields[i].name) {
            const char *word[PP_FIELDS_MAX + 1] = {NULL};
            for (int j = 0; fields[j].name; j++) word[j] = fields[j].name;
            return pp_field_unknown(t, k, path, "the key", word, why);
        }
        seen[i] = true;
        char at[256];
        pp_field_path(at, sizeof at, path, fields[i].name);
        perp_status s = read_value(t, v, at, &fields[i], (char *)out + fields[i].offset, why);
        if (s) return s;
    }
    for (int i = 0; fields[i].name; i++) {
        if (!fields[i].required || seen[i]) continue;
        char allowed[96];
        (void)snprintf(allowed, sizeof allowed, "the key %s must be there", fields[i].name);
        return pp_complain(why, PERP_E_ARG, pp_yaml_place(t, map), path, "a map without it", allowed);
    }
    return PERP_OK;
}
