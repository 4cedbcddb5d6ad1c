/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_data.h - between recordings and figures: quantities over all frames, and curves made of them. Shared by
 * plot_recordings.c (requests, figures, CSV) and plot_group.c (groups of quantities). Everything lies in the arena of
 * the plot. */
#ifndef PLOT_DATA_H
#define PLOT_DATA_H

#include "base/memory.h"
#include "input/input.h"
#include "plot/plot.h"

/* A recording of the plot. */
typedef struct plot_source {
    const char *path, *label;
    perp_recording *r;
    const perp_recording_info *info;
    uint64_t first; /* first frame within from..to */
    long n;         /* frames within */
    double *time;   /* n */
} plot_source;

/* A column of numbers for each recording. */
typedef struct plot_quantity {
    const char *name, *unit;
    double **v; /* for each recording n numbers; NULL: it does not have them */
} plot_quantity;

enum { PLOT_TIME = -1 };

typedef struct plot_curve {
    int x, y;          /* quantities; x may be PLOT_TIME */
    const char *label; /* what it is called beside others in its panel */
    int colour, dash;  /* as in plot_line, if there is one recording */
    char mark;
} plot_curve;

/* A panel to be: its curves are drawn for every recording. Or, with nrow > 0, a band chart of one recording. */
typedef struct plot_sketch {
    const char *title, *ylabel, *xlabel; /* xlabel NULL: time */
    plot_curve *curve;
    int ncurve, cap_curve;
    bool logy, equal;
    double floor;   /* > 0: the axis ends here; smaller values are not shown */
    int source;     /* band chart: its recording */
    int *row, nrow; /* band chart: quantities that hold 0 separating, 1 sticking, 2 sliding, NaN none */
} plot_sketch;

typedef struct plot_data {
    const plot_request *q;
    pp_arena arena;
    plot_source *source;
    int nsource;
    plot_quantity *quantity;
    int nquantity, cap_quantity;
    plot_sketch *sketch;
    int nsketch, cap_sketch;
    perp_refusal *why;
} plot_data;

perp_status plot_no_memory(plot_data *d);
/* printf into the arena; NULL: no memory. */
/* Labels runs of one scene by the values of the parameters in which they differ, at most three. Other recordings
 * keep their names. Scenes that cannot be opened are ignored. */
void plot_label_by_parameters(plot_data *d);
const char *plot_say(plot_data *d, const char *format, ...) PERP_PRINTF(2, 3);
/* A series by its name, read from every recording; *out is its index. */
perp_status plot_get_series(plot_data *d, const char *name, int *out);
/* A quantity made here, found by its name or added without numbers; -1: no memory. */
int plot_get_made(plot_data *d, const char *name, const char *unit);
/* Its numbers in recording s: NaN at first; NULL: no memory. */
double *plot_numbers(plot_data *d, int quantity, int s);
/* A new panel; NULL: no memory. */
plot_sketch *plot_add_sketch(plot_data *d, const char *ylabel);
/* A new curve over time in a panel. */
perp_status plot_add_curve(plot_data *d, plot_sketch *k, int x, int y, const char *label, int colour, int dash);
/* "name [unit]" */
const char *plot_with_unit(plot_data *d, const char *name, const char *unit);

/* ---- plot_group.c ---- */
/* Adds the panels of a group. *known: is there a group of that name (it may be followed by (...))? */
perp_status plot_add_group(plot_data *d, const char *what, bool *known);

#endif
