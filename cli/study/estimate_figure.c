/* estimate_figure.c - figures of an estimate: data and residuals over time, estimates along the data, posterior. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "study/estimation.h"
#include "study/figure.h"

enum { BINS = 40, PANELS = 16 };

static perp_status no_memory(perp_refusal *why) {
    return pp_complain_say(why, PERP_E_MEMORY, (pp_place){"", 0, 0}, "estimate", "not enough memory");
}

static perp_status write(plot_panel *panel, int n, const char *folder, const char *name, perp_refusal *why) {
    char path[CLI_PATH];
    plot_figure f = {.panel = panel, .npanel = n, .grid = true};
    snprintf(path, sizeof path, "%.4000s/%s.svg", folder, name);
    return plot_write(&f, path, why);
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

/* Residuals of the fit over time, a panel for each quantity; all cases. */
static perp_status draw_residuals(const estimation *s, const char *folder, perp_refusal *why) {
    const pp_estimate *e = &s->e;
    if (!s->residual) return PERP_OK;
    int np = e->nobserved < PANELS ? e->nobserved : PANELS;
    double *v = malloc(sizeof *v * 2 * (size_t)(e->m + 1) * (size_t)np);
    plot_line line[PANELS];
    plot_panel panel[PANELS];
    char label[PANELS][100];
    long n[PANELS] = {0};
    if (!v) return no_memory(why);
    for (int c = 0; c < e->ncase; c++) {
        const pp_case *x = &e->cases[c];
        const double *r = s->residual + x->first;
        for (int row = 0; x->fit && row < x->nrow; row++) {
            const double *y = x->y + (size_t)row * (size_t)e->columns;
            for (int k = 0; k < e->nobserved; k++) {
                bool missing = isnan(y[0]);
                y += e->observed[k].rotation ? 4 : 1;
                for (int i = 0; !missing && i < e->observed[k].width; i++, r++) {
                    if (k >= np) continue;
                    double *at = v + 2 * (size_t)(e->m + 1) * (size_t)k;
                    at[n[k]] = x->t[row];
                    at[(size_t)(e->m + 1) + (size_t)n[k]++] = *r;
                }
            }
        }
    }
    for (int k = 0; k < np; k++) {
        const double *at = v + 2 * (size_t)(e->m + 1) * (size_t)k;
        line[k] = (plot_line){.x = at, .y = at + e->m + 1, .n = n[k], .mark = '.', .colour = 0};
        snprintf(label[k], sizeof label[k], "residual of %.60s [s.d.]",
                 e->observed[k].rotation ? e->observed[k].body : e->observed[k].column);
        panel[k] = empty("time", label[k], &line[k], 1);
        panel[k].shared = true;
    }
    perp_status st = write(panel, np, folder, "residuals", why);
    free(v);
    return st;
}

/* Estimates of each constant unknown along the data, by all methods that have them. */
static perp_status draw_along(const estimation *s, const char *folder, perp_refusal *why) {
    const pp_estimate *e = &s->e;
    perp_status st = PERP_OK;
    for (int i = 0; !st && i < e->nconstant; i++) {
        int k = e->constant[i], n = 0;
        plot_line line[METHODS_MOST + 1];
        double *room[METHODS_MOST] = {NULL}, ends[4];
        char name[128];
        double last = 0;
        for (int m = 0; m < s->nmethod; m++) {
            const found *f = &s->found[m];
            if (!f->rows) continue;
            double *v = room[m] = malloc(sizeof *v * 3 * (size_t)f->rows);
            if (!v) continue;
            for (int r = 0; r < f->rows; r++) {
                double x = f->mean[r * e->n + k], d = f->deviation[r * e->n + k];
                v[r] = x, v[f->rows + r] = x - d, v[2 * f->rows + r] = x + d;
            }
            last = f->t[f->rows - 1] > last ? f->t[f->rows - 1] : last;
            line[n++] = (plot_line){.x = f->t,
                                    .y = v,
                                    .low = v + f->rows,
                                    .high = v + 2 * f->rows,
                                    .n = f->rows,
                                    .label = f->label,
                                    .colour = PLOT_NEXT};
        }
        if (n && s->fit) {
            ends[0] = 0, ends[1] = last, ends[2] = ends[3] = s->fit->x[k];
            line[n++] =
                (plot_line){.x = ends, .y = ends + 2, .n = 2, .label = "all rows", .colour = PLOT_INK, .dashed = true};
        }
        const char *parameter = e->study->parameter[e->unknown[k].parameter];
        plot_panel panel = empty("time", parameter, line, n);
        snprintf(name, sizeof name, "along-%.60s", parameter);
        if (n) st = write(&panel, 1, folder, name, why);
        for (int m = 0; m < METHODS_MOST; m++) free(room[m]);
    }
    return st;
}

static perp_status draw_posterior(const estimation *s, const found *f, const char *folder, perp_refusal *why) {
    int n = s->e.n < PANELS ? s->e.n : PANELS;
    static double x[PANELS][BINS + 1], y[PANELS][BINS + 1];
    plot_line line[PANELS];
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
        line[k] = (plot_line){.x = x[k], .y = y[k], .n = BINS, .mark = 'h', .colour = 0};
        panel[k] = empty(s->e.study->parameter[s->e.unknown[k].parameter], "draws", &line[k], 1);
    }
    return write(panel, n, folder, "posterior", why);
}

perp_status estimate_figures(const estimation *s, const char *folder, perp_refusal *why) {
    perp_status st = figure_folder(folder, why);
    if (!st) st = draw_residuals(s, folder, why);
    if (!st) st = draw_along(s, folder, why);
    for (int m = 0; !st && m < s->nmethod; m++)
        if (s->found[m].draws && s->found[m].ndraw > 0) st = draw_posterior(s, &s->found[m], folder, why);
    return st;
}
