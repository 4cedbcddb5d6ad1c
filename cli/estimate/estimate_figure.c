/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* estimate_figure.c - figures of an estimate: data with the fitted run, residuals, estimates along the data, posterior. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"
#include "estimate/estimation.h"
#include "study/figure.h"

enum { BINS = 40, PANELS = 16 };
#define TWO_SIDED 1.96 /* standard deviations that hold 95 % of normal numbers */

static perp_status no_memory(perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_location){"", 0, 0}, "estimate", "not enough memory");
}

/* height [mm]; 0: by the panels. */
static perp_status write(plot_panel *panel, int n, double height, const char *folder, const char *name,
                         perp_refusal *why) {
    char path[CLI_PATH];
    plot_figure f = {.panel = panel, .npanel = n, .height = height, .grid = true};
    snprintf(path, sizeof path, "%.4000s/%s.svg", folder, name);
    return plot_write(&f, path, why);
}

static const char *quantity(const estimation *s, int k) {
    return s->e.observed[k].rotation ? s->e.observed[k].body : s->e.observed[k].column;
}

static plot_panel empty(const char *xlabel, const char *ylabel, const plot_line *line, int n) {
    return (plot_panel){.xlabel = xlabel,
                        .ylabel = ylabel,
                        .line = line,
                        .nline = n,
                        .xmin = NAN,
                        .xmax = NAN,
                        .ymin = NAN,
                        .ymax = NAN};
}

/* Numbers of each quantity over time, all fitted cases one after the other with a gap (NAN) between them. */
typedef struct series {
    double *v;            /* room: for each quantity t, residual, measured, fitted, of `most` numbers each */
    long n[PANELS], most; /* numbers of each quantity */
    int np;               /* quantities that are drawn */
} series;

static double *of(const series *s, int k, int part) { return s->v + (size_t)(4 * k + part) * (size_t)s->most; }

static void put(series *s, int k, double t, double residual, double measured, double fitted) {
    long i = s->n[k]++;
    of(s, k, 0)[i] = t, of(s, k, 1)[i] = residual, of(s, k, 2)[i] = measured, of(s, k, 3)[i] = fitted;
}

static bool collect(const estimation *s, series *out) {
    const pp_estimate *e = &s->e;
    *out = (series){.np = e->nobserved < PANELS ? e->nobserved : PANELS, .most = e->m + e->ncase + 1};
    out->v = malloc(sizeof *out->v * 4 * (size_t)out->most * (size_t)out->np);
    if (!out->v) return false;
    for (int c = 0; c < e->ncase; c++) {
        const pp_case *x = &e->cases[c];
        const double *r = s->residual + x->first;
        for (int row = 0; x->fit && row < x->nrow; row++) {
            const double *y = x->y + (size_t)row * (size_t)e->columns;
            for (int k = 0; k < e->nobserved; k++) {
                const pp_observed *o = &e->observed[k];
                double data = y[0];
                y += o->rotation ? 4 : 1;
                for (int i = 0; !isnan(data) && i < o->width; i++, r++)
                    if (k < out->np) put(out, k, x->t[row], *r, data, data + *r * o->sd);
            }
        }
        for (int k = 0; x->fit && k < out->np; k++) put(out, k, NAN, NAN, NAN, NAN);
    }
    return true;
}

static void time_label(const estimation *s, char *out, size_t size) {
    const char *unit = perp_scene_units(s->e.study->scene).time;
    snprintf(out, size, "time%s%.20s%s", unit && *unit ? " [" : "", unit && *unit ? unit : "",
             unit && *unit ? "]" : "");
}

/* Residuals of the fit over time, a panel for each quantity. 95 % of them should lie between the dashed lines. */
static perp_status draw_residuals(const estimation *s, const series *v, const char *folder, perp_refusal *why) {
    plot_line line[PANELS][3];
    plot_panel panel[PANELS];
    char label[PANELS][100], time[40];
    double ends[PANELS][2];
    static const double low[2] = {-TWO_SIDED, -TWO_SIDED}, high[2] = {TWO_SIDED, TWO_SIDED};
    time_label(s, time, sizeof time);
    for (int k = 0; k < v->np; k++) {
        const double *t = of(v, k, 0), *r = of(v, k, 1);
        double most = 0;
        ends[k][0] = INFINITY, ends[k][1] = -INFINITY;
        for (long i = 0; i < v->n[k]; i++)
            if (!isnan(t[i]))
                ends[k][0] = fmin(ends[k][0], t[i]), ends[k][1] = fmax(ends[k][1], t[i]), most = fmax(most, fabs(r[i]));
        line[k][0] = (plot_line){.x = t, .y = r, .n = v->n[k], .mark = '.', .colour = 0};
        line[k][1] = (plot_line){.x = ends[k], .y = low, .n = 2, .colour = PLOT_INK, .dashed = true};
        line[k][2] = (plot_line){.x = ends[k], .y = high, .n = 2, .colour = PLOT_INK, .dashed = true};
        snprintf(label[k], sizeof label[k], "residual of %.60s [s.d.]", quantity(s, k));
        bool limits = most > 1 && ends[k][0] < ends[k][1]; /* much smaller ones would not be seen beside them */
        panel[k] = empty(time, label[k], line[k], limits ? 3 : 1);
        panel[k].shared = true;
    }
    return write(panel, v->np, v->np * 42 + 12, folder, "residuals", why);
}

/* What was measured and what the fitted run gives. A rotation has no such picture. */
static perp_status draw_fit(const estimation *s, const series *v, const char *folder, perp_refusal *why) {
    plot_line line[PANELS][2];
    plot_panel panel[PANELS];
    char time[40];
    int n = 0;
    time_label(s, time, sizeof time);
    for (int k = 0; k < v->np; k++) {
        if (s->e.observed[k].rotation) continue;
        line[n][0] = (plot_line){
            .x = of(v, k, 0), .y = of(v, k, 2), .n = v->n[k], .mark = '.', .colour = 0, .label = "measured"};
        line[n][1] = (plot_line){.x = of(v, k, 0), .y = of(v, k, 3), .n = v->n[k], .colour = 1, .label = "fitted run"};
        panel[n] = empty(time, quantity(s, k), line[n], 2);
        panel[n++].shared = true;
    }
    return n ? write(panel, n, n * 42 + 12, folder, "fit", why) : PERP_OK;
}

/* Estimates of one unknown along the data, a panel for each method, because their errors may differ by orders of magnitude. */
static perp_status draw_along(const estimation *s, int k, const char *folder, perp_refusal *why) {
    const pp_estimate *e = &s->e;
    plot_line line[METHODS_MOST][2];
    plot_panel panel[METHODS_MOST];
    double *room[METHODS_MOST] = {NULL}, ends[4] = {INFINITY, -INFINITY, NAN, NAN};
    char name[128], time[40], label[METHODS_MOST][160];
    const char *parameter = e->study->parameter[e->unknown[k].parameter];
    int n = 0;
    time_label(s, time, sizeof time);
    for (int m = 0; m < s->nmethod; m++)
        for (int r = 0; r < s->found[m].rows; r++)
            ends[0] = fmin(ends[0], s->found[m].t[r]), ends[1] = fmax(ends[1], s->found[m].t[r]);
    if (s->fit) ends[2] = ends[3] = s->fit->x[k];
    for (int m = 0; m < s->nmethod; m++) {
        const found *f = &s->found[m];
        if (!f->rows) continue;
        double *v = room[m] = malloc(sizeof *v * 3 * (size_t)f->rows);
        if (!v) continue;
        for (int r = 0; r < f->rows; r++) {
            double x = f->mean[r * e->n + k], d = f->deviation[r * e->n + k];
            v[r] = x, v[f->rows + r] = x - d, v[2 * f->rows + r] = x + d;
        }
        snprintf(label[n], sizeof label[n], "%s, with its s.d.", f->label);
        line[n][0] = (plot_line){.x = f->t,
                                 .y = v,
                                 .low = v + f->rows,
                                 .high = v + 2 * f->rows,
                                 .n = f->rows,
                                 .label = label[n],
                                 .colour = n};
        line[n][1] =
            (plot_line){.x = ends, .y = ends + 2, .n = 2, .label = "all rows", .colour = PLOT_INK, .dashed = true};
        panel[n] = empty(time, parameter, line[n], s->fit ? 2 : 1);
        panel[n].xmin = ends[0], panel[n].xmax = ends[1];
        panel[n++].shared = true;
    }
    snprintf(name, sizeof name, "along-%.60s", parameter);
    perp_status st = n ? write(panel, n, n * 48 + 12, folder, name, why) : PERP_OK;
    for (int m = 0; m < METHODS_MOST; m++) free(room[m]);
    return st;
}

static perp_status draw_posterior(const estimation *s, const found *f, const char *folder, perp_refusal *why) {
    int n = s->e.n < PANELS ? s->e.n : PANELS;
    static double x[PANELS][BINS + 1], y[PANELS][BINS + 1], middle[PANELS][BINS], normal[PANELS][BINS];
    plot_line line[PANELS][2];
    plot_panel panel[PANELS];
    for (int k = 0; k < n; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < f->ndraw; i++)
            lo = fmin(lo, f->draws[i * s->e.n + k]), hi = fmax(hi, f->draws[i * s->e.n + k]);
        if (!(lo < hi)) hi = lo + 1;
        for (int b = 0; b <= BINS; b++) x[k][b] = lo + (hi - lo) * b / BINS, y[k][b] = 0;
        for (int i = 0; i < f->ndraw; i++) {
            int b = (int)((f->draws[i * s->e.n + k] - lo) / (hi - lo) * BINS);
            y[k][b < BINS ? b : BINS - 1]++;
        }
        line[k][0] = (plot_line){.x = x[k], .y = y[k], .n = BINS, .mark = 'h', .colour = 0, .label = "draws"};
        bool compare = s->fit && s->fit->row_sd[k] > 0 && isfinite(s->fit->row_sd[k]);
        for (int b = 0; compare && b < BINS; b++) {
            double sd = s->fit->row_sd[k], z = (x[k][b] + x[k][b + 1]) / 2;
            middle[k][b] = z, z = (z - s->fit->x[k]) / sd;
            normal[k][b] = f->ndraw * (hi - lo) / BINS / sd * exp(-z * z / 2) / sqrt(2 * 3.14159265358979323846);
        }
        line[k][1] = (plot_line){.x = middle[k], .y = normal[k], .n = BINS, .colour = 1, .label = "least squares"};
        panel[k] = empty(s->e.study->parameter[s->e.unknown[k].parameter], "draws", line[k], compare ? 2 : 1);
    }
    plot_figure figure = {.panel = panel, .npanel = n, .grid = true, .columns = n > 1 ? 2 : 1};
    char path[CLI_PATH];
    snprintf(path, sizeof path, "%.4000s/posterior.svg", folder);
    return plot_write(&figure, path, why);
}

perp_status estimate_figures(const estimation *s, const char *folder, perp_refusal *why) {
    perp_status st = figure_folder(folder, why);
    series v = {0};
    if (!st && s->residual && !collect(s, &v)) st = no_memory(why);
    if (!st && v.v) st = draw_residuals(s, &v, folder, why);
    if (!st && v.v) st = draw_fit(s, &v, folder, why);
    free(v.v);
    for (int i = 0; !st && i < s->e.nconstant; i++) st = draw_along(s, s->e.constant[i], folder, why);
    for (int m = 0; !st && m < s->nmethod; m++)
        if (s->found[m].draws && s->found[m].ndraw > 0) st = draw_posterior(s, &s->found[m], folder, why);
    return st;
}
