/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* cairo.h - in place of cairo's headers in a build with PERP_WITH_CAIRO=OFF
 *
 * Declares what perp uses of cairo, so that its code is compiled as ever; calls draw nothing, and files are refused before
 * the first call, with the text of PERP_WITHOUT_CAIRO. */
#ifndef PERP_WITHOUT_CAIRO
#define PERP_WITHOUT_CAIRO "this perp was built without cairo; on Debian install libcairo2-dev and build again with PERP_WITH_CAIRO=ON"

#include <stddef.h>

typedef struct cairo cairo_t;
typedef struct cairo_surface cairo_surface_t;
typedef struct cairo_pattern cairo_pattern_t;
typedef struct cairo_font_options cairo_font_options_t;
typedef struct cairo_scaled_font cairo_scaled_font_t;
typedef struct cairo_text_cluster cairo_text_cluster_t;
typedef struct { unsigned long index; double x, y; } cairo_glyph_t;
typedef struct { double x_bearing, y_bearing, width, height, x_advance, y_advance; } cairo_text_extents_t;
typedef enum { CAIRO_STATUS_SUCCESS, CAIRO_STATUS_NO_MEMORY } cairo_status_t;
typedef enum { CAIRO_FORMAT_ARGB32, CAIRO_FORMAT_RGB24, CAIRO_FORMAT_A8 } cairo_format_t;
typedef enum { CAIRO_LINE_CAP_BUTT, CAIRO_LINE_CAP_ROUND } cairo_line_cap_t;
typedef enum { CAIRO_LINE_JOIN_MITER, CAIRO_LINE_JOIN_ROUND } cairo_line_join_t;
typedef enum { CAIRO_FONT_SLANT_NORMAL } cairo_font_slant_t;
typedef enum { CAIRO_FONT_WEIGHT_NORMAL, CAIRO_FONT_WEIGHT_BOLD } cairo_font_weight_t;
typedef enum { CAIRO_HINT_STYLE_NONE } cairo_hint_style_t;
typedef enum { CAIRO_HINT_METRICS_OFF } cairo_hint_metrics_t;
typedef enum { CAIRO_ANTIALIAS_GRAY } cairo_antialias_t;
typedef enum { CAIRO_PDF_METADATA_TITLE, CAIRO_PDF_METADATA_CREATE_DATE } cairo_pdf_metadata_t;
typedef int cairo_text_cluster_flags_t;
typedef cairo_status_t (*cairo_write_func_t)(void *closure, const unsigned char *data, unsigned length);

static inline void cairo_arc(cairo_t *a, double b, double c, double d, double e, double f) { (void)a; (void)b; (void)c; (void)d; (void)e; (void)f; }
static inline void cairo_clip(cairo_t *a) { (void)a; }
static inline void cairo_close_path(cairo_t *a) { (void)a; }
static inline cairo_t *cairo_create(cairo_surface_t *a) { (void)a; return NULL; }
static inline void cairo_destroy(cairo_t *a) { (void)a; }
static inline void cairo_fill(cairo_t *a) { (void)a; }
static inline void cairo_fill_preserve(cairo_t *a) { (void)a; }
static inline cairo_font_options_t *cairo_font_options_create(void) {  return NULL; }
static inline void cairo_font_options_destroy(cairo_font_options_t *a) { (void)a; }
static inline void cairo_font_options_set_antialias(cairo_font_options_t *a, cairo_antialias_t b) { (void)a; (void)b; }
static inline void cairo_font_options_set_hint_metrics(cairo_font_options_t *a, cairo_hint_metrics_t b) { (void)a; (void)b; }
static inline void cairo_font_options_set_hint_style(cairo_font_options_t *a, cairo_hint_style_t b) { (void)a; (void)b; }
static inline cairo_scaled_font_t *cairo_get_scaled_font(cairo_t *a) { (void)a; return NULL; }
static inline void cairo_glyph_free(cairo_glyph_t *a) { (void)a; }
static inline cairo_surface_t *cairo_image_surface_create(cairo_format_t a, int b, int c) { (void)a; (void)b; (void)c; return NULL; }
static inline unsigned char *cairo_image_surface_get_data(cairo_surface_t *a) { (void)a; return NULL; }
static inline int cairo_image_surface_get_stride(cairo_surface_t *a) { (void)a; return -1; }
static inline void cairo_line_to(cairo_t *a, double b, double c) { (void)a; (void)b; (void)c; }
static inline void cairo_move_to(cairo_t *a, double b, double c) { (void)a; (void)b; (void)c; }
static inline void cairo_new_path(cairo_t *a) { (void)a; }
static inline void cairo_new_sub_path(cairo_t *a) { (void)a; }
static inline void cairo_paint(cairo_t *a) { (void)a; }
static inline void cairo_paint_with_alpha(cairo_t *a, double b) { (void)a; (void)b; }
static inline void cairo_pattern_add_color_stop_rgb(cairo_pattern_t *a, double b, double c, double d, double e) { (void)a; (void)b; (void)c; (void)d; (void)e; }
static inline void cairo_pattern_add_color_stop_rgba(cairo_pattern_t *a, double b, double c, double d, double e, double f) { (void)a; (void)b; (void)c; (void)d; (void)e; (void)f; }
static inline cairo_pattern_t *cairo_pattern_create_linear(double a, double b, double c, double d) { (void)a; (void)b; (void)c; (void)d; return NULL; }
static inline void cairo_pattern_destroy(cairo_pattern_t *a) { (void)a; }
static inline cairo_surface_t *cairo_pdf_surface_create_for_stream(cairo_write_func_t a, void *b, double c, double d) { (void)a; (void)b; (void)c; (void)d; return NULL; }
static inline void cairo_pdf_surface_set_metadata(cairo_surface_t *a, cairo_pdf_metadata_t b, const char *c) { (void)a; (void)b; (void)c; }
static inline void cairo_pop_group_to_source(cairo_t *a) { (void)a; }
static inline void cairo_push_group(cairo_t *a) { (void)a; }
static inline void cairo_rectangle(cairo_t *a, double b, double c, double d, double e) { (void)a; (void)b; (void)c; (void)d; (void)e; }
static inline void cairo_restore(cairo_t *a) { (void)a; }
static inline void cairo_rotate(cairo_t *a, double b) { (void)a; (void)b; }
static inline void cairo_save(cairo_t *a) { (void)a; }
static inline void cairo_scale(cairo_t *a, double b, double c) { (void)a; (void)b; (void)c; }
static inline cairo_status_t cairo_scaled_font_text_to_glyphs(cairo_scaled_font_t *a, double b, double c, const char *d, int e, cairo_glyph_t **f, int *g, cairo_text_cluster_t **h, int *i, cairo_text_cluster_flags_t *j) { (void)a; (void)b; (void)c; (void)d; (void)e; (void)f; (void)g; (void)h; (void)i; (void)j; return CAIRO_STATUS_NO_MEMORY; }
static inline void cairo_select_font_face(cairo_t *a, const char *b, cairo_font_slant_t c, cairo_font_weight_t d) { (void)a; (void)b; (void)c; (void)d; }
static inline void cairo_set_dash(cairo_t *a, const double *b, int c, double d) { (void)a; (void)b; (void)c; (void)d; }
static inline void cairo_set_font_options(cairo_t *a, const cairo_font_options_t *b) { (void)a; (void)b; }
static inline void cairo_set_font_size(cairo_t *a, double b) { (void)a; (void)b; }
static inline void cairo_set_line_cap(cairo_t *a, cairo_line_cap_t b) { (void)a; (void)b; }
static inline void cairo_set_line_join(cairo_t *a, cairo_line_join_t b) { (void)a; (void)b; }
static inline void cairo_set_line_width(cairo_t *a, double b) { (void)a; (void)b; }
static inline void cairo_set_source(cairo_t *a, cairo_pattern_t *b) { (void)a; (void)b; }
static inline void cairo_set_source_rgb(cairo_t *a, double b, double c, double d) { (void)a; (void)b; (void)c; (void)d; }
static inline void cairo_set_source_rgba(cairo_t *a, double b, double c, double d, double e) { (void)a; (void)b; (void)c; (void)d; (void)e; }
static inline void cairo_set_source_surface(cairo_t *a, cairo_surface_t *b, double c, double d) { (void)a; (void)b; (void)c; (void)d; }
static inline void cairo_show_page(cairo_t *a) { (void)a; }
static inline void cairo_show_text(cairo_t *a, const char *b) { (void)a; (void)b; }
static inline cairo_status_t cairo_status(cairo_t *a) { (void)a; return CAIRO_STATUS_NO_MEMORY; }
static inline void cairo_stroke(cairo_t *a) { (void)a; }
static inline void cairo_stroke_preserve(cairo_t *a) { (void)a; }
static inline void cairo_surface_destroy(cairo_surface_t *a) { (void)a; }
static inline void cairo_surface_finish(cairo_surface_t *a) { (void)a; }
static inline void cairo_surface_flush(cairo_surface_t *a) { (void)a; }
static inline void cairo_surface_mark_dirty(cairo_surface_t *a) { (void)a; }
static inline cairo_status_t cairo_surface_status(cairo_surface_t *a) { (void)a; return CAIRO_STATUS_NO_MEMORY; }
static inline cairo_status_t cairo_surface_write_to_png_stream(cairo_surface_t *a, cairo_write_func_t b, void *c) { (void)a; (void)b; (void)c; return CAIRO_STATUS_NO_MEMORY; }
static inline cairo_surface_t *cairo_svg_surface_create_for_stream(cairo_write_func_t a, void *b, double c, double d) { (void)a; (void)b; (void)c; (void)d; return NULL; }
static inline void cairo_text_extents(cairo_t *a, const char *b, cairo_text_extents_t *c) { (void)a; (void)b; *c = (cairo_text_extents_t){0}; }
static inline void cairo_translate(cairo_t *a, double b, double c) { (void)a; (void)b; (void)c; }
static inline const char *cairo_version_string(void) { return "none"; }

#endif
