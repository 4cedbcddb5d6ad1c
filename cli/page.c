/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* page.c - cairo surfaces as files in memory; no dates, no counters of the process */
#include "page.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "plot/svg_compact.h"

page_kind page_kind_of(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    if (!dot || dot == name) return PAGE_NONE;
    if (!strcmp(dot, ".svg")) return PAGE_SVG;
    if (!strcmp(dot, ".pdf")) return PAGE_PDF;
    return strcmp(dot, ".png") ? PAGE_NONE : PAGE_PNG;
}

void page_set_fonts(cairo_t *cr) {
    cairo_font_options_t *o = cairo_font_options_create();
    cairo_font_options_set_hint_style(o, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(o, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(o, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cr, o);
    cairo_font_options_destroy(o);
}

static cairo_status_t collect(void *to, const unsigned char *data, unsigned n) {
    page *p = to;
    if (p->size + n > p->room) {
        size_t room = 2 * (p->size + n) + 4096;
        unsigned char *more = realloc(p->data, room);
        if (!more) return CAIRO_STATUS_NO_MEMORY;
        p->data = more;
        p->room = room;
    }
    memcpy(p->data + p->size, data, n);
    p->size += n;
    return CAIRO_STATUS_SUCCESS;
}

void page_begin(page *p, page_kind kind, double width, double height, double scale, bool transparent,
                const char *title) {
    *p = (page){.kind = kind};
    if (kind == PAGE_SVG) {
        p->surface = cairo_svg_surface_create_for_stream(collect, p, width, height);
    } else if (kind == PAGE_PDF) {
        p->surface = cairo_pdf_surface_create_for_stream(collect, p, width, height);
        cairo_pdf_surface_set_metadata(p->surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
        if (title && *title) {
            char safe[400];
            pp_printable(safe, sizeof safe, title, strlen(title));
            cairo_pdf_surface_set_metadata(p->surface, CAIRO_PDF_METADATA_TITLE, safe);
        }
    } else {
        p->surface = cairo_image_surface_create(transparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24,
                                                (int)ceil(width * scale - 1e-6), (int)ceil(height * scale - 1e-6));
    }
    p->cr = cairo_create(p->surface);
    page_set_fonts(p->cr);
    if (kind == PAGE_PNG) cairo_scale(p->cr, scale, scale);
}

/* Cairo numbers the surfaces of a process, and an SVG carries the number: out with it, as nothing refers to it. */
static void forget_number(page *p) {
    static const char mark[] = " id=\"surface";
    size_t n = sizeof mark - 1;
    for (size_t i = 0; i + n < p->size; i++) {
        if (memcmp(p->data + i, mark, n) != 0) continue;
        size_t end = i + n;
        while (end < p->size && p->data[end] >= '0' && p->data[end] <= '9') end++;
        if (end == p->size || p->data[end] != '"') return;
        memmove(p->data + i, p->data + end + 1, p->size - end - 1);
        p->size -= end + 1 - i;
        return;
    }
}

static void big_endian(unsigned char *to, uint32_t v) {
    for (int i = 0; i < 4; i++) to[i] = (unsigned char)(v >> (24 - 8 * i));
}

uint32_t page_png_crc(uint32_t crc, const unsigned char *data, size_t n) {
    for (size_t i = 0; i < n; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++) crc = crc & 1 ? 0xedb88320u ^ (crc >> 1) : crc >> 1;
    }
    return crc;
}

/* Writes the resolution into a PNG (chunk pHYs after the header, PNG specification 11.3.5.3), so that it is printed at
 * its size. */
static bool note_resolution(page *p, double dpi) {
    unsigned char chunk[21] = {0, 0, 0, 9, 'p', 'H', 'Y', 's'};
    uint32_t per_metre = (uint32_t)(dpi / 0.0254 + 0.5);
    big_endian(chunk + 8, per_metre);
    big_endian(chunk + 12, per_metre);
    chunk[16] = 1;
    big_endian(chunk + 17, ~page_png_crc(0xffffffffu, chunk + 4, 13));
    size_t header = 8 + 25; /* signature and IHDR */
    if (p->size < header || collect(p, chunk, sizeof chunk) != CAIRO_STATUS_SUCCESS) return false;
    memmove(p->data + header + sizeof chunk, p->data + header, p->size - sizeof chunk - header);
    memcpy(p->data + header, chunk, sizeof chunk);
    return true;
}

bool page_end(page *p, double dpi) {
    cairo_show_page(p->cr);
    bool ok = cairo_status(p->cr) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(p->cr);
    p->cr = NULL;
    if (ok && p->kind == PAGE_PNG)
        ok = cairo_surface_write_to_png_stream(p->surface, collect, p) == CAIRO_STATUS_SUCCESS;
    cairo_surface_finish(p->surface);
    ok = ok && cairo_surface_status(p->surface) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(p->surface);
    p->surface = NULL;
    if (ok && p->kind == PAGE_SVG) {
        forget_number(p);
        p->size = svg_compact((char *)p->data, p->size);
    }
    if (ok && p->kind == PAGE_PNG && dpi > 0) ok = note_resolution(p, dpi);
    return ok;
}

void page_free(page *p) { free(p->data); }
