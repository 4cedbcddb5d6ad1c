/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_axis.h - from numbers to positions on the page: ranges, ticks and their labels, scales, thinning. It does
 * not draw. */
#ifndef PLOT_AXIS_H
#define PLOT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

/* Numbers larger than this are left out of every axis, as NaN is. Numbers smaller than its inverse count as zero. */
#define PLOT_HUGE 1e300

/* The span of the numbers that an axis has to show; lo > hi: none so far. */
typedef struct plot_range {
    double lo, hi;
} plot_range;
plot_range plot_range_none(void);
/* Extends the span by n numbers. Numbers that the axis cannot show (NaN, infinite; zero and below on a log axis)
 * are skipped. */
void plot_range_add(plot_range *r, const double *v, long n, bool log);
/* Can the axis show this number? */
bool plot_shows(double v, bool log);

enum { PLOT_TICKS = 24, PLOT_MINORS = 400 };

/* An axis with its ticks. Words may hold superscripts as ^{...}, see plot_text.c; minus signs are true ones. */
typedef struct plot_axis {
    double lo, hi; /* ends, lo < hi */
    bool log;
    bool whole; /* counts: ticks at whole numbers only; set it after plot_axis_span() */
    int ntick, nminor;
    double tick[PLOT_TICKS];
    char word[PLOT_TICKS][40];
    double minor[PLOT_MINORS];
    char note[64]; /* factor and offset of the tick labels: "×10^{−3} + 9.81"; "": none */
} plot_axis;

/* Sets the ends of an axis for the range: a small margin on both sides if `room` (log: whole decades), a suitable span around a constant,
 * 0..1 for nothing at all. An end that is not NaN in fixed_lo, fixed_hi is taken as it is, if the axis can have it. */
void plot_axis_span(plot_axis *a, plot_range r, bool log, bool room, double fixed_lo, double fixed_hi);
/* Sets the ticks: at most `most` of them, at 1, 2 or 5 times a power of ten; log axes: decades, with minor ticks
 * between. */
void plot_axis_ticks(plot_axis *a, int most);
/* Place of a number on the axis: 0 at lo, 1 at hi. */
double plot_axis_place(const plot_axis *a, double v);

/* A corner of a line to be drawn [pt]. */
typedef struct plot_point {
    double x, y;
} plot_point;
/* Thins a line without gaps, in place, without visible change. Of successive points within one column of width `column`, it keeps the first, lowest,
 * highest and last. Then it removes points that lie within `off` of the straight line between their neighbours. Keeps both ends. Returns the number
 * of points that are left. */
long plot_thin(plot_point *p, long n, double column, double off);

#endif
