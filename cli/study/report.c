/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* report.c - reading `report` and `checks` of a study, and its checks. */
#include "study/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry_in {
    const char *map, *plot, *histogram, *table, *scatter, *x, *y, *rows, *columns, *show, *title, *about, *file;
    const char *xlabel, *ylabel;
    uint32_t by, contour, lines;
    int64_t bins;
    bool logx, logy;
} entry_in;
#define TEXT(field) \
    { #field, offsetof(entry_in, field), PP_FIELD_TEXT, false }
static const pp_field entry_fields[] = {TEXT(map),
                                        TEXT(plot),
                                        TEXT(histogram),
                                        TEXT(table),
                                        TEXT(scatter),
                                        TEXT(x),
                                        TEXT(y),
                                        TEXT(rows),
                                        TEXT(columns),
                                        TEXT(show),
                                        TEXT(title),
                                        TEXT(about),
                                        TEXT(file),
                                        TEXT(xlabel),
                                        TEXT(ylabel),
                                        {"by", offsetof(entry_in, by), PP_FIELD_NODE, false},
                                        {"contour", offsetof(entry_in, contour), PP_FIELD_EXPR, false},
                                        {"lines", offsetof(entry_in, lines), PP_FIELD_NODE, false},
                                        {"logx", offsetof(entry_in, logx), PP_FIELD_BOOL, false},
                                        {"logy", offsetof(entry_in, logy), PP_FIELD_BOOL, false},
                                        {"bins", offsetof(entry_in, bins), PP_FIELD_WHOLE, false},
                                        {NULL, 0, PP_FIELD_TEXT, false}};

static perp_status no_memory(const pp_study *s, perp_refusal *why) { return pp_study_no_memory(s, "report", why); }

/* ---- names ---- */

static perp_status find_axis(const pp_study *s, uint32_t node, const char *key, const char *name, int *out,
                             perp_refusal *why) {
    *out = pp_study_axis_find(s, name);
    if (*out >= 0) return PERP_OK;
    const char *known[PP_STUDY_NAMES + 1] = {NULL};
    for (int i = 0; i < s->naxis; i++) known[i] = s->axis[i].name;
    return pp_field_unknown(&s->tree, node, key, "the variable", known, why);
}

/* A measure, or a parameter: an index into the values of a row. */
static perp_status find_value(const pp_study *s, uint32_t node, const char *key, const char *name, int *out,
                              perp_refusal *why) {
    int m = pp_study_measure_find(s, name);
    *out = m >= 0 ? s->nparameter + m : pp_study_parameter(s, name);
    if (*out >= 0) return PERP_OK;
    const char *known[PP_STUDY_NAMES + 1] = {NULL};
    for (int i = 0; i < s->nmeasure; i++) known[i] = s->measure[i].name;
    return pp_field_unknown(&s->tree, node, key, "the measure", known, why);
}

static perp_status read_by(const pp_study *s, uint32_t node, report_entry *e, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    if (!node) return PERP_OK;
    bool list = t->node[node].kind == PP_NODE_LIST;
    if (t->node[node].kind == PP_NODE_MAP || (list && t->node[node].length > REPORT_BY))
        return pp_field_refuse(t, node, e->key, "by: a variable, or a list of up to 3", why);
    perp_status st = PERP_OK;
    for (uint32_t v = list ? t->node[node].first : node; !st && v; v = list ? t->node[v].next : 0)
        st = find_axis(s, v, e->key, pp_yaml_text(t, v), &e->by[e->nby++], why);
    return st;
}

static perp_status read_show(const pp_study *s, uint32_t map, const char *word, report_entry *e, perp_refusal *why) {
    static const char *known[SHOW_TOTAL + 2];
    e->show = SHOW_AUTO;
    if (!word) return PERP_OK;
    for (int i = SHOW_AUTO; i <= SHOW_TOTAL; i++) {
        known[i] = report_show_word((report_show)i);
        if (!strcmp(word, known[i])) {
            e->show = (report_show)i;
            return PERP_OK;
        }
    }
    return pp_field_unknown(&s->tree, pp_yaml_get(&s->tree, map, "show"), e->key, "the word", known, why);
}

/* ---- entries ---- */

static perp_status place_axes(const pp_study *s, uint32_t map, const entry_in *in, report_entry *e, perp_refusal *why) {
    const char *x = e->kind == REPORT_TABLE ? in->columns : in->x, *y = e->kind == REPORT_TABLE ? in->rows : in->y;
    perp_status st = PERP_OK;
    if (e->kind == REPORT_SCATTER) { /* values of trials, not variables */
        if (!x || !y) return pp_field_refuse(&s->tree, map, e->key, "x and y of a scatter plot: parameters", why);
        st = find_value(s, pp_yaml_get(&s->tree, map, "x"), e->key, x, &e->x, why);
        return st ? st : find_value(s, pp_yaml_get(&s->tree, map, "y"), e->key, y, &e->y, why);
    }
    bool need_x = e->kind == REPORT_MAP || e->kind == REPORT_PLOT,
         need_y = e->kind == REPORT_MAP || e->kind == REPORT_TABLE;
    if ((need_x && !x) || (need_y && !y))
        return pp_field_refuse(&s->tree, map, e->key,
                               e->kind == REPORT_MAP    ? "x and y of a map: variables"
                               : e->kind == REPORT_PLOT ? "x of a plot: a variable"
                                                        : "rows of a table: a variable",
                               why);
    if (x)
        st = find_axis(s, pp_yaml_get(&s->tree, map, e->kind == REPORT_TABLE ? "columns" : "x"), e->key, x, &e->x, why);
    if (!st && y)
        st = find_axis(s, pp_yaml_get(&s->tree, map, e->kind == REPORT_TABLE ? "rows" : "y"), e->key, y, &e->y, why);
    return st;
}

static perp_status read_entry(const report *r, uint32_t map, report_entry *e, perp_refusal *why) {
    const pp_study *s = r->study;
    entry_in in = {0};
    perp_status st = pp_fields_read(&s->tree, map, e->key, entry_fields, &in, why);
    if (st) return st;
    const char *name[] = {in.map, in.table, in.plot, in.histogram, in.scatter};
    static const char *const kinds[] = {"map", "table", "plot", "histogram", "scatter"};
    int given = in.lines != 0;
    for (int i = 0; i < 5; i++)
        if (name[i]) given++, e->kind = (report_kind)i, e->measure_name = name[i];
    if (given != 1)
        return pp_field_refuse(&s->tree, map, e->key, "one of: map, table, plot, histogram, scatter, lines", why);
    if ((in.logx || in.logy) && !in.plot && !in.lines)
        return pp_field_refuse(&s->tree, map, e->key, "logx and logy with plot or lines only", why);
    e->title = in.title, e->about = in.about, e->file = in.file;
    e->xlabel = in.xlabel, e->ylabel = in.ylabel;
    e->bins = in.bins > 0 && in.bins < 1000 ? (int)in.bins : 0;
    if (in.file && (strchr(in.file, '/') || in.file[0] == '.'))
        return pp_field_refuse(&s->tree, pp_yaml_get(&s->tree, map, "file"), e->key, "file: a plain file name", why);
    e->logx = in.logx, e->logy = in.logy;
    if (in.lines) {
        e->kind = REPORT_LINES;
        return report_lines_read(r, in.lines, e, why);
    }
    st = find_value(s, pp_yaml_get(&s->tree, map, kinds[e->kind]), e->key, e->measure_name, &e->measure, why);
    if (!st) st = place_axes(s, map, &in, e, why);
    if (!st) st = read_by(s, in.by, e, why);
    if (!st) st = read_show(s, map, in.show, e, why);
    if (!st && in.contour) st = pp_field_number(&s->tree, in.contour, e->key, &e->contour, why);
    return st;
}

/* A table for each measure: of all trials, or by the variable if there is one; a map if there are two or more. */
static perp_status default_entries(const pp_study *s, report *r, perp_refusal *why) {
    if (s->nmeasure == 0) return PERP_OK;
    r->entry = calloc((size_t)s->nmeasure, sizeof *r->entry);
    if (!r->entry) return no_memory(s, why);
    for (int i = 0; i < s->nmeasure; i++) {
        report_entry *e = &r->entry[r->nentry++];
        *e = (report_entry){.kind = s->naxis >= 2 ? REPORT_MAP : REPORT_TABLE, .x = -1, .y = -1, .contour = NAN};
        e->measure = s->nparameter + i;
        e->measure_name = s->measure[i].name;
        if (s->naxis >= 2) e->x = s->naxis - 1;
        if (s->naxis >= 1) e->y = s->naxis >= 2 ? s->naxis - 2 : 0;
        for (int a = 0; a < s->naxis - 2 && a < REPORT_BY; a++) e->by[e->nby++] = a;
    }
    return PERP_OK;
}

/* ---- checks ---- */

static perp_status read_check(const report *r, uint32_t map, const char *key, study_check *c, report_check *x,
                              perp_refusal *why) {
    const pp_study *s = r->study;
    const char *const *name = r->values.name;
    int n = r->values.n;
    perp_status st = check_read(&s->tree, map, key, c, why);
    if (!st) st = pp_aggregate_new(s, c->value, key, name, n, &x->value, why);
    if (!st && c->reference) st = pp_aggregate_new(s, c->reference, key, name, n, &x->reference, why);
    return st ? st : pp_aggregate_new(s, c->bound, key, name, n, &x->bound, why);
}

static perp_status read_checks(const pp_study *s, report *r, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    if (!s->checks) return PERP_OK;
    if (t->node[s->checks].kind != PP_NODE_LIST) return pp_field_refuse(t, s->checks, "checks", "a list", why);
    r->check = calloc((size_t)t->node[s->checks].length + 1, sizeof *r->check);
    r->source = calloc((size_t)t->node[s->checks].length + 1, sizeof *r->source);
    if (!r->check || !r->source) return no_memory(s, why);
    for (uint32_t v = t->node[s->checks].first; v; v = t->node[v].next) {
        char key[32];
        snprintf(key, sizeof key, "checks[%d]", r->ncheck);
        perp_status st = read_check(r, v, key, &r->check[r->ncheck], &r->source[r->ncheck], why);
        r->ncheck++;
        if (st) return st;
    }
    return PERP_OK;
}

/* ---- all ---- */

perp_status report_read(const pp_study *s, report *r, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    *r = (report){.study = s};
    perp_status st = report_values_read(s, &r->values, why);
    if (st) {
        report_free(r);
        return st;
    }
    if (!s->report) {
        st = default_entries(s, r, why);
    } else if (t->node[s->report].kind != PP_NODE_LIST) {
        st = pp_field_refuse(t, s->report, "report", "a list of maps, tables, plots", why);
    } else {
        r->entry = calloc((size_t)t->node[s->report].length + 1, sizeof *r->entry);
        if (!r->entry) st = no_memory(s, why);
        for (uint32_t v = t->node[s->report].first; !st && v; v = t->node[v].next) {
            report_entry *e = &r->entry[r->nentry];
            *e = (report_entry){.x = -1, .y = -1, .contour = NAN};
            snprintf(e->key, sizeof e->key, "report[%d]", r->nentry++);
            st = read_entry(r, v, e, why);
        }
    }
    if (!st) st = read_checks(s, r, why);
    if (st) report_free(r);
    return st;
}

void report_free(report *r) {
    for (int i = 0; i < r->ncheck; i++) {
        pp_aggregate_free(r->source[i].value);
        pp_aggregate_free(r->source[i].reference);
        pp_aggregate_free(r->source[i].bound);
    }
    for (int i = 0; i < r->nentry; i++) report_lines_free(&r->entry[i]);
    report_values_free(&r->values);
    free(r->entry);
    free(r->check);
    free(r->source);
    *r = (report){0};
}

perp_status report_evaluate(report *r, const pp_table *t, bool *ok, perp_refusal *why) {
    const double *value = r->values.value;
    perp_status st = report_values_evaluate(&r->values, t, why);
    for (int i = 0; !st && i < r->nentry; i++) st = report_lines_evaluate(r, &r->entry[i], t, why);
    if (st) return st;
    for (int i = 0; i < r->ncheck; i++) {
        study_check *c = &r->check[i];
        const report_check *x = &r->source[i];
        st = pp_aggregate_eval(x->value, t, value, &c->got, why);
        if (!st && x->reference) st = pp_aggregate_eval(x->reference, t, value, &c->expected, why);
        if (!st) st = pp_aggregate_eval(x->bound, t, value, &c->limit, why);
        if (st) return st;
        check_judge(c);
        c->applies = !(r->study->narrowed && isnan(c->got));
    }
    *ok = checks_hold(r->check, r->ncheck);
    return PERP_OK;
}

void report_file_name(const report *r, int i, char *out, size_t size) {
    static const char *const kinds[] = {"map", "table", "plot", "histogram", "scatter"};
    const report_entry *e = &r->entry[i];
    if (e->file) {
        snprintf(out, size, "%s%s", e->file, strchr(e->file, '.') ? "" : ".svg");
        return;
    }
    int same = 0;
    if (e->kind == REPORT_LINES) {
        for (int k = 0; k < i; k++) same += r->entry[k].kind == e->kind;
        snprintf(out, size, same ? "lines-%d.svg" : "lines.svg", same + 1);
        return;
    }
    for (int k = 0; k < i; k++) same += r->entry[k].kind == e->kind && r->entry[k].measure == e->measure;
    if (same)
        snprintf(out, size, "%s-%s-%d.svg", kinds[e->kind], e->measure_name, same + 1);
    else
        snprintf(out, size, "%s-%s.svg", kinds[e->kind], e->measure_name);
}
