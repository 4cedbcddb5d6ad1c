/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* broad_box.h - comparing two boxes, two sides at a time: the innermost work of the broad phase.
 *
 * A box is six numbers, which make three pairs: lo.x lo.y, lo.z hi.x, hi.y hi.z. One comparison answers for both of a
 * pair, with all bits or none for each. Compilers make vectors of this where the processor has them. */
#ifndef PP_BROAD_BOX_H
#define PP_BROAD_BOX_H

#include "geometry/broad/broad.h"

typedef double pp_double2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t pp_mask2 __attribute__((vector_size(16)));

/* Two neighbours of the six numbers, from number k on. */
static inline pp_double2 pp_sides(const pp_box *b, int k) {
    _Static_assert(sizeof(pp_box) == 6 * sizeof(double), "six numbers without a gap");
    return *(const pp_double2 *)(const void *)((const double *)(const void *)b + k);
}
static inline bool pp_none(pp_mask2 m) { return (m[0] | m[1]) == 0; }
/* Selects the numbers of a where the mask is set, else those of b. */
static inline pp_mask2 pp_select2(pp_mask2 yes, pp_mask2 a, pp_mask2 b) { return (a & yes) | (b & ~yes); }

/* Whether the boxes meet. A side that is NaN does not separate them. */
static inline bool pp_box_meets(const pp_box *a, const pp_box *b) {
    const pp_double2 sign = {1, -1}, mixed = {a->hi.z, -a->lo.x};
    return pp_none((pp_sides(b, 0) > pp_sides(a, 3)) | (pp_sides(b, 2) * sign > mixed) |
                   (pp_sides(b, 4) < pp_sides(a, 1)));
}

/* Whether a is inside b, sides included. False if a side is NaN. */
static inline bool pp_box_inside(const pp_box *a, const pp_box *b) {
    const pp_double2 sign = {1, -1};
    return pp_none(~((pp_sides(a, 0) >= pp_sides(b, 0)) & (pp_sides(a, 2) * sign >= pp_sides(b, 2) * sign) &
                     (pp_sides(a, 4) <= pp_sides(b, 4))));
}

/* Whether all sides are equal. False if a side is NaN. */
static inline bool pp_box_same(const pp_box *a, const pp_box *b) {
    return pp_none(~((pp_sides(a, 0) == pp_sides(b, 0)) & (pp_sides(a, 2) == pp_sides(b, 2)) &
                     (pp_sides(a, 4) == pp_sides(b, 4))));
}

/* Distance of the boxes; negative: depth of their overlap [L] */
static inline double pp_box_gap(const pp_box *a, const pp_box *b) {
    pp_double2 u = pp_sides(b, 0) - pp_sides(a, 3), v = pp_sides(a, 0) - pp_sides(b, 3);
    pp_double2 w = {b->lo.z - a->hi.z, a->lo.z - b->hi.z};
    u = (pp_double2)pp_select2(u > v, (pp_mask2)u, (pp_mask2)v);
    u = (pp_double2)pp_select2(u > w, (pp_mask2)u, (pp_mask2)w);
    return u[0] > u[1] ? u[0] : u[1];
}

/* The largest change of any side; NaN if a side is NaN [L] */
static inline double pp_box_change(const pp_box *a, const pp_box *b) {
    const pp_mask2 size = {INT64_MAX, INT64_MAX}; /* all but the sign; the sizes are ordered like their bits */
    pp_mask2 u = (pp_mask2)(pp_sides(a, 0) - pp_sides(b, 0)) & size,
             v = (pp_mask2)(pp_sides(a, 2) - pp_sides(b, 2)) & size,
             w = (pp_mask2)(pp_sides(a, 4) - pp_sides(b, 4)) & size;
    u = pp_select2(u > v, u, v);
    u = pp_select2(u > w, u, w);
    pp_double2 d = (pp_double2)u;
    return u[0] > u[1] ? d[0] : d[1];
}

#endif
