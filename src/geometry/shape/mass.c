/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mass.c - exact mass, centre of mass and inertia of shapes of uniform density
 * Method   closed forms for ball, disc, capsule and box; polygons by triangles, polyhedra by tetrahedra from a point over
 *          the fans of their faces, in two passes: centre of mass first, second moments about it next, so nothing
 *          cancels.
 * Valid    every shape but the half-space; a thin hull is as exact as its vertices.
 * Cost     linear in the number of vertices
 * Source   for a tetrahedron 0 a b c with D = det(a b c): volume D/6, first moment D/24 (a + b + c), and
 *          integral of x x' = D/120 (s s' + a a' + b b' + c c'), s = a + b + c (Tonon 2004). */
#include <string.h>

#include "geometry/shape/collision.h"
#include "geometry/shape/hull.h"
#include "geometry/shape/implicit_function.h"
#include "geometry/shape/outline.h"
#include "geometry/shape/surface.h"

static void add_outer(perp_mat3 *m, double w, perp_vec3 a) {
    m->c[0] = perp_v3_axpy(m->c[0], w * a.x, a);
    m->c[1] = perp_v3_axpy(m->c[1], w * a.y, a);
    m->c[2] = perp_v3_axpy(m->c[2], w * a.z, a);
}

/* tr(C) 1 - C: inertia from second moments. */
static perp_mat3 inertia_of(perp_mat3 C) {
    double t = C.c[0].x + C.c[1].y + C.c[2].z;
    return perp_m3_add(perp_m3_diag(t, t, t), perp_m3_scale(-1, C));
}

static perp_vec3 mean_of(const perp_vec3 *v, int n) {
    perp_vec3 s = {0, 0, 0};
    for (int i = 0; i < n; i++) s = perp_v3_add(s, perp_v3_sub(v[i], v[0]));
    return perp_v3_axpy(v[0], 1.0 / n, s);
}

/* Area and centroid, then the moment about z through it, of unit density. Counter-clockwise; need not be convex. */
static perp_mass polygon_mass(const perp_vec3 *v, int n) {
    perp_mass m = {0};
    perp_vec3 o = mean_of(v, n);
    for (int pass = 0; pass < 2; pass++) {
        double area = 0, polar = 0;
        perp_vec3 first = {0, 0, 0};
        for (int i = 0; i < n; i++) {
            perp_vec3 a = perp_v3_sub(v[i], o), b = perp_v3_sub(v[(i + 1) % n], o);
            double D = a.x * b.y - a.y * b.x;
            area += D / 2;
            first = perp_v3_axpy(first, D / 6, perp_v3_add(a, b));
            polar += D / 12 * (perp_v3_dot(a, a) + perp_v3_dot(a, b) + perp_v3_dot(b, b));
        }
        if (pass == 0) {
            o = perp_v3_axpy(o, 1 / area, first);
            continue;
        }
        m.mass = area;
        m.com_B = o;
        m.I_B.c[2].z = polar;
    }
    return m;
}

perp_mass pp_surface_mass(const perp_surface *g) {
    perp_mass m = {0};
    perp_vec3 o = mean_of(g->vertex, g->nvertex);
    for (int pass = 0; pass < 2; pass++) {
        double volume = 0;
        perp_vec3 first = {0, 0, 0};
        perp_mat3 C = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
        for (int f = 0; f < g->nface; f++) {
            const int *v = g->face + g->face_start[f];
            int n = g->face_start[f + 1] - g->face_start[f];
            perp_vec3 a = perp_v3_sub(g->vertex[v[0]], o);
            for (int k = 1; k + 1 < n; k++) {
                perp_vec3 b = perp_v3_sub(g->vertex[v[k]], o), c = perp_v3_sub(g->vertex[v[k + 1]], o);
                perp_vec3 s = perp_v3_add(a, perp_v3_add(b, c));
                double D = perp_v3_dot(a, perp_v3_cross(b, c));
                volume += D / 6;
                first = perp_v3_axpy(first, D / 24, s);
                add_outer(&C, D / 120, s);
                add_outer(&C, D / 120, a);
                add_outer(&C, D / 120, b);
                add_outer(&C, D / 120, c);
            }
        }
        if (pass == 0) {
            o = perp_v3_axpy(o, 1 / volume, first);
            continue;
        }
        m.mass = volume;
        m.com_B = o;
        m.I_B = inertia_of(C);
        m.I_B.c[1].x = m.I_B.c[0].y; /* symmetric to the last bit */
        m.I_B.c[2].x = m.I_B.c[0].z;
        m.I_B.c[2].y = m.I_B.c[1].z;
    }
    return m;
}

/* A bar (a cylinder, in 2D a rectangle) of length 2 h and a ball (a disc) cut in halves, whose centres of mass lie
 * 3/8 r (4 r / 3 pi) beyond the ends of the bar. Of unit density. */
static perp_mass capsule_mass(int dim, double r, double h) {
    const double pi = 3.14159265358979323846;
    perp_mass m = {0};
    double bar = dim == 2 ? 4 * h * r : 2 * pi * r * r * h, ball = dim == 2 ? pi * r * r : 4.0 / 3.0 * pi * r * r * r;
    m.mass = bar + ball;
    if (dim == 2) {
        m.I_B.c[2].z = bar / 3 * (h * h + r * r) + ball * (r * r / 2 + h * h + 8 * h * r / (3 * pi));
        return m;
    }
    double along = (bar / 2 + 0.4 * ball) * r * r;
    double across = bar * (h * h / 3 + r * r / 4) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
    m.I_B = perp_m3_diag(along, across, across);
    return m;
}

/* Of unit density, in S. */
static perp_mass unit_mass(const perp_shape_def *d, const pp_geometry *g) {
    const double pi = 3.14159265358979323846;
    perp_mass m = {0};
    double r = g->radius;
    perp_vec3 h = d->half_size;
    switch (g->kind) {
    case PERP_SHAPE_SPHERE:
        m.mass = g->dim == 2 ? pi * r * r : 4.0 / 3.0 * pi * r * r * r;
        if (g->dim == 2)
            m.I_B.c[2].z = m.mass * r * r / 2;
        else
            m.I_B = perp_m3_diag(0.4 * m.mass * r * r, 0.4 * m.mass * r * r, 0.4 * m.mass * r * r);
        return m;
    case PERP_SHAPE_BOX:
        m.mass = g->dim == 2 ? 4 * h.x * h.y : 8 * h.x * h.y * h.z;
        if (g->dim == 2)
            m.I_B.c[2].z = m.mass / 3 * (h.x * h.x + h.y * h.y);
        else
            m.I_B = perp_m3_diag(m.mass / 3 * (h.y * h.y + h.z * h.z), m.mass / 3 * (h.x * h.x + h.z * h.z),
                                 m.mass / 3 * (h.x * h.x + h.y * h.y));
        return m;
    case PERP_SHAPE_ELLIPSOID:
    case PERP_SHAPE_SUPERELLIPSOID:
    case PERP_SHAPE_CYLINDER: return pp_implicit_mass(g);
    case PERP_SHAPE_CAPSULE: return capsule_mass(g->dim, r, d->half_length);
    case PERP_SHAPE_POLYGON: return polygon_mass(g->vert, g->nvert);
    case PERP_SHAPE_POLYHEDRON: {
        perp_surface f = {g->vert, g->nvert, g->face_start, g->face_vert, g->nface};
        return pp_surface_mass(&f);
    }
    default: m.mass = 1; return m; /* particle */
    }
}

/* Scales mass properties of density 1 to this density; refuses values that overflow. */
static perp_status scaled(perp_mass m, double density, perp_mass *out, char *why, size_t why_size) {
    m.mass *= density;
    m.I_B = perp_m3_scale(density, m.I_B);
    bool finite = isfinite(m.mass) && perp_v3_finite(m.com_B);
    for (int k = 0; k < 3; k++) finite = finite && perp_v3_finite(m.I_B.c[k]);
    if (!finite) return pp_refuse(why, why_size, PERP_E_GEOMETRY, "the mass properties overflow");
    *out = m;
    return PERP_OK;
}

/* Clears *out and checks what every function here is given. */
static perp_status check_given(double density, perp_mass *out, char *why, size_t why_size) {
    if (!out) return pp_refuse(why, why_size, PERP_E_ARG, "no place for the mass given");
    memset(out, 0, sizeof *out);
    if (!isfinite(density)) return pp_refuse(why, why_size, PERP_E_ARG, "the density is not finite");
    return PERP_OK;
}

perp_status perp_polygon_mass(const perp_vec3 *points, int npoint, double density, perp_mass *out, char *why,
                              size_t why_size) {
    perp_status given = check_given(density, out, why, why_size);
    if (given) return given;
    const perp_allocator plain = {0};
    pp_arena arena;
    pp_arena_init(&arena, plain);
    pp_outline q;
    perp_status s = pp_outline_check(&arena, points, npoint, PP_HULL_MAX, &q, why, why_size);
    if (!s) s = scaled(polygon_mass(q.v, q.n), density, out, why, why_size);
    pp_arena_free(&arena);
    return s;
}

perp_status perp_mesh_mass(const perp_surface *surface, double density, perp_mass *out, char *why, size_t why_size) {
    perp_status given = check_given(density, out, why, why_size);
    if (given) return given;
    const perp_allocator plain = {0};
    pp_arena arena;
    pp_arena_init(&arena, plain);
    perp_status s = pp_surface_check(&arena, surface, why, why_size);
    if (!s) s = scaled(pp_surface_mass(surface), density, out, why, why_size);
    pp_arena_free(&arena);
    return s;
}

perp_status perp_shape_mass(const perp_shape_def *def, int dim, double density, perp_mass *out, char *why,
                            size_t why_size) {
    perp_status given = check_given(density, out, why, why_size);
    if (given) return given;
    const perp_allocator plain = {0};
    pp_geometry *g = NULL;
    perp_status s = pp_geometry_create(def, dim, &plain, &g, why, why_size);
    if (s) return s;
    if (g->kind == PERP_SHAPE_HALFSPACE || g->kind == PERP_SHAPE_INTERSECTION) {
        bool plane = g->kind == PERP_SHAPE_HALFSPACE;
        pp_geometry_destroy(g, &plain);
        return pp_refuse(why, why_size, PERP_E_GEOMETRY, "%s",
                         plane ? "a half-space has no mass"
                               : "the mass of an intersection is not computed: give mass and inertia");
    }
    perp_mass m = unit_mass(def, g);
    pp_geometry_destroy(g, &plain);
    perp_pose X_BS = {def->X_BS.p, perp_q_unit(def->X_BS.q)};
    s = scaled(m, density, &m, why, why_size);
    if (s) return s;
    if (dim == 2)
        m.com_B = perp_pose_apply(X_BS, m.com_B); /* the moment about z does not turn */
    else
        m = perp_mass_move(X_BS, m);
    return scaled(m, 1, out, why, why_size);
}
