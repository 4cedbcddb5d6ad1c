/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* render_raster.c - spans of triangles by their three edges
 * Method   in each row of points the edges bound an interval; along it closeness grows by a constant. The crossing of an
 *          edge with a row is the same number for both triangles that share the edge, and points on it belong to both:
 *          no gaps.
 * Cost     a few operations for each row and about one nanosecond for each point. */
#include "render/render_raster.h"

#include <math.h>

void render_clear(render_target *t) {
    long n = (long)t->width * t->height;
    for (long i = 0; i < n; i++) t->close[i] = -INFINITY;
    if (t->who)
        for (long i = 0; i < n; i++) t->who[i] = -1;
}

double render_area(const render_corner c[3]) {
    return (c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (c[1].y - c[0].y);
}

/* Closeness as a plane over the picture, and rows to go over; false if there is nothing to draw. */
typedef struct plane {
    double at0, gx, gy; /* closeness = at0 + gx x + gy y */
    int y0, y1;         /* rows y0 <= y < y1 */
} plane;

static bool make_plane(const render_target *t, const render_corner c[3], plane *p) {
    double area = render_area(c);
    if (!(fabs(area) > 1e-12) || !isfinite(area)) return false;
    double e1 = c[1].close - c[0].close, e2 = c[2].close - c[0].close;
    p->gx = (e1 * (c[2].y - c[0].y) - e2 * (c[1].y - c[0].y)) / area;
    p->gy = (e2 * (c[1].x - c[0].x) - e1 * (c[2].x - c[0].x)) / area;
    p->at0 = c[0].close - p->gx * c[0].x - p->gy * c[0].y;
    double lo = fmin(c[0].y, fmin(c[1].y, c[2].y)) - t->dy, hi = fmax(c[0].y, fmax(c[1].y, c[2].y)) - t->dy;
    p->y0 = lo > 0 ? (lo < t->height ? (int)ceil(lo) : t->height) : 0;
    p->y1 = hi < t->height - 1 ? (hi >= 0 ? (int)floor(hi) + 1 : 0) : t->height;
    return p->y0 < p->y1;
}

/* Points x0 <= x < x1 of a row within the triangle. */
static bool span(const render_target *t, const render_corner c[3], double y, int *x0, int *x1) {
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < 3; i++) {
        const render_corner *a = &c[i], *b = &c[(i + 1) % 3];
        if (a->y > b->y || (a->y == b->y && a->x > b->x)) { /* the same way whichever triangle asks */
            const render_corner *s = a;
            a = b, b = s;
        }
        if (y < a->y || y > b->y) continue;
        if (a->y == b->y) {
            lo = fmin(lo, a->x), hi = fmax(hi, b->x);
            continue;
        }
        double x = a->x + (b->x - a->x) * ((y - a->y) / (b->y - a->y));
        lo = fmin(lo, x);
        hi = fmax(hi, x);
    }
    lo -= t->dx, hi -= t->dx;
    if (!(lo <= hi) || hi < 0 || lo > t->width - 1) return false;
    *x0 = lo > 0 ? (int)ceil(lo) : 0;
    *x1 = hi < t->width - 1 ? (int)floor(hi) + 1 : t->width;
    return *x0 < *x1;
}

void render_fill(render_target *t, const render_corner c[3], int who) {
    plane p;
    if (!make_plane(t, c, &p)) return;
    for (int y = p.y0; y < p.y1; y++) {
        int x0, x1;
        if (!span(t, c, y + t->dy, &x0, &x1)) continue;
        float *close = t->close + (long)y * t->width;
        int *is = t->who ? t->who + (long)y * t->width : 0;
        double v = p.at0 + p.gy * (y + t->dy) + p.gx * (x0 + t->dx);
        if (is) {
            for (int x = x0; x < x1; x++, v += p.gx)
                if ((float)v > close[x]) close[x] = (float)v, is[x] = who;
        } else {
            for (int x = x0; x < x1; x++, v += p.gx)
                if ((float)v > close[x]) close[x] = (float)v;
        }
    }
}

void render_each(const render_target *t, const render_corner c[3], render_touch f, void *context) {
    plane p;
    if (!make_plane(t, c, &p)) return;
    for (int y = p.y0; y < p.y1; y++) {
        int x0, x1;
        if (!span(t, c, y + t->dy, &x0, &x1)) continue;
        double v = p.at0 + p.gy * (y + t->dy) + p.gx * (x0 + t->dx);
        for (int x = x0; x < x1; x++, v += p.gx) f(context, x, y, (float)v);
    }
}

void render_stroke(const render_target *t, render_corner a, render_corner b, double width, render_touch f,
                   void *context) {
    double dx = b.x - a.x, dy = b.y - a.y, length = sqrt(dx * dx + dy * dy);
    if (!isfinite(length)) return;
    double ux = length > 0 ? dx / length : 1, uy = length > 0 ? dy / length : 0, h = width / 2;
    /* a rectangle with square ends, closeness constant across it */
    double ex = ux * h / 2, ey = uy * h / 2, nx = -uy * h, ny = ux * h;
    render_corner q[4] = {{a.x - ex + nx, a.y - ey + ny, a.close},
                          {a.x - ex - nx, a.y - ey - ny, a.close},
                          {b.x + ex - nx, b.y + ey - ny, b.close},
                          {b.x + ex + nx, b.y + ey + ny, b.close}};
    render_corner first[3] = {q[0], q[1], q[2]}, second[3] = {q[0], q[2], q[3]};
    render_each(t, first, f, context);
    render_each(t, second, f, context);
}
