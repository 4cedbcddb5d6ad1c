/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* convex_help.h - running one solver on one problem, and random QPs whose solution is known. */
#ifndef TEST_CONVEX_HELP_H
#define TEST_CONVEX_HELP_H

#include <string.h>

#include "arena_fixture.h"
#include "check.h"
#include "oracle/random_problem.h"
#include "perp/solver.h"
#include "problem/convert/to_cone.h"
#include "solver/common/solver.h"

static inline perp_solve_info solve_to(const perp_solver_type *t, const perp_problem *p, double tol, double *z) {
    pp_settings set;
    pp_settings_default(t, tol, &set);
    perp_solve_info info;
    pp_arena_mark mark = pp_arena_here(&arena);
    assert_int_equal(pp_solve(t, &set, p, z, &arena, &info), PERP_OK);
    pp_arena_release(&arena, mark);
    return info;
}

static inline double natural_of(const perp_problem *p, const double *z) {
    perp_measures m;
    assert_int_equal(perp_problem_measure(p, z, &m), PERP_OK);
    return m.natural;
}

/* Solved by its own words and by the judge's. */
static inline perp_solve_info must_solve(const perp_solver_type *t, const perp_problem *p, double tol, double *z) {
    perp_solve_info info = solve_to(t, p, tol, z);
    double natural = natural_of(p, z);
    if (info.outcome != PERP_OUTCOME_SOLVED || !(natural <= tol))
        fail_msg("%s: %s after %d, natural %g, wanted %g", t->name, perp_outcome_text(info.outcome), info.iterations,
                 natural, tol);
    return info;
}

/* A block of mass m on the ground, pushed sideways: under Coulomb's law it slides without lifting, without De Saxce's
 * term it lifts off. Masses over so many decades to both sides of 1. */
static inline void must_slide_a_block(const perp_solver_type *solver, double decades) {
    int start[] = {0, 1, 2, 3}, index[] = {0, 1, 2};
    for (int round = 0; round < long_run(200); round++) {
        double m = pow(10, decades * rp_sym()), mu = 0.1 + 0.8 * rp_unit(), fall = rp_unit(), v = 0.05 + 2 * rp_unit(),
               way = 6.283185307179586 * rp_unit(), W[] = {1 / m, 1 / m, 1 / m},
               q[] = {-fall, v * cos(way), v * sin(way)}, r[3] = {0};
        perp_problem p = {.cls = PERP_CONE,
                          .as.cone = {.dim = 3, .ncontact = 1, .mu = &mu, .W = {3, 3, start, index, W}, .q = q}};
        must_solve(solver, &p, 1e-10, r);
        double T = fmin(m * v, mu * m * fall);
        assert_near(r[0], m * fall, 1e-8 * m);
        assert_near(r[1], -T * cos(way), 1e-8 * m);
        assert_near(r[2], -T * sin(way), 1e-8 * m);
        p.cls = PERP_CONE_QP;
        memset(r, 0, sizeof r);
        must_solve(solver, &p, 1e-10, r);
        if (v > 1.1 * mu * fall) assert_true(r[0] / m - fall > 1e-3 * mu * (v - mu * fall)); /* it lifts */
    }
}

#define QP_MOST 40

/* A QP with room for its matrices, full by columns. */
typedef struct full_qp {
    perp_problem p;
    int Qs[QP_MOST + 1], Qi[QP_MOST * QP_MOST], As[QP_MOST + 1], Ai[QP_MOST * QP_MOST];
    double Q[QP_MOST * QP_MOST], A[QP_MOST * QP_MOST], c[QP_MOST], lo[QP_MOST], hi[QP_MOST], row_lo[QP_MOST],
        row_hi[QP_MOST];
    double x[QP_MOST], y[QP_MOST]; /* the solution */
} full_qp;

static inline void full_qp_point(full_qp *f, int n, int m) {
    for (int j = 0; j <= n; j++) f->Qs[j] = n * j, f->As[j] = m * j;
    for (int k = 0; k < n * n; k++) f->Qi[k] = k % n;
    for (int k = 0; k < n * m; k++) f->Ai[k] = k % m;
    f->p = (perp_problem){.cls = PERP_QP,
                          .as.qp = {.n = n,
                                    .m = m,
                                    .Q = {n, n, f->Qs, f->Qi, f->Q},
                                    .c = f->c,
                                    .lo = f->lo,
                                    .hi = f->hi,
                                    .A = {m, n, f->As, f->Ai, f->A},
                                    .row_lo = f->row_lo,
                                    .row_hi = f->row_hi}};
}

/* Bounds around a number and a multiplier that fits: at the lower or upper bound, inside, fixed, or free. degenerate:
 * multipliers at bounds may be zero. */
static inline double around(double x, bool degenerate, double *lo, double *hi) {
    double gap = 0.1 + rp_unit(), multiplier = degenerate && rp_int(2) ? 0 : 0.1 + rp_unit();
    *lo = -INFINITY, *hi = INFINITY;
    switch (rp_int(6)) {
    case 0: *lo = x; return multiplier;
    case 1: *hi = x; return -multiplier;
    case 2: *lo = x, *hi = x + gap; return multiplier;
    case 3: *lo = x - gap, *hi = x + gap; return 0;
    case 4: *lo = *hi = x; return rp_sym();
    default: return 0;
    }
}

/* Strictly convex if rank >= n. x and y are a solution by construction, x the only one if strictly convex. */
static inline void full_qp_make(full_qp *f, int n, int m, int rank, bool degenerate) {
    static double B[QP_MOST * QP_MOST];
    full_qp_point(f, n, m);
    for (int k = 0; k < n * rank; k++) B[k] = rp_sym();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double q = i == j && rank >= n ? 0.1 : 0;
            for (int k = 0; k < rank; k++) q += B[i + n * k] * B[j + n * k];
            f->Q[i + n * j] = q;
        }
    for (int k = 0; k < n * m; k++) f->A[k] = rp_int(2) ? rp_sym() : 0;
    for (int i = 0; i < n; i++) f->x[i] = 2 * rp_sym(), f->c[i] = around(f->x[i], degenerate, f->lo + i, f->hi + i);
    for (int k = 0; k < m; k++) {
        double a = 0;
        for (int j = 0; j < n; j++) a += f->A[k + m * j] * f->x[j];
        f->y[k] = around(a, degenerate, f->row_lo + k, f->row_hi + k);
    }
    for (int i = 0; i < n; i++) { /* Q x + c - A'y is the multiplier of the bounds */
        for (int j = 0; j < n; j++) f->c[i] -= f->Q[i + n * j] * f->x[j];
        for (int k = 0; k < m; k++) f->c[i] += f->A[k + m * i] * f->y[k];
    }
}

/* A random step problem as a cone QP; in the arena. */
static inline perp_problem random_cone_qp(rp_step *s, int mode) {
    rp_options o = {.dim = 2 + mode % 2,
                    .blocks = 1 + rp_int(4),
                    .contacts = 1 + rp_int(6),
                    .rest = rp_int(2),
                    .twins = rp_int(2),
                    .mu = mode & 4 ? 0.2 : 1};
    if (mode & 2)
        o.bilateral = rp_int(3), o.redundant = rp_int(2), o.springs = rp_int(2), o.limits = rp_int(2),
        o.boxes = rp_int(2), o.upper = rp_int(2), o.fixed = rp_int(2);
    rp_step_make(s, &o);
    pp_arena_reset(&arena);
    pp_step_cone *c = PP_ARENA_ZERO(&arena, pp_step_cone, 1);
    assert_non_null(c);
    assert_int_equal(pp_step_to_cone(&s->p, &arena, c), PERP_OK);
    perp_problem p = c->problem;
    p.cls = PERP_CONE_QP;
    return p;
}

#endif
