/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* broad.h - the broad phase: boxes -> pairs of boxes that meet.
 *
 * Data stored between calls makes the next call faster and does not change its result, so a resumed run finds the same pairs in the
 * same order. */
#ifndef PP_BROAD_H
#define PP_BROAD_H

#include "geometry/shape/collision.h"

/* Axis-parallel, closed; a half-space has infinite sides. In 2D z is 0 to 0. */
typedef struct pp_box {
    perp_vec3 lo, hi;
} pp_box;

typedef struct pp_broad_pair {
    int i, j; /* i < j */
} pp_broad_pair;

struct pp_couple_list {
    pp_broad_pair *couple;
    int n, cap;
};

/* NULL if memory is refused. */
pp_broad *pp_broad_create(const perp_allocator *a);
void pp_broad_destroy(pp_broad *b, const perp_allocator *a);

/* Finds all pairs (i, j) whose boxes meet, ordered by (i, j). Left out are pairs of one body, pairs of which
 * neither moves (pp_placed.moves), pairs excluded by group and mask, and pairs that the filter refuses (NULL: it
 * refuses none). After the first calls it does not allocate. */
perp_status pp_broad_pairs(pp_broad *b, int n, const pp_box *box, const pp_placed *placed, pp_pair_filter filter,
                           const void *ctx, const perp_allocator *a, pp_couple_list *out);

/* Box of a placed shape, grown by its reach. A half-space whose normal is along an axis is bounded on that side;
 * any other is unbounded. */
pp_box pp_box_of(const pp_placed *p);
/* The smallest box around two. */
pp_box pp_box_union(pp_box a, pp_box b);

/* Finds the pairs that may overlap: those that the filter allows and whose boxes, without reaches, meet. */
perp_status pp_overlapping(pp_broad *broad, int n, const pp_placed *placed, pp_pair_filter filter, const void *ctx,
                           const perp_allocator *a, pp_arena *arena, pp_couple_list *out);
/* As pp_deepest_overlap, by way of the broad phase; couples is scratch. PERP_E_MEMORY. */
perp_status pp_overlap_deepest(pp_broad *broad, int n, const pp_placed *placed, pp_pair_filter filter, const void *ctx,
                               const perp_allocator *a, pp_arena *arena, pp_couple_list *couples, double *deepest,
                               int which[2]);

#endif
