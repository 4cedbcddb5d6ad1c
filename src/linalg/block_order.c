/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* block_order.c - fill-reducing orders of block matrices with a symmetric pattern
 * Method   approximate minimum degree (AMD). Large graphs are also ordered by nested dissection (METIS), and the order
 *          with fewer blocks in the factor is taken. Of a large graph the order is then changed within the elimination
 *          tree so that the child with the longest column comes last: it is the one that may share a panel with its parent.
 * Bits     METIS uses rand() and sets its seed in every call. A mutex excludes other threads of perp, so that the order depends
 *          only on the graph. The program's own sequence of rand() is thereby restarted.
 * Cost     AMD and METIS: near linear in the number of neighbours; the count of blocks: as the fill.
 * Source   Amestoy, Davis, Duff, Algorithm 837 (2004); Karypis, Kumar, SIAM J. Sci. Comput. 20 (1998) 359; Davis, Direct
 *          Methods for Sparse Linear Systems (2006), ch. 4. */
#include "linalg/block_order.h"

#include <amd.h>
#include <metis.h>
#include <pthread.h>
#include <string.h>

#define LARGE 1500 /* blocks; nested dissection is not worthwhile for fewer */

static pthread_mutex_t metis_lock = PTHREAD_MUTEX_INITIALIZER;

void pp_elimination_tree(int n, const int *start, const int *index, const int *order, const int *place, int *parent,
                         int *ancestor) {
    for (int k = 0; k < n; k++) {
        parent[k] = ancestor[k] = -1;
        int j = order[k];
        for (int s = start[j]; s < start[j + 1]; s++) {
            int i = place[index[s]];
            while (i >= 0 && i < k) {
                int next = ancestor[i];
                ancestor[i] = k;
                if (next < 0) parent[i] = k;
                i = next;
            }
        }
    }
}

/* Neighbour lists without diagonals are overwritten by AMD, which orders without allocating. */
static bool by_degree(int n, const int *start, const int *index, int *order, int *place, pp_arena *arena) {
    int used = 0;
    size_t room = (size_t)start[n] + (size_t)start[n] / 5 + 2 * (size_t)n + 1;
    int *pe = PP_ARENA_ARRAY(arena, int, n), *len = PP_ARENA_ARRAY(arena, int, n),
        *iw = PP_ARENA_ARRAY(arena, int, room), *w = PP_ARENA_ARRAY(arena, int, 5 * (ptrdiff_t)n);
    if (!pe || !len || !iw || !w) return false;
    for (int j = 0; j < n; j++) {
        pe[j] = used;
        for (int s = start[j]; s < start[j + 1]; s++)
            if (index[s] != j) iw[used++] = index[s];
        len[j] = used - pe[j];
    }
    double control[AMD_CONTROL], info[AMD_INFO];
    amd_defaults(control);
    amd_2(n, pe, iw, len, (int)room, used, w, place, order, w + n, w + 2 * n, w + 3 * n, w + 4 * n, control, info);
    return true;
}

/* False if METIS gives up; it allocates by itself. */
static bool by_dissection(int n, const int *start, const int *index, int *order, int *place, pp_arena *arena) {
    idx_t nodes = n, *at = PP_ARENA_ARRAY(arena, idx_t, n + 1), *list = PP_ARENA_ARRAY(arena, idx_t, start[n]),
          *to = PP_ARENA_ARRAY(arena, idx_t, 2 * (ptrdiff_t)n);
    if (!at || !list || !to) return false;
    idx_t used = 0;
    for (int j = 0; j < n; j++) {
        at[j] = used;
        for (int s = start[j]; s < start[j + 1]; s++)
            if (index[s] != j) list[used++] = index[s];
    }
    at[n] = used;
    pthread_mutex_lock(&metis_lock);
    bool done = METIS_NodeND(&nodes, at, list, NULL, NULL, to, to + n) == METIS_OK;
    pthread_mutex_unlock(&metis_lock);
    for (int k = 0; done && k < n; k++) {
        order[k] = (int)to[k];
        place[order[k]] = k;
    }
    return done;
}

/* Neighbours of the blocks: those of j are index[start[j]] .. index[start[j + 1]]. */
typedef struct graph {
    int n;
    const int *start, *index;
} graph;

/* Blocks below the diagonal in each column of the factor; returns their sum. mark: n, scratch. */
static double count_columns(const graph *g, const int *order, const int *place, const int *parent, int *mark,
                            int *count) {
    const int n = g->n, *start = g->start, *index = g->index;
    double sum = 0;
    for (int i = 0; i < n; i++) mark[i] = -1, count[i] = 0;
    for (int k = 0; k < n; k++) {
        mark[k] = k;
        int j = order[k];
        for (int s = start[j]; s < start[j + 1]; s++)
            for (int i = place[index[s]]; i < k && mark[i] != k; i = parent[i]) {
                mark[i] = k;
                count[i]++;
            }
    }
    for (int i = 0; i < n; i++) sum += count[i];
    return sum;
}

void pp_postorder(int n, const int *parent, int *child, const int *next, int *stack, int *position) {
    int count = 0;
    for (int r = 0; r < n; r++) {
        if (parent[r] >= 0) continue;
        int top = 0;
        stack[0] = r;
        while (top >= 0) {
            int i = stack[top];
            if (child[i] >= 0) {
                stack[++top] = child[i];
                child[i] = next[child[i]];
            } else {
                position[i] = count++;
                top--;
            }
        }
    }
}

/* Renumbers so that every subtree is contiguous and the children of a node have ascending columns. w: 5 n, scratch. */
static void heavy_child_last(int n, int *order, int *place, const int *parent, const int *count, int *w) {
    int *child = w, *next = w + n, *bucket = w + 2 * n, *later = w + 3 * n, *stack = w + 4 * n;
    for (int i = 0; i < n; i++) child[i] = bucket[i] = -1;
    for (int i = 0; i < n; i++) later[i] = bucket[count[i]], bucket[count[i]] = i; /* a bucket is descending */
    for (int c = n - 1; c >= 0; c--)
        for (int i = bucket[c]; i >= 0; i = later[i])
            if (parent[i] >= 0) next[i] = child[parent[i]], child[parent[i]] = i;
    int *position = bucket, *before = later; /* the buckets are not needed any more */
    memcpy(before, order, sizeof *order * (size_t)n);
    pp_postorder(n, parent, child, next, stack, position);
    for (int i = 0; i < n; i++) {
        order[position[i]] = before[i];
        place[before[i]] = position[i];
    }
}

/* The better of the two orders. */
static bool order_large(int n, const int *start, const int *index, int *order, int *place, pp_arena *arena) {
    int *w = PP_ARENA_ARRAY(arena, int, 10 * (ptrdiff_t)n);
    if (!w) return false;
    const graph g = {n, start, index};
    int *other = w, *there = w + n, *parent = w + 2 * n, *count = w + 3 * n, *scratch = w + 5 * n;
    if (!by_degree(n, start, index, order, place, arena)) return false;
    pp_elimination_tree(n, start, index, order, place, parent, scratch);
    const double degree = count_columns(&g, order, place, parent, scratch, count);
    if (by_dissection(n, start, index, other, there, arena)) {
        pp_elimination_tree(n, start, index, other, there, parent, scratch);
        if (count_columns(&g, other, there, parent, scratch, count) < degree) {
            memcpy(order, other, sizeof *order * (size_t)n);
            memcpy(place, there, sizeof *place * (size_t)n);
        }
    }
    pp_elimination_tree(n, start, index, order, place, parent, scratch);
    (void)count_columns(&g, order, place, parent, scratch, count);
    heavy_child_last(n, order, place, parent, count, scratch);
    return true;
}

bool pp_block_order(int n, const int *start, const int *index, int *order, int *place, pp_arena *arena) {
    pp_arena_mark mark = pp_arena_here(arena);
    bool done = n >= LARGE ? order_large(n, start, index, order, place, arena)
                           : by_degree(n, start, index, order, place, arena);
    pp_arena_release(arena, mark);
    return done;
}
