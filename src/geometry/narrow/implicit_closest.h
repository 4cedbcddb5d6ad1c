/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* implicit_closest.h - closest points of two convex shapes given by functions, apart, touching or overlapping */
#ifndef PP_IMPLICIT_CLOSEST_H
#define PP_IMPLICIT_CLOSEST_H

#include "geometry/shape/collision.h"

/* Two points whose line is normal to both surfaces. Also the guess for the next call, when the shapes have moved a
 * little; zeros: none. */
typedef struct pp_closest {
    perp_vec3 a_W, b_W; /* on A and on B */
    perp_vec3 n_W;      /* unit normal from A to B */
    double gap;         /* n . (b - a) [L]: > 0 apart, < 0 overlap */
    bool known;         /* the above and below hold, of a pose before */
    int nactive[2];     /* functions of A and of B whose surfaces the points lie on, */
    int active[2][3];
    double weight[2][3]; /* and their multipliers, >= 0: n = sum of weight times gradient, for B of -n */
} pp_closest;

/* False if no such points were found, which for shapes that barely overlap means two flat parts on each other: their
 * closest points are not unique. */
bool pp_closest_points(const pp_placed *a, const pp_placed *b, pp_closest *c);

#endif
