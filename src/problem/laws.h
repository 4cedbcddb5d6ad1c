/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* laws.h - scales of the laws: velocities in the data, from the neighbourhood of each law. */
#ifndef PP_LAWS_H
#define PP_LAWS_H

#include "base/memory.h"
#include "perp/judge.h"

/* [1] If the rounding error of a law's velocity is above this fraction of its scale, the law cannot be checked. */
#define PP_NOISY 1e-3

/* Laws and what they share, as a graph. Vertices 0 .. n - 1 are the laws; others (bodies) only join them. */
typedef struct pp_law_graph {
    int n, vertices;
    int (*edge)[2]; /* grows; either order, may repeat */
    int count, cap;
    perp_allocator alloc;
    double *q;      /* n: size of the law's velocity without impulses, >= 0 */
    double *D;      /* n: inverse mass, > 0 */
    bool *velocity; /* n: q is a speed that compares with that of others as it is; otherwise q/sqrt(D) does */
} pp_law_graph;

/* False if memory is refused. */
bool pp_law_edge(pp_law_graph *g, int a, int b);

/* Scales and islands of the laws. */
typedef struct pp_laws {
    int n, islands;
    double *scale; /* n: v, > 0 */
    int *island;   /* n */
} pp_laws;

/* In the arena. False if memory is refused. */
bool pp_laws_make(pp_laws *l, const pp_law_graph *g, pp_arena *arena);

/* Adds law i with its violation and noise to the verdict; *law (may be NULL) is written. */
void pp_verdict_add(perp_verdict *v, const pp_laws *l, int i, double violation, double noise, double tol,
                    perp_law *law);

/* Starts an empty verdict on l->n laws; completes it after all laws were added. */
perp_verdict pp_verdict_begin(const pp_laws *l);
void pp_verdict_end(perp_verdict *v);

/* perp_step_problem_judge() with memory of the arena, which is free again afterwards. False if memory is refused. */
bool pp_step_judge(const perp_step_problem *p, const perp_step_solution *s, double tol, pp_arena *arena,
                   perp_verdict *out, perp_law *law);

#endif
