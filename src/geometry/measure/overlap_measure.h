/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* overlap_measure.h - the area (2D) or volume (3D) of the intersection of two shapes. It is an independent check:
 * it shares only the geometry of the shapes with the detector, the contact models and overlap.c. */
#ifndef PP_OVERLAP_MEASURE_H
#define PP_OVERLAP_MEASURE_H

#include "geometry/shape/collision.h"

/* Area [L^2] or volume [L^3] of the intersection. Exact but for rounding (about 1e-14 of the smaller shape) for every
 * pair of
 *   2D  disc, capsule, polygon, box, half-plane: all of them
 *   3D  polyhedron, box, half-space with each other; sphere with sphere; sphere or capsule with polyhedron, box,
 *       half-space
 * and by quadrature, to about 1e-10 of the smaller shape, for capsule with capsule or sphere in 3D. A particle has no
 * measure: 0. Two half-spaces: 0, they never meet in a world. PERP_E_MEMORY, and PERP_E_GEOMETRY for shapes given by
 * functions, which are not measured: *out is INFINITY. */
perp_status pp_overlap_measure(const pp_placed *a, const pp_placed *b, pp_arena *arena, double *out);

/* Between overlap_measure.c, overlap_flat.c and overlap_solid.c. Below, `memory` is set to true where memory was
 * refused; results are worthless then. */

/* All x with n . x <= d. */
typedef struct pp_half {
    perp_vec3 n;
    double d;
} pp_half;

/* A convex polygon, counter-clockwise, in the x-y plane. */
typedef struct pp_flat {
    int n;
    perp_vec3 *v;
} pp_flat;

pp_flat pp_flat_square(perp_vec3 centre, double half, pp_arena *arena, bool *memory);
/* The part of a polygon in a half-plane; from the arena, the polygon stays. */
pp_flat pp_flat_clip(pp_flat p, pp_half h, pp_arena *arena, bool *memory);
double pp_flat_area(pp_flat p);
/* Area, and first moments about a point, of a polygon within the disc of radius r about the origin; negative for one
 * that is clockwise. */
typedef struct pp_moments {
    double area, x, y;
} pp_moments;
pp_moments pp_flat_in_disc(pp_flat p, double r, perp_vec3 about);
/* (x - sin x)/2, without cancellation: the area between chord and arc of angle x on the unit circle. */
double pp_segment_area(double x);
/* Area of the intersection of two figures: polygons, or segments with a radius (stadiums; a disc has both ends at one
 * point). A polygon comes with its half-planes: sides may be too short to say which way they run. */
typedef struct pp_figure {
    bool round;
    pp_flat poly;
    pp_half *half;
    int nhalf;
    perp_vec3 end[2];
    double radius;
} pp_figure;
double pp_figures_area(const pp_figure *a, const pp_figure *b, pp_arena *arena, bool *memory);

/* A convex polyhedron: loops of vertices, counter-clockwise seen from outside. */
typedef struct pp_polyhedron {
    int nvert, nface, cap_vert, cap_face, cap_loop;
    perp_vec3 *v;
    int *start; /* nface + 1, into loop */
    int *loop;
} pp_polyhedron;

void pp_polyhedron_cube(pp_polyhedron *p, perp_vec3 centre, double half, pp_arena *arena, bool *memory);
/* A copy of a polyhedron or box standing at X. */
void pp_polyhedron_of(pp_polyhedron *p, const pp_geometry *g, perp_pose X, pp_arena *arena, bool *memory);
/* Clips by n planes in turn. */
void pp_polyhedron_clip(pp_polyhedron *p, const pp_half *h, int n, pp_arena *arena, bool *memory);
void pp_polyhedron_copy(pp_polyhedron *to, const pp_polyhedron *from, pp_arena *arena, bool *memory);
double pp_polyhedron_volume(const pp_polyhedron *p);
/* Volume of a polyhedron within a ball; and within the endless cylinder of radius r about the z axis. */
double pp_polyhedron_in_ball(const pp_polyhedron *p, perp_vec3 centre, double r);
double pp_polyhedron_in_cylinder(const pp_polyhedron *p, double r, pp_arena *arena, bool *memory);

#endif
