/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_draw.h - inside of the figures: what their parts share. plot_figure.c writes files, plot_layout.c and plot_grid.c
 * place everything, plot_panel.c draws axes, plot_line.c, plot_interval.c, plot_map.c, plot_bar.c and plot_legend.c what
 * their names say, plot_text.c text. Lengths are points (1/72 inch), x to the right and y down from the top left corner
 * of the page. */
#ifndef PLOT_DRAW_H
#define PLOT_DRAW_H

#include <cairo.h>

#include "base/memory.h"
#include "plot/plot.h"
#include "plot/plot_axis.h"
#include "plot/plot_scale.h"

/* Everything that is the same for all parts of a figure. */
typedef struct plot_page {
    cairo_t *cr;
    pp_arena *arena;
    double font;             /* [pt] */
    double unit;             /* font / 9: lengths below are for 9 pt */
    bool dark, grid, failed; /* failed: memory ran out */
    const plot_scale *scale; /* colours of maps; NULL: there are none */
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
    double words;                    /* width of the numbers at the y axis */
    bool bare;                       /* no numbers at the y axis: those of the panel at its left serve it too */
    plot_place legend;
    int entries, columns, rows; /* of the legend; its last entry says how many entries are left out */
    double entry_width, legend_width, legend_height, legend_x, legend_y;
    plot_trace *trace; /* one for each line */
    plot_axis colours; /* of a map */
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
/* Marks at the data. Marks on a line keep a distance from each other. Marks without a line are drawn once per
 * small cell of the page. */
void plot_draw_marks(plot_page *g, const plot_frame *f, const plot_line *l, const plot_look *k);
void plot_mark_path(plot_page *g, double x, double y, int shape, double r);
/* A cross with arms up to r to each side, to be stroked with the other function; size: as in plot_line. */
void plot_cross_path(plot_page *g, double x, double y, double r);
void plot_stroke_crosses(plot_page *g, double size);
/* An open mark in the colour of the line. It is filled with the background, so that the line does not cross it. */
void plot_open_mark(plot_page *g, double x, double y, const plot_look *k, int shape);

/* ---- plot_interval.c ---- */
/* The range that intervals and histograms need beside that of the lines' points. */
void plot_interval_range(const plot_panel *p, const plot_line *l, const plot_axis *x, plot_range *r);
/* Has the panel bars that stand on zero? */
bool plot_has_bars(const plot_panel *p);
/* What lies below the lines: pale bands and bars. */
void plot_draw_areas(plot_page *g, const plot_frame *f, int line);
/* Error bars, below their marks. */
void plot_draw_error_bars(plot_page *g, const plot_frame *f, int line);
bool plot_marks_alone(const plot_line *l); /* marks without a line: '.' and 'x' */
bool plot_band_of(const plot_line *l);     /* are its intervals a pale band? */
/* What the legend shows of intervals and bars, from x0 to x1 around the height y; below the sample of the line. */
void plot_draw_sample_area(plot_page *g, const plot_line *l, plot_rgb colour, double x0, double x1, double y);
/* Does a bar or band of the line lie within the rectangle? */
bool plot_area_within(const plot_frame *f, const plot_line *l, double x0, double x1, double y0, double y1);

/* ---- plot_map.c ---- */
/* Edges of n cells around centres (n + 1 numbers, memory of the arena); NULL: no memory. */
double *plot_map_edges(pp_arena *a, const double *centre, int n, bool log);
void plot_map_ranges(plot_page *g, const plot_panel *p, plot_range *x, plot_range *y);
/* Sets the axis of the colours from the map, without ticks. */
void plot_map_colours(const plot_map *m, plot_axis *a);
void plot_draw_map(plot_page *g, const plot_frame *f);

/* ---- plot_bar.c ---- */
/* A colour bar, for one map or for all. */
typedef struct plot_bar {
    const plot_frame *const *map; /* whose it is */
    int nmap;
    plot_axis axis;
    double left, top, height;
    bool below, above, gaps; /* some values lie beyond the ends; some are missing */
} plot_bar;
/* Sets the ticks for its height and the entries that it shows; returns the width that it needs. */
double plot_bar_shape(plot_page *g, plot_bar *b);
void plot_draw_bar(plot_page *g, const plot_bar *b);

/* ---- plot_legend.c ---- */
int plot_legend_entries(const plot_panel *p);
/* Chooses columns and rows of a legend for a space and sets its width and height. */
void plot_legend_shape(plot_page *g, plot_frame *f, double width, double height);
/* How much of the lines a legend in that place would hide: 0 is best. Sets legend_x, legend_y. */
long plot_legend_hides(plot_frame *f, plot_page *g, plot_place where);
void plot_draw_legend(plot_page *g, const plot_frame *f);

/* ---- plot_layout.c, plot_grid.c ---- */
#define PLOT_POINTS (72 / 25.4) /* in a mm */
#define PLOT_OUTER  6.0         /* margin around everything [pt at 9 pt] */

/* A figure while it is laid out and drawn. */
typedef struct plot_sheet {
    plot_page g;
    const plot_figure *fig;
    plot_frame *frame;
    double width, height;             /* [pt] */
    double least_width, least_height; /* > 0: the page is too small, this is what it needs [pt] */
    plot_bar *bar;                    /* colour bars: one for all maps, or one for each */
    int nbar;
    bool note;                                           /* a bar has a note above it */
    int columns;                                         /* > 1: a grid */
    bool one_xlabel, one_ylabel;                         /* written once for the grid */
    plot_frame legend;                                   /* a legend for all panels of a grid, if it has entries */
    double grid_left, grid_right, grid_top, grid_bottom; /* around the boxes of the grid */
} plot_sheet;

bool plot_given(const char *text);
double plot_big_title(const plot_sheet *s); /* height of the title of the figure */
plot_range plot_x_range(plot_page *g, const plot_panel *p);
plot_range plot_y_range(plot_page *g, const plot_panel *p, const plot_axis *x); /* within the ends of the x axis */
/* Sets the ends of both axes. The ranges are those of all panels that share the axis. */
void plot_span_axes(plot_frame *f, plot_range x, plot_range y);
void plot_x_ticks(plot_sheet *s, plot_frame *f);
void plot_y_ticks(plot_sheet *s, plot_frame *f);
/* Room for words above and below a box. */
double plot_room_above(plot_sheet *s, plot_frame *f);
double plot_room_below(const plot_sheet *s, const plot_frame *f);
double plot_y_words(plot_sheet *s, const plot_frame *f); /* width of the numbers or row labels at the y axis */
void plot_shape_legends(plot_sheet *s);
void plot_equal_scales(plot_frame *f);
bool plot_same_legend(const plot_panel *a, const plot_panel *b);
/* Puts the colour bars beside their maps; returns the width that the widest needs, 0 without one. */
double plot_place_bars(plot_sheet *s);
void plot_lay_out(plot_sheet *s);
/* The same for grids: what the panels share, ends of the axes; places of the boxes. */
void plot_grid_begin(plot_sheet *s);
void plot_grid_spans(plot_sheet *s);
void plot_grid_arrange(plot_sheet *s);

#endif
