/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_line.c - the lines of a panel: traces on the page, dashes, marks
 * Method   first every line becomes a trace on the page: it is cut at gaps and at the edges of the box, and thinned to what is visible. Traces
 *          serve for drawing and for finding the corner in which the legend hides least.
 * Valid    any data; numbers that an axis cannot show are gaps; a point between two gaps is drawn as a dot.
 * Cost     proportional to the points; what is written is bounded by the size of the paper. */
#include "plot/plot_draw.h"

#include <math.h>

#define COLUMN 0.3 /* thinning: width of a column [pt] */
#define OFF    0.1 /* thinning: deviation [pt], below the dot of a printer with 600 dpi; a pixel of a screen is 0.75 */
#define TURN   6.283185307179586

/* ---- traces ---- */

/* Cuts the segment to the box around the frame (with some room for the width of the line); false if nothing is left. */
static bool cut(const plot_frame *f, plot_point *a, plot_point *b) {
    double t0 = 0, t1 = 1, dx = b->x - a->x, dy = b->y - a->y;
    double edge[4][2] = {{-dx, a->x - (f->left - 8)},
                         {dx, f->left + f->width + 8 - a->x},
                         {-dy, a->y - (f->top - 8)},
                         {dy, f->top + f->height + 8 - a->y}};
    for (int i = 0; i < 4; i++) {
        if (edge[i][0] == 0) {
            if (edge[i][1] < 0) return false;
            continue;
        }
        double t = edge[i][1] / edge[i][0];
        if (edge[i][0] < 0 && t > t0) t0 = t;
        if (edge[i][0] > 0 && t < t1) t1 = t;
    }
    if (!(t0 <= t1)) return false;
    plot_point p = *a;
    if (t0 > 0) a->x = p.x + t0 * dx, a->y = p.y + t0 * dy;
    if (t1 < 1) b->x = p.x + t1 * dx, b->y = p.y + t1 * dy;
    return true;
}

typedef struct builder {
    const plot_frame *f;
    plot_trace *t;
    long piece;      /* where the piece began */
    bool open;       /* the last point of the data was shown */
    plot_point last; /* this point before cutting */
} builder;

static void end_piece(builder *b) {
    plot_trace *t = b->t;
    if (t->n == b->piece) return;
    t->n = b->piece + plot_thin(t->p + b->piece, t->n - b->piece, COLUMN, OFF);
    plot_point first = t->p[b->piece];
    bool still = true; /* a body at rest: a dot, because a line without length would be invisible */
    for (long i = b->piece + 1; i < t->n && still; i++) still = hypot(t->p[i].x - first.x, t->p[i].y - first.y) < 0.5;
    if (still) t->n = b->piece + 1;
    t->p[t->n].x = t->p[t->n].y = NAN;
    t->n++;
    b->piece = t->n;
}

static void add_point(builder *b, plot_point p, bool lone) {
    plot_trace *t = b->t;
    plot_point from = b->open ? b->last : p, to = p;
    if ((b->open || lone) && cut(b->f, &from, &to)) {
        bool joins = t->n > b->piece && t->p[t->n - 1].x == from.x && t->p[t->n - 1].y == from.y;
        if (!joins) {
            end_piece(b);
            t->p[t->n++] = from;
        }
        if (b->open) t->p[t->n++] = to;
    }
    b->open = true;
    b->last = p;
}

plot_point plot_on_page(const plot_frame *f, double x, double y) {
    plot_point p = {plot_place_x(f, x), plot_place_y(f, y)};
    /* far beyond the box only the direction counts; this keeps the cutting finite */
    if (!(fabs(p.x) < 1e10)) p.x = p.x > 0 ? 1e10 : -1e10;
    if (!(fabs(p.y) < 1e10)) p.y = p.y > 0 ? 1e10 : -1e10;
    return p;
}

bool plot_shown(const plot_frame *f, const plot_line *l, long i) {
    return plot_shows(l->x[i], f->x.log) && plot_shows(l->y[i], f->y.log);
}

static void trace_line(plot_page *g, const plot_frame *f, const plot_line *l, plot_trace *t) {
    t->n = 0;
    if (l->mark == 'h') return; /* bars are drawn as they are */
    size_t room = 8 + (size_t)l->n * (l->mark == 's' ? 6 : 3);
    t->p = pp_arena_get(g->arena, room * sizeof *t->p);
    if (!t->p) {
        g->failed = true;
        return;
    }
    builder b = {f, t, 0, false, {0, 0}};
    for (long i = 0; i < l->n; i++) {
        if (!plot_shown(f, l, i)) {
            end_piece(&b);
            b.open = false;
            continue;
        }
        plot_point p = plot_on_page(f, l->x[i], l->y[i]);
        if (l->mark == 's' && b.open) {
            plot_point corner = {p.x, b.last.y};
            add_point(&b, corner, false);
        }
        bool lone = !b.open && (i + 1 == l->n || !plot_shown(f, l, i + 1));
        add_point(&b, p, lone);
    }
    end_piece(&b);
}

void plot_trace_lines(plot_page *g, plot_frame *f) {
    int n = f->p->nline;
    f->trace = pp_arena_zero(g->arena, (size_t)(n > 0 ? n : 1) * sizeof *f->trace);
    if (!f->trace) {
        g->failed = true;
        return;
    }
    for (int i = 0; i < n && !g->failed; i++) trace_line(g, f, &f->p->line[i], &f->trace[i]);
}

/* ---- how a line looks ---- */

plot_look plot_look_of(plot_page *g, const plot_panel *p, int i) {
    const plot_line *l = &p->line[i];
    bool arranged = false; /* the caller has said which ones are dashed */
    for (int k = 0; k < p->nline; k++)
        arranged |= p->line[k].dashed || plot_marks_alone(&p->line[k]) || p->line[k].mark == 'o';
    plot_look k = {plot_colour(g, l->colour == PLOT_NEXT ? i : l->colour), 0, -1, 0};
    k.shape = (l->colour < 0 ? i : l->colour) % 4;
    if (l->dash > 0)
        k.dash = (l->dash - 1) % PLOT_DASHES;
    else if (arranged)
        k.dash = l->dashed ? 1 : 0;
    else
        k.dash = i % PLOT_DASHES;
    if (l->dash == 0 && !arranged && i >= PLOT_DASHES) k.mark = (i / PLOT_DASHES - 1) % 4;
    return k;
}

static void set_dash(plot_page *g, int dash) {
    static const double pattern[PLOT_DASHES][6] = {{0},        {5, 2},    {5.5, 1.8, 1.3, 1.8},
                                                   {1.6, 1.4}, {10, 2.6}, {6, 1.6, 1.3, 1.6, 1.3, 1.6}};
    static const int length[PLOT_DASHES] = {0, 2, 4, 2, 2, 6};
    double d[6];
    for (int i = 0; i < length[dash]; i++) d[i] = pattern[dash][i] * g->unit;
    cairo_set_dash(g->cr, d, length[dash], 0);
}

void plot_mark_path(plot_page *g, double x, double y, int shape, double r) {
    cairo_t *cr = g->cr;
    if (shape == 0) {
        cairo_new_sub_path(cr);
        cairo_arc(cr, x, y, r, 0, TURN);
    } else if (shape == 1) {
        cairo_rectangle(cr, x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r);
    } else if (shape == 2) {
        cairo_move_to(cr, x, y - 1.2 * r);
        cairo_line_to(cr, x + 1.1 * r, y + 0.75 * r);
        cairo_line_to(cr, x - 1.1 * r, y + 0.75 * r);
    } else {
        cairo_move_to(cr, x, y - 1.25 * r);
        cairo_line_to(cr, x + 1.1 * r, y);
        cairo_line_to(cr, x, y + 1.25 * r);
        cairo_line_to(cr, x - 1.1 * r, y);
    }
    cairo_close_path(cr);
}

void plot_cross_path(plot_page *g, double x, double y, double r) {
    cairo_move_to(g->cr, x - r, y - r);
    cairo_line_to(g->cr, x + r, y + r);
    cairo_move_to(g->cr, x - r, y + r);
    cairo_line_to(g->cr, x + r, y - r);
}

/* An open mark in the line's colour; the paper shows inside, so that the line does not run through it. */
void plot_open_mark(plot_page *g, double x, double y, const plot_look *k, int shape) {
    plot_mark_path(g, x, y, shape, 2.2 * g->unit);
    plot_paint(g, plot_paper(g));
    cairo_fill_preserve(g->cr);
    plot_paint(g, k->colour);
    cairo_set_line_width(g->cr, 0.8 * g->unit);
    cairo_stroke(g->cr);
}

void plot_draw_trace(plot_page *g, const plot_trace *t, const plot_look *k) {
    cairo_t *cr = g->cr;
    plot_paint(g, k->colour);
    cairo_set_line_width(cr, PLOT_LINE_WIDTH * g->unit);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
    set_dash(g, k->dash);
    bool dots = false;
    for (long i = 0; i < t->n;) {
        long j = i;
        while (!isnan(t->p[j].x)) j++;
        if (j - i == 1)
            dots = true;
        else
            for (long q = i; q < j; q++) (q == i ? cairo_move_to : cairo_line_to)(cr, t->p[q].x, t->p[q].y);
        i = j + 1;
    }
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    for (long i = 0; i < t->n && dots;) {
        long j = i;
        while (!isnan(t->p[j].x)) j++;
        if (j - i == 1) {
            cairo_new_sub_path(cr);
            cairo_arc(cr, t->p[i].x, t->p[i].y, (t->n == 2 ? 2 : PLOT_LINE_WIDTH) * g->unit, 0,
                      TURN); /* larger if nothing else is drawn */
        }
        i = j + 1;
    }
    if (dots) cairo_fill(cr);
}

/* A few marks along a trace. Each line has them at other places, so that crossing lines can be distinguished. */
void plot_draw_sparse(plot_page *g, const plot_frame *f, const plot_trace *t, const plot_look *k, int i) {
    double apart = f->width / 6, next = apart * (0.25 + 0.13 * (i % PLOT_DASHES)), gone = 0;
    for (long q = 1; q < t->n; q++) {
        plot_point a = t->p[q - 1], b = t->p[q];
        if (isnan(a.x) || isnan(b.x)) continue;
        double dx = fabs(b.x - a.x);
        while (gone + dx >= next) {
            double s = dx > 0 ? (next - gone) / dx : 0;
            plot_open_mark(g, a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), k, k->mark);
            next += apart;
        }
        gone += dx;
    }
}

void plot_stroke_crosses(plot_page *g, double size) {
    cairo_set_line_width(g->cr, fmin(0.9, 0.55 * size) * g->unit);
    cairo_set_line_cap(g->cr, CAIRO_LINE_CAP_BUTT);
    cairo_stroke(g->cr);
}

/* Marks at the data. On a line, they keep a distance from each other. Without a line, at most one is drawn in each small cell of the paper. */
void plot_draw_marks(plot_page *g, const plot_frame *f, const plot_line *l, const plot_look *k) {
    const double cell = 0.4;
    long nx = (long)ceil(f->width / cell) + 1, ny = (long)ceil(f->height / cell) + 1;
    bool alone = plot_marks_alone(l), bars = l->low || l->high;
    unsigned char *taken = alone ? pp_arena_zero(g->arena, (size_t)(nx * ny)) : NULL;
    if (alone && !taken) {
        g->failed = true;
        return;
    }
    double size = l->size > 0 ? l->size : l->n > 300 ? 1.0 : l->n > 100 ? 1.5 : 2.0;
    double lx = -1e9, ly = -1e9;
    for (long i = 0; i < l->n; i++) {
        if (!plot_shown(f, l, i)) continue;
        plot_point p = plot_on_page(f, l->x[i], l->y[i]);
        if (p.x < f->left - 0.01 || p.x > f->left + f->width + 0.01 || p.y < f->top - 0.01 ||
            p.y > f->top + f->height + 0.01)
            continue;
        if (taken) {
            unsigned char *c =
                &taken[(long)((p.y - f->top + 0.01) / cell) * nx + (long)((p.x - f->left + 0.01) / cell)];
            if (*c) continue;
            *c = 1;
            if (l->mark == 'x')
                plot_cross_path(g, p.x, p.y, size * g->unit);
            else
                plot_mark_path(g, p.x, p.y, k->shape, size * g->unit);
        } else if (bars || hypot(p.x - lx, p.y - ly) >= 7 * g->unit) {
            plot_open_mark(g, lx = p.x, ly = p.y, k, k->shape);
        }
    }
    if (taken) {
        plot_paint(g, k->colour);
        if (l->mark == 'x')
            plot_stroke_crosses(g, size);
        else
            cairo_fill(g->cr);
    }
}
