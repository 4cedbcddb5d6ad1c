/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* williams_detect.h - narrow phase of Williams chapter 3: features of two convex polytopes that are near each other.
 *
 * The detector stage gives one plane per pair. This one gives every potential contact separately, with the two tests that decide which of
 * them may carry a force. 2D: vertex-edge. 3D: vertex-face and edge-edge. "Facet" is an edge in 2D and a face in 3D. All distances
 * follow from the possible travel and rotation of the bodies in the step (the errata's form of (5.1), see collide.c); none is a fixed
 * number. */
#ifndef PP_WILLIAMS_DETECT_H
#define PP_WILLIAMS_DETECT_H

#include "geometry/narrow/narrow.h"

/* Two polytopes, A the shape with the lower index, and the limits for near features. */
typedef struct pp_near_features {
    const pp_solid *A, *B;
    double epsilon; /* features within this distance may meet in the step [L] */
    double sine;    /* sin(theta), the relaxation of applicability: epsilon_theta = -sine */
} pp_near_features;

/* A potential contact C(feature of A, feature of B), normal from A to B. */
typedef struct pp_potential {
    uint64_t feature;
    perp_vec3 a_W, b_W, n_W;
    double gap;   /* psi: distance of the vertex above the plane of the facet, or of the two lines [L] */
    bool primary; /* applicable and feasible: it may carry a force; otherwise it only describes the geometry */
} pp_potential;

/* reach_a, reach_b: reaches of the placed shapes that the solids were made from [L]. */
pp_near_features pp_near_features_of(const pp_solid *A, double reach_a, const pp_solid *B, double reach_b);

/* Vertices and normals of a placed polytope in W, in the arena; returns false if out of memory. */
bool pp_polytope_place(const pp_placed *p, pp_arena *arena, pp_solid *out);
static inline bool pp_is_polytope(const pp_geometry *g) {
    return g->kind == PERP_SHAPE_BOX || g->kind == PERP_SHAPE_POLYGON || g->kind == PERP_SHAPE_POLYHEDRON;
}

/* Algorithm 3 (with the erratum): the point of the segment ab nearest to c. */
perp_vec3 pp_point_segment(perp_vec3 a, perp_vec3 b, perp_vec3 c);
/* Algorithm 7 (with the errata): the nearest points c1 of p1q1 and c2 of p2q2. */
void pp_segment_segment(perp_vec3 p1, perp_vec3 q1, perp_vec3 p2, perp_vec3 q2, perp_vec3 *c1, perp_vec3 *c2);
/* POINT-TRIANGLE-3D for faces with any number of sides, and its 2D version: the point of facet f nearest to x. */
perp_vec3 pp_point_facet(const pp_solid *s, int f, perp_vec3 x);

/* Distances between features: vertex v of O to facet f of S, vertex to edge e of S (3D), edge to edge (3D) [L]. */
double pp_facet_distance(const pp_solid *S, int f, const pp_solid *O, int v);
double pp_edge_distance(const pp_solid *S, int e, perp_vec3 x);
double pp_edges_distance(const pp_solid *A, int ea, const pp_solid *B, int eb);

/* (3.3), (3.4): the least of n . (v_k - v)/|v_k - v| over the neighbours v_k of vertex v; >= 0 if the vertex points
 * straight at a facet with this outward normal. */
double pp_applicable_vertex(const pp_solid *S, int v, perp_vec3 facet_n);
/* (3.5), n the normal of the two edges, either sign. */
double pp_applicable_edges(const pp_solid *A, int ea, const pp_solid *B, int eb, perp_vec3 n);

/* 3.4: the vector that points to the left of edge e, seen from outside with e upwards; a unit vector. */
perp_vec3 pp_edge_orientation(const pp_solid *S, int e);
/* (3.6): unit normal of two edges, from A to B. Returns false if they are parallel; vertex-face contacts handle that
 * case. */
bool pp_edge_normal(const pp_solid *A, int ea, const pp_solid *B, int eb, perp_vec3 *n);

/* C(v, f): facet f of the owner (0: A, 1: B), vertex v of the other. */
pp_potential pp_vertex_facet(const pp_near_features *c, int owner, int f, int v);
/* C(ea, eb); flip: with the opposite normal (Algorithm 14). Returns false if the edges are parallel. */
bool pp_edge_edge(const pp_near_features *c, int ea, int eb, bool flip, pp_potential *out);

#endif
