/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_panel.c - one panel of a figure: colours, axes, grid, bands; lines and legend are drawn by plot_line.c and
 * plot_legend.c
 * Cost     proportional to what is drawn. */
#include "plot/plot_draw.h"

#include <math.h>

#include "contact_state_colours.h"

plot_rgb plot_colour(const plot_page *g, int index) {
    static const unsigned light[PLOT_COLOURS] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                                 0xe69f00, 0x56b4e9, 0x000000, 0x808080};
    static const unsigned dark[PLOT_COLOURS] = {0x56b4e9, 0xff8a3d, 0x2fc79a, 0xe39ac4,
                                                0xf0c945, 0x4f8fd6, 0xf2f2f2, 0xa0a0a0};
    static const unsigned state[3] = CONTACT_STATE_COLOURS;
    unsigned c = g->dark ? 0xdcdfe4 : 0x1a1a1a;
    if (index <= PLOT_STATE(0) && index >= PLOT_STATE(2)) c = state[PLOT_STATE(0) - index];
    if (index >= 0) c = (g->dark ? dark : light)[index % PLOT_COLOURS];
    plot_rgb rgb = {(double)(c >> 16) / 255, (double)(c >> 8 & 255) / 255, (double)(c & 255) / 255};
    return rgb;
}

plot_rgb plot_paper(const plot_page *g) {
    plot_rgb white = {1, 1, 1}, night = {0.082, 0.094, 0.114};
    return g->dark ? night : white;
}

void plot_paint(plot_page *g, plot_rgb c) { cairo_set_source_rgb(g->cr, c.r, c.g, c.b); }

/* Between ink (1) and paper (0). */
void plot_paint_ink(plot_page *g, double part) {
    plot_rgb ink = plot_colour(g, PLOT_INK), paper = plot_paper(g);
    cairo_set_source_rgb(g->cr, paper.r + part * (ink.r - paper.r), paper.g + part * (ink.g - paper.g),
                         paper.b + part * (ink.b - paper.b));
}

double plot_place_x(const plot_frame *f, double v) { return f->left + f->width * plot_axis_place(&f->x, v); }
double plot_place_y(const plot_frame *f, double v) { return f->top + f->height * (1 - plot_axis_place(&f->y, v)); }

/* ---- bands ---- */

/* Height of a state's bar as a part of the row: also without colours they are three. */
const double plot_bar_height[3] = {0.22, 0.84, 0.5};

plot_rgb plot_bar_colour(plot_page *g, int state) { return plot_colour(g, PLOT_STATE(state)); }

static void draw_bands(plot_page *g, const plot_frame *f) {
    const plot_panel *p = f->p;
    cairo_t *cr = g->cr;
    double row = f->height / p->nrow;
    for (int r = 1; r < p->nrow && g->grid; r++) {
        cairo_move_to(cr, f->left, f->top + r * row);
        cairo_line_to(cr, f->left + f->width, f->top + r * row);
    }
    plot_paint_ink(g, 0.13);
    cairo_set_line_width(cr, 0.4 * g->unit);
    cairo_stroke(cr);
    for (int state = 0; state < 3; state++) {
        int in_row = -1;
        double done = -INFINITY; /* right end of what is drawn in this row */
        for (long i = 0; i < p->nband; i++) {
            const plot_band *b = &p->band[i];
            if (b->state != state || !plot_shows(b->x0, f->x.log) || !plot_shows(b->x1, f->x.log)) continue;
            if (b->row != in_row) in_row = b->row, done = -INFINITY;
            double x0 = fmax(plot_place_x(f, b->x0), f->left), x1 = fmin(plot_place_x(f, b->x1), f->left + f->width);
            if (x1 < f->left || x0 > f->left + f->width) continue;
            if (x1 - x0 < 0.35) x1 = x0 + 0.35; /* short ones stay visible */
            if (x1 <= done) continue;
            if (x0 < done) x0 = done;
            double h = plot_bar_height[state % 3] * row;
            cairo_rectangle(cr, x0, f->top + (b->row + 0.5) * row - h / 2, x1 - x0, h);
            done = x1;
        }
        plot_paint(g, plot_bar_colour(g, state));
        cairo_fill(cr);
    }
}

/* ---- axes ---- */

static void draw_grid(plot_page *g, const plot_frame *f) {
    cairo_t *cr = g->cr;
    for (int i = 0; i < f->x.ntick; i++) {
        double x = plot_place_x(f, f->x.tick[i]);
        cairo_move_to(cr, x, f->top);
        cairo_line_to(cr, x, f->top + f->height);
    }
    for (int i = 0; i < f->y.ntick && f->p->nrow == 0; i++) {
        double y = plot_place_y(f, f->y.tick[i]);
        cairo_move_to(cr, f->left, y);
        cairo_line_to(cr, f->left + f->width, y);
    }
    plot_paint_ink(g, 0.13);
    cairo_set_line_width(cr, 0.4 * g->unit);
    cairo_stroke(cr);
}

static void draw_ticks(plot_page *g, const plot_frame *f) {
    cairo_t *cr = g->cr;
    double bottom = f->top + f->height, major = 3 * g->unit, minor = 1.8 * g->unit;
    for (int i = 0; i < f->x.ntick + f->x.nminor; i++) {
        double x = plot_place_x(f, i < f->x.ntick ? f->x.tick[i] : f->x.minor[i - f->x.ntick]);
        cairo_move_to(cr, x, bottom);
        cairo_line_to(cr, x, bottom + (i < f->x.ntick ? major : minor));
    }
    for (int i = 0; i < f->y.ntick + f->y.nminor && f->p->nrow == 0; i++) {
        double y = plot_place_y(f, i < f->y.ntick ? f->y.tick[i] : f->y.minor[i - f->y.ntick]);
        cairo_move_to(cr, f->left, y);
        cairo_line_to(cr, f->left - (i < f->y.ntick ? major : minor), y);
    }
    cairo_rectangle(cr, f->left, f->top, f->width, f->height);
    plot_paint_ink(g, 0.75);
    cairo_set_line_width(cr, 0.6 * g->unit);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_MITER);
    cairo_stroke(cr);
}

static void draw_words(plot_page *g, const plot_frame *f) {
    double small = 0.9, cap = PLOT_CAP * small * g->font, bottom = f->top + f->height;
    plot_paint_ink(g, 1);
    for (int i = 0; i < f->x.ntick && f->below; i++)
        plot_text(g, plot_place_x(f, f->x.tick[i]), bottom + 5 * g->unit + cap, PLOT_CENTRE, f->x.word[i], small,
                  false);
    for (int i = 0; i < f->y.ntick && f->p->nrow == 0 && !f->bare; i++)
        plot_text(g, f->left - 5 * g->unit, plot_place_y(f, f->y.tick[i]) + 0.5 * cap, PLOT_RIGHT, f->y.word[i], small,
                  false);
    double row = f->p->nrow > 0 ? f->height / f->p->nrow : 0;
    for (int i = 0; i < f->p->nrow; i++) {
        double size = fmin(small, 1.05 * row / g->font); /* many rows in a low figure */
        const char *label = plot_text_fit(g, f->p->row[i], f->left - 10 * g->unit, &size, false);
        plot_text(g, f->left - 5 * g->unit, f->top + (i + 0.5) * row + 0.5 * PLOT_CAP * size * g->font, PLOT_RIGHT,
                  label, size, false);
    }
    if (f->y.note[0] && f->p->nrow == 0 && !f->bare)
        plot_text(g, f->left, f->top - 3.5 * g->unit, PLOT_LEFT, f->y.note, small, false);
}

void plot_draw_panel(plot_page *g, plot_frame *f) {
    cairo_t *cr = g->cr;
    if (g->grid) draw_grid(g, f);
    cairo_save(cr);
    double room = 0.5 * PLOT_LINE_WIDTH * g->unit; /* a line along the edge keeps its width */
    cairo_rectangle(cr, f->left - room, f->top - room, f->width + 2 * room, f->height + 2 * room);
    cairo_clip(cr);
    if (f->p->nrow > 0) draw_bands(g, f);
    if (f->p->map) plot_draw_map(g, f);
    for (int i = 0; i < f->p->nline; i++) plot_draw_areas(g, f, i);
    for (int i = 0; i < f->p->nline; i++) {
        plot_look k = plot_look_of(g, f->p, i);
        if (!plot_marks_alone(&f->p->line[i])) plot_draw_trace(g, &f->trace[i], &k);
        if (k.mark >= 0) plot_draw_sparse(g, f, &f->trace[i], &k, i);
    }
    cairo_restore(cr);
    draw_ticks(g, f);
    for (int i = 0; i < f->p->nline; i++) { /* marks last, and whole at the edge */
        plot_look k = plot_look_of(g, f->p, i);
        plot_draw_error_bars(g, f, i);
        if (plot_marks_alone(&f->p->line[i]) || f->p->line[i].mark == 'o') plot_draw_marks(g, f, &f->p->line[i], &k);
    }
    draw_words(g, f);
    if (f->legend != PLOT_NO_LEGEND && f->entries > 0) plot_draw_legend(g, f);
}
