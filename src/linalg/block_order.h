/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* block_order.h - the order in which a sparse factorisation eliminates the nodes of a graph. */
#ifndef PP_BLOCK_ORDER_H
#define PP_BLOCK_ORDER_H

#include "base/memory.h"

/* order[k]: node that is eliminated k-th; place: its inverse. start, index: neighbours of each node, both ways, with or
 * without the node itself. Scratch comes from the arena and is given back. False if memory is refused. */
bool pp_block_order(int n, const int *start, const int *index, int *order, int *place, pp_arena *arena);

/* Parents in the elimination tree of that order; -1: a root. ancestor: n, scratch. */
void pp_elimination_tree(int n, const int *start, const int *index, const int *order, const int *place, int *parent,
                         int *ancestor);

/* Numbers the nodes of a forest so that children come before their parents and every subtree is contiguous. parent: -1: a root; child, next: first
 * child and next sibling of each node, -1: none; child is overwritten. stack: n, scratch. position: number of each node. */
void pp_postorder(int n, const int *parent, int *child, const int *next, int *stack, int *position);

#endif
