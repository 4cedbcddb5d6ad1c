/* plot_draw.h - inside of the figures: what plot_figure.c (layout, files), plot_panel.c (axes, lines, legends) and
 * plot_text.c share. Lengths are points (1/72 inch), x to the right and y down from the top left corner of the page. */
#ifndef PLOT_DRAW_H
#define PLOT_DRAW_H

#include <cairo.h>

#include "base/memory.h"
#include "plot.h"
#include "plot_axis.h"

typedef struct plot_rgb {
    double r, g, b;
} plot_rgb;

/* Everything that is the same for all parts of a figure. */
typedef struct plot_page {
    cairo_t *cr;
    pp_arena *arena;
    double font;             /* [pt] */
    double unit;             /* font / 9: lengths below are for 9 pt */
    bool dark, grid, failed; /* failed: memory ran out */
} plot_page;

/* ---- plot_text.c ---- */
typedef enum plot_anchor { PLOT_LEFT, PLOT_CENTRE, PLOT_RIGHT } plot_anchor;
/* Width of a text with superscripts. size is a part of the page's font. */
double plot_text_width(plot_page *g, const char *text, double size, bool bold);
/* Writes it with its baseline at y. */
void plot_text(plot_page *g, double x, double y, plot_anchor at, const char *text, double size, bool bold);
/* The same, turned to run upwards, its baseline at x. */
void plot_text_up(plot_page *g, double x, double y, plot_anchor at, const char *text, double size, bool bold);
/* The text if it fits into `width`, else as much of it as fits with "..." at its end (memory of the page), and in *size
 * the size for it: down to 0.75 of what it was before anything is cut. */
const char *plot_text_fit(plot_page *g, const char *text, double width, double *size, bool bold);
/* Height of a line of text, height of capital letters, depth below the baseline: parts of the font. */
#define PLOT_LINE  1.25
#define PLOT_CAP   0.72
#define PLOT_DEPTH 0.22

/* ---- plot_panel.c ---- */
typedef struct plot_trace {
    plot_point *p; /* corners; a NaN in x ends a piece */
    long n;
} plot_trace;

typedef enum plot_place {
    PLOT_TOP_RIGHT,
    PLOT_TOP_LEFT,
    PLOT_BOTTOM_RIGHT,
    PLOT_BOTTOM_LEFT,
    PLOT_TOP_MIDDLE,
    PLOT_BOTTOM_MIDDLE,
    PLOT_MIDDLE_RIGHT,
    PLOT_MIDDLE_LEFT,
    PLOT_MIDDLE,
    PLOT_INSIDE, /* those before are inside */
    PLOT_AUTO = PLOT_INSIDE,
    PLOT_ABOVE,
    PLOT_OUTSIDE,
    PLOT_NO_LEGEND
} plot_place;

/* A panel on the page. */
typedef struct plot_frame {
    const plot_panel *p;
    plot_axis x, y;
    double left, top, width, height; /* of the box of the axes */
    bool below;                      /* numbers and label of the x axis are written below it */
    plot_place legend;
    int entries, columns, rows; /* of the legend; entries that are left out are counted in its last one */
    double entry_width, legend_width, legend_height, legend_x, legend_y;
    plot_trace *trace; /* one for each line */
} plot_frame;

plot_rgb plot_colour(const plot_page *g, int index);
plot_rgb plot_paper(const plot_page *g);
int plot_legend_entries(const plot_panel *p);
/* Chooses columns and rows of a legend for a space and sets its width and height. */
void plot_legend_shape(plot_page *g, plot_frame *f, double width, double height);
/* Makes the traces, once the frame stands. */
void plot_trace_lines(plot_page *g, plot_frame *f);
/* How much of the lines a legend in that place would hide: 0 is best. Sets legend_x, legend_y. */
long plot_legend_hides(plot_frame *f, plot_page *g, plot_place where);
void plot_draw_panel(plot_page *g, plot_frame *f);

#endif
