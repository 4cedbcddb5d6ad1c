/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* design.c - reading `design`, and judging a design by its trials. See design.h. */
#include "study/design.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct design_in {
    uint32_t over, start, minimise, maximise, constraints, levels, method, verify, require, checks;
} design_in;
#define NODE(type, field, kind, required) \
    { #field, offsetof(type, field), PP_FIELD_##kind, required }
static const pp_field design_fields[] = {NODE(design_in, over, NODE, true),
                                         NODE(design_in, start, NODE, false),
                                         NODE(design_in, minimise, EXPR, false),
                                         NODE(design_in, maximise, EXPR, false),
                                         NODE(design_in, constraints, NODE, false),
                                         NODE(design_in, levels, NODE, false),
                                         NODE(design_in, require, EXPR, false),
                                         NODE(design_in, method, NODE, false),
                                         NODE(design_in, verify, NODE, false),
                                         NODE(design_in, checks, NODE, false),
                                         {NULL, 0, PP_FIELD_NODE, false}};

typedef struct method_in {
    const char *name;
    int64_t restarts, evaluations, population, seed, count, enough;
    double x_tolerance, f_tolerance, steps;
    bool common;
} method_in;
static const pp_field method_fields[] = {
    NODE(method_in, name, TEXT, true),           NODE(method_in, restarts, WHOLE, false),
    NODE(method_in, evaluations, WHOLE, false),  NODE(method_in, population, WHOLE, false),
    NODE(method_in, seed, WHOLE, false),         NODE(method_in, count, WHOLE, false),
    NODE(method_in, x_tolerance, NUMBER, false), NODE(method_in, f_tolerance, NUMBER, false),
    NODE(method_in, common, BOOL, false),        NODE(method_in, enough, WHOLE, false),
    NODE(method_in, steps, NUMBER, false),       {NULL, 0, PP_FIELD_NODE, false}};

typedef struct verify_in {
    int64_t count, seed;
    bool half;
} verify_in;
static const pp_field verify_fields[] = {NODE(verify_in, count, WHOLE, false),
                                         NODE(verify_in, seed, WHOLE, false),
                                         NODE(verify_in, half, BOOL, false),
                                         {NULL, 0, PP_FIELD_NODE, false}};

typedef struct level_in {
    const char *name;
    bool proof, trials;
    uint32_t require, set;
} level_in;
static const pp_field level_fields[] = {NODE(level_in, name, TEXT, true),     NODE(level_in, proof, BOOL, false),
                                        NODE(level_in, require, NODE, false), NODE(level_in, trials, BOOL, false),
                                        NODE(level_in, set, NODE, false),     {NULL, 0, PP_FIELD_NODE, false}};

/* ---- bounds and start ---- */

typedef struct bound_in {
    uint32_t min, max, start, step;
} bound_in;
static const pp_field bound_fields[] = {NODE(bound_in, min, EXPR, true),
                                        NODE(bound_in, max, EXPR, true),
                                        NODE(bound_in, start, EXPR, false),
                                        NODE(bound_in, step, EXPR, false),
                                        {NULL, 0, PP_FIELD_NODE, false}};

static perp_status read_bound(const pp_study *s, pp_design *d, uint32_t k, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    uint32_t v = t->node[k].next;
    char path[160];
    int i = d->n;
    bound_in in = {0};
    perp_status st = PERP_OK;
    pp_field_path(path, sizeof path, "design.over", pp_yaml_text(t, k));
    d->parameter[i] = pp_study_parameter(s, pp_yaml_text(t, k));
    if (d->parameter[i] < 0) return pp_study_no_parameter(s, k, path, why);
    for (int a = 0; a < s->naxis; a++)
        if (s->axis[a].parameter == d->parameter[i])
            return pp_field_refuse(t, k, path, "a parameter that `vary` does not set", why);
    for (int a = 0; a < s->ndraw; a++)
        if (s->draw[a].parameter == d->parameter[i])
            return pp_field_refuse(t, k, path, "a parameter that `sample` does not draw", why);
    if (t->node[v].kind == PP_NODE_LIST && t->node[v].length == 2) {
        in.min = t->node[v].first;
        in.max = t->node[in.min].next;
    } else if (t->node[v].kind == PP_NODE_MAP) {
        st = pp_fields_read(t, v, path, bound_fields, &in, why);
    } else {
        return pp_field_refuse(t, v, path, "[lowest, highest] or {min, max, start, step}", why);
    }
    if (!st) st = pp_study_number(s, in.min, path, &d->lower[i], why);
    if (!st) st = pp_study_number(s, in.max, path, &d->upper[i], why);
    if (!st && !(d->lower[i] < d->upper[i])) st = pp_field_refuse(t, v, path, "the smaller number first", why);
    if (st) return st;
    perp_scene_parameter p = perp_scene_parameter_at(s->scene, d->parameter[i]);
    if (d->lower[i] < p.min || d->upper[i] > p.max) {
        char allowed[128];
        (void)snprintf(allowed, sizeof allowed, "a range within %.15g to %.15g, as the scene says", p.min, p.max);
        return pp_field_refuse(t, v, path, allowed, why);
    }
    double base = s->base[d->parameter[i]];
    d->start[i] = base >= d->lower[i] && base <= d->upper[i] ? base : (d->lower[i] + d->upper[i]) / 2;
    d->step[i] = (d->upper[i] - d->lower[i]) / 10;
    if (in.start) st = pp_study_number(s, in.start, path, &d->start[i], why);
    if (!st && in.step) st = pp_study_number(s, in.step, path, &d->step[i], why);
    if (!st && !(d->step[i] > 0)) st = pp_field_refuse(t, in.step, path, "a step > 0", why);
    d->n++;
    return st;
}

static perp_status read_over(const pp_study *s, pp_design *d, const design_in *in, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    if (t->node[in->over].kind != PP_NODE_MAP || t->node[in->over].length == 0 ||
        t->node[in->over].length > PP_STUDY_NAMES)
        return pp_field_refuse(t, in->over, "design.over", "a map: parameter: [lowest, highest], 1 to 64 of them", why);
    for (uint32_t k = t->node[in->over].first; k; k = pp_yaml_next_key(t, k)) {
        perp_status st = read_bound(s, d, k, why);
        if (st) return st;
    }
    if (in->start && t->node[in->start].kind != PP_NODE_MAP)
        return pp_field_refuse(t, in->start, "design.start", "a map: parameter: value", why);
    for (uint32_t k = in->start ? t->node[in->start].first : 0; k; k = pp_yaml_next_key(t, k)) {
        char path[160];
        int p = pp_study_parameter(s, pp_yaml_text(t, k)), i = 0;
        pp_field_path(path, sizeof path, "design.start", pp_yaml_text(t, k));
        while (i < d->n && d->parameter[i] != p) i++;
        if (p < 0 || i == d->n) return pp_field_refuse(t, k, path, "a parameter of `over`", why);
        perp_status st = pp_study_number(s, t->node[k].next, path, &d->start[i], why);
        if (st) return st;
    }
    for (int i = 0; i < d->n; i++)
        if (!(d->start[i] >= d->lower[i] && d->start[i] <= d->upper[i]))
            return pp_field_refuse(t, in->start ? in->start : in->over, "design.start", "values within the bounds",
                                   why);
    return PERP_OK;
}

/* ---- levels ---- */

static perp_status read_require(const pp_study *s, pp_design_level *l, uint32_t node, const char *path,
                                perp_refusal *why) {
    const pp_tree *t = &s->tree;
    bool list = t->node[node].kind == PP_NODE_LIST;
    if (list && (t->node[node].length == 0 || t->node[node].length > PP_DESIGN_REQUIRE))
        return pp_field_refuse(t, node, path, "1 to 32 conditions", why);
    for (uint32_t v = list ? t->node[node].first : node; v; v = list ? t->node[v].next : 0) {
        if (t->node[v].kind != PP_NODE_SCALAR || t->node[v].length == 0)
            return pp_field_refuse(t, v, path, "a condition on parameters", why);
        pp_expr_names names = {.variable = s->parameter, .nvariable = s->nparameter};
        l->node[l->nrequire] = v;
        perp_status st = pp_study_compile(s, v, path, &names, &l->require[l->nrequire], why);
        if (st) return st;
        l->nrequire++;
    }
    return PERP_OK;
}

static perp_status read_level_set(const pp_study *s, pp_design_level *l, uint32_t map, const char *path,
                                  perp_refusal *why) {
    const pp_tree *t = &s->tree;
    if (!map) return PERP_OK;
    if (t->node[map].kind != PP_NODE_MAP || t->node[map].length > PP_DESIGN_REQUIRE)
        return pp_field_refuse(t, map, path, "set: a map of up to 32 parameters", why);
    for (uint32_t k = t->node[map].first; k; k = pp_yaml_next_key(t, k)) {
        l->set[l->nset] = pp_study_parameter(s, pp_yaml_text(t, k));
        if (l->set[l->nset] < 0) return pp_study_no_parameter(s, k, path, why);
        perp_status st = pp_study_number(s, t->node[k].next, path, &l->value[l->nset++], why);
        if (st) return st;
    }
    return PERP_OK;
}

static perp_status read_levels(const pp_study *s, pp_design *d, uint32_t list, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    if (!list) return PERP_OK;
    if (t->node[list].kind != PP_NODE_LIST || t->node[list].length > PP_DESIGN_LEVELS)
        return pp_field_refuse(t, list, "design.levels", "a list of up to 16 levels", why);
    for (uint32_t v = t->node[list].first; v; v = t->node[v].next) {
        char path[64];
        level_in in = {0};
        (void)snprintf(path, sizeof path, "design.levels[%d]", d->nlevel);
        perp_status st = pp_fields_read(t, v, path, level_fields, &in, why);
        pp_design_level *l = &d->level[d->nlevel++];
        l->name = in.name;
        l->proof = in.proof;
        l->trials = in.trials || in.set;
        if (!st && l->trials == (in.require != 0))
            st = pp_field_refuse(t, v, path,
                                 "one of: require (conditions on parameters), trials: true (with or without set)", why);
        if (!st && in.require) st = read_require(s, l, in.require, path, why);
        if (!st) st = read_level_set(s, l, in.set, path, why);
        if (st) return st;
    }
    return PERP_OK;
}

/* ---- objective, method, verification ---- */

/* Expressions over trials know the free parameters. */
static perp_status compile_over(const pp_design *d, uint32_t node, const char *key, pp_aggregate **out,
                                perp_refusal *why) {
    const char *name[PP_STUDY_NAMES];
    for (int i = 0; i < d->n; i++) name[i] = d->study->parameter[d->parameter[i]];
    return pp_aggregate_new(d->study, node, key, name, d->n, out, why);
}

static perp_status read_goal(const pp_study *s, pp_design *d, const design_in *in, uint32_t map, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    if (in->minimise && in->maximise)
        return pp_field_refuse(t, in->maximise, "design.maximise", "one of minimise and maximise", why);
    uint32_t goal = in->minimise ? in->minimise : in->maximise;
    d->maximise = in->maximise != 0;
    d->require = -1;
    perp_status st = PERP_OK;
    if (goal) st = compile_over(d, goal, d->maximise ? "design.maximise" : "design.minimise", &d->objective, why);
    if (!st && in->require) {
        d->require = pp_study_measure_find(s, pp_yaml_text(t, in->require));
        if (d->require < 0)
            st = pp_field_refuse(t, in->require, "design.require", "a measure that is not 0 in a trial that passes",
                                 why);
    }
    if (!st && !goal && !in->require)
        st = pp_complain(why, PERP_E_ARG, pp_yaml_place(t, map), "design", "neither a goal nor a requirement",
                         "one or more of minimise, maximise, require");
    if (st || !in->constraints) return st;
    if (t->node[in->constraints].kind != PP_NODE_LIST || t->node[in->constraints].length > PP_DESIGN_CONSTRAINTS)
        return pp_field_refuse(t, in->constraints, "design.constraints", "a list of up to 32 expressions <= 0", why);
    for (uint32_t v = t->node[in->constraints].first; !st && v; v = t->node[v].next) {
        char key[64];
        (void)snprintf(key, sizeof key, "design.constraints[%d]", d->nconstraint);
        st = compile_over(d, v, key, &d->constraint[d->nconstraint++], why);
    }
    return st;
}

/* Is there such a method, and the library that it needs? */
static perp_status check_method(const pp_study *s, uint32_t node, const char *path, const char *name,
                                perp_refusal *why) {
    const pp_tree *t = &s->tree;
    const char *known[64] = {"sample"}, *package = "";
    bool found = !strcmp(name, "sample");
    char key[80];
    for (int i = 0; perp_search_methods()[i] && i < 60; i++) {
        known[i + 1] = perp_search_methods()[i];
        found = found || !strcmp(name, known[i + 1]);
    }
    (void)snprintf(key, sizeof key, "%.60s.name", path);
    uint32_t at = pp_yaml_get(t, node, "name");
    if (!found) return pp_field_unknown(t, at, key, "the method", known, why);
    if (!strcmp(name, "sample") || perp_search_available(name, &package)) return PERP_OK;
    return pp_complain_say(why, PERP_E_FIT, pp_yaml_place(t, at), key,
                           "the method %.40s needs a library that this perp was built without; on Debian install %.40s "
                           "and build again",
                           name, package);
}

/* Reads one method. alone: the study has no other. */
static perp_status read_stage(const pp_study *s, pp_design *d, uint32_t node, const char *path, bool alone,
                              perp_refusal *why) {
    const pp_tree *t = &s->tree;
    method_in in = {.name = "nelder-mead",
                    .restarts = 3,
                    .evaluations = 1000,
                    .seed = 1,
                    .x_tolerance = 1e-6,
                    .f_tolerance = 1e-8,
                    .steps = 1};
    bool map = node && t->node[node].kind == PP_NODE_MAP, common_given = map && pp_yaml_get(t, node, "common");
    uint32_t enough = map ? pp_yaml_get(t, node, "enough") : 0;
    char key[80];
    perp_status st = node ? pp_fields_read(t, node, path, method_fields, &in, why) : PERP_OK;
    if (!st) st = node ? check_method(s, node, path, in.name, why) : PERP_OK;
    if (st) return st;
    bool sample = !strcmp(in.name, "sample");
    if (sample && !alone) return pp_field_refuse(t, node, path, "minimisers; sample stands alone", why);
    if (in.evaluations < 1 || in.evaluations > 100000000 || in.restarts > 1000000 || in.population > 1000000)
        return pp_field_refuse(t, node, path, "1 to 100000000 evaluations, up to 1000000 restarts", why);
    if (!(in.steps > 0 && in.steps <= 1))
        return pp_field_refuse(t, node, path, "steps: more than 0, at most 1: a part of the first steps", why);
    if (sample && in.count < 1) return pp_field_refuse(t, node, path, "count: the number of designs to draw", why);
    (void)snprintf(key, sizeof key, "%.60s.enough", path);
    if (enough && (!sample || in.enough < 1 || in.enough > in.count))
        return pp_field_refuse(t, enough, key, "1 to count, with the method sample", why);
    if (!sample && !d->objective) return pp_field_refuse(t, node, path, "minimise or maximise for this method", why);
    d->stage[d->nstage++] = (pp_design_stage){.method = in.name,
                                              .restarts = (int)in.restarts,
                                              .evaluations = (int)(sample ? in.count : in.evaluations),
                                              .population = (int)in.population,
                                              .x_tolerance = in.x_tolerance,
                                              .f_tolerance = in.f_tolerance,
                                              .steps = in.steps,
                                              .seed = (uint64_t)in.seed};
    d->sample = sample;
    d->enough = (int)in.enough;
    if (d->nstage == 1 || common_given) d->common = common_given ? in.common : !sample;
    return PERP_OK;
}

static perp_status read_method(const pp_study *s, pp_design *d, uint32_t node, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    if (!node || t->node[node].kind != PP_NODE_LIST) return read_stage(s, d, node, "design.method", true, why);
    if (t->node[node].length == 0 || t->node[node].length > PP_DESIGN_STAGES)
        return pp_field_refuse(t, node, "design.method", "a method, or a list of up to 8 that go on from each other",
                               why);
    for (uint32_t v = t->node[node].first; v; v = t->node[v].next) {
        char path[64];
        (void)snprintf(path, sizeof path, "design.method[%d]", d->nstage);
        perp_status st = read_stage(s, d, v, path, t->node[node].length == 1, why);
        if (st) return st;
    }
    return PERP_OK;
}

perp_status pp_design_read(pp_study *s, pp_design *d, perp_refusal *why) {
    *d = (pp_design){.study = s};
    if (!s->design)
        return pp_complain(why, PERP_E_ARG, (pp_location){s->path, 0, 0}, "design", "a study without it",
                           "the key design: what is searched over, and for what");
    design_in in = {0};
    verify_in v = {.seed = -1, .half = true};
    perp_status st = pp_fields_read(&s->tree, s->design, "design", design_fields, &in, why);
    if (!st) st = read_over(s, d, &in, why);
    if (!st) st = read_levels(s, d, in.levels, why);
    if (!st) st = read_goal(s, d, &in, s->design, why);
    if (!st) st = read_method(s, d, in.method, why);
    if (!st && in.verify) st = pp_fields_read(&s->tree, in.verify, "design.verify", verify_fields, &v, why);
    for (int i = 0; i < d->n; i++) s->touched[d->parameter[i]] = true;
    for (int l = 0; l < d->nlevel; l++)
        for (int k = 0; k < d->level[l].nset; k++) s->touched[d->level[l].set[k]] = true;
    d->verify_count = v.count;
    d->verify_seed = v.seed;
    d->verify_half = v.half;
    d->checks = in.checks;
    if (st) pp_design_free(d);
    return st;
}

void pp_design_free(pp_design *d) {
    if (!d->study) return;
    for (int i = 0; i < d->nlevel; i++)
        for (int k = 0; k < d->level[i].nrequire; k++) pp_expr_free(&d->study->alloc, d->level[i].require[k]);
    for (int i = 0; i < d->nconstraint; i++) pp_aggregate_free(d->constraint[i]);
    pp_aggregate_free(d->objective);
    *d = (pp_design){0};
}

/* ---- values and judgement ---- */

perp_status pp_design_values(const pp_design *d, pp_design_trial w, double *value, perp_refusal *why) {
    const pp_study *s = d->study;
    memcpy(value, s->base, sizeof *value * (size_t)s->nparameter);
    for (int k = 0; k < d->n; k++) value[d->parameter[k]] = w.x[k];
    pp_study_trial t = {.number = w.K, .group = d->common ? 0 : w.design, .by_sample = !d->common};
    perp_status st = pp_study_values(s, t, value, why);
    for (int k = 0; w.level >= 0 && k < d->level[w.level].nset; k++)
        value[d->level[w.level].set[k]] = d->level[w.level].value[k];
    return st;
}

void pp_design_point(const pp_design *d, uint64_t i, double *x) {
    perp_random r = perp_random_start((d->stage[0].seed << 32) + i);
    for (int k = 0; k < d->n; k++) x[k] = perp_random_between(&r, d->lower[k], d->upper[k]);
}

perp_status pp_design_meets(const pp_design *d, int level, const double *x, bool *out, perp_refusal *why) {
    const pp_study *s = d->study;
    const pp_design_level *l = &d->level[level];
    double value[PP_STUDY_VARIABLES], y = 0;
    char words[512];
    memcpy(value, s->base, sizeof *value * (size_t)s->nparameter);
    for (int k = 0; k < d->n; k++) value[d->parameter[k]] = x[k];
    *out = true;
    for (int k = 0; k < l->nrequire; k++) {
        if (!pp_expr_eval(l->require[k], value, NULL, NULL, &y, words, sizeof words))
            return pp_field_complain(&s->tree, l->node[k], 0, "design.levels", words, why);
        *out = *out && y != 0 && !isnan(y);
    }
    return PERP_OK;
}

perp_status pp_design_judge(const pp_design *d, const pp_table *t, const double *x, double *f, double *g,
                            perp_refusal *why) {
    double y = NAN;
    perp_status st = d->objective ? pp_aggregate_eval(d->objective, t, x, &y, why) : PERP_OK;
    *f = d->maximise ? -y : y;
    for (int i = 0; !st && i < d->nconstraint; i++) st = pp_aggregate_eval(d->constraint[i], t, x, &g[i], why);
    return st;
}
