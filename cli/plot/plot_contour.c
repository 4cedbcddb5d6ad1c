/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_contour.c - lines of equal value by marching squares
 *   for numbers v[j][i] at the points (x[i], y[j]) of a grid, find the curves v = level
 * Method   if one end of an edge is at or above the level and the other is below, a line crosses the edge once, at the point of linear
 *          interpolation. A square of four points has 0, 2 or 4 crossed edges, which are joined in pairs. If there are 4 (a saddle), the mean of
 *          the corners is taken as the value in the middle and decides which edges are paired. Every crossed edge belongs to at most two
 *          squares, so it has at most two neighbours, and the edges form chains and rings.
 * Valid    any numbers; a square with a corner that is not finite is left out, and lines end at it.
 * Cost     one pass over the grid, four whole numbers for each of its points.
 * Source   Lorensen, Cline (1987), in two dimensions; the rule for saddles: Nielson, Hamann (1991), simplified to the
 *          mean. */
#include "plot/plot_contour.h"

#include <math.h>

enum { NONE = -1 };

typedef struct grid {
    int nx, ny;
    const double *x, *y, *value;
    double level;
    long (*link)[2]; /* for each edge the crossed edges it is joined with */
} grid;

/* Edges have numbers: those along x first, then those along y. */
static long edge_along_x(const grid *g, int i, int j) { return (long)j * (g->nx - 1) + i; }
static long edge_along_y(const grid *g, int i, int j) { return (long)g->ny * (g->nx - 1) + (long)j * g->nx + i; }
static long edges(const grid *g) { return (long)g->ny * (g->nx - 1) + (long)(g->ny - 1) * g->nx; }

static double at(const grid *g, int i, int j) { return g->value[(long)j * g->nx + i]; }

static void join(grid *g, long a, long b) {
    g->link[a][g->link[a][0] == NONE ? 0 : 1] = b;
    g->link[b][g->link[b][0] == NONE ? 0 : 1] = a;
}

/* Joins the crossed edges of the square with its lowest corner at (i, j). */
static void join_square(grid *g, int i, int j) {
    double v[4] = {at(g, i, j), at(g, i + 1, j), at(g, i + 1, j + 1), at(g, i, j + 1)}; /* around the square */
    long edge[4] = {edge_along_x(g, i, j), edge_along_y(g, i + 1, j), edge_along_x(g, i, j + 1), edge_along_y(g, i, j)};
    bool above[4];
    double mean = 0;
    long crossed[4];
    int n = 0;
    for (int k = 0; k < 4; k++) {
        if (!isfinite(v[k])) return;
        above[k] = v[k] >= g->level;
        mean += v[k] / 4;
    }
    for (int k = 0; k < 4; k++)
        if (above[k] != above[(k + 1) % 4]) crossed[n++] = edge[k];
    if (n == 2) join(g, crossed[0], crossed[1]);
    if (n < 4) return;
    if ((mean >= g->level) == above[0]) { /* corners 0 and 2 are connected: the lines cut off corners 1 and 3 */
        join(g, edge[0], edge[1]);
        join(g, edge[2], edge[3]);
    } else {
        join(g, edge[3], edge[0]);
        join(g, edge[1], edge[2]);
    }
}

static plot_point crossing(const grid *g, long edge) {
    long along_x = (long)g->ny * (g->nx - 1);
    bool x = edge < along_x;
    long row = x ? g->nx - 1 : g->nx, rest = x ? edge : edge - along_x;
    int i = (int)(rest % row), j = (int)(rest / row), i1 = x ? i + 1 : i, j1 = x ? j : j + 1;
    double a = at(g, i, j), b = at(g, i1, j1);
    double t = (g->level - a) / (b - a);
    if (!(t >= 0 && t <= 1)) t = 0.5; /* b - a overflows */
    plot_point p = {g->x[i] + t * (g->x[i1] - g->x[i]), g->y[j] + t * (g->y[j1] - g->y[j])};
    return p;
}

/* Follows the links from an edge to the end of its chain or around its ring, and removes them. Two edges share one square at
 * most, so both links of an edge are never the same. */
static long walk(grid *g, long from, plot_point *out) {
    long n = 0, here = from, before = NONE;
    while (here != NONE) {
        out[n++] = crossing(g, here);
        long *l = g->link[here], next = l[0] == before ? l[1] : l[0];
        before = here;
        l[0] = l[1] = NONE;
        here = next == from ? NONE : next;
    }
    return n;
}

/* Points that coincide, because the level is met at a grid point, are one. */
static void take_out_doubles(plot_contour *c) {
    long n = 0;
    for (long i = 0; i < c->n; i++)
        if (n == 0 || c->p[i].x != c->p[n - 1].x || c->p[i].y != c->p[n - 1].y) c->p[n++] = c->p[i];
    while (c->closed && n > 1 && c->p[0].x == c->p[n - 1].x && c->p[0].y == c->p[n - 1].y) n--;
    c->n = n;
}

long plot_contours(pp_arena *arena, const plot_field *f, double level, plot_contour **out) {
    *out = NULL;
    const int nx = f->nx, ny = f->ny;
    if (nx < 2 || ny < 2 || !isfinite(level)) return 0;
    grid g = {nx, ny, f->x, f->y, f->value, level, NULL};
    long n = edges(&g), crossed = 0, count = 0;
    g.link = pp_arena_get(arena, (size_t)n * sizeof *g.link);
    if (!g.link) return -1;
    for (long e = 0; e < n; e++) g.link[e][0] = g.link[e][1] = NONE;
    for (int j = 0; j < ny - 1; j++)
        for (int i = 0; i < nx - 1; i++) join_square(&g, i, j);
    for (long e = 0; e < n; e++) crossed += g.link[e][0] != NONE;
    plot_point *p = PP_ARENA_ARRAY(arena, plot_point, crossed);
    plot_contour *all = PP_ARENA_ARRAY(arena, plot_contour, crossed);
    if (!p || !all) return -1;
    for (int closed = 0; closed < 2; closed++) { /* first chains, from their ends; the remaining links are rings */
        for (long e = 0; e < n; e++) {
            if (g.link[e][0] == NONE || (!closed && g.link[e][1] != NONE)) continue;
            plot_contour c = {p, walk(&g, e, p), closed == 1};
            p += c.n;
            take_out_doubles(&c);
            if (c.n >= 2) all[count++] = c;
        }
    }
    *out = all;
    return count;
}
