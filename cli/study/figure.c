/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* figure.c - maps, plots, histograms and scatter plots of a study's trials. */
#include "study/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"
#include "plot/plot.h"

enum { PANELS_MOST = 64, LINES_MOST = 64, BINS = 30 };

static perp_status no_memory(perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){"", 0, 0}, "report", "not enough memory");
}

perp_status figure_folder(const char *folder, perp_refusal *why) {
    return experiment_folder(folder, why) ? PERP_OK : PERP_E_IO;
}

/* Name and unit of a parameter, as a label: "x [mm]". parameter: its index in the scene; -1: it has no unit. */
static void label_of(const pp_study *s, const char *name, int parameter, char *out, size_t size) {
    const char *unit = parameter >= 0 ? perp_scene_parameter_at(s->scene, parameter).unit : "";
    snprintf(out, size, *unit ? "%s [%s]" : "%s", name, unit);
}

static void axis_label(const pp_study *s, const pp_study_axis *x, const char *given, char *out, size_t size) {
    if (given)
        snprintf(out, size, "%s", given);
    else
        label_of(s, x->name, x->parameter, out, size);
}

static uint64_t combinations(const pp_study *s, const report_entry *e) {
    uint64_t n = 1;
    for (int i = 0; i < e->nby; i++) n *= (uint64_t)s->axis[e->by[i]].n;
    return n;
}

static perp_status entry_grid(const pp_table *t, const report_entry *e, grid *g, perp_refusal *why) {
    int axis[REPORT_AXES], n = 0;
    for (int i = 0; i < e->nby; i++) axis[n++] = e->by[i];
    if (e->y >= 0) axis[n++] = e->y;
    if (e->x >= 0) axis[n++] = e->x;
    return grid_make(t, e->measure, axis, n, e->show, g, why);
}

/* ---- maps ---- */

static perp_status draw_map(const report *r, const pp_table *t, const report_entry *e, const char *path,
                            perp_refusal *why) {
    const pp_study *s = r->study;
    const pp_study_axis *x = &s->axis[e->x], *y = &s->axis[e->y];
    uint64_t n = combinations(s, e), block = (uint64_t)x->n * (uint64_t)y->n;
    grid g;
    perp_status st = entry_grid(t, e, &g, why);
    if (st) return st;
    if (n > PANELS_MOST) n = PANELS_MOST;
    plot_panel panel[PANELS_MOST];
    plot_map map[PANELS_MOST];
    static char title[PANELS_MOST][200];
    char xlabel[200], ylabel[200], label[200];
    double lo, hi;
    grid_range(&g, false, &lo, &hi);
    axis_label(s, x, e->xlabel, xlabel, sizeof xlabel);
    axis_label(s, y, e->ylabel, ylabel, sizeof ylabel);
    snprintf(label, sizeof label, "%s of %s", report_show_word(g.show), e->measure_name);
    for (uint64_t k = 0; k < n; k++) {
        report_combination(s, e, k, title[k], sizeof title[k]);
        map[k] = (plot_map){.nx = x->n,
                            .ny = y->n,
                            .x = x->value,
                            .y = y->value,
                            .value = g.value + k * block,
                            .lo = lo,
                            .hi = hi,
                            .label = label,
                            .contour = &e->contour,
                            .ncontour = isnan(e->contour) ? 0 : 1};
        panel[k] = (plot_panel){.title = title[k],
                                .xlabel = xlabel,
                                .ylabel = ylabel,
                                .map = &map[k],
                                .xmin = NAN,
                                .xmax = NAN,
                                .ymin = NAN,
                                .ymax = NAN};
    }
    int columns = e->nby ? s->axis[e->by[e->nby - 1]].n : 1;
    plot_figure f = {.title = e->title, .panel = panel, .npanel = (int)n, .columns = columns > 6 ? 4 : columns};
    st = plot_write(&f, path, why);
    grid_free(&g);
    return st;
}

/* ---- plots ---- */

typedef struct labels {
    const char *x, *y;
} labels;

/* Writes curves as one panel. */
static perp_status write_curves(const report_entry *e, const plot_line *line, int n, labels of, const char *path,
                                perp_refusal *why) {
    plot_panel panel = {.xlabel = of.x,
                        .ylabel = of.y,
                        .line = line,
                        .nline = n,
                        .logx = e->logx,
                        .logy = e->logy,
                        .xmin = NAN,
                        .xmax = NAN,
                        .ymin = NAN,
                        .ymax = NAN};
    plot_figure f = {.title = e->title, .panel = &panel, .npanel = 1, .grid = true};
    return plot_write(&f, path, why);
}

static perp_status draw_plot(const report *r, const pp_table *t, const report_entry *e, const char *path,
                             perp_refusal *why) {
    const pp_study *s = r->study;
    const pp_study_axis *x = &s->axis[e->x];
    uint64_t n = combinations(s, e);
    grid g;
    perp_status st = entry_grid(t, e, &g, why);
    if (st) return st;
    if (n > LINES_MOST) n = LINES_MOST;
    plot_line line[LINES_MOST];
    static char label[LINES_MOST][200];
    char xlabel[200], ylabel[200];
    axis_label(s, x, e->xlabel, xlabel, sizeof xlabel);
    snprintf(ylabel, sizeof ylabel, "%s of %s", report_show_word(g.show), e->measure_name);
    for (uint64_t k = 0; k < n; k++) {
        uint64_t first = k * (uint64_t)x->n;
        report_combination(s, e, k, label[k], sizeof label[k]);
        line[k] = (plot_line){.x = x->value,
                              .y = g.value + first,
                              .low = g.low + first,
                              .high = g.high + first,
                              .n = x->n,
                              .label = *label[k] ? label[k] : NULL,
                              .colour = PLOT_NEXT,
                              .mark = 'o'};
    }
    const labels of = {xlabel, e->ylabel ? e->ylabel : ylabel};
    st = write_curves(e, line, (int)n, of, path, why);
    grid_free(&g);
    return st;
}

/* ---- curves of expressions over trials ---- */

static perp_status draw_lines(const report_entry *e, const char *path, perp_refusal *why) {
    plot_line line[LINES_MOST];
    int n = e->nline < LINES_MOST ? e->nline : LINES_MOST;
    for (int k = 0; k < n; k++) {
        const report_line *l = &e->line[k];
        line[k] =
            (plot_line){.x = l->at, .y = l->at + l->n, .n = l->n, .label = l->label, .colour = PLOT_NEXT, .mark = 'o'};
    }
    const labels of = {e->xlabel ? e->xlabel : "", e->ylabel ? e->ylabel : ""};
    return write_curves(e, line, n, of, path, why);
}

/* ---- histograms ---- */

static bool usable(const pp_row *r, double x) { return r->outcome <= PP_TRIAL_ENDED && isfinite(x); }

static perp_status draw_histogram(const report *r, const pp_table *t, const report_entry *e, const char *path,
                                  perp_refusal *why) {
    int bins = e->bins ? e->bins : BINS;
    double lo = INFINITY, hi = -INFINITY;
    double *x = calloc(2 * (size_t)bins + 2, sizeof *x), *y = x ? x + bins + 1 : NULL;
    if (!x) return no_memory(why);
    for (uint64_t i = 0; i < t->n; i++) {
        double v = pp_table_row(t, i)->value[e->measure];
        if (!usable(pp_table_row(t, i), v)) continue;
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
    }
    if (!(lo < hi)) hi = lo + 1;
    if (!isfinite(lo)) lo = 0, hi = 1;
    for (int k = 0; k <= bins; k++) x[k] = lo + (hi - lo) * k / bins;
    for (uint64_t i = 0; i < t->n; i++) {
        double v = pp_table_row(t, i)->value[e->measure];
        if (!usable(pp_table_row(t, i), v)) continue;
        int k = (int)((v - lo) / (hi - lo) * bins);
        y[k < bins ? k : bins - 1]++;
    }
    plot_line line = {.x = x, .y = y, .n = bins, .mark = 'h', .colour = 0};
    plot_panel panel = {.xlabel = e->xlabel ? e->xlabel : e->measure_name,
                        .ylabel = e->ylabel ? e->ylabel : "trials",
                        .line = &line,
                        .nline = 1,
                        .xmin = NAN,
                        .xmax = NAN,
                        .ymin = 0,
                        .ymax = NAN};
    plot_figure f = {.title = e->title, .panel = &panel, .npanel = 1};
    (void)r;
    perp_status st = plot_write(&f, path, why);
    free(x);
    return st;
}

/* ---- scatter: which trials a measure holds for, over two parameters ---- */

static perp_status draw_scatter(const report *r, const pp_table *t, const report_entry *e, const char *path,
                                perp_refusal *why) {
    double *v = malloc(sizeof *v * 4 * (size_t)(t->n + 1));
    if (!v) return no_memory(why);
    double *x[2] = {v, v + t->n}, *y[2] = {v + 2 * t->n, v + 3 * t->n};
    long n[2] = {0, 0};
    for (uint64_t i = 0; i < t->n; i++) {
        const pp_row *w = pp_table_row(t, i);
        double m = w->value[e->measure];
        if (!usable(w, m)) continue;
        int k = m != 0;
        x[k][n[k]] = w->value[e->x];
        y[k][n[k]++] = w->value[e->y];
    }
    char no[80];
    snprintf(no, sizeof no, "not %.60s", e->measure_name);
    plot_line line[2] = {{.x = x[1], .y = y[1], .n = n[1], .mark = '.', .colour = 2, .label = e->measure_name},
                         {.x = x[0], .y = y[0], .n = n[0], .mark = 'x', .colour = 1, .label = no}};
    const pp_study *s = r->study;
    const char *name[2];
    const int index[2] = {e->x, e->y};
    for (int i = 0; i < 2; i++)
        name[i] = index[i] < s->nparameter ? s->parameter[index[i]] : s->measure[index[i] - s->nparameter].name;
    plot_panel panel = {.xlabel = e->xlabel ? e->xlabel : name[0],
                        .ylabel = e->ylabel ? e->ylabel : name[1],
                        .line = line,
                        .nline = 2,
                        .xmin = NAN,
                        .xmax = NAN,
                        .ymin = NAN,
                        .ymax = NAN};
    plot_figure f = {.title = e->title, .panel = &panel, .npanel = 1, .legend = "above"};
    perp_status st = plot_write(&f, path, why);
    free(v);
    return st;
}

perp_status report_figures(const report *r, const pp_table *t, const char *folder, int *n, perp_refusal *why) {
    perp_status st = figure_folder(folder, why);
    *n = 0;
    for (int i = 0; !st && i < r->nentry; i++) {
        const report_entry *e = &r->entry[i];
        char name[160], path[CLI_PATH];
        report_file_name(r, i, name, sizeof name);
        if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
            return pp_complain(why, PERP_E_IO, (pp_location){"", 0, 0}, "", "a path that is too long", "a shorter one");
        if (e->kind == REPORT_TABLE || t->n == 0) continue;
        st = e->kind == REPORT_MAP         ? draw_map(r, t, e, path, why)
             : e->kind == REPORT_PLOT      ? draw_plot(r, t, e, path, why)
             : e->kind == REPORT_LINES     ? draw_lines(e, path, why)
             : e->kind == REPORT_HISTOGRAM ? draw_histogram(r, t, e, path, why)
                                           : draw_scatter(r, t, e, path, why);
        *n += !st;
    }
    return st;
}

/* ---- searches ---- */

static perp_status draw_history(const pp_design_search *h, const char *path, perp_refusal *why) {
    size_t n = (size_t)h->count;
    double *v = malloc(sizeof *v * 3 * (n + 1)), sign = h->design->maximise ? -1 : 1, best = NAN;
    if (!v) return no_memory(why);
    bool positive = true;
    for (size_t i = 0; i < n; i++) {
        const pp_design_record *r = &h->record[i];
        v[i] = (double)i + 1;
        v[n + i] = r->f;
        if (!isnan(r->f) && r->violation <= 0 && !(sign * best <= sign * r->f)) best = r->f;
        v[2 * n + i] = best;
        positive = positive && !(r->f <= 0);
    }
    plot_line line[2] = {{.x = v, .y = v + n, .n = (long)n, .mark = '.', .colour = 0, .label = "design"},
                         {.x = v, .y = v + 2 * n, .n = (long)n, .colour = 1, .label = "best so far"}};
    plot_panel panel = {.xlabel = "evaluation",
                        .ylabel = "objective",
                        .line = line,
                        .nline = 2,
                        .logy = positive && !h->design->maximise, /* a cost falls by powers of ten */
                        .xmin = NAN,
                        .xmax = NAN,
                        .ymin = NAN,
                        .ymax = NAN};
    plot_figure f = {.panel = &panel, .npanel = 1, .grid = true};
    perp_status st = plot_write(&f, path, why);
    free(v);
    return st;
}

/* Designs over pairs of parameters: those that pass, those that a proof ruled out, those that failed in trials. */
static perp_status draw_designs(const pp_design_search *h, const char *path, perp_refusal *why) {
    enum { STATES = 3 };
    static const char *const words[STATES] = {"passes", "fails in trials", "ruled out"};
    const pp_design *d = h->design;
    int pairs = d->n / 2 + d->n % 2, dim = d->n;
    if (pairs > 12) pairs = 12;
    size_t n = (size_t)h->count;
    double *v = malloc(sizeof *v * (size_t)(dim + 1) * STATES * (n + 1));
    plot_line line[12][STATES];
    plot_panel panel[12];
    char label[12][2][120];
    if (!v) return no_memory(why);
    long count[STATES] = {0};
    for (size_t i = 0; i < n; i++) {
        int level = h->record[i].level;
        if (level == PP_DESIGN_NOT_RUN) continue;
        int k = level < 0 ? 0 : level < d->nlevel && !d->level[level].trials ? 2 : 1;
        for (int p = 0; p < dim; p++)
            v[((size_t)p * STATES + (size_t)k) * (n + 1) + (size_t)count[k]] = h->x[i * (size_t)dim + (size_t)p];
        count[k]++;
    }
    for (int q = 0; q < pairs; q++) {
        int a = 2 * q, b = 2 * q + 1 < dim ? 2 * q + 1 : 0;
        for (int k = 0; k < STATES; k++)
            line[q][k] = (plot_line){.x = v + ((size_t)a * STATES + (size_t)k) * (n + 1),
                                     .y = v + ((size_t)b * STATES + (size_t)k) * (n + 1),
                                     .n = count[k],
                                     .mark = k == 0 ? '.' : 'x',
                                     .colour = k == 0   ? 2
                                               : k == 1 ? 1
                                                        : 7,
                                     .label = words[k]};
        label_of(d->study, d->study->parameter[d->parameter[a]], d->parameter[a], label[q][0], sizeof label[q][0]);
        label_of(d->study, d->study->parameter[d->parameter[b]], d->parameter[b], label[q][1], sizeof label[q][1]);
        panel[q] = (plot_panel){.xlabel = label[q][0],
                                .ylabel = label[q][1],
                                .line = line[q],
                                .nline = STATES,
                                .xmin = NAN,
                                .xmax = NAN,
                                .ymin = NAN,
                                .ymax = NAN};
    }
    plot_figure f = {.panel = panel, .npanel = pairs, .columns = pairs > 1 ? 2 : 1};
    perp_status st = plot_write(&f, path, why);
    free(v);
    return st;
}

perp_status design_figures(const pp_design_search *h, const char *folder, perp_refusal *why) {
    char path[CLI_PATH];
    bool drawn = h->design->sample;
    perp_status st = figure_folder(folder, why);
    if (st) return st;
    snprintf(path, sizeof path, "%.4000s/%s.svg", folder, drawn ? "designs" : "history");
    return drawn ? draw_designs(h, path, why) : draw_history(h, path, why);
}
