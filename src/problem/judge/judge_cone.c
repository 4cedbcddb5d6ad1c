/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* judge_cone.c - data for the verdict on friction contact problems: neighbours, velocities, rounding errors
 * Problem  laws are bounded rows and contacts (cone_judge.h). Find which of them share a body, their velocities without impulses,
 *          and the rounding errors of their velocities.
 * Method   neighbours: local form, blocks of W that are not 0; global form, dofs of M that both act on. Rounding of u:
 *              local    eps (|q| + |W| |r|)
 *              global   eps (|b| + |H'| (|v| + |M^-1| (|f| + |H| |r|)) + compliance |r|)
 *          because the error of a sum is relative to its largest terms, and impulses themselves are rounded to eps.
 * Valid    anything that perp_problem_check() accepts.
 * Cost     that of one product with the matrices. */
#include <float.h>
#include <math.h>

#include "problem/judge/cone_judge.h"
#include "problem/law.h"
#include "base/elementary.h"

static int law_of(const perp_cone *p, int row) { return row < p->nrow ? row : p->nrow + (row - p->nrow) / p->dim; }

/* Euclidean length of a vector over the rows of contact c, in the metric of the velocities. */
static double contact_length(const pp_cone_judge *j, int c, const double *x) {
    int at = j->p.nrow + j->p.dim * c;
    double sum = 0;
    for (int i = 0; i < j->p.dim; i++) sum = pp_hypot(sum, j->to_v[at + i] * x[at + i]);
    return sum;
}

static bool share(const pp_cone_judge *j, pp_law_graph *g) {
    const perp_cone *p = &j->p;
    const perp_sparse *A = p->global ? &p->H : &p->W;
    for (int k = 0; k < A->cols; k++)
        for (int e = A->start[k], last = -1; e < A->start[k + 1]; e++) {
            if (A->value[e] == 0) continue;
            int other = p->global ? g->n + j->mass.part[A->index[e]] : law_of(p, A->index[e]);
            if (other != last && !pp_law_edge(g, law_of(p, k), other)) return false;
            last = other;
        }
    return true;
}

bool pp_cone_judge_graph(const pp_cone_judge *j, pp_law_graph *g, pp_arena *arena) {
    const perp_cone *p = &j->p;
    g->n = p->nrow + p->ncontact;
    g->vertices = g->n + (p->global ? j->mass.nparts : 0);
    g->q = PP_ARENA_ARRAY(arena, double, g->n);
    g->D = PP_ARENA_ARRAY(arena, double, g->n);
    g->velocity = PP_ARENA_ARRAY(arena, bool, g->n);
    if (!g->q || !g->D || !g->velocity) return false;
    for (int i = 0; i < g->n; i++) {
        bool row = i < p->nrow;
        double lo = row && p->lo ? p->lo[i] : -INFINITY, hi = row && p->hi ? p->hi[i] : INFINITY;
        g->D[i] = 1 / j->rho[i];
        g->velocity[i] = !row;
        g->q[i] = row ? fabs(j->q[i]) : contact_length(j, i - p->nrow, j->q);
        if (row) g->q[i] = fmax(g->q[i], g->D[i] * fabs(pp_clamp(0, lo, hi))); /* impulses that have to be */
    }
    return share(j, g);
}

/* y += |A| |x| */
static void add_sizes(const perp_sparse *A, const double *x, double *y) {
    for (int k = 0; k < A->cols; k++) {
        double a = fabs(x[k]);
        if (a == 0) continue;
        for (int e = A->start[k]; e < A->start[k + 1]; e++) y[A->index[e]] += fabs(A->value[e]) * a;
    }
}

/* Sizes of the terms of u in global form. */
static void terms_global(pp_cone_judge *j, const double *r, double *u, double *y, double *terms) {
    const perp_cone *p = &j->p;
    for (int i = 0; i < j->n; i++) y[i] = fabs(p->f[i]);
    add_sizes(&p->H, r, y);
    pp_cone_judge_spread_noise(j, y);
    pp_cone_judge_velocity(j, r, u, j->v);
    for (int i = 0; i < j->n; i++) y[i] += fabs(j->v[i]);
    for (int k = 0; k < j->m; k++) {
        double sum = fabs(p->b[k]) + (p->compliance ? p->compliance[k] * fabs(r[k]) : 0);
        for (int e = p->H.start[k]; e < p->H.start[k + 1]; e++) sum += fabs(p->H.value[e]) * y[p->H.index[e]];
        terms[k] = sum;
    }
}

void pp_cone_judge_noise_of_rows(pp_cone_judge *j, const double *r, double *scratch) {
    const perp_cone *p = &j->p;
    double *terms = scratch, *u = scratch + j->m;
    if (p->global) {
        terms_global(j, r, u, u + j->m, terms);
    } else {
        for (int k = 0; k < j->m; k++) terms[k] = fabs(p->q[k]);
        add_sizes(&p->W, r, terms);
    }
    for (int k = 0; k < j->m; k++) terms[k] *= DBL_EPSILON;
}

void pp_cone_judge_noise(pp_cone_judge *j, const double *r, double *scratch, double *noise) {
    const perp_cone *p = &j->p;
    pp_cone_judge_noise_of_rows(j, r, scratch);
    for (int i = 0; i < p->nrow + p->ncontact; i++)
        noise[i] = i < p->nrow ? scratch[i] : contact_length(j, i - p->nrow, scratch);
}
