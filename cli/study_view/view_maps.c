/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_maps.c - the maps of a study: those of its report. If the report has none: one map of each measure over the last two variables,
 * for each value of the others; with one variable a curve; without variables a single cell. Results of a search are curves over its
 * designs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study_view/study_view.h"

enum {
    MAPS_MOST = 64,      /* of one entry, as of figures */
    DESIGNS_MOST = 1000, /* on the axis: the page draws a point with its interval for each */
    LABEL = 32           /* bytes of a label of ours */
};

static perp_status no_memory(const study_view *v, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){v->path[0], 0, 0}, "report", "not enough memory");
}

/* ---- axes ---- */

typedef struct numbered {
    double value;
    int i;
} numbered;

static int by_value(const void *a, const void *b) {
    const numbered *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value ? 1 : x->i - y->i;
}

/* Values as names, where they cannot be places: some are equal. */
static bool name_values(view_axis *x, const double *value) {
    x->text = malloc((size_t)x->n * LABEL);
    x->label = malloc(sizeof *x->label * (size_t)x->n);
    if (!x->text || !x->label) return false;
    for (int i = 0; i < x->n; i++) {
        (void)snprintf(x->text + i * LABEL, LABEL, "%.6g", value[i]);
        x->label[i] = x->text + i * LABEL;
        x->place[i] = i;
    }
    free(x->value);
    x->value = NULL;
    return true;
}

/* Do they rise by the same factor (to what rounding leaves of it), and not by the same difference? */
static bool is_geometric(const double *x, int n) {
    if (n < 3 || !(x[0] > 0)) return false;
    double factor = x[1] / x[0];
    for (int i = 2; i < n; i++)
        if (fabs(x[i] / x[i - 1] - factor) > 1e-9 * factor) return false;
    return factor - 1 > 1e-6;
}

static bool make_axis(const study_view *v, int i, view_axis *x) {
    const pp_study *s = v->study;
    const pp_study_axis *from = &s->axis[i];
    size_t n = (size_t)from->n;
    *x = (view_axis){.name = from->name, .unit = "", .n = from->n, .place = malloc(sizeof *x->place * n)};
    if (from->parameter >= 0) x->unit = perp_scene_parameter_at(s->scene, from->parameter).unit;
    if (!x->place) return false;
    for (int k = 0; k < from->n; k++) x->place[k] = k;
    if (from->label) {
        x->label = malloc(sizeof *x->label * n);
        for (int k = 0; x->label && k < from->n; k++) x->label[k] = from->label[k];
        return x->label != NULL;
    }
    numbered *order = malloc(sizeof *order * n);
    x->value = malloc(sizeof *x->value * n);
    bool ok = order && x->value, rising = true;
    for (int k = 0; ok && k < from->n; k++) order[k] = (numbered){from->value[k], k};
    if (ok) qsort(order, n, sizeof *order, by_value);
    for (int k = 0; ok && k < from->n; k++) {
        x->value[k] = order[k].value;
        x->place[order[k].i] = k;
        rising = rising && (k == 0 || x->value[k] > x->value[k - 1]);
    }
    if (ok) x->log = is_geometric(x->value, x->n);
    if (ok && !rising) ok = name_values(x, from->value);
    free(order);
    return ok;
}

static void free_axis(view_axis *x) {
    free(x->value);
    free((void *)x->label);
    free(x->place);
    free(x->text);
    *x = (view_axis){0};
}

/* Our own axis: all trials in one place. */
static bool make_single(view_axis *x) {
    *x = (view_axis){.name = "trials", .unit = "", .n = 1, .label = malloc(sizeof *x->label)};
    if (x->label) x->label[0] = "all";
    return x->label != NULL;
}

/* ---- designs ---- */

static uint64_t design_of(const study_view *v, const pp_row *row) {
    uint64_t i = row->number / pp_study_trials(v->study);
    return v->designs ? i % v->designs : i; /* drawn designs are run again on each level */
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

perp_status study_view_list_designs(study_view *v, perp_refusal *why) {
    view_axis *x = &v->axis[v->study->naxis];
    uint64_t n = 0, *all = malloc(sizeof *all * (size_t)(v->table.n + 1));
    if (!all) return no_memory(v, why);
    for (uint64_t i = 0; i < v->table.n; i++) all[i] = design_of(v, pp_table_row(&v->table, i));
    qsort(all, (size_t)v->table.n, sizeof *all, by_number);
    for (uint64_t i = 0; i < v->table.n; i++)
        if (n == 0 || all[n - 1] != all[i]) all[n++] = all[i];
    uint64_t shown = n < DESIGNS_MOST ? n : DESIGNS_MOST;
    double *value = malloc(sizeof *value * (size_t)(shown + 1));
    if (!value) {
        free(all);
        return no_memory(v, why);
    }
    memmove(all, all + (n - shown), sizeof *all * (size_t)shown);
    for (uint64_t i = 0; i < shown; i++) value[i] = (double)all[i];
    free(v->design);
    free_axis(x);
    v->design = all;
    v->all = n;
    v->tried = shown;
    *x = (view_axis){.name = "design", .unit = "", .n = (int)shown, .value = value};
    return PERP_OK;
}

static uint64_t place_of_design(const study_view *v, const pp_row *row) {
    uint64_t design = design_of(v, row);
    const uint64_t *at = v->tried ? bsearch(&design, v->design, (size_t)v->tried, sizeof design, by_number) : NULL;
    return at ? (uint64_t)(at - v->design) : UINT64_MAX;
}

/* ---- entries ---- */

static report_entry *add_entry(study_view *v) {
    report_entry *more = realloc(v->entry, sizeof *more * (size_t)(v->nentry + 1));
    if (!more) return NULL;
    v->entry = more;
    return &more[v->nentry++];
}

/* Default maps of a study without maps in its report. */
static bool default_entry(study_view *v, int measure) {
    const pp_study *s = v->study;
    int axis[PP_STUDY_NAMES], n = 0;
    report_entry *e = add_entry(v);
    if (!e) return false;
    for (int i = 0; !v->search && i < s->naxis; i++)
        if (s->axis[i].n > 1) axis[n++] = i;
    *e = (report_entry){.kind = n >= 2 ? REPORT_MAP : REPORT_PLOT, .x = s->naxis, .y = -1, .contour = NAN};
    e->measure = s->nparameter + measure;
    e->measure_name = s->measure[measure].name;
    if (n >= 1) e->x = axis[n - 1];
    if (n >= 2) e->y = axis[n - 2];
    for (int i = 0; i < n - 2 && i < REPORT_BY; i++) e->by[e->nby++] = axis[i];
    return true;
}

/* Maps and curves of the report, if the study is a sweep that has some; else one of each measure. */
static perp_status make_entries(study_view *v, perp_refusal *why) {
    report r;
    perp_status st = report_read(v->study, &r, why);
    if (st) return st;
    bool ok = true;
    for (int i = 0; ok && !v->search && v->study->report && i < r.nentry; i++) {
        if (r.entry[i].kind != REPORT_MAP && r.entry[i].kind != REPORT_PLOT) continue;
        report_entry *e = add_entry(v);
        ok = e != NULL;
        if (!ok) break;
        *e = r.entry[i];
        if (e->kind == REPORT_PLOT) e->y = -1;
    }
    report_free(&r);
    for (int i = 0, n = v->nentry; ok && n == 0 && i < v->study->nmeasure; i++) ok = default_entry(v, i);
    return ok ? PERP_OK : no_memory(v, why);
}

static perp_status list_maps(study_view *v, perp_refusal *why) {
    v->map = malloc(sizeof *v->map * (size_t)(v->nentry * MAPS_MOST + 1));
    if (!v->map) return no_memory(v, why);
    for (int i = 0; i < v->nentry; i++) {
        uint64_t n = 1;
        for (int b = 0; b < v->entry[i].nby; b++) n *= (uint64_t)v->study->axis[v->entry[i].by[b]].n;
        for (uint64_t k = 0; k < n && k < MAPS_MOST; k++) v->map[v->nmap++] = (view_map){&v->entry[i], k};
    }
    return PERP_OK;
}

perp_status study_view_make_maps(study_view *v, perp_refusal *why) {
    int n = v->study->naxis;
    v->axis = calloc((size_t)n + 1, sizeof *v->axis);
    bool ok = v->axis != NULL;
    for (int i = 0; ok && i < n; i++) ok = make_axis(v, i, &v->axis[i]);
    if (ok) ok = make_single(&v->axis[n]);
    perp_status st = ok ? PERP_OK : no_memory(v, why);
    if (!st && v->search) st = study_view_list_designs(v, why);
    if (!st) st = make_entries(v, why);
    return st ? st : list_maps(v, why);
}

void study_view_free_maps(study_view *v) {
    for (int i = 0; v->axis && i <= v->study->naxis; i++) free_axis(&v->axis[i]);
    free(v->axis);
    free(v->entry);
    free(v->map);
    free(v->design);
    v->axis = NULL;
    v->entry = NULL;
    v->map = NULL;
    v->design = NULL;
    v->nentry = v->nmap = 0;
}

/* ---- places ---- */

uint64_t view_map_cells(const study_view *v, const report_entry *e) {
    return (uint64_t)v->axis[e->x].n * (uint64_t)(e->y >= 0 ? v->axis[e->y].n : 1);
}

uint64_t view_entry_place(const study_view *v, const report_entry *e, const pp_row *row) {
    const pp_study *s = v->study;
    int index[PP_STUDY_NAMES];
    uint64_t at = 0;
    if (e->x == s->naxis) return v->search ? place_of_design(v, row) : 0;
    pp_study_cell(s, row->number % s->cells, index);
    for (int i = 0; i < e->nby; i++) at = at * (uint64_t)s->axis[e->by[i]].n + (uint64_t)index[e->by[i]];
    if (e->y >= 0) at = at * (uint64_t)v->axis[e->y].n + (uint64_t)v->axis[e->y].place[index[e->y]];
    return at * (uint64_t)v->axis[e->x].n + (uint64_t)v->axis[e->x].place[index[e->x]];
}

typedef struct places {
    const study_view *v;
    const report_entry *e;
} places;

static uint64_t place_of(const void *ctx, const pp_row *row) {
    const places *p = ctx;
    return view_entry_place(p->v, p->e, row);
}

perp_status view_entry_grid(const study_view *v, const report_entry *e, grid *out, perp_refusal *why) {
    places p = {v, e};
    grid_cells cells = {view_map_cells(v, e), place_of, &p};
    for (int i = 0; i < e->nby; i++) cells.n *= (uint64_t)v->study->axis[e->by[i]].n;
    return grid_make_of(&v->table, e->measure, &cells, e->show, out, why);
}
