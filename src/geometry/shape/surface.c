/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* surface.c - checks whether a surface encloses a body
 * Method   Every edge must occur twice, once in each direction: then the surface is closed and its faces are oriented
 *          consistently. The volume must be positive; a negative one means that the surface is inside out.
 * Valid    A surface that intersects itself passes, with its volume counted with multiplicity; perp_mesh_parts() detects it.
 * Cost     n log n. */
#include <stdlib.h>

#include "geometry/shape/collision.h"
#include "geometry/shape/hull.h"
#include "geometry/shape/surface.h"

/* A vertex with its place, for finding those that coincide. */
typedef struct spot {
    perp_vec3 x;
    int v;
} spot;

static int by_place(const void *a, const void *b) {
    const spot *p = a, *q = b;
    if (p->x.x != q->x.x) return p->x.x < q->x.x ? -1 : 1;
    if (p->x.y != q->x.y) return p->x.y < q->x.y ? -1 : 1;
    if (p->x.z != q->x.z) return p->x.z < q->x.z ? -1 : 1;
    return (p->v > q->v) - (p->v < q->v);
}

/* same[v]: the first vertex at the place of v. */
static int *merge(pp_arena *arena, const perp_surface *s) {
    spot *p = PP_ARENA_ARRAY(arena, spot, s->nvertex);
    int *same = PP_ARENA_ARRAY(arena, int, s->nvertex);
    if (!p || !same) return NULL;
    for (int v = 0; v < s->nvertex; v++) p[v] = (spot){s->vertex[v], v};
    qsort(p, (size_t)s->nvertex, sizeof *p, by_place);
    for (int k = 0; k < s->nvertex; k++) {
        bool equal = k > 0 && p[k].x.x == p[k - 1].x.x && p[k].x.y == p[k - 1].x.y && p[k].x.z == p[k - 1].x.z;
        same[p[k].v] = equal ? same[p[k - 1].v] : p[k].v;
    }
    return same;
}

static perp_status check_numbers(const perp_surface *s, char *why, size_t why_size) {
    if (!s || !s->vertex || !s->face_start || !s->face || s->nface < 4 || s->nvertex < 4)
        return pp_refuse(why, why_size, PERP_E_ARG, "a closed surface needs at least 4 vertices and 4 faces");
    for (int v = 0; v < s->nvertex; v++)
        if (!perp_v3_finite(s->vertex[v])) return pp_refuse(why, why_size, PERP_E_ARG, "vertex %d is not finite", v);
    double size = pp_extent(s->vertex, s->nvertex);
    if (!(size >= PP_LENGTH_MIN && size <= PP_LENGTH_MAX))
        return pp_refuse(why, why_size, PERP_E_GEOMETRY,
                         "the vertices lie closer together than %g or farther apart than %g", PP_LENGTH_MIN,
                         PP_LENGTH_MAX);
    if (s->face_start[0] != 0) return pp_refuse(why, why_size, PERP_E_ARG, "the first face does not start at 0");
    for (int f = 0; f < s->nface; f++) {
        if (s->face_start[f + 1] < s->face_start[f] + 3)
            return pp_refuse(why, why_size, PERP_E_GEOMETRY, "face %d has fewer than 3 corners", f);
        for (int k = s->face_start[f]; k < s->face_start[f + 1]; k++)
            if (s->face[k] < 0 || s->face[k] >= s->nvertex)
                return pp_refuse(why, why_size, PERP_E_ARG, "face %d has vertex %d; there are vertices 0 to %d", f,
                                 s->face[k], s->nvertex - 1);
    }
    return PERP_OK;
}

static perp_status check_flat(const perp_surface *s, char *why, size_t why_size) {
    double size = pp_extent(s->vertex, s->nvertex);
    for (int f = 0; f < s->nface; f++) {
        const int *v = s->face + s->face_start[f];
        int n = s->face_start[f + 1] - s->face_start[f];
        perp_vec3 o = s->vertex[v[0]], sum = {0, 0, 0};
        for (int k = 1; k + 1 < n; k++)
            sum = perp_v3_add(sum, perp_v3_cross(perp_v3_sub(s->vertex[v[k]], o), perp_v3_sub(s->vertex[v[k + 1]], o)));
        double twice = perp_v3_norm(sum);
        if (!(twice > 0)) return pp_refuse(why, why_size, PERP_E_GEOMETRY, "face %d has no area", f);
        for (int k = 1; k < n; k++) {
            double h = fabs(perp_v3_dot(sum, perp_v3_sub(s->vertex[v[k]], o))) / twice;
            if (!(h <= PP_FLAT * size))
                return pp_refuse(why, why_size, PERP_E_GEOMETRY,
                                 "face %d is not flat: a corner lies %.3g beside its plane", f, h);
        }
    }
    return PERP_OK;
}

/* One side of a face. */
typedef struct side {
    int lo, hi, back, face;
} side;

static int by_ends(const void *a, const void *b) {
    const side *p = a, *q = b;
    if (p->lo != q->lo) return p->lo < q->lo ? -1 : 1;
    if (p->hi != q->hi) return p->hi < q->hi ? -1 : 1;
    if (p->back != q->back) return p->back - q->back;
    return (p->face > q->face) - (p->face < q->face);
}

static perp_status check_closed(pp_arena *arena, const perp_surface *s, char *why, size_t why_size) {
    int n = s->face_start[s->nface], *same = merge(arena, s);
    side *e = PP_ARENA_ARRAY(arena, side, n);
    if (!same || !e) return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for a surface of %d faces", s->nface);
    for (int f = 0; f < s->nface; f++)
        for (int k = s->face_start[f]; k < s->face_start[f + 1]; k++) {
            int a = same[s->face[k]], b = same[s->face[k + 1 < s->face_start[f + 1] ? k + 1 : s->face_start[f]]];
            if (a == b) return pp_refuse(why, why_size, PERP_E_GEOMETRY, "face %d has the same corner twice", f);
            e[k] = (side){a < b ? a : b, a < b ? b : a, a < b ? 0 : 1, f};
        }
    qsort(e, (size_t)n, sizeof *e, by_ends);
    for (int k = 0; k < n;) {
        int m = k, back = 0;
        for (; m < n && e[m].lo == e[k].lo && e[m].hi == e[k].hi; m++) back += e[m].back;
        perp_vec3 a = s->vertex[e[k].lo], b = s->vertex[e[k].hi];
        if (m - k == 1)
            return pp_refuse(why, why_size, PERP_E_GEOMETRY,
                             "the surface is open: only face %d is at the edge from (%g, %g, %g) to (%g, %g, %g)",
                             e[k].face, a.x, a.y, a.z, b.x, b.y, b.z);
        if (2 * back != m - k)
            return pp_refuse(why, why_size, PERP_E_GEOMETRY,
                             "faces %d and %d are turned against each other: both run the same way along their edge",
                             e[k].face, e[k + 1].face);
        if (m - k > 2)
            return pp_refuse(why, why_size, PERP_E_GEOMETRY,
                             "the edge from (%g, %g, %g) to (%g, %g, %g) has %d faces instead of 2", a.x, a.y, a.z, b.x,
                             b.y, b.z, m - k);
        k = m;
    }
    return PERP_OK;
}

perp_status pp_surface_check(pp_arena *arena, const perp_surface *s, char *why, size_t why_size) {
    perp_status st = check_numbers(s, why, why_size);
    if (!st) st = check_flat(s, why, why_size);
    if (!st) st = check_closed(arena, s, why, why_size);
    if (st) return st;
    double volume = 0;
    for (int f = 0; f < s->nface; f++) {
        const int *v = s->face + s->face_start[f];
        int n = s->face_start[f + 1] - s->face_start[f];
        perp_vec3 o = s->vertex[s->face[0]], a = perp_v3_sub(s->vertex[v[0]], o);
        for (int k = 1; k + 1 < n; k++)
            volume +=
                perp_v3_dot(a, perp_v3_cross(perp_v3_sub(s->vertex[v[k]], o), perp_v3_sub(s->vertex[v[k + 1]], o)));
    }
    if (volume < 0)
        return pp_refuse(why, why_size, PERP_E_GEOMETRY,
                         "the surface is inside out: its faces run clockwise from outside");
    double size = pp_extent(s->vertex, s->nvertex);
    if (!(volume > PP_SLIVER * size * size * size * 1e-9))
        return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the surface encloses no volume");
    return PERP_OK;
}
