/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* check.c - checks of a study: reading, judging, printing. */
#include "study/check.h"

#include <math.h>
#include <stdlib.h>

typedef struct check_in {
    const char *what, *unit, *published, *note;
    uint32_t value, reference, limit, below, above;
} check_in;
#define FIELD(field, kind, required) \
    { #field, offsetof(check_in, field), PP_FIELD_##kind, required }
static const pp_field fields[] = {
    FIELD(what, TEXT, true),   FIELD(unit, TEXT, false),       FIELD(published, TEXT, false), FIELD(note, TEXT, false),
    FIELD(value, EXPR, true),  FIELD(reference, EXPR, false),  FIELD(limit, EXPR, false),     FIELD(below, EXPR, false),
    FIELD(above, EXPR, false), {NULL, 0, PP_FIELD_TEXT, false}};

perp_status check_read(const pp_tree *t, uint32_t map, const char *key, study_check *c, perp_refusal *why) {
    check_in in = {0};
    perp_status st = pp_fields_read(t, map, key, fields, &in, why);
    int bounds = (in.limit != 0) + (in.below != 0) + (in.above != 0);
    if (!st && (bounds != 1 || (in.limit != 0) != (in.reference != 0)))
        st = pp_field_refuse(t, map, key, "one of: reference with limit, below, above", why);
    if (st) return st;
    *c = (study_check){.what = in.what,
                       .unit = in.unit,
                       .published = in.published,
                       .note = in.note,
                       .value = in.value,
                       .reference = in.reference,
                       .bound = in.limit   ? in.limit
                                : in.below ? in.below
                                           : in.above,
                       .kind = in.limit   ? CHECK_LIMIT
                               : in.below ? CHECK_BELOW
                                          : CHECK_ABOVE,
                       .got = NAN,
                       .expected = NAN,
                       .limit = NAN,
                       .applies = true};
    return PERP_OK;
}

static perp_status evaluate(const check_language *l, uint32_t node, const char *key, double *out, perp_refusal *why) {
    const pp_study *s = l->study;
    pp_expr_names names = {.variable = s->parameter,
                           .nvariable = s->nparameter,
                           .function = l->function,
                           .nfunction = l->nfunction,
                           .text_arguments = true};
    char words[512];
    pp_expr *x = NULL;
    perp_status st = pp_study_compile(s, node, key, &names, &x, why);
    if (st) return st;
    bool good = pp_expr_eval(x, s->base, l->call, l->ctx, out, words, sizeof words);
    pp_expr_free(&s->alloc, x);
    return good ? PERP_OK : pp_field_complain(&s->tree, node, 0, key, words, why);
}

perp_status check_all(const check_language *l, uint32_t list, const char *key, study_check **out, int *n,
                      perp_refusal *why) {
    const pp_tree *t = &l->study->tree;
    *out = NULL, *n = 0;
    if (!list) return PERP_OK;
    if (t->node[list].kind != PP_NODE_LIST) return pp_field_refuse(t, list, key, "a list", why);
    study_check *all = calloc((size_t)t->node[list].length + 1, sizeof *all);
    if (!all) return pp_study_no_memory(l->study, key, why);
    perp_status st = PERP_OK;
    for (uint32_t v = t->node[list].first; !st && v; v = t->node[v].next) {
        char path[64];
        snprintf(path, sizeof path, "%.40s[%d]", key, *n);
        study_check *c = &all[(*n)++];
        st = check_read(t, v, path, c, why);
        if (!st) st = evaluate(l, c->value, path, &c->got, why);
        if (!st && c->reference) st = evaluate(l, c->reference, path, &c->expected, why);
        if (!st) st = evaluate(l, c->bound, path, &c->limit, why);
        if (!st) check_judge(c);
    }
    *out = all;
    return st;
}

void check_judge(study_check *c) {
    c->ok = c->kind == CHECK_LIMIT   ? fabs(c->got - c->expected) <= c->limit
            : c->kind == CHECK_BELOW ? c->got <= c->limit
                                     : c->got >= c->limit;
}

bool checks_hold(const study_check *c, int n) {
    bool ok = true;
    for (int i = 0; i < n; i++) ok = ok && (c[i].ok || !c[i].applies);
    return ok;
}

void checks_print(const study_check *c, int n, FILE *to, bool md) {
    int held = 0, applied = 0;
    bool published = false;
    if (n == 0) return;
    for (int i = 0; i < n; i++) published = published || (c[i].applies && c[i].published);
    if (md)
        fprintf(to, "\n| what |%s reference | measured | limit | |\n|---|%s---|---|---|---|\n",
                published ? " published |" : "", published ? "---|" : "");
    else
        fprintf(to, "\n  %-46s%s %14s %14s %10s\n", "check", published ? "      published" : "", "reference",
                "measured", "limit");
    for (int i = 0; i < n; i++, c++) {
        char what[120], got[32], expected[32] = "", limit[40];
        const char *said = c->published ? c->published : "";
        if (!c->applies) continue;
        applied++, held += c->ok;
        snprintf(what, sizeof what, "%s%s%s%s", c->what, c->unit ? " [" : "", c->unit ? c->unit : "",
                 c->unit ? "]" : "");
        snprintf(got, sizeof got, "%.9g", c->got);
        if (c->kind == CHECK_LIMIT) snprintf(expected, sizeof expected, "%.9g", c->expected);
        snprintf(limit, sizeof limit, "%s%.3g",
                 c->kind == CHECK_LIMIT   ? ""
                 : c->kind == CHECK_BELOW ? "<= "
                                          : ">= ",
                 c->limit);
        if (md) {
            fprintf(to, "| %s%s%s |", what, c->note ? "; " : "", c->note ? c->note : "");
            if (published) fprintf(to, " %s |", said);
            fprintf(to, " %s | %s | %s | %s |\n", expected, got, limit, c->ok ? "ok" : "**missed**");
        } else {
            fprintf(to, "  %-46.46s", what);
            if (published) fprintf(to, " %14.14s", said);
            fprintf(to, " %14s %14s %10s  %s%s%s\n", expected, got, limit, cli_style(to, c->ok ? "32" : "31"),
                    c->ok ? "ok" : "missed", cli_style(to, ""));
        }
    }
    fprintf(to, md ? "\n%d of %d checks hold.\n" : "  %d of %d checks hold\n", held, applied);
}

void checks_json(const study_check *c, int n, json *j) {
    json_key(j, "checks");
    json_array(j);
    for (int i = 0; i < n; i++) {
        json_object(j);
        json_field_string(j, "what", c[i].what);
        json_field_number(j, "value", c[i].got);
        json_field_number(j, "reference", c[i].expected);
        json_field_number(j, "limit", c[i].limit);
        if (c[i].published) json_field_string(j, "published", c[i].published);
        json_field_bool(j, "ok", c[i].ok);
        json_end(j, '}');
    }
    json_end(j, ']');
}
