/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* experiment_table.c - measures of a sweep as tables: rows are values of one variable, columns those of another, or
 * several measures side by side */
#include <math.h>
#include <string.h>

#include "experiment/experiment.h"

enum { COLUMNS_MAX = 16, CELL = 64 };

static perp_status complain(const experiment *e, int i, const char *found, const char *allowed, perp_refusal *why) {
    char key[64];
    snprintf(key, sizeof key, "tables[%d]", i);
    return pp_complain(why, PERP_E_NAME, (pp_location){e->file, 0, 0}, key, found, allowed);
}

static const exp_sweep *sweep_of(const experiment *e, const char *text, exp_choice *c) {
    bool good = experiment_choice(e, text, strlen(text), c) && c->rest.n == 0;
    return good ? &e->sweep[c->sweep] : NULL;
}

/* Names of the measures of a table; returns their number, 0 if one is not known. */
static int measures_of(const experiment *e, const exp_table *b, const exp_sweep *s, int *out) {
    const pp_tree *t = &e->tree;
    bool list = t->node[b->value].kind == PP_NODE_LIST;
    int n = 0;
    for (uint32_t v = list ? t->node[b->value].first : b->value; v && n < COLUMNS_MAX; v = list ? t->node[v].next : 0) {
        if (t->node[v].kind != PP_NODE_SCALAR) return 0;
        out[n] = experiment_find_measure(s, pp_yaml_text(t, v), t->node[v].length);
        if (out[n++] < 0) return 0;
    }
    return n;
}

perp_status experiment_tables_check(experiment *e, perp_refusal *why) {
    for (int i = 0; i < e->ntable; i++) {
        const exp_table *b = &e->table[i];
        exp_choice c;
        int measure[COLUMNS_MAX];
        const exp_sweep *s = sweep_of(e, b->sweep, &c);
        if (!s) return complain(e, i, b->sweep, "sweep: the name of a sweep, with or without [conditions]", why);
        if (experiment_find_axis(s, b->rows, strlen(b->rows)) < 0)
            return complain(e, i, b->rows, "rows: a variable of the sweep", why);
        int n = measures_of(e, b, s, measure);
        if (n == 0 || (b->columns && n > 1))
            return complain(e, i, "value", "the name of a measure of the sweep, or without columns a list of them",
                            why);
        int a = b->columns ? experiment_find_axis(s, b->columns, strlen(b->columns)) : 0;
        if (a < 0 || (b->columns && s->axis[a].n > COLUMNS_MAX))
            return complain(e, i, b->columns, "columns: a variable of the sweep with at most 16 values", why);
        bool known = !b->take;
        for (int k = 0; experiment_takes[k + 1]; k++) known = known || !strcmp(b->take, experiment_takes[k]);
        if (!known) return complain(e, i, b->take, "take: largest, smallest, mean, median, total", why);
    }
    return PERP_OK;
}

/* The text of value k of an axis. */
static const char *axis_text(const experiment *e, const exp_axis *a, int k) {
    uint32_t v = e->tree.node[a->list].first;
    while (k-- > 0) v = e->tree.node[v].next;
    return pp_yaml_text(&e->tree, v);
}

/* What a cell shows: a measure of the runs in which one variable has the value of the row, and one that of the column. */
typedef struct cell_of {
    int row_axis, column_axis; /* column_axis < 0: a column is a measure */
    const char *row, *column;
    int measure;
} cell_of;

static perp_status cell(const experiment *e, const exp_table *b, const exp_choice *c, const cell_of *of, char *out,
                        perp_refusal *why) {
    const exp_sweep *s = &e->sweep[c->sweep];
    double *x = pp_alloc(&experiment_memory, sizeof *x * (size_t)(s->nrun + 1));
    char words[300];
    int n = 0, missing = 0, early = 0;
    if (!x) return pp_complain_say(why, PERP_E_MEMORY, (pp_location){e->file, 0, 0}, "", "not enough memory");
    for (int i = 0; i < s->nrun; i++) {
        const exp_run *r = &e->run[s->first + i];
        int fits = experiment_fits(e, s, i, c->where, -1, words, sizeof words);
        if (fits < 0) {
            pp_free(&experiment_memory, x);
            return pp_complain_say(why, PERP_E_ARG, (pp_location){e->file, 0, 0}, "tables", "%s", words);
        }
        if (!fits || r->skipped || strcmp(r->axis_text[of->row_axis], of->row) != 0) continue;
        if (of->column && strcmp(r->axis_text[of->column_axis], of->column) != 0) continue;
        early += r->ended_early;
        x[n++] = s->result[i * s->nmeasure + of->measure];
    }
    double value = experiment_take(b->take, x, n, &missing);
    if (n == 0)
        snprintf(out, CELL, " ");
    else if (missing > early) /* not because a run ended early: it has no such value */
        snprintf(out, CELL, "none");
    else if (missing == n)
        snprintf(out, CELL, n == 1 ? "ended early" : "all %d ended early", n);
    else if (missing)
        snprintf(out, CELL, "%.3g (%d of %d ended early)", value, missing, n);
    else
        snprintf(out, CELL, "%.3g", value == 0 ? 0 : value);
    pp_free(&experiment_memory, x);
    return PERP_OK;
}

static void put_row(FILE *to, char (*cells)[CELL], int n, const int *wide) {
    fputs("  ", to);
    for (int k = 0; k < n; k++) fprintf(to, k ? "  %*s" : "%-*s", wide[k], cells[k]);
    fputc('\n', to);
}

static void put_markdown_row(FILE *to, char (*cells)[CELL], int n) {
    fputc('|', to);
    for (int k = 0; k < n; k++) fprintf(to, " %s |", cells[k]);
    fputc('\n', to);
}

static perp_status write_one(experiment *e, const exp_table *b, FILE *to, bool markdown, perp_refusal *why) {
    exp_choice c;
    int measure[COLUMNS_MAX] = {0}, wide[COLUMNS_MAX + 1] = {0}; /* experiment_tables_check() saw to one at least */
    const exp_sweep *s = sweep_of(e, b->sweep, &c);
    int nmeasure = measures_of(e, b, s, measure);
    int row_axis = experiment_find_axis(s, b->rows, strlen(b->rows));
    int column_axis = b->columns ? experiment_find_axis(s, b->columns, strlen(b->columns)) : -1;
    int rows = s->axis[row_axis].n, columns = column_axis < 0 ? nmeasure : s->axis[column_axis].n;
    char(*cells)[CELL] = pp_alloc(&experiment_memory, sizeof *cells * (size_t)((rows + 1) * (columns + 1)));
    if (!cells) return pp_complain_say(why, PERP_E_MEMORY, (pp_location){e->file, 0, 0}, "", "not enough memory");
    perp_status st = PERP_OK;
    snprintf(cells[0], CELL, "%.60s", b->rows);
    for (int k = 0; k < columns; k++)
        snprintf(cells[k + 1], CELL, "%.60s",
                 column_axis < 0 ? s->measure_of[measure[k]].name : axis_text(e, &s->axis[column_axis], k));
    for (int r = 0; !st && r < rows; r++) {
        char(*line)[CELL] = cells + (r + 1) * (columns + 1);
        const char *row = axis_text(e, &s->axis[row_axis], r);
        snprintf(line[0], CELL, "%.60s", row);
        for (int k = 0; !st && k < columns; k++) {
            cell_of of = {row_axis, column_axis, row, NULL, measure[column_axis < 0 ? k : 0]};
            if (column_axis >= 0) of.column = axis_text(e, &s->axis[column_axis], k);
            st = cell(e, b, &c, &of, line[k + 1], why);
        }
    }
    for (int i = 0; !st && i < (rows + 1) * (columns + 1); i++)
        if ((int)strlen(cells[i]) > wide[i % (columns + 1)]) wide[i % (columns + 1)] = (int)strlen(cells[i]);
    if (!st) {
        fprintf(to, markdown ? "%s%s%s%s\n\n" : "  %s%s%s%s\n", b->title, b->unit ? " [" : "", b->unit ? b->unit : "",
                b->unit ? "]" : "");
        for (int r = 0; r <= rows; r++) {
            char(*line)[CELL] = cells + r * (columns + 1);
            if (markdown)
                put_markdown_row(to, line, columns + 1);
            else
                put_row(to, line, columns + 1, wide);
            if (markdown && r == 0) {
                for (int k = 0; k <= columns; k++) fputs(k ? "---|" : "|---|", to);
                fputc('\n', to);
            }
        }
        fputc('\n', to);
        if (markdown && b->about) fprintf(to, "%s\n\n", b->about);
    }
    pp_free(&experiment_memory, cells);
    return st;
}

perp_status experiment_tables_write(experiment *e, FILE *to, bool markdown, perp_refusal *why) {
    perp_status s = PERP_OK;
    for (int i = 0; !s && i < e->ntable; i++) {
        double wanted = 1;
        if (e->table[i].when.node) s = experiment_number(e, &e->table[i].when, "tables", &wanted, why);
        if (!s && wanted != 0) s = write_one(e, &e->table[i], to, markdown, why);
    }
    return s;
}
