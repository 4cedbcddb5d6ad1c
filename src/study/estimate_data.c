/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* estimate_data.c - measured tables into cases: which columns, which rows, which parameters each case sets. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/estimate.h"

#define ON_GRID \
    1e-3 /* largest distance of a time from a step, as a part of h, at which it counts as that of the step: times are printed with few digits */

#define FAR   1e15 /* [standard deviations] a number farther off is an error in the data, and its square may overflow */
#define STEPS 1e9  /* of one run: more mean an error in the times or their unit */
#define EVEN  0.01 /* part of the usual distance of rows by which distances may differ and still count as even */
#define GAP   1.5  /* times the usual distance: a row is missing in between */
typedef struct data_in {
    const char *file, *time;
    uint32_t columns, rotations, cases, use, check, given, from, to;
} data_in;
#define FIELD(type, field, kind, required) \
    { #field, offsetof(type, field), PP_FIELD_##kind, required }
static const pp_field data_fields[] = {
    FIELD(data_in, file, TEXT, true),       FIELD(data_in, time, TEXT, false),  FIELD(data_in, columns, NODE, false),
    FIELD(data_in, rotations, NODE, false), FIELD(data_in, cases, NODE, false), FIELD(data_in, use, EXPR, false),
    FIELD(data_in, check, EXPR, false),     FIELD(data_in, given, NODE, false), FIELD(data_in, from, EXPR, false),
    FIELD(data_in, to, EXPR, false),        {NULL, 0, PP_FIELD_NODE, false}};
typedef struct column_in {
    uint32_t is, sd;
} column_in;
static const pp_field column_fields[] = {
    FIELD(column_in, is, EXPR, true), FIELD(column_in, sd, EXPR, true), {NULL, 0, PP_FIELD_NODE, false}};
typedef struct rotation_in {
    const char *body;
    uint32_t columns, sd;
} rotation_in;
static const pp_field rotation_fields[] = {FIELD(rotation_in, body, TEXT, true),
                                           FIELD(rotation_in, columns, NODE, true),
                                           FIELD(rotation_in, sd, EXPR, true),
                                           {NULL, 0, PP_FIELD_NODE, false}};
typedef struct cases_in {
    const char *file, *name;
} cases_in;
static const pp_field cases_fields[] = {
    FIELD(cases_in, file, TEXT, true), FIELD(cases_in, name, TEXT, true), {NULL, 0, PP_FIELD_NODE, false}};

typedef struct loader {
    pp_estimate *e;
    const pp_study *s;
    const pp_tree *t;
    data_in in;
    pp_csv index; /* table of cases; no columns: none */
    int index_name;
    bool *touched;
    perp_refusal *why;
} loader;

static perp_status no_memory(const loader *l) { return pp_study_no_memory(l->s, "estimate.data", l->why); }

/* ---- quantities ---- */

static perp_status add_observed(loader *l, uint32_t at, pp_observed **out) {
    if (l->e->nobserved == PP_OBSERVED_MAX)
        return pp_field_refuse(l->t, at, "estimate.data", "at most 32 quantities", l->why);
    *out = &l->e->observed[l->e->nobserved++];
    **out = (pp_observed){.width = 1};
    return PERP_OK;
}

/* A standard deviation: an expression of the scene's parameters. */
static perp_status read_sd(loader *l, uint32_t node, const char *path, double *out) {
    perp_status st = pp_study_number(l->s, node, path, out, l->why);
    return st || *out > 0 ? st : pp_field_refuse(l->t, node, path, "a standard deviation > 0", l->why);
}

static perp_status read_columns(loader *l, uint32_t map) {
    const pp_tree *t = l->t;
    if (!map) return PERP_OK;
    if (t->node[map].kind != PP_NODE_MAP)
        return pp_field_refuse(t, map, "estimate.data.columns", "a map: column: {is: quantity, sd: number}", l->why);
    for (uint32_t k = t->node[map].first; k; k = pp_yaml_next_key(t, k)) {
        char path[160];
        column_in in = {0};
        pp_observed *o = NULL;
        pp_field_path(path, sizeof path, "estimate.data.columns", pp_yaml_text(t, k));
        perp_status st = add_observed(l, k, &o);
        if (!st) st = pp_fields_read(t, t->node[k].next, path, column_fields, &in, l->why);
        if (!st) st = read_sd(l, in.sd, path, &o->sd);
        if (st) return st;
        o->column = pp_yaml_text(t, k);
        o->node = in.is;
    }
    return PERP_OK;
}

static perp_status read_rotations(loader *l, uint32_t list) {
    const pp_tree *t = l->t;
    static const char *const allowed = "a list of {body, columns: [w, x, y, z], sd}";
    if (!list) return PERP_OK;
    if (t->node[list].kind != PP_NODE_LIST) return pp_field_refuse(t, list, "estimate.data.rotations", allowed, l->why);
    for (uint32_t v = t->node[list].first; v; v = t->node[v].next) {
        rotation_in in = {0};
        pp_observed *o = NULL;
        perp_status st = add_observed(l, v, &o);
        if (!st) st = pp_fields_read(t, v, "estimate.data.rotations", rotation_fields, &in, l->why);
        if (!st && (t->node[in.columns].kind != PP_NODE_LIST || t->node[in.columns].length != 4))
            st = pp_field_refuse(t, v, "estimate.data.rotations", allowed, l->why);
        if (!st) st = read_sd(l, in.sd, "estimate.data.rotations", &o->sd);
        if (st) return st;
        o->rotation = true;
        o->width = 3;
        o->body = in.body;
        int i = 0;
        for (uint32_t c = t->node[in.columns].first; c; c = t->node[c].next) o->columns[i++] = pp_yaml_text(t, c);
        o->column = o->columns[0];
    }
    return PERP_OK;
}

/* ---- the table of cases ---- */

/* An expression of the columns of the table of cases, in one row. Only columns of numbers can be used. */
static perp_status of_index(loader *l, int row, uint32_t node, const char *key, double *out) {
    const char *name[PP_CSV_COLUMNS + PP_STUDY_VARIABLES];
    double value[PP_CSV_COLUMNS + PP_STUDY_VARIABLES];
    char words[512];
    int n = 0;
    for (int i = 0; i < l->index.ncolumn; i++) {
        perp_refusal unheard;
        if (pp_csv_number(&l->index, row, i, &value[n], &unheard)) continue;
        name[n++] = l->index.name[i];
    }
    for (int i = 0; i < l->s->nparameter; i++) name[n] = l->s->parameter[i], value[n++] = l->s->base[i];
    pp_expr_names names = {.variable = name, .nvariable = n};
    pp_expr *x;
    perp_status st = pp_study_compile(l->s, node, key, &names, &x, l->why);
    if (st) return st;
    (void)pp_expr_eval(x, value, NULL, NULL, out, words, sizeof words);
    pp_expr_free(&l->s->alloc, x);
    return PERP_OK;
}

static perp_status read_given(loader *l, int row, pp_case *c) {
    const pp_tree *t = l->t;
    uint32_t map = l->in.given;
    if (!map) return PERP_OK;
    if (t->node[map].kind != PP_NODE_MAP)
        return pp_field_refuse(t, map, "estimate.data.given", "a map: parameter: expression of columns", l->why);
    for (uint32_t k = t->node[map].first; k; k = pp_yaml_next_key(t, k)) {
        char path[160];
        pp_field_path(path, sizeof path, "estimate.data.given", pp_yaml_text(t, k));
        int p = pp_study_parameter(l->s, pp_yaml_text(t, k));
        if (p < 0) return pp_study_no_parameter(l->s, k, path, l->why);
        uint32_t v = t->node[k].next;
        l->touched[p] = true;
        if (t->node[v].kind != PP_NODE_SCALAR || t->node[v].length == 0)
            return pp_field_refuse(t, v, path, "an expression of columns of the table of cases", l->why);
        perp_status st = of_index(l, row, v, path, &c->value[p]);
        if (st) return st;
        if (!isfinite(c->value[p])) {
            char found[64];
            (void)snprintf(found, sizeof found, "%g in case %.40s", c->value[p], c->name);
            return pp_complain(l->why, PERP_E_ARG, pp_yaml_place(t, v), path, found, "a finite number");
        }
    }
    return PERP_OK;
}

/* ---- rows ---- */

typedef struct row_columns {
    int time, of[PP_OBSERVED_MAX][4];
} row_columns;

static perp_status find_columns(loader *l, const pp_csv *csv, row_columns *c) {
    const char *time = l->in.time ? l->in.time : "t";
    pp_location at = pp_yaml_place(l->t, l->e->data);
    c->time = pp_csv_column(csv, time);
    if (c->time < 0) return pp_csv_no_column(csv, time, at, "estimate.data.time", l->why);
    for (int i = 0; i < l->e->nobserved; i++) {
        const pp_observed *o = &l->e->observed[i];
        for (int k = 0; k < (o->rotation ? 4 : 1); k++) {
            const char *name = o->rotation ? o->columns[k] : o->column;
            c->of[i][k] = pp_csv_column(csv, name);
            if (c->of[i][k] < 0) return pp_csv_no_column(csv, name, at, "estimate.data.columns", l->why);
        }
    }
    return PERP_OK;
}

static perp_status too_far(const loader *l, const pp_csv *csv, int row, int column, int observed) {
    char allowed[80];
    (void)snprintf(allowed, sizeof allowed, "at most 1e15 times its standard deviation, %.4g",
                   l->e->observed[observed].sd);
    return pp_complain(l->why, PERP_E_ARG, (pp_location){csv->file, csv->line[row], 0}, csv->name[column],
                       pp_csv_text(csv, row, column), allowed);
}

/* Reports where rows are missing in a table whose times are even otherwise. */
static void count_gaps(pp_estimate *e, const pp_case *c) {
    double usual = INFINITY;
    int even = 0, gaps = 0, lost = 0;
    for (int i = 1; i < c->nrow; i++) usual = fmin(usual, c->t[i] - c->t[i - 1]);
    for (int i = 1; i < c->nrow; i++) {
        double d = c->t[i] - c->t[i - 1];
        even += fabs(d - usual) <= EVEN * usual;
        if (d > GAP * usual) gaps++, lost += (int)fmin(1e6, round(d / usual) - 1);
    }
    if (even < 0.8 * (c->nrow - 1)) return; /* not even at all */
    e->gaps += gaps;
    e->lost += lost;
}

/* Times that the run does not reach. Cases set parameters, so only the run of a single table is known here. */
static perp_status check_end(const loader *l, const pp_csv *csv, int row, const row_columns *rc, const pp_case *c) {
    char found[80], allowed[120];
    double h = perp_world_h(perp_scene_world(l->s->scene)), end = c->t[c->nrow - 1],
           duration = perp_scene_duration(l->s->scene);
    (void)snprintf(found, sizeof found, "%.9g after the first row", end);
    if (!l->in.cases && end > duration + h / 2) {
        (void)snprintf(allowed, sizeof allowed, "at most %.9g, the duration of the scene", duration);
        return pp_complain(l->why, PERP_E_ARG, (pp_location){csv->file, csv->line[row], 0}, csv->name[rc->time], found,
                           allowed);
    }
    if (end <= STEPS * h) return PERP_OK;
    (void)snprintf(allowed, sizeof allowed, "at most 1e9 time steps of %.4g", h);
    return pp_complain(l->why, PERP_E_ARG, (pp_location){csv->file, csv->line[row], 0}, csv->name[rc->time], found,
                       allowed);
}

/* One row of the table into row `at` of the case. */
static perp_status take_row(loader *l, const pp_csv *csv, int row, const row_columns *rc, pp_case *c, int at) {
    double *y = c->y + (size_t)at * (size_t)l->e->columns;
    perp_status st = pp_csv_number(csv, row, rc->time, &c->t[at], l->why);
    if (st) return st;
    if (isnan(c->t[at]))
        return pp_complain(l->why, PERP_E_ARG, (pp_location){csv->file, csv->line[row], 0}, csv->name[rc->time],
                           "no time", "a time in every row");
    if (at > 0 && !(c->t[at] > c->t[at - 1])) {
        char found[80];
        (void)snprintf(found, sizeof found, "%.9g after %.9g", c->t[at], c->t[at - 1]);
        return pp_complain(l->why, PERP_E_ARG, (pp_location){csv->file, csv->line[row], 0}, csv->name[rc->time], found,
                           "times that rise from row to row");
    }
    for (int i = 0; i < l->e->nobserved; i++) {
        bool any = false;
        double *first = y;
        int n = l->e->observed[i].rotation ? 4 : 1;
        for (int k = 0; k < n; k++, y++) {
            st = pp_csv_number(csv, row, rc->of[i][k], y, l->why);
            if (!st && fabs(*y) > FAR * l->e->observed[i].sd) st = too_far(l, csv, row, rc->of[i][k], i);
            if (st) return st;
            any = any || isnan(*y);
        }
        for (int k = 0; any && k < n; k++) first[k] = NAN; /* a rotation needs all four numbers */
        l->e->missing += any;
    }
    return PERP_OK;
}

static perp_status take_rows(loader *l, const pp_csv *csv, int from, int to, pp_case *c) {
    row_columns rc;
    perp_status st = find_columns(l, csv, &rc);
    if (st) return st;
    c->nrow = to - from + 1;
    c->t = pp_alloc(&l->s->alloc, sizeof *c->t * (size_t)c->nrow);
    c->y = pp_alloc(&l->s->alloc, sizeof *c->y * (size_t)c->nrow * (size_t)l->e->columns);
    if (!c->t || !c->y) return no_memory(l);
    for (int i = 0; !st && i < c->nrow; i++) st = take_row(l, csv, from + i, &rc, c, i);
    double begin = c->t[0], h = perp_world_h(perp_scene_world(l->s->scene));
    if (!st && !l->in.cases) l->e->begin = begin;
    for (int i = 0; !st && i < c->nrow; i++) {
        c->t[i] -= begin;
        l->e->off_grid += fabs(c->t[i] / h - round(c->t[i] / h)) > ON_GRID;
    }
    if (!st) count_gaps(l->e, c);
    return st ? st : check_end(l, csv, to, &rc, c);
}

/* ${NAME} is replaced by the text of the case's column, or by the value of a parameter. */
static bool fill_name(const loader *l, int row, char *out, size_t size) {
    const char *p = l->in.file;
    size_t n = 0;
    while (*p && n + 1 < size) {
        const char *end = p[0] == '$' && p[1] == '{' ? strchr(p, '}') : NULL;
        if (!end) {
            out[n++] = *p++;
            continue;
        }
        char name[80];
        size_t length = (size_t)(end - p - 2);
        if (length >= sizeof name) return false;
        memcpy(name, p + 2, length);
        name[length] = 0;
        int c = row < 0 ? -1 : pp_csv_column(&l->index, name), parameter = pp_study_parameter(l->s, name);
        if (c < 0 && parameter < 0) return false;
        if (c >= 0)
            n += (size_t)snprintf(out + n, size - n, "%s", pp_csv_text(&l->index, row, c));
        else
            n += (size_t)snprintf(out + n, size - n, "%.12g", l->s->base[parameter]);
        p = end + 1;
    }
    if (n >= size) return false;
    out[n] = 0;
    return true;
}

static perp_status row_limits(loader *l, int row, const pp_csv *csv, int *from, int *to) {
    double a = 0, b = csv->nrow - 1;
    perp_status st = PERP_OK;
    if (l->in.from) st = of_index(l, row, l->in.from, "estimate.data.from", &a);
    if (!st && l->in.to) st = of_index(l, row, l->in.to, "estimate.data.to", &b);
    if (st) return st;
    if (!(a >= 0 && b >= a && b < csv->nrow && floor(a) == a && floor(b) == b)) {
        char found[120], allowed[80];
        (void)snprintf(found, sizeof found, "rows %g to %g of %.60s", a, b, csv->file);
        (void)snprintf(allowed, sizeof allowed, "whole numbers from 0 to %d", csv->nrow - 1);
        return pp_complain(l->why, PERP_E_ARG, pp_yaml_place(l->t, l->e->data), "estimate.data", found, allowed);
    }
    *from = (int)a;
    *to = (int)b;
    return PERP_OK;
}

/* ---- cases ---- */

static perp_status load_case(loader *l, int row) {
    pp_estimate *e = l->e;
    if (!PP_GROW(&l->s->alloc, e->cases, e->cap_case, e->ncase, e->ncase + 1)) return no_memory(l);
    pp_case *c = &e->cases[e->ncase];
    *c = (pp_case){.fit = true};
    double use = 1, check = 0;
    perp_status st = PERP_OK;
    if (row >= 0 && l->in.use) st = of_index(l, row, l->in.use, "estimate.data.use", &use);
    if (!st && row >= 0 && l->in.check) st = of_index(l, row, l->in.check, "estimate.data.check", &check);
    if (st) return st;
    c->fit = use != 0 && !isnan(use);
    c->check = check != 0 && !isnan(check);
    (void)snprintf(c->name, sizeof c->name, "%.60s", row < 0 ? "data" : pp_csv_text(&l->index, row, l->index_name));
    if (!c->fit && !c->check) {
        e->left_out++;
        return PERP_OK;
    }
    e->ncase++;
    c->value = pp_alloc(&l->s->alloc, sizeof *c->value * (size_t)(l->s->nparameter + 1));
    if (!c->value) return no_memory(l);
    memcpy(c->value, l->s->base, sizeof *c->value * (size_t)l->s->nparameter);
    st = row >= 0 ? read_given(l, row, c) : PERP_OK;
    char name[PP_STUDY_PATH], path[PP_STUDY_PATH];
    if (!st && (!fill_name(l, row, name, sizeof name) || !pp_source_beside(l->s->path, name, path, sizeof path)))
        st = pp_field_refuse(l->t, pp_yaml_get(l->t, e->data, "file"), "estimate.data.file",
                             "a path, with ${NAME} for columns of the table of cases or parameters", l->why);
    if (st) return st;
    pp_csv csv;
    int from = 0, to = 0;
    st = pp_csv_read(&l->s->alloc, l->s->root, path, &csv, l->why);
    if (st) return st;
    if (csv.nrow == 0)
        st = pp_complain(l->why, PERP_E_ARG, (pp_location){csv.file, 0, 0}, "", "no rows", "one or more rows of data");
    if (!st) st = row_limits(l, row, &csv, &from, &to);
    if (!st) st = take_rows(l, &csv, from, to, c);
    pp_csv_free(&csv);
    return st;
}

static perp_status load_index(loader *l) {
    cases_in in = {0};
    char path[PP_STUDY_PATH];
    perp_status st = pp_fields_read(l->t, l->in.cases, "estimate.data.cases", cases_fields, &in, l->why);
    if (!st && !pp_source_beside(l->s->path, in.file, path, sizeof path))
        st = pp_field_refuse(l->t, l->in.cases, "estimate.data.cases.file", "a shorter path", l->why);
    if (!st) st = pp_csv_read(&l->s->alloc, l->s->root, path, &l->index, l->why);
    if (st) return st;
    l->index_name = pp_csv_column(&l->index, in.name);
    if (l->index_name < 0)
        return pp_csv_no_column(&l->index, in.name, pp_yaml_place(l->t, l->in.cases), "estimate.data.cases.name",
                                l->why);
    for (int i = 0; !st && i < l->index.nrow; i++) st = load_case(l, i);
    return st;
}

/* Residuals of a case: missing data have none. */
static int count_residuals(const pp_estimate *e, const pp_case *c) {
    int n = 0;
    for (int r = 0; r < c->nrow; r++) {
        const double *y = c->y + (size_t)r * (size_t)e->columns;
        for (int i = 0; i < e->nobserved; i++) {
            if (!isnan(*y)) n += e->observed[i].width;
            y += e->observed[i].rotation ? 4 : 1;
        }
    }
    return n;
}

/* Numbers the residuals: of fitted cases, and apart from them of those that are only checked. */
static perp_status number_residuals(loader *l) {
    pp_estimate *e = l->e;
    int checked = 0;
    long long m = 0;
    for (int i = 0; i < e->ncase; i++) {
        pp_case *c = &e->cases[i];
        c->count = count_residuals(e, c);
        c->first = c->fit ? (int)m : checked;
        if (c->fit) m += c->count;
        if (!c->fit) checked += c->count;
        if (m > 50000000)
            return pp_field_refuse(l->t, e->data, "estimate.data", "at most 50 million residuals", l->why);
    }
    e->m = (int)m;
    if (m == 0 && e->missing)
        return pp_complain(l->why, PERP_E_ARG, pp_yaml_place(l->t, e->data), "estimate.data", "only missing numbers",
                           "data to compare with");
    if (m == 0)
        return pp_field_refuse(l->t, e->data, "estimate.data", "at least one case that is used in the fit", l->why);
    return PERP_OK;
}

perp_status pp_estimate_load(pp_estimate *e, bool *touched, perp_refusal *why) {
    loader l = {.e = e, .s = e->study, .t = &e->study->tree, .touched = touched, .why = why};
    perp_status st = pp_fields_read(l.t, e->data, "estimate.data", data_fields, &l.in, why);
    if (!st) st = read_columns(&l, l.in.columns);
    if (!st) st = read_rotations(&l, l.in.rotations);
    if (!st && e->nobserved == 0)
        st = pp_field_refuse(l.t, e->data, "estimate.data", "columns or rotations: what was measured", why);
    for (int i = 0; i < e->nobserved; i++) {
        e->width += e->observed[i].width;
        e->columns += e->observed[i].rotation ? 4 : 1;
    }
    if (!st && !l.in.cases && (l.in.given || l.in.use || l.in.check))
        st = pp_field_refuse(l.t, e->data, "estimate.data", "cases: {file, name} beside given, use and check", why);
    if (!st) st = l.in.cases ? load_index(&l) : load_case(&l, -1);
    if (l.index.data) pp_csv_free(&l.index);
    return st ? st : number_residuals(&l);
}
