/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* laws.c - scale of the velocity of each law, from the data of a problem
 * Problem  a violation is a velocity and needs a scale. A scale taken from the answer grows with a large answer, and one taken
 *          from the whole problem hides errors of slow or light bodies near fast or heavy ones.
 * Method   laws that share a body or an entry of the matrix are neighbours. A law is loaded if its |q| is above LOADED times the
 *          largest of its island. v_i is the largest |q_j| among the loaded laws nearest to law i (itself, if it is loaded), and at
 *          least FLOOR times the largest of the island. One breadth-first search from all loaded laws at once finds the nearest
 *          for all: a law at distance d has its nearest loaded laws among those of its neighbours at distance d - 1.
 *          Speeds are compared directly. Other rows may be rotations: for these, |q| is converted by the square root of the
 *          ratio of the inverse masses, so both sizes are stored.
 *          An island without any velocity is compared with the largest of the problem; a problem without any with 1.
 * Valid    any data; depends on nothing but them. Invariant under a change of units.
 * Cost     linear in the number of edges.
 * Source   derived here. */
#include "problem/laws.h"

#include <math.h>
#include <string.h>

#include "problem/law.h"

#define LOADED 1e-9 /* [1] |q| above this fraction of the largest of its island is not rounding */
#define FLOOR  1e-6 /* [1] a scale is at least this fraction of the largest of its island */
#define ROUNDING \
    8 /* [1] a violation of so many times the noise may be rounding, if that is no more than PP_NOISY of the scale */

bool pp_law_edge(pp_law_graph *g, int a, int b) {
    if (a == b) return true;
    if (!PP_GROW(&g->alloc, g->edge, g->cap, g->count, g->count + 1)) return false;
    g->edge[g->count][0] = a;
    g->edge[g->count++][1] = b;
    return true;
}

/* Sizes of velocities: the largest speed; the largest |q|/sqrt(D) of laws that have speeds, and of the others. */
typedef struct sizes {
    double speed, by_speed, by_row;
} sizes;

static void take(sizes *to, sizes from) {
    to->speed = fmax(to->speed, from.speed);
    to->by_speed = fmax(to->by_speed, from.by_speed);
    to->by_row = fmax(to->by_row, from.by_row);
}

static sizes of_law(const pp_law_graph *g, int i) {
    double q = g->q[i], root = q / sqrt(g->D[i]);
    return g->velocity[i] ? (sizes){q, root, 0} : (sizes){0, 0, root};
}

/* A size as law i sees it. */
static double seen(const pp_law_graph *g, int i, sizes s) {
    double root = sqrt(g->D[i]);
    return g->velocity[i] ? fmax(s.speed, root * s.by_row) : root * fmax(s.by_speed, s.by_row);
}

typedef struct search {
    const pp_law_graph *g;
    int *start, *other; /* neighbours by vertex */
    int *part;          /* vertices: island */
    int *level;         /* vertices: distance of the nearest loaded law, -1: not reached */
    int *queue;         /* vertices */
    sizes *near;        /* vertices: of the nearest loaded laws */
    sizes *island;      /* islands: the largest */
} search;

static bool neighbours(search *s, pp_arena *arena) {
    const pp_law_graph *g = s->g;
    s->start = PP_ARENA_ZERO(arena, int, g->vertices + 2);
    s->other = PP_ARENA_ARRAY(arena, int, 2 * (ptrdiff_t)g->count);
    if (!s->start || !s->other) return false;
    for (int e = 0; e < g->count; e++)
        for (int k = 0; k < 2; k++) s->start[g->edge[e][k] + 2]++;
    for (int i = 0; i < g->vertices; i++) s->start[i + 2] += s->start[i + 1];
    for (int e = 0; e < g->count; e++)
        for (int k = 0; k < 2; k++) s->other[s->start[g->edge[e][k] + 1]++] = g->edge[e][1 - k];
    return true;
}

/* Numbers the connected parts in the order of their first laws; parts without laws are none. */
static int find_islands(search *s) {
    int count = 0;
    for (int i = 0; i < s->g->vertices; i++) s->part[i] = -1;
    for (int i = 0; i < s->g->n; i++) {
        if (s->part[i] >= 0) continue;
        int head = 0, tail = 0;
        s->queue[tail++] = i;
        s->part[i] = count;
        while (head < tail) {
            int at = s->queue[head++];
            for (int e = s->start[at]; e < s->start[at + 1]; e++)
                if (s->part[s->other[e]] < 0) s->part[s->other[e]] = count, s->queue[tail++] = s->other[e];
        }
        count++;
    }
    return count;
}

/* From all loaded laws at once, level by level. */
static void spread(search *s) {
    const pp_law_graph *g = s->g;
    int head = 0, tail = 0;
    memset(s->near, 0, sizeof *s->near * (size_t)(g->vertices > 0 ? g->vertices : 1));
    for (int i = 0; i < g->vertices; i++) s->level[i] = -1;
    for (int i = 0; i < g->n; i++) {
        if (!(g->q[i] > LOADED * seen(g, i, s->island[s->part[i]]))) continue;
        s->level[i] = 0;
        s->near[i] = of_law(g, i);
        s->queue[tail++] = i;
    }
    while (head < tail) { /* a vertex is complete before it is taken: its sources all are of the level before */
        int at = s->queue[head++];
        for (int e = s->start[at]; e < s->start[at + 1]; e++) {
            int o = s->other[e];
            if (s->level[o] < 0) s->level[o] = s->level[at] + 1, s->queue[tail++] = o;
            if (s->level[o] == s->level[at] + 1) take(&s->near[o], s->near[at]);
        }
    }
}

bool pp_laws_make(pp_laws *l, const pp_law_graph *g, pp_arena *arena) {
    search s = {.g = g};
    *l = (pp_laws){.n = g->n};
    l->scale = PP_ARENA_ARRAY(arena, double, g->n);
    l->island = PP_ARENA_ARRAY(arena, int, g->n);
    pp_arena_mark mark = pp_arena_here(arena);
    s.part = PP_ARENA_ARRAY(arena, int, g->vertices);
    s.level = PP_ARENA_ARRAY(arena, int, g->vertices);
    s.queue = PP_ARENA_ARRAY(arena, int, g->vertices);
    s.near = PP_ARENA_ARRAY(arena, sizes, g->vertices);
    s.island = PP_ARENA_ZERO(arena, sizes, g->n);
    bool got = l->scale && l->island && s.part && s.level && s.queue && s.near && s.island && neighbours(&s, arena);
    if (got) {
        sizes all = {0};
        l->islands = find_islands(&s);
        for (int i = 0; i < g->n; i++) take(&s.island[s.part[i]], of_law(g, i));
        for (int k = 0; k < l->islands; k++) take(&all, s.island[k]);
        spread(&s);
        for (int i = 0; i < g->n; i++) {
            l->island[i] = s.part[i];
            double most = seen(g, i, s.island[s.part[i]]);
            double v = fmax(seen(g, i, s.near[i]), FLOOR * most);
            if (!(v > 0)) v = seen(g, i, all);
            l->scale[i] = v > 0 && v < INFINITY ? v : 1;
        }
    }
    pp_arena_release(arena, mark);
    return got;
}

/* ---- verdicts ---- */

perp_verdict pp_verdict_begin(const pp_laws *l) {
    return (perp_verdict){.laws = l->n, .islands = l->islands, .worst = -1};
}

void pp_verdict_add(perp_verdict *v, const pp_laws *l, int i, double violation, double noise, double tol,
                    perp_law *law) {
    if (!(violation < INFINITY)) violation = INFINITY; /* no number either */
    if (!(noise < INFINITY)) noise = INFINITY;
    double scale = l->scale[i];
    /* if impulses are so large that the velocities of the data are lost in rounding, the law is not satisfied even if its sum is 0 */
    if (noise > PP_NOISY * scale) violation = fmax(violation, noise);
    double figure = violation / scale;
    bool rounding = violation <= ROUNDING * noise && noise <= PP_NOISY * scale;
    perp_law_state state = figure <= tol ? PERP_LAW_HOLDS : rounding ? PERP_LAW_ROUNDING : PERP_LAW_VIOLATED;
    if (state == PERP_LAW_ROUNDING) v->rounding++;
    if (state == PERP_LAW_VIOLATED) {
        if (v->violated++ == 0 || figure > v->worst_violation) v->worst = i;
        v->worst_violation = fmax(v->worst_violation, figure);
    } else if (v->violated == 0 && (v->worst < 0 || figure > v->figure)) {
        v->worst = i;
    }
    v->figure = fmax(v->figure, figure);
    if (noise > tol * scale) v->blind++;
    if (law) *law = (perp_law){violation, scale, noise, l->island[i], state};
}

void pp_verdict_end(perp_verdict *v) { v->solved = v->violated == 0; }
