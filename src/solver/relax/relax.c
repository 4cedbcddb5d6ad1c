/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* relax.c - sweeps over the blocks of a cone problem, Gauss-Seidel and Jacobi
 *   contact i: x_i in its cone, v_i = sum_j W~_ij x_j + q~_i, Coulomb's law or the associated one between them
 * Method   Uses the scaled view (cone.h). Each block in order is solved with all others constant: exactly (cone_law.c), or by one projected
 *          step: the normal row first, then friction within the disc of the new normal impulse. In local form v_i is a block row times x.
 *          With bodies, their velocities are stored: a contact reads and changes the two that it touches, and W is never formed. Jacobi
 *          moves all blocks from the old values. That overshoots if several act on one body, so block i uses W_ii enlarged by the number
 *          of contacts on its busier body (split masses), times the largest eigenvalue of W relative to these enlarged blocks, from power
 *          iterations.
 * Valid    Associated law, W symmetric positive semidefinite: converges. Coulomb's law: usually, for moderate mu; slowly for stacks and large
 *          mass ratios.
 * Cost     A sweep: twice the entries of W, or four times those of H, and a small solve per contact.
 * Source   Jean, The non-smooth contact dynamics method (1999); Jourdan, Alart, Jean, A Gauss-Seidel like algorithm to
 *          solve frictional contact problems (1998); Tonge, Benevolenski, Voroshilov, Mass splitting for jitter-free
 *          parallel rigid body simulation (2012) for Jacobi. */
#include "solver/relax/relax.h"

#include <math.h>
#include <string.h>

#include "linalg/linalg.h"
#include "solver/cone/cone_law.h"
#include "solver/relax/pace.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [1] Added to the diagonal of a block in the estimate of bounds; its mean is 1. Directions on which a block has no
 * effect are left to the others. */
#define BLOCK_LEAST 1e-8

/* y += A x, A rows x cols column-major. */
static inline void add_product(int rows, int cols, const double *restrict A, const double *restrict x,
                               double *restrict y) {
    if (rows == 3) {
        double a = y[0], b = y[1], c = y[2];
        for (int j = 0; j < cols; j++, A += 3) a += A[0] * x[j], b += A[1] * x[j], c += A[2] * x[j];
        y[0] = a, y[1] = b, y[2] = c;
        return;
    }
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) y[i] += A[i + rows * j] * x[j];
}

static inline int node_size(const pp_cone *c, int node) { return c->node[node + 1] - c->node[node]; }

void pp_cone_sweeps_velocity(const pp_cone_sweeps *s, int i, double *v) {
    const pp_cone *c = &s->c;
    int rows = pp_cone_rows(c, i), first = c->first[i];
    for (int r = 0; r < rows; r++) v[r] = c->q[first + r];
    for (int e = c->row[i]; e < c->row[i + 1]; e++) {
        int o = c->entry[e].other;
        if (c->body)
            add_product(rows, node_size(c, o), c->entry[e].value, s->y + c->node[o], v);
        else
            add_product(rows, pp_cone_rows(c, o), c->entry[e].value, s->x + c->first[o], v);
    }
    for (int r = 0; r < rows && c->c; r++) v[r] += c->c[first + r] * s->x[first + r];
}

void pp_cone_sweeps_move(pp_cone_sweeps *s, int i, const double *dx) {
    const pp_cone *c = &s->c;
    int rows = pp_cone_rows(c, i);
    for (int r = 0; r < rows; r++) s->x[c->first[i] + r] += dx[r];
    for (int e = c->row[i]; e < c->row[i + 1] && c->body; e++) {
        int o = c->entry[e].other;
        add_product(node_size(c, o), rows, s->B[e], dx, s->y + c->node[o]);
    }
}

void pp_cone_sweeps_refresh(pp_cone_sweeps *s) {
    const pp_cone *c = &s->c;
    if (c->body) {
        memset(s->y, 0, sizeof *s->y * (size_t)c->ndof);
        for (int i = 0; i < c->nblock; i++)
            for (int e = c->row[i]; e < c->row[i + 1]; e++) {
                int o = c->entry[e].other;
                add_product(node_size(c, o), pp_cone_rows(c, i), s->B[e], s->x + c->first[i], s->y + c->node[o]);
            }
    }
    for (int i = 0; i < c->nblock; i++) pp_cone_sweeps_velocity(s, i, s->v + c->first[i]);
}

static double norm(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* The larger of the measure of the scaled problem and that of the judge, which has impulses in one unit. */
double pp_cone_sweeps_measure(void *self) {
    pp_cone_sweeps *s = self;
    const pp_cone *c = &s->c;
    pp_cone_sweeps_refresh(s);
    double most = 0, unit = 0, e[PERP_CONE_ROWS];
    for (int i = 0; i < c->nblock; i++) {
        int first = c->first[i], rows = pp_cone_rows(c, i);
        double size = fmax(norm(rows, s->x + first), norm(rows, c->q + first));
        most = fmax(most, c->scale[first] * pp_cone_natural(c, i, s->x + first, s->v + first, e));
        unit = fmax(unit, c->scale[first] * size);
    }
    double scaled = pp_cone_measure(c, s->x, s->v);
    return isfinite(scaled) && unit > 0 ? fmax(scaled, most / unit) : scaled;
}

static void admit_block(const pp_cone *c, int i, double *x) {
    if (i >= c->nrow)
        pp_cone_project(c->dim, c->mu[i], x);
    else
        x[0] = x[0] < c->lo[i] ? c->lo[i] : x[0] > c->hi[i] ? c->hi[i] : x[0];
}

void pp_cone_sweeps_admit(void *self) {
    pp_cone_sweeps *s = self;
    for (int i = 0; i < s->c.nblock; i++) admit_block(&s->c, i, s->x + s->c.first[i]);
}

void pp_cone_sweeps_answer(void *self, const double *x, double *z) {
    pp_cone_sweeps *s = self;
    pp_cone_unscale(&s->c, x, z);
}

/* One projected step of block i from x with velocity v, with W~_ii multiplied by `slow`. */
static void projected_step(const pp_cone_sweeps *s, int i, double slow, const double *v, double *x) {
    const pp_cone *c = &s->c;
    const double *W = c->diag + c->square * i;
    int n = c->dim;
    double f = s->bound[i] / slow;
    if (i < c->nrow || c->associated) {
        int rows = pp_cone_rows(c, i);
        for (int r = 0; r < rows; r++) x[r] -= f * v[r];
        admit_block(c, i, x);
        return;
    }
    double load = W[0] > 0 ? fmax(0, x[0] - v[0] / (slow * W[0])) : 0, friction = 0;
    for (int r = 1; r < n; r++) {
        x[r] -= f * (v[r] + W[r] * slow * (load - x[0]));
        friction += x[r] * x[r];
    }
    double most = c->mu[i] * load;
    friction = sqrt(friction);
    for (int r = 1; r < n && friction > most; r++) x[r] *= most / friction;
    x[0] = load;
}

/* The target of block i: its solution with all others fixed. */
static void block_target(const pp_cone_sweeps *s, int i, double slow, const double *v, const double *x, double *next) {
    const pp_cone *c = &s->c;
    const double *W = c->diag + c->square * i;
    int rows = pp_cone_rows(c, i);
    if (s->o->exact) {
        double q[PERP_CONE_ROWS], V[PP_CONE_SQUARE];
        for (int k = 0; k < rows * rows; k++) V[k] = slow * W[k];
        memcpy(q, v, sizeof *q * (size_t)rows);
        for (int j = 0; j < rows; j++)
            for (int r = 0; r < rows; r++) q[r] -= V[r + rows * j] * x[j]; /* cppcheck-suppress uninitvar */
        if (i >= c->nrow && slow != 1) {
            if (pp_law_solve(c->dim, V, c->mu[i], c->associated, q, next)) return;
        } else if (i >= c->nrow) {
            if (pp_cone_solve_block(c, i, q, next)) return;
        }
    }
    memcpy(next, x, sizeof *next * (size_t)rows);
    projected_step(s, i, slow, v, next);
}

/* x_i + f (next - x_i), in the cone; the change goes to next. */
static void relax_block(const pp_cone *c, int i, double f, const double *x, double *next) {
    int rows = pp_cone_rows(c, i);
    if (f != 1)
        for (int r = 0; r < rows; r++) next[r] = x[r] + f * (next[r] - x[r]);
    if (f > 1) admit_block(c, i, next);
    for (int r = 0; r < rows; r++) next[r] -= x[r];
}

static double gauss_seidel(void *self, double step) {
    pp_cone_sweeps *s = self;
    const pp_cone *c = &s->c;
    double most = 0, e[PERP_CONE_ROWS], v[PERP_CONE_ROWS], next[PERP_CONE_ROWS];
    int last = c->nblock - 1;
    for (int count = 0; count < (s->o->symmetric ? 2 : 1) * c->nblock; count++) {
        int i = count <= last ? count : 2 * last + 1 - count;
        const double *x = s->x + c->first[i];
        pp_cone_sweeps_velocity(s, i, v);
        double r = pp_cone_natural(c, i, x, v, e);
        if (r > most) most = r;
        if (r == 0) continue;
        block_target(s, i, 1, v, x, next);
        relax_block(c, i, step * s->o->relaxation, x, next);
        pp_cone_sweeps_move(s, i, next);
    }
    return most;
}

static double jacobi(void *self, double step) {
    pp_cone_sweeps *s = self;
    const pp_cone *c = &s->c;
    double most = 0, e[PERP_CONE_ROWS];
    pp_cone_sweeps_refresh(s);
    for (int i = 0; i < c->nblock; i++) {
        const double *x = s->x + c->first[i], *v = s->v + c->first[i];
        double *next = s->target + c->first[i], r = pp_cone_natural(c, i, x, v, e);
        if (r > most) most = r;
        block_target(s, i, s->slow[i] / step, v, x, next);
        relax_block(c, i, s->o->relaxation, x, next);
    }
    for (int k = 0; k < c->m; k++) s->x[k] += s->target[k];
    return most;
}

/* Sums of absolute values in rows: not smaller than the largest eigenvalue. */
static void find_bounds(pp_cone_sweeps *s) {
    const pp_cone *c = &s->c;
    for (int i = 0; i < c->nblock; i++) {
        const double *W = c->diag + c->square * i;
        int rows = pp_cone_rows(c, i), from = i < c->nrow || c->associated ? 0 : 1;
        double most = 0;
        for (int r = from; r < rows; r++) {
            double sum = 0;
            for (int j = from; j < rows; j++) sum += fabs(W[r + rows * j]);
            most = fmax(most, sum);
        }
        s->bound[i] = most > 0 ? 1 / most : 1;
    }
}

static bool precompute_bodies(pp_cone_sweeps *s, const perp_call *call) {
    const pp_cone *c = &s->c;
    size_t numbers = 0;
    for (int i = 0; i < c->nblock; i++)
        for (int e = c->row[i]; e < c->row[i + 1]; e++)
            numbers += (size_t)(node_size(c, c->entry[e].other) * pp_cone_rows(c, i));
    s->y = PP_CALL_ARRAY(call, double, c->ndof);
    s->B = PP_CALL_ARRAY(call, double *, c->row[c->nblock]);
    double *B = perp_call_memory(call, sizeof *B * numbers);
    if (!s->y || !s->B || !B) return false;
    memset(B, 0, sizeof *B * numbers);
    for (int i = 0; i < c->nblock; i++)
        for (int e = c->row[i]; e < c->row[i + 1]; e++) {
            int node = c->entry[e].other, n = node_size(c, node), rows = pp_cone_rows(c, i);
            const double *H = c->entry[e].value; /* rows x n */
            s->B[e] = B;
            for (int r = 0; r < rows; r++)
                for (int j = 0; j < n; j++)
                    for (int k = 0; k < n; k++) B[k + n * r] += c->Minv[node][k + n * j] * H[r + rows * j];
            B += n * rows;
        }
    return true;
}

/* Number of blocks that act on the same bodies as block i. */
static bool count_sharing(pp_cone_sweeps *s, const perp_call *call) {
    const pp_cone *c = &s->c;
    int *users = PP_CALL_ARRAY(call, int, c->body ? c->nnode : 1);
    if (!users) return false;
    for (int k = 0; k < c->nnode && c->body; k++) users[k] = 0;
    for (int e = 0; e < c->row[c->nblock] && c->body; e++) users[c->entry[e].other]++;
    for (int i = 0; i < c->nblock; i++) {
        const double *W = c->diag + c->square * i;
        int rows = pp_cone_rows(c, i);
        double sum = 1, own = norm(rows * rows, W);
        for (int e = c->row[i]; e < c->row[i + 1]; e++) {
            int o = c->entry[e].other;
            if (c->body)
                sum = fmax(sum, users[o]);
            else if (o != i && own > 0)
                sum += norm(rows * pp_cone_rows(c, o), c->entry[e].value) / own;
        }
        s->slow[i] = sum;
    }
    return true;
}

/* Largest eigenvalue of W relative to its own blocks, each multiplied by `slow`, by some power iterations, with a
 * safety factor. */
static double largest_eigenvalue(pp_cone_sweeps *s, double *x) {
    const pp_cone *c = &s->c;
    double lambda = 1;
    for (int i = 0; i < c->m; i++) x[i] = 1 + 0.3 * (i % 7) - 0.2 * (i % 5); /* a vector that is unlikely to miss it */
    for (int step = 0; step < PP_POWER_STEPS; step++) {
        double before = norm(c->m, x);
        pp_cone_apply(c, x, s->v);
        for (int i = 0; i < c->nblock; i++) {
            int rows = pp_cone_rows(c, i), first = c->first[i], piv[PERP_CONE_ROWS];
            double D[PP_CONE_SQUARE];
            memcpy(D, c->diag + c->square * i, sizeof *D * (size_t)(rows * rows));
            for (int r = 0; r < rows; r++) {
                D[r + rows * r] += BLOCK_LEAST;
                x[first + r] = s->v[first + r] / s->slow[i];
            }
            if (pp_lu(rows, D, rows, piv)) pp_lu_solve(rows, D, rows, piv, 1, x + first, rows);
        }
        double after = norm(c->m, x);
        if (!(after > 0) || !(before > 0) || !isfinite(after)) return lambda;
        lambda = after / before;
        for (int k = 0; k < c->m; k++) x[k] /= after;
    }
    return lambda;
}

bool pp_cone_sweeps_on(pp_cone_sweeps *s, const pp_cone *made, const pp_relax *o, const perp_call *call) {
    *s = (pp_cone_sweeps){.c = *made, .o = o};
    const pp_cone *c = &s->c;
    s->x = PP_CALL_ARRAY(call, double, c->m);
    s->v = PP_CALL_ARRAY(call, double, c->m);
    s->slow = PP_CALL_ARRAY(call, double, c->nblock);
    s->bound = PP_CALL_ARRAY(call, double, c->nblock);
    s->target = PP_CALL_ARRAY(call, double, c->m);
    if (!s->x || !s->v || !s->slow || !s->bound || !s->target || (c->body && !precompute_bodies(s, call))) return false;
    find_bounds(s);
    if (!o->together) return true;
    if (!count_sharing(s, call)) return false;
    double lambda = PP_POWER_SAFE * largest_eigenvalue(s, s->target);
    for (int i = 0; i < c->nblock; i++) s->slow[i] = s->slow[i] > 1 ? fmax(1, lambda * s->slow[i]) : 1;
    return true;
}

bool pp_cone_sweeps_make(pp_cone_sweeps *s, const perp_problem *p, const pp_relax *o, const double *z,
                         const perp_call *call, perp_outcome *why) {
    bool singular = false;
    pp_cone c;
    *why = PERP_OUTCOME_MEMORY;
    if (!pp_cone_make(&c, p, call, &singular)) {
        if (singular) *why = PERP_OUTCOME_NUMERICS;
        return false;
    }
    if (!pp_cone_sweeps_on(s, &c, o, call)) return false;
    pp_cone_scale(&s->c, z, s->x);
    pp_cone_sweeps_admit(s);
    return true;
}

typedef perp_outcome loop(pp_sweeper *, const pp_relax *, const perp_call *, perp_solve_info *);

static perp_outcome drive(const perp_problem *p, const pp_relax *o, loop *run, double *z, const perp_call *call,
                          perp_solve_info *info) {
    pp_cone_sweeps s;
    perp_outcome outcome;
    info->iterations = 0;
    info->warm = false;
    for (int i = 0; i < perp_problem_size(p); i++)
        if (z[i] != 0) info->warm = true;
    if (!pp_cone_sweeps_make(&s, p, o, z, call, &outcome)) {
        info->warm = false;
        return outcome;
    }
    pp_sweeper sweeper = {.n = s.c.m,
                          .x = s.x,
                          .out = z,
                          .every = perp_call_watched(call) ? 1 : 4,
                          .self = &s,
                          .sweep = o->together ? jacobi : gauss_seidel,
                          .measure = pp_cone_sweeps_measure,
                          .admit = pp_cone_sweeps_admit,
                          .answer = pp_cone_sweeps_answer};
    outcome = run(&sweeper, o, call, info);
    pp_cone_unscale(&s.c, s.x, z);
    if (outcome != PERP_OUTCOME_SOLVED) info->warm = false;
    return outcome;
}

perp_outcome pp_cone_relax(const perp_problem *p, const pp_relax *o, double *z, const perp_call *call,
                           perp_solve_info *info) {
    return drive(p, o, pp_relax_run, z, call, info);
}

perp_outcome pp_cone_nncg(const perp_problem *p, const pp_relax *o, double *z, const perp_call *call,
                          perp_solve_info *info) {
    return drive(p, o, pp_nncg_run, z, call, info);
}
