/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* read.c - study files, strictly: every key is in a table here or in the file that reads its part; anything else is
 * refused with place, key, what was found and what is allowed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/study.h"

#include "base/elementary.h"

typedef struct top {
    uint32_t version, set, vary, sample, end, measure, values, report, checks, design, estimate;
    const char *title, *about, *source, *scene;
} top;

#define TOP(field, kind, required) \
    { #field, offsetof(top, field), PP_FIELD_##kind, required }
static const pp_field top_fields[] = {{"perp-study", offsetof(top, version), PP_FIELD_NODE, true},
                                      TOP(title, TEXT, false),
                                      TOP(about, TEXT, false),
                                      TOP(source, TEXT, false),
                                      TOP(scene, TEXT, true),
                                      TOP(set, NODE, false),
                                      TOP(vary, NODE, false),
                                      TOP(sample, NODE, false),
                                      TOP(end, NODE, false),
                                      TOP(measure, NODE, false),
                                      TOP(values, NODE, false),
                                      TOP(report, NODE, false),
                                      TOP(checks, NODE, false),
                                      TOP(design, NODE, false),
                                      TOP(estimate, NODE, false),
                                      {NULL, 0, PP_FIELD_NODE, false}};

static perp_status no_memory(const pp_study *s, perp_refusal *why) { return pp_study_no_memory(s, "", why); }

int pp_study_parameter(const pp_study *s, const char *name) {
    for (int i = 0; i < s->nparameter; i++)
        if (!strcmp(s->parameter[i], name)) return i;
    return -1;
}

int pp_study_axis_find(const pp_study *s, const char *name) {
    for (int i = 0; i < s->naxis; i++)
        if (!strcmp(s->axis[i].name, name)) return i;
    return -1;
}

int pp_study_measure_find(const pp_study *s, const char *name) {
    for (int i = 0; i < s->nmeasure; i++)
        if (!strcmp(s->measure[i].name, name)) return i;
    return -1;
}

perp_status pp_study_no_parameter(const pp_study *s, uint32_t node, const char *path, perp_refusal *why) {
    return pp_field_unknown(&s->tree, node, path, "the parameter", s->parameter, why); /* the list ends with NULL */
}

perp_status pp_study_compile(const pp_study *s, uint32_t node, const char *key, const pp_expr_names *names,
                             pp_expr **out, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    char words[512];
    size_t where = 0;
    *out = pp_expr_compile(&s->alloc, pp_yaml_text(t, node), t->node[node].length, names, words, sizeof words, &where);
    return *out ? PERP_OK : pp_field_complain(t, node, where, key, words, why);
}

perp_status pp_study_number(const pp_study *s, uint32_t node, const char *path, double *out, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    char words[512];
    if (t->node[node].kind != PP_NODE_SCALAR || t->node[node].length == 0)
        return pp_field_refuse(t, node, path, "a number or an expression of the scene's parameters", why);
    pp_expr_names names = {.variable = s->parameter, .nvariable = s->nparameter};
    pp_expr *x;
    perp_status st = pp_study_compile(s, node, path, &names, &x, why);
    if (st) return st;
    (void)pp_expr_eval(x, s->base, NULL, NULL, out, words, sizeof words);
    pp_expr_free(&s->alloc, x);
    return isfinite(*out) ? PERP_OK : pp_field_refuse(t, node, path, "a finite number", why);
}

/* ---- the scene ---- */

static perp_status learn_parameters(pp_study *s, perp_refusal *why) {
    int n = perp_scene_parameter_count(s->scene);
    s->parameter = pp_alloc(&s->alloc, sizeof *s->parameter * (size_t)(n + 1));
    s->base = pp_alloc(&s->alloc, sizeof *s->base * (size_t)(n + 1));
    if (!s->parameter || !s->base) return no_memory(s, why);
    for (int i = 0; i < n; i++) {
        perp_scene_parameter p = perp_scene_parameter_at(s->scene, i);
        s->parameter[i] = p.name;
        s->base[i] = p.value;
    }
    s->parameter[n] = NULL;
    s->nparameter = n;
    return PERP_OK;
}

static perp_status open_scene(pp_study *s, const char *name, const pp_study_options *o, perp_refusal *why) {
    perp_scene_options so = {.define = o->define, .ndefine = o->ndefine, .root = o->text ? o->root : s->root};
    if (o->nfile > 0) {
        so.file = o->file + 1;
        so.nfile = o->nfile - 1;
        if (so.nfile < 1)
            return pp_complain_say(why, PERP_E_ARG, (pp_location){s->path, 0, 0}, "", "the study has no scene with it");
        (void)snprintf(s->scene_path, sizeof s->scene_path, "%s", o->file[1].path);
    } else if (!pp_source_beside(s->path, name, s->scene_path, sizeof s->scene_path)) {
        return pp_complain_say(why, PERP_E_ARG, (pp_location){s->path, 0, 0}, "scene", "the path is too long");
    } else if (!o->text) { /* else the study is made of the command line, which names the scene */
        perp_refusal inner = {0};
        if (pp_source_is_within(s->root, "study", s->scene_path, &inner) == PERP_E_ARG)
            return pp_complain_say(why, PERP_E_ARG, (pp_location){s->path, 0, 0}, "scene", "%s", inner.text);
    }
    perp_status st = perp_scene_open(s->scene_path, &so, &s->scene, why);
    return st ? st : learn_parameters(s, why);
}

/* `set`: values of parameters for the whole study. What is defined from outside goes before it. */
static perp_status apply_set(pp_study *s, uint32_t map, const pp_study_options *o, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    if (!map) return PERP_OK;
    if (t->node[map].kind != PP_NODE_MAP) return pp_field_refuse(t, map, "set", "a map from parameters to values", why);
    perp_scene_value value[PP_STUDY_VARIABLES];
    uint32_t node[PP_STUDY_VARIABLES];
    int n = 0;
    for (uint32_t k = t->node[map].first; k; k = pp_yaml_next_key(t, k)) {
        char path[160];
        const char *name = pp_yaml_text(t, k);
        bool outside = false;
        pp_field_path(path, sizeof path, "set", name);
        if (pp_study_parameter(s, name) < 0) return pp_study_no_parameter(s, k, path, why);
        for (int i = 0; i < o->ndefine; i++) outside = outside || !strcmp(o->define[i].name, name);
        perp_status st = pp_study_number(s, t->node[k].next, path, &value[n].value, why);
        if (st) return st;
        if (outside) continue;
        value[n].name = name;
        node[n++] = t->node[k].next;
    }
    for (int i = 0; i < n; i++) { /* one by one: the message then has the place of the value that is refused */
        perp_refusal inner;
        perp_status st = perp_scene_set(s->scene, value[i].name, value[i].value, &inner);
        char path[160];
        pp_field_path(path, sizeof path, "set", value[i].name);
        if (st) return pp_complain(why, st, pp_yaml_place(t, node[i]), path, inner.found, inner.allowed);
    }
    for (int i = 0; i < s->nparameter; i++) s->base[i] = perp_scene_parameter_at(s->scene, i).value;
    for (int i = 0; i < s->nparameter; i++) s->parameter[i] = perp_scene_parameter_at(s->scene, i).name;
    return PERP_OK;
}

/* ---- what varies ---- */

typedef struct span_in {
    uint32_t from, to, class;
    int64_t count;
    const char *scale;
} span_in;
static const pp_field span_fields[] = {{"from", offsetof(span_in, from), PP_FIELD_EXPR, false},
                                       {"to", offsetof(span_in, to), PP_FIELD_EXPR, false},
                                       {"count", offsetof(span_in, count), PP_FIELD_WHOLE, false},
                                       {"scale", offsetof(span_in, scale), PP_FIELD_TEXT, false},
                                       {"class", offsetof(span_in, class), PP_FIELD_NODE, false},
                                       {NULL, 0, PP_FIELD_NODE, false}};

static perp_status room_for_values(pp_study *s, pp_study_axis *x, int64_t n, uint32_t node, const char *path,
                                   perp_refusal *why) {
    if (n < 1 || n > 1000000) return pp_field_refuse(&s->tree, node, path, "1 to 1000000 values", why);
    x->n = (int)n;
    x->value = pp_alloc(&s->alloc, sizeof *x->value * (size_t)n);
    return x->value ? PERP_OK : no_memory(s, why);
}

static perp_status read_list(pp_study *s, pp_study_axis *x, uint32_t list, const char *path, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    perp_status st = room_for_values(s, x, t->node[list].length, list, path, why);
    int i = 0;
    for (uint32_t v = t->node[list].first; !st && v; v = t->node[v].next)
        st = pp_study_number(s, v, path, &x->value[i++], why);
    return st;
}

static perp_status read_span(pp_study *s, pp_study_axis *x, const span_in *in, uint32_t map, const char *path,
                             perp_refusal *why) {
    const pp_tree *t = &s->tree;
    static const char *const scales[] = {"linear", "log", NULL};
    double from, to;
    if (!in->from || !in->to || in->count < 1)
        return pp_field_refuse(t, map, path, "a list, {from, to, count} or {class}", why);
    bool log_scale = in->scale && !strcmp(in->scale, "log");
    if (in->scale && !log_scale && strcmp(in->scale, "linear") != 0)
        return pp_field_unknown(t, pp_yaml_get(t, map, "scale"), path, "the scale", scales, why);
    perp_status st = pp_study_number(s, in->from, path, &from, why);
    if (!st) st = pp_study_number(s, in->to, path, &to, why);
    if (!st && log_scale && !(from > 0 && to > 0))
        st = pp_field_refuse(t, in->from, path, "numbers > 0 for scale: log", why);
    if (!st && in->count == 1 && from != to)
        st = pp_field_refuse(t, pp_yaml_get(t, map, "count"), path, "2 or more values between two ends", why);
    if (!st) st = room_for_values(s, x, in->count, map, path, why);
    for (int i = 0; !st && i < x->n; i++) {
        double part = x->n > 1 ? (double)i / (double)(x->n - 1) : 0;
        x->value[i] = log_scale ? from * pp_pow(to / from, part) : from + (to - from) * part;
        if (i > 0 && i == x->n - 1) x->value[i] = to;
    }
    return st;
}

/* [lo, hi], or one number. */
static perp_status read_range(pp_study *s, uint32_t v, const char *path, pp_study_range *out, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    bool list = t->node[v].kind == PP_NODE_LIST;
    if (list && t->node[v].length != 2) return pp_field_refuse(t, v, path, "[lowest, highest], or a number", why);
    uint32_t a = list ? t->node[v].first : v, b = list ? t->node[a].next : v;
    perp_status st = pp_study_number(s, a, path, &out->lo, why);
    if (!st) st = pp_study_number(s, b, path, &out->hi, why);
    if (!st && !(out->lo <= out->hi)) st = pp_field_refuse(t, v, path, "the smaller number first", why);
    return st;
}

static perp_status read_classes(pp_study *s, pp_study_axis *x, uint32_t map, const char *path, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    if (t->node[map].kind != PP_NODE_MAP || t->node[map].length == 0)
        return pp_field_refuse(t, map, path, "a map: name: {parameter: [lowest, highest]}", why);
    int n = (int)t->node[map].length, total = 0, i = 0;
    for (uint32_t k = t->node[map].first; k; k = pp_yaml_next_key(t, k)) {
        uint32_t v = t->node[k].next;
        if (t->node[v].kind != PP_NODE_MAP)
            return pp_field_refuse(t, v, path, "a map: parameter: [lowest, highest]", why);
        total += (int)t->node[v].length;
    }
    perp_status st = room_for_values(s, x, n, map, path, why);
    x->label = pp_alloc(&s->alloc, sizeof *x->label * (size_t)n);
    x->first = pp_alloc(&s->alloc, sizeof *x->first * (size_t)(n + 1));
    x->range = pp_alloc(&s->alloc, sizeof *x->range * (size_t)(total + 1));
    if (!st && (!x->label || !x->first || !x->range)) st = no_memory(s, why);
    for (uint32_t k = t->node[map].first; !st && k; k = pp_yaml_next_key(t, k), i++) {
        x->value[i] = i;
        x->first[i] = x->nrange;
        st = pp_field_name(t, k, path, true, &x->label[i], why);
        for (uint32_t p = t->node[t->node[k].next].first; !st && p; p = pp_yaml_next_key(t, p)) {
            char at[256];
            pp_field_path(at, sizeof at, path, pp_yaml_text(t, p));
            pp_study_range *r = &x->range[x->nrange++];
            r->parameter = pp_study_parameter(s, pp_yaml_text(t, p));
            st = r->parameter < 0 ? pp_study_no_parameter(s, p, at, why) : read_range(s, t->node[p].next, at, r, why);
        }
    }
    if (!st) x->first[n] = x->nrange;
    return st;
}

static perp_status read_axis(pp_study *s, uint32_t k, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    uint32_t v = t->node[k].next;
    char path[160];
    pp_study_axis *x = &s->axis[s->naxis++];
    *x = (pp_study_axis){.parameter = -1};
    pp_field_path(path, sizeof path, "vary", pp_yaml_text(t, k));
    perp_status st = pp_field_name(t, k, path, false, &x->name, why);
    span_in in = {0};
    if (!st && t->node[v].kind == PP_NODE_MAP) st = pp_fields_read(t, v, path, span_fields, &in, why);
    if (st) return st;
    if (in.class) {
        size_t n = strlen(path);
        (void)snprintf(path + n, sizeof path - n, ".class");
        if (pp_study_parameter(s, x->name) >= 0)
            return pp_field_refuse(t, k, path, "a name of the classes that is not one of a parameter", why);
        return read_classes(s, x, in.class, path, why);
    }
    x->parameter = pp_study_parameter(s, x->name);
    if (x->parameter < 0) return pp_study_no_parameter(s, k, path, why);
    if (t->node[v].kind == PP_NODE_LIST) return read_list(s, x, v, path, why);
    return t->node[v].kind == PP_NODE_MAP ? read_span(s, x, &in, v, path, why)
                                          : pp_field_refuse(t, v, path, "a list, {from, to, count} or {class}", why);
}

static perp_status read_vary(pp_study *s, uint32_t map, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    if (!map) return PERP_OK;
    if (t->node[map].kind != PP_NODE_MAP) return pp_field_refuse(t, map, "vary", "a map: parameter: values", why);
    if (t->node[map].length > PP_STUDY_NAMES) return pp_field_refuse(t, map, "vary", "at most 64 variables", why);
    if (!PP_GROW(&s->alloc, s->axis, s->cap_axis, 0, (int)t->node[map].length)) return no_memory(s, why);
    for (uint32_t k = t->node[map].first; k; k = pp_yaml_next_key(t, k)) {
        perp_status st = read_axis(s, k, why);
        if (st) return st;
    }
    return PERP_OK;
}

/* ---- what is drawn ---- */

static const char *const method_words[] = {"random", "latin", "sobol", NULL};
static const char *const sample_words[] = {"count", "seed", "method", "stride", NULL};

static perp_status read_draw(pp_study *s, uint32_t k, const char *path, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    uint32_t v = t->node[k].next;
    pp_study_draw *d = &s->draw[s->ndraw++];
    *d = (pp_study_draw){.parameter = pp_study_parameter(s, pp_yaml_text(t, k)), .node = v};
    if (d->parameter < 0) return pp_study_no_parameter(s, k, path, why);
    if (t->node[v].kind != PP_NODE_SCALAR || t->node[v].length == 0)
        return pp_field_refuse(t, v, path, "an expression such as uniform(0, 1), or uniform", why);
    d->of_class = !strcmp(pp_yaml_text(t, v), "uniform");
    for (int a = 0; a < s->naxis; a++)
        if (s->axis[a].parameter == d->parameter)
            return pp_field_refuse(t, k, path, "a parameter that `vary` does not set", why);
    if (d->of_class) { /* each combination of classes must give it a range: one axis does so in all of its classes */
        bool given = false;
        for (int a = 0; a < s->naxis; a++) {
            const pp_study_axis *x = &s->axis[a];
            int have = 0;
            for (int i = 0; x->parameter < 0 && i < x->nrange; i++) have += x->range[i].parameter == d->parameter;
            given = given || (x->parameter < 0 && have == x->n);
        }
        return given
                   ? PERP_OK
                   : pp_field_refuse(t, v, path, "uniform(a, b), or a range for it in every class of a variable", why);
    }
    const char *name[PP_STUDY_VARIABLES];
    for (int i = 0; i < s->nparameter; i++) name[i] = s->parameter[i];
    name[s->nparameter] = "sample", name[s->nparameter + 1] = "cell", name[s->nparameter + 2] = "trial";
    pp_expr_names names = {
        .variable = name, .nvariable = s->nparameter + 3, .function = pp_draw_functions, .nfunction = 2};
    return pp_study_compile(s, v, path, &names, &d->x, why);
}

static perp_status read_sample_key(pp_study *s, uint32_t k, const char *path, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    uint32_t v = t->node[k].next;
    const char *key = pp_yaml_text(t, k);
    double x = 0;
    if (!strcmp(key, "method")) {
        int i = 0;
        bool scalar = t->node[v].kind == PP_NODE_SCALAR;
        while (scalar && method_words[i] && strcmp(pp_yaml_text(t, v), method_words[i]) != 0) i++;
        if (!scalar || !method_words[i]) return pp_field_unknown(t, v, path, "the method", method_words, why);
        s->method = (pp_study_method)i;
        return PERP_OK;
    }
    perp_status st = pp_field_number(t, v, path, &x, why);
    bool count = !strcmp(key, "count");
    if (!st && !(x >= count && x < 4294967296.0 && floor(x) == x))
        st = pp_field_refuse(t, v, path, count ? "a whole number >= 1" : "a whole number from 0 to 4294967295", why);
    if (st) return st;
    *(count ? &s->count : !strcmp(key, "seed") ? &s->seed : &s->stride) = (uint64_t)x;
    return PERP_OK;
}

static perp_status read_sample(pp_study *s, uint32_t map, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    if (!map) return PERP_OK;
    if (t->node[map].kind != PP_NODE_MAP)
        return pp_field_refuse(t, map, "sample", "a map: {count, seed, parameter: uniform(0, 1)}", why);
    if (t->node[map].length > PP_STUDY_NAMES) return pp_field_refuse(t, map, "sample", "at most 64 entries", why);
    if (!PP_GROW(&s->alloc, s->draw, s->cap_draw, 0, (int)t->node[map].length)) return no_memory(s, why);
    for (uint32_t k = t->node[map].first; k; k = pp_yaml_next_key(t, k)) {
        char path[160];
        bool own = false;
        for (int i = 0; sample_words[i]; i++) own = own || !strcmp(sample_words[i], pp_yaml_text(t, k));
        pp_field_path(path, sizeof path, "sample", pp_yaml_text(t, k));
        perp_status st = own ? read_sample_key(s, k, path, why) : read_draw(s, k, path, why);
        if (st) return st;
    }
    return PERP_OK;
}

/* ---- measures ---- */

static perp_status read_measures(pp_study *s, uint32_t map, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    if (!map) return PERP_OK;
    if (t->node[map].kind != PP_NODE_MAP) return pp_field_refuse(t, map, "measure", "a map: name: expression", why);
    if (t->node[map].length > PP_STUDY_NAMES) return pp_field_refuse(t, map, "measure", "at most 64 measures", why);
    if (!PP_GROW(&s->alloc, s->measure, s->cap_measure, 0, (int)t->node[map].length)) return no_memory(s, why);
    for (uint32_t k = t->node[map].first; k; k = pp_yaml_next_key(t, k)) {
        char path[160];
        pp_study_named *m = &s->measure[s->nmeasure++];
        pp_field_path(path, sizeof path, "measure", pp_yaml_text(t, k));
        m->node = t->node[k].next;
        perp_status st = pp_field_name(t, k, path, false, &m->name, why);
        if (!st && pp_study_parameter(s, m->name) >= 0)
            st = pp_field_refuse(t, k, path, "a name that is not one of a parameter", why);
        if (!st && (t->node[m->node].kind != PP_NODE_SCALAR || t->node[m->node].length == 0))
            st = pp_field_refuse(t, m->node, path, "an expression", why);
        if (st) return st;
    }
    return PERP_OK;
}

/* ---- early end ---- */

typedef struct end_in {
    uint32_t when;
    int64_t steps;
} end_in;
static const pp_field end_fields[] = {{"when", offsetof(end_in, when), PP_FIELD_EXPR, true},
                                      {"steps", offsetof(end_in, steps), PP_FIELD_WHOLE, false},
                                      {NULL, 0, PP_FIELD_NODE, false}};

/* A condition, or {when: condition, steps: how many times in succession}. */
static perp_status read_end(pp_study *s, uint32_t node, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    end_in in = {.when = node, .steps = 1};
    if (!node) return PERP_OK;
    perp_status st = PERP_OK;
    if (t->node[node].kind == PP_NODE_MAP)
        st = pp_fields_read(t, node, "end", end_fields, &in, why);
    else if (t->node[node].kind != PP_NODE_SCALAR || t->node[node].length == 0)
        st = pp_field_refuse(t, node, "end", "a condition, or {when: condition, steps: number}", why);
    if (!st && in.steps < 1) st = pp_field_refuse(t, node, "end.steps", "a whole number >= 1", why);
    s->end = in.when;
    s->end_steps = in.steps;
    return st;
}

/* ---- options ---- */

/* "AXIS=VALUE": the axis keeps this value only. */
static perp_status keep_only(pp_study *s, const char *text, perp_refusal *why) {
    char name[80], known[400] = "";
    const char *equal = strchr(text, '=');
    size_t n = equal ? (size_t)(equal - text) : 0, at = 0;
    pp_location outside = {"--only", 0, 0};
    if (!equal || n == 0 || n >= sizeof name)
        return pp_complain(why, PERP_E_ARG, outside, "", text, "VARIABLE=VALUE, with a variable of `vary`");
    memcpy(name, text, n);
    name[n] = 0;
    int a = pp_study_axis_find(s, name), keep = -1;
    for (int i = 0; i < s->naxis && at + 70 < sizeof known; i++)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "", s->axis[i].name);
    if (a < 0) return pp_complain(why, PERP_E_ARG, outside, "", text, *known ? known : "nothing: nothing varies");
    pp_study_axis *x = &s->axis[a];
    for (int i = 0; i < x->n; i++) {
        char shown[40];
        (void)snprintf(shown, sizeof shown, "%.12g", x->value[i]);
        if (!strcmp(equal + 1, x->label ? x->label[i] : shown)) keep = i;
    }
    if (keep < 0) return pp_complain(why, PERP_E_ARG, outside, "", text, "a value that the variable has");
    x->value[0] = x->value[keep];
    if (x->label) {
        x->label[0] = x->label[keep];
        int from = x->first[keep], count = x->first[keep + 1] - from;
        memmove(x->range, x->range + from, sizeof *x->range * (size_t)count);
        x->first[0] = 0;
        x->first[1] = x->nrange = count;
    }
    x->n = 1;
    return PERP_OK;
}

static perp_status take_options(pp_study *s, const pp_study_options *o, perp_refusal *why) {
    perp_status st = PERP_OK;
    if (o->count >= 1) s->count = (uint64_t)o->count;
    if (o->seed >= 0) s->seed = (uint64_t)o->seed;
    for (int i = 0; !st && i < o->nonly; i++) st = keep_only(s, o->only[i], why);
    double all = (double)s->count;
    s->narrowed = o->nonly > 0;
    s->cells = 1;
    for (int i = 0; i < s->naxis; i++) {
        s->cells *= (uint64_t)s->axis[i].n;
        all *= s->axis[i].n;
    }
    if (!st && all > PP_STUDY_TRIALS)
        st = pp_complain(why, PERP_E_ARG, (pp_location){s->path, 0, 0}, s->naxis ? "vary" : "sample.count",
                         "more than a hundred million trials", "fewer values or samples");
    return st;
}

static void touch_parameters(pp_study *s) {
    for (int a = 0; a < s->naxis; a++) {
        if (s->axis[a].parameter >= 0) s->touched[s->axis[a].parameter] = true;
        for (int k = 0; k < s->axis[a].nrange; k++) s->touched[s->axis[a].range[k].parameter] = true;
    }
    for (int i = 0; i < s->ndraw; i++) s->touched[s->draw[i].parameter] = true;
}

/* A range of a class must have a draw that uses it. */
static perp_status check_ranges(const pp_study *s, perp_refusal *why) {
    for (int a = 0; a < s->naxis; a++)
        for (int k = 0; k < s->axis[a].nrange; k++) {
            const pp_study_range *r = &s->axis[a].range[k];
            bool drawn = r->lo == r->hi;
            for (int i = 0; i < s->ndraw; i++)
                drawn = drawn || (s->draw[i].parameter == r->parameter && s->draw[i].of_class);
            if (drawn) continue;
            char path[160], found[128];
            uint32_t vary = pp_yaml_get(&s->tree, 1, "vary");
            pp_field_path(path, sizeof path, "vary", s->axis[a].name);
            (void)snprintf(found, sizeof found, "a range of %.64s that is not drawn", s->parameter[r->parameter]);
            return pp_complain(why, PERP_E_ARG, pp_yaml_place(&s->tree, pp_yaml_get(&s->tree, vary, s->axis[a].name)),
                               path, found, "one number, or `uniform` for this parameter in `sample`");
        }
    return PERP_OK;
}

/* Checks every value of every axis against the ranges of the scene, and the draws of the first trial. */
static perp_status check_values(pp_study *s, perp_refusal *why) {
    for (int a = 0; a < s->naxis; a++) {
        const pp_study_axis *x = &s->axis[a];
        for (int i = 0; x->parameter >= 0 && i < x->n; i++) {
            perp_scene_parameter p = perp_scene_parameter_at(s->scene, x->parameter);
            if (x->value[i] >= p.min && x->value[i] <= p.max) continue;
            char path[160], found[64], allowed[128];
            pp_field_path(path, sizeof path, "vary", x->name);
            (void)snprintf(found, sizeof found, "%.15g", x->value[i]);
            (void)snprintf(allowed, sizeof allowed, "numbers from %.15g to %.15g, as the scene says", p.min, p.max);
            uint32_t k = pp_yaml_get(&s->tree, pp_yaml_get(&s->tree, 1, "vary"), x->name);
            return pp_complain(why, PERP_E_ARG, pp_yaml_place(&s->tree, k), path, found, allowed);
        }
    }
    double value[PP_STUDY_VARIABLES];
    memcpy(value, s->base, sizeof *value * (size_t)s->nparameter);
    return pp_study_values(s, (pp_study_trial){0}, value, why);
}

/* ---- all ---- */

static perp_status read_all(pp_study *s, const pp_study_options *o, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    top in = {.title = "", .about = "", .source = ""};
    perp_status st = pp_fields_read(t, 1, "", top_fields, &in, why);
    if (!st && (t->node[in.version].kind != PP_NODE_SCALAR || strcmp(pp_yaml_text(t, in.version), "1") != 0))
        st = pp_field_refuse(t, in.version, "perp-study", "1", why);
    if (st) return st;
    s->title = in.title;
    s->about = in.about;
    s->source = in.source;
    s->values = in.values;
    s->report = in.report;
    s->checks = in.checks;
    s->design = in.design;
    s->estimate = in.estimate;
    st = open_scene(s, in.scene, o, why);
    if (!st) st = apply_set(s, in.set, o, why);
    if (!st) st = read_vary(s, in.vary, why);
    if (!st) st = read_sample(s, in.sample, why);
    if (!st) st = read_measures(s, in.measure, why);
    if (!st) st = read_end(s, in.end, why);
    if (!st) st = take_options(s, o, why);
    if (!st) touch_parameters(s);
    if (!st) st = check_ranges(s, why);
    return st ? st : check_values(s, why);
}

perp_status pp_study_open(const char *path, const pp_study_options *options, pp_study **out, perp_refusal *why) {
    static const pp_study_options none = {.count = -1, .seed = -1};
    static const perp_allocator plain = {0};
    const pp_study_options *o = options ? options : &none;
    *out = NULL;
    pp_study *s = pp_alloc(&plain, sizeof *s);
    if (!s) return pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, "", "not enough memory");
    *s = (pp_study){.alloc = plain, .count = 1, .cells = 1, .seed = 1, .refine = 1};
    int n = snprintf(s->path, sizeof s->path, "%s", path);
    perp_status st = PERP_OK;
    if (o->root ? strlen(o->root) >= sizeof s->root : !pp_source_folder(path, s->root, sizeof s->root))
        n = -1;
    else if (o->root)
        memcpy(s->root, o->root, strlen(o->root) + 1);
    if (n < 0 || (size_t)n >= sizeof s->path) {
        st = pp_complain_say(why, PERP_E_ARG, (pp_location){"", 0, 0}, "", "the path of the study is too long");
    } else if (o->nfile > 0 || o->text) {
        s->size = o->text ? strlen(o->text) : o->file[0].size;
        s->data = pp_alloc(&plain, s->size + 1);
        if (!s->data) st = no_memory(s, why);
        if (!st) memcpy(s->data, o->text ? o->text : o->file[0].data, s->size);
        if (!st) s->data[s->size] = 0;
    } else {
        st = pp_source_read(&plain, path, s->path, &s->data, &s->size, why);
    }
    if (!st) st = pp_yaml_parse(&plain, s->path, s->data, s->size, &s->tree, why);
    if (!st) st = read_all(s, o, why);
    if (st) {
        pp_study_close(s);
        return st;
    }
    *out = s;
    return PERP_OK;
}

void pp_study_close(pp_study *s) {
    if (!s) return;
    const perp_allocator a = s->alloc;
    for (int i = 0; i < s->naxis; i++) {
        pp_free(&a, s->axis[i].value);
        pp_free(&a, (void *)s->axis[i].label);
        pp_free(&a, s->axis[i].range);
        pp_free(&a, s->axis[i].first);
    }
    for (int i = 0; i < s->ndraw; i++) pp_expr_free(&a, s->draw[i].x);
    pp_free(&a, s->axis);
    pp_free(&a, s->draw);
    pp_free(&a, s->measure);
    pp_free(&a, (void *)s->parameter);
    pp_free(&a, s->base);
    perp_scene_close(s->scene);
    pp_yaml_free(&s->tree);
    pp_free(&a, s->data);
    pp_free(&a, s);
}
