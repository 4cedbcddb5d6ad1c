/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* ipm_cone.c - converts a cone-constrained QP to the form of the interior point method
 *   x in the cones, v = W~ x + q~ in the dual cones, perpendicular (no De Saxce term); bounded rows beside them
 * Method   z = F^-1 x and w = F v with F = f diag(1/mu, 1, ..) both lie in the Lorentz cone; f = min(mu, 1) keeps the diagonal of F W~ F at
 *          most 1. Systems (C + E F W~ F) dz = b are solved as (C F^-1 + E F W~) dx = b, dx = F dz, by cone_linear.h: in body space if W~
 *          is not formed, otherwise in the space of the rows. A contact without friction has no interior: its normal row is a bounded row
 *          and its tangential rows are dropped, as are bounded rows with lo = hi.
 * Source   Andersen, Roos, Terlaky, Math. Prog. 95 (2003); Acary, Cadoux, Lemarechal, Malick, ZAMM 91 (2011) for the
 *          problem. */
#include <math.h>
#include <string.h>

#include "base/rounding.h"
#include "solver/cone/cone_figure.h"
#include "solver/cone/cone_linear.h"
#include "solver/interior/ipm.h"
#include "solver/common/solver.h"

/* Constants: [unit] meaning; docs/constants.md says what happens at half and double of each. */

/* [steps] Largest number of refinement steps of a linear system. */
#define REFINEMENTS 4
/* [1] A linear system counts as not solved if its relative residual exceeds this. */
#define LOST 0.1

typedef struct cone_view {
    pp_cone c;
    pp_cone_linear linear;
    pp_cone_figure figure;
    int *at;            /* m: place of each row, -1 if dropped */
    double *factor;     /* m: x = factor z */
    double *fixed;      /* m: value where dropped, else 0 */
    int nbox, ncone;    /* counts */
    double *x, *v, *dx; /* m each */
    double *C, *E;      /* nblock x square */
} cone_view;

/* x of a point, moved exactly into the cones and bounds. */
static void take_rows(const cone_view *k, const double *z, double *x) {
    const pp_cone *c = &k->c;
    for (int i = 0; i < c->m; i++) x[i] = k->at[i] < 0 ? k->fixed[i] : k->factor[i] * z[k->at[i]];
    for (int i = 0; i < c->nrow; i++) x[i] = fmin(fmax(x[i], c->lo[i]), c->hi[i]);
    for (int i = c->nrow; i < c->nblock; i++) pp_cone_project(c->dim, c->mu[i], x + c->first[i]);
}

static double judge(void *ctx, const double *z, double *answer) {
    cone_view *k = ctx;
    const pp_cone *c = &k->c;
    for (int i = 0; i < k->nbox + c->dim * k->ncone; i++)
        if (!isfinite(z[i])) return INFINITY;
    take_rows(k, z, k->x);
    pp_cone_unscale(c, k->x, answer);
    pp_cone_apply(c, k->x, k->v);
    for (int i = 0; i < c->m; i++) k->v[i] += c->q[i];
    return pp_cone_figure_of(&k->figure, k->x, k->v);
}

/* ---- the operator F W~ F ---- */

static void multiply(void *ctx, const double *z, double *w) {
    cone_view *k = ctx;
    for (int i = 0; i < k->c.m; i++) k->x[i] = k->at[i] < 0 ? 0 : k->factor[i] * z[k->at[i]];
    pp_cone_apply(&k->c, k->x, k->v);
    for (int i = 0; i < k->c.m; i++)
        if (k->at[i] >= 0) w[k->at[i]] = k->factor[i] * k->v[i];
}

/* Block i of C F^-1 and E F. Dropped rows have dx = 0. */
static void make_block(cone_view *k, int i, const double *C, const double *E) {
    const pp_cone *c = &k->c;
    int rows = pp_cone_rows(c, i), place = k->at[c->first[i]];
    double *Ci = k->C + c->square * i, *Ei = k->E + c->square * i;
    const double *F = k->factor + c->first[i];
    memset(Ci, 0, sizeof *Ci * (size_t)c->square);
    memset(Ei, 0, sizeof *Ei * (size_t)c->square);
    if (place < k->nbox) {
        for (int r = 0; r < rows; r++) Ci[r + rows * r] = 1;
        if (place < 0) return;
        Ci[0] = C[place] / F[0];
        Ei[0] = (E ? E[place] : 1) * F[0];
        return;
    }
    ptrdiff_t at = k->nbox + (ptrdiff_t)(place - k->nbox) * c->dim;
    for (int b = 0; b < rows; b++)
        for (int a = 0; a < rows; a++) {
            double e = E ? E[at + a + rows * b] : a == b;
            Ci[a + rows * b] = C[at + a + rows * b] / F[b];
            Ei[a + rows * b] = e * F[b];
        }
}

static bool factor(void *ctx, const double *C, const double *E) {
    cone_view *k = ctx;
    for (int i = 0; i < k->c.nblock; i++) make_block(k, i, C, E);
    return pp_cone_linear_factor(&k->linear, k->C, k->E);
}

static bool solve(void *ctx, double *z) {
    cone_view *k = ctx;
    for (int i = 0; i < k->c.m; i++) k->x[i] = k->at[i] < 0 ? 0 : z[k->at[i]];
    double off = pp_cone_linear_solve(&k->linear, k->x, k->dx, PP_ROUNDING, REFINEMENTS);
    for (int i = 0; i < k->c.m; i++)
        if (k->at[i] >= 0) {
            z[k->at[i]] = k->dx[i] / k->factor[i];
            if (!isfinite(z[k->at[i]])) return false;
        }
    return off < LOST;
}

/* ---- making it ---- */

/* Places: bounded rows, frictionless normals, then cones. */
static bool number_rows(cone_view *k, const perp_call *call) {
    const pp_cone *c = &k->c;
    double **m[] = {&k->factor, &k->fixed, &k->x, &k->v, &k->dx};
    for (size_t i = 0; i < sizeof m / sizeof *m; i++)
        if (!(*m[i] = PP_CALL_ARRAY(call, double, c->m))) return false;
    k->at = PP_CALL_ARRAY(call, int, c->m);
    k->C = PP_CALL_ARRAY(call, double, c->square * c->nblock);
    k->E = PP_CALL_ARRAY(call, double, c->square * c->nblock);
    if (!k->at || !k->C || !k->E) return false;
    for (int i = 0; i < c->m; i++) k->at[i] = -1, k->factor[i] = 1, k->fixed[i] = 0;
    for (int i = 0; i < c->nblock; i++) {
        int row = c->first[i];
        if (i >= c->nrow && c->mu[i] > PP_NEGLIGIBLE)
            k->ncone++;
        else if (i >= c->nrow || c->lo[i] < c->hi[i])
            k->at[row] = k->nbox++;
        else
            k->fixed[row] = c->lo[i];
    }
    for (int i = c->nrow, place = k->nbox; i < c->nblock; i++)
        if (c->mu[i] > PP_NEGLIGIBLE)
            for (int r = 0; r < c->dim; r++) {
                k->factor[c->first[i] + r] = fmin(c->mu[i], 1) / (r == 0 ? c->mu[i] : 1);
                k->at[c->first[i] + r] = place++;
            }
    return true;
}

static void fill(pp_ipm *s, cone_view *k) {
    const pp_cone *c = &k->c;
    for (int i = 0; i < c->nblock; i++) {
        int place = k->at[c->first[i]];
        if (place < 0 || place >= k->nbox) continue;
        s->lo[place] = i < c->nrow ? c->lo[i] : 0;
        s->hi[place] = i < c->nrow ? c->hi[i] : INFINITY;
    }
    pp_cone_apply(c, k->fixed, k->v);
    for (int i = 0; i < c->m; i++)
        if (k->at[i] >= 0) s->q[k->at[i]] = k->factor[i] * (c->q[i] + k->v[i]);
}

static bool make_guess(const cone_view *k, const double *r, double *guess) {
    bool any = false;
    pp_cone_scale(&k->c, r, k->x);
    for (int i = 0; i < k->c.m; i++) {
        if (k->at[i] >= 0) guess[k->at[i]] = k->x[i] / k->factor[i];
        any = any || r[i] != 0;
    }
    return any;
}

perp_outcome pp_ipm_cone(const perp_problem *p, double tol, int max_iterations, double *z, const perp_call *call,
                         perp_solve_info *info) {
    static const pp_ipm_operator op = {multiply, factor, solve};
    cone_view k = {0};
    pp_ipm s = {.tol = tol, .max_iterations = max_iterations, .info = info, .judge = judge, .ctx = &k, .op = &op};
    bool singular = false;
    if (!pp_cone_make(&k.c, p, call, &singular)) {
        if (singular) pp_tell(info, "the mass matrix is singular");
        return singular ? PERP_OUTCOME_NUMERICS : PERP_OUTCOME_MEMORY;
    }
    if (!number_rows(&k, call) || !pp_cone_figure_make(&k.figure, &k.c, call) ||
        !pp_cone_linear_make(&k.linear, &k.c, call))
        return PERP_OUTCOME_MEMORY;
    double *guess = PP_CALL_ARRAY(call, double, k.nbox + k.c.dim * k.ncone);
    if (!guess || !pp_ipm_make(&s, k.nbox, k.ncone, k.c.dim, k.c.m, call)) return PERP_OUTCOME_MEMORY;
    fill(&s, &k);
    return pp_ipm_run(&s, make_guess(&k, z, guess) ? guess : NULL, z);
}
