/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot.h - figures for papers: axes, lines, legends, as SVG, PDF or PNG (by the end of the file name), drawn with
 * cairo. */
#ifndef PLOT_H
#define PLOT_H

#include "cli.h"

/* Colours by index, after Okabe and Ito: they can be distinguished with colour-blind eyes, too. They repeat. PLOT_INK is the colour of text. */
enum { PLOT_COLOURS = 8, PLOT_NEXT = -1, PLOT_INK = -2 };
/* Index of the colour of a contact state: 0 separating, 1 sticking, 2 sliding. The same as in perp render and the viewer. */
#define PLOT_STATE(s) (-3 - (s))
/* Dashes by number: 1 solid, 2 dashed, ... 6. They distinguish lines of one colour, and all lines in black and white. */
enum { PLOT_DASHES = 6 };

typedef struct plot_line {
    const double *x, *y;
    long n;            /* 0 with a label: appears in the legend only */
    const char *label; /* NULL: not in the legend */
    int colour;        /* index into the palette; PLOT_NEXT: its number among the lines of the panel */
    /* 0: line only; 'o': marks on the line; '.': marks only; 'x': crosses only; 's': steps (value holds until the next);
     * 'h': histogram, bars from 0 (log axis: from its lower end); x holds n + 1 edges, strictly increasing, and y the n
     * heights between them; a height that is not a number has no bar */
    char mark;
    bool dashed;
    int dash; /* 0: chosen by `dashed` if any line of the panel is dashed, else by the number of the line; 1..PLOT_DASHES: this one */
    /* Interval around each y, n numbers each. NULL: this side is open. NaN: no interval at this point. Marks and bars are drawn with error bars, lines and steps with a pale band. */
    const double *low, *high;
    double
        size; /* radius of marks that are not on a line or have error bars [pt at 9 pt]; 0: chosen by the number of marks */
} plot_line;

/* A heat map: cells around centres. The edges of cells lie in the middle between neighbours (log axes: in the middle of
 * the logarithms), so spacing may be uneven; the outer cells are symmetric. A single column or row is 1 wide. */
typedef struct plot_map {
    int nx, ny;
    const double *x, *y;   /* centres, strictly increasing */
    const double *value;   /* ny rows of nx; NaN: no data, hatched */
    double lo, hi;         /* range of the colours; not lo < hi: from the data of this map */
    const char *label;     /* of the colour bar; may be NULL */
    const double *contour; /* levels, drawn as lines by marching squares on the cell centres */
    int ncontour;
    bool numbers; /* print the values in the cells, if all of them fit */
    bool log;     /* logarithmic colours; values that are not positive count as no data */
} plot_map;

/* A piece of a row of a band chart: something holds from x0 to x1. */
typedef struct plot_band {
    int row;
    double x0, x1;
    int state; /* 0, 1, ...: which of the panel's state labels; drawn narrow and pale, full and dark, half and bright */
} plot_band;

typedef struct plot_panel {
    const char *title, *xlabel, *ylabel; /* may hold UTF-8 ("ω") and superscripts ("L^2", "10^{-3}") */
    const plot_line *line;
    int nline;
    bool logx, logy, equal; /* equal: the same scale on both axes, for paths in the plane */
    bool shared; /* shares its x axis with the next panel, if that is `shared`, too: the numbers are written once */
    double xmin, xmax, ymin, ymax; /* NAN: from the data */
    /* With nrow > 0 a band chart: rows from the top, each piece in the order of x0 within its row. */
    const plot_band *band;
    long nband;
    const char *const *row;   /* nrow labels */
    const char *const *state; /* nstate labels */
    int nrow, nstate;
    const plot_map *map; /* a heat map below the lines; NULL: none. With `equal` the box fits the map. */
} plot_panel;

typedef struct plot_figure {
    const char *title;       /* above all panels; NULL: none */
    const plot_panel *panel; /* stacked from the top, shared width; with columns > 1 a grid, row by row */
    int npanel;
    double width,
        height; /* [mm]; 0: 160 wide, 60 for each panel over time high, 80 for others (equal and band charts: what they need; in a grid 0.8 of the width of a box) */
    double font;        /* [pt]; 0: 9 */
    double dpi;         /* PNG; 0: 200 */
    const char *legend; /* one of plot_legends; NULL: auto */
    bool grid, dark;
    /* 0, 1: stacked. More: a grid of equal boxes. If all panels are `shared`, both axes have the same span everywhere
     * and their numbers stand at the left and at the bottom only. A label that all panels have, and a legend that all
     * have, are written once. Legends stand inside or above. Maps with the same range and label share one colour bar,
     * in grids and in stacks. */
    int columns;
} plot_figure;

/* "auto" (an empty corner or other empty place, else above or beside; not again if it is that of the panel above),
 * "top-left", "top-right", "bottom-left", "bottom-right", "above", "outside" (to the right), "none"; ended by NULL. */
extern const char *const plot_legends[];

/* Does the name end as that of a figure (.svg, ...)? If not, reports an error with a list of the endings. */
perp_status plot_check_output(const char *path, perp_refusal *why);
/* Writes the figure to a temporary file beside `path` and renames it, so a failure leaves nothing half written. The
 * same figure makes the same bytes. An existing file is replaced, but never one that holds HDF5 data. PERP_E_ARG: the
 * path or the figure is not right; PERP_E_IO: it could not be written; PERP_E_MEMORY. */
perp_status plot_write(const plot_figure *f, const char *path, perp_refusal *why);
/* Writes bytes in the same way. */
perp_status plot_write_file(const char *path, const void *data, size_t size, perp_refusal *why);
/* The size that a figure gets [mm]. */
void plot_size(const plot_figure *f, double *width, double *height);

/* A plot of recordings, as `perp plot` and experiments ask for it. */
typedef struct plot_request {
    const char *const *recording; /* paths */
    const char *const *label;     /* one for each recording; NULL: file names when there are several */
    int nrecording;
    const char *const *
        what; /* see command_plot.c: "block.x", "A.x:A.y" (second against first), "energy", "ledger", "certificate", ... */
    int nwhat;
    const char *output;
    const char *title, *xlabel, *ylabel;
    double from, to; /* time; NAN: all */
    double xmin, xmax, ymin, ymax;
    bool logx, logy, equal, marks;
    double width, height, font, dpi;
    const char *legend;
    bool grid, dark, together; /* together: everything in one panel */
} plot_request;
plot_request plot_request_default(void);
/* A figure of these panels with the size and look that were requested. */
plot_figure plot_requested(const plot_request *q, const plot_panel *panel, int npanel);

/* What was drawn. */
typedef struct plot_report {
    double width, height; /* [mm] */
    int panels, lines;    /* lines: curves, or rows of band charts */
    long points;
} plot_report;

perp_status plot_recordings(const plot_request *q, perp_refusal *why);
/* The same with a report; may be NULL. */
perp_status plot_recordings_report(const plot_request *q, plot_report *report, perp_refusal *why);
/* The numbers of the same plot as CSV: time and one column for each quantity, a row for each frame; with several
 * recordings, the first column names the recording. *out is owned by the caller (free). */
perp_status plot_recordings_csv(const plot_request *q, char **out, size_t *size, plot_report *report,
                                perp_refusal *why);

/* Figures about solvers, of what `perp solve` wrote; `recording` names its files. plot_convergence(): of --trace, `what`
 * is "convergence", "convergence(siconos)", "convergence(PROBLEM)". plot_profile(): of --results, "profile",
 * "profile(iterations)", "profile(factorisations)". */
perp_status plot_convergence(const plot_request *q, plot_report *report, perp_refusal *why);
perp_status plot_profile(const plot_request *q, plot_report *report, perp_refusal *why);

/* The groups that can be drawn beside single quantities: name and what it is, ended by a name of NULL. */
typedef struct plot_group {
    const char *name, *about;
} plot_group;
extern const plot_group plot_groups[];

#endif
