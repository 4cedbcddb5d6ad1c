/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* shape_def.c - constructors of shape definitions.
 * They only fill in; everything is checked by pp_geometry_create() and perp_shape_mass(). */
#include "geometry/shape/collision.h"

static perp_shape_def make(perp_shape_kind kind) {
    perp_shape_def d = {0};
    d.kind = kind;
    d.X_BS = perp_pose_identity();
    d.group = 1;
    d.mask = ~0u;
    d.cookie = PP_SHAPE_COOKIE;
    return d;
}

perp_shape_def perp_shape_particle(perp_vec3 p_B) {
    perp_shape_def d = make(PERP_SHAPE_PARTICLE);
    d.X_BS.p = p_B;
    return d;
}

perp_shape_def perp_shape_sphere(double radius) {
    perp_shape_def d = make(PERP_SHAPE_SPHERE);
    d.radius = radius;
    return d;
}

perp_shape_def perp_shape_halfspace(perp_vec3 normal, double offset) {
    perp_shape_def d = make(PERP_SHAPE_HALFSPACE);
    d.normal = normal;
    d.offset = offset;
    return d;
}

perp_shape_def perp_shape_box(double hx, double hy, double hz) {
    perp_shape_def d = make(PERP_SHAPE_BOX);
    d.half_size = perp_v3(hx, hy, hz);
    return d;
}

perp_shape_def perp_shape_box_edges(double x, double y, double z) { return perp_shape_box(x / 2, y / 2, z / 2); }

perp_shape_def perp_shape_capsule(double radius, double half_length) {
    perp_shape_def d = make(PERP_SHAPE_CAPSULE);
    d.radius = radius;
    d.half_length = half_length;
    return d;
}

perp_shape_def perp_shape_ellipsoid(double hx, double hy, double hz) {
    perp_shape_def d = make(PERP_SHAPE_ELLIPSOID);
    d.half_size = perp_v3(hx, hy, hz);
    return d;
}

perp_shape_def perp_shape_superellipsoid(double hx, double hy, double hz, double r, double t) {
    perp_shape_def d = make(PERP_SHAPE_SUPERELLIPSOID);
    d.half_size = perp_v3(hx, hy, hz);
    d.exponent[0] = r;
    d.exponent[1] = t;
    return d;
}

perp_shape_def perp_shape_cylinder(double radius, double half_length) {
    perp_shape_def d = make(PERP_SHAPE_CYLINDER);
    d.radius = radius;
    d.half_length = half_length;
    return d;
}

perp_shape_def perp_shape_intersection(const perp_function *function, int nfunction, double bound) {
    perp_shape_def d = make(PERP_SHAPE_INTERSECTION);
    d.function = function;
    d.nfunction = nfunction;
    d.bound = bound;
    return d;
}

perp_shape_def perp_shape_polygon(const perp_vec3 *points, int npoint) {
    perp_shape_def d = make(PERP_SHAPE_POLYGON);
    d.points = points;
    d.npoint = npoint;
    return d;
}

perp_shape_def perp_shape_polyhedron(const perp_vec3 *points, int npoint) {
    perp_shape_def d = make(PERP_SHAPE_POLYHEDRON);
    d.points = points;
    d.npoint = npoint;
    return d;
}
