/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_figure.c - figures: drawing what plot_layout.c has laid out, and the file
 * Valid    any panels; a page too small for its words is refused with the size it would need.
 * The bytes depend on the figure alone: no dates, no counters of the process, text measured without hinting. */
#include "plot/plot_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "page.h"

/* ---- drawing ---- */

static void draw_labels(plot_sheet *s, plot_frame *f) {
    plot_page *g = &s->g;
    plot_rgb ink = plot_colour(g, PLOT_INK);
    cairo_set_source_rgb(g->cr, ink.r, ink.g, ink.b);
    double size = s->columns > 1 ? 0.95 : 1, bottom = f->top + f->height + plot_room_below(s, f);
    if (plot_given(f->p->title)) {
        const char *title = plot_text_fit(g, f->p->title, f->width, &size, true);
        plot_text(g, f->left + f->width / 2, f->top - plot_room_above(s, f) + g->font * 0.95, PLOT_CENTRE, title, size,
                  true);
    }
    if (f->p->nrow == 0 && plot_given(f->p->ylabel) && !s->one_ylabel) {
        size = 1;
        const char *label = plot_text_fit(g, f->p->ylabel, f->height * 1.1, &size, false);
        plot_text_up(g, f->left - f->words - 5 * g->unit - 0.88 * g->font, f->top + f->height / 2, PLOT_CENTRE, label,
                     size, false);
    }
    if (!f->below) return;
    double note = plot_text_width(g, f->x.note, 0.9, false), y = bottom - PLOT_DEPTH * g->font;
    plot_text(g, f->left + f->width, y, PLOT_RIGHT, f->x.note, 0.9, false);
    if (plot_given(f->p->xlabel) && !s->one_xlabel) {
        double space = note > 0 ? f->width - note - g->font : f->width;
        size = 1;
        const char *label = plot_text_fit(g, f->p->xlabel, space, &size, false);
        double half = plot_text_width(g, label, size, false) / 2, x = f->left + f->width / 2;
        if (x + half > f->left + space) x = f->left + space - half;
        plot_text(g, x, y, PLOT_CENTRE, label, size, false);
    }
}

/* Labels and legend that a grid has once. */
static void draw_shared(plot_sheet *s) {
    plot_page *g = &s->g;
    double outer = PLOT_OUTER * g->unit, size = 1;
    plot_rgb ink = plot_colour(g, PLOT_INK);
    cairo_set_source_rgb(g->cr, ink.r, ink.g, ink.b);
    if (s->one_xlabel) {
        const char *label = plot_text_fit(g, s->fig->panel[0].xlabel, s->grid_right - s->grid_left, &size, false);
        plot_text(g, (s->grid_left + s->grid_right) / 2, s->height - outer - PLOT_DEPTH * g->font, PLOT_CENTRE, label,
                  size, false);
    }
    if (s->one_ylabel) {
        size = 1;
        const char *label = plot_text_fit(g, s->fig->panel[0].ylabel, s->grid_bottom - s->grid_top, &size, false);
        plot_text_up(g, outer + 0.72 * g->font, (s->grid_top + s->grid_bottom) / 2, PLOT_CENTRE, label, size, false);
    }
    if (s->legend.entries > 0) plot_draw_legend(g, &s->legend);
}

static void draw(plot_sheet *s) {
    plot_page *g = &s->g;
    plot_rgb paper = plot_paper(g), ink = plot_colour(g, PLOT_INK);
    cairo_set_source_rgb(g->cr, paper.r, paper.g, paper.b);
    cairo_paint(g->cr);
    cairo_set_source_rgb(g->cr, ink.r, ink.g, ink.b);
    if (plot_big_title(s) > 0) {
        double size = 1.15;
        const char *title = plot_text_fit(g, s->fig->title, s->width - 2 * PLOT_OUTER * g->unit, &size, true);
        plot_text(g, s->width / 2, PLOT_OUTER * g->unit + 0.9 * g->font, PLOT_CENTRE, title, size, true);
    }
    for (int i = 0; i < s->fig->npanel; i++) {
        plot_draw_panel(g, &s->frame[i]);
        draw_labels(s, &s->frame[i]);
    }
    for (int i = 0; i < s->nbar; i++) plot_draw_bar(g, &s->bar[i]);
    if (s->columns > 1) draw_shared(s);
}

/* Starts a sheet on a surface for measuring. False: no memory. */
static bool begin(plot_sheet *s, const plot_figure *fig, pp_arena *arena) {
    memset(s, 0, sizeof *s);
    s->fig = fig;
    s->g.arena = arena;
    s->g.font = fig->font > 0 ? fig->font : 9;
    s->g.unit = s->g.font / 9;
    s->g.dark = fig->dark;
    s->g.grid = fig->grid;
    s->width = (fig->width > 0 ? fig->width : 160) * PLOT_POINTS;
    s->frame = pp_arena_zero(arena, (size_t)(fig->npanel > 0 ? fig->npanel : 1) * sizeof *s->frame);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    s->g.cr = cairo_create(surface);
    cairo_surface_destroy(surface);
    page_set_fonts(s->g.cr);
    if (s->frame) plot_lay_out(s);
    bool ok = s->frame && !s->g.failed && cairo_status(s->g.cr) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(s->g.cr);
    s->g.cr = NULL;
    return ok;
}

void plot_size(const plot_figure *f, double *width, double *height) {
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    plot_sheet s;
    bool ok = begin(&s, f, &arena);
    *width = ok ? s.width / PLOT_POINTS : 0;
    *height = ok ? s.height / PLOT_POINTS : 0;
    pp_arena_free(&arena);
}

/* ---- files ---- */

perp_status plot_check_output(const char *path, perp_refusal *why) {
    pp_location nowhere = {0};
#ifdef PERP_WITHOUT_CAIRO
    return pp_complain_say(why, PERP_E_FIT, nowhere, "output", "%s: %s", path, PERP_WITHOUT_CAIRO);
#endif
    if (page_kind_of(path) != PAGE_NONE) return PERP_OK;
    return pp_complain(why, PERP_E_ARG, nowhere, "output", path, "a file name that ends in .svg, .pdf or .png");
}

static bool render(plot_sheet *s, page_kind k, double dpi, page *out) {
    page_begin(out, k, s->width, s->height, dpi / 72, false, s->fig->title);
    s->g.cr = out->cr;
    draw(s);
    s->g.cr = NULL;
    return page_end(out, dpi) && !s->g.failed;
}

/* A page that is too small or too large. */
static perp_status check_size(const plot_sheet *s, page_kind k, double dpi, perp_refusal *why) {
    pp_location nowhere = {0};
    char found[64], allowed[96];
    bool narrow = s->least_width > 0;
    if (narrow || s->least_height > 0) {
        snprintf(found, sizeof found, "%g mm", (narrow ? s->width : s->height) / PLOT_POINTS);
        snprintf(allowed, sizeof allowed, "at least %.0f mm for what is to be drawn",
                 ceil((narrow ? s->least_width : s->least_height) / PLOT_POINTS));
        return pp_complain(why, PERP_E_ARG, nowhere, narrow ? "width" : "height", found, allowed);
    }
    double most = fmax(s->width, s->height) * dpi / 72;
    if (k == PAGE_PNG && !(most <= 32000)) {
        snprintf(found, sizeof found, "%.0f pixels", most);
        return pp_complain(why, PERP_E_ARG, nowhere, "dpi", found, "at most 32000 pixels wide and high");
    }
    if (k != PAGE_PNG && !(fmax(s->width, s->height) <= 14400)) { /* a limit of PDF readers */
        snprintf(found, sizeof found, "%.0f mm", fmax(s->width, s->height) / PLOT_POINTS);
        return pp_complain(why, PERP_E_ARG, nowhere, s->width > s->height ? "width" : "height", found,
                           "at most 5000 mm");
    }
    return PERP_OK;
}

perp_status plot_write(const plot_figure *f, const char *path, perp_refusal *why) {
    pp_location nowhere = {0};
    perp_status status = plot_check_output(path, why);
    if (status) return status;
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    plot_sheet s;
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
