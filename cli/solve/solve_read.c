/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_read.c - reads tables of results and histories of residuals again, for plots. Safe on any bytes: the first thing
 * that is wrong ends the reading with one complaint. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/h5_file.h"
#include "solve/solve.h"

static const perp_allocator plain = {0};

void solve_figures_free(solve_figures *f) {
    for (int i = 0; i < f->ntrace; i++) free(f->trace[i].point);
    free(f->trace);
    free(f->row);
    free(f->text);
    *f = (solve_figures){0};
}

static perp_status no_memory(const char *path, perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){path, 0, 0}, "", "no memory to read it");
}

static solve_history *add_trace(solve_figures *f, const char *problem, const char *solver) {
    if (!PP_GROW(&plain, f->trace, f->cap_trace, f->ntrace, f->ntrace + 1)) return NULL;
    solve_history *h = &f->trace[f->ntrace++];
    *h = (solve_history){.problem = problem, .solver = solver};
    return h;
}

/* ---- CSV ---- */

enum { COLUMNS = 32 };

typedef struct table {
    const char *path;
    char *at; /* next byte of the text, which ends with a zero */
    int line;
    char *field[COLUMNS]; /* of the present line */
    int nfield;
    perp_refusal *why;
} table;

/* The next line, its fields parted and without their quotes, in place. False at the end. Fields beyond COLUMNS are
 * dropped. */
static bool next_line(table *t) {
    char *p = t->at;
    t->nfield = 0;
    if (!*p) return false;
    t->line++;
    for (bool more = true; more; p++) {
        char *from = p, *to = p;
        bool quoted = *p == '"';
        if (quoted) p++;
        while (*p && (quoted || (*p != ',' && *p != '\n'))) {
            if (quoted && *p == '"' && *++p != '"') {
                quoted = false;
                continue;
            }
            *to++ = *p++;
        }
        if (to > from && to[-1] == '\r' && *p != ',') to--;
        more = *p == ',';
        bool end = !*p;
        *to = 0;
        if (t->nfield < COLUMNS) t->field[t->nfield++] = from;
        if (end) break;
    }
    t->at = p;
    return true;
}

static perp_status refuse(const table *t, const char *key, const char *found, const char *allowed) {
    char safe[100], text[128];
    snprintf(text, sizeof text, "\"%s\"", cli_printable(safe, sizeof safe, found));
    return pp_complain(t->why, PERP_E_ARG, (pp_location){t->path, t->line, 0}, key, text, allowed);
}

/* The column of each name; all must be there. */
static perp_status find_columns(table *t, const char *const *name, int n, const char *what, int *column) {
    if (!next_line(t))
        return pp_complain(t->why, PERP_E_ARG, (pp_location){t->path, 0, 0}, NULL, "an empty file", what);
    for (int i = 0; i < n; i++) {
        column[i] = -1;
        for (int k = 0; k < t->nfield; k++)
            if (!strcmp(t->field[k], name[i])) column[i] = k;
        if (column[i] >= 0) continue;
        char found[64];
        snprintf(found, sizeof found, "no column %s", name[i]);
        return pp_complain(t->why, PERP_E_ARG, (pp_location){t->path, t->line, 0}, NULL, found, what);
    }
    return PERP_OK;
}

/* A number of the present line; "inf" is one. */
static perp_status read_number(const table *t, const char *name, int column, double *out) {
    const char *text = column < t->nfield ? t->field[column] : "";
    char *end;
    *out = strtod(text, &end);
    if (!*text || *end || isnan(*out)) return refuse(t, name, text, "a number");
    return PERP_OK;
}

static perp_status check_line(const table *t, int column) {
    if (column < t->nfield) return PERP_OK;
    char found[32];
    snprintf(found, sizeof found, "%d fields", t->nfield);
    return pp_complain(t->why, PERP_E_ARG, (pp_location){t->path, t->line, 0}, NULL, found,
                       "as many as in the first line");
}

perp_status solve_read_results(const char *path, solve_figures *out, perp_refusal *why) {
    static const char *const name[] = {"problem", "solver", "status", "seconds", "iterations", "factorisations"};
    table t = {.path = path, .why = why};
    size_t size;
    int column[6] = {0};
    *out = (solve_figures){0};
    perp_status s = pp_source_read(&plain, path, path, &out->text, &size, why);
    t.at = out->text;
    if (!s) s = find_columns(&t, name, 6, "results, as perp solve --results writes them", column);
    while (!s && next_line(&t)) {
        for (int i = 0; !s && i < 6; i++) s = check_line(&t, column[i]);
        if (s || !PP_GROW(&plain, out->row, out->cap_row, out->nrow, out->nrow + 1)) {
            if (!s) s = no_memory(path, why);
            break;
        }
        solve_figure *r = &out->row[out->nrow++];
        *r = (solve_figure){.problem = t.field[column[0]], .solver = t.field[column[1]]};
        r->solved = !strcmp(t.field[column[2]], "solved");
        for (int i = 0; !s && i < 3; i++) s = read_number(&t, name[3 + i], column[3 + i], &r->cost[i]);
    }
    if (s) solve_figures_free(out);
    return s;
}

static perp_status read_point(const table *t, const int *column, solve_point *p) {
    double iteration = 0;
    perp_status s = read_number(t, "iteration", column[2], &iteration);
    if (!s && !(iteration >= 0 && iteration <= 2e9)) s = refuse(t, "iteration", t->field[column[2]], "a number >= 0");
    if (!s) s = read_number(t, "seconds", column[3], &p->seconds);
    if (!s) s = read_number(t, "natural", column[4], &p->natural);
    if (!s) s = read_number(t, "siconos", column[5], &p->siconos);
    if (!s) p->iteration = (int)iteration;
    return s;
}

static perp_status traces_csv(const char *path, solve_figures *out, perp_refusal *why) {
    static const char *const name[] = {"problem", "solver", "iteration", "seconds", "natural", "siconos"};
    table t = {.path = path, .at = out->text, .why = why};
    int column[6] = {0};
    perp_status s = find_columns(&t, name, 6, "a history of residuals, as perp solve --trace writes it", column);
    solve_history *h = NULL;
    while (!s && next_line(&t)) {
        for (int i = 0; !s && i < 6; i++) s = check_line(&t, column[i]);
        if (s) break;
        const char *problem = t.field[column[0]], *solver = t.field[column[1]];
        if (!h || strcmp(h->problem, problem) != 0 || strcmp(h->solver, solver) != 0)
            h = add_trace(out, problem, solver);
        if (!h || !PP_GROW(&plain, h->point, h->cap, h->count, h->count + 1)) return no_memory(path, why);
        s = read_point(&t, column, &h->point[h->count++]);
    }
    return s;
}

/* ---- HDF5 ---- */

static perp_status get_array(pp_h5 *h, const char *name, pp_h5_type type, size_t size, pp_h5_array *a) {
    bool there;
    perp_status s = pp_h5_dataset(h, name, &there, a);
    if (s) return s;
    bool fits = there && a->type == type && (!size || a->size == size) && a->rank == (type != PP_H5_TEXT);
    return fits ? PERP_OK
                : pp_h5_refuse(h, name, there ? "another type or shape" : "nothing", "what perp solve --trace writes");
}

/* The next line of a text that is cut in place; NULL at its end. */
static const char *take_line(char **text, const char *end) {
    char *from = *text;
    if (from >= end || !*from) return NULL;
    while (*text < end && **text && **text != '\n') ++*text;
    if (*text < end && **text) *(*text)++ = 0;
    return from;
}

static perp_status fill_trace(pp_h5 *h, const pp_h5_array *a, int64_t from, int64_t to, solve_history *out) {
    out->point = malloc(((size_t)(to - from) + 1) * sizeof *out->point);
    if (!out->point) return no_memory(h->file, h->why);
    for (int64_t i = from; i < to; i++) {
        double v[3];
        for (int k = 0; k < 3; k++) {
            pp_h5_array one = a[1 + k];
            one.raw += (size_t)i * one.size;
            one.count = 1;
            pp_h5_get_doubles(&one, &v[k]);
        }
        int64_t at = pp_h5_get_integer(&a[0], (uint64_t)i);
        if (at < 0 || at > 2000000000) return pp_h5_refuse(h, "iteration", "a number beyond the limits", "0 to 2e9");
        out->point[out->count++] = (solve_point){(int)at, v[0], v[1], v[2]};
    }
    out->cap = out->count;
    return PERP_OK;
}

/* The two lists of names, copied, each ended by a zero. */
static perp_status copy_names(pp_h5 *h, solve_figures *out, char *at[2], const char *end[2]) {
    static const char *const name[] = {"problems", "solvers"};
    pp_h5_array a[2];
    perp_status s = get_array(h, name[0], PP_H5_TEXT, 0, &a[0]);
    if (!s) s = get_array(h, name[1], PP_H5_TEXT, 0, &a[1]);
    if (s) return s;
    out->text = calloc(1, a[0].size + a[1].size + 2);
    if (!out->text) return no_memory(h->file, h->why);
    at[0] = out->text;
    at[1] = out->text + a[0].size + 1;
    for (int k = 0; k < 2; k++) {
        memcpy(at[k], a[k].raw, a[k].size);
        end[k] = at[k] + a[k].size;
    }
    return PERP_OK;
}

static perp_status traces_h5(const char *path, const char *data, size_t size, solve_figures *out, perp_refusal *why) {
    static const char *const name[] = {"iteration", "seconds", "natural", "siconos"};
    pp_h5 h;
    pp_h5_array a[4] = {0}, start = {0}, mark = {0};
    char *at[2] = {NULL, NULL};
    const char *end[2] = {NULL, NULL};
    bool there = false;
    perp_status s = pp_h5_open(&h, path, data, size, why);
    if (!s) s = pp_h5_attribute(&h, "format", &there, &mark);
    if (!s && !(there && mark.type == PP_H5_TEXT && mark.count == 1 && mark.size >= 10 &&
                !memcmp(mark.raw, "perp trace", 10)))
        s = pp_h5_refuse(&h, NULL, "HDF5 that is something else",
                         "a history of residuals, as perp solve --trace writes it");
    for (int k = 0; !s && k < 4; k++) s = get_array(&h, name[k], k ? PP_H5_FLOAT : PP_H5_INT, k ? 8 : 4, &a[k]);
    for (int k = 1; !s && k < 4; k++)
        if (a[k].count != a[0].count) s = pp_h5_refuse(&h, name[k], "another length than iteration", "the same length");
    if (!s) s = get_array(&h, "start", PP_H5_INT, 4, &start);
    if (!s) s = copy_names(&h, out, at, end);
    for (uint64_t i = 0; !s && i + 1 < start.count; i++) {
        const char *problem = take_line(&at[0], end[0]), *solver = take_line(&at[1], end[1]);
        int64_t from = pp_h5_get_integer(&start, i), to = pp_h5_get_integer(&start, i + 1);
        if (!problem || !solver) return pp_h5_refuse(&h, "problems", "too few names", "one for each history");
        if (from < 0 || to < from || (uint64_t)to > a[0].count)
            return pp_h5_refuse(&h, "start", "a place outside of the history", "places within, ascending");
        solve_history *t = add_trace(out, problem, solver);
        s = t ? fill_trace(&h, a, from, to, t) : no_memory(path, why);
    }
    return s;
}

perp_status solve_read_traces(const char *path, solve_figures *out, perp_refusal *why) {
    size_t size;
    char *data;
    *out = (solve_figures){0};
    perp_status s = pp_source_read(&plain, path, path, &data, &size, why);
    if (s) return s;
    if (pp_h5_is(data, size)) {
        s = traces_h5(path, data, size, out, why);
        free(data);
    } else {
        out->text = data;
        s = traces_csv(path, out, why);
    }
    if (s) solve_figures_free(out);
    return s;
}
