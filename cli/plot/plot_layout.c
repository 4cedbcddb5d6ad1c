/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_layout.c - where everything stands on the page
 *   panels under each other, their boxes of one width and flush; margins as wide as the words in them, and no wider
 * Method   the words of the axes depend on the size of the boxes (how many ticks fit) and the size of the boxes on the
 *          words (margins): a few rounds settle it. Then the legends look for an empty corner; where there is none they
 *          go above or beside their panel, and the page is laid out once more. Grids: plot_grid.c.
 * Valid    any panels; a page too small for its words is told in the sheet, with the size it would need. */
#include "plot/plot_draw.h"

#include <math.h>
#include <string.h>

const char *const plot_legends[] = {"auto",  "top-left", "top-right", "bottom-left", "bottom-right",
                                    "above", "outside",  "none",      NULL};

static plot_place legend_place(const char *name) {
    static const plot_place place[] = {PLOT_AUTO,         PLOT_TOP_LEFT, PLOT_TOP_RIGHT, PLOT_BOTTOM_LEFT,
                                       PLOT_BOTTOM_RIGHT, PLOT_ABOVE,    PLOT_OUTSIDE,   PLOT_NO_LEGEND};
    for (int i = 0; name && plot_legends[i]; i++)
        if (!strcmp(name, plot_legends[i])) return place[i];
    return PLOT_AUTO;
}

/* Does panel i share its x axis with the one after it? */
static bool shares(const plot_figure *fig, int i) {
    return i + 1 < fig->npanel && fig->panel[i].shared && fig->panel[i + 1].shared &&
           fig->panel[i].logx == fig->panel[i + 1].logx;
}

plot_range plot_x_range(plot_page *g, const plot_panel *p) {
    plot_range r = plot_range_none();
    for (int i = 0; i < p->nline; i++)
        for (long k = 0; k < p->line[i].n; k++) /* only of points that have a place */
            if (plot_shows(p->line[i].y[k], p->logy))
                plot_range_add(&r, &p->line[i].x[k], p->line[i].mark == 'h' ? 2 : 1, p->logx);
    for (long k = 0; k < p->nband; k++) {
        plot_range_add(&r, &p->band[k].x0, 1, p->logx);
        plot_range_add(&r, &p->band[k].x1, 1, p->logx);
    }
    plot_range y = plot_range_none();
    if (p->map) plot_map_ranges(g, p, &r, &y);
    return r;
}

plot_range plot_y_range(plot_page *g, const plot_panel *p, const plot_axis *x) {
    plot_range r = plot_range_none(), across = plot_range_none();
    if (p->map) plot_map_ranges(g, p, &across, &r);
    for (int i = 0; i < p->nline; i++)
        if (p->line[i].low || p->line[i].high || p->line[i].mark == 'h') plot_interval_range(p, &p->line[i], x, &r);
    for (int i = 0; i < p->nline; i++)
        for (long k = 0; k < p->line[i].n; k++)
            if (p->line[i].x[k] >= x->lo && p->line[i].x[k] <= x->hi) plot_range_add(&r, &p->line[i].y[k], 1, p->logy);
    return r;
}

/* Nothing but counts? Then there are no ticks between them. */
static bool whole_numbers(const plot_panel *p) {
    bool any = false;
    for (int i = 0; i < p->nline; i++)
        for (long k = 0; k < p->line[i].n; k++) {
            double v = p->line[i].y[k];
            if (!plot_shows(v, false)) continue;
            if (v != floor(v)) return false;
            any = any || v != 0;
        }
    return any;
}

static bool all_whole(const double *v, int n) {
    for (int i = 0; i < n; i++)
        if (v[i] != floor(v[i])) return false;
    return n > 0;
}

void plot_span_axes(plot_frame *f, plot_range x, plot_range y) {
    const plot_panel *p = f->p;
    plot_axis_span(&f->x, x, p->logx, !p->shared && !p->map, p->xmin, p->xmax);
    bool on_zero = plot_has_bars(p) && !p->logy && isnan(p->ymin) && y.lo >= 0; /* bars stand on the edge of the box */
    plot_axis_span(&f->y, y, p->logy, !p->map, on_zero ? 0 : p->ymin, p->ymax);
    f->y.whole = !p->logy && whole_numbers(p);
    if (!p->map) return;
    f->x.whole = !p->logx && all_whole(p->map->x, p->map->nx);
    f->y.whole = !p->logy && all_whole(p->map->y, p->map->ny);
    plot_map_colours(p->map, &f->colours);
}

static void set_spans(plot_sheet *s) {
    if (s->columns > 1) {
        plot_grid_spans(s);
        return;
    }
    const plot_figure *fig = s->fig;
    for (int i = 0; i < fig->npanel;) {
        int end = i;
        while (shares(fig, end)) end++;
        plot_range r = plot_range_none();
        for (int k = i; k <= end; k++) {
            plot_range one = plot_x_range(&s->g, &fig->panel[k]);
            if (one.lo < r.lo) r.lo = one.lo;
            if (one.hi > r.hi) r.hi = one.hi;
        }
        for (; i <= end; i++) {
            plot_frame *f = &s->frame[i];
            f->p = &fig->panel[i];
            f->below = i == end;
            plot_span_axes(f, r, plot_range_none()); /* the range of y depends on the ends of x */
            plot_span_axes(f, r, plot_y_range(&s->g, f->p, &f->x));
        }
    }
}

double plot_big_title(const plot_sheet *s) { return s->fig->title && *s->fig->title ? 1.9 * s->g.font : 0; }
bool plot_given(const char *text) { return text && *text; }

/* As many x ticks as stand apart. */
void plot_x_ticks(plot_sheet *s, plot_frame *f) {
    int most = (int)(f->width / (3 * s->g.font));
    for (most = most > 11 ? 11 : most; most > 1; most--) {
        plot_axis_ticks(&f->x, most);
        double end = -INFINITY;
        bool apart = true;
        for (int i = 0; i < f->x.ntick; i++) {
            double w = plot_text_width(&s->g, f->x.word[i], 0.9, false);
            double at = f->width * plot_axis_place(&f->x, f->x.tick[i]);
            apart = apart && at - w / 2 > end + 0.9 * s->g.font;
            end = at + w / 2;
        }
        if (apart) return;
    }
    plot_axis_ticks(&f->x, 1);
}

void plot_y_ticks(plot_sheet *s, plot_frame *f) {
    int most = (int)(f->height / (2.3 * s->g.font));
    plot_axis_ticks(&f->y, most < 2 ? 2 : most > 8 ? 8 : most);
}

/* Height of the row for the note of the y axis; 0 if there is none, or if it finds room beside what stands in the row
 * above it. */
static double note_row(plot_sheet *s, plot_frame *f) {
    plot_page *g = &s->g;
    if (f->p->map && s->note && !plot_given(f->p->title)) return 1.3 * g->font; /* that of the colour bar */
    if (f->p->nrow > 0 || !f->y.note[0] || f->bare) return 0;
    double note = plot_text_width(g, f->y.note, 0.9, false) + g->font, row = 1.3 * g->font;
    if (f->legend == PLOT_ABOVE && f->entries > 0) return f->rows == 1 && f->legend_width + note < f->width ? 0 : row;
    if (plot_given(f->p->title)) return plot_text_width(g, f->p->title, 1, true) / 2 + note < f->width / 2 ? 0 : row;
    return row;
}

/* Room above the box: title, legend, note of the y axis. */
double plot_room_above(plot_sheet *s, plot_frame *f) {
    double room = note_row(s, f);
    if (plot_given(f->p->title)) room += 1.45 * s->g.font;
    if (f->legend == PLOT_ABOVE && f->entries > 0) room += f->legend_height + 2 * s->g.unit;
    return room;
}

double plot_room_below(const plot_sheet *s, const plot_frame *f) {
    if (!f->below) return 0;
    double font = s->g.font;
    double room = 5 * s->g.unit + 0.9 * font * PLOT_CAP + 0.3 * font;
    if ((plot_given(f->p->xlabel) && !s->one_xlabel) || f->x.note[0]) room += 1.3 * font;
    return room;
}

/* The preferred height of a box. */
static double wish(const plot_sheet *s, const plot_frame *f) {
    double font = s->g.font;
    if (f->p->nrow > 0) return fmax(f->p->nrow * 1.75 * font, 4 * font);
    if (f->p->equal) {
        double ratio = (f->y.hi - f->y.lo) / (f->x.hi - f->x.lo);
        return fmin(fmax(f->width * ratio, 35 * PLOT_POINTS), 130 * PLOT_POINTS);
    }
    return (f->p->shared ? 60 : 80) * PLOT_POINTS - 5 * s->g.unit - 2.6 * font;
}

static double between(const plot_sheet *s, int i) { return (shares(s->fig, i) ? 1.25 : 1.1) * s->g.font; }

void plot_equal_scales(plot_frame *f) {
    double sx = (f->x.hi - f->x.lo) / f->width, sy = (f->y.hi - f->y.lo) / f->height;
    bool wide = sy > sx; /* the x axis has to show more */
    plot_axis *a = wide ? &f->x : &f->y;
    const plot_panel *p = f->p;
    double lo = wide ? p->xmin : p->ymin, hi = wide ? p->xmax : p->ymax, need = wide ? sy * f->width : sx * f->height;
    if ((!isnan(lo) && !isnan(hi)) || p->map) { /* both ends are given: the box shrinks instead */
        if (wide)
            f->width *= sx / sy;
        else
            f->height *= sy / sx;
    } else if (!isnan(lo)) {
        a->hi = a->lo + need;
    } else if (!isnan(hi)) {
        a->lo = a->hi - need;
    } else {
        double middle = a->lo + (a->hi - a->lo) / 2;
        a->lo = middle - need / 2;
        a->hi = middle + need / 2;
    }
}

/* Shapes of the legends, which the margins depend on. */
void plot_shape_legends(plot_sheet *s) {
    for (int i = 0; i < s->fig->npanel; i++) {
        plot_frame *f = &s->frame[i];
        if (f->legend == PLOT_NO_LEGEND) continue;
        double margin = 10 * s->g.unit;
        if (f->legend == PLOT_ABOVE)
            plot_legend_shape(&s->g, f, f->width, 8 * s->g.font);
        else if (f->legend == PLOT_OUTSIDE)
            plot_legend_shape(&s->g, f, 0.35 * s->width, f->height);
        else
            plot_legend_shape(&s->g, f, f->width - margin, f->height - margin);
    }
}

double plot_y_words(plot_sheet *s, const plot_frame *f) {
    double words = 0;
    for (int k = 0; k < f->y.ntick && f->p->nrow == 0; k++)
        words = fmax(words, plot_text_width(&s->g, f->y.word[k], 0.9, false));
    for (int k = 0; k < f->p->nrow; k++)
        words = fmax(words, fmin(plot_text_width(&s->g, f->p->row[k], 0.9, false), 0.26 * s->width / s->columns));
    return words;
}

/* ---- colour bars ---- */

/* Can one bar serve both maps? */
static bool same_colours(const plot_frame *a, const plot_frame *b) {
    const plot_map *m = a->p->map, *n = b->p->map;
    const char *p = m->label ? m->label : "", *q = n->label ? n->label : "";
    return a->colours.lo == b->colours.lo && a->colours.hi == b->colours.hi && m->log == n->log && !strcmp(p, q);
}

/* One bar for all maps if their colours mean the same, else one for each. */
static void make_bars(plot_sheet *s) {
    int n = s->fig->npanel, maps = 0;
    const plot_frame **map = PP_ARENA_ARRAY(s->g.arena, const plot_frame *, n);
    s->bar = PP_ARENA_ZERO(s->g.arena, plot_bar, n);
    plot_scale *scale = PP_ARENA_ARRAY(s->g.arena, plot_scale, 1);
    if (!map || !s->bar || !scale) {
        s->g.failed = true;
        return;
    }
    bool same = true;
    for (int i = 0; i < n; i++) {
        if (!s->frame[i].p->map) continue;
        map[maps++] = &s->frame[i];
        same = same && same_colours(map[0], &s->frame[i]);
    }
    if (maps == 0) return;
    plot_scale_make(scale, s->g.dark ? 0.1 : 0); /* on dark paper the darkest cells stay apart from it */
    s->g.scale = scale;
    s->nbar = same ? 1 : maps;
    for (int k = 0; k < s->nbar; k++) {
        s->bar[k].map = (const plot_frame *const *)&map[k];
        s->bar[k].nmap = same ? maps : 1;
    }
}

double plot_place_bars(plot_sheet *s) {
    double most = 0;
    s->note = false;
    for (int k = 0; k < s->nbar; k++) {
        plot_bar *b = &s->bar[k];
        double right = 0, top = INFINITY, bottom = 0;
        for (int i = 0; i < b->nmap; i++) {
            const plot_frame *f = b->map[i];
            right = fmax(right, f->left + f->width);
            top = fmin(top, f->top);
            bottom = fmax(bottom, f->top + f->height);
        }
        b->left = right;
        b->top = top;
        b->height = bottom - top;
        most = fmax(most, plot_bar_shape(&s->g, b));
        s->note = s->note || b->axis.note[0];
    }
    return most;
}

/* ---- stacked panels ---- */

static void arrange(plot_sheet *s) {
    plot_page *g = &s->g;
    const plot_figure *fig = s->fig;
    double outer = PLOT_OUTER * g->unit, all_words = 0;
    s->least_width = s->least_height = 0;
    for (int i = 0; i < fig->npanel; i++) {
        s->frame[i].width = s->width * 0.8;
        s->frame[i].height = 40 * PLOT_POINTS;
    }
    for (int round = 0; round < 4; round++) {
        double bars = plot_place_bars(s), left = outer, right = outer + bars;
        all_words = 0;
        plot_shape_legends(s);
        for (int i = 0; i < fig->npanel; i++) {
            plot_frame *f = &s->frame[i];
            plot_y_ticks(s, f);
            plot_x_ticks(s, f);
            double words = plot_y_words(s, f);
            if (f->p->nrow == 0) all_words = fmax(all_words, words);
            if (f->p->nrow == 0 && plot_given(f->p->ylabel)) words += 1.6 * g->font;
            left = fmax(left, outer + words + 5 * g->unit);
            if (f->p->nrow == 0 && plot_given(f->p->ylabel))
                left = fmax(left, outer + all_words + 5 * g->unit + 1.6 * g->font);
            for (int k = 0; k < f->x.ntick && f->below; k++) { /* words that reach beyond the box */
                double half = plot_text_width(g, f->x.word[k], 0.9, false) / 2,
                       at = plot_axis_place(&f->x, f->x.tick[k]);
                left = fmax(left, outer + half - f->width * at);
                right = fmax(right, outer + half - f->width * (1 - at));
            }
            if (f->legend == PLOT_OUTSIDE && f->entries > 0)
                right = fmax(right, outer + bars + f->legend_width + 8 * g->unit);
        }
        double width = s->width - left - right;
        if (width < 12 * g->font) {
            s->least_width = s->width + 12 * g->font - width + 1;
            width = 12 * g->font;
        }
        double fixed = outer * 2 + plot_big_title(s), wishes = 0;
        for (int i = 0; i < fig->npanel; i++) {
            plot_frame *f = &s->frame[i];
            f->left = left;
            f->width = width;
            if (i + 1 < fig->npanel) fixed += between(s, i);
            fixed += plot_room_above(s, f) + plot_room_below(s, f);
            wishes += wish(s, f);
        }
        s->height = fig->height > 0 ? fig->height * PLOT_POINTS : fixed + wishes;
        double free_height = s->height - fixed, y = outer + plot_big_title(s);
        if (free_height < 3 * g->font * fig->npanel) {
            s->least_height = fixed + 3 * g->font * fig->npanel + 1;
            free_height = 3 * g->font * fig->npanel;
        }
        for (int i = 0; i < fig->npanel; i++) {
            plot_frame *f = &s->frame[i];
            f->top = y + plot_room_above(s, f);
            f->height = free_height * wish(s, f) / wishes;
            y = f->top + f->height + plot_room_below(s, f) + between(s, i);
        }
        for (int i = 0; i < fig->npanel; i++)
            if (fig->panel[i].equal && round == 2) plot_equal_scales(&s->frame[i]); /* one round more for its ticks */
    }
    for (int i = 0; i < fig->npanel; i++) {
        bool shrank = !isnan(fig->panel[i].xmin) || fig->panel[i].map;
        if (fig->panel[i].equal && shrank) plot_equal_scales(&s->frame[i]);
        s->frame[i].words = all_words;
        plot_trace_lines(g, &s->frame[i]);
    }
    plot_shape_legends(s);
}

/* An empty place for each legend that may choose. True if one has to leave its box. */
static bool place_legends(plot_sheet *s) {
    bool again = false;
    for (int i = 0; i < s->fig->npanel && !s->g.failed; i++) {
        plot_frame *f = &s->frame[i];
        if (f->entries == 0) continue;
        if (f->legend == PLOT_AUTO) {
            long best = -1;
            plot_place where = PLOT_ABOVE;
            bool fits = f->p->nrow == 0 && !f->p->map && f->columns == 1 && f->entries == plot_legend_entries(f->p) &&
                        f->legend_width < 0.6 * f->width && f->legend_height < 0.75 * f->height;
            for (int k = 0; k < PLOT_INSIDE && fits; k++) {
                long hidden = plot_legend_hides(f, &s->g, (plot_place)k);
                if (best < 0 || hidden < best) best = hidden, where = (plot_place)k;
            }
            if (best != 0) { /* nowhere empty: rows above, or a column beside if they would be many */
                f->legend = PLOT_ABOVE;
                plot_legend_shape(&s->g, f, f->width, INFINITY);
                if (f->rows > 2 && s->columns == 1) f->legend = PLOT_OUTSIDE;
                again = true;
            } else {
                f->legend = where;
            }
        }
        if (f->legend < PLOT_INSIDE) plot_legend_hides(f, &s->g, f->legend);
        if (f->legend == PLOT_OUTSIDE) {
            f->legend_x = f->left + f->width + 8 * s->g.unit + (s->nbar > 0 ? plot_place_bars(s) : 0);
            f->legend_y = f->top;
        }
        if (f->legend == PLOT_ABOVE) {
            f->legend_x = f->left + (f->width - f->legend_width) / 2;
            if (f->p->nrow == 0 && f->y.note[0] && note_row(s, f) == 0)
                f->legend_x = f->left + f->width - f->legend_width;
            f->legend_y = f->top - note_row(s, f) - f->legend_height - 2 * s->g.unit;
        }
    }
    return again;
}

/* Do two panels have the same legend? */
bool plot_same_legend(const plot_panel *a, const plot_panel *b) {
    if (a->nrow > 0 || b->nrow > 0 || a->nline != b->nline) return false;
    for (int i = 0; i < a->nline; i++) {
        const plot_line *p = &a->line[i], *q = &b->line[i];
        if (!p->label != !q->label || (p->label && strcmp(p->label, q->label) != 0)) return false;
        if (p->colour != q->colour || p->mark != q->mark || p->dashed != q->dashed || p->dash != q->dash) return false;
    }
    return true;
}

void plot_lay_out(plot_sheet *s) {
    s->columns = s->fig->columns < s->fig->npanel ? s->fig->columns : s->fig->npanel;
    if (s->columns < 1) s->columns = 1;
    set_spans(s);
    make_bars(s);
    if (s->g.failed) return;
    for (int i = 0; i < s->fig->npanel; i++) {
        plot_place where = legend_place(s->fig->legend);
        if (s->columns > 1 && where == PLOT_OUTSIDE) where = PLOT_ABOVE;
        bool again = s->columns == 1 && where == PLOT_AUTO && i > 0 &&
                     plot_same_legend(&s->fig->panel[i - 1], &s->fig->panel[i]);
        s->frame[i].legend = again ? PLOT_NO_LEGEND : where; /* that of the panel above serves both */
    }
    if (s->columns > 1) plot_grid_begin(s);
    for (int round = 0; round < 2 && !s->g.failed; round++) {
        if (round > 0) set_spans(s); /* equal scales have changed them */
        if (s->columns > 1)
            plot_grid_arrange(s);
        else
            arrange(s);
        if (s->g.failed || !place_legends(s)) break;
    }
    if (!s->g.failed) place_legends(s);
    plot_place_bars(s);
}
