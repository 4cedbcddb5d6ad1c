/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_grid.c - figures whose panels form a grid: what they share, and where their boxes stand
 *   boxes of one width, in rows from the left; rows as high as their panels need
 * Method   as for stacked panels (plot_layout.c): margins depend on words and words on the boxes, four rounds settle it.
 *          If all panels share their axes, numbers stand at the left column and below the last panel of each column.
 * Valid    any number of panels; the last row may be shorter. */
#include "plot/plot_draw.h"

#include <math.h>
#include <string.h>

#define LEAST_WIDTH 5.0 /* of a box [font] */
#define LEAST_HIGH  3.0
#define SHAPE       0.8 /* height of a box of its width, if nothing else says so */

static bool same_text(const char *a, const char *b) { return plot_given(a) && plot_given(b) && !strcmp(a, b); }

/* Do all panels have the same axes? */
static bool all_shared(const plot_figure *fig) {
    for (int i = 0; i < fig->npanel; i++) {
        const plot_panel *p = &fig->panel[i], *first = &fig->panel[0];
        if (!p->shared || p->nrow > 0 || p->logx != first->logx || p->logy != first->logy) return false;
    }
    return true;
}

static void widen(plot_range *r, plot_range by) {
    if (by.lo < r->lo) r->lo = by.lo;
    if (by.hi > r->hi) r->hi = by.hi;
}

void plot_grid_spans(plot_sheet *s) {
    const plot_figure *fig = s->fig;
    bool shared = all_shared(fig);
    plot_range x = plot_range_none(), y = plot_range_none();
    for (int i = 0; i < fig->npanel; i++) {
        plot_frame *f = &s->frame[i];
        f->p = &fig->panel[i];
        f->below = !shared || i + s->columns >= fig->npanel;
        f->bare = shared && i % s->columns > 0;
        widen(&x, plot_x_range(&s->g, f->p));
    }
    for (int i = 0; i < fig->npanel; i++) {
        plot_frame *f = &s->frame[i];
        plot_span_axes(f, shared ? x : plot_x_range(&s->g, f->p), plot_range_none());
        widen(&y, plot_y_range(&s->g, f->p, &f->x));
    }
    for (int i = 0; i < fig->npanel; i++) {
        plot_frame *f = &s->frame[i];
        plot_span_axes(f, shared ? x : plot_x_range(&s->g, f->p), shared ? y : plot_y_range(&s->g, f->p, &f->x));
    }
}

void plot_grid_begin(plot_sheet *s) {
    const plot_figure *fig = s->fig;
    int n = fig->npanel;
    s->one_xlabel = s->one_ylabel = n > 0;
    bool one_legend = n > 1;
    for (int i = 0; i < n; i++) {
        const plot_panel *p = &fig->panel[i], *first = &fig->panel[0];
        s->one_xlabel = s->one_xlabel && same_text(first->xlabel, p->xlabel);
        s->one_ylabel = s->one_ylabel && p->nrow == 0 && same_text(first->ylabel, p->ylabel);
        plot_place where = s->frame[i].legend;
        one_legend = one_legend && plot_same_legend(first, p) && (where == PLOT_AUTO || where == PLOT_ABOVE);
    }
    memset(&s->legend, 0, sizeof s->legend);
    if (!one_legend || plot_legend_entries(&fig->panel[0]) == 0) return;
    s->legend.p = &fig->panel[0];
    s->legend.legend = PLOT_ABOVE;
    plot_legend_shape(&s->g, &s->legend, s->width - 2 * PLOT_OUTER * s->g.unit, 8 * s->g.font);
    for (int i = 0; i < n; i++) s->frame[i].legend = PLOT_NO_LEGEND;
}

/* Room at the left and right of the boxes of each column, for words. Beside the boxes of different columns there is a
 * gap in any case. */
typedef struct margins {
    double *left, *right; /* one for each column */
    double sum;
} margins;

static void find_margins(plot_sheet *s, margins *m) {
    plot_page *g = &s->g;
    bool own_bars = s->nbar > 1;
    int bar = 0;
    for (int c = 0; c < s->columns; c++) m->left[c] = m->right[c] = 0;
    for (int i = 0; i < s->fig->npanel; i++) {
        plot_frame *f = &s->frame[i];
        double *left = &m->left[i % s->columns], *right = &m->right[i % s->columns], reach = 0;
        plot_y_ticks(s, f);
        plot_x_ticks(s, f);
        f->words = f->bare ? 0 : plot_y_words(s, f);
        if (!f->bare) *left = fmax(*left, f->words + 5 * g->unit);
        if (f->p->nrow == 0 && plot_given(f->p->ylabel) && !s->one_ylabel)
            *left = fmax(*left, f->words + 5 * g->unit + 1.6 * g->font);
        for (int k = 0; k < f->x.ntick && f->below; k++) { /* words that reach beyond the box */
            double half = plot_text_width(g, f->x.word[k], 0.9, false) / 2, at = plot_axis_place(&f->x, f->x.tick[k]);
            *left = fmax(*left, half - f->width * at);
            reach = fmax(reach, half - f->width * (1 - at));
        }
        *right = fmax(*right, reach);
        if (own_bars && f->p->map) *right = fmax(*right, plot_bar_shape(g, &s->bar[bar++]));
    }
    for (int i = 0; i < s->fig->npanel; i++) /* labels of a column stand under each other */
        for (int k = i % s->columns; k < s->fig->npanel; k += s->columns)
            if (s->frame[k].p->nrow == 0) s->frame[i].words = fmax(s->frame[i].words, s->frame[k].words);
    m->sum = 0;
    for (int c = 0; c < s->columns; c++) {
        if (c > 0) m->left[c] += 1.0 * g->font;
        m->sum += m->left[c] + m->right[c];
    }
}

static double wish(const plot_sheet *s, const plot_frame *f) {
    if (f->p->nrow > 0) return fmax(f->p->nrow * 1.75 * s->g.font, 4 * s->g.font);
    if (f->p->equal) return fmax(f->width * (f->y.hi - f->y.lo) / (f->x.hi - f->x.lo), LEAST_HIGH * s->g.font);
    return fmax(SHAPE * f->width, LEAST_HIGH * s->g.font);
}

typedef struct row {
    double above, below, wish; /* of its panels the largest */
} row;

static row row_of(plot_sheet *s, int r) {
    row out = {0, 0, 0};
    for (int i = r * s->columns; i < (r + 1) * s->columns && i < s->fig->npanel; i++) {
        plot_frame *f = &s->frame[i];
        out.above = fmax(out.above, plot_room_above(s, f));
        out.below = fmax(out.below, plot_room_below(s, f));
        out.wish = fmax(out.wish, wish(s, f));
    }
    return out;
}

/* Places of the columns. */
static void set_widths(plot_sheet *s, const margins *m) {
    double outer = PLOT_OUTER * s->g.unit, font = s->g.font;
    double start = outer + (s->one_ylabel ? 1.5 * font : 0), bars = s->nbar == 1 ? plot_place_bars(s) : 0;
    double least = LEAST_WIDTH * font, width = (s->width - start - outer - bars - m->sum) / s->columns;
    s->least_width = 0;
    if (width < least) {
        s->least_width = s->width + s->columns * (least - width) + 1;
        width = least;
    }
    double x = start;
    s->grid_left = start + m->left[0];
    for (int c = 0; c < s->columns; c++) {
        x += m->left[c];
        for (int i = c; i < s->fig->npanel; i += s->columns) {
            s->frame[i].left = x;
            s->frame[i].width = width;
        }
        s->grid_right = x + width;
        x += width + m->right[c];
    }
}

/* Places of the rows. */
static void set_heights(plot_sheet *s) {
    double outer = PLOT_OUTER * s->g.unit, font = s->g.font, between = 0.7 * font;
    int rows = (s->fig->npanel + s->columns - 1) / s->columns;
    double legend = s->legend.entries > 0 ? s->legend.legend_height + 4 * s->g.unit : 0;
    double fixed = 2 * outer + plot_big_title(s) + legend + (s->one_xlabel ? 1.35 * font : 0), wishes = 0;
    for (int r = 0; r < rows; r++) {
        row one = row_of(s, r);
        fixed += one.above + one.below + (r > 0 ? between : 0);
        wishes += one.wish;
    }
    s->height = s->fig->height > 0 ? s->fig->height * PLOT_POINTS : fixed + wishes;
    double free_height = s->height - fixed, least = LEAST_HIGH * font * rows;
    s->least_height = 0;
    if (free_height < least) {
        s->least_height = fixed + least + 1;
        free_height = least;
    }
    double y = outer + plot_big_title(s);
    s->legend.legend_y = y;
    s->legend.legend_x = (s->grid_left + s->grid_right - s->legend.legend_width) / 2;
    y += legend;
    for (int r = 0; r < rows; r++) {
        row one = row_of(s, r);
        double height = free_height * one.wish / wishes;
        y += one.above + (r > 0 ? between : 0);
        if (r == 0) s->grid_top = y;
        for (int i = r * s->columns; i < (r + 1) * s->columns && i < s->fig->npanel; i++) {
            s->frame[i].top = y;
            s->frame[i].height = height;
        }
        y += height;
        s->grid_bottom = y;
        y += one.below;
    }
}

/* Boxes with equal scales; one that shrinks stays in the middle of its place. */
static void fit_scales(plot_sheet *s) {
    for (int i = 0; i < s->fig->npanel; i++) {
        plot_frame *f = &s->frame[i];
        if (!f->p->equal) continue;
        double width = f->width, height = f->height;
        plot_equal_scales(f);
        f->left += (width - f->width) / 2;
        f->top += (height - f->height) / 2;
    }
}

void plot_grid_arrange(plot_sheet *s) {
    margins m = {PP_ARENA_ARRAY(s->g.arena, double, s->columns), PP_ARENA_ARRAY(s->g.arena, double, s->columns), 0};
    if (!m.left || !m.right) {
        s->g.failed = true;
        return;
    }
    for (int i = 0; i < s->fig->npanel; i++) {
        s->frame[i].width = s->width * 0.8 / s->columns;
        s->frame[i].height = s->width * 0.6 / s->columns;
    }
    for (int round = 0; round < 4; round++) {
        plot_place_bars(s);
        plot_shape_legends(s);
        find_margins(s, &m);
        set_widths(s, &m);
        set_heights(s);
        if (round >= 2) fit_scales(s);
    }
    for (int i = 0; i < s->fig->npanel; i++) plot_trace_lines(&s->g, &s->frame[i]);
    plot_shape_legends(s);
}
