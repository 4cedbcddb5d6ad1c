/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* methods.c - which methods perp estimate uses: `method` or `methods` of the study, or --method. */
#include <math.h>
#include <string.h>

#include "estimate/estimation.h"

const char *const method_names[] = {"least-squares",   "mpec",   "window", "particle-filter", "kalman",
                                    "ensemble-kalman", "sample", NULL};

#define FIELD(field, kind) \
    { #field, offsetof(method, field), PP_FIELD_##kind, false }
static const pp_field fields[] = {{"name", offsetof(method, name), PP_FIELD_TEXT, true},
                                  FIELD(iterations, WHOLE),
                                  FIELD(starts, WHOLE),
                                  FIELD(seed, WHOLE),
                                  FIELD(length, WHOLE),
                                  FIELD(stride, WHOLE),
                                  FIELD(particles, WHOLE),
                                  FIELD(walkers, WHOLE),
                                  FIELD(steps, WHOLE),
                                  FIELD(burn_in, WHOLE),
                                  FIELD(arrival, BOOL),
                                  FIELD(noise_known, BOOL),
                                  FIELD(rollout_start, BOOL),
                                  FIELD(resample, NUMBER),
                                  {"bound", offsetof(method, bound_node), PP_FIELD_EXPR, false},
                                  FIELD(errors, TEXT),
                                  {NULL, 0, PP_FIELD_TEXT, false}};

static method defaults(const char *name) {
    return (method){.name = name, .seed = 1, .noise_known = true, .length = 20, .particles = 2000};
}

static perp_status check(const estimation *s, const method *m, uint32_t node, perp_refusal *why) {
    const pp_tree *t = &s->e.study->tree;
    int i = 0;
    while (method_names[i] && strcmp(method_names[i], m->name) != 0) i++;
    uint32_t at = node && t->node[node].kind == PP_NODE_MAP ? pp_yaml_get(t, node, "name") : node;
    if (!method_names[i]) return pp_field_unknown(t, at, "estimate.method.name", "the method", method_names, why);
    bool along = !strcmp(m->name, "window") || strstr(m->name, "filter") || strstr(m->name, "kalman");
    if (along && s->e.nstate == 0)
        return pp_complain(why, PERP_E_ARG, pp_yaml_place(t, node ? node : s->e.study->estimate), "estimate.method",
                           m->name,
                           "with estimate.state: the parameters that set the state at the start, and its series");
    if (m->errors && strcmp(m->errors, "rows") != 0 && strcmp(m->errors, "cases") != 0)
        return pp_field_refuse(t, pp_yaml_get(t, node, "errors"), "estimate.method.errors", "rows or cases", why);
    return PERP_OK;
}

static perp_status read_one(estimation *s, uint32_t node, perp_refusal *why) {
    const pp_tree *t = &s->e.study->tree;
    if (s->nmethod == METHODS_MOST) return pp_field_refuse(t, node, "estimate.methods", "at most 12 methods", why);
    method *m = &s->method[s->nmethod++];
    *m = defaults("least-squares");
    if (t->node[node].kind == PP_NODE_SCALAR && t->node[node].length > 0) {
        m->name = pp_yaml_text(t, node);
    } else {
        perp_status st = pp_fields_read(t, node, "estimate.method", fields, m, why);
        if (!st && m->bound_node)
            st = pp_study_number(s->e.study, m->bound_node, "estimate.method.bound", &m->bound, why);
        if (st) return st;
    }
    return check(s, m, node, why);
}

perp_status methods_read(estimation *s, const cli_args *a, perp_refusal *why) {
    const pp_tree *t = &s->e.study->tree;
    uint32_t node = s->e.methods;
    bool list = node && t->node[node].kind == PP_NODE_LIST;
    perp_status st = PERP_OK;
    for (uint32_t v = list ? t->node[node].first : node; !st && v; v = list ? t->node[v].next : 0)
        st = read_one(s, v, why);
    if (st) return st;
    int asked = cli_count(a, "method");
    s->chosen = asked > 0;
    if (asked) { /* the methods of the study that are requested; a method that the study does not have gets its defaults */
        method all[METHODS_MOST];
        int n = s->nmethod;
        memcpy(all, s->method, sizeof all);
        s->nmethod = 0;
        for (int i = 0; !st && i < asked && s->nmethod < METHODS_MOST; i++) {
            bool known = false;
            for (int k = 0; k < n && s->nmethod < METHODS_MOST; k++)
                if (!strcmp(all[k].name, cli_nth(a, "method", i))) s->method[s->nmethod++] = all[k], known = true;
            if (!known) {
                s->method[s->nmethod] = defaults(cli_nth(a, "method", i));
                st = check(s, &s->method[s->nmethod++], 0, why);
            }
        }
    }
    if (!st && s->nmethod == 0) s->method[s->nmethod++] = defaults("least-squares");
    return st;
}
