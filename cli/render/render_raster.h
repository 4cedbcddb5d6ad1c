/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_raster.h - draws triangles and lines into a depth buffer, with one sample point in each pixel.
 *
 * To smooth edges, the picture is drawn several times with other sample points, and the mean is taken. */
#ifndef RENDER_RASTER_H
#define RENDER_RASTER_H

#include <stdbool.h>

/* What is seen in each pixel: how close it is (-infinity: nothing) and a number that says what it is. */
typedef struct render_target {
    int width, height;
    float *close;
    int *who;      /* NULL: not wanted */
    double dx, dy; /* where in its pixel the point is, 0..1 */
} render_target;

/* A corner in the picture: pixels, and a measure of closeness that is linear in them. */
typedef struct render_corner {
    double x, y, close;
} render_corner;

void render_clear(render_target *t);
/* Twice the area, with its sign: negative for a triangle that is counter-clockwise as seen (y is down). */
double render_area(const render_corner c[3]);
/* Draws a triangle of either orientation where nothing is closer. Triangles that share an edge leave no gap. */
void render_fill(render_target *t, const render_corner c[3], int who);

/* Calls f for each point within a triangle. */
typedef void (*render_touch)(void *context, int x, int y, float close);
void render_each(const render_target *t, const render_corner c[3], render_touch f, void *context);
/* Calls f for each point within half the width [px] of the line between two corners. */
void render_stroke(const render_target *t, render_corner a, render_corner b, double width, render_touch f,
                   void *context);

#endif
