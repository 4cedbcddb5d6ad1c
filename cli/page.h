/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* page.h - a page of cairo in memory: PNG, SVG or PDF by the end of the file's name. The same drawing makes the same
 * bytes. */
#ifndef PAGE_H
#define PAGE_H

#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum page_kind { PAGE_NONE, PAGE_SVG, PAGE_PDF, PAGE_PNG } page_kind;
page_kind page_kind_of(const char *path);

typedef struct page {
    page_kind kind;
    cairo_surface_t *surface;
    cairo_t *cr;
    unsigned char *data; /* after page_end(): the file */
    size_t size, room;
} page;

/* Lengths of the drawing are points; a PNG has `scale` pixels per point. title: of a PDF, may be NULL. page_end()
 * reports all failures. */
void page_begin(page *p, page_kind kind, double width, double height, double scale, bool transparent,
                const char *title);
/* Finishes the file; dpi > 0: noted in a PNG. False: no memory. */
bool page_end(page *p, double dpi);
void page_free(page *p);
/* Continues the checksum of a PNG chunk. It begins with 0xffffffff; the complement of the last value is written. */
uint32_t page_png_crc(uint32_t crc, const unsigned char *data, size_t n);
/* Text that looks the same at every size: no hinting. */
void page_set_fonts(cairo_t *cr);

#endif
