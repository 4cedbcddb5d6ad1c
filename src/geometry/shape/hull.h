/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* hull.h - convex hulls of points, between geometry.c and the two hull files. */
#ifndef PP_HULL_H
#define PP_HULL_H

#include "base/memory.h"
#include "base/refuse.h"
#include "perp/math.h"

/* A hull as vertices and faces (2D: none, the polygon is counter-clockwise). Lies in the arena. */
typedef struct pp_hull {
    int nvert;
    perp_vec3 *vert;
    int nface;
    int *face_start; /* nface + 1 */
    int *face_vert;  /* counter-clockwise seen from outside, the smallest vertex first; faces in lexicographic order */
} pp_hull;

/* Largest extent along an axis. */
double pp_extent(const perp_vec3 *points, int n);

/* Sorts copies of the points lexicographically and drops those closer than `tol` to one kept before. Returns NULL if
 * memory is refused. */
perp_vec3 *pp_sort_points(pp_arena *arena, const perp_vec3 *points, int n, double tol, int *nkept);

/* A hull thinner than this fraction of its size is degenerate. */
#define PP_SLIVER 1e-9
/* Points closer than this fraction of the size to a plane (or line) of the hull lie on it. */
#define PP_COPLANAR 1e-11

/* Points are finite and 3 (4) or more. The result does not depend on the order of the points. */
perp_status pp_hull2(pp_arena *arena, const perp_vec3 *points, int n, pp_hull *out, char *why, size_t why_size);
perp_status pp_hull3(pp_arena *arena, const perp_vec3 *points, int n, pp_hull *out, char *why, size_t why_size);

#endif
