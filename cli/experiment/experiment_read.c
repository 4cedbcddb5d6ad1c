/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* experiment_read.c - experiment.yaml into an experiment, strictly: every key is in a table here, anything else is
 * refused */
#include <string.h>

#include "experiment/experiment.h"
#include "input/fields.h"

typedef struct top {
    uint32_t version, runs, values, series, sweeps, checks, tables, plots;
    const char *title, *source, *about;
} top;

#define KEY(type, field, slot_, required_) \
    { #field, offsetof(type, field), slot_, required_ }
#define INSTEAD(type, field) \
    { #field, offsetof(type, instead) + offsetof(exp_instead, field), PP_FIELD_TEXT, false }

static const pp_field top_keys[] = {{"perp-experiment", offsetof(top, version), PP_FIELD_NODE, true},
                                    KEY(top, title, PP_FIELD_TEXT, true),
                                    KEY(top, source, PP_FIELD_TEXT, false),
                                    KEY(top, about, PP_FIELD_TEXT, true),
                                    KEY(top, runs, PP_FIELD_NODE, false),
                                    KEY(top, series, PP_FIELD_NODE, false),
                                    KEY(top, values, PP_FIELD_NODE, false),
                                    KEY(top, sweeps, PP_FIELD_NODE, false),
                                    KEY(top, checks, PP_FIELD_NODE, true),
                                    KEY(top, tables, PP_FIELD_NODE, false),
                                    KEY(top, plots, PP_FIELD_NODE, false),
                                    {NULL, 0, PP_FIELD_TEXT, false}};
static const pp_field run_keys[] = {KEY(exp_run, scene, PP_FIELD_TEXT, false),
                                    KEY(exp_run, label, PP_FIELD_TEXT, false),
                                    KEY(exp_run, set, PP_FIELD_NODE, false),
                                    INSTEAD(exp_run, contact_model),
                                    INSTEAD(exp_run, geometry),
                                    INSTEAD(exp_run, stepper),
                                    INSTEAD(exp_run, form),
                                    INSTEAD(exp_run, start),
                                    {"long", offsetof(exp_run, only_long), PP_FIELD_BOOL, false},
                                    KEY(exp_run, may_fail, PP_FIELD_BOOL, false),
                                    {NULL, 0, PP_FIELD_TEXT, false}};
static const pp_field sweep_keys[] = {KEY(exp_sweep, scene, PP_FIELD_TEXT, false),
                                      KEY(exp_sweep, over, PP_FIELD_NODE, true),
                                      KEY(exp_sweep, set, PP_FIELD_NODE, false),
                                      KEY(exp_sweep, measure, PP_FIELD_NODE, true),
                                      INSTEAD(exp_sweep, contact_model),
                                      INSTEAD(exp_sweep, geometry),
                                      INSTEAD(exp_sweep, stepper),
                                      INSTEAD(exp_sweep, form),
                                      INSTEAD(exp_sweep, start),
                                      {"long", offsetof(exp_sweep, only_long), PP_FIELD_BOOL, false},
                                      KEY(exp_sweep, may_fail, PP_FIELD_BOOL, false),
                                      {NULL, 0, PP_FIELD_TEXT, false}};
static const pp_field table_keys[] = {KEY(exp_table, title, PP_FIELD_TEXT, true),
                                      KEY(exp_table, about, PP_FIELD_TEXT, false),
                                      KEY(exp_table, sweep, PP_FIELD_TEXT, true),
                                      KEY(exp_table, rows, PP_FIELD_TEXT, true),
                                      KEY(exp_table, columns, PP_FIELD_TEXT, false),
                                      KEY(exp_table, value, PP_FIELD_NODE, true),
                                      KEY(exp_table, take, PP_FIELD_TEXT, false),
                                      KEY(exp_table, unit, PP_FIELD_TEXT, false),
                                      {"if", offsetof(exp_table, when), PP_FIELD_EXPR, false},
                                      {NULL, 0, PP_FIELD_TEXT, false}};
static const pp_field check_keys[] = {KEY(exp_check, what, PP_FIELD_TEXT, true),
                                      KEY(exp_check, value, PP_FIELD_EXPR, true),
                                      KEY(exp_check, reference, PP_FIELD_EXPR, false),
                                      KEY(exp_check, limit, PP_FIELD_EXPR, false),
                                      KEY(exp_check, below, PP_FIELD_EXPR, false),
                                      KEY(exp_check, above, PP_FIELD_EXPR, false),
                                      {"if", offsetof(exp_check, when), PP_FIELD_EXPR, false},
                                      KEY(exp_check, unit, PP_FIELD_TEXT, false),
                                      KEY(exp_check, published, PP_FIELD_TEXT, false),
                                      KEY(exp_check, note, PP_FIELD_TEXT, false),
                                      {NULL, 0, PP_FIELD_TEXT, false}};
static const pp_field plot_keys[] = {KEY(exp_plot, file, PP_FIELD_TEXT, true),
                                     KEY(exp_plot, title, PP_FIELD_TEXT, false),
                                     KEY(exp_plot, about, PP_FIELD_TEXT, false),
                                     KEY(exp_plot, what, PP_FIELD_NODE, false),
                                     KEY(exp_plot, runs, PP_FIELD_NODE, false),
                                     KEY(exp_plot, lines, PP_FIELD_NODE, false),
                                     {"if", offsetof(exp_plot, when), PP_FIELD_EXPR, false},
                                     KEY(exp_plot, from, PP_FIELD_EXPR, false),
                                     KEY(exp_plot, to, PP_FIELD_EXPR, false),
                                     KEY(exp_plot, xlabel, PP_FIELD_TEXT, false),
                                     KEY(exp_plot, ylabel, PP_FIELD_TEXT, false),
                                     KEY(exp_plot, legend, PP_FIELD_TEXT, false),
                                     KEY(exp_plot, logx, PP_FIELD_BOOL, false),
                                     KEY(exp_plot, logy, PP_FIELD_BOOL, false),
                                     KEY(exp_plot, equal, PP_FIELD_BOOL, false),
                                     KEY(exp_plot, marks, PP_FIELD_BOOL, false),
                                     KEY(exp_plot, together, PP_FIELD_BOOL, false),
                                     {NULL, 0, PP_FIELD_TEXT, false}};
static const pp_field line_keys[] = {
    KEY(exp_line, label, PP_FIELD_TEXT, false), KEY(exp_line, x, PP_FIELD_NODE, true),
    KEY(exp_line, y, PP_FIELD_NODE, true),      KEY(exp_line, dashed, PP_FIELD_BOOL, false),
    KEY(exp_line, marks, PP_FIELD_BOOL, false), KEY(exp_line, sweep, PP_FIELD_TEXT, false),
    KEY(exp_line, by, PP_FIELD_TEXT, false),    KEY(exp_line, take, PP_FIELD_TEXT, false),
    KEY(exp_line, each, PP_FIELD_BOOL, false),  {NULL, 0, PP_FIELD_TEXT, false}};

typedef struct reader {
    const pp_tree *t;
    perp_refusal *why;
} reader;

static perp_status refuse(const reader *r, uint32_t n, const char *path, const char *allowed) {
    return pp_field_refuse(r->t, n, path, allowed, r->why);
}

static perp_status no_memory(const reader *r) {
    return pp_complain_say(r->why, PERP_E_MEMORY, (pp_location){r->t->file, 0, 0}, "", "not enough memory");
}

static perp_status read_map(const reader *r, uint32_t map, const char *path, const pp_field *fields, void *out) {
    return pp_fields_read(r->t, map, path, fields, out, r->why);
}

/* Without `runs` there is one of scene.yaml, unless there are sweeps. */
static perp_status read_runs(experiment *e, const reader *r, uint32_t map, bool sweeps) {
    int n = map || sweeps ? 0 : 1;
    if (map && r->t->node[map].kind != PP_NODE_MAP) return refuse(r, map, "runs", "a map: name: {scene, set}");
    if (map && r->t->node[map].length == 0) return refuse(r, map, "runs", "at least one run");
    if (map) n = (int)r->t->node[map].length;
    if (!PP_GROW(&experiment_memory, e->run, e->cap_run, 0, n)) return no_memory(r);
    e->nrun = n;
    if (n && !map) e->run[0].name = "main";
    uint32_t k = map ? r->t->node[map].first : 0;
    for (int i = 0; k; i++, k = r->t->node[r->t->node[k].next].next) {
        char path[256];
        pp_field_path(path, sizeof path, "runs", pp_yaml_text(r->t, k));
        perp_status s = pp_field_name(r->t, k, path, true, &e->run[i].name, r->why);
        uint32_t v = r->t->node[k].next;
        bool nothing = r->t->node[v].kind == PP_NODE_SCALAR && r->t->node[v].length == 0;
        if (!s && !nothing) s = read_map(r, v, path, run_keys, &e->run[i]);
        if (!s && e->run[i].set && r->t->node[e->run[i].set].kind != PP_NODE_MAP)
            s = refuse(r, e->run[i].set, path, "set: a map of parameters");
        if (s) return s;
    }
    for (int i = 0; i < n; i++) {
        if (!e->run[i].scene) e->run[i].scene = "scene.yaml";
        if (!e->run[i].label) e->run[i].label = e->run[i].name;
        e->run[i].sweep = -1;
    }
    return PERP_OK;
}

static perp_status read_named(const reader *r, uint32_t map, const char *path, exp_named **out, int *cap, int *count) {
    if (!map) return PERP_OK;
    if (r->t->node[map].kind != PP_NODE_MAP) return refuse(r, map, path, "a map: name: expression");
    int n = (int)r->t->node[map].length;
    if (!PP_GROW(&experiment_memory, *out, *cap, 0, n)) return no_memory(r);
    *count = n;
    uint32_t k = r->t->node[map].first;
    for (int i = 0; k; i++, k = r->t->node[r->t->node[k].next].next) {
        char at[256];
        pp_field_path(at, sizeof at, path, pp_yaml_text(r->t, k));
        perp_status s = pp_field_name(r->t, k, at, false, &(*out)[i].name, r->why);
        uint32_t v = r->t->node[k].next;
        if (!s && (r->t->node[v].kind != PP_NODE_SCALAR || r->t->node[v].length == 0))
            s = refuse(r, v, at, "an expression");
        if (s) return s;
        (*out)[i].node = (*out)[i].x.node = v;
    }
    return PERP_OK;
}

static perp_status read_sweeps(experiment *e, const reader *r, uint32_t map) {
    if (!map) return PERP_OK;
    if (r->t->node[map].kind != PP_NODE_MAP) return refuse(r, map, "sweeps", "a map: name: {over, measure}");
    int n = (int)r->t->node[map].length;
    if (!PP_GROW(&experiment_memory, e->sweep, e->cap_sweep, 0, n)) return no_memory(r);
    e->nsweep = n;
    uint32_t k = r->t->node[map].first;
    for (int i = 0; k; i++, k = r->t->node[r->t->node[k].next].next) {
        char path[256], at[300];
        exp_sweep *w = &e->sweep[i];
        pp_field_path(path, sizeof path, "sweeps", pp_yaml_text(r->t, k));
        perp_status s = pp_field_name(r->t, k, path, false, &w->name, r->why);
        if (!s) s = read_map(r, r->t->node[k].next, path, sweep_keys, w);
        if (!s && (r->t->node[w->over].kind != PP_NODE_MAP || r->t->node[w->over].length == 0))
            s = refuse(r, w->over, path, "over: a map from variables to lists");
        if (!s && w->set && r->t->node[w->set].kind != PP_NODE_MAP)
            s = refuse(r, w->set, path, "set: a map of parameters");
        pp_field_path(at, sizeof at, path, "measure");
        if (!s) s = read_named(r, w->measure, at, &w->measure_of, &w->cap_measure, &w->nmeasure);
        if (s) return s;
    }
    return PERP_OK;
}

static perp_status read_tables(experiment *e, const reader *r, uint32_t list) {
    if (!list) return PERP_OK;
    if (r->t->node[list].kind != PP_NODE_LIST) return refuse(r, list, "tables", "a list");
    int n = (int)r->t->node[list].length;
    if (!PP_GROW(&experiment_memory, e->table, e->cap_table, 0, n)) return no_memory(r);
    e->ntable = n;
    uint32_t v = r->t->node[list].first;
    for (int i = 0; v; i++, v = r->t->node[v].next) {
        char path[64];
        snprintf(path, sizeof path, "tables[%d]", i);
        perp_status s = read_map(r, v, path, table_keys, &e->table[i]);
        if (s) return s;
    }
    return experiment_tables_check(e, r->why);
}

static perp_status read_checks(experiment *e, const reader *r, uint32_t list) {
    if (r->t->node[list].kind != PP_NODE_LIST || r->t->node[list].length == 0)
        return refuse(r, list, "checks", "a list of one or more checks");
    int n = (int)r->t->node[list].length;
    if (!PP_GROW(&experiment_memory, e->check, e->cap_check, 0, n)) return no_memory(r);
    e->ncheck = n;
    uint32_t v = r->t->node[list].first;
    for (int i = 0; v; i++, v = r->t->node[v].next) {
        char path[64];
        snprintf(path, sizeof path, "checks[%d]", i);
        exp_check *c = &e->check[i];
        perp_status s = read_map(r, v, path, check_keys, c);
        if (s) return s;
        bool near = c->reference.node && c->limit.node;
        int bounds = (c->limit.node != 0) + (c->below.node != 0) + (c->above.node != 0);
        if (bounds != 1 || (c->limit.node && !near))
            return refuse(r, v, path, "one of: reference with limit, below, above");
    }
    return PERP_OK;
}

static perp_status read_lines(exp_plot *p, const reader *r, const char *path) {
    if (!p->lines) return PERP_OK;
    if (r->t->node[p->lines].kind != PP_NODE_LIST) return refuse(r, p->lines, path, "lines: a list");
    int n = (int)r->t->node[p->lines].length;
    if (!PP_GROW(&experiment_memory, p->line, p->cap_line, 0, n)) return no_memory(r);
    p->nline = n;
    uint32_t v = r->t->node[p->lines].first;
    for (int i = 0; v; i++, v = r->t->node[v].next) {
        char at[128];
        snprintf(at, sizeof at, "%s.lines[%d]", path, i);
        perp_status s = read_map(r, v, at, line_keys, &p->line[i]);
        if (s) return s;
        const pp_node *x = &r->t->node[p->line[i].x], *y = &r->t->node[p->line[i].y];
        if (p->line[i].sweep && (x->kind != PP_NODE_SCALAR || y->kind != PP_NODE_SCALAR))
            return refuse(r, v, at, "x and y of a sweep: names");
        if (x->kind != y->kind || x->kind == PP_NODE_MAP || (x->kind == PP_NODE_LIST && x->length != y->length))
            return refuse(r, v, at, "x and y both texts, or both lists of the same length");
    }
    return PERP_OK;
}

static perp_status read_plots(experiment *e, const reader *r, uint32_t list) {
    if (!list) return PERP_OK;
    if (r->t->node[list].kind != PP_NODE_LIST) return refuse(r, list, "plots", "a list");
    int n = (int)r->t->node[list].length;
    if (!PP_GROW(&experiment_memory, e->plot, e->cap_plot, 0, n)) return no_memory(r);
    e->nplot = n;
    uint32_t v = r->t->node[list].first;
    for (int i = 0; v; i++, v = r->t->node[v].next) {
        char path[64];
        snprintf(path, sizeof path, "plots[%d]", i);
        exp_plot *p = &e->plot[i];
        perp_status s = read_map(r, v, path, plot_keys, p);
        if (!s && (p->what != 0) == (p->lines != 0)) s = refuse(r, v, path, "one of: what, lines");
        if (!s && p->what && r->t->node[p->what].kind != PP_NODE_LIST)
            s = refuse(r, p->what, path, "what: a list of quantities");
        if (!s && p->runs && r->t->node[p->runs].kind != PP_NODE_LIST)
            s = refuse(r, p->runs, path, "runs: a list of names");
        if (!s && (strchr(p->file, '/') || p->file[0] == '.'))
            s = refuse(r, pp_yaml_get(r->t, v, "file"), path, "file: a plain file name");
        if (!s) s = read_lines(p, r, path);
        if (s) return s;
    }
    return PERP_OK;
}

perp_status experiment_read(const char *folder, const char *root, const char *name, experiment *e, perp_refusal *why) {
    *e = (experiment){.self = -1};
    size_t size;
    int a = snprintf(e->name, sizeof e->name, "%s", name);
    int b = snprintf(e->folder, sizeof e->folder, "%s/%s", folder, name);
    snprintf(e->root, sizeof e->root, "%s", root); /* "/", or shorter than the paths that are checked */
    int c = snprintf(e->file, sizeof e->file, "%s/%s/experiment.yaml", folder, name);
    if (a < 0 || (size_t)a >= sizeof e->name || b < 0 || c < 0 || (size_t)c >= sizeof e->file)
        return pp_complain(why, PERP_E_ARG, (pp_location){0}, "", "a path that is too long", "a shorter one");
    perp_status s = pp_source_read(&experiment_memory, e->file, e->file, &e->data, &size, why);
    if (s) return s;
    s = pp_yaml_parse(&experiment_memory, e->file, e->data, size, &e->tree, why);
    if (s) {
        pp_free(&experiment_memory, e->data);
        return s;
    }
    reader r = {&e->tree, why};
    top t = {0};
    s = read_map(&r, 1, "", top_keys, &t);
    if (!s && (e->tree.node[t.version].kind != PP_NODE_SCALAR || strcmp(pp_yaml_text(&e->tree, t.version), "1") != 0))
        s = refuse(&r, t.version, "perp-experiment", "1");
    e->title = t.title;
    e->source = t.source;
    e->about = t.about;
    if (!s) s = read_runs(e, &r, t.runs, t.sweeps != 0);
    if (!s) s = read_named(&r, t.series, "series", &e->series, &e->cap_series, &e->nseries);
    if (!s) s = read_named(&r, t.values, "values", &e->value, &e->cap_value, &e->nvalue);
    if (!s) s = read_sweeps(e, &r, t.sweeps);
    if (!s) s = experiment_sweep_runs(e, why);
    if (!s) s = read_tables(e, &r, t.tables);
    if (!s) s = read_checks(e, &r, t.checks);
    if (!s) s = read_plots(e, &r, t.plots);
    if (s) experiment_free(e);
    return s;
}

static void free_expr(exp_expr *x) {
    if (x->code) pp_expr_free(&experiment_memory, x->code);
    x->code = NULL;
}

void experiment_free(experiment *e) {
    const perp_allocator *m = &experiment_memory;
    for (int i = 0; i < e->nrun; i++) {
        exp_run *r = &e->run[i];
        if (r->rec) perp_recording_close(r->rec);
        pp_free(m, r->time);
        pp_free(m, r->parameter);
        pp_free(m, r->define);
        pp_free(m, r->define_value);
    }
    experiment_clean_up(e);
    for (int i = 0; i < e->nsweep; i++) {
        exp_sweep *w = &e->sweep[i];
        for (int k = 0; k < w->nmeasure; k++) free_expr(&w->measure_of[k].x);
        pp_free(m, w->measure_of);
        pp_free(m, w->result);
        pp_free(m, w->run_name);
    }
    for (int i = 0; i < e->ntable; i++) free_expr(&e->table[i].when);
    for (int i = 0; i < e->nvalue; i++) free_expr(&e->value[i].x);
    for (int i = 0; i < e->ncheck; i++) {
        exp_check *c = &e->check[i];
        exp_expr *x[] = {&c->value, &c->reference, &c->limit, &c->below, &c->above, &c->when};
        for (int k = 0; k < 6; k++) free_expr(x[k]);
    }
    for (int i = 0; i < e->nplot; i++) {
        free_expr(&e->plot[i].from);
        free_expr(&e->plot[i].to);
        free_expr(&e->plot[i].when);
        pp_free(m, e->plot[i].line);
    }
    pp_free(m, e->run);
    pp_free(m, e->value);
    pp_free(m, e->series);
    pp_free(m, e->check);
    pp_free(m, e->plot);
    pp_free(m, e->sweep);
    pp_free(m, e->table);
    pp_free(m, (void *)e->known);
    pp_free(m, e->known_value);
    pp_yaml_free(&e->tree);
    pp_free(m, e->data);
    *e = (experiment){0};
}
