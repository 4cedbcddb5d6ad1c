/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* primitive.c - corners of regular bodies: polygons, prisms, pyramids, the Platonic solids
 * Valid    Faces are flat to rounding: the corners of a side of a prism differ in z alone, those of the solids come from
 *          1 and the golden ratio by one scaling. Hulls merge points within 1e-11 of a plane, so rounding does not create
 *          additional facets. */
#include "geometry/shape/collision.h"
#include "perp/shape.h"
#include "base/elementary.h"

static bool length_ok(double x) { return x >= PP_LENGTH_MIN && x <= PP_LENGTH_MAX; }

/* Corner i of n; quarter turns are exact. */
static perp_vec3 corner(int i, int n, double radius, double z) {
    static const double c[4] = {1, 0, -1, 0}, s[4] = {0, 1, 0, -1};
    if (4 * i % n == 0) return perp_v3(radius * c[4 * i / n], radius * s[4 * i / n], z);
    double a = 6.283185307179586476925 * i / n;
    return perp_v3(radius * pp_cos(a), radius * pp_sin(a), z);
}

int perp_points_regular(int sides, double radius, perp_vec3 *out, int max) {
    if (sides < 3 || sides > PERP_SIDES_MAX || !length_ok(radius)) return 0;
    for (int i = 0; i < sides && sides <= max; i++) out[i] = corner(i, sides, radius, 0);
    return sides;
}

int perp_points_prism(int sides, double radius, double height, perp_vec3 *out, int max) {
    if (sides < 3 || sides > PERP_SIDES_MAX || !length_ok(radius) || !length_ok(height)) return 0;
    for (int i = 0; i < sides && 2 * sides <= max; i++) {
        out[i] = corner(i, sides, radius, -height / 2);
        out[sides + i] = corner(i, sides, radius, height / 2);
    }
    return 2 * sides;
}

int perp_points_cone(int sides, double radius, double height, perp_vec3 *out, int max) {
    if (sides < 3 || sides > PERP_SIDES_MAX || !length_ok(radius) || !length_ok(height)) return 0;
    for (int i = 0; i < sides && sides + 1 <= max; i++) out[i] = corner(i, sides, radius, -height / 4);
    if (sides + 1 <= max) out[sides] = perp_v3(0, 0, 0.75 * height);
    return sides + 1;
}

/* (0, +-1, +-g), ... and their cyclic exchanges: 12 points from n. */
static void golden(double one, double g, perp_vec3 *out) {
    for (int k = 0; k < 4; k++) {
        double a = k & 1 ? one : -one, b = k & 2 ? g : -g;
        out[k] = perp_v3(0, a, b);
        out[4 + k] = perp_v3(a, b, 0);
        out[8 + k] = perp_v3(b, 0, a);
    }
}

int perp_points_platonic(perp_platonic which, double radius, perp_vec3 *out, int max) {
    const double phi = 1.6180339887498948482;
    if (!length_ok(radius)) return 0;
    double c = radius / sqrt(3);
    perp_vec3 p[20];
    int n = 0;
    switch (which) {
    case PERP_TETRAHEDRON:
        n = 4;
        for (int k = 0; k < 4; k++) p[k] = perp_v3(k & 1 ? c : -c, k & 2 ? c : -c, (k & 1) == (k >> 1) ? c : -c);
        break;
    case PERP_CUBE:
    case PERP_DODECAHEDRON:
        n = 8;
        for (int k = 0; k < 8; k++) p[k] = perp_v3(k & 1 ? c : -c, k & 2 ? c : -c, k & 4 ? c : -c);
        if (which == PERP_CUBE) break;
        golden(c / phi, c * phi, p + n);
        n = 20;
        break;
    case PERP_OCTAHEDRON:
        n = 6;
        for (int k = 0; k < 3; k++)
            for (int s = 0; s < 2; s++) {
                double r = s ? radius : -radius;
                p[2 * k + s] = perp_v3(k == 0 ? r : 0, k == 1 ? r : 0, k == 2 ? r : 0);
            }
        break;
    case PERP_ICOSAHEDRON: {
        double one = radius / sqrt(1 + phi * phi);
        golden(one, one * phi, p);
        n = 12;
        break;
    }
    }
    for (int k = 0; k < n && n <= max; k++) out[k] = p[k];
    return n;
}
