/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_contour.h - lines of equal value through numbers on a grid. Knows nothing of drawing. */
#ifndef PLOT_CONTOUR_H
#define PLOT_CONTOUR_H

#include <stdbool.h>

#include "base/memory.h"
#include "plot/plot_axis.h"

/* One line: its corners in order. A closed one ends where it began, without its first point again. */
typedef struct plot_contour {
    plot_point *p;
    long n;
    bool closed;
} plot_contour;

/* Numbers on a grid. */
typedef struct plot_field {
    int nx, ny;
    const double *x, *y; /* positions of the columns (nx) and rows (ny), strictly monotone */
    const double *value; /* ny rows of nx */
} plot_field;

/* The lines where the numbers are `level`. A square with a corner that is not finite has no line. The lines come in a
 * fixed order. Returns how many there are, in *out (memory of the arena); -1: no memory. Cost: proportional to nx ny. */
long plot_contours(pp_arena *arena, const plot_field *f, double level, plot_contour **out);

#endif
