/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* implicit_function.h - shapes as convex functions that are negative inside (Berard 3.5.1)
 *
 * Every shape is the intersection of one or more sets f_k(x) <= 0. Values are lengths: near the surface f is about the
 * distance from it, so that functions of different shapes can be compared and their multipliers are of order one. */
#ifndef PP_IMPLICIT_FUNCTION_H
#define PP_IMPLICIT_FUNCTION_H

#include "geometry/shape/collision.h"

/* Number of functions of a shape; every kind has some. */
int pp_function_count(const pp_geometry *g);
/* Value of function k at x (frame S), with gradient and Hessian unless these are NULL. */
double pp_function_at(const pp_geometry *g, int k, perp_vec3 x_S, perp_vec3 *gradient, perp_mat3 *hessian);

/* Whether the kind is one that only implicit steppers support. */
static inline bool pp_is_implicit(const pp_geometry *g) {
    return g->kind == PERP_SHAPE_ELLIPSOID || g->kind == PERP_SHAPE_SUPERELLIPSOID || g->kind == PERP_SHAPE_CYLINDER ||
           g->kind == PERP_SHAPE_INTERSECTION;
}

/* The checks and the geometry of those kinds, for geometry.c. */
perp_status pp_implicit_check(const perp_shape_def *d, int dim, char *why, size_t n);
perp_status pp_implicit_build(pp_geometry *g, const perp_shape_def *d, const perp_allocator *a, char *why, size_t n);
/* Mass, centre of mass (the origin) and inertia of unit density; not of an intersection. */
perp_mass pp_implicit_mass(const pp_geometry *g);

/* Largest n . x over the shape, n in S of any length: support function in closed form, by Newton's method for an
 * intersection. Not for half-spaces. */
double pp_implicit_support(const pp_geometry *g, perp_vec3 n_S);
/* Separation of two placed shapes of which at least one is implicit, by support functions alone; see
 * pp_separation(). */
double pp_implicit_separation(const pp_placed *a, const pp_placed *b);

#endif
