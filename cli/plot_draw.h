/* plot_draw.h - inside of the figures: what plot_figure.c (layout, files), plot_panel.c (axes), plot_line.c,
 * plot_legend.c and plot_text.c share. Lengths are points (1/72 inch), x to the right and y down from the top left corner of the page. */
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
void plot_paint(plot_page *g, plot_rgb c);
/* Between ink (1) and paper (0). */
void plot_paint_ink(plot_page *g, double part);
double plot_place_x(const plot_frame *f, double v);
double plot_place_y(const plot_frame *f, double v);
/* Height of a state's bar as a part of the row of a band chart: also without colours they are three. */
extern const double plot_bar_height[3];
plot_rgb plot_bar_colour(plot_page *g, int state);
void plot_draw_panel(plot_page *g, plot_frame *f);

/* ---- plot_line.c ---- */
#define PLOT_LINE_WIDTH 1.15 /* [pt at 9 pt] */

/* How a line looks. */
typedef struct plot_look {
    plot_rgb colour;
    int dash; /* 0: solid */
    int mark; /* -1: none sparse; else shape */
    int shape;
} plot_look;
plot_look plot_look_of(plot_page *g, const plot_panel *p, int i);
/* Place of a point on the page, and whether the axes can show it. */
plot_point plot_on_page(const plot_frame *f, double x, double y);
bool plot_shown(const plot_frame *f, const plot_line *l, long i);
/* Makes the traces, once the frame stands. */
void plot_trace_lines(plot_page *g, plot_frame *f);
void plot_draw_trace(plot_page *g, const plot_trace *t, const plot_look *k);
/* A few marks along a trace, at other places for each line, so that crossing lines are told apart. */
void plot_draw_sparse(plot_page *g, const plot_frame *f, const plot_trace *t, const plot_look *k, int i);
/* Marks at the data. Those on a line keep a distance; those alone are drawn once for every small cell of the paper. */
void plot_draw_marks(plot_page *g, const plot_frame *f, const plot_line *l, const plot_look *k);
void plot_mark_path(plot_page *g, double x, double y, int shape, double r);
/* An open mark in the line's colour; the paper shows inside, so that the line does not run through it. */
void plot_open_mark(plot_page *g, double x, double y, const plot_look *k, int shape);

/* ---- plot_legend.c ---- */
int plot_legend_entries(const plot_panel *p);
/* Chooses columns and rows of a legend for a space and sets its width and height. */
void plot_legend_shape(plot_page *g, plot_frame *f, double width, double height);
/* How much of the lines a legend in that place would hide: 0 is best. Sets legend_x, legend_y. */
long plot_legend_hides(plot_frame *f, plot_page *g, plot_place where);
void plot_draw_legend(plot_page *g, const plot_frame *f);

#endif
