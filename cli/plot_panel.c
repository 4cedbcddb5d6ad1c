/* plot_panel.c - one panel of a figure: axes, grid, lines, marks, bands, legend
 * Method   every line becomes a trace on the page first: cut at gaps and at the edges of the box, thinned to what the
 *          eye can see. From the traces come both the drawing and the choice of the corner that the legend hides least
 *          of.
 * Valid    any data; numbers that an axis cannot show are gaps, a point between two gaps is drawn as a dot.
 * Cost     proportional to the points; what is written is bounded by the size of the paper. */
#include "plot_draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAMPLE 20.0 /* length of line in a legend [pt at 9 pt] */
#define LEGEND 0.9  /* size of its text */
#define MARGIN 5.0  /* from the box to the legend */
#define LINE   1.15 /* width of lines */
#define COLUMN 0.3  /* thinning: width of a column [pt] */
#define OFF    0.02 /* thinning: deviation [pt] */
#define TURN   6.283185307179586

plot_rgb plot_colour(const plot_page *g, int index) {
    static const unsigned light[PLOT_COLOURS] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                                 0xe69f00, 0x56b4e9, 0x000000, 0x808080};
    static const unsigned dark[PLOT_COLOURS] = {0x56b4e9, 0xff8a3d, 0x2fc79a, 0xe39ac4,
                                                0xf0c945, 0x4f8fd6, 0xf2f2f2, 0xa0a0a0};
    unsigned c = g->dark ? 0xdcdfe4 : 0x1a1a1a;
    if (index >= 0) c = (g->dark ? dark : light)[index % PLOT_COLOURS];
    plot_rgb rgb = {(double)(c >> 16) / 255, (double)(c >> 8 & 255) / 255, (double)(c & 255) / 255};
    return rgb;
}

plot_rgb plot_paper(const plot_page *g) {
    plot_rgb white = {1, 1, 1}, night = {0.082, 0.094, 0.114};
    return g->dark ? night : white;
}

static void paint(plot_page *g, plot_rgb c) { cairo_set_source_rgb(g->cr, c.r, c.g, c.b); }

/* Between ink (1) and paper (0). */
static void paint_ink(plot_page *g, double part) {
    plot_rgb ink = plot_colour(g, PLOT_INK), paper = plot_paper(g);
    cairo_set_source_rgb(g->cr, paper.r + part * (ink.r - paper.r), paper.g + part * (ink.g - paper.g),
                         paper.b + part * (ink.b - paper.b));
}

static double place_x(const plot_frame *f, double v) { return f->left + f->width * plot_axis_place(&f->x, v); }
static double place_y(const plot_frame *f, double v) { return f->top + f->height * (1 - plot_axis_place(&f->y, v)); }

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
    plot_point last; /* it, before cutting */
} builder;

static void end_piece(builder *b) {
    plot_trace *t = b->t;
    if (t->n == b->piece) return;
    t->n = b->piece + plot_thin(t->p + b->piece, t->n - b->piece, COLUMN, OFF);
    plot_point first = t->p[b->piece];
    bool still = true; /* a body that rests: a dot, as a line without length would not show */
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

static plot_point on_page(const plot_frame *f, double x, double y) {
    plot_point p = {place_x(f, x), place_y(f, y)};
    /* far beyond the box only the direction counts; this keeps the cutting finite */
    if (!(fabs(p.x) < 1e10)) p.x = p.x > 0 ? 1e10 : -1e10;
    if (!(fabs(p.y) < 1e10)) p.y = p.y > 0 ? 1e10 : -1e10;
    return p;
}

static bool shown(const plot_frame *f, const plot_line *l, long i) {
    return plot_shows(l->x[i], f->x.log) && plot_shows(l->y[i], f->y.log);
}

static void trace_line(plot_page *g, const plot_frame *f, const plot_line *l, plot_trace *t) {
    t->n = 0;
    size_t room = 8 + (size_t)l->n * (l->mark == 's' ? 6 : 3);
    t->p = pp_arena_get(g->arena, room * sizeof *t->p);
    if (!t->p) {
        g->failed = true;
        return;
    }
    builder b = {f, t, 0, false, {0, 0}};
    for (long i = 0; i < l->n; i++) {
        if (!shown(f, l, i)) {
            end_piece(&b);
            b.open = false;
            continue;
        }
        plot_point p = on_page(f, l->x[i], l->y[i]);
        if (l->mark == 's' && b.open) {
            plot_point corner = {p.x, b.last.y};
            add_point(&b, corner, false);
        }
        bool lone = !b.open && (i + 1 == l->n || !shown(f, l, i + 1));
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

typedef struct look {
    plot_rgb colour;
    int dash; /* 0: solid */
    int mark; /* -1: none sparse; else shape */
    int shape;
} look;

static look look_of(plot_page *g, const plot_panel *p, int i) {
    const plot_line *l = &p->line[i];
    bool arranged = false; /* the caller has said which ones are dashed */
    for (int k = 0; k < p->nline; k++)
        arranged |= p->line[k].dashed || p->line[k].mark == '.' || p->line[k].mark == 'o';
    look k = {plot_colour(g, l->colour == PLOT_NEXT ? i : l->colour), 0, -1, 0};
    k.shape = (l->colour == PLOT_NEXT || l->colour == PLOT_INK ? i : l->colour) % 4;
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

static void mark_path(plot_page *g, double x, double y, int shape, double r) {
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

/* An open mark in the line's colour; the paper shows inside, so that the line does not run through it. */
static void open_mark(plot_page *g, double x, double y, const look *k, int shape) {
    mark_path(g, x, y, shape, 2.2 * g->unit);
    paint(g, plot_paper(g));
    cairo_fill_preserve(g->cr);
    paint(g, k->colour);
    cairo_set_line_width(g->cr, 0.8 * g->unit);
    cairo_stroke(g->cr);
}

static void draw_trace(plot_page *g, const plot_trace *t, const look *k) {
    cairo_t *cr = g->cr;
    paint(g, k->colour);
    cairo_set_line_width(cr, LINE * g->unit);
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
            cairo_arc(cr, t->p[i].x, t->p[i].y, (t->n == 2 ? 2 : LINE) * g->unit, 0,
                      TURN); /* larger if it is all there is */
        }
        i = j + 1;
    }
    if (dots) cairo_fill(cr);
}

/* A few marks along a trace, at other places for each line, so that crossing lines are told apart. */
static void draw_sparse(plot_page *g, const plot_frame *f, const plot_trace *t, const look *k, int i) {
    double apart = f->width / 6, next = apart * (0.25 + 0.13 * (i % PLOT_DASHES)), gone = 0;
    for (long q = 1; q < t->n; q++) {
        plot_point a = t->p[q - 1], b = t->p[q];
        if (isnan(a.x) || isnan(b.x)) continue;
        double dx = fabs(b.x - a.x);
        while (gone + dx >= next) {
            double s = dx > 0 ? (next - gone) / dx : 0;
            open_mark(g, a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), k, k->mark);
            next += apart;
        }
        gone += dx;
    }
}

/* Marks at the data. Those on a line keep a distance; those alone are drawn once for every small cell of the paper. */
static void draw_marks(plot_page *g, const plot_frame *f, const plot_line *l, const look *k) {
    const double cell = 0.4;
    long nx = (long)ceil(f->width / cell) + 1, ny = (long)ceil(f->height / cell) + 1;
    unsigned char *taken = l->mark == '.' ? pp_arena_zero(g->arena, (size_t)(nx * ny)) : NULL;
    if (l->mark == '.' && !taken) {
        g->failed = true;
        return;
    }
    double size = l->n > 300 ? 1.0 : l->n > 100 ? 1.5 : 2.0;
    double lx = -1e9, ly = -1e9;
    for (long i = 0; i < l->n; i++) {
        if (!shown(f, l, i)) continue;
        plot_point p = on_page(f, l->x[i], l->y[i]);
        if (p.x < f->left - 0.01 || p.x > f->left + f->width + 0.01 || p.y < f->top - 0.01 ||
            p.y > f->top + f->height + 0.01)
            continue;
        if (taken) {
            unsigned char *c =
                &taken[(long)((p.y - f->top + 0.01) / cell) * nx + (long)((p.x - f->left + 0.01) / cell)];
            if (*c) continue;
            *c = 1;
            mark_path(g, p.x, p.y, k->shape, size * g->unit);
        } else if (hypot(p.x - lx, p.y - ly) >= 7 * g->unit) {
            open_mark(g, lx = p.x, ly = p.y, k, k->shape);
        }
    }
    if (taken) {
        paint(g, k->colour);
        cairo_fill(g->cr);
    }
}

/* ---- bands ---- */

/* Height of a state's bar as a part of the row: also without colours they are three. */
static const double bar_height[3] = {0.22, 0.84, 0.5};

static plot_rgb bar_colour(plot_page *g, int state) {
    plot_rgb grey = {0.62, 0.62, 0.62};
    return state == 0 ? grey : plot_colour(g, state == 1 ? 0 : 1);
}

static void draw_bands(plot_page *g, const plot_frame *f) {
    const plot_panel *p = f->p;
    cairo_t *cr = g->cr;
    double row = f->height / p->nrow;
    for (int r = 1; r < p->nrow && g->grid; r++) {
        cairo_move_to(cr, f->left, f->top + r * row);
        cairo_line_to(cr, f->left + f->width, f->top + r * row);
    }
    paint_ink(g, 0.13);
    cairo_set_line_width(cr, 0.4 * g->unit);
    cairo_stroke(cr);
    for (int state = 0; state < 3; state++) {
        int in_row = -1;
        double done = -INFINITY; /* right end of what is drawn in this row */
        for (long i = 0; i < p->nband; i++) {
            const plot_band *b = &p->band[i];
            if (b->state != state || !plot_shows(b->x0, f->x.log) || !plot_shows(b->x1, f->x.log)) continue;
            if (b->row != in_row) in_row = b->row, done = -INFINITY;
            double x0 = fmax(place_x(f, b->x0), f->left), x1 = fmin(place_x(f, b->x1), f->left + f->width);
            if (x1 < f->left || x0 > f->left + f->width) continue;
            if (x1 - x0 < 0.35) x1 = x0 + 0.35; /* short ones stay visible */
            if (x1 <= done) continue;
            if (x0 < done) x0 = done;
            double h = bar_height[state % 3] * row;
            cairo_rectangle(cr, x0, f->top + (b->row + 0.5) * row - h / 2, x1 - x0, h);
            done = x1;
        }
        paint(g, bar_colour(g, state));
        cairo_fill(cr);
    }
}

/* ---- legend ---- */

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
        for (long q = 0; q < t->n; q++) {
            plot_point a = t->p[q];
            if (isnan(a.x)) continue;
            plot_point b = q + 1 < t->n && !isnan(t->p[q + 1].x) ? t->p[q + 1] : a;
            int steps = 1 + (int)(hypot(b.x - a.x, b.y - a.y) / 2);
            for (int s = 0; s < steps; s++) {
                double x = a.x + (b.x - a.x) * s / steps, y = a.y + (b.y - a.y) * s / steps;
                hidden += x > x0 && x < x1 && y > y0 && y < y1;
            }
        }
    }
    return hidden;
}

static void draw_legend(plot_page *g, const plot_frame *f) {
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
            paint_ink(g, 0.7);
            plot_text(g, x, baseline, PLOT_LEFT, more, size, false);
            break;
        }
        if (line >= 0) {
            look k = look_of(g, f->p, line);
            char mark = f->p->line[line].mark;
            plot_point ends[3] = {{x, y}, {end, y}, {NAN, NAN}};
            plot_trace t = {ends, 3};
            if (mark != '.') draw_trace(g, &t, &k);
            if (mark == '.') {
                mark_path(g, (x + end) / 2, y, k.shape, 2 * g->unit);
                paint(g, k.colour);
                cairo_fill(cr);
            } else if (mark == 'o' || k.mark >= 0) {
                open_mark(g, (x + end) / 2, y, &k, mark == 'o' ? k.shape : k.mark);
            }
        } else {
            int state = i - (all - f->p->nstate);
            double h = bar_height[state % 3] * 0.9 * g->font;
            paint(g, bar_colour(g, state));
            cairo_rectangle(cr, x + 2 * g->unit, y - h / 2, (SAMPLE - 2) * g->unit, h);
            cairo_fill(cr);
        }
        paint_ink(g, 1);
        label = plot_text_fit(g, label, f->entry_width - (SAMPLE + 4) * g->unit + 0.01, &size, false);
        plot_text(g, end + 4 * g->unit, baseline, PLOT_LEFT, label, size, false);
    }
}

/* ---- axes ---- */

static void draw_grid(plot_page *g, const plot_frame *f) {
    cairo_t *cr = g->cr;
    for (int i = 0; i < f->x.ntick; i++) {
        double x = place_x(f, f->x.tick[i]);
        cairo_move_to(cr, x, f->top);
        cairo_line_to(cr, x, f->top + f->height);
    }
    for (int i = 0; i < f->y.ntick && f->p->nrow == 0; i++) {
        double y = place_y(f, f->y.tick[i]);
        cairo_move_to(cr, f->left, y);
        cairo_line_to(cr, f->left + f->width, y);
    }
    paint_ink(g, 0.13);
    cairo_set_line_width(cr, 0.4 * g->unit);
    cairo_stroke(cr);
}

static void draw_ticks(plot_page *g, const plot_frame *f) {
    cairo_t *cr = g->cr;
    double bottom = f->top + f->height, major = 3 * g->unit, minor = 1.8 * g->unit;
    for (int i = 0; i < f->x.ntick + f->x.nminor; i++) {
        double x = place_x(f, i < f->x.ntick ? f->x.tick[i] : f->x.minor[i - f->x.ntick]);
        cairo_move_to(cr, x, bottom);
        cairo_line_to(cr, x, bottom + (i < f->x.ntick ? major : minor));
    }
    for (int i = 0; i < f->y.ntick + f->y.nminor && f->p->nrow == 0; i++) {
        double y = place_y(f, i < f->y.ntick ? f->y.tick[i] : f->y.minor[i - f->y.ntick]);
        cairo_move_to(cr, f->left, y);
        cairo_line_to(cr, f->left - (i < f->y.ntick ? major : minor), y);
    }
    cairo_rectangle(cr, f->left, f->top, f->width, f->height);
    paint_ink(g, 0.75);
    cairo_set_line_width(cr, 0.6 * g->unit);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_MITER);
    cairo_stroke(cr);
}

static void draw_words(plot_page *g, const plot_frame *f) {
    double small = 0.9, cap = PLOT_CAP * small * g->font, bottom = f->top + f->height;
    paint_ink(g, 1);
    for (int i = 0; i < f->x.ntick && f->below; i++)
        plot_text(g, place_x(f, f->x.tick[i]), bottom + 5 * g->unit + cap, PLOT_CENTRE, f->x.word[i], small, false);
    for (int i = 0; i < f->y.ntick && f->p->nrow == 0; i++)
        plot_text(g, f->left - 5 * g->unit, place_y(f, f->y.tick[i]) + 0.5 * cap, PLOT_RIGHT, f->y.word[i], small,
                  false);
    double row = f->p->nrow > 0 ? f->height / f->p->nrow : 0;
    for (int i = 0; i < f->p->nrow; i++) {
        double size = fmin(small, 1.05 * row / g->font); /* many rows in a low figure */
        const char *label = plot_text_fit(g, f->p->row[i], f->left - 10 * g->unit, &size, false);
        plot_text(g, f->left - 5 * g->unit, f->top + (i + 0.5) * row + 0.5 * PLOT_CAP * size * g->font, PLOT_RIGHT,
                  label, size, false);
    }
    if (f->y.note[0] && f->p->nrow == 0)
        plot_text(g, f->left, f->top - 3.5 * g->unit, PLOT_LEFT, f->y.note, small, false);
}

void plot_draw_panel(plot_page *g, plot_frame *f) {
    cairo_t *cr = g->cr;
    if (g->grid) draw_grid(g, f);
    cairo_save(cr);
    double room = 0.5 * LINE * g->unit; /* a line along the edge keeps its width */
    cairo_rectangle(cr, f->left - room, f->top - room, f->width + 2 * room, f->height + 2 * room);
    cairo_clip(cr);
    if (f->p->nrow > 0) draw_bands(g, f);
    for (int i = 0; i < f->p->nline; i++) {
        look k = look_of(g, f->p, i);
        if (f->p->line[i].mark != '.') draw_trace(g, &f->trace[i], &k);
        if (k.mark >= 0) draw_sparse(g, f, &f->trace[i], &k, i);
    }
    cairo_restore(cr);
    draw_ticks(g, f);
    for (int i = 0; i < f->p->nline; i++) { /* marks last, and whole at the edge */
        look k = look_of(g, f->p, i);
        if (f->p->line[i].mark == '.' || f->p->line[i].mark == 'o') draw_marks(g, f, &f->p->line[i], &k);
    }
    draw_words(g, f);
    if (f->legend != PLOT_NO_LEGEND && f->entries > 0) draw_legend(g, f);
}
