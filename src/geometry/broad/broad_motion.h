/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* broad_motion.h - path lengths of boxes, to reuse results of earlier comparisons.
 *
 * In every call the path of a box grows by the largest change of its sides. Two boxes that are apart by g, or overlap by g, still do so
 * while the sum of their paths has grown by less than g. A box that lies inside another one by g stays inside while its own path has
 * grown by less than g. Comparing a sum of two paths with a stored number is much cheaper than comparing boxes, if the boxes hardly
 * move.
 * Rounding: paths are rounded up, and the numbers they are compared with are rounded down, so the test is conservative. */
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

/* The path, or sum of two paths, that is reached after covering `distance` from `now`. */
static inline double pp_path_until(double now, double distance) {
    return now + (distance - PP_ROUND_DOWN * (now + distance));
}

/* Updates the path of box i with its next position. */
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

/* Whether box i, whose path is tracked, is still inside its enlarged box. */
static inline bool pp_motion_inside(pp_motion *m, int i, const pp_box *fat) {
    if (m->path[i] <= m->room[i]) return true;
    const pp_box *b = &m->last[i];
    if (!pp_box_inside(b, fat)) return false;
    double x = fmin(b->lo.x - fat->lo.x, fat->hi.x - b->hi.x), y = fmin(b->lo.y - fat->lo.y, fat->hi.y - b->hi.y),
           z = fmin(b->lo.z - fat->lo.z, fat->hi.z - b->hi.z);
    m->room[i] = pp_path_until(m->path[i], fmin(x, fmin(y, z)));
    return true;
}

/* Compares two boxes, if necessary. `until`: the sum of paths up to which their last comparison is valid, positive if they met,
 * negative if not; 0: not compared yet. @return whether they meet */
static inline bool pp_motion_meets(const pp_box *a, const pp_box *b, double paths, double *until) {
    bool meets = pp_box_meets(a, b);
    double good = pp_path_until(paths, fabs(pp_box_gap(a, b)));
    *until = meets ? good : -good;
    return meets;
}

#endif
