/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* loops.c - joints in closed loops
 * Problem  Locked motions of joints depend on each other only within closed loops. Cut a joint whose removal divides the mechanism: the impulses of
 *          rows that depend on each other leave every body at rest, and the part without the ground feels that joint alone, so it bears nothing.
 * Method   The graph of bodies, with one more node for all that is fixed or driven. A joint is an edge. What couples more than
 *          two bodies is a row of double edges between them, and so are joints of bodies without rotation, which cannot bear moments: these are
 *          in a loop in any case. Bridges by depth-first search; parts are what remains connected without them.
 * Cost     linear in bodies and joints.
 * Source   Tarjan, Inf. Process. Lett. 2 (1974) 160. */
#include "problem/loops.h"

#include <math.h>

#include "base/sets.h"

typedef struct edge {
    int node[2];
    int row; /* the first one of its joint */
} edge;

typedef struct graph {
    int nnode, nedge;
    edge *edge;
    int *start, *list; /* by node: its edges */
    bool *bridge;      /* by edge */
} graph;

bool pp_row_locks(const perp_joint_row *r) {
    return r->kind == PERP_ROW_JOINT && r->joint >= 0 && r->compliance == 0 && isinf(r->lo) && isinf(r->hi);
}

/* Do rows i and i - 1 belong to the same joint, so that they are one edge? Rows of a joint follow each other. */
static bool continues(const perp_step_problem *p, int i) {
    return i > 0 && pp_row_locks(&p->joint[i - 1]) && p->joint[i - 1].joint == p->joint[i].joint;
}

static int node_of(const perp_step_problem *p, int block) { return block >= 0 ? block : p->nblock; }

/* Edges of the joint of row i; out NULL: how many. */
static int edges_of(const perp_step_problem *p, int i, edge *out) {
    const perp_row *row = &p->joint[i].row;
    int n = 0, whole = p->dim == 2 ? 3 : 6, last = node_of(p, row->block[0]);
    bool twice = row->more != NULL;
    for (int k = 0; k < 2; k++) twice |= row->block[k] >= 0 && p->block_ndof[row->block[k]] < whole;
    for (const perp_row *r = row; r; r = r->more)
        for (int k = 0; k < 2; k++) {
            int node = node_of(p, r->block[k]);
            if (node == last) continue;
            for (int copies = 0; copies < (twice ? 2 : 1); copies++, n++)
                if (out) out[n] = (edge){{last, node}, i};
            last = node;
        }
    return n;
}

static bool make_graph(const perp_step_problem *p, pp_arena *a, graph *g) {
    *g = (graph){.nnode = p->nblock + 1};
    for (int i = 0; i < p->njoint; i++)
        if (pp_row_locks(&p->joint[i]) && !continues(p, i)) g->nedge += edges_of(p, i, NULL);
    g->edge = PP_ARENA_ARRAY(a, edge, g->nedge);
    if (!g->edge) return false;
    for (int i = 0, n = 0; i < p->njoint; i++)
        if (pp_row_locks(&p->joint[i]) && !continues(p, i)) n += edges_of(p, i, g->edge + n);
    return true;
}

/* Has the graph no loop at all? Most mechanisms are trees. parent: nnode */
static bool is_forest(const graph *g, int *parent) {
    pp_sets_make(parent, g->nnode);
    for (int i = 0; i < g->nedge; i++) {
        const int *n = g->edge[i].node;
        if (pp_set_of(parent, n[0]) == pp_set_of(parent, n[1])) return false;
        pp_sets_join(parent, n[0], n[1]);
    }
    return true;
}

static bool make_lists(graph *g, pp_arena *a) {
    g->start = PP_ARENA_ZERO(a, int, g->nnode + 2);
    g->list = PP_ARENA_ARRAY(a, int, 2 * g->nedge);
    g->bridge = PP_ARENA_ZERO(a, bool, g->nedge);
    if (!g->start || !g->list || !g->bridge) return false;
    for (int i = 0; i < g->nedge; i++)
        for (int k = 0; k < 2; k++) g->start[g->edge[i].node[k] + 2]++;
    for (int i = 2; i <= g->nnode + 1; i++) g->start[i] += g->start[i - 1];
    for (int i = 0; i < g->nedge; i++)
        for (int k = 0; k < 2; k++) g->list[g->start[g->edge[i].node[k] + 1]++] = i;
    return true;
}

/* Depth-first search without recursion. reached: order of arrival, low: the earliest node that can be reached without the edge of arrival. */
static bool find_bridges(graph *g, pp_arena *a) {
    int *reached = PP_ARENA_ZERO(a, int, g->nnode), *low = PP_ARENA_ARRAY(a, int, g->nnode),
        *next = PP_ARENA_ARRAY(a, int, g->nnode), *via = PP_ARENA_ARRAY(a, int, g->nnode),
        *stack = PP_ARENA_ARRAY(a, int, g->nnode), order = 0;
    if (!reached || !low || !next || !via || !stack) return false;
    for (int root = 0; root < g->nnode; root++) {
        if (reached[root]) continue;
        int depth = 0;
        stack[0] = root;
        via[root] = -1;
        next[root] = g->start[root];
        reached[root] = low[root] = ++order;
        while (depth >= 0) {
            int at = stack[depth];
            if (next[at] < g->start[at + 1]) {
                int e = g->list[next[at]++], to = g->edge[e].node[g->edge[e].node[0] == at];
                if (e == via[at]) continue;
                if (reached[to]) {
                    if (reached[to] < low[at]) low[at] = reached[to];
                    continue;
                }
                via[to] = e;
                next[to] = g->start[to];
                reached[to] = low[to] = ++order;
                stack[++depth] = to;
                continue;
            }
            if (--depth < 0) break;
            int back = stack[depth];
            if (low[at] < low[back]) low[back] = low[at];
            g->bridge[via[at]] = low[at] > reached[back];
        }
    }
    return true;
}

int pp_loops_find(const perp_step_problem *p, pp_arena *arena, int *part) {
    graph g;
    for (int i = 0; i < p->njoint; i++) part[i] = -1;
    pp_arena_mark mark = pp_arena_here(arena);
    int *parent = PP_ARENA_ARRAY(arena, int, p->nblock + 1), *number = PP_ARENA_ARRAY(arena, int, p->nblock + 1),
        count = 0;
    if (!parent || !number || !make_graph(p, arena, &g)) return -1;
    if (!is_forest(&g, parent)) {
        if (!make_lists(&g, arena) || !find_bridges(&g, arena)) return -1;
        pp_sets_make(parent, g.nnode);
        for (int i = 0; i < g.nedge; i++)
            if (!g.bridge[i]) pp_sets_join(parent, g.edge[i].node[0], g.edge[i].node[1]);
        for (int i = 0; i < g.nnode; i++) number[i] = -1;
        for (int i = 0; i < g.nedge; i++) {
            int set = pp_set_of(parent, g.edge[i].node[0]);
            if (g.bridge[i]) continue;
            if (number[set] < 0) number[set] = count++;
            part[g.edge[i].row] = number[set];
        }
        for (int i = 1; i < p->njoint; i++)
            if (pp_row_locks(&p->joint[i]) && continues(p, i)) part[i] = part[i - 1];
    }
    pp_arena_release(arena, mark);
    return count;
}
