/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sets.h - disjoint sets of 0 .. n-1 (union-find): islands of bodies, parts of a matrix.
 *
 * parent[i] is another member of i's set, or i itself if it stands for the set. The smallest member of a set stands for it, so sets can
 * be numbered in the order of their first members, whatever the order in which they were joined.
 * Source: Tarjan, van Leeuwen, J. ACM 31 (1984) 245 (path halving). */
#ifndef PP_SETS_H
#define PP_SETS_H

/* n sets of one member each. */
static inline void pp_sets_make(int *parent, int n) {
    for (int i = 0; i < n; i++) parent[i] = i;
}

/* The member that stands for the set of i. Shortens the way to it for later calls. */
static inline int pp_set_of(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Joins the sets of i and j. */
static inline void pp_sets_join(int *parent, int i, int j) {
    int a = pp_set_of(parent, i), b = pp_set_of(parent, j);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

#endif
