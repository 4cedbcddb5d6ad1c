/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* broad.h - the broad phase: boxes -> pairs of boxes that meet.
 *
 * What is kept between calls makes the next one quicker and never changes its result, so that a resumed run finds the
 * same pairs in the same order. */
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

/* All pairs (i, j) whose boxes meet, that are of different bodies, not both at rest by kind (pp_placed.moves), let each
 * other through by group and mask, and pass the filter (NULL: all do), ordered by (i, j). Once warm it does not
 * allocate. */
perp_status pp_broad_pairs(pp_broad *b, int n, const pp_box *box, const pp_placed *placed, pp_pair_filter filter,
                           const void *ctx, const perp_allocator *a, pp_couple_list *out);

/* Box of a placed shape, grown by its reach. A half-space along an axis ends there; any other has no end. */
pp_box pp_box_of(const pp_placed *p);
/* The smallest box around two. */
pp_box pp_box_union(pp_box a, pp_box b);

/* Pairs the filter allows whose boxes, without reaches, meet: those that may overlap. */
perp_status pp_overlapping(pp_broad *broad, int n, const pp_placed *placed, pp_pair_filter filter, const void *ctx,
                           const perp_allocator *a, pp_arena *arena, pp_couple_list *out);
/* As pp_deepest_overlap, by way of the broad phase; couples is scratch. PERP_E_MEMORY. */
perp_status pp_overlap_deepest(pp_broad *broad, int n, const pp_placed *placed, pp_pair_filter filter, const void *ctx,
                               const perp_allocator *a, pp_arena *arena, pp_couple_list *couples, double *deepest,
                               int which[2]);

#endif
