/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* estimate_read.c - the key `estimate` of a study. docs/studies.md describes it key by key. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/estimate.h"

typedef struct estimate_in {
    uint32_t data, unknown, state, method, methods, loss, checks;
} estimate_in;
#define FIELD(type, field, kind, required) \
    { #field, offsetof(type, field), PP_FIELD_##kind, required }
static const pp_field estimate_fields[] = {
    FIELD(estimate_in, data, NODE, true),     FIELD(estimate_in, unknown, NODE, true),
    FIELD(estimate_in, state, NODE, false),   FIELD(estimate_in, method, NODE, false),
    FIELD(estimate_in, methods, NODE, false), FIELD(estimate_in, loss, NODE, false),
    FIELD(estimate_in, checks, NODE, false),  {NULL, 0, PP_FIELD_NODE, false}};

typedef struct unknown_in {
    uint32_t start, min, max, step, walk, prior;
} unknown_in;
static const pp_field unknown_fields[] = {FIELD(unknown_in, start, EXPR, false), FIELD(unknown_in, min, EXPR, false),
                                          FIELD(unknown_in, max, EXPR, false),   FIELD(unknown_in, step, EXPR, false),
                                          FIELD(unknown_in, walk, EXPR, false),  FIELD(unknown_in, prior, EXPR, false),
                                          {NULL, 0, PP_FIELD_NODE, false}};

typedef struct loss_in {
    const char *name;
    double scale;
} loss_in;
static const pp_field loss_fields[] = {
    FIELD(loss_in, name, TEXT, true), FIELD(loss_in, scale, NUMBER, false), {NULL, 0, PP_FIELD_NODE, false}};

/* "normal(m, s)": its two numbers. */
typedef struct prior_call {
    double mean, sd;
    bool met;
} prior_call;
static bool take_prior(void *ctx, int i, const pp_expr_arg *arg, int narg, double *out, char *why, size_t why_size) {
    prior_call *p = ctx;
    (void)i;
    if (narg != 2 || !isfinite(arg[0].number) || !(arg[1].number > 0 && isfinite(arg[1].number)) || p->met) {
        (void)snprintf(why, why_size, "found another prior; allowed: normal(mean, s.d.) with an s.d. > 0");
        return false;
    }
    *p = (prior_call){arg[0].number, arg[1].number, true};
    *out = 0;
    return true;
}

static perp_status read_prior(const pp_study *s, uint32_t node, const char *path, pp_unknown *u, perp_refusal *why) {
    static const char *const functions[] = {"normal"};
    const pp_tree *t = &s->tree;
    char words[512];
    double unused;
    prior_call p = {.met = false};
    pp_expr_names names = {.variable = s->parameter, .nvariable = s->nparameter, .function = functions, .nfunction = 1};
    pp_expr *x;
    perp_status st = pp_study_compile(s, node, path, &names, &x, why);
    if (st) return st;
    bool good = pp_expr_eval(x, s->base, take_prior, &p, &unused, words, sizeof words);
    pp_expr_free(&s->alloc, x);
    if (!good) return pp_field_complain(t, node, 0, path, words, why);
    if (!p.met) return pp_field_refuse(t, node, path, "normal(mean, s.d.)", why);
    u->prior_mean = p.mean;
    u->prior_sd = p.sd;
    return PERP_OK;
}

static perp_status read_unknown(const pp_study *s, uint32_t k, pp_unknown *u, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    uint32_t v = t->node[k].next;
    char path[160];
    unknown_in in = {0};
    pp_field_path(path, sizeof path, "estimate.unknown", pp_yaml_text(t, k));
    int p = pp_study_parameter(s, pp_yaml_text(t, k));
    if (p < 0) return pp_study_no_parameter(s, k, path, why);
    perp_scene_parameter declared = perp_scene_parameter_at(s->scene, p);
    *u = (pp_unknown){.parameter = p,
                      .start = s->base[p],
                      .lower = declared.min,
                      .upper = declared.max,
                      .prior_mean = 0,
                      .prior_sd = INFINITY};
    bool empty = t->node[v].kind == PP_NODE_SCALAR && t->node[v].length == 0;
    perp_status st = empty ? PERP_OK : pp_fields_read(t, v, path, unknown_fields, &in, why);
    if (!st && in.min) st = pp_study_number(s, in.min, path, &u->lower, why);
    if (!st && in.max) st = pp_study_number(s, in.max, path, &u->upper, why);
    if (!st && in.start) st = pp_study_number(s, in.start, path, &u->start, why);
    if (!st && in.step) st = pp_study_number(s, in.step, path, &u->step, why);
    if (!st && in.walk) st = pp_study_number(s, in.walk, path, &u->walk, why);
    if (!st && in.prior) st = read_prior(s, in.prior, path, u, why);
    if (st) return st;
    if (!(u->lower < u->upper)) return pp_field_refuse(t, k, path, "min < max", why);
    if (u->lower < declared.min || u->upper > declared.max)
        return pp_field_refuse(t, in.min ? in.min : in.max, path, "bounds within those that the scene declares", why);
    if (!(u->start >= u->lower && u->start <= u->upper))
        return pp_field_refuse(t, k, path, "a start within the bounds", why);
    if (!(u->step >= 0) || !(u->walk >= 0)) return pp_field_refuse(t, k, path, "step and walk >= 0", why);
    return PERP_OK;
}

static perp_status read_unknowns(const pp_study *s, pp_estimate *e, uint32_t map, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    if (t->node[map].kind != PP_NODE_MAP || t->node[map].length == 0 || t->node[map].length > PP_STUDY_NAMES)
        return pp_field_refuse(t, map, "estimate.unknown", "a map: parameter: {start, min, max, prior}, 1 to 64", why);
    for (uint32_t k = t->node[map].first; k; k = pp_yaml_next_key(t, k)) {
        perp_status st = read_unknown(s, k, &e->unknown[e->n++], why);
        if (st) return st;
    }
    return PERP_OK;
}

static perp_status read_state(const pp_study *s, pp_estimate *e, uint32_t map, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    if (!map) return PERP_OK;
    if (t->node[map].kind != PP_NODE_MAP || t->node[map].length > PP_STUDY_NAMES)
        return pp_field_refuse(t, map, "estimate.state", "a map: parameter of the start: series", why);
    for (uint32_t k = t->node[map].first; k; k = pp_yaml_next_key(t, k)) {
        char path[160];
        pp_field_path(path, sizeof path, "estimate.state", pp_yaml_text(t, k));
        pp_state_entry *x = &e->state[e->nstate++];
        x->parameter = pp_study_parameter(s, pp_yaml_text(t, k));
        if (x->parameter < 0) return pp_study_no_parameter(s, k, path, why);
        uint32_t v = t->node[k].next;
        if (t->node[v].kind != PP_NODE_SCALAR || t->node[v].length == 0)
            return pp_field_refuse(t, v, path, "the name of a series, such as block.vx", why);
        x->series = pp_yaml_text(t, v);
    }
    return PERP_OK;
}

static void find_constants(pp_estimate *e) {
    for (int i = 0; i < e->n; i++) {
        bool state = false;
        for (int k = 0; k < e->nstate; k++) state = state || e->state[k].parameter == e->unknown[i].parameter;
        if (!state) e->constant[e->nconstant++] = i;
    }
}

static perp_status read_loss(const pp_study *s, pp_estimate *e, uint32_t node, perp_refusal *why) {
    static const char *const words[] = {"square", "huber", "cauchy", "tukey", NULL};
    const pp_tree *t = &s->tree;
    loss_in in = {.name = "square"};
    perp_status st = PERP_OK;
    if (node && t->node[node].kind == PP_NODE_SCALAR)
        in.name = pp_yaml_text(t, node);
    else if (node)
        st = pp_fields_read(t, node, "estimate.loss", loss_fields, &in, why);
    bool known = false;
    for (int i = 0; words[i]; i++) known = known || !strcmp(words[i], in.name);
    if (!st && !known) {
        uint32_t at = t->node[node].kind == PP_NODE_MAP ? pp_yaml_get(t, node, "name") : node;
        st = pp_field_unknown(t, at, "estimate.loss", "the loss", words, why);
    }
    if (!st && in.scale < 0) st = pp_field_refuse(t, node, "estimate.loss", "a scale > 0", why);
    e->loss = in.name;
    e->loss_scale = in.scale;
    return st;
}

perp_status pp_estimate_read(pp_study *s, pp_estimate *e, perp_refusal *why) {
    *e = (pp_estimate){.study = s};
    if (!s->estimate)
        return pp_complain(why, PERP_E_ARG, (pp_location){s->path, 0, 0}, "estimate", "a study without it",
                           "the key estimate: data and unknown parameters");
    estimate_in in = {0};
    perp_status st = pp_fields_read(&s->tree, s->estimate, "estimate", estimate_fields, &in, why);
    if (!st && in.method && in.methods)
        st = pp_field_refuse(&s->tree, in.methods, "estimate.methods", "one of method and methods", why);
    e->data = in.data;
    e->methods = in.methods ? in.methods : in.method;
    e->checks = in.checks;
    if (!st) st = read_unknowns(s, e, in.unknown, why);
    if (!st) st = read_state(s, e, in.state, why);
    find_constants(e);
    if (!st) st = read_loss(s, e, in.loss, why);
    for (int i = 0; i < e->n; i++) s->touched[e->unknown[i].parameter] = true;
    for (int i = 0; i < e->nstate; i++) s->touched[e->state[i].parameter] = true;
    if (!st) st = pp_estimate_load(e, s->touched, why);
    if (st) pp_estimate_free(e);
    return st;
}

void pp_estimate_free(pp_estimate *e) {
    if (!e->study) return;
    for (int i = 0; i < e->ncase; i++) {
        pp_free(&e->study->alloc, e->cases[i].value);
        pp_free(&e->study->alloc, e->cases[i].t);
        pp_free(&e->study->alloc, e->cases[i].y);
    }
    pp_free(&e->study->alloc, e->cases);
    *e = (pp_estimate){0};
}
