/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_interval.c - intervals around lines and marks, and histograms
 *   marks: error bars with caps; lines and steps: a pale band; histograms: filled bars on zero, with error bars
 * Valid    any numbers; an interval that is not a number on one side is open there (no cap), on both sides it is not
 *          drawn. A band has gaps where its line has.
 * Cost     proportional to the points. */
#include "plot/plot_draw.h"

#include <math.h>

#define CAP  2.0  /* half the width of the cap of an error bar [pt at 9 pt] */
#define PALE 0.22 /* how much of its colour a band has, and twice this a bar */

bool plot_marks_alone(const plot_line *l) { return l->mark == '.' || l->mark == 'x'; }

bool plot_band_of(const plot_line *l) { return (l->low || l->high) && (l->mark == 0 || l->mark == 's'); }

bool plot_has_bars(const plot_panel *p) {
    for (int i = 0; i < p->nline; i++)
        if (p->line[i].mark == 'h' && p->line[i].n > 0) return true;
    return false;
}

void plot_interval_range(const plot_panel *p, const plot_line *l, const plot_axis *x, plot_range *r) {
    for (long k = 0; k < l->n; k++) {
        if (!plot_shows(l->y[k], p->logy)) continue;
        bool within = l->mark == 'h' ? l->x[k + 1] > x->lo && l->x[k] < x->hi : l->x[k] >= x->lo && l->x[k] <= x->hi;
        if (!within) continue;
        if (l->low) plot_range_add(r, &l->low[k], 1, p->logy);
        if (l->high) plot_range_add(r, &l->high[k], 1, p->logy);
        if (l->mark == 'h') plot_range_add(r, &l->y[k], 1, p->logy);
    }
    const double zero = 0;
    if (l->mark == 'h' && l->n > 0) plot_range_add(r, &zero, 1, p->logy);
}

/* An end of the interval of point k; the point itself where that side is open. */
static double low_of(const plot_frame *f, const plot_line *l, long k) {
    return l->low && plot_shows(l->low[k], f->y.log) ? l->low[k] : l->y[k];
}
static double high_of(const plot_frame *f, const plot_line *l, long k) {
    return l->high && plot_shows(l->high[k], f->y.log) ? l->high[k] : l->y[k];
}

/* ---- bands ---- */

/* Corners along one side of a band, points a to b; back: from b to a. */
static void side(plot_page *g, const plot_frame *f, const plot_line *l, long a, long b, bool back) {
    for (long i = 0; i <= b - a; i++) {
        long k = back ? b - i : a + i;
        plot_point p = plot_on_page(f, l->x[k], back ? low_of(f, l, k) : high_of(f, l, k));
        long before = back ? k + 1 : k - 1; /* steps: a corner between two points, at the height of the left one */
        if (l->mark == 's' && i > 0) {
            plot_point q = plot_on_page(f, l->x[before], back ? low_of(f, l, before) : high_of(f, l, before));
            cairo_line_to(g->cr, back ? q.x : p.x, back ? p.y : q.y);
        }
        cairo_line_to(g->cr, p.x, p.y);
    }
}

static void draw_band(plot_page *g, const plot_frame *f, const plot_line *l, plot_rgb colour) {
    cairo_t *cr = g->cr;
    for (long a = 0; a < l->n; a++) {
        if (!plot_shown(f, l, a)) continue;
        long b = a;
        while (b + 1 < l->n && plot_shown(f, l, b + 1)) b++;
        cairo_new_sub_path(cr);
        side(g, f, l, a, b, false);
        side(g, f, l, a, b, true);
        cairo_close_path(cr);
        a = b;
    }
    cairo_set_source_rgba(cr, colour.r, colour.g, colour.b, PALE); /* bands of several lines show through each other */
    cairo_fill(cr);
}

/* ---- histograms ---- */

/* Rectangle of bar k on the page, within the box. False: there is none. */
static bool bar_on_page(const plot_frame *f, const plot_line *l, long k, double box[4]) {
    if (!plot_shows(l->x[k], f->x.log) || !plot_shows(l->x[k + 1], f->x.log) || !plot_shows(l->y[k], f->y.log))
        return false;
    double base = f->y.log ? f->y.lo : 0;
    plot_point a = plot_on_page(f, l->x[k], l->y[k]), b = plot_on_page(f, l->x[k + 1], base);
    box[0] = fmax(a.x, f->left);
    box[1] = fmin(b.x, f->left + f->width);
    box[2] = fmax(fmin(a.y, b.y), f->top);
    box[3] = fmin(fmax(a.y, b.y), f->top + f->height);
    return box[0] < box[1] && box[2] < box[3];
}

/* Filled, with an outline around each run of bars; no lines between neighbours, so many bars stay readable. */
static void draw_bars(plot_page *g, const plot_frame *f, const plot_line *l, plot_rgb colour) {
    cairo_t *cr = g->cr;
    double b[4];
    for (long k = 0; k < l->n; k++)
        if (bar_on_page(f, l, k, b)) cairo_rectangle(cr, b[0], b[2], b[1] - b[0], b[3] - b[2]);
    cairo_set_source_rgba(cr, colour.r, colour.g, colour.b, 2 * PALE);
    cairo_fill(cr);
    bool open = false;
    for (long k = 0; k < l->n; k++) {
        if (!plot_shows(l->y[k], f->y.log) || !plot_shows(l->x[k], f->x.log) || !plot_shows(l->x[k + 1], f->x.log)) {
            open = false;
            continue;
        }
        double base = plot_on_page(f, l->x[k], f->y.log ? f->y.lo : 0).y;
        plot_point a = plot_on_page(f, l->x[k], l->y[k]), e = plot_on_page(f, l->x[k + 1], l->y[k]);
        if (!open) cairo_move_to(cr, a.x, base);
        cairo_line_to(cr, a.x, a.y);
        cairo_line_to(cr, e.x, e.y);
        open = k + 1 < l->n && plot_shows(l->y[k + 1], f->y.log) && plot_shows(l->x[k + 2], f->x.log);
        if (!open) cairo_line_to(cr, e.x, base);
    }
    plot_paint(g, colour);
    cairo_set_line_width(cr, 0.8 * g->unit);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_MITER);
    cairo_stroke(cr);
}

void plot_draw_areas(plot_page *g, const plot_frame *f, int line) {
    const plot_line *l = &f->p->line[line];
    plot_look k = plot_look_of(g, f->p, line);
    if (l->mark == 'h') draw_bars(g, f, l, k.colour);
    if (plot_band_of(l)) draw_band(g, f, l, k.colour);
}

/* ---- error bars ---- */

static void error_bar(plot_page *g, double x, double low, double high, bool cap_low, bool cap_high) {
    cairo_t *cr = g->cr;
    double c = CAP * g->unit;
    cairo_move_to(cr, x, low);
    cairo_line_to(cr, x, high);
    if (cap_low) {
        cairo_move_to(cr, x - c, low);
        cairo_line_to(cr, x + c, low);
    }
    if (cap_high) {
        cairo_move_to(cr, x - c, high);
        cairo_line_to(cr, x + c, high);
    }
}

void plot_draw_error_bars(plot_page *g, const plot_frame *f, int line) {
    const plot_line *l = &f->p->line[line];
    if ((!l->low && !l->high) || plot_band_of(l)) return;
    plot_look look = plot_look_of(g, f->p, line);
    double top = f->top, bottom = f->top + f->height;
    for (long k = 0; k < l->n; k++) {
        bool low = l->low && plot_shows(l->low[k], f->y.log), high = l->high && plot_shows(l->high[k], f->y.log);
        if (!plot_shown(f, l, k) || (!low && !high)) continue;
        double at = l->mark != 'h' ? l->x[k]
                    : f->x.log     ? sqrt(l->x[k]) * sqrt(l->x[k + 1])
                                   : l->x[k] + (l->x[k + 1] - l->x[k]) / 2;
        double x = plot_on_page(f, at, l->y[k]).x, y0 = plot_on_page(f, at, low_of(f, l, k)).y,
               y1 = plot_on_page(f, at, high_of(f, l, k)).y;
        if (x < f->left - 0.01 || x > f->left + f->width + 0.01 || y1 > bottom || y0 < top) continue;
        error_bar(g, x, fmin(y0, bottom), fmax(y1, top), low && y0 <= bottom, high && y1 >= top);
    }
    plot_paint(g, look.colour);
    cairo_set_line_width(g->cr, 0.8 * g->unit);
    cairo_set_line_cap(g->cr, CAIRO_LINE_CAP_BUTT);
    cairo_stroke(g->cr);
}

/* ---- legend ---- */

bool plot_area_within(const plot_frame *f, const plot_line *l, double x0, double x1, double y0, double y1) {
    double b[4];
    for (long k = 0; k < l->n && l->mark == 'h'; k++)
        if (bar_on_page(f, l, k, b) && b[0] < x1 && b[1] > x0 && b[2] < y1 && b[3] > y0) return true;
    for (long k = 0; k < l->n && (l->low || l->high); k++) {
        if (!plot_shown(f, l, k)) continue;
        plot_point low = plot_on_page(f, l->x[k], low_of(f, l, k)), high = plot_on_page(f, l->x[k], high_of(f, l, k));
        if (low.x > x0 && low.x < x1 && high.y < y1 && low.y > y0) return true;
        bool next = plot_band_of(l) && k + 1 < l->n && plot_shown(f, l, k + 1);
        if (!next) continue;
        plot_point n0 = plot_on_page(f, l->x[k + 1], low_of(f, l, k + 1)),
                   n1 = plot_on_page(f, l->x[k + 1], high_of(f, l, k + 1));
        bool beside = fmin(low.x, n0.x) < x1 && fmax(low.x, n0.x) > x0; /* a piece of the band, as its bounding box */
        if (beside && fmin(high.y, n1.y) < y1 && fmax(low.y, n0.y) > y0) return true;
    }
    return false;
}

void plot_draw_sample_area(plot_page *g, const plot_line *l, plot_rgb colour, double x0, double x1, double y) {
    double h = 0.35 * g->font;
    if (l->mark == 'h') {
        cairo_rectangle(g->cr, x0 + 2 * g->unit, y - h, x1 - x0 - 2 * g->unit, 2 * h);
        cairo_set_source_rgba(g->cr, colour.r, colour.g, colour.b, 2 * PALE);
        cairo_fill_preserve(g->cr);
        plot_paint(g, colour);
        cairo_set_line_width(g->cr, 0.8 * g->unit);
        cairo_stroke(g->cr);
    } else if (plot_band_of(l)) {
        cairo_rectangle(g->cr, x0, y - h, x1 - x0, 2 * h);
        cairo_set_source_rgba(g->cr, colour.r, colour.g, colour.b, PALE);
        cairo_fill(g->cr);
    } else if (l->low || l->high) {
        error_bar(g, (x0 + x1) / 2, y + 0.9 * h, y - 0.9 * h, l->low != NULL, l->high != NULL);
        plot_paint(g, colour);
        cairo_set_line_width(g->cr, 0.8 * g->unit);
        cairo_stroke(g->cr);
    }
}
