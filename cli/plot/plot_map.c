/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_map.c - heat maps: cells, hatching where there is no data, contours and their levels, numbers in the cells
 * Method   cells are rectangles in rows. Each reaches a little under the next one; otherwise fine gaps would be visible between them on a screen. Neighbours of one colour are one rectangle. Cells that are finer than the paper
 *          resolves are drawn once for every MINIMUM of paper. Contours are found on the page (plot_contour.c), so
 *          they are straight lines between the centres on any axis; a pale line below keeps them visible on all
 *          colours. A level is written where its longest line is straight for the length of the number.
 * Valid    any numbers. Contours end half a cell before the edge of the map, at the outer centres.
 * Cost     proportional to the cells. */
#include "plot/plot_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot_contour.h"

#define MINIMUM  0.8  /* cells narrower than this are joined [pt] */
#define UNDER    0.3  /* how far a cell reaches under the next one [pt] */
#define HATCH    3.2  /* distance of the lines of the hatching [pt at 9 pt] */
#define LEVEL    0.75 /* size of the numbers at contours */
#define LARGEST  0.8  /* size of the numbers in cells: from this down to SMALLEST, else none */
#define SMALLEST 0.5
#define MINUS    "\xe2\x88\x92" /* U+2212 */
#define BRIGHT   0.62           /* lightness above which text is dark */

static bool has_value(const plot_map *m, double v) { return plot_shows(v, m->log); }

double *plot_map_edges(pp_arena *a, const double *centre, int n, bool log) {
    double *e = PP_ARENA_ARRAY(a, double, n + 1);
    if (!e || n < 1) return e;
    for (int i = 1; i < n; i++)
        e[i] = log ? sqrt(centre[i - 1]) * sqrt(centre[i]) : centre[i - 1] + (centre[i] - centre[i - 1]) / 2;
    if (n == 1) {
        e[0] = log ? centre[0] / sqrt(10) : centre[0] - 0.5;
        e[1] = log ? centre[0] * sqrt(10) : centre[0] + 0.5;
        return e;
    }
    e[0] = log ? centre[0] / e[1] * centre[0] : centre[0] - (e[1] - centre[0]);
    e[n] = log ? centre[n - 1] / e[n - 1] * centre[n - 1] : centre[n - 1] + (centre[n - 1] - e[n - 1]);
    return e;
}

void plot_map_ranges(plot_page *g, const plot_panel *p, plot_range *x, plot_range *y) {
    const plot_map *m = p->map;
    double *ex = plot_map_edges(g->arena, m->x, m->nx, p->logx), *ey = plot_map_edges(g->arena, m->y, m->ny, p->logy);
    if (!ex || !ey) {
        g->failed = true;
        return;
    }
    if (m->nx > 0) plot_range_add(x, ex, m->nx + 1, p->logx);
    if (m->ny > 0) plot_range_add(y, ey, m->ny + 1, p->logy);
}

void plot_map_colours(const plot_map *m, plot_axis *a) {
    plot_range r = plot_range_none();
    if (!(m->lo < m->hi)) plot_range_add(&r, m->value, (long)m->nx * m->ny, m->log);
    plot_axis_span(a, r, m->log, false, m->lo < m->hi ? m->lo : NAN, m->lo < m->hi ? m->hi : NAN);
}

static int step_of(const plot_frame *f, double v) {
    return plot_scale_step(plot_axis_place(&f->colours, fmin(fmax(v, f->colours.lo), f->colours.hi)));
}

/* Black or white, whichever is read better on the colour. */
static plot_rgb contrast(plot_rgb c, bool opposite) {
    bool dark = (plot_lab_of(c).L > BRIGHT) != opposite;
    plot_rgb black = {0.06, 0.06, 0.06}, white = {1, 1, 1};
    return dark ? black : white;
}

/* ---- cells ---- */

/* Places of the edges of n cells on the page, and which cells are drawn: those of at least MINIMUM, or one for each
 * MINIMUM. Returns how many; from[k]..from[k + 1] are the edges of cell which[k]. */
static int cells_on_page(const double *edge, int n, double *from, int *which) {
    int count = 0;
    double start = edge[0];
    for (int i = 0; i < n; i++) {
        if (fabs(edge[i + 1] - start) < MINIMUM && i + 1 < n) continue;
        from[count] = start;
        which[count++] = i;
        start = edge[i + 1];
    }
    from[count] = edge[n];
    return count;
}

static void draw_hatching(plot_page *g, const plot_frame *f) {
    cairo_t *cr = g->cr;
    double apart = HATCH * g->unit * 1.4142135623730951, bottom = f->top + f->height;
    cairo_clip(cr);
    plot_paint_ink(g, 0.06);
    cairo_paint(cr);
    for (double x = f->left - f->height; x < f->left + f->width; x += apart) { /* one pattern for the whole map */
        cairo_move_to(cr, x, bottom);
        cairo_line_to(cr, x + f->height, f->top);
    }
    plot_paint_ink(g, 0.45);
    cairo_set_line_width(cr, 0.5 * g->unit);
    cairo_stroke(cr);
}

typedef struct cells {
    double *x, *y; /* edges on the page */
    int *i, *j;    /* which cell */
    int nx, ny;
} cells;

static bool find_cells(plot_page *g, const plot_frame *f, cells *c) {
    const plot_map *m = f->p->map;
    double *ex = plot_map_edges(g->arena, m->x, m->nx, f->p->logx),
           *ey = plot_map_edges(g->arena, m->y, m->ny, f->p->logy);
    c->x = PP_ARENA_ARRAY(g->arena, double, m->nx + 1);
    c->y = PP_ARENA_ARRAY(g->arena, double, m->ny + 1);
    c->i = PP_ARENA_ARRAY(g->arena, int, m->nx);
    c->j = PP_ARENA_ARRAY(g->arena, int, m->ny);
    if (!ex || !ey || !c->x || !c->y || !c->i || !c->j) {
        g->failed = true;
        return false;
    }
    for (int i = 0; i <= m->nx; i++) ex[i] = plot_on_page(f, ex[i], f->y.lo).x;
    for (int j = 0; j <= m->ny; j++) ey[j] = plot_on_page(f, f->x.lo, ey[j]).y;
    c->nx = cells_on_page(ex, m->nx, c->x, c->i);
    c->ny = cells_on_page(ey, m->ny, c->y, c->j);
    return true;
}

static void draw_cells(plot_page *g, const plot_frame *f, const cells *c) {
    const plot_map *m = f->p->map;
    cairo_t *cr = g->cr;
    bool gaps = false;
    for (int j = c->ny - 1; j >= 0; j--) { /* from the top */
        const double *row = &m->value[(long)c->j[j] * m->nx];
        double top = c->y[j + 1], bottom = c->y[j] + (j > 0 ? UNDER : 0);
        for (int i = 0; i < c->nx;) {
            bool there = has_value(m, row[c->i[i]]);
            int step = there ? step_of(f, row[c->i[i]]) : -1, end = i + 1;
            while (end < c->nx && has_value(m, row[c->i[end]]) == there &&
                   (!there || step_of(f, row[c->i[end]]) == step))
                end++;
            if (there)
                plot_paint(g, g->scale->colour[step]);
            else
                plot_paint(g, plot_paper(g)), gaps = true; /* covers what reaches under it */
            cairo_rectangle(cr, c->x[i], top, c->x[end] + (end < c->nx ? UNDER : 0) - c->x[i], bottom - top);
            cairo_fill(cr);
            i = end;
        }
    }
    if (!gaps) return;
    for (int j = 0; j < c->ny; j++)
        for (int i = 0; i < c->nx; i++)
            if (!has_value(m, m->value[(long)c->j[j] * m->nx + c->i[i]]))
                cairo_rectangle(cr, c->x[i], c->y[j + 1], c->x[i + 1] - c->x[i], c->y[j] - c->y[j + 1]);
    cairo_save(cr);
    draw_hatching(g, f);
    cairo_restore(cr);
}

/* ---- numbers ---- */

/* Digits after the point that tell hundredths of the range apart; none for counts. */
static int decimals_for(const plot_frame *f) {
    const plot_map *m = f->p->map;
    bool whole = true;
    for (long k = 0; k < (long)m->nx * m->ny && whole; k++)
        whole = !has_value(m, m->value[k]) || m->value[k] == floor(m->value[k]);
    int digits = 2 - (int)floor(log10(f->colours.hi - f->colours.lo) + 1e-9);
    return whole || digits < 0 ? 0 : digits;
}

/* A number with its true minus sign. Very large and small ranges: with a power of ten, 1.2e−4. */
static void write_value(char *out, size_t size, double v, int decimals, bool power) {
    char digits[48];
    int exponent = 0;
    snprintf(digits, sizeof digits, power ? "%.*e" : "%.*f", power ? 1 : decimals, fabs(v));
    char *e = strchr(digits, 'e');
    if (e) exponent = atoi(e + 1), *e = 0;
    bool zero = strspn(digits, "0.") == strlen(digits);
    if (zero && power) snprintf(digits, sizeof digits, "0");
    char tail[16] = "";
    if (e && !zero) snprintf(tail, sizeof tail, "e%s%d", exponent < 0 ? MINUS : "", abs(exponent));
    snprintf(out, size, "%s%.40s%s", v < 0 && !zero ? MINUS : "", digits, tail);
}

/* The largest part of LARGEST..SMALLEST at which all numbers fit into their cells; 0: none. */
static double size_of_numbers(plot_page *g, const plot_frame *f, const cells *c, int decimals, bool power) {
    const plot_map *m = f->p->map;
    double size = LARGEST;
    for (int j = 0; j < m->ny && size > 0; j++) {
        double height = c->y[j] - c->y[j + 1];
        for (int i = 0; i < m->nx && size > 0; i++) {
            double v = m->value[(long)j * m->nx + i], width = c->x[i + 1] - c->x[i] - 2.5 * g->unit;
            if (!has_value(m, v)) continue;
            char text[64];
            write_value(text, sizeof text, v, decimals, power);
            size = fmin(size, width / plot_text_width(g, text, 1, false));
            size = fmin(size, 0.8 * height / (PLOT_CAP * g->font));
            if (size < SMALLEST) size = 0;
        }
    }
    return size;
}

static void draw_numbers(plot_page *g, const plot_frame *f, const cells *c) {
    const plot_map *m = f->p->map;
    if (c->nx < m->nx || c->ny < m->ny) return; /* finer than the paper resolves */
    int decimals = decimals_for(f);
    double largest = fmax(fabs(f->colours.lo), fabs(f->colours.hi));
    bool power = decimals > 5 || largest >= 1e6;
    double size = 0;
    int fewest = decimals > 1 ? decimals - 1 : decimals; /* one digit less before there are none */
    for (; decimals >= fewest && size <= 0; decimals--) size = size_of_numbers(g, f, c, decimals, power);
    decimals++;
    for (int j = 0; j < m->ny && size > 0; j++)
        for (int i = 0; i < m->nx; i++) {
            double v = m->value[(long)j * m->nx + i], x = (c->x[i] + c->x[i + 1]) / 2, y = (c->y[j] + c->y[j + 1]) / 2;
            bool inside = x > f->left && x < f->left + f->width && y > f->top && y < f->top + f->height;
            if (!has_value(m, v) || !inside) continue;
            char text[64];
            write_value(text, sizeof text, v, decimals, power);
            plot_paint(g, contrast(g->scale->colour[step_of(f, v)], false));
            plot_text(g, x, y + 0.5 * PLOT_CAP * size * g->font, PLOT_CENTRE, text, size, false);
        }
}

/* ---- contours ---- */

typedef struct spot {
    long line;           /* which contour; -1: nowhere */
    double begin, end;   /* the part of its length that makes room for the number */
    double x, y, angle;  /* middle of the number */
    double width, crook; /* length of the number; arc over chord, minus 1 */
} spot;

static plot_point corner(const plot_contour *c, long i) { return c->p[i % c->n]; }
static long corners(const plot_contour *c) { return c->closed ? c->n + 1 : c->n; }

static double length_of(const plot_contour *c) {
    double sum = 0;
    for (long i = 1; i < corners(c); i++)
        sum += hypot(corner(c, i).x - corner(c, i - 1).x, corner(c, i).y - corner(c, i - 1).y);
    return sum;
}

/* The point after a length of the line. */
static plot_point along(const plot_contour *c, double s) {
    for (long i = 1; i < corners(c); i++) {
        plot_point a = corner(c, i - 1), b = corner(c, i);
        double d = hypot(b.x - a.x, b.y - a.y);
        if (s <= d && d > 0) return (plot_point){a.x + s / d * (b.x - a.x), a.y + s / d * (b.y - a.y)};
        s -= d;
    }
    return corner(c, corners(c) - 1);
}

/* Is the middle of a number far enough from the edges of the box and from the numbers that stand already? */
static bool room_for(const plot_frame *f, const spot *s, const spot *old, int nold) {
    double m = 0.6 * s->width;
    if (s->x - m < f->left || s->x + m > f->left + f->width || s->y - m < f->top || s->y + m > f->top + f->height)
        return false;
    for (int k = 0; k < nold; k++)
        if (old[k].line >= 0 && hypot(old[k].x - s->x, old[k].y - s->y) < 0.6 * (s->width + old[k].width)) return false;
    return true;
}

/* The straightest place for a number of this width. Among equal places, the one nearest to the middle of the longest line. */
static spot find_spot(const plot_frame *f, const plot_contour *c, long n, double width, const spot *old, int nold) {
    spot best = {-1, 0, 0, 0, 0, 0, width, 0.12}; /* more crooked than this is not read well */
    enum { TRIES = 24 };
    for (long k = 0; k < n; k++) {
        double whole = length_of(&c[k]);
        if (whole < 3 * width) continue;
        for (int t = 0; t < TRIES; t++) {
            int from_middle = (t + 1) / 2 * (t % 2 ? 1 : -1);
            double middle = whole * (0.5 + (double)from_middle / (TRIES + 4));
            if (middle < width || middle > whole - width) continue;
            plot_point a = along(&c[k], middle - width / 2), b = along(&c[k], middle + width / 2);
            spot s = {k, middle - width / 2, middle + width / 2, (a.x + b.x) / 2, (a.y + b.y) / 2, 0, width, 0};
            s.crook = width / fmax(hypot(b.x - a.x, b.y - a.y), 1e-9) - 1;
            s.angle = atan2(b.y - a.y, b.x - a.x);
            if (cos(s.angle) < 0) s.angle += 3.141592653589793; /* read from the left */
            if (s.crook < best.crook - 0.005 && room_for(f, &s, old, nold)) best = s;
        }
    }
    return best;
}

/* The path of a line, without the part from begin to end. */
static void contour_path(cairo_t *cr, const plot_contour *c, double begin, double end) {
    double s = 0;
    cairo_move_to(cr, c->p[0].x, c->p[0].y);
    for (long i = 1; i < corners(c); i++) {
        plot_point a = corner(c, i - 1), b = corner(c, i);
        double d = hypot(b.x - a.x, b.y - a.y);
        bool last = c->closed && i == c->n && !(end > begin);
        if (end > begin && begin >= s && begin < s + d) {
            plot_point p = along(c, begin);
            cairo_line_to(cr, p.x, p.y);
        }
        if (end > begin && end >= s && end < s + d) {
            plot_point p = along(c, end);
            cairo_move_to(cr, p.x, p.y);
        }
        s += d;
        if (end > begin && s >= begin && s < end) continue;
        if (last)
            cairo_close_path(cr);
        else
            cairo_line_to(cr, b.x, b.y);
    }
}

static void draw_level(plot_page *g, const plot_contour *c, long n, const spot *s, plot_rgb line, plot_rgb halo) {
    cairo_t *cr = g->cr;
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
    for (int pass = 0; pass < 2; pass++) {
        for (long k = 0; k < n; k++) contour_path(cr, &c[k], s->line == k ? s->begin : 0, s->line == k ? s->end : 0);
        plot_rgb colour = pass ? line : halo;
        cairo_set_source_rgba(cr, colour.r, colour.g, colour.b, pass ? 1 : 0.55);
        cairo_set_line_width(cr, (pass ? 1 : 2.2) * g->unit);
        cairo_stroke(cr);
    }
}

static void write_level(plot_page *g, const spot *s, const char *text, plot_rgb ink, plot_rgb below) {
    cairo_t *cr = g->cr;
    double height = 1.15 * LEVEL * g->font;
    cairo_save(cr);
    cairo_translate(cr, s->x, s->y);
    cairo_rotate(cr, s->angle);
    cairo_rectangle(cr, -s->width / 2, -height / 2, s->width, height);
    cairo_set_source_rgba(cr, below.r, below.g, below.b, 0.85);
    cairo_fill(cr);
    plot_paint(g, ink);
    plot_text(g, 0, 0.5 * PLOT_CAP * LEVEL * g->font, PLOT_CENTRE, text, LEVEL, false);
    cairo_restore(cr);
}

static void draw_contours(plot_page *g, const plot_frame *f, bool written) {
    const plot_map *m = f->p->map;
    double *x = PP_ARENA_ARRAY(g->arena, double, m->nx), *y = PP_ARENA_ARRAY(g->arena, double, m->ny);
    long all = (long)m->nx * m->ny;
    double *v = PP_ARENA_ARRAY(g->arena, double, all);
    spot *label = PP_ARENA_ZERO(g->arena, spot, m->ncontour);
    if (!x || !y || !v || !label) {
        g->failed = true;
        return;
    }
    for (int i = 0; i < m->nx; i++) x[i] = plot_on_page(f, m->x[i], f->y.lo).x;
    for (int j = 0; j < m->ny; j++) y[j] = plot_on_page(f, f->x.lo, m->y[j]).y;
    for (long k = 0; k < all; k++) v[k] = !has_value(m, m->value[k]) ? NAN : m->log ? log10(m->value[k]) : m->value[k];
    for (int k = 0; k < m->ncontour; k++) {
        plot_contour *c = NULL;
        label[k] = (spot){.line = -1};
        if (m->log && !(m->contour[k] > 0)) continue;
        long n = plot_contours(g->arena, &(plot_field){m->nx, m->ny, x, y, v},
                               m->log ? log10(m->contour[k]) : m->contour[k], &c);
        if (n < 0) g->failed = true;
        if (n <= 0) continue;
        char text[64];
        snprintf(text, sizeof text, "%s%.4g", m->contour[k] < 0 ? MINUS : "", fabs(m->contour[k]));
        plot_rgb below = g->scale->colour[step_of(f, m->contour[k])];
        if (written) label[k] = find_spot(f, c, n, plot_text_width(g, text, LEVEL, false) + 3 * g->unit, label, k);
        draw_level(g, c, n, &label[k], contrast(below, false), contrast(below, true));
        if (label[k].line >= 0) write_level(g, &label[k], text, contrast(below, false), below);
    }
}

void plot_draw_map(plot_page *g, const plot_frame *f) {
    const plot_map *m = f->p->map;
    cells c;
    if (m->nx < 1 || m->ny < 1 || !find_cells(g, f, &c)) return;
    cairo_t *cr = g->cr;
    cairo_save(cr);
    cairo_rectangle(cr, f->left, f->top, f->width, f->height);
    cairo_clip(cr);
    draw_cells(g, f, &c);
    if (m->ncontour > 0) draw_contours(g, f, m->ncontour > 1 && !m->numbers);
    if (m->numbers) draw_numbers(g, f, &c);
    cairo_restore(cr);
}
