/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* compile.c - texts of measures and conditions to programs, and the complaints about them. */
#include <stdio.h>
#include <string.h>

#include "measure/measure_compile.h"

pp_measure_def pp_measure_text(const pp_tree *tree, uint32_t node, const char *name, const char *key) {
    pp_measure_def d = {.name = name,
                        .text = pp_yaml_text(tree, node),
                        .length = tree->node[node].length,
                        .place = pp_yaml_place(tree, node),
                        .key = key};
    if (!tree->node[node].plain) d.place.column++; /* the quote */
    return d;
}

perp_status pp_measure_complain(const pp_location *place, size_t where, const char *key, const char *words,
                                perp_refusal *why) {
    pp_location p = *place;
    if (p.line > 0) p.column += (int)where;
    return pp_complain_say(why, strncmp(words, "no memory", 9) ? PERP_E_ARG : PERP_E_MEMORY, p, key, "%s", words);
}

bool pp_series_need(pp_trace *trace, pp_span name, int *need, char *why, size_t why_size) {
    char text[512];
    perp_refusal refused;
    if (name.n >= sizeof text) {
        snprintf(why, why_size, "found the name of a series that is too long");
        return false;
    }
    memcpy(text, name.s, name.n);
    text[name.n] = 0;
    perp_status st = pp_trace_need(trace, text, need, &refused);
    if (st == PERP_E_MEMORY)
        snprintf(why, why_size, "no memory");
    else if (st == PERP_E_NAME)
        snprintf(why, why_size, "found the series %s; allowed: %s", refused.found, refused.allowed);
    else if (st)
        snprintf(why, why_size, "%s", refused.text);
    return !st;
}

bool pp_formula_compile(const perp_allocator *a, pp_span text, const pp_known *known, pp_trace *trace,
                        pp_formula_code *out, char *why, size_t why_size) {
    pp_braces braces;
    *out = (pp_formula_code){.x = NULL};
    if (!pp_braces_out(text, &braces, why, why_size)) return false;
    for (int i = 0; i < braces.n; i++)
        if (!pp_series_need(trace, braces.name[i], &out->need[i], why, why_size)) return false;
    out->n = braces.n;
    int n = 0;
    const char **name = pp_alloc(a, sizeof *name * (size_t)(2 + braces.n + known->n));
    if (!name) {
        snprintf(why, why_size, "no memory");
        return false;
    }
    name[n++] = "t";
    for (int i = 0; i < braces.n; i++) name[n++] = pp_braces_variable[i];
    for (int i = 0; i < known->n; i++) name[n++] = known->name[i];
    if (known->last) name[n++] = known->last;
    const pp_expr_names names = {.variable = name, .nvariable = n, .function = pp_formula_functions, .nfunction = 1};
    size_t where = 0;
    out->x = pp_expr_compile(a, braces.code, strlen(braces.code), &names, why, why_size, &where);
    pp_free(a, (void *)name);
    return out->x != NULL;
}

pp_expr *pp_measure_compile(const perp_allocator *a, pp_span text, const pp_known *known, bool within_sum, char *why,
                            size_t why_size, size_t *where) {
    const char **name = pp_alloc(a, sizeof *name * (size_t)(known->n + 1));
    if (!name) {
        snprintf(why, why_size, "no memory");
        return NULL;
    }
    for (int i = 0; i < known->n; i++) name[i] = known->name[i];
    name[known->n] = known->last;
    const pp_expr_names names = {.variable = name,
                                 .nvariable = known->n + (known->last ? 1 : 0),
                                 .function = pp_function_names,
                                 .nfunction = within_sum ? PP_FN_SUM : PP_FN_N,
                                 .text_arguments = true};
    pp_expr *x = pp_expr_compile(a, text.s, text.n, &names, why, why_size, where);
    pp_free(a, (void *)name);
    return x;
}
