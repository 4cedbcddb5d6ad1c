/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* loops.c - joints in closed loops
 * Problem  Find the joints whose locked motions can be linearly dependent. Impulses of dependent rows have no effect on any body. Take a part of the
 *          mechanism that shares only one body, or only the ground, with the rest. The impulses of its joints are internal, so their sum is zero; they have no
 *          effect on its other bodies, and therefore none on the shared body. So rows of such a part do not depend on those of the rest, and
 *          a joint that is a part by itself is independent. Only rows within closed loops can be dependent.
 * Method   The graph of bodies, with one more node for all that is fixed or driven. A joint is an edge. A row that couples several bodies is a ring
 *          of edges through them. Joints of bodies without rotation, which cannot bear moments, are double edges. Parts are the
 *          biconnected components, by depth-first search.
 * Cost     linear in bodies and joints.
 * Source   Hopcroft, Tarjan, Commun. ACM 16 (1973) 372. */
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
    int *part, *size;  /* by edge: its part; by part: its edges */
    int nparts;
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
    int n = 0, whole = p->dim == 2 ? 3 : 6, first = node_of(p, row->block[0]), last = first;
    bool ring = row->more != NULL;
    for (int k = 0; k < 2; k++) ring |= row->block[k] >= 0 && p->block_ndof[row->block[k]] < whole;
    for (const perp_row *r = row; r; r = r->more)
        for (int k = 0; k < 2; k++) {
            int node = node_of(p, r->block[k]);
            if (node == last) continue;
            if (out) out[n] = (edge){{last, node}, i};
            last = node;
            n++;
        }
    if (!ring || last == first) return n;
    if (out) out[n] = (edge){{last, first}, i};
    return n + 1;
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

/* Whether the graph has no loop; most mechanisms are trees. parent: nnode */
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
    g->part = PP_ARENA_ARRAY(a, int, g->nedge);
    g->size = PP_ARENA_ZERO(a, int, g->nedge);
    if (!g->start || !g->list || !g->part || !g->size) return false;
    for (int i = 0; i < g->nedge; i++)
        for (int k = 0; k < 2; k++) g->start[g->edge[i].node[k] + 2]++;
    for (int i = 2; i <= g->nnode + 1; i++) g->start[i] += g->start[i - 1];
    for (int i = 0; i < g->nedge; i++)
        for (int k = 0; k < 2; k++) g->list[g->start[g->edge[i].node[k] + 1]++] = i;
    return true;
}

/* A search under way. reached: order of arrival, 0: not yet; low: the earliest node that can be reached from what was found below; via: edge of
 * arrival; next: edge to look at; way: nodes from the root; open: edges that are in no part yet */
typedef struct search {
    int *reached, *low, *via, *next, *way, *open;
    int order, nopen;
} search;

static void arrive(const graph *g, search *s, int node, int via) {
    s->via[node] = via;
    s->next[node] = g->start[node];
    s->reached[node] = s->low[node] = ++s->order;
}

/* The edges since e are a part. */
static void close_part(graph *g, search *s, int e) {
    for (int last = -1; last != e; g->size[g->nparts]++) g->part[last = s->open[--s->nopen]] = g->nparts;
    g->nparts++;
}

static void search_from(graph *g, search *s, int root) {
    int depth = 0;
    s->way[0] = root;
    arrive(g, s, root, -1);
    while (depth >= 0) {
        int at = s->way[depth];
        if (s->next[at] < g->start[at + 1]) {
            int e = g->list[s->next[at]++], to = g->edge[e].node[g->edge[e].node[0] == at];
            if (e == s->via[at] || s->reached[to] > s->reached[at]) continue;
            s->open[s->nopen++] = e;
            if (s->reached[to]) {
                if (s->reached[to] < s->low[at]) s->low[at] = s->reached[to];
            } else {
                arrive(g, s, to, e);
                s->way[++depth] = to;
            }
        } else if (--depth >= 0) {
            int back = s->way[depth];
            if (s->low[at] < s->low[back]) s->low[back] = s->low[at];
            if (s->low[at] >= s->reached[back]) close_part(g, s, s->via[at]);
        }
    }
}

static bool find_parts(graph *g, pp_arena *a) {
    search s = {.reached = PP_ARENA_ZERO(a, int, g->nnode),
                .low = PP_ARENA_ARRAY(a, int, g->nnode),
                .via = PP_ARENA_ARRAY(a, int, g->nnode),
                .next = PP_ARENA_ARRAY(a, int, g->nnode),
                .way = PP_ARENA_ARRAY(a, int, g->nnode),
                .open = PP_ARENA_ARRAY(a, int, g->nedge)};
    if (!s.reached || !s.low || !s.via || !s.next || !s.way || !s.open) return false;
    for (int root = 0; root < g->nnode; root++)
        if (!s.reached[root]) search_from(g, &s, root);
    return true;
}

int pp_loops_find(const perp_step_problem *p, pp_arena *arena, int *part) {
    graph g;
    for (int i = 0; i < p->njoint; i++) part[i] = -1;
    pp_arena_mark mark = pp_arena_here(arena);
    int *parent = PP_ARENA_ARRAY(arena, int, p->nblock + 1), count = 0;
    if (!parent || !make_graph(p, arena, &g)) return -1;
    if (!is_forest(&g, parent)) {
        if (!make_lists(&g, arena) || !find_parts(&g, arena)) return -1;
        int *number = PP_ARENA_ARRAY(arena, int, g.nparts);
        if (!number) return -1;
        for (int i = 0; i < g.nparts; i++) number[i] = g.size[i] > 1 ? count++ : -1;
        for (int i = 0; i < g.nedge; i++) part[g.edge[i].row] = number[g.part[i]];
        for (int i = 1; i < p->njoint; i++)
            if (pp_row_locks(&p->joint[i]) && continues(p, i)) part[i] = part[i - 1];
    }
    pp_arena_release(arena, mark);
    return count;
}
