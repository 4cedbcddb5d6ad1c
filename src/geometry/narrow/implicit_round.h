/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* implicit_round.h - closest points of round shapes by support points
 *
 * Round: strictly convex, with the support point of every direction in closed form: ball, ellipsoid, superellipsoid. */
#ifndef PP_IMPLICIT_ROUND_H
#define PP_IMPLICIT_ROUND_H

#include "geometry/narrow/implicit_closest.h"

bool pp_is_round(const pp_geometry *g);
/* The point of a round shape that lies farthest along n_S, both in S; n_S of any length but zero. */
perp_vec3 pp_round_support(const pp_geometry *g, perp_vec3 n_S);
/* The norm whose unit ball the shape is, at x_S: 1 on its surface. */
double pp_round_norm(const pp_geometry *g, perp_vec3 x_S);

/* One of the two is a half-space, the other is round: the points in closed form. False: they are of other kinds. */
bool pp_round_over_plane(const pp_placed *a, const pp_placed *b, pp_closest *c);
/* Both are round: the unit normal along which they are farthest apart or overlap least, to about 1e-6, and the support
 * points there. False: they are of other kinds, or their centres are in the same place. */
bool pp_round_search(const pp_placed *a, const pp_placed *b, pp_closest *c);

#endif
