/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_bar.c - the colour bar beside a heat map, or one for all maps of a figure
 *   the scale with its numbers, the levels of contours, pointed ends where values lie beyond the range, and a sample of
 *   the hatching if some cells have no data
 * Cost     proportional to the cells of its maps. */
#include "plot/plot_draw.h"

#include <math.h>

#define GAP   8.0 /* from the box to the bar [pt at 9 pt] */
#define BAR   8.0 /* width of the bar */
#define TICK  3.0
#define WORD  5.0 /* from the bar to its numbers */
#define POINT 6.0 /* height of a pointed end */
#define SMALL 0.9 /* size of the numbers */

static const char no_data[] = "no data";

static double foot(const plot_page *g, const plot_bar *b) { return b->gaps ? 2 * g->font : 0; }

static void look_at_values(plot_bar *b) {
    b->below = b->above = b->gaps = false;
    for (int k = 0; k < b->nmap; k++) {
        const plot_map *m = b->map[k]->p->map;
        for (long i = 0; i < (long)m->nx * m->ny; i++) {
            bool there = plot_shows(m->value[i], m->log);
            b->gaps = b->gaps || !there;
            b->below = b->below || (there && m->value[i] < b->axis.lo);
            b->above = b->above || (there && m->value[i] > b->axis.hi);
        }
    }
}

double plot_bar_shape(plot_page *g, plot_bar *b) {
    b->axis = b->map[0]->colours;
    look_at_values(b);
    int most = (int)((b->height - foot(g, b)) / (2.3 * g->font));
    plot_axis_ticks(&b->axis, most < 2 ? 2 : most > 8 ? 8 : most);
    double words = 0;
    for (int i = 0; i < b->axis.ntick; i++) words = fmax(words, plot_text_width(g, b->axis.word[i], SMALL, false));
    double right = (BAR + WORD) * g->unit + words;
    const char *label = b->map[0]->p->map->label;
    if (label && *label) right += 1.6 * g->font;
    right = fmax(right, plot_text_width(g, b->axis.note, SMALL, false));
    if (b->gaps) right = fmax(right, (BAR + WORD) * g->unit + plot_text_width(g, no_data, SMALL, false));
    return GAP * g->unit + right;
}

/* The outline of the bar with its pointed ends, from top to bottom. */
static void outline(plot_page *g, const plot_bar *b, double left, double top, double bottom) {
    cairo_t *cr = g->cr;
    double w = BAR * g->unit, p = POINT * g->unit;
    cairo_move_to(cr, left, top);
    if (b->above) cairo_line_to(cr, left + w / 2, top - p);
    cairo_line_to(cr, left + w, top);
    cairo_line_to(cr, left + w, bottom);
    if (b->below) cairo_line_to(cr, left + w / 2, bottom + p);
    cairo_line_to(cr, left, bottom);
    cairo_close_path(cr);
}

static void draw_colours(plot_page *g, const plot_bar *b, double left, double top, double bottom) {
    cairo_t *cr = g->cr;
    double w = BAR * g->unit, p = POINT * g->unit, h = bottom - top;
    cairo_save(cr);
    outline(g, b, left, top, bottom);
    cairo_clip(cr);
    for (int i = 0; i < PLOT_SCALE_STEPS; i++) { /* from below, each up to the end of the bar: no gaps between them */
        double from = i == 0 ? bottom + p : bottom - h * i / PLOT_SCALE_STEPS;
        plot_paint(g, g->scale->colour[i]);
        cairo_rectangle(cr, left, top - p, w, from - (top - p));
        cairo_fill(cr);
    }
    cairo_restore(cr);
}

/* Levels of the contours as lines across the bar: dark on light colours, light on dark ones. */
static void draw_levels(plot_page *g, const plot_bar *b, double left, double top, double bottom) {
    cairo_t *cr = g->cr;
    const plot_map *m = b->map[0]->p->map;
    for (int k = 0; k < m->ncontour; k++) {
        if (!plot_shows(m->contour[k], m->log)) continue;
        double at = plot_axis_place(&b->axis, m->contour[k]);
        if (!(at >= 0 && at <= 1)) continue;
        double y = bottom - at * (bottom - top);
        bool light = plot_lab_of(g->scale->colour[plot_scale_step(at)]).L > 0.62;
        cairo_move_to(cr, left, y);
        cairo_line_to(cr, left + BAR * g->unit, y);
        cairo_set_source_rgb(cr, light ? 0.06 : 1, light ? 0.06 : 1, light ? 0.06 : 1);
        cairo_set_line_width(cr, g->unit);
        cairo_stroke(cr);
    }
}

static void draw_sample(plot_page *g, double left, double bottom) {
    cairo_t *cr = g->cr;
    double side = BAR * g->unit, top = bottom - side;
    cairo_save(cr);
    cairo_rectangle(cr, left, top, side, side);
    cairo_clip(cr);
    plot_paint_ink(g, 0.06);
    cairo_paint(cr);
    for (int i = -1; i <= 1; i++) {
        cairo_move_to(cr, left + (i * 0.55 - 0.1) * side, bottom + 0.1 * side);
        cairo_line_to(cr, left + (i * 0.55 + 1.1) * side, top - 0.1 * side);
    }
    plot_paint_ink(g, 0.45);
    cairo_set_line_width(cr, 0.5 * g->unit);
    cairo_stroke(cr);
    cairo_restore(cr);
    cairo_rectangle(cr, left, top, side, side);
    plot_paint_ink(g, 0.75);
    cairo_stroke(cr);
    plot_paint_ink(g, 1);
    plot_text(g, left + (BAR + WORD) * g->unit, bottom - 0.5 * (side - PLOT_CAP * SMALL * g->font), PLOT_LEFT, no_data,
              SMALL, false);
}

void plot_draw_bar(plot_page *g, const plot_bar *b) {
    cairo_t *cr = g->cr;
    double left = b->left + GAP * g->unit, right = left + BAR * g->unit, end = b->top + b->height;
    double top = b->top + (b->above ? POINT * g->unit : 0),
           bottom = end - foot(g, b) - (b->below ? POINT * g->unit : 0), cap = PLOT_CAP * SMALL * g->font, words = 0;
    draw_colours(g, b, left, top, bottom);
    draw_levels(g, b, left, top, bottom);
    outline(g, b, left, top, bottom);
    for (int i = 0; i < b->axis.ntick + b->axis.nminor; i++) {
        double v = i < b->axis.ntick ? b->axis.tick[i] : b->axis.minor[i - b->axis.ntick];
        double y = bottom - plot_axis_place(&b->axis, v) * (bottom - top);
        cairo_move_to(cr, right, y);
        cairo_line_to(cr, right + (i < b->axis.ntick ? TICK : 0.6 * TICK) * g->unit, y);
    }
    plot_paint_ink(g, 0.75);
    cairo_set_line_width(cr, 0.6 * g->unit);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_MITER);
    cairo_stroke(cr);
    plot_paint_ink(g, 1);
    for (int i = 0; i < b->axis.ntick; i++) {
        double y = bottom - plot_axis_place(&b->axis, b->axis.tick[i]) * (bottom - top);
        plot_text(g, right + WORD * g->unit, y + 0.5 * cap, PLOT_LEFT, b->axis.word[i], SMALL, false);
        words = fmax(words, plot_text_width(g, b->axis.word[i], SMALL, false));
    }
    if (b->axis.note[0]) plot_text(g, left, b->top - 3.5 * g->unit, PLOT_LEFT, b->axis.note, SMALL, false);
    double size = 1;
    const char *label = plot_text_fit(g, b->map[0]->p->map->label, (bottom - top) * 1.1, &size, false);
    plot_text_up(g, right + WORD * g->unit + words + 1.35 * g->font, (top + bottom) / 2, PLOT_CENTRE, label, size,
                 false);
    if (b->gaps) draw_sample(g, left, end);
}
