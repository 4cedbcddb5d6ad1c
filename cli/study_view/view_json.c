/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_json.c - a study and the trials of a cell as JSON for the page (viewer/src/study/data.ts reads it).
 *
 * Numbers that are not there are null. A cell counts all of its trials; fractions and means leave out those that failed,
 * as everywhere in perp. */
#include <math.h>
#include <string.h>

#include "study_view/study_view.h"

enum { DIGITS = 9, LISTED = 5000 }; /* for the eye; trials of a cell that are told one by one */

static const char *title_of(const study_view *v) {
    return *v->study->title ? v->study->title : perp_scene_title(v->study->scene);
}

/* File names without folders. If there are several: the first, and their number. */
static void put_file(json *j, const study_view *v) {
    char text[300];
    const char *slash = strrchr(v->path[0], '/'), *name = slash ? slash + 1 : v->path[0];
    if (v->nfile == 1)
        (void)snprintf(text, sizeof text, "%s", name);
    else
        (void)snprintf(text, sizeof text, "%.250s and %d more", name, v->nfile - 1);
    json_field_string(j, "file", text);
}

/* Why there is nothing to be shown; "": there is something. */
static const char *nothing(const study_view *v) {
    if (v->study->nmeasure == 0) return "The study measures nothing, so it has no map.";
    if (v->search && v->tried == 0) return "The search has no trials yet, so there is nothing to show.";
    return "";
}

static void put_axis(json *j, const view_axis *x) {
    j->digits = 0; /* all: values must differ */
    json_object(j);
    json_field_string(j, "name", x->name);
    json_field_string(j, "unit", x->unit ? x->unit : "");
    json_key(j, x->label ? "labels" : "values");
    json_array(j);
    for (int i = 0; i < x->n; i++)
        if (x->label)
            json_string(j, x->label[i]);
        else
            json_number(j, x->value[i]);
    json_end(j, ']');
    json_field_bool(j, "log", x->log);
    json_end(j, '}');
    j->digits = DIGITS;
}

static void put_numbers(json *j, const char *key, const double *x, uint64_t n) {
    json_key(j, key);
    json_array(j);
    for (uint64_t i = 0; i < n; i++) json_number(j, x[i]);
    json_end(j, ']');
}

static void put_counts(json *j, const pp_cell *cell, uint64_t n) {
    json_key(j, "count");
    json_array(j);
    for (uint64_t i = 0; i < n; i++) json_whole(j, (long long)(cell[i].trials + cell[i].failed));
    json_end(j, ']');
    json_key(j, "unsolved");
    json_array(j);
    for (uint64_t i = 0; i < n; i++) json_whole(j, (long long)cell[i].failed);
    json_end(j, ']');
}

static void put_map(json *j, const study_view *v, const report_entry *e, const grid *g, uint64_t k) {
    uint64_t n = view_map_cells(v, e);
    char text[400], by[200];
    double lo, hi;
    json_object(j);
    report_combination(v->study, e, k, by, sizeof by);
    (void)snprintf(text, sizeof text, "%.180s%s%s", e->title ? e->title : e->measure_name, *by ? ": " : "", by);
    if (v->search && v->all > v->tried)
        (void)snprintf(text, sizeof text, "%.180s, last %llu of %llu designs", e->measure_name,
                       (unsigned long long)v->tried, (unsigned long long)v->all);
    json_field_string(j, "title", text);
    (void)snprintf(text, sizeof text, "%s of %.180s", report_show_word(g->show), e->measure_name);
    json_field_string(j, "label", text);
    json_field_whole(j, "x", e->x);
    if (e->y >= 0) json_field_whole(j, "y", e->y);
    grid_range(g, e->y < 0, &lo, &hi);
    put_numbers(j, "range", (double[]){lo, hi}, 2);
    put_numbers(j, "contour", &e->contour, isnan(e->contour) ? 0u : 1u);
    put_numbers(j, "value", g->value + k * n, n);
    put_numbers(j, "low", g->low + k * n, n);
    put_numbers(j, "high", g->high + k * n, n);
    put_counts(j, g->cell + k * n, n);
    json_end(j, '}');
}

static perp_status put_maps(json *j, const study_view *v, perp_refusal *why) {
    perp_status st = PERP_OK;
    json_key(j, "maps");
    json_array(j);
    for (int i = 0; !st && i < v->nmap;) {
        const report_entry *e = v->map[i].entry;
        grid g;
        st = view_entry_grid(v, e, &g, why);
        for (; !st && i < v->nmap && v->map[i].entry == e; i++) put_map(j, v, e, &g, v->map[i].k);
        if (!st) grid_free(&g);
    }
    json_end(j, ']');
    return st;
}

perp_status view_json_study(const study_view *v, const char *token, FILE *to, perp_refusal *why) {
    uint64_t unsolved = 0, n = v->table.n;
    bool empty = *nothing(v) != 0;
    for (uint64_t i = 0; i < n; i++) unsolved += pp_table_row(&v->table, i)->outcome >= PP_TRIAL_UNSOLVED;
    json j;
    json_begin(&j, to);
    j.flat = true;
    j.digits = DIGITS;
    json_object(&j);
    json_field_whole(&j, "perp-study", 1);
    json_field_string(&j, "title", title_of(v));
    put_file(&j, v);
    json_field_string(&j, "program", v->info.program);
    json_field_string(&j, "token", token);
    json_field_string(&j, "why", nothing(v));
    json_key(&j, "trials");
    json_object(&j);
    json_field_whole(&j, "planned", (long long)(v->info.trials > n ? v->info.trials : n));
    json_field_whole(&j, "done", (long long)n);
    json_field_whole(&j, "unsolved", (long long)unsolved);
    json_end(&j, '}');
    json_key(&j, "axes");
    json_array(&j);
    for (int i = 0; !empty && i <= v->study->naxis; i++) put_axis(&j, &v->axis[i]);
    json_end(&j, ']');
    perp_status st = PERP_OK;
    if (empty) {
        json_key(&j, "maps");
        json_array(&j);
        json_end(&j, ']');
    } else {
        st = put_maps(&j, v, why);
    }
    json_end(&j, '}');
    return st;
}

/* ---- trials of a cell ---- */

/* Is the measure 0 or 1 in all trials that have it? */
static bool is_yes_no(const study_view *v, int column) {
    bool any = false;
    for (uint64_t i = 0; i < v->table.n; i++) {
        const pp_row *r = pp_table_row(&v->table, i);
        double x = r->value[column];
        if (r->outcome >= PP_TRIAL_UNSOLVED || isnan(x)) continue;
        if (x != 0 && x != 1) return false;
        any = true;
    }
    return any;
}

static void put_columns(json *j, const study_view *v) {
    const pp_study *s = v->study;
    json_key(j, "columns");
    json_array(j);
    for (int i = 0; i < s->nparameter + s->nmeasure; i++) {
        bool measure = i >= s->nparameter;
        if (!measure && !s->touched[i]) continue;
        const char *unit = measure ? "" : perp_scene_parameter_at(s->scene, i).unit;
        json_object(j);
        json_field_string(j, "name", measure ? s->measure[i - s->nparameter].name : s->parameter[i]);
        json_field_string(j, "unit", unit ? unit : "");
        json_field_string(j, "kind", measure ? "measure" : "parameter");
        json_field_bool(j, "boolean", measure && is_yes_no(v, i));
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void put_trial(json *j, const pp_study *s, const pp_row *r) {
    json_object(j);
    json_field_whole(j, "trial", (long long)r->number);
    json_field_string(j, "state",
                      r->outcome < PP_TRIAL_UNSOLVED    ? "done"
                      : r->outcome == PP_TRIAL_UNSOLVED ? "unsolved"
                                                        : "failed");
    json_key(j, "values");
    json_array(j);
    for (int i = 0; i < s->nparameter + s->nmeasure; i++)
        if (i >= s->nparameter || s->touched[i]) json_number(j, r->value[i]);
    json_end(j, ']');
    json_field_whole(j, "steps", r->steps);
    json_field_number(j, "seconds", r->seconds);
    json_field_string(j, "why", r->why);
    json_end(j, '}');
}

void view_json_cell(const study_view *v, const view_map *m, uint64_t cell, FILE *to) {
    uint64_t place = m->k * view_map_cells(v, m->entry) + cell, total = 0;
    json j;
    json_begin(&j, to);
    j.flat = true;
    j.digits = DIGITS;
    json_object(&j);
    put_columns(&j, v);
    json_key(&j, "trials");
    json_array(&j);
    for (uint64_t i = 0; i < v->table.n; i++) {
        const pp_row *r = pp_table_row(&v->table, i);
        if (view_entry_place(v, m->entry, r) == place && ++total <= LISTED) put_trial(&j, v->study, r);
    }
    json_end(&j, ']');
    json_field_whole(&j, "total", (long long)total);
    json_end(&j, '}');
}
