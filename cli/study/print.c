/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* print.c - the tables and checks of a study as text, Markdown and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/report.h"

enum { COLUMNS_MOST = 24 /* columns of a map as text; wider maps are shown as figures only */ };

static void show(char *out, size_t size, double x) {
    if (isnan(x))
        snprintf(out, size, "-");
    else
        snprintf(out, size, "%.4g", x);
}

static void heading(const report *r, const report_entry *e, report_show how, FILE *to, bool markdown) {
    char title[300];
    if (e->title)
        snprintf(title, sizeof title, "%s", e->title);
    else
        snprintf(title, sizeof title, "%s: %s", e->measure_name, report_show_word(how));
    (void)r;
    if (markdown)
        fprintf(to, "\n**%s**\n\n", title);
    else
        fprintf(to, "\n%s%s%s\n", cli_style(to, "1"), title, cli_style(to, ""));
}

/* One block of rows y and columns x (either may be missing) of a grid, from cell `first` on. */
static void print_block(const pp_study *s, const report_entry *e, const grid *g, uint64_t first, FILE *to, bool md) {
    int nx = e->x >= 0 ? s->axis[e->x].n : 1, ny = e->y >= 0 ? s->axis[e->y].n : 1;
    bool single = e->x < 0; /* then there is room for the interval and the counts */
    const char *bar = md ? " | " : "  ";
    if (md) fputs("| ", to);
    char corner[160]; /* rows \ columns */
    snprintf(corner, sizeof corner, "%s%s%s", e->y >= 0 ? s->axis[e->y].name : "", single ? "" : " \\ ",
             single ? "" : s->axis[e->x].name);
    fprintf(to, md ? "%s" : "  %14s", corner);
    for (int i = 0; i < nx && !single; i++) {
        char v[64];
        report_axis_value(s, e->x, i, v, sizeof v);
        fprintf(to, md ? "%s%s" : "%s%7s", bar, v);
    }
    if (single)
        fprintf(to, md ? " | %s | 95 %% interval | trials | failed" : "  %12s  %21s  %7s %6s",
                report_show_word(g->show), "95 % interval", "trials", "failed");
    fputs(md ? " |\n|" : "\n", to);
    for (int i = 0; md && i < (single ? 5 : nx + 1); i++) fputs("---|", to);
    if (md) fputs("\n", to);
    for (int k = 0; k < ny; k++) {
        char v[64] = "all";
        if (e->y >= 0) report_axis_value(s, e->y, k, v, sizeof v);
        fprintf(to, md ? "| %s" : "  %14s", v);
        for (int i = 0; i < nx; i++) {
            uint64_t c = first + (uint64_t)(k * nx + i);
            char x[32], lo[32], hi[32], both[80];
            show(x, sizeof x, g->value[c]);
            show(lo, sizeof lo, g->low[c]);
            show(hi, sizeof hi, g->high[c]);
            snprintf(both, sizeof both, "%s .. %s", lo, hi);
            if (single)
                fprintf(to, md ? " | %s | %s | %llu | %llu" : "  %12s  %21s  %7llu %6llu", x, both,
                        (unsigned long long)g->cell[c].trials, (unsigned long long)g->cell[c].failed);
            else
                fprintf(to, md ? "%s%s" : "%s%7s", bar, x);
        }
        fputs(md ? " |\n" : "\n", to);
    }
}

/* The points of curves: label, x, y. */
static void print_lines(const report_entry *e, FILE *to, bool md) {
    const char *x = e->xlabel ? e->xlabel : "x", *y = e->ylabel ? e->ylabel : "y";
    if (md)
        fprintf(to, "\n**%s**\n\n| | %s | %s |\n|---|---|---|\n", e->title ? e->title : "Curves", x, y);
    else
        fprintf(to, "\n%s%s%s\n  %-30s %20.20s %20.20s\n", cli_style(to, "1"), e->title ? e->title : "Curves",
                cli_style(to, ""), "", x, y);
    for (int i = 0; i < e->nline; i++)
        for (int k = 0; k < e->line[i].n; k++) {
            const report_line *l = &e->line[i];
            char a[32], b[32];
            const char *label = l->label ? l->label : "";
            show(a, sizeof a, l->at[k]);
            show(b, sizeof b, l->at[l->n + k]);
            fprintf(to, md ? "| %s | %s | %s |\n" : "  %-30.30s %20s %20s\n", label, a, b);
        }
}

static perp_status print_entry(const report *r, const pp_table *t, const report_entry *e, FILE *to, bool md,
                               perp_refusal *why) {
    const pp_study *s = r->study;
    int axis[REPORT_AXES], n = 0;
    if (e->kind == REPORT_HISTOGRAM || e->kind == REPORT_SCATTER) return PERP_OK;
    if (e->kind == REPORT_LINES) {
        print_lines(e, to, md);
        return PERP_OK;
    }
    for (int k = 0; k < e->nby; k++) axis[n++] = e->by[k];
    report_entry shape = *e;
    if (e->kind == REPORT_PLOT) shape.y = e->x, shape.x = -1;
    if (shape.y >= 0) axis[n++] = shape.y;
    if (shape.x >= 0) axis[n++] = shape.x;
    grid g;
    perp_status st = grid_make(t, e->measure, axis, n, e->show, &g, why);
    if (st) return st;
    uint64_t block =
        (uint64_t)(shape.x >= 0 ? s->axis[shape.x].n : 1) * (uint64_t)(shape.y >= 0 ? s->axis[shape.y].n : 1);
    if (shape.x >= 0 && s->axis[shape.x].n > COLUMNS_MOST) {
        grid_free(&g);
        return PERP_OK;
    }
    heading(r, e, g.show, to, md);
    for (uint64_t b = 0; b < g.cells / block; b++) {
        char title[300];
        report_combination(s, e, b, title, sizeof title);
        if (*title) fprintf(to, md ? "\n%s\n\n" : "  %s\n", title);
        print_block(s, &shape, &g, b * block, to, md);
    }
    grid_free(&g);
    return PERP_OK;
}

perp_status report_print(const report *r, const pp_table *t, FILE *to, bool markdown, perp_refusal *why) {
    perp_status st = PERP_OK;
    for (int i = 0; !st && i < r->nentry; i++) st = print_entry(r, t, &r->entry[i], to, markdown, why);
    if (!st) checks_print(r->check, r->ncheck, to, markdown);
    return st;
}

void report_json(const report *r, const pp_table *t, json *j) {
    const pp_study *s = r->study;
    json_key(j, "measures");
    json_object(j);
    for (int i = 0; i < s->nmeasure; i++) {
        grid g;
        if (grid_make(t, s->nparameter + i, NULL, 0, SHOW_AUTO, &g, NULL)) continue;
        json_key(j, s->measure[i].name);
        json_object(j);
        json_field_string(j, "shows", report_show_word(g.show));
        json_field_number(j, "value", g.value[0]);
        json_field_number(j, "low", g.low[0]);
        json_field_number(j, "high", g.high[0]);
        json_field_number(j, "deviation", pp_cell_deviation(&g.cell[0]));
        json_field_number(j, "smallest", g.cell[0].smallest);
        json_field_number(j, "largest", g.cell[0].largest);
        json_field_whole(j, "nonzero", (long long)g.cell[0].nonzero);
        json_field_whole(j, "missing", (long long)g.cell[0].missing);
        json_end(j, '}');
        grid_free(&g);
    }
    json_end(j, '}');
    checks_json(r->check, r->ncheck, j);
}
