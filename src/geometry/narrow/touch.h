/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* touch.h - feature pairs of two solids on a separating plane, and their gaps at any pose. */
#ifndef PP_TOUCH_H
#define PP_TOUCH_H

#include "geometry/narrow/plane.h"

/* A feature pair at a pose: points on A and B along n (from A to B). */
typedef struct pp_touch {
    uint64_t feature;
    perp_vec3 a, b, n;
    double gap; /* n . (b - a) [L] */
    double off; /* how far the contact lies outside its face or edges; <= 0: inside [L] */
} pp_touch;

/* Features found on a plane, and room for clipping; arrays are of the arena. */
typedef struct pp_touches {
    pp_touch *at;
    int n, cap;
    pp_clip_point *clip[2];
    bool memory; /* refused */
} pp_touches;

/* Room for pairs of these placed shapes. */
bool pp_touches_new(pp_touches *t, int n, const pp_placed *placed, pp_arena *arena);

/* The feature pairs of A and B on *plane at this pose: one pair if a corner meets a face or two edges cross; the corners of the common
 * area if faces or edges lie flat on each other (within FLUSH). If the deepest vertex lies beside the face, *plane is changed to the
 * plane on which the bodies touch. */
void pp_touch_find(pp_touches *t, const pp_solid *A, const pp_solid *B, pp_plane *plane);

/* The deepest vertex over a face plane, whether it lies over the face or not, or the ends of an edge that is as deep; the
 * crossing of a pair of edges. */
void pp_touch_deepest(pp_touches *t, const pp_solid *A, const pp_solid *B, pp_plane plane);

/* One feature pair of a plane at this pose. Not for pairs with a curved surface. */
pp_touch pp_touch_at(const pp_solid *A, const pp_solid *B, pp_plane plane, uint64_t feature);

/* The face of `plane`, or beside one of its edges, that lies flat on a face of the other body at this pose, within FLUSH
 * times `slack`; PP_NO_PLANE: none does. */
pp_plane pp_touch_flat(const pp_solid *A, const pp_solid *B, pp_plane plane, double slack);

/* If two faces lie flat on each other: the larger one, or that of A if they are equal; else `plane`. */
pp_plane pp_touch_first(const pp_solid *A, const pp_solid *B, pp_plane plane);

/* Replaces the points of a crossing at this pose of A and B by those points of the two edges that cross at the pose A1, B1. They are moved to the
 * line along the normal that is half-way between them, so that impulses there leave no torque. Nothing is changed if they do not cross nearer
 * there. */
void pp_touch_carry(pp_touch *t, const pp_solid *A, const pp_solid *B, const pp_solid *A1, const pp_solid *B1,
                    pp_plane plane);

/* As pp_touch_at, for the impulses of a patch that comes to lie flat on `face`. All its corners have one normal, so that any three of
 * them span the same wrenches. With normals that differ by a small angle, rounding divided by that angle would choose among motions
 * that all close the gaps. `moves`: whether A, B move. */
pp_touch pp_touch_push(const pp_solid *A, const pp_solid *B, pp_plane plane, uint64_t feature, pp_plane face,
                       const bool moves[2]);

#endif
