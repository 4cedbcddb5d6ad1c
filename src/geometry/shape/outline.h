/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* outline.h - simple polygons that need not be convex: between outline.c (checks, cuts) and decompose2d.c. */
#ifndef PP_OUTLINE_H
#define PP_OUTLINE_H

#include "base/memory.h"
#include "base/refuse.h"
#include "perp/math.h"

/* A polygon, counter-clockwise. Lies in an arena. */
typedef struct pp_outline {
    int n;
    perp_vec3 *v;
} pp_outline;

/* Checks the corners and copies them, counter-clockwise. PERP_E_ARG, PERP_E_GEOMETRY, PERP_E_MEMORY. */
perp_status pp_outline_check(pp_arena *arena, const perp_vec3 *points, int n, int max, pp_outline *out, char *why,
                             size_t why_size);

double pp_outline_area(const pp_outline *q);
/* Is x inside, or at the boundary? Decided by the number of crossings. */
bool pp_outline_has(const pp_outline *q, perp_vec3 x);
/* First corner from `from` on whose inner angle is above 180 degrees: that lies deeper than tol behind the line through
 * its neighbours. -1 if there is none. */
int pp_outline_reflex(const pp_outline *q, int from, double tol);

/* Cuts along the chord from corner r in direction d (unit) to the first point of the boundary. half[0] is the piece to
 * the left of the chord, half[1] the one to the right. Both begin with corner r. cut = false if the chord leads along a
 * side. False: no memory. */
bool pp_outline_cut(pp_arena *arena, const pp_outline *q, int r, perp_vec3 d, double tol, pp_outline half[2],
                    bool *cut);

static inline double pp_cross2(perp_vec3 a, perp_vec3 b) { return a.x * b.y - a.y * b.x; }

#endif
