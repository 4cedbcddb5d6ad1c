/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* broad_motion.h - how far boxes have moved, so that what was found of two of them need not be looked for again.
 *
 * The path of a box grows by the largest change of its sides in every call. Two boxes apart by g, or overlapping by g,
 * do so until their paths have grown by g together; a box g inside another stays there until its own has. Comparing two
 * paths with a number costs much less than comparing boxes, but only if it is seldom in vain: for boxes that hardly
 * move.
 * Rounding: a path is rounded up and a number it is compared with down, so that neither lies. */
#ifndef PP_BROAD_MOTION_H
#define PP_BROAD_MOTION_H

#include <float.h>

#include "geometry/broad/broad_box.h"

typedef struct pp_motion {
    pp_box *last; /* as in the last call */
    double *path; /* positive; NaN if the box is not finite and moves */
    double *room; /* path up to which the box is inside its enlarged box */
    int cap_last, cap_path, cap_room;
} pp_motion;

#define PP_ROUND_UP   (1 + 4 * DBL_EPSILON)
#define PP_ROUND_DOWN (8 * DBL_EPSILON)

/* The path, or sum of two paths, up to which `distance` may still be covered from `now`. */
static inline double pp_path_until(double now, double distance) {
    return now + (distance - PP_ROUND_DOWN * (now + distance));
}

/* Takes the next position of box i. */
static inline void pp_motion_follow(pp_motion *m, int i, const pp_box *box) {
    m->path[i] = (m->path[i] + pp_box_change(box, &m->last[i])) * PP_ROUND_UP;
    m->last[i] = *box;
}

/* The same for a box with infinite sides, which mostly do not change. */
static inline void pp_motion_follow_infinite(pp_motion *m, int i, const pp_box *box) {
    if (pp_box_same(&m->last[i], box)) return;
    m->path[i] = NAN;
    m->last[i] = *box;
}

/* Is box i, whose motion has been followed, still inside its enlarged box? */
static inline bool pp_motion_inside(pp_motion *m, int i, const pp_box *fat) {
    if (m->path[i] <= m->room[i]) return true;
    const pp_box *b = &m->last[i];
    if (!pp_box_inside(b, fat)) return false;
    double x = fmin(b->lo.x - fat->lo.x, fat->hi.x - b->hi.x), y = fmin(b->lo.y - fat->lo.y, fat->hi.y - b->hi.y),
           z = fmin(b->lo.z - fat->lo.z, fat->hi.z - b->hi.z);
    m->room[i] = pp_path_until(m->path[i], fmin(x, fmin(y, z)));
    return true;
}

/* Two boxes, the sum of their paths, and the one up to which their last comparison is good, positive if they met then,
 * negative if not; 0: there was none. @return whether they meet */
static inline bool pp_motion_meets(const pp_box *a, const pp_box *b, double paths, double *until) {
    bool meets = pp_box_meets(a, b);
    double good = pp_path_until(paths, fabs(pp_box_gap(a, b)));
    *until = meets ? good : -good;
    return meets;
}

#endif
