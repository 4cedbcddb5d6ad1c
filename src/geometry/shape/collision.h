/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* collision.h - geometry of shapes, the detector stage (shapes -> feature pairs, gaps) and the independent overlap
 * measure. This module uses poses and geometry only, no masses, velocities or forces. */
#ifndef PP_COLLISION_H
#define PP_COLLISION_H

#include "base/memory.h"
#include "perp/contact.h"
#include "perp/shape.h"

/* Checked geometry of a shape in its frame S; immutable after pp_geometry_create. A box becomes a polygon or
 * polyhedron. Point order does not matter: polygons are counter-clockwise starting from the lexicographically smallest
 * vertex, polyhedra have coplanar facets merged into one face. */
typedef struct pp_geometry {
    perp_shape_kind kind;
    int dim;
    double radius;    /* sphere, capsule, cylinder */
    perp_vec3 normal; /* half-space */
    double offset;
    perp_vec3 half;     /* ellipsoid, superellipsoid: half axes; cylinder: radius, radius, half length; 2D: z is 0 */
    double exponent[2]; /* superellipsoid */
    perp_function *function; /* intersection */
    int nfunction;
    /* polygon, polyhedron, box; capsule: 2 (the ends); particle, sphere: 1 (the centre, at 0). The kinds above: vertices
     * and faces of a mesh to draw, without normals. */
    int nvert;
    perp_vec3 *vert;   /* in S */
    int nface;         /* polygon: nvert edges (edge i from vertex i to i+1); polyhedron: faces */
    perp_vec3 *face_n; /* outward unit normals */
    double *face_d;    /* n . x = d on the face */
    double *face_area; /* 2D: length */
    int *face_start;   /* nface + 1: into face_vert; polyhedron and polygon */
    int *face_vert;    /* vertices of each face, counter-clockwise seen from outside */
    int *face_edge;    /* polyhedron, beside face_vert: the edge from that vertex to the next one of the face */
    int nedge;         /* polyhedron: edges */
    int (*edge)[4];    /* vertex a, vertex b, the face on the left and the face on the right */
    double bound;      /* largest distance of a point of the shape from the origin of S; INFINITY for a half-space */
    double size;       /* a length for tolerances: the largest extent */
    double
        thickness; /* smallest extent, perpendicular to a face: a body must move this far to pass through; INFINITY for a half-space */
} pp_geometry;

/* Cookie of a perp_shape_def made by perp_shape_particle() or another constructor. */
#define PP_SHAPE_COOKIE 0x5ba9e001u

/* Largest number of points of a hull. */
#define PP_HULL_MAX 10000

/* Lengths outside this range are refused: their fifth powers (inertia) must stay far from overflow and underflow. */
#define PP_LENGTH_MIN 1e-50
#define PP_LENGTH_MAX 1e50

/* Builds and checks (X_BS included, although the geometry itself is in S). PERP_E_GEOMETRY, PERP_E_ARG, PERP_E_MEMORY
 * with a sentence in why. */
perp_status pp_geometry_create(const perp_shape_def *def, int dim, const perp_allocator *a, pp_geometry **out,
                               char *why, size_t why_size);
void pp_geometry_destroy(pp_geometry *g, const perp_allocator *a);
/* A deep copy; false if memory is refused. */
bool pp_geometry_clone(const pp_geometry *g, const perp_allocator *a, pp_geometry **out);

/* A shape placed in the world, as the detector sees it. */
typedef struct pp_placed {
    const pp_geometry *g;
    perp_pose X_WS;
    double reach; /* how far any point of the shape may travel in the step [L] */
    int body;     /* shapes of the same body are not tested */
    bool moves;   /* false: obstacle or kinematic; pairs of which neither moves are not tested */
    int slot;     /* of the shape in the world */
    uint32_t group, mask;
} pp_placed;

/* A feature pair: as perp_contact, with indices into the array of placed shapes; i < j, and n points from i to j. */
typedef struct pp_pair {
    int i, j;
    uint64_t feature;
    perp_vec3 a_W, b_W, n_W;
    double gap;
} pp_pair;

/* Feature numbers: which feature of i meets which feature of j. The number does not depend on which of the two gave the
 * reference plane. kind: one of the four below; owner: 0 if the face (or edge, of a vertex-edge pair) belongs to i, 1
 * if to j.
 *   VERTEX_FACE  a = face, b = vertex of the other     sphere, particle: vertex 0; half-space: owner and face 0
 *   EDGE_EDGE    a = edge of i, b = edge of j           owner 0
 *   VERTEX_EDGE  a = edge, b = vertex of the other
 *   VERTEX_VERTEX a = vertex of i, b = vertex of j      owner 0
 * Two spheres have feature 0; a vertex on a half-space has its vertex number. In 2D faces are the edges of the
 * polygon. A capsule has the vertices 0 and 1 (its ends) and edge 0; with a sphere or particle it has one contact,
 * VERTEX_EDGE, wherever on its surface. */
enum { PP_VERTEX_FACE, PP_EDGE_EDGE, PP_VERTEX_EDGE, PP_VERTEX_VERTEX };
static inline uint64_t pp_feature(int kind, int owner, int a, int b) {
    return (uint64_t)kind << 56 | (uint64_t)owner << 48 | (uint64_t)a << 24 | (uint64_t)b;
}
static inline int pp_feature_kind(uint64_t f) { return (int)(f >> 56); }
static inline int pp_feature_owner(uint64_t f) { return (int)(f >> 48 & 0xff); }
static inline int pp_feature_a(uint64_t f) { return (int)(f >> 24 & 0xffffff); }
static inline int pp_feature_b(uint64_t f) { return (int)(f & 0xffffff); }

typedef struct pp_pair_list {
    pp_pair *pair;
    int n, cap;
} pp_pair_list;

/* Returns whether two shapes (indices into the placed array) may touch. It excludes jointed bodies and pairs that
 * the user excluded. NULL: all may touch. */
typedef bool (*pp_pair_filter)(int i, int j, const void *ctx);

/* Broad phase and the list it fills, see broad.h. */
typedef struct pp_broad pp_broad;
typedef struct pp_couple_list pp_couple_list;

/* Detector stage. Writes all feature pairs with gap <= reach_i + reach_j, ordered by (i, j, feature). The list grows
 * with the allocator `a`. On return `near` has the pairs whose boxes meet. */
typedef struct pp_detector_type {
    const char *name;
    unsigned shapes; /* mask of 1 << perp_shape_kind it handles */
    perp_status (*detect)(int dim, int nplaced, const pp_placed *placed, pp_pair_filter filter, const void *ctx,
                          pp_broad *broad, pp_couple_list *near, const perp_allocator *a, pp_arena *arena,
                          pp_pair_list *out);
} pp_detector_type;
extern const pp_detector_type pp_detector_plain;

/* Signed separation of two placed shapes: a lower bound of their distance if they are apart; if they overlap, minus the exact
 * penetration depth (length of the smallest translation that separates them). This is an independent implementation for the
 * certificate: it shares only pp_geometry with the detector. Two half-spaces, or two particles: INFINITY. */
double pp_separation(const pp_placed *a, const pp_placed *b);

/* Deepest overlap (>= 0) of any pair the filter allows; shape slots in which[2], -1 if there is none. It tests all pairs and needs no
 * memory; for many shapes use pp_overlap_deepest() in broad.h. */
double pp_deepest_overlap(int nplaced, const pp_placed *placed, pp_pair_filter filter, const void *ctx, int which[2]);

#endif
