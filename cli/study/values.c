/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* values.c - named expressions over the trials of a study, and curves through points that such expressions give. */
#include <math.h>
#include <stdlib.h>

#include "study/report.h"

enum { POINTS_MOST = 1000 /* points of one curve; each is an expression of the file */ };

static perp_status no_memory(const pp_study *s, const char *key, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){s->path, 0, 0}, key, "not enough memory");
}

/* ---- values ---- */

perp_status report_values_read(const pp_study *s, report_values *v, perp_refusal *why) {
    const pp_tree *t = &s->tree;
    *v = (report_values){.n = 0};
    if (!s->values) return PERP_OK;
    if (t->node[s->values].kind != PP_NODE_MAP)
        return pp_field_refuse(t, s->values, "values", "a map: name: expression over trials", why);
    if (t->node[s->values].length > PP_STUDY_NAMES)
        return pp_field_refuse(t, s->values, "values", "at most 64 values", why);
    for (uint32_t k = t->node[s->values].first; k; k = t->node[t->node[k].next].next) {
        char key[160];
        pp_field_path(key, sizeof key, "values", pp_yaml_text(t, k));
        perp_status st = pp_field_name(t, k, key, false, &v->name[v->n], why);
        if (!st) st = pp_aggregate_new(s, t->node[k].next, key, v->name, v->n, &v->x[v->n], why);
        if (st) return st;
        v->n++;
    }
    return PERP_OK;
}

void report_values_free(report_values *v) {
    for (int i = 0; i < v->n; i++) pp_aggregate_free(v->x[i]);
    v->n = 0;
}

perp_status report_values_evaluate(report_values *v, const pp_table *t, perp_refusal *why) {
    perp_status st = PERP_OK;
    for (int i = 0; !st && i < v->n; i++) st = pp_aggregate_eval(v->x[i], t, v->value, &v->value[i], why);
    return st;
}

/* ---- curves ---- */

typedef struct line_in {
    const char *label;
    uint32_t x, y;
} line_in;
static const pp_field line_fields[] = {{"label", offsetof(line_in, label), PP_FIELD_TEXT, false},
                                       {"x", offsetof(line_in, x), PP_FIELD_NODE, true},
                                       {"y", offsetof(line_in, y), PP_FIELD_NODE, true},
                                       {NULL, 0, PP_FIELD_NODE, false}};

static perp_status read_points(const report *r, uint32_t list, const char *key, pp_aggregate **out, perp_refusal *why) {
    const pp_tree *t = &r->study->tree;
    perp_status st = PERP_OK;
    int i = 0;
    for (uint32_t v = t->node[list].first; !st && v; v = t->node[v].next)
        st = pp_aggregate_new(r->study, v, key, r->values.name, r->values.n, &out[i++], why);
    return st;
}

static perp_status read_line(const report *r, uint32_t map, const char *key, report_line *l, perp_refusal *why) {
    const pp_tree *t = &r->study->tree;
    line_in in = {0};
    perp_status st = pp_fields_read(t, map, key, line_fields, &in, why);
    if (st) return st;
    l->label = in.label;
    uint32_t nx = t->node[in.x].kind == PP_NODE_LIST ? t->node[in.x].length : 0,
             ny = t->node[in.y].kind == PP_NODE_LIST ? t->node[in.y].length : 0;
    if (nx < 1 || nx > POINTS_MOST || nx != ny)
        return pp_field_refuse(t, map, key, "lists x and y of equal length, 1 to 1000 expressions over trials", why);
    l->x = calloc(nx, sizeof *l->x);
    l->y = calloc(nx, sizeof *l->y);
    l->at = calloc(2 * (size_t)nx, sizeof *l->at);
    if (!l->x || !l->y || !l->at) return no_memory(r->study, key, why);
    for (uint32_t k = 0; k < 2 * nx; k++) l->at[k] = NAN; /* until all trials are there */
    l->n = (int)nx;
    st = read_points(r, in.x, key, l->x, why);
    return st ? st : read_points(r, in.y, key, l->y, why);
}

perp_status report_lines_read(const report *r, uint32_t list, report_entry *e, perp_refusal *why) {
    const pp_tree *t = &r->study->tree;
    if (t->node[list].kind != PP_NODE_LIST || t->node[list].length < 1)
        return pp_field_refuse(t, list, e->key, "lines: a list of {label, x, y}", why);
    e->line = calloc(t->node[list].length, sizeof *e->line);
    if (!e->line) return no_memory(r->study, e->key, why);
    perp_status st = PERP_OK;
    for (uint32_t v = t->node[list].first; !st && v; v = t->node[v].next) {
        char key[64];
        snprintf(key, sizeof key, "%.30s.lines[%d]", e->key, e->nline);
        st = read_line(r, v, key, &e->line[e->nline++], why);
    }
    return st;
}

void report_lines_free(report_entry *e) {
    for (int i = 0; i < e->nline; i++) {
        report_line *l = &e->line[i];
        for (int k = 0; k < l->n; k++) {
            pp_aggregate_free(l->x[k]);
            pp_aggregate_free(l->y[k]);
        }
        free(l->x);
        free(l->y);
        free(l->at);
    }
    free(e->line);
    e->line = NULL, e->nline = 0;
}

perp_status report_lines_evaluate(const report *r, report_entry *e, const pp_table *t, perp_refusal *why) {
    perp_status st = PERP_OK;
    for (int i = 0; i < e->nline; i++) {
        report_line *l = &e->line[i];
        for (int k = 0; !st && k < l->n; k++) {
            st = pp_aggregate_eval(l->x[k], t, r->values.value, &l->at[k], why);
            if (!st) st = pp_aggregate_eval(l->y[k], t, r->values.value, &l->at[l->n + k], why);
        }
    }
    return st;
}
