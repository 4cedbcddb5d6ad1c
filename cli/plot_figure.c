/* plot_figure.c - figures: where everything stands on the page, and the file
 *   panels under each other, their boxes of one width and flush; margins as wide as the words in them, and no wider
 * Method   the words of the axes depend on the size of the boxes (how many ticks fit) and the size of the boxes on the
 *          words (margins): a few rounds settle it. Then the legends look for an empty corner; where there is none they
 *          go above or beside their panel, and the page is laid out once more.
 * Valid    any panels; a page too small for its words is refused with the size it would need.
 * The bytes depend on the figure alone: no dates, no counters of the process, text measured without hinting. */
#include "plot_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "page.h"

#define POINTS (72 / 25.4) /* in a mm */
#define OUTER  6.0         /* margin around everything [pt at 9 pt] */

const char *const plot_legends[] = {"auto",  "top-left", "top-right", "bottom-left", "bottom-right",
                                    "above", "outside",  "none",      NULL};

static plot_place legend_place(const char *name) {
    static const plot_place place[] = {PLOT_AUTO,         PLOT_TOP_LEFT, PLOT_TOP_RIGHT, PLOT_BOTTOM_LEFT,
                                       PLOT_BOTTOM_RIGHT, PLOT_ABOVE,    PLOT_OUTSIDE,   PLOT_NO_LEGEND};
    for (int i = 0; name && plot_legends[i]; i++)
        if (!strcmp(name, plot_legends[i])) return place[i];
    return PLOT_AUTO;
}

/* ---- layout ---- */

typedef struct sheet {
    plot_page g;
    const plot_figure *fig;
    plot_frame *frame;
    double width, height;             /* [pt] */
    double words;                     /* width of the numbers at the y axes, of all panels */
    double least_width, least_height; /* > 0: the page is too small, this is what it needs [pt] */
} sheet;

/* Does panel i share its x axis with the one after it? */
static bool shares(const plot_figure *fig, int i) {
    return i + 1 < fig->npanel && fig->panel[i].shared && fig->panel[i + 1].shared &&
           fig->panel[i].logx == fig->panel[i + 1].logx;
}

static plot_range x_range(const plot_panel *p) {
    plot_range r = plot_range_none();
    for (int i = 0; i < p->nline; i++)
        for (long k = 0; k < p->line[i].n; k++) /* only of points that have a place */
            if (plot_shows(p->line[i].y[k], p->logy)) plot_range_add(&r, &p->line[i].x[k], 1, p->logx);
    for (long k = 0; k < p->nband; k++) {
        plot_range_add(&r, &p->band[k].x0, 1, p->logx);
        plot_range_add(&r, &p->band[k].x1, 1, p->logx);
    }
    return r;
}

/* Of the points within the ends of the x axis. */
static plot_range y_range(const plot_panel *p, const plot_axis *x) {
    plot_range r = plot_range_none();
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

static void set_spans(sheet *s) {
    const plot_figure *fig = s->fig;
    for (int i = 0; i < fig->npanel;) {
        int end = i;
        while (shares(fig, end)) end++;
        plot_range r = plot_range_none();
        for (int k = i; k <= end; k++) {
            plot_range one = x_range(&fig->panel[k]);
            if (one.lo < r.lo) r.lo = one.lo;
            if (one.hi > r.hi) r.hi = one.hi;
        }
        for (; i <= end; i++) {
            const plot_panel *p = &fig->panel[i];
            plot_frame *f = &s->frame[i];
            f->p = p;
            f->below = i == end;
            plot_axis_span(&f->x, r, p->logx, !p->shared, p->xmin, p->xmax);
            plot_axis_span(&f->y, y_range(p, &f->x), p->logy, true, p->ymin, p->ymax);
            f->y.whole = !p->logy && whole_numbers(p);
        }
    }
}

static double big_title(const sheet *s) { return s->fig->title && *s->fig->title ? 1.9 * s->g.font : 0; }
static bool given(const char *text) { return text && *text; }

/* As many x ticks as stand apart. */
static void x_ticks(sheet *s, plot_frame *f) {
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

static void y_ticks(sheet *s, plot_frame *f) {
    int most = (int)(f->height / (2.3 * s->g.font));
    plot_axis_ticks(&f->y, most < 2 ? 2 : most > 8 ? 8 : most);
}

/* Height of the row for the note of the y axis; 0 if there is none, or if it finds room beside what stands in the row
 * above it. */
static double note_row(sheet *s, plot_frame *f) {
    plot_page *g = &s->g;
    if (f->p->nrow > 0 || !f->y.note[0]) return 0;
    double note = plot_text_width(g, f->y.note, 0.9, false) + g->font, row = 1.3 * g->font;
    if (f->legend == PLOT_ABOVE && f->entries > 0) return f->rows == 1 && f->legend_width + note < f->width ? 0 : row;
    if (given(f->p->title)) return plot_text_width(g, f->p->title, 1, true) / 2 + note < f->width / 2 ? 0 : row;
    return row;
}

/* Room above the box: title, legend, note of the y axis. */
static double room_above(sheet *s, plot_frame *f) {
    double room = note_row(s, f);
    if (given(f->p->title)) room += 1.45 * s->g.font;
    if (f->legend == PLOT_ABOVE && f->entries > 0) room += f->legend_height + 2 * s->g.unit;
    return room;
}

static double room_below(const sheet *s, const plot_frame *f) {
    if (!f->below) return 0;
    double font = s->g.font;
    double room = 5 * s->g.unit + 0.9 * font * PLOT_CAP + 0.3 * font;
    if (given(f->p->xlabel) || f->x.note[0]) room += 1.3 * font;
    return room;
}

/* The height that a box would like to have. */
static double wish(const sheet *s, const plot_frame *f) {
    double font = s->g.font;
    if (f->p->nrow > 0) return fmax(f->p->nrow * 1.75 * font, 4 * font);
    if (f->p->equal) {
        double ratio = (f->y.hi - f->y.lo) / (f->x.hi - f->x.lo);
        return fmin(fmax(f->width * ratio, 35 * POINTS), 130 * POINTS);
    }
    return (f->p->shared ? 60 : 80) * POINTS - 5 * s->g.unit - 2.6 * font;
}

static double between(const sheet *s, int i) { return (shares(s->fig, i) ? 1.25 : 1.1) * s->g.font; }

static void equal_scales(plot_frame *f) {
    double sx = (f->x.hi - f->x.lo) / f->width, sy = (f->y.hi - f->y.lo) / f->height;
    bool wide = sy > sx; /* the x axis has to show more */
    plot_axis *a = wide ? &f->x : &f->y;
    const plot_panel *p = f->p;
    double lo = wide ? p->xmin : p->ymin, hi = wide ? p->xmax : p->ymax, need = wide ? sy * f->width : sx * f->height;
    if (!isnan(lo) && !isnan(hi)) { /* both ends are given: the box shrinks instead */
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
static void shape_legends(sheet *s) {
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

static void arrange(sheet *s) {
    plot_page *g = &s->g;
    const plot_figure *fig = s->fig;
    double outer = OUTER * g->unit;
    s->least_width = s->least_height = 0;
    for (int i = 0; i < fig->npanel; i++) {
        s->frame[i].width = s->width * 0.8;
        s->frame[i].height = 40 * POINTS;
    }
    for (int round = 0; round < 4; round++) {
        double left = outer, right = outer;
        s->words = 0;
        shape_legends(s);
        for (int i = 0; i < fig->npanel; i++) {
            plot_frame *f = &s->frame[i];
            y_ticks(s, f);
            x_ticks(s, f);
            double words = 0;
            for (int k = 0; k < f->y.ntick && f->p->nrow == 0; k++)
                words = fmax(words, plot_text_width(g, f->y.word[k], 0.9, false));
            for (int k = 0; k < f->p->nrow; k++)
                words = fmax(words, fmin(plot_text_width(g, f->p->row[k], 0.9, false), 0.26 * s->width));
            if (f->p->nrow == 0) s->words = fmax(s->words, words);
            if (f->p->nrow == 0 && given(f->p->ylabel)) words += 1.6 * g->font;
            left = fmax(left, outer + words + 5 * g->unit);
            if (f->p->nrow == 0 && given(f->p->ylabel))
                left = fmax(left, outer + s->words + 5 * g->unit + 1.6 * g->font);
            for (int k = 0; k < f->x.ntick && f->below; k++) { /* words that reach beyond the box */
                double half = plot_text_width(g, f->x.word[k], 0.9, false) / 2,
                       at = plot_axis_place(&f->x, f->x.tick[k]);
                left = fmax(left, outer + half - f->width * at);
                right = fmax(right, outer + half - f->width * (1 - at));
            }
            if (f->legend == PLOT_OUTSIDE && f->entries > 0) right = fmax(right, outer + f->legend_width + 8 * g->unit);
        }
        double width = s->width - left - right;
        if (width < 12 * g->font) {
            s->least_width = s->width + 12 * g->font - width + 1;
            width = 12 * g->font;
        }
        double fixed = outer * 2 + big_title(s), wishes = 0;
        for (int i = 0; i < fig->npanel; i++) {
            plot_frame *f = &s->frame[i];
            f->left = left;
            f->width = width;
            if (i + 1 < fig->npanel) fixed += between(s, i);
            fixed += room_above(s, f) + room_below(s, f);
            wishes += wish(s, f);
        }
        s->height = fig->height > 0 ? fig->height * POINTS : fixed + wishes;
        double free_height = s->height - fixed, y = outer + big_title(s);
        if (free_height < 3 * g->font * fig->npanel) {
            s->least_height = fixed + 3 * g->font * fig->npanel + 1;
            free_height = 3 * g->font * fig->npanel;
        }
        for (int i = 0; i < fig->npanel; i++) {
            plot_frame *f = &s->frame[i];
            f->top = y + room_above(s, f);
            f->height = free_height * wish(s, f) / wishes;
            y = f->top + f->height + room_below(s, f) + between(s, i);
        }
        for (int i = 0; i < fig->npanel; i++)
            if (fig->panel[i].equal && round == 2) equal_scales(&s->frame[i]); /* one round more for its ticks */
    }
    for (int i = 0; i < fig->npanel; i++) {
        if (fig->panel[i].equal && !isnan(fig->panel[i].xmin)) equal_scales(&s->frame[i]); /* a box that shrank */
        plot_trace_lines(g, &s->frame[i]);
    }
    shape_legends(s);
}

/* An empty place for each legend that may choose. True if one has to leave its box. */
static bool place_legends(sheet *s) {
    bool again = false;
    for (int i = 0; i < s->fig->npanel && !s->g.failed; i++) {
        plot_frame *f = &s->frame[i];
        if (f->entries == 0) continue;
        if (f->legend == PLOT_AUTO) {
            long best = -1;
            plot_place where = PLOT_ABOVE;
            bool fits = f->p->nrow == 0 && f->columns == 1 && f->entries == plot_legend_entries(f->p) &&
                        f->legend_width < 0.6 * f->width && f->legend_height < 0.75 * f->height;
            for (int k = 0; k < PLOT_INSIDE && fits; k++) {
                long hidden = plot_legend_hides(f, &s->g, (plot_place)k);
                if (best < 0 || hidden < best) best = hidden, where = (plot_place)k;
            }
            if (best != 0) { /* nowhere empty: rows above, or a column beside if they would be many */
                f->legend = PLOT_ABOVE;
                plot_legend_shape(&s->g, f, f->width, INFINITY);
                if (f->rows > 2) f->legend = PLOT_OUTSIDE;
                again = true;
            } else {
                f->legend = where;
            }
        }
        if (f->legend < PLOT_INSIDE) plot_legend_hides(f, &s->g, f->legend);
        if (f->legend == PLOT_OUTSIDE) {
            f->legend_x = f->left + f->width + 8 * s->g.unit;
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
static bool same_legend(const plot_panel *a, const plot_panel *b) {
    if (a->nrow > 0 || b->nrow > 0 || a->nline != b->nline) return false;
    for (int i = 0; i < a->nline; i++) {
        const plot_line *p = &a->line[i], *q = &b->line[i];
        if (!p->label != !q->label || (p->label && strcmp(p->label, q->label) != 0)) return false;
        if (p->colour != q->colour || p->mark != q->mark || p->dashed != q->dashed || p->dash != q->dash) return false;
    }
    return true;
}

static void lay_out(sheet *s) {
    set_spans(s);
    for (int i = 0; i < s->fig->npanel; i++) {
        plot_place where = legend_place(s->fig->legend);
        bool again = where == PLOT_AUTO && i > 0 && same_legend(&s->fig->panel[i - 1], &s->fig->panel[i]);
        s->frame[i].legend = again ? PLOT_NO_LEGEND : where; /* that of the panel above serves both */
    }
    for (int round = 0; round < 2 && !s->g.failed; round++) {
        if (round > 0) set_spans(s); /* equal scales have changed them */
        arrange(s);
        if (s->g.failed || !place_legends(s)) break;
    }
    if (!s->g.failed) place_legends(s);
}

/* ---- drawing ---- */

static void draw_labels(sheet *s, plot_frame *f) {
    plot_page *g = &s->g;
    plot_rgb ink = plot_colour(g, PLOT_INK);
    cairo_set_source_rgb(g->cr, ink.r, ink.g, ink.b);
    double size = 1, bottom = f->top + f->height + room_below(s, f);
    if (given(f->p->title)) {
        const char *title = plot_text_fit(g, f->p->title, f->width, &size, true);
        plot_text(g, f->left + f->width / 2, f->top - room_above(s, f) + g->font * 0.95, PLOT_CENTRE, title, size,
                  true);
    }
    if (f->p->nrow == 0 && given(f->p->ylabel)) {
        size = 1;
        const char *label = plot_text_fit(g, f->p->ylabel, f->height * 1.1, &size, false);
        plot_text_up(g, f->left - s->words - 5 * g->unit - 0.88 * g->font, f->top + f->height / 2, PLOT_CENTRE, label,
                     size, false);
    }
    if (!f->below) return;
    double note = plot_text_width(g, f->x.note, 0.9, false), y = bottom - PLOT_DEPTH * g->font;
    plot_text(g, f->left + f->width, y, PLOT_RIGHT, f->x.note, 0.9, false);
    if (given(f->p->xlabel)) {
        double space = note > 0 ? f->width - note - g->font : f->width;
        size = 1;
        const char *label = plot_text_fit(g, f->p->xlabel, space, &size, false);
        double half = plot_text_width(g, label, size, false) / 2, x = f->left + f->width / 2;
        if (x + half > f->left + space) x = f->left + space - half;
        plot_text(g, x, y, PLOT_CENTRE, label, size, false);
    }
}

static void draw(sheet *s) {
    plot_page *g = &s->g;
    plot_rgb paper = plot_paper(g), ink = plot_colour(g, PLOT_INK);
    cairo_set_source_rgb(g->cr, paper.r, paper.g, paper.b);
    cairo_paint(g->cr);
    cairo_set_source_rgb(g->cr, ink.r, ink.g, ink.b);
    if (big_title(s) > 0) {
        double size = 1.15;
        const char *title = plot_text_fit(g, s->fig->title, s->width - 2 * OUTER * g->unit, &size, true);
        plot_text(g, s->width / 2, OUTER * g->unit + 0.9 * g->font, PLOT_CENTRE, title, size, true);
    }
    for (int i = 0; i < s->fig->npanel; i++) {
        plot_draw_panel(g, &s->frame[i]);
        draw_labels(s, &s->frame[i]);
    }
}

/* Starts a sheet on a surface for measuring. False: no memory. */
static bool begin(sheet *s, const plot_figure *fig, pp_arena *arena) {
    memset(s, 0, sizeof *s);
    s->fig = fig;
    s->g.arena = arena;
    s->g.font = fig->font > 0 ? fig->font : 9;
    s->g.unit = s->g.font / 9;
    s->g.dark = fig->dark;
    s->g.grid = fig->grid;
    s->width = (fig->width > 0 ? fig->width : 160) * POINTS;
    s->frame = pp_arena_zero(arena, (size_t)(fig->npanel > 0 ? fig->npanel : 1) * sizeof *s->frame);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    s->g.cr = cairo_create(surface);
    cairo_surface_destroy(surface);
    page_set_fonts(s->g.cr);
    if (s->frame) lay_out(s);
    bool ok = s->frame && !s->g.failed && cairo_status(s->g.cr) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(s->g.cr);
    s->g.cr = NULL;
    return ok;
}

void plot_size(const plot_figure *f, double *width, double *height) {
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    sheet s;
    bool ok = begin(&s, f, &arena);
    *width = ok ? s.width / POINTS : 0;
    *height = ok ? s.height / POINTS : 0;
    pp_arena_free(&arena);
}

/* ---- files ---- */

perp_status plot_check_output(const char *path, perp_refusal *why) {
    pp_place nowhere = {0};
    if (page_kind_of(path) != PAGE_NONE) return PERP_OK;
    return pp_complain(why, PERP_E_ARG, nowhere, "output", path, "a file name that ends in .svg, .pdf or .png");
}

static bool render(sheet *s, page_kind k, double dpi, page *out) {
    page_begin(out, k, s->width, s->height, dpi / 72, false, s->fig->title);
    s->g.cr = out->cr;
    draw(s);
    s->g.cr = NULL;
    return page_end(out, dpi) && !s->g.failed;
}

/* A page that is too small or too large. */
static perp_status check_size(const sheet *s, page_kind k, double dpi, perp_refusal *why) {
    pp_place nowhere = {0};
    char found[64], allowed[96];
    bool narrow = s->least_width > 0;
    if (narrow || s->least_height > 0) {
        snprintf(found, sizeof found, "%g mm", (narrow ? s->width : s->height) / POINTS);
        snprintf(allowed, sizeof allowed, "at least %.0f mm for what is to be drawn",
                 ceil((narrow ? s->least_width : s->least_height) / POINTS));
        return pp_complain(why, PERP_E_ARG, nowhere, narrow ? "width" : "height", found, allowed);
    }
    double most = fmax(s->width, s->height) * dpi / 72;
    if (k == PAGE_PNG && !(most <= 32000)) {
        snprintf(found, sizeof found, "%.0f pixels", most);
        return pp_complain(why, PERP_E_ARG, nowhere, "dpi", found, "at most 32000 pixels wide and high");
    }
    if (k != PAGE_PNG && !(fmax(s->width, s->height) <= 14400)) { /* a limit of PDF readers */
        snprintf(found, sizeof found, "%.0f mm", fmax(s->width, s->height) / POINTS);
        return pp_complain(why, PERP_E_ARG, nowhere, s->width > s->height ? "width" : "height", found,
                           "at most 5000 mm");
    }
    return PERP_OK;
}

perp_status plot_write(const plot_figure *f, const char *path, perp_refusal *why) {
    pp_place nowhere = {0};
    perp_status status = plot_check_output(path, why);
    if (status) return status;
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    sheet s;
    page out = {0};
    double dpi = f->dpi > 0 ? f->dpi : 200;
    page_kind k = page_kind_of(path);
    bool ok = begin(&s, f, &arena);
    if (ok) status = check_size(&s, k, dpi, why);
    if (ok && !status) ok = render(&s, k, dpi, &out);
    if (!ok) status = pp_complain_say(why, PERP_E_MEMORY, nowhere, "output", "no memory to draw %s", path);
    if (!status) status = plot_write_file(path, out.data, out.size, why);
    page_free(&out);
    pp_arena_free(&arena);
    return status;
}
