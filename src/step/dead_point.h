/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* dead_point.h - finds driven bodies that are forced through a dead point of a mechanism. */
#ifndef PP_DEAD_POINT_H
#define PP_DEAD_POINT_H

#include "stage/frame.h"

/* Pairs of shape slots (pp_pair_key()) in the arena. */
typedef struct pp_pairs {
    uint64_t *key;
    int n, cap;
} pp_pairs;

/* Adds the pairs at which driven bodies forced other bodies of the solved frame to speeds far above their own. Returns false if out of
 * memory. */
bool pp_dead_points(const pp_frame *f, pp_pairs *pairs);

#endif
