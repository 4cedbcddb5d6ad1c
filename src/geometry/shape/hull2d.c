/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* hull2d.c - convex hull of points in the plane, and what both hulls share
 * Method   monotone chain over lexicographically sorted points; then points within PP_COPLANAR of the chord of their
 *          neighbours are removed, so that no two edges are collinear.
 * Valid    any finite points; the caller refuses slivers.
 * Cost     n log n
 * Source   Andrew (1979), Another efficient algorithm for convex hulls in two dimensions. */
#include <stdlib.h>
#include <string.h>

#include "geometry/shape/hull.h"

double pp_extent(const perp_vec3 *points, int n) {
    perp_vec3 lo = points[0], hi = points[0];
    for (int i = 1; i < n; i++) {
        perp_vec3 p = points[i];
        if (p.x < lo.x) lo.x = p.x;
        if (p.y < lo.y) lo.y = p.y;
        if (p.z < lo.z) lo.z = p.z;
        if (p.x > hi.x) hi.x = p.x;
        if (p.y > hi.y) hi.y = p.y;
        if (p.z > hi.z) hi.z = p.z;
    }
    double s = hi.x - lo.x;
    if (hi.y - lo.y > s) s = hi.y - lo.y;
    if (hi.z - lo.z > s) s = hi.z - lo.z;
    return s;
}

static int by_coordinates(const void *a, const void *b) {
    const perp_vec3 *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    if (p->z != q->z) return p->z < q->z ? -1 : 1;
    return 0;
}

perp_vec3 *pp_sort_points(pp_arena *arena, const perp_vec3 *points, int n, double tol, int *nkept) {
    perp_vec3 *p = PP_ARENA_ARRAY(arena, perp_vec3, n);
    if (!p) return NULL;
    for (int i = 0; i < n; i++) p[i] = perp_v3(points[i].x + 0.0, points[i].y + 0.0, points[i].z + 0.0); /* no -0 */
    qsort(p, (size_t)n, sizeof *p, by_coordinates);
    int m = 0;
    for (int i = 0; i < n; i++) {
        bool twin = false;
        for (int k = m - 1; k >= 0 && p[i].x - p[k].x <= tol && !twin; k--)
            twin = perp_v3_norm(perp_v3_sub(p[i], p[k])) <= tol;
        if (!twin) p[m++] = p[i];
    }
    *nkept = m;
    return p;
}

/* Twice the area of the triangle a b c, positive if it turns left. */
static double turn(perp_vec3 a, perp_vec3 b, perp_vec3 c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Is b on the line a c, to PP_COPLANAR of the size? */
static bool on_chord(perp_vec3 a, perp_vec3 b, perp_vec3 c, double size) {
    return turn(a, b, c) <= PP_COPLANAR * size * perp_v3_norm(perp_v3_sub(c, a));
}

perp_status pp_hull2(pp_arena *arena, const perp_vec3 *points, int n, pp_hull *out, char *why, size_t why_size) {
    memset(out, 0, sizeof *out);
    double size = pp_extent(points, n);
    int m = 0;
    perp_vec3 *p = pp_sort_points(arena, points, n, PP_COPLANAR * size, &m);
    perp_vec3 *h = PP_ARENA_ARRAY(arena, perp_vec3, 2 * n + 2);
    if (!p || !h) return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the hull of %d points", n);
    if (m < 3) return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the polygon has only %d distinct points", m);
    int k = 0;
    for (int i = 0; i < m; i++) { /* lower chain, left to right */
        while (k >= 2 && !(turn(h[k - 2], h[k - 1], p[i]) > 0)) k--;
        h[k++] = p[i];
    }
    for (int i = m - 2, base = k + 1; i >= 0; i--) { /* upper chain, back to the start */
        while (k >= base && !(turn(h[k - 2], h[k - 1], p[i]) > 0)) k--;
        h[k++] = p[i];
    }
    k--; /* the start came twice */
    for (bool again = true; again && k >= 3;) {
        again = false;
        for (int i = 0; i < k && k >= 3; i++) {
            if (!on_chord(h[(i + k - 1) % k], h[i], h[(i + 1) % k], size)) continue;
            memmove(h + i, h + i + 1, (size_t)(k - i - 1) * sizeof *h);
            k--;
            i--;
            again = true;
        }
    }
    if (k < 3) return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the points of the polygon lie on a line");
    int first = 0;
    for (int i = 1; i < k; i++)
        if (by_coordinates(&h[i], &h[first]) < 0) first = i;
    out->vert = PP_ARENA_ARRAY(arena, perp_vec3, k);
    if (!out->vert) return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for the hull of %d points", n);
    for (int i = 0; i < k; i++) out->vert[i] = h[(first + i) % k];
    out->nvert = k;
    return PERP_OK;
}
