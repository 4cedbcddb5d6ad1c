/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* geometry.c - checks a shape definition and makes its geometry
 *   in: perp_shape_def, hulls as points in any order        out: vertices, faces, edges with outward unit normals
 * Method   vertices and faces of boxes are given directly, those of hulls come from hull2d.c and hull3d.c. The same code then
 *          computes planes and edges, so the hull of the corners of a box is that box to the last bit.
 * Valid    refuses everything that is not finite, not positive, not convex with an inside (thinner than PP_SLIVER of
 *          its size), or does not fit the dimension.
 * Cost     vertices x faces for the planes of a polyhedron, once. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/shape/collision.h"
#include "geometry/shape/hull.h"
#include "geometry/shape/implicit_function.h"

static bool length_ok(double x) { return x >= PP_LENGTH_MIN && x <= PP_LENGTH_MAX; }
static bool place_ok(perp_vec3 p) {
    return fabs(p.x) <= PP_LENGTH_MAX && fabs(p.y) <= PP_LENGTH_MAX && fabs(p.z) <= PP_LENGTH_MAX;
}

static perp_status check_points(const perp_shape_def *d, int dim, char *why, size_t why_size) {
    int least = dim + 1;
    if (!d->points) return pp_refuse(why, why_size, PERP_E_ARG, "the shape has no points");
    if (d->npoint < least)
        return pp_refuse(why, why_size, PERP_E_GEOMETRY, "a %s needs at least %d points, not %d",
                         dim == 2 ? "polygon" : "polyhedron", least, d->npoint);
    if (d->npoint > PP_HULL_MAX)
        return pp_refuse(why, why_size, PERP_E_GEOMETRY, "%d points are too many; a hull takes up to %d", d->npoint,
                         PP_HULL_MAX);
    for (int i = 0; i < d->npoint; i++) {
        if (!perp_v3_finite(d->points[i])) return pp_refuse(why, why_size, PERP_E_ARG, "point %d is not finite", i);
        if (!place_ok(d->points[i]))
            return pp_refuse(why, why_size, PERP_E_GEOMETRY, "point %d is farther away than %g", i, PP_LENGTH_MAX);
        if (dim == 2 && d->points[i].z != 0)
            return pp_refuse(why, why_size, PERP_E_GEOMETRY, "point %d of the polygon is not in the x-y plane", i);
    }
    if (!length_ok(pp_extent(d->points, d->npoint)))
        return pp_refuse(why, why_size, PERP_E_GEOMETRY,
                         "the points lie closer together than %g or farther apart than %g", PP_LENGTH_MIN,
                         PP_LENGTH_MAX);
    return PERP_OK;
}

static perp_status check_pose(const perp_pose *X, int dim, char *why, size_t why_size) {
    if (!perp_v3_finite(X->p) || !perp_q_finite(X->q))
        return pp_refuse(why, why_size, PERP_E_ARG, "the pose of the shape is not finite");
    if (!(fabs(perp_q_norm(X->q) - 1) <= 1e-6))
        return pp_refuse(why, why_size, PERP_E_ARG,
                         "the quaternion in the pose of the shape has length %.9g instead of 1", perp_q_norm(X->q));
    if (!place_ok(X->p))
        return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the shape is farther from the body than %g", PP_LENGTH_MAX);
    if (dim == 2 && (X->p.z != 0 || X->q.x != 0 || X->q.y != 0))
        return pp_refuse(why, why_size, PERP_E_ARG, "the pose of the shape leaves the x-y plane of a 2D world");
    return PERP_OK;
}

static perp_status check_radius(const perp_shape_def *d, char *why, size_t why_size) {
    if (!isfinite(d->radius)) return pp_refuse(why, why_size, PERP_E_ARG, "the radius is not finite");
    if (!length_ok(d->radius))
        return pp_refuse(why, why_size, PERP_E_GEOMETRY, "radius %g is not positive, too small or too large",
                         d->radius);
    return PERP_OK;
}

static perp_status check(const perp_shape_def *d, int dim, char *why, size_t why_size) {
    if (dim != 2 && dim != 3) return pp_refuse(why, why_size, PERP_E_ARG, "dimension %d is neither 2 nor 3", dim);
    if (d->cookie != PP_SHAPE_COOKIE)
        return pp_refuse(why, why_size, PERP_E_ARG,
                         "the shape definition was not made by perp_shape_sphere() or its sisters");
    perp_status s = check_pose(&d->X_BS, dim, why, why_size);
    if (s) return s;
    switch (d->kind) {
    case PERP_SHAPE_PARTICLE: return PERP_OK;
    case PERP_SHAPE_CAPSULE:
        if (!isfinite(d->half_length)) return pp_refuse(why, why_size, PERP_E_ARG, "the half length is not finite");
        if (!length_ok(d->half_length))
            return pp_refuse(why, why_size, PERP_E_GEOMETRY, "half length %g is not positive, too small or too large",
                             d->half_length);
        return check_radius(d, why, why_size);
    case PERP_SHAPE_SPHERE: return check_radius(d, why, why_size);
    case PERP_SHAPE_HALFSPACE:
        if (!perp_v3_finite(d->normal) || !isfinite(d->offset))
            return pp_refuse(why, why_size, PERP_E_ARG, "the normal or offset of the half-space is not finite");
        if (!length_ok(perp_v3_norm(d->normal)))
            return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the normal of the half-space has length %g",
                             perp_v3_norm(d->normal));
        if (!(fabs(d->offset) <= PP_LENGTH_MAX))
            return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the offset of the half-space is larger than %g",
                             PP_LENGTH_MAX);
        if (dim == 2 && d->normal.z != 0)
            return pp_refuse(why, why_size, PERP_E_GEOMETRY,
                             "the normal of the half-space leaves the x-y plane of a 2D world");
        return PERP_OK;
    case PERP_SHAPE_BOX: {
        perp_vec3 h = d->half_size;
        if (dim == 2) h.z = h.x;
        if (!perp_v3_finite(h)) return pp_refuse(why, why_size, PERP_E_ARG, "a half size of the box is not finite");
        if (!length_ok(h.x) || !length_ok(h.y) || !length_ok(h.z))
            return pp_refuse(why, why_size, PERP_E_GEOMETRY,
                             "a half size of the box is not positive, too small or too large");
        return PERP_OK;
    }
    case PERP_SHAPE_POLYGON:
        if (dim != 2) return pp_refuse(why, why_size, PERP_E_GEOMETRY, "a polygon belongs in a 2D world");
        return check_points(d, dim, why, why_size);
    case PERP_SHAPE_POLYHEDRON:
        if (dim != 3) return pp_refuse(why, why_size, PERP_E_GEOMETRY, "a polyhedron belongs in a 3D world");
        return check_points(d, dim, why, why_size);
    case PERP_SHAPE_ELLIPSOID:
    case PERP_SHAPE_SUPERELLIPSOID:
    case PERP_SHAPE_CYLINDER:
    case PERP_SHAPE_INTERSECTION: return pp_implicit_check(d, dim, why, why_size);
    default: return pp_refuse(why, why_size, PERP_E_ARG, "shape kind %d is unknown", (int)d->kind);
    }
}

/* Corners of a box in lexicographic order and its faces as loops, in the order pp_hull3 would give. */
static void box_hull(const perp_shape_def *d, int dim, perp_vec3 vert[8], int start[7], int loops[24], pp_hull *out) {
    perp_vec3 h = d->half_size;
    memset(out, 0, sizeof *out);
    out->vert = vert;
    if (dim == 2) {
        vert[0] = perp_v3(-h.x, -h.y, 0);
        vert[1] = perp_v3(h.x, -h.y, 0);
        vert[2] = perp_v3(h.x, h.y, 0);
        vert[3] = perp_v3(-h.x, h.y, 0);
        out->nvert = 4;
        return;
    }
    static const int faces[24] = {0, 1, 3, 2, 0, 2, 6, 4, 0, 4, 5, 1, 1, 5, 7, 3, 2, 3, 7, 6, 4, 6, 7, 5};
    for (int v = 0; v < 8; v++) vert[v] = perp_v3(v & 4 ? h.x : -h.x, v & 2 ? h.y : -h.y, v & 1 ? h.z : -h.z);
    for (int f = 0; f <= 6; f++) start[f] = 4 * f;
    memcpy(loops, faces, sizeof faces);
    out->nvert = 8;
    out->nface = 6;
    out->face_start = start;
    out->face_vert = loops;
}

static perp_vec3 no_minus_zero(perp_vec3 a) { return perp_v3(a.x + 0.0, a.y + 0.0, a.z + 0.0); }

/* Outward normal of face f: Newell's sum about its first vertex, exact for the faces of a box. As long as the face in
 * 2D, in 3D as twice its area. */
static perp_vec3 area_vector(const pp_geometry *g, int f) {
    const int *v = g->face_vert + g->face_start[f];
    int n = g->face_start[f + 1] - g->face_start[f];
    perp_vec3 o = g->vert[v[0]], s = {0, 0, 0};
    if (g->dim == 2) {
        perp_vec3 e = perp_v3_sub(g->vert[v[1]], o);
        return perp_v3(e.y, -e.x, 0);
    }
    for (int k = 1; k + 1 < n; k++)
        s = perp_v3_add(s, perp_v3_cross(perp_v3_sub(g->vert[v[k]], o), perp_v3_sub(g->vert[v[k + 1]], o)));
    return s;
}

/* Planes with every vertex behind them; refuses slivers and what is not convex. */
static perp_status make_planes(pp_geometry *g, char *why, size_t why_size) {
    double far = 0;
    for (int v = 0; v < g->nvert; v++) {
        double r = perp_v3_norm(g->vert[v]);
        if (r > far) far = r;
    }
    g->bound = far;
    double rounding = 64 * DBL_EPSILON * far;
    for (int f = 0; f < g->nface; f++) {
        perp_vec3 area = area_vector(g, f), n = no_minus_zero(perp_v3_unit(area)),
                  at = g->vert[g->face_vert[g->face_start[f]]];
        double lo = 0, hi = 0; /* of all vertices, along n from the face's first vertex */
        for (int v = 0; v < g->nvert; v++) {
            double h = perp_v3_dot(n, perp_v3_sub(g->vert[v], at));
            if (h < lo) lo = h;
            if (h > hi) hi = h;
        }
        if (!(fabs(perp_v3_norm(n) - 1) < 1e-9) || !(hi - lo > PP_SLIVER * g->size + rounding))
            return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the hull is thinner than %g of its size", PP_SLIVER);
        if (!(hi <= PP_SLIVER * g->size + rounding))
            return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the hull is degenerate: a face does not bound it");
        g->face_n[f] = n;
        g->face_d[f] = perp_v3_dot(n, at) + hi;
        g->face_area[f] = perp_v3_norm(area) / (g->dim - 1);
        if (f == 0 || hi - lo < g->thickness) g->thickness = hi - lo;
    }
    return PERP_OK;
}

/* One side of a face, for pairing into edges. */
typedef struct side {
    int lo, hi; /* vertices */
    int back;   /* 1 if the face runs from hi to lo */
    int at;     /* place in face_vert */
    int face;
} side;

static int by_vertices(const void *a, const void *b) {
    const side *p = a, *q = b;
    if (p->lo != q->lo) return p->lo < q->lo ? -1 : 1;
    if (p->hi != q->hi) return p->hi < q->hi ? -1 : 1;
    return p->back - q->back;
}

static perp_status make_edges(pp_geometry *g, pp_arena *arena, char *why, size_t why_size) {
    int n = g->face_start[g->nface];
    side *s = PP_ARENA_ARRAY(arena, side, n);
    if (!s) return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for a shape");
    for (int f = 0; f < g->nface; f++)
        for (int k = g->face_start[f]; k < g->face_start[f + 1]; k++) {
            int a = g->face_vert[k], b = g->face_vert[k + 1 < g->face_start[f + 1] ? k + 1 : g->face_start[f]];
            side one = {a < b ? a : b, a < b ? b : a, a < b ? 0 : 1, k, f};
            s[k] = one;
        }
    qsort(s, (size_t)n, sizeof *s, by_vertices);
    if (g->nvert - n / 2 + g->nface != 2 || n != 2 * g->nedge)
        return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the hull is degenerate: its faces do not close");
    for (int e = 0; e < g->nedge; e++) {
        const side *l = &s[2 * e], *r = &s[2 * e + 1];
        if (l->lo != r->lo || l->hi != r->hi || l->back != 0 || r->back != 1)
            return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the hull is degenerate: its faces do not close");
        g->edge[e][0] = l->lo;
        g->edge[e][1] = l->hi;
        g->edge[e][2] = l->face;
        g->edge[e][3] = r->face;
        g->face_edge[l->at] = e;
        g->face_edge[r->at] = e;
    }
    return PERP_OK;
}

static void *get(const perp_allocator *a, int n, size_t size) { return pp_alloc(a, (size_t)(n > 0 ? n : 1) * size); }

/* Copies a hull into arrays of the geometry and completes them. */
static perp_status from_hull(pp_geometry *g, const pp_hull *h, const perp_allocator *a, pp_arena *arena, char *why,
                             size_t why_size) {
    bool flat = g->dim == 2;
    int nface = flat ? h->nvert : h->nface, nloop = flat ? 2 * h->nvert : h->face_start[h->nface];
    g->vert = get(a, h->nvert, sizeof *g->vert);
    g->face_n = get(a, nface, sizeof *g->face_n);
    g->face_d = get(a, nface, sizeof *g->face_d);
    g->face_area = get(a, nface, sizeof *g->face_area);
    g->face_start = get(a, nface + 1, sizeof *g->face_start);
    g->face_vert = get(a, nloop, sizeof *g->face_vert);
    if (!g->vert || !g->face_n || !g->face_d || !g->face_area || !g->face_start || !g->face_vert)
        return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for a shape");
    g->nvert = h->nvert;
    g->nface = nface;
    memcpy(g->vert, h->vert, (size_t)h->nvert * sizeof *g->vert);
    g->size = pp_extent(g->vert, g->nvert);
    if (flat) {
        for (int f = 0; f < nface; f++) {
            g->face_start[f] = 2 * f;
            g->face_vert[2 * f] = f;
            g->face_vert[2 * f + 1] = (f + 1) % nface;
        }
        g->face_start[nface] = 2 * nface;
        return make_planes(g, why, why_size);
    }
    memcpy(g->face_start, h->face_start, (size_t)(nface + 1) * sizeof *g->face_start);
    memcpy(g->face_vert, h->face_vert, (size_t)nloop * sizeof *g->face_vert);
    g->nedge = nloop / 2;
    g->edge = get(a, g->nedge, sizeof *g->edge);
    g->face_edge = get(a, nloop, sizeof *g->face_edge);
    if (!g->edge || !g->face_edge) return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for a shape");
    perp_status s = make_planes(g, why, why_size);
    return s ? s : make_edges(g, arena, why, why_size);
}

/* Particle, sphere and capsule: a point or a segment with a radius around it. */
static perp_status round_shape(pp_geometry *g, const perp_shape_def *d, const perp_allocator *a, char *why,
                               size_t why_size) {
    bool capsule = d->kind == PERP_SHAPE_CAPSULE;
    double half = capsule ? d->half_length : 0;
    g->radius = d->kind == PERP_SHAPE_PARTICLE ? 0 : d->radius;
    g->bound = half + g->radius;
    g->size = 2 * g->bound;
    g->thickness = 2 * g->radius;
    g->nvert = capsule ? 2 : 1;
    g->vert = get(a, g->nvert, sizeof *g->vert);
    if (!g->vert) return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for a shape");
    g->vert[0] = perp_v3(0.0 - half, 0, 0);
    if (capsule) g->vert[1] = perp_v3(half, 0, 0);
    return PERP_OK;
}

static perp_status build(pp_geometry *g, const perp_shape_def *d, const perp_allocator *a, pp_arena *arena, char *why,
                         size_t why_size) {
    perp_vec3 corner[8];
    int start[7], loops[24];
    pp_hull h;
    perp_status s = PERP_OK;
    switch (d->kind) {
    case PERP_SHAPE_HALFSPACE:
        g->normal = d->normal;
        if (fabs(perp_v3_norm(d->normal) - 1) > 4e-16)
            g->normal = perp_v3_unit(d->normal); /* a unit normal keeps its bits */
        g->normal = no_minus_zero(g->normal);
        g->offset = d->offset;
        g->bound = g->thickness = INFINITY;
        return PERP_OK;
    case PERP_SHAPE_BOX: box_hull(d, g->dim, corner, start, loops, &h); break;
    case PERP_SHAPE_POLYGON: s = pp_hull2(arena, d->points, d->npoint, &h, why, why_size); break;
    case PERP_SHAPE_POLYHEDRON: s = pp_hull3(arena, d->points, d->npoint, &h, why, why_size); break;
    case PERP_SHAPE_ELLIPSOID:
    case PERP_SHAPE_SUPERELLIPSOID:
    case PERP_SHAPE_CYLINDER:
    case PERP_SHAPE_INTERSECTION: return pp_implicit_build(g, d, a, why, why_size);
    default: return round_shape(g, d, a, why, why_size);
    }
    return s ? s : from_hull(g, &h, a, arena, why, why_size);
}

perp_status pp_geometry_create(const perp_shape_def *def, int dim, const perp_allocator *a, pp_geometry **out,
                               char *why, size_t why_size) {
    *out = NULL;
    if (!def) return pp_refuse(why, why_size, PERP_E_ARG, "no shape definition given");
    perp_status s = check(def, dim, why, why_size);
    if (s) return s;
    pp_geometry *g = pp_alloc(a, sizeof *g);
    if (!g) return pp_refuse(why, why_size, PERP_E_MEMORY, "no memory for a shape");
    memset(g, 0, sizeof *g);
    g->kind = def->kind;
    g->dim = dim;
    pp_arena arena;
    pp_arena_init(&arena, *a);
    s = build(g, def, a, &arena, why, why_size);
    pp_arena_free(&arena);
    if (s) {
        pp_geometry_destroy(g, a);
        return s;
    }
    *out = g;
    return PERP_OK;
}

void pp_geometry_destroy(pp_geometry *g, const perp_allocator *a) {
    if (!g) return;
    pp_free(a, g->vert);
    pp_free(a, g->face_n);
    pp_free(a, g->face_area);
    pp_free(a, g->face_d);
    pp_free(a, g->face_start);
    pp_free(a, g->face_vert);
    pp_free(a, g->face_edge);
    pp_free(a, g->edge);
    pp_free(a, g->function);
    pp_free(a, g);
}
