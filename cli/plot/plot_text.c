/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_text.c - text of figures: any UTF-8, superscripts, letters that the first font does not have
 *   "M L^2/T^2", "10^{-3}", "time [T]", "ω", "×10^{−3}"
 * Method   the text is cut into runs of one font and height, which are drawn one by one. A caret raises the digits (with a
 *          sign) or the braces after it. Bytes that are not UTF-8 and control characters are shown as a replacement, so
 *          a file name can be a label whatever it holds.
 * Cost     proportional to the text. */
#include "plot/plot_draw.h"

#include <math.h>
#include <string.h>

static const char *const family[2] = {"Liberation Sans",
                                      "DejaVu Sans"}; /* the second is for letters that the first lacks */
#define RAISED 0.70                                   /* size of superscripts */
#define RISE   0.38                                   /* their height above the baseline, in parts of the font */

/* Length of the UTF-8 sequence at s, 0 if it is none. */
static int sequence(const unsigned char *s) {
    if (s[0] < 0x80) return 1;
    int n = s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if (n == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0))) return 0;
    if (n == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))) return 0;
    return n;
}

static void choose(plot_page *g, int font, double size, bool bold) {
    cairo_select_font_face(g->cr, family[font], CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(g->cr, size * g->font);
}

/* Does the chosen font have this letter? */
static bool has(plot_page *g, const char *letter, int length) {
    cairo_glyph_t *glyph = NULL;
    int n = 0;
    bool found = cairo_scaled_font_text_to_glyphs(cairo_get_scaled_font(g->cr), 0, 0, letter, length, &glyph, &n, NULL,
                                                  NULL, NULL) == CAIRO_STATUS_SUCCESS &&
                 n > 0 && glyph[0].index != 0;
    cairo_glyph_free(glyph);
    return found;
}

/* How letters look. */
typedef struct style {
    int font; /* 0: the usual one; 1: the one for letters that it lacks */
    double size;
    bool bold, raised;
} style;

/* Shows a run of letters of one style if `draw`, from the point (x, y); returns how far it advances. */
static double run(plot_page *g, const char *text, style in, bool draw, double x, double y) {
    if (!*text) return 0;
    choose(g, in.font, in.raised ? in.size * RAISED : in.size, in.bold);
    cairo_text_extents_t e;
    cairo_text_extents(g->cr, text, &e);
    if (draw) {
        cairo_move_to(g->cr, x, in.raised ? y - RISE * in.size * g->font : y);
        cairo_show_text(g->cr, text);
    }
    return e.x_advance;
}

/* Walks over the text; returns its width. */
static double walk(plot_page *g, const char *text, double size, bool bold, bool draw, double x, double y) {
    char buffer[256];
    size_t used = 0;
    style in = {.size = size, .bold = bold};
    bool braces = false;
    double width = 0;
    const char *s = text;
    while (*s) {
        if (*s == '^' && !in.raised) {
            const char *t = s + 1;
            bool open = *t == '{' && strchr(t, '}') != NULL;
            if (*t == '-') t++;
            if (open || (*t >= '0' && *t <= '9')) {
                buffer[used] = 0;
                width += run(g, buffer, in, draw, x + width, y);
                used = 0;
                in.raised = true;
                braces = open;
                s += open ? 2 : 1;
                continue;
            }
        }
        if (in.raised && (braces ? *s == '}' : !((*s >= '0' && *s <= '9') || (*s == '-' && s[-1] == '^')))) {
            buffer[used] = 0;
            width += run(g, buffer, in, draw, x + width, y);
            used = 0;
            if (braces) s++;
            in.raised = braces = false;
            continue;
        }
        char letter[5] = {0};
        int n = sequence((const unsigned char *)s);
        if (n == 0)
            memcpy(letter, "\xef\xbf\xbd", 4);
        else if (n == 1 && ((unsigned char)*s < 0x20 || *s == 0x7f))
            letter[0] = ' ';
        else if (n == 1 && *s == '-' && in.raised)
            memcpy(letter, "\xe2\x88\x92", 4);
        else
            memcpy(letter, s, (size_t)n);
        s += n ? n : 1;
        int length = (int)strlen(letter), want = 0;
        if ((unsigned char)letter[0] >= 0x80) {
            choose(g, 0, size, bold);
            if (!has(g, letter, length)) {
                choose(g, 1, size, bold);
                want = has(g, letter, length) ? 1 : 0;
            }
        }
        if (want != in.font || used + 8 > sizeof buffer) {
            buffer[used] = 0;
            width += run(g, buffer, in, draw, x + width, y);
            used = 0;
            in.font = want;
        }
        memcpy(buffer + used, letter, (size_t)length);
        used += (size_t)length;
    }
    buffer[used] = 0;
    return width + run(g, buffer, in, draw, x + width, y);
}

double plot_text_width(plot_page *g, const char *text, double size, bool bold) {
    return text ? walk(g, text, size, bold, false, 0, 0) : 0;
}

void plot_text(plot_page *g, double x, double y, plot_anchor at, const char *text, double size, bool bold) {
    if (!text || !*text) return;
    if (at != PLOT_LEFT) x -= plot_text_width(g, text, size, bold) * (at == PLOT_CENTRE ? 0.5 : 1);
    walk(g, text, size, bold, true, x, y);
}

void plot_text_up(plot_page *g, double x, double y, plot_anchor at, const char *text, double size, bool bold) {
    cairo_save(g->cr);
    cairo_translate(g->cr, x, y);
    cairo_rotate(g->cr, -1.5707963267948966);
    plot_text(g, 0, 0, at, text, size, bold);
    cairo_restore(g->cr);
}

const char *plot_text_fit(plot_page *g, const char *text, double width, double *size, bool bold) {
    if (!text) return "";
    double w = plot_text_width(g, text, *size, bold);
    if (w <= width) return text;
    if (0.75 * w <= width) {
        *size *= width / w * 0.999;
        return text;
    }
    *size *= 0.75;
    size_t n = strlen(text);
    char *cut = pp_arena_get(g->arena, n + 4);
    if (!cut) {
        g->failed = true;
        return "";
    }
    for (size_t keep = n < 300 ? n : 300; keep > 0; keep--) {
        if (((unsigned char)text[keep] & 0xc0) == 0x80) continue; /* not within a letter */
        memcpy(cut, text, keep);
        memcpy(cut + keep, "\xe2\x80\xa6", 4);
        if (plot_text_width(g, cut, *size, bold) <= width) return cut;
    }
    return "";
}
