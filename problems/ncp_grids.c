/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ncp_grids.c - obstacle and free-boundary problems on grids: sparse complementarity problems of any size
 * Five-point differences on the unit square, side x side inner points, u = 0 on the edge; rows are scaled by h^2, so
 * that the matrix is 4, -1. */
#include <math.h>
#include <stddef.h>

#include "ncp_make.h"

#define PI 3.14159265358979323846

/* Pattern of the five-point matrix; entries of column j in the order of rows. */
static int five_point(int side, int *start, int *index) {
    int count = 0;
    start[0] = 0;
    for (int j = 0; j < side * side; j++) {
        int col = j % side, row = j / side;
        const int near[5] = {row > 0 ? j - side : -1, col > 0 ? j - 1 : -1, j, col < side - 1 ? j + 1 : -1,
                             row < side - 1 ? j + side : -1};
        for (int k = 0; k < 5; k++)
            if (near[k] >= 0) index[count++] = near[k];
        start[j + 1] = count;
    }
    return count;
}

static bool square(ncp_problem *p, int side, int nstart, int nsolution, bool bounds, int ndata) {
    int n = side * side;
    if (!ncp_room(p, n, nstart, nsolution, bounds, 5 * n - 4 * side, ndata)) return false;
    p->side = side;
    (void)five_point(side, p->pattern, p->pattern + n + 1);
    return true;
}

static double coordinate(const ncp_problem *p, int i) { return (i + 1.0) / (p->side + 1); }

/* (A u)_i, A = 4, -1 */
static double apply(const ncp_problem *p, const double *u, int i) {
    int side = p->side, col = i % side, row = i / side;
    double w = 4 * u[i];
    if (row > 0) w -= u[i - side];
    if (col > 0) w -= u[i - 1];
    if (col < side - 1) w -= u[i + 1];
    if (row < side - 1) w -= u[i + side];
    return w;
}

/* w = A u - data */
static bool linear_F(const double *u, double *w, void *ctx) {
    const ncp_problem *p = ctx;
    for (int i = 0; i < p->n; i++) w[i] = apply(p, u, i) - p->data[i];
    return true;
}
static bool linear_J(const double *u, double *v, void *ctx) {
    (void)u;
    const ncp_problem *p = ctx;
    for (int j = 0; j < p->n; j++)
        for (int k = p->pattern[j]; k < p->pattern[j + 1]; k++) v[k] = p->pattern[p->n + 1 + k] == j ? 4 : -1;
    return true;
}

/* Elastic-plastic torsion of a square bar: -lap u = 5 where |u| is below the distance to the edge. Starts: 0, the
 * upper bound, the lower one. */
bool ncp_torsion(ncp_problem *p, int side) {
    if (!square(p, side, 3, 0, true, side * side)) return false;
    p->source = "Glowinski, Numerical methods for nonlinear variational problems (1984) II.3; c = 5";
    double h = 1.0 / (side + 1);
    for (int i = 0; i < p->n; i++) {
        double x = coordinate(p, i % side), y = coordinate(p, i / side);
        double edge = fmin(fmin(x, 1 - x), fmin(y, 1 - y));
        p->data[i] = 5 * h * h;
        p->lo[i] = ncp_start(p, 2)[i] = -edge;
        p->hi[i] = ncp_start(p, 1)[i] = edge;
    }
    ncp_finish(p, linear_F, linear_J);
    return true;
}

/* A membrane between two obstacles, lo = (sin 9.2x sin 9.3y)^3 below and hi = (sin 9.2x sin 9.3y)^2 + 0.02 above. */
bool ncp_obstacle(ncp_problem *p, int side) {
    if (!square(p, side, 3, 0, true, side * side)) return false;
    p->source = "Ciarlet (1978) as in Dirkse, Ferris, MCPLIB (1995): obstacle";
    for (int i = 0; i < p->n; i++) {
        double s = sin(9.2 * coordinate(p, i % side)) * sin(9.3 * coordinate(p, i / side));
        p->lo[i] = ncp_start(p, 1)[i] = s * s * s;
        p->hi[i] = ncp_start(p, 2)[i] = s * s + 0.02;
    }
    ncp_finish(p, linear_F, linear_J);
    return true;
}

/* -lap u + u^3 >= g _|_ u >= 0 with g made so that u = (r0^2 - r^2)^2 inside the circle of radius r0 about the middle
 * and 0 outside solves the grid's equations exactly, with w = h^2 (r^2 - r0^2) outside. */
static bool cubic_F(const double *u, double *w, void *ctx) {
    const ncp_problem *p = ctx;
    double h = 1.0 / (p->side + 1);
    for (int i = 0; i < p->n; i++) w[i] = apply(p, u, i) + h * h * u[i] * u[i] * u[i] - p->data[i];
    return true;
}
static bool cubic_J(const double *u, double *v, void *ctx) {
    const ncp_problem *p = ctx;
    double h = 1.0 / (p->side + 1);
    for (int j = 0; j < p->n; j++)
        for (int k = p->pattern[j]; k < p->pattern[j + 1]; k++)
            v[k] = p->pattern[p->n + 1 + k] == j ? 4 + 3 * h * h * u[j] * u[j] : -1;
    return true;
}

bool ncp_free_boundary(ncp_problem *p, int side) {
    if (!square(p, side, 3, 1, false, side * side)) return false;
    p->source = "made backwards: the free boundary is the circle of radius 0.3";
    double h = 1.0 / (side + 1), *u = ncp_solution(p, 0);
    for (int i = 0; i < p->n; i++) {
        double x = coordinate(p, i % side) - 0.5, y = coordinate(p, i / side) - 0.5, a = 0.09 - x * x - y * y;
        u[i] = a > 0 ? a * a : 0;
        ncp_start(p, 1)[i] = 1;
        ncp_start(p, 2)[i] = 100 * fabs(x + y);
    }
    for (int i = 0; i < p->n; i++) {
        double x = coordinate(p, i % side) - 0.5, y = coordinate(p, i / side) - 0.5, a = 0.09 - x * x - y * y;
        p->data[i] = apply(p, u, i) + h * h * u[i] * u[i] * u[i] - (a < 0 ? -a * h * h : 0);
    }
    p->isolated = true;
    ncp_finish(p, cubic_F, cubic_J);
    return true;
}

/* --- long journal bearing: pressure p(theta) >= 0 of the oil film, thickness H = 1 + e cos theta
 *         -(H^3 p')' - e sin theta >= 0  _|_  p >= 0,   p(0) = p(2 pi) = 0.
 * While p > 0: H^3 p' = H - H(end), so that the film ends where the integral of (H - H(end))/H^3 from 0 is zero. */

#define ECCENTRICITY 0.6

static double film(double e, double theta) { return 1 + e * cos(theta); }

static double pressure_at_end(double e, double end) {
    const int steps = 2000; /* Simpson */
    double h = end / steps, sum = 0;
    for (int i = 0; i <= steps; i++) {
        double H = film(e, i * h), f = (H - film(e, end)) / (H * H * H);
        sum += (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2) * f;
    }
    return sum * h / 3;
}

double ncp_bearing_end(double eccentricity) {
    double a = PI, b = 2 * PI;
    for (int i = 0; i < 100; i++) {
        double m = (a + b) / 2;
        if (pressure_at_end(eccentricity, m) > 0)
            a = m;
        else
            b = m;
    }
    return (a + b) / 2;
}

/* data: H^3 at the n + 1 midpoints, then h^2 e sin theta at the points. Rows are scaled by h^2. */
static bool bearing_F(const double *u, double *w, void *ctx) {
    const ncp_problem *p = ctx;
    int n = p->n;
    const double *k = p->data, *load = p->data + n + 1;
    for (int i = 0; i < n; i++) {
        double left = i > 0 ? u[i - 1] : 0, right = i < n - 1 ? u[i + 1] : 0;
        w[i] = k[i] * (u[i] - left) + k[i + 1] * (u[i] - right) - load[i];
    }
    return true;
}
static bool bearing_J(const double *u, double *v, void *ctx) {
    (void)u;
    const ncp_problem *p = ctx;
    const double *k = p->data;
    for (int j = 0; j < p->n; j++)
        for (int e = p->pattern[j]; e < p->pattern[j + 1]; e++) {
            int i = p->pattern[p->n + 1 + e];
            v[e] = i == j ? k[j] + k[j + 1] : i < j ? -k[j] : -k[j + 1];
        }
    return true;
}

bool ncp_bearing(ncp_problem *p, int n) {
    if (!ncp_room(p, n, 3, 0, false, 3 * n - 2, 2 * n + 1)) return false;
    p->source = "Cottle, Goheen (1978), Cryer (1971): journal bearing, infinitely long; e = 0.6";
    p->side = n;
    double h = 2 * PI / (n + 1);
    int *start = p->pattern, *index = p->pattern + n + 1, count = 0;
    for (int j = 0; j < n; j++) {
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < n; i++) index[count++] = i;
        start[j + 1] = count;
        ncp_start(p, 1)[j] = 1;
        ncp_start(p, 2)[j] = j % 2 ? 10 : 0;
        p->data[n + 1 + j] = h * h * ECCENTRICITY * sin((j + 1) * h);
    }
    for (int i = 0; i <= n; i++) {
        double H = film(ECCENTRICITY, (i + 0.5) * h);
        p->data[i] = H * H * H;
    }
    ncp_finish(p, bearing_F, bearing_J);
    return true;
}
