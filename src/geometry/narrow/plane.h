/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plane.h - separating planes of two convex solids.
 *
 * Two convex bodies do not overlap exactly if some plane has one of them on each side, and for polytopes it is enough
 * to look at the faces of both and, in 3D, at pairs of edges. A plane is named by the features that carry it, so it
 * moves with the bodies: its gap is a function of their poses. All of Williams' inter-contact and cross-contact
 * constraints say "one of these planes separates" (see docs/theory). */
#ifndef PP_PLANE_H
#define PP_PLANE_H

#include "geometry/narrow/narrow.h"

/* Which plane: face f of i or j, or edges ea of i and eb of j with the normal +-(ea x eb) from i to j. */
typedef uint64_t pp_plane;
#define PP_NO_PLANE    (~(pp_plane)0)
#define PP_ROUND_PLANE (PP_NO_PLANE - 1) /* the only plane of a pair with a curved surface, perpendicular to its gap */
static inline pp_plane pp_plane_face(int owner, int face) { return pp_feature(PP_VERTEX_FACE, owner, face, 0xffffff); }
static inline pp_plane pp_plane_edges(int negative, int ea, int eb) {
    return pp_feature(PP_EDGE_EDGE, negative, ea, eb);
}
static inline bool pp_plane_is_face(pp_plane p) { return p < PP_ROUND_PLANE && pp_feature_kind(p) == PP_VERTEX_FACE; }
static inline bool pp_plane_is_edges(pp_plane p) { return p < PP_ROUND_PLANE && pp_feature_kind(p) == PP_EDGE_EDGE; }

/* Unit normal of a plane, from A to B; zero if its edges are parallel. */
perp_vec3 pp_plane_normal(const pp_solid *A, const pp_solid *B, pp_plane plane);
/* Smallest distance of the other body's points in front of the plane: >= 0 if it separates the two [L]. */
double pp_plane_gap(const pp_solid *A, const pp_solid *B, pp_plane plane);
/* The vertex of s farthest along d; the lowest index among equals. */
int pp_support(const pp_solid *s, perp_vec3 d);

typedef struct pp_separating {
    pp_plane plane;
    double gap; /* largest over all planes: < 0 means overlap, by this depth */
} pp_separating;

/* The plane of largest gap. `keep` (or PP_NO_PLANE) stays if it is as good within `tie` [L]; faces are preferred to
 * pairs of edges. Stops at the first plane whose gap exceeds `enough` (INFINITY: never). */
pp_separating pp_separate(const pp_solid *A, const pp_solid *B, pp_plane keep, double tie, double enough);

/* Among the planes whose gap at the poses of A, B is within `tie` of the largest, finds the one with the largest gap at the poses of
 * A1, B1. So the motion decides between tied planes. */
pp_separating pp_separate_ahead(const pp_solid *A, const pp_solid *B, const pp_solid *A1, const pp_solid *B1,
                                double tie);

/* The plane of largest gap among those that lean by more than about two degrees against the direction n; gaps within `tie`
 * are equal [L]. */
pp_separating pp_separate_otherwise(const pp_solid *A, const pp_solid *B, perp_vec3 n, double tie);

#endif
