/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* outline.c - checks and cuts of simple polygons
 * Valid    Corners closer than 1e-11 of the size to a line count as on it (PP_COPLANAR, as in hulls). A polygon whose sides
 *          come that close to each other is refused, so that rounding cannot affect decisions after the check.
 * Cost     n^2 for the check, n for a cut. */
#include <string.h>

#include "geometry/shape/collision.h"
#include "geometry/shape/hull.h"
#include "geometry/shape/outline.h"

static perp_vec3 next(const pp_outline *q, int i) { return q->v[i + 1 < q->n ? i + 1 : 0]; }
static perp_vec3 before(const pp_outline *q, int i) { return q->v[i > 0 ? i - 1 : q->n - 1]; }

double pp_outline_area(const pp_outline *q) {
    double a = 0;
    for (int i = 1; i + 1 < q->n; i++) a += pp_cross2(perp_v3_sub(q->v[i], q->v[0]), perp_v3_sub(q->v[i + 1], q->v[0]));
    return a / 2;
}

bool pp_outline_has(const pp_outline *q, perp_vec3 x) {
    bool in = false;
    for (int i = 0; i < q->n; i++) {
        perp_vec3 a = q->v[i], b = next(q, i);
        if ((a.y > x.y) == (b.y > x.y)) continue;
        if (x.x < a.x + (x.y - a.y) / (b.y - a.y) * (b.x - a.x)) in = !in;
    }
    return in;
}

int pp_outline_reflex(const pp_outline *q, int from, double tol) {
    for (int i = from; i < q->n; i++) {
        perp_vec3 a = before(q, i), b = q->v[i], c = next(q, i);
        double turn = pp_cross2(perp_v3_sub(b, a), perp_v3_sub(c, b));
        if (turn < 0 && -turn > tol * perp_v3_norm(perp_v3_sub(c, a))) return i;
    }
    return -1;
}

/* ---- check ---- */

static double from_segment(perp_vec3 x, perp_vec3 a, perp_vec3 b) {
    perp_vec3 d = perp_v3_sub(b, a), r = perp_v3_sub(x, a);
    double t = perp_v3_dot(r, d) / perp_v3_dot(d, d);
    t = t > 0 ? (t < 1 ? t : 1) : 0;
    return perp_v3_norm(perp_v3_axpy(r, -t, d));
}

static bool crossing(perp_vec3 a, perp_vec3 b, perp_vec3 c, perp_vec3 d) {
    perp_vec3 ab = perp_v3_sub(b, a), cd = perp_v3_sub(d, c);
    double c1 = pp_cross2(ab, perp_v3_sub(c, a)), c2 = pp_cross2(ab, perp_v3_sub(d, a));
    double a1 = pp_cross2(cd, perp_v3_sub(a, c)), a2 = pp_cross2(cd, perp_v3_sub(b, c));
    return (c1 > 0) != (c2 > 0) && (a1 > 0) != (a2 > 0);
}

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

static bool meet(perp_vec3 a, perp_vec3 b, perp_vec3 c, perp_vec3 d, double tol) {
    if (least(a.x, b.x) > most(c.x, d.x) + tol || least(c.x, d.x) > most(a.x, b.x) + tol) return false;
    if (least(a.y, b.y) > most(c.y, d.y) + tol || least(c.y, d.y) > most(a.y, b.y) + tol) return false;
    return crossing(a, b, c, d) || from_segment(a, c, d) <= tol || from_segment(b, c, d) <= tol ||
           from_segment(c, a, b) <= tol || from_segment(d, a, b) <= tol;
}

static perp_status check_points(const perp_vec3 *p, int n, int max, char *why, size_t why_size) {
    if (!p) return pp_refuse(why, why_size, PERP_E_ARG, "the polygon has no points");
    if (n < 3) return pp_refuse(why, why_size, PERP_E_GEOMETRY, "a polygon needs at least 3 points, not %d", n);
    if (n > max)
        return pp_refuse(why, why_size, PERP_E_GEOMETRY,
                         "%d points are too many; a polygon that is not convex takes up to %d", n, max);
    for (int i = 0; i < n; i++) {
        if (!perp_v3_finite(p[i])) return pp_refuse(why, why_size, PERP_E_ARG, "point %d is not finite", i);
        if (!(fabs(p[i].x) <= PP_LENGTH_MAX && fabs(p[i].y) <= PP_LENGTH_MAX))
            return pp_refuse(why, why_size, PERP_E_GEOMETRY, "point %d is farther away than %g", i, PP_LENGTH_MAX);
        if (p[i].z != 0)
            return pp_refuse(why, why_size, PERP_E_GEOMETRY, "point %d of the polygon is not in the x-y plane", i);
    }
    double size = pp_extent(p, n);
    if (!(size >= PP_LENGTH_MIN && size <= PP_LENGTH_MAX))
        return pp_refuse(why, why_size, PERP_E_GEOMETRY,
                         "the points lie closer together than %g or farther apart than %g", PP_LENGTH_MIN,
                         PP_LENGTH_MAX);
    return PERP_OK;
}

static perp_status check_sides(const pp_outline *q, double tol, char *why, size_t why_size) {
    int n = q->n;
    for (int i = 0; i < n; i++)
        if (perp_v3_norm(perp_v3_sub(next(q, i), q->v[i])) <= tol)
            return pp_refuse(why, why_size, PERP_E_GEOMETRY, "points %d and %d of the polygon coincide", i,
                             (i + 1) % n);
    for (int i = 0; i < n; i++) {
        perp_vec3 a = q->v[i], b = next(q, i), c = next(q, (i + 1) % n);
        if (from_segment(c, a, b) <= tol || from_segment(a, b, c) <= tol)
            return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the polygon folds back on itself at point %d",
                             (i + 1) % n);
        for (int j = i + 2; j < n - (i == 0); j++)
            if (meet(a, b, q->v[j], next(q, j), tol))
                return pp_refuse(why, why_size, PERP_E_GEOMETRY,
                                 "the sides of the polygon that begin at points %d and %d meet", i, j);
    }
    return PERP_OK;
}

perp_status pp_outline_check(pp_arena *arena, const perp_vec3 *points, int n, int max, pp_outline *out, char *why,
                             size_t why_size) {
    perp_status s = check_points(points, n, max, why, why_size);
    if (s) return s;
    out->n = n;
    out->v = PP_ARENA_ARRAY(arena, perp_vec3, n);
    if (!out->v) return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for a polygon of %d points", n);
    for (int i = 0; i < n; i++) out->v[i] = perp_v3(points[i].x + 0.0, points[i].y + 0.0, 0);
    s = check_sides(out, PP_COPLANAR * pp_extent(points, n), why, why_size);
    if (s) return s;
    if (pp_outline_area(out) < 0)
        for (int i = 0, j = n - 1; i < j; i++, j--) {
            perp_vec3 x = out->v[i];
            out->v[i] = out->v[j];
            out->v[j] = x;
        }
    return PERP_OK;
}

/* ---- cuts ---- */

/* Where a ray from a corner meets the boundary first. */
typedef struct hit {
    double t;
    int vertex; /* a corner it passes within tol, or -1 */
    int side;   /* else the side, from that corner to the next */
    perp_vec3 at;
} hit;

static hit shoot(const pp_outline *q, int r, perp_vec3 d, double tol) {
    hit h = {INFINITY, -1, -1, {0, 0, 0}};
    for (int i = 0; i < q->n; i++) { /* corners first: a side that begins at one must not win over it */
        perp_vec3 x = perp_v3_sub(q->v[i], q->v[r]);
        double t = perp_v3_dot(d, x);
        if (i == r || t <= tol || fabs(pp_cross2(d, x)) > tol || t >= h.t) continue;
        h = (hit){t, i, -1, q->v[i]};
    }
    for (int i = 0; i < q->n; i++) {
        perp_vec3 a = perp_v3_sub(q->v[i], q->v[r]), b = perp_v3_sub(next(q, i), q->v[r]);
        double ca = pp_cross2(d, a), cb = pp_cross2(d, b);
        if (i == r || (i + 1) % q->n == r || !((ca > tol && cb < -tol) || (ca < -tol && cb > tol))) continue;
        perp_vec3 x = perp_v3_axpy(a, ca / (ca - cb), perp_v3_sub(b, a));
        double t = perp_v3_dot(d, x);
        if (t <= tol || t >= h.t - tol) continue;
        h = (hit){t, -1, i, perp_v3_add(q->v[r], x)};
    }
    return h;
}

bool pp_outline_cut(pp_arena *arena, const pp_outline *q, int r, perp_vec3 d, double tol, pp_outline half[2],
                    bool *cut) {
    pp_outline *left = &half[0], *right = &half[1];
    hit h = shoot(q, r, d, tol);
    *cut = false;
    if (h.vertex < 0 && h.side < 0) return true;
    int n = q->n, end = h.vertex >= 0 ? h.vertex : h.side; /* the right piece runs from r to there */
    int ahead = (end - r + n) % n;                         /* sides between */
    if (h.vertex >= 0 && (ahead <= 1 || ahead == n - 1)) return true;
    right->v = PP_ARENA_ARRAY(arena, perp_vec3, n + 2);
    left->v = PP_ARENA_ARRAY(arena, perp_vec3, n + 2);
    if (!right->v || !left->v) return false;
    right->n = left->n = 0;
    for (int k = 0; k <= ahead; k++) right->v[right->n++] = q->v[(r + k) % n];
    if (h.vertex < 0) right->v[right->n++] = h.at;
    left->v[left->n++] = q->v[r];
    left->v[left->n++] = h.at;
    for (int k = ahead + 1; k < n; k++) left->v[left->n++] = q->v[(r + k) % n];
    *cut = true;
    return true;
}
