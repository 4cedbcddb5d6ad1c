/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_legend.c - the legend of a panel: its shape, what it would hide, its entries
 * Cost     proportional to the entries and to the points of the traces. */
#include "plot/plot_draw.h"

#include <math.h>
#include <stdio.h>

#define SAMPLE 20.0 /* length of line in a legend [pt at 9 pt] */
#define LEGEND 0.9  /* size of its text */
#define MARGIN 5.0  /* from the box to the legend */

int plot_legend_entries(const plot_panel *p) {
    int n = p->nrow > 0 ? p->nstate : 0;
    for (int i = 0; i < p->nline; i++) n += p->line[i].label != NULL;
    return n;
}

/* The i-th entry: its line (or -1) and label. */
static const char *entry(const plot_panel *p, int i, int *line) {
    for (int k = 0; k < p->nline; k++)
        if (p->line[k].label && i-- == 0) return *line = k, p->line[k].label;
    *line = -1;
    return p->state[i];
}

static double line_height(const plot_page *g) { return 1.32 * LEGEND * g->font; }

/* Width of a column of the legend, from its longest label. */
static double column_width(plot_page *g, const plot_frame *f, int column) {
    double width = 0;
    int line;
    for (int i = column * f->rows; i < (column + 1) * f->rows && i < f->entries; i++)
        width = fmax(width, plot_text_width(g, entry(f->p, i, &line), LEGEND, false));
    return fmin((SAMPLE + 4) * g->unit + width, f->entry_width);
}

void plot_legend_shape(plot_page *g, plot_frame *f, double width, double height) {
    int n = plot_legend_entries(f->p), line;
    double label = 0, sample = (SAMPLE + 4) * g->unit;
    for (int i = 0; i < n; i++) label = fmax(label, plot_text_width(g, entry(f->p, i, &line), LEGEND, false));
    label = fmin(label, fmax(width * 0.8 - sample, 10));
    f->entry_width = sample + label;
    double between = 10 * g->unit;
    int most_rows = (int)fmin(fmax(1, floor(height / line_height(g))), 100000),
        most_columns = (int)((width + between) / (f->entry_width + between));
    if (most_columns < 1) most_columns = 1;
    int columns = f->legend == PLOT_ABOVE ? most_columns : (n + most_rows - 1) / most_rows;
    if (columns > most_columns) columns = most_columns;
    if (columns > n) columns = n;
    if (columns < 1) columns = 1;
    f->rows = (n + columns - 1) / columns;
    if (f->legend == PLOT_ABOVE && f->rows > 0) columns = (n + f->rows - 1) / f->rows; /* no half-empty last row */
    if (f->rows > most_rows) f->rows = most_rows;
    f->columns = columns;
    f->entries = n < f->rows * columns ? n : f->rows * columns;
    f->legend_width = (columns - 1) * between;
    for (int c = 0; c < columns; c++) f->legend_width += column_width(g, f, c);
    f->legend_height = f->rows * line_height(g);
}

long plot_legend_hides(plot_frame *f, plot_page *g, plot_place where) {
    double m = MARGIN * g->unit, w = f->legend_width, h = f->legend_height;
    bool left = where == PLOT_TOP_LEFT || where == PLOT_BOTTOM_LEFT || where == PLOT_MIDDLE_LEFT;
    bool centre = where == PLOT_TOP_MIDDLE || where == PLOT_BOTTOM_MIDDLE || where == PLOT_MIDDLE;
    bool top = where == PLOT_TOP_LEFT || where == PLOT_TOP_RIGHT || where == PLOT_TOP_MIDDLE;
    bool half = where == PLOT_MIDDLE_LEFT || where == PLOT_MIDDLE_RIGHT || where == PLOT_MIDDLE;
    f->legend_x = centre ? f->left + (f->width - w) / 2 : left ? f->left + m : f->left + f->width - m - w;
    f->legend_y = half ? f->top + (f->height - h) / 2 : top ? f->top + m : f->top + f->height - m - h;
    double x0 = f->legend_x - m, x1 = x0 + w + 2 * m, y0 = f->legend_y - 0.7 * m, y1 = y0 + h + 1.4 * m;
    long hidden = 0;
    for (int i = 0; i < f->p->nline; i++) {
        const plot_trace *t = &f->trace[i];
        hidden += plot_area_within(f, &f->p->line[i], x0, x1, y0, y1);
        for (long q = 0; q < t->n; q++) {
            plot_point a = t->p[q];
            if (isnan(a.x)) continue;
            bool joined = q + 1 < t->n && !isnan(t->p[q + 1].x) && f->p->line[i].mark != 'x';
            plot_point b = joined ? t->p[q + 1] : a;
            int steps = 1 + (int)(hypot(b.x - a.x, b.y - a.y) / 2);
            for (int s = 0; s < steps; s++) {
                double x = a.x + (b.x - a.x) * s / steps, y = a.y + (b.y - a.y) * s / steps;
                hidden += x > x0 && x < x1 && y > y0 && y < y1;
            }
        }
    }
    return hidden;
}

void plot_draw_legend(plot_page *g, const plot_frame *f) {
    cairo_t *cr = g->cr;
    if (f->legend < PLOT_INSIDE) {
        plot_rgb c = plot_paper(g);
        cairo_set_source_rgba(cr, c.r, c.g, c.b, 0.85);
        cairo_rectangle(cr, f->legend_x - 3 * g->unit, f->legend_y - 2 * g->unit, f->legend_width + 6 * g->unit,
                        f->legend_height + 4 * g->unit);
        cairo_fill(cr);
    }
    int all = plot_legend_entries(f->p);
    double x = f->legend_x;
    for (int i = 0; i < f->entries; i++) {
        int line, row = i % f->rows;
        if (row == 0 && i > 0) x += column_width(g, f, i / f->rows - 1) + 10 * g->unit;
        const char *label = entry(f->p, i, &line);
        double y = f->legend_y + (row + 0.5) * line_height(g);
        double size = LEGEND, end = x + SAMPLE * g->unit;
        double baseline = y + 0.5 * PLOT_CAP * size * g->font;
        if (i == f->entries - 1 && all > f->entries) {
            char more[64];
            snprintf(more, sizeof more, "\xe2\x80\xa6 and %d more", all - f->entries + 1);
            plot_paint_ink(g, 0.7);
            plot_text(g, x, baseline, PLOT_LEFT, more, size, false);
            break;
        }
        if (line >= 0) {
            plot_look k = plot_look_of(g, f->p, line);
            char mark = f->p->line[line].mark;
            plot_point ends[3] = {{x, y}, {end, y}, {NAN, NAN}};
            plot_trace t = {ends, 3};
            const plot_line *l = &f->p->line[line];
            double radius = l->size > 0 ? fmin(l->size, 0.4 * g->font) : 2;
            plot_draw_sample_area(g, l, k.colour, x, end, y);
            if (!plot_marks_alone(l) && mark != 'h') plot_draw_trace(g, &t, &k);
            if (mark == '.') {
                plot_mark_path(g, (x + end) / 2, y, k.shape, radius * g->unit);
                plot_paint(g, k.colour);
                cairo_fill(cr);
            } else if (mark == 'x') {
                plot_cross_path(g, (x + end) / 2, y, radius * g->unit);
                plot_paint(g, k.colour);
                plot_stroke_crosses(g, radius);
            } else if (mark == 'h') { /* the legend has only its area to compare */
            } else if (mark == 'o' || k.mark >= 0) {
                plot_open_mark(g, (x + end) / 2, y, &k, mark == 'o' ? k.shape : k.mark);
            }
        } else {
            int state = i - (all - f->p->nstate);
            double h = plot_bar_height[state % 3] * 0.9 * g->font;
            plot_paint(g, plot_bar_colour(g, state));
            cairo_rectangle(cr, x + 2 * g->unit, y - h / 2, (SAMPLE - 2) * g->unit, h);
            cairo_fill(cr);
        }
        plot_paint_ink(g, 1);
        label = plot_text_fit(g, label, f->entry_width - (SAMPLE + 4) * g->unit + 0.01, &size, false);
        plot_text(g, end + 4 * g->unit, baseline, PLOT_LEFT, label, size, false);
    }
}
