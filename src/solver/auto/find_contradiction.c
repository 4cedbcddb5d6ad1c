/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* find_contradiction.c - searches multipliers that prove that a problem has no solution (perp/contradiction.h)
 * Problem  Cones: y >= 0 on normals and lower limits, any sign on joints, with W y = 0 and q . y < 0. LCP: y >= 0 with M'y <= 0 and q . y < 0,
 *          and likewise with bounds.
 * Method   Farkas' alternative is written as a least squares problem, which always has a solution: |A y|^2/2 + (q . y + 1)^2/2 over the signs
 *          of y is 0 exactly at a proof. For cones |A y|^2 = y'W y over the rows that can take part. So this is the frictionless problem with
 *          a weight t = q . y + 1 on the closing velocities: t > 0 gives its loads y/t, t = 0 a proof. For an LCP A y = M'y + s with slacks
 *          s >= 0. Both are LCPs with a positive semidefinite matrix, in units in which its diagonal is about 1. Lemke's method solves them;
 *          its solutions are basic and so have few multipliers. They are refined on their basis. Joints occur twice, with both signs.
 *          Without a proof, friction problems are tested for a velocity with u_N >= mu |u_T| + s v, s > 0: if there is one, the cone QP
 *          with q_N reduced by s v is solvable, and its solution shows the velocity.
 * Valid    Up to PP_PIVOTING_MOST rows. Other code checks every result (contradict.c).
 * Cost     Pivoting: about n^3.
 * Source   Farkas (1902); Cottle, Pang, Stone (1992), 2.9 and 4.4; Acary, Cadoux (2013) for the criterion of existence. */
#include <math.h>
#include <string.h>

#include "linalg/linalg.h"
#include "problem/judge/contradict.h"
#include "problem/law.h"
#include "problem/judge/measure.h"
#include "solver/auto/auto.h"
#include "solver/auto/find_contradiction.h"
#include "solver/auto/refine.h"
#include "solver/common/solver.h"
#include "base/elementary.h"

/* Constants: [unit] meaning, and what happens at half and double of it (tools/perturb; docs/constants.md has all of them). */

/* [1] Velocity that separates contacts beyond rounding, as a fraction of their scales; for larger t there is no
 * contradiction. Half and double: other bits only. */
#define APART 1e-6
/* [1] Relative accuracy of that velocity. Half and double: other bits only. */
#define DIGITS 1e-2

typedef struct finder {
    const perp_call *call;
    const perp_problem *p;
    perp_judge *judge;
    int m;           /* rows of p */
    int n;           /* variables of the LCP */
    int *row, *sign; /* n: row of p that a variable multiplies, and with which sign; row m + j: slack of row j */
    double *unit;    /* m: y_k = unit_k times the variable */
    double *M, *q, *z;
} finder;

static bool is_cone(const perp_problem *p) { return p->cls == PERP_CONE || p->cls == PERP_CONE_QP; }

/* Index of the law to which row k belongs. */
static int law_of(const perp_problem *p, int k) {
    const perp_cone *c = &p->as.cone;
    return is_cone(p) && k >= c->nrow ? c->nrow + (k - c->nrow) / c->dim : k;
}

static bool room(finder *f, int most) {
    f->row = PP_CALL_ARRAY(f->call, int, most);
    f->sign = PP_CALL_ARRAY(f->call, int, most);
    f->unit = PP_CALL_ARRAY(f->call, double, f->m);
    return f->row && f->sign && f->unit;
}

/* Chooses the variables: rows that can take part, of the requested islands. Returns false if there are too many. */
static bool choose(finder *f, const bool *island, int most) {
    const pp_laws *laws = pp_judge_laws(f->judge);
    for (int k = 0; k < f->m; k++) {
        int sign = pp_multiplier_sign(f->p, k);
        if (sign == 0 || (island && !island[laws->island[law_of(f->p, k)]])) continue;
        for (int way = 0; way < (sign == 2 ? 2 : 1); way++) {
            if (f->n == most) return false;
            f->row[f->n] = k;
            f->sign[f->n++] = sign == 2 ? 1 - 2 * way : sign;
        }
    }
    return true;
}

/* M += g g', q = g, with g scaled so that its largest entry is 1; diag: the diagonal of the matrix. Returns false if
 * nothing closes. */
static bool weigh_closing(finder *f, const double *g) {
    double most = 0;
    bool closes = false;
    for (int i = 0; i < f->n; i++) pp_worsen(&most, g[i]), closes = closes || g[i] < 0;
    if (!closes || !(most > 0 && most < INFINITY)) return false;
    for (int i = 0; i < f->n; i++) f->q[i] = g[i] / most;
    for (int k = 0; k < f->n; k++)
        for (int i = 0; i < f->n; i++) f->M[i + (ptrdiff_t)f->n * k] += f->q[i] * f->q[k];
    return true;
}

static bool arrays(finder *f, double **g) {
    size_t n = (size_t)f->n;
    f->M = PP_CALL_ARRAY(f->call, double, n *n);
    f->q = PP_CALL_ARRAY(f->call, double, n);
    f->z = PP_CALL_ARRAY(f->call, double, n);
    *g = PP_CALL_ARRAY(f->call, double, n);
    if (!f->M || !f->q || !f->z || !*g) return false;
    memset(f->M, 0, sizeof *f->M * n * n);
    memset(f->z, 0, sizeof *f->z * n);
    return true;
}

/* The rows of W that can take part, in units of diagonal 1, symmetric part. */
static perp_status pose_cone(finder *f, bool *posed) {
    pp_cone_judge *j = f->judge->cone, plain = *j;
    double *g, *zero = PP_CALL_ARRAY(f->call, double, j->m + j->n), *r = PP_CALL_ARRAY(f->call, double, j->m),
               *u = PP_CALL_ARRAY(f->call, double, j->m);
    if (!arrays(f, &g) || !zero || !r || !u) return PERP_E_MEMORY;
    memset(zero, 0, sizeof *zero * (size_t)(j->m + j->n));
    memset(r, 0, sizeof *r * (size_t)j->m);
    plain.p.f = plain.p.b = plain.p.q = zero;
    for (int k = 0; k < f->m; k++) f->unit[k] = j->diag[k] > 0 ? 1 / sqrt(j->diag[k]) : sqrt(j->rho[law_of(f->p, k)]);
    for (int v = 0; v < f->n; v++) {
        int k = f->row[v];
        r[k] = f->unit[k];
        pp_cone_judge_velocity(&plain, r, u, NULL);
        r[k] = 0;
        for (int i = 0; i < f->n; i++) {
            double a = 0.5 * f->sign[i] * f->sign[v] * f->unit[f->row[i]] * u[f->row[i]];
            f->M[i + (ptrdiff_t)f->n * v] += a;
            f->M[v + (ptrdiff_t)f->n * i] += a;
        }
        g[v] = f->sign[v] * f->unit[k] * j->q[k];
    }
    *posed = weigh_closing(f, g);
    return PERP_OK;
}

/* Column k of the matrix of an LCP or mixed LCP, dense. */
static void column_of(const perp_problem *p, int k, double *out) {
    int n = perp_problem_size(p);
    if (p->cls != PERP_SPARSE_MLCP) {
        const double *M = p->cls == PERP_LCP ? p->as.lcp.M : p->as.mlcp.M;
        memcpy(out, M + (ptrdiff_t)n * k, sizeof *out * (size_t)n);
        return;
    }
    const perp_sparse *M = &p->as.sparse_mlcp.M;
    memset(out, 0, sizeof *out * (size_t)n);
    for (int e = M->start[k]; e < M->start[k + 1]; e++) out[M->index[e]] = M->value[e];
}

/* A'A of A = (C M'S, +-1), C and S units of variables and rows; slacks where a variable has one bound. */
static perp_status pose_linear(finder *f, int most, bool *posed) {
    const perp_problem *p = f->p;
    bool scaled = p->z_scale || p->w_scale;
    const double *q = p->cls == PERP_LCP ? p->as.lcp.q : p->cls == PERP_MLCP ? p->as.mlcp.q : p->as.sparse_mlcp.q;
    int nmultiplier = f->n;
    for (int k = 0; k < f->m; k++) {
        int sign = pp_multiplier_sign(p, k);
        if (sign == 0 || sign == 2) continue; /* M'y = 0 there */
        if (f->n == most) return PERP_OK;
        f->row[f->n] = f->m + k;
        f->sign[f->n++] = sign;
    }
    double *g, *column = PP_CALL_ARRAY(f->call, double, f->m), *line = PP_CALL_ARRAY(f->call, double, f->n);
    if (!arrays(f, &g) || !column || !line) return PERP_E_MEMORY;
    for (int k = 0; k < f->m; k++)
        f->unit[k] = scaled ? 1 / (p->w_scale ? p->w_scale[k] : 1) : 1 / sqrt(pp_judge_inverse(f->judge, k));
    for (int k = 0; k < f->m; k++) { /* one row of A at a time */
        double C = scaled ? (p->z_scale ? p->z_scale[k] : 1) : f->unit[k], lo, hi;
        pp_box_bounds(p, k, &lo, &hi);
        column_of(p, k, column);
        for (int v = 0; v < f->n; v++) {
            int row = f->row[v];
            line[v] = v < nmultiplier ? C * column[row] * f->unit[row] * f->sign[v] : row == f->m + k ? f->sign[v] : 0;
            if (v >= nmultiplier && row == f->m + k) g[v] = -(f->sign[v] > 0 ? lo : -hi) / C; /* (M'y)_k = -s/C */
        }
        for (int v = 0; v < f->n; v++)
            for (int i = 0; line[v] != 0 && i < f->n; i++) f->M[i + (ptrdiff_t)f->n * v] += line[i] * line[v];
    }
    for (int v = 0; v < nmultiplier; v++) g[v] = f->sign[v] * f->unit[f->row[v]] * q[f->row[v]];
    *posed = weigh_closing(f, g);
    return PERP_OK;
}

/* Solves the LCP; y: the multipliers. *found: t is nearly 0. */
static perp_status solve(finder *f, double *y, bool *found) {
    perp_problem lcp = {.cls = PERP_LCP, .as.lcp = {f->n, f->M, f->q}};
    perp_call call = *f->call;
    perp_solve_info info;
    pp_settings settings;
    call.watch = NULL;
    call.judge = NULL;
    call.judged = NULL;
    call.enough = NULL;
    pp_settings_default(&pp_solver_lemke, 0, &settings);
    perp_status s = pp_solve_within(&call, &pp_solver_lemke, &settings, &lcp, f->z, &info);
    if (s) return s;
    perp_judge *judge;
    s = perp_judge_new(&lcp, &f->judge->alloc, &judge);
    if (!s) s = pp_refine(&call, &lcp, judge, 1e-16, f->z, &info); /* to full accuracy */
    perp_judge_free(judge);
    if (s) return s;
    double t = 1, most = 0;
    for (int v = 0; v < f->n; v++) t += f->q[v] * f->z[v];
    memset(y, 0, sizeof *y * (size_t)f->m);
    for (int v = 0; v < f->n; v++)
        if (f->row[v] < f->m) y[f->row[v]] += f->sign[v] * f->unit[f->row[v]] * fmax(0, f->z[v]);
    for (int k = 0; k < f->m; k++) pp_worsen(&most, y[k] / f->unit[k]);
    for (int k = 0; k < f->m; k++)
        if (fabs(y[k] / f->unit[k]) <= PP_RANK_TOL * most) y[k] = 0;
    *found = fabs(t) <= APART && most > 0;
    return PERP_OK;
}

/* Is there a velocity that separates all contacts? Tested on the cone QP with contacts that close a little faster. */
static perp_status ask_wedged(const perp_call *call, const perp_problem *p, perp_judge *judge, perp_existence *out) {
    const perp_cone *c = &p->as.cone;
    const pp_laws *laws = pp_judge_laws(judge);
    perp_problem qp = {.cls = PERP_CONE_QP, .as.cone = *c};
    int m = perp_problem_size(p);
    double *q = PP_CALL_ARRAY(call, double, m), *r = PP_CALL_ARRAY(call, double, m),
           *u = PP_CALL_ARRAY(call, double, m);
    if (!laws || !q || !r || !u) return PERP_E_MEMORY;
    perp_call own = *call;
    own.watch = NULL;
    own.judge = NULL;
    own.judged = NULL;
    own.enough = NULL;
    own.terse = own.by_speed = true;
    memcpy(q, c->global ? c->b : c->q, sizeof *q * (size_t)m);
    memset(r, 0, sizeof *r * (size_t)m);
    for (int i = 0; i < c->ncontact; i++) q[c->nrow + c->dim * i] -= APART * laws->scale[c->nrow + i];
    if (c->global)
        qp.as.cone.b = q;
    else
        qp.as.cone.q = q;
    perp_solve_info info = {0};
    perp_outcome o = pp_auto_cone(&qp, APART * DIGITS, false, r, &own, &info);
    if (o == PERP_OUTCOME_MEMORY) return PERP_E_MEMORY;
    if (o == PERP_OUTCOME_STOPPED) return PERP_OK;
    pp_cone_judge_velocity(judge->cone, r, u, NULL);
    *out = PERP_EXISTENCE_SOME;
    for (int i = 0; i < c->ncontact; i++) {
        int at = c->nrow + c->dim * i;
        double slip = 0;
        for (int k = 1; k < c->dim; k++) slip = pp_hypot(slip, judge->cone->to_v[at + k] * u[at + k]);
        if (!(u[at] - c->mu[i] * slip >= APART / 2 * laws->scale[c->nrow + i])) *out = PERP_EXISTENCE_WEDGED;
    }
    for (int k = 0; k < c->nrow; k++) /* rows must hold, too */
        if (pp_multiplier_sign(p, k) != 0 && !(fabs(u[k]) <= APART * laws->scale[k])) *out = PERP_EXISTENCE_WEDGED;
    return PERP_OK;
}

static perp_status find(const perp_call *call, const perp_problem *p, perp_judge *judge, const bool *island, double *y,
                        perp_contradiction *out) {
    finder f = {.call = call, .p = p, .judge = judge, .m = perp_problem_size(p)};
    bool posed = false, found = false;
    if (!room(&f, PP_PIVOTING_MOST) || !pp_judge_laws(judge)) return PERP_E_MEMORY;
    if (!choose(&f, island, PP_PIVOTING_MOST)) return PERP_OK;
    perp_status s = is_cone(p) ? pose_cone(&f, &posed) : pose_linear(&f, PP_PIVOTING_MOST, &posed);
    if (!s && posed) s = solve(&f, y, &found);
    if (!s && found) s = perp_contradiction_check(p, y, out);
    return s;
}

perp_status pp_find_contradiction(const perp_call *call, const perp_problem *p, perp_judge *judge, const bool *island,
                                  double *y, perp_contradiction *out) {
    int m = perp_problem_size(p);
    *out = (perp_contradiction){0};
    memset(y, 0, sizeof *y * (size_t)m);
    if (p->cls == PERP_NCP || p->cls == PERP_QP) return PERP_OK;
    pp_arena_mark mark = pp_arena_here(call->arena);
    perp_status s = find(call, p, judge, island, y, out);
    pp_arena_release(call->arena, mark);
    if (out->existence == PERP_EXISTENCE_UNKNOWN) memset(y, 0, sizeof *y * (size_t)m);
    return s;
}

perp_status pp_check_existence(const perp_call *call, const perp_problem *p, perp_judge *judge, perp_existence *out) {
    *out = PERP_EXISTENCE_UNKNOWN;
    if (p->cls != PERP_CONE || p->as.cone.ncontact == 0 || p->as.cone.ncontact > PP_PIVOTING_MOST) return PERP_OK;
    pp_arena_mark mark = pp_arena_here(call->arena);
    perp_status s = ask_wedged(call, p, judge, out);
    pp_arena_release(call->arena, mark);
    return s;
}

perp_status perp_problem_contradict(const perp_problem *p, const perp_allocator *alloc, double *y,
                                    perp_contradiction *out) {
    if (!out || (!y && p && perp_problem_size(p) > 0)) return PERP_E_ARG;
    *out = (perp_contradiction){0};
    perp_judge *judge;
    perp_status s = perp_judge_new(p, alloc, &judge);
    if (s) return s;
    pp_arena arena;
    pp_arena_init(&arena, alloc ? *alloc : (perp_allocator){0});
    perp_call call = {.arena = &arena, .deadline = INFINITY};
    s = pp_find_contradiction(&call, p, judge, NULL, y, out);
    if (!s && out->existence == PERP_EXISTENCE_UNKNOWN) s = pp_check_existence(&call, p, judge, &out->existence);
    pp_arena_free(&arena);
    perp_judge_free(judge);
    return s;
}
