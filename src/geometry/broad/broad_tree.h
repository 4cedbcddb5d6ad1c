/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* broad_tree.h - a tree of boxes for the broad phase, between broad.c and broad_tree.c.
 *
 * Boxes are stored in an order in which neighbours in space are near each other. Eight successive boxes are a block, eight blocks a
 * block of the next level, and so on, so the tree needs no pointers. To move a box, it is overwritten and the levels above are
 * refitted. When blocks have become too large, the order is made again. */
#ifndef PP_BROAD_TREE_H
#define PP_BROAD_TREE_H

#include "geometry/broad/broad.h"

#define PP_TREE_FAN    8
#define PP_TREE_LEVELS 11 /* 8^11 > INT_MAX */

/* Eight boxes by coordinate, so that one sweep compares them all. An empty place has lo > hi. */
typedef struct pp_tree_block {
    double lo[3][PP_TREE_FAN], hi[3][PP_TREE_FAN];
} pp_tree_block;

/* A box while it is sorted. */
typedef struct pp_tree_item {
    double c[3]; /* centre */
    int i, size; /* which box; class of its size */
} pp_tree_item;

typedef struct pp_tree {
    pp_tree_block *block; /* level after level */
    int nblock, cap_block;
    int start[PP_TREE_LEVELS], count[PP_TREE_LEVELS], nlevel; /* blocks of each level; the last has one */
    int *order;                                               /* by place: which box, or -1 */
    int nplace, cap_order;
    int *place; /* by box: its place, or -1 */
    int cap_place;
    pp_tree_item *item;
    int cap_item;
} pp_tree;

/* Puts those of n boxes into order for which in[i] is true; their sides are finite. False without memory. */
bool pp_tree_build(pp_tree *t, const perp_allocator *a, int n, const pp_box *box, const bool *in);
void pp_tree_free(pp_tree *t, const perp_allocator *a);
/* Moves box i. The levels above are out of date until the next refit. */
void pp_tree_set(pp_tree *t, int i, const pp_box *box);
/* Boxes around boxes, from below. @return the sum of their sides over the lowest level: how loose the tree is [L] */
double pp_tree_refit(pp_tree *t);
/* Writes the boxes (their numbers, in no particular order) at places >= `first` that meet q. @return how many; `hit`
 * has room for all. */
int pp_tree_query(const pp_tree *t, const pp_box *q, int first, int *hit);

#endif
