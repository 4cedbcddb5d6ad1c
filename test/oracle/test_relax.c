/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_relax.c - relaxation and first-order solvers against pivoting, enumeration and problems built backwards.
 *
 * Must converge: symmetric positive definite LCPs, single contacts, well-conditioned friction problems of up to ten
 * contacts. For other problems the success rate is printed, and a solver that reports "solved" must be right. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arena_fixture.h"
#include "oracle/random_problem.h"
#include "perp/solver.h"
#include "problem/convert/convert.h"

static const char *const lcp_solvers[] = {"psor", "jacobi", "nncg", "fixed-point", "pgs"};
static const char *const cone_solvers[] = {"gauss-seidel", "pgs", "psor", "nncg", "jacobi", "fixed-point"};
enum { NLCP = sizeof lcp_solvers / sizeof *lcp_solvers, NCONE = sizeof cone_solvers / sizeof *cone_solvers };

#define SAID 1e-7 /* natural map that "solved" may have at most; the solvers stop at 1e-9 */

typedef struct tally {
    int solved, runs;
    double sweeps;
} tally;

static double natural(const perp_problem *p, const double *z) {
    perp_measures m;
    assert_int_equal(perp_problem_measure(p, z, &m), PERP_OK);
    return m.natural;
}

/* Runs a solver from zero and measures the answer. */
static bool run(const perp_problem *p, const char *solver, double *z, tally *t) {
    perp_solve_info info;
    memset(z, 0, sizeof *z * (size_t)perp_problem_size(p));
    assert_int_equal(perp_problem_solve(p, solver, z, &info), PERP_OK);
    double r = natural(p, z);
    if (!isfinite(r)) fail_msg("%s: an answer that is not finite", solver);
    if (info.outcome == PERP_OUTCOME_SOLVED && !(r <= SAID)) fail_msg("%s says solved at %g", solver, r);
    t->runs++;
    if (info.outcome == PERP_OUTCOME_SOLVED) {
        t->solved++;
        t->sweeps += info.iterations;
    }
    return info.outcome == PERP_OUTCOME_SOLVED;
}

static void tell(const char *what, const char *solver, const tally *t) {
    print_message("%-28s %-13s %5d of %5d, %7.1f sweeps\n", what, solver, t->solved, t->runs,
                  t->solved ? t->sweeps / t->solved : 0);
}

/* ---- LCP --------------------------------------------------------------------------------------------------------- */

static void test_lcp(void **state) {
    (void)state;
    static const char *const names[] = {"definite", "semidefinite", "asymmetric", "degenerate", "backward"};
    double M[24 * 24], q[24], z[24], y[24], w[24], u[24];
    for (int kind = 0; kind < RP_KINDS; kind++) {
        tally t[NLCP] = {0};
        rp_seed = 3;
        for (int round = 0; round < long_run(60); round++) {
            int n = 1 + rp_int(8);
            rp_lcp(kind, n, M, q);
            for (int i = 0; i < n && kind == RP_P; i++) M[i + n * i] += 0.2;
            perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
            perp_solve_info info;
            memset(y, 0, sizeof y);
            bool known = !perp_problem_solve(&p, "enumerate", y, &info) && info.outcome == PERP_OUTCOME_SOLVED;
            for (int s = 0; s < NLCP; s++) {
                bool solved = run(&p, lcp_solvers[s], z, &t[s]);
                if (kind != RP_P) continue;
                if (!solved) fail_msg("%s, n = %d, round %d: not solved", lcp_solvers[s], n, round);
                assert_true(known);
                for (int i = 0; i < n; i++) {
                    w[i] = u[i] = q[i];
                    for (int j = 0; j < n; j++) w[i] += M[i + n * j] * z[j], u[i] += M[i + n * j] * y[j];
                }
                for (int i = 0; i < n; i++) assert_near(w[i], u[i], 1e-6);
            }
        }
        for (int s = 0; s < NLCP; s++) tell(names[kind], lcp_solvers[s], &t[s]);
    }
}

/* Steps with friction pyramids, sigma rows and all, as LCP and as mixed LCP; the velocity of lemke where both solve. */
static void test_steps(void **state) {
    (void)state;
    static rp_step s;
    for (int cls = PERP_LCP; cls <= PERP_MLCP; cls++) {
        tally t[NLCP] = {0};
        rp_seed = 5;
        for (int round = 0; round < long_run(60); round++) {
            rp_options o = {
                .dim = 2 + rp_int(2), .blocks = 1 + rp_int(4), .contacts = 1 + rp_int(5), .mu = 0.6, .nd = 4};
            o.bilateral = rp_int(2), o.limits = rp_int(2), o.boxes = rp_int(2);
            rp_step_make(&s, &o);
            pp_arena_mark mark = pp_arena_here(&arena);
            pp_converted c;
            assert_int_equal(pp_convert(&s.p, (perp_class)cls, &arena, &c), PERP_OK);
            double z[200];
            assert_true(c.n <= 200);
            for (int k = 0; k < NLCP; k++) run(&c.problem, lcp_solvers[k], z, &t[k]);
            pp_arena_release(&arena, mark);
        }
        for (int k = 0; k < NLCP; k++)
            tell(cls == PERP_LCP ? "steps as LCP" : "steps as mixed LCP", lcp_solvers[k], &t[k]);
        for (int k = 0; k < NLCP; k++) assert_true(t[k].solved >= t[k].runs * 6 / 10);
    }
}

/* F(z) = A z + b + z^3 over boxes, monotone; the answer was chosen. Sparse and dense patterns. */
typedef struct cubic {
    int n;
    double A[36], b[6];
} cubic;

static bool cubic_F(const double *z, double *w, void *ctx) {
    const cubic *c = ctx;
    for (int i = 0; i < c->n; i++) {
        w[i] = c->b[i] + z[i] * z[i] * z[i];
        for (int j = 0; j < c->n; j++) w[i] += c->A[i + c->n * j] * z[j];
    }
    return true;
}

static void test_bounds(void **state) {
    (void)state;
    rp_seed = 11;
    for (int round = 0; round < long_run(200); round++) {
        cubic c = {.n = 1 + rp_int(6)};
        int n = c.n, start[7], index[36];
        double q[6], lo[6], hi[6], z[6], w[6], answer[6], value[36];
        rp_lcp(RP_ASYMMETRIC, n, c.A, q);
        for (int i = 0; i < n; i++) c.A[i + n * i] += 0.3;
        memset(c.b, 0, sizeof c.b);
        for (int i = 0; i < n; i++) {
            int how = rp_int(4); /* free, lower, upper, between */
            lo[i] = how == 0 ? -INFINITY : -rp_unit(), hi[i] = how == 0 ? INFINITY : 0.5 + rp_unit();
            answer[i] = how == 1 ? lo[i] : how == 2 ? hi[i] : how == 3 ? 0.5 * (lo[i] + hi[i]) : rp_sym();
            q[i] = how == 1 ? rp_unit() : how == 2 ? -rp_unit() : 0;
        }
        cubic_F(answer, w, &c);
        for (int i = 0; i < n; i++) c.b[i] = q[i] - w[i];
        perp_problem p = {.cls = PERP_NCP, .as.ncp = {.n = n, .lo = lo, .hi = hi, .F = cubic_F, .ctx = &c}};
        tally t = {0};
        if (!run(&p, "fixed-point", z, &t)) fail_msg("round %d: not solved", round);
        for (int i = 0; i < n; i++) assert_near(z[i], answer[i], 1e-6);
        /* without the cubes, stored sparse: the same as pivoting */
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) index[i + n * j] = i, value[i + n * j] = c.A[i + n * j];
        for (int j = 0; j <= n; j++) start[j] = n * j;
        perp_problem sparse = {.cls = PERP_SPARSE_MLCP,
                               .as.sparse_mlcp = {n, {n, n, start, index, value}, c.b, lo, hi}};
        perp_problem dense = {.cls = PERP_MLCP, .as.mlcp = {n, c.A, c.b, lo, hi}};
        perp_solve_info info;
        memset(answer, 0, sizeof answer);
        assert_int_equal(perp_problem_solve(&dense, "lemke", answer, &info), PERP_OK);
        assert_true(run(&sparse, "fixed-point", z, &t));
        for (int i = 0; i < n; i++) assert_near(z[i], answer[i], 1e-6);
    }
}

/* ---- cones ------------------------------------------------------------------------------------------------------- */

#define MOST_ROWS 48

/* Local form with W dense; everything it points to. */
typedef struct local {
    perp_problem p;
    int start[MOST_ROWS + 1], index[MOST_ROWS * MOST_ROWS];
    double W[MOST_ROWS * MOST_ROWS], q[MOST_ROWS], mu[16], lo[8], hi[8];
    double r[MOST_ROWS], u[MOST_ROWS]; /* an answer */
} local;

static double length(int n, const double *x) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    return sqrt(s);
}

/* Impulses and velocities that obey the laws; open, sticking, sliding, bounded rows in each of their states. */
static void known_answer(local *l) {
    perp_cone *c = &l->p.as.cone;
    bool associated = l->p.cls == PERP_CONE_QP;
    for (int i = 0; i < c->nrow; i++) {
        int how = rp_int(3);
        l->lo[i] = -1, l->hi[i] = 1;
        l->r[i] = how == 0 ? -1 : how == 1 ? 1 : rp_sym();
        l->u[i] = how == 0 ? rp_unit() : how == 1 ? -rp_unit() : 0;
    }
    for (int k = 0; k < c->ncontact; k++) {
        double *r = l->r + c->nrow + c->dim * k, *u = l->u + c->nrow + c->dim * k, t[3], n;
        int how = rp_int(3);
        for (int i = 0; i < c->dim; i++) r[i] = u[i] = 0;
        for (int i = 0; i < c->dim - 1; i++) t[i] = rp_sym();
        n = length(c->dim - 1, t);
        if (how == 0) {
            for (int i = 1; i < c->dim; i++) u[i] = t[i - 1];
            u[0] = (associated ? l->mu[k] * n : 0) + 0.1 + rp_unit();
            continue;
        }
        r[0] = 0.1 + rp_unit();
        double share = how == 1 ? 0.9 * rp_unit() : 1, pace = how == 1 ? 0 : 0.1 + rp_unit();
        for (int i = 1; i < c->dim; i++) {
            r[i] = share * l->mu[k] * r[0] * t[i - 1] / n;
            u[i] = -pace * t[i - 1] / n;
        }
        if (associated) u[0] = l->mu[k] * pace;
    }
}

/* W = B B' + shift, random. */
static void make_local(local *l, perp_class cls, int dim, int ncontact, int nrow, double mu, double shift) {
    int m = nrow + dim * ncontact;
    double B[MOST_ROWS * MOST_ROWS];
    assert_true(m <= MOST_ROWS && ncontact <= 16 && nrow <= 8);
    for (int i = 0; i < m * m; i++) B[i] = rp_sym() / sqrt(m);
    for (int j = 0; j <= m; j++) l->start[j] = m * j;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) {
            l->index[i + m * j] = i;
            l->W[i + m * j] = i == j ? shift : 0;
            for (int k = 0; k < m; k++) l->W[i + m * j] += B[i + m * k] * B[j + m * k];
        }
    for (int k = 0; k < ncontact; k++) l->mu[k] = rp_int(5) ? mu * rp_unit() : 0;
    l->p = (perp_problem){.cls = cls,
                          .as.cone = {.dim = dim,
                                      .ncontact = ncontact,
                                      .nrow = nrow,
                                      .lo = l->lo,
                                      .hi = l->hi,
                                      .mu = l->mu,
                                      .W = {m, m, l->start, l->index, l->W},
                                      .q = l->q}};
    known_answer(l);
    for (int i = 0; i < m; i++) {
        l->q[i] = l->u[i];
        for (int j = 0; j < m; j++) l->q[i] -= l->W[i + m * j] * l->r[j];
    }
}

/* One to ten contacts. With W well conditioned and mu <= 1 the velocity is that of the answer put in. */
static void test_friction(void **state) {
    (void)state;
    static local l;
    double z[MOST_ROWS], u[MOST_ROWS];
    for (int dim = 2; dim <= 4; dim++)
        for (int associated = 0; associated < 2; associated++) {
            tally t[NCONE] = {0};
            char what[40];
            rp_seed = 17;
            for (int round = 0; round < long_run(40); round++) {
                make_local(&l, associated ? PERP_CONE_QP : PERP_CONE, dim, 1 + rp_int(10), rp_int(3), 1, 0.3);
                assert_below(natural(&l.p, l.r), 1e-12); /* the problem is what it should be */
                for (int s = 0; s < NCONE; s++) {
                    bool solved = run(&l.p, cone_solvers[s], z, &t[s]);
                    if (s > 0) continue;
                    if (!solved) fail_msg("gauss-seidel: dim %d, round %d: not solved", dim, round);
                    assert_int_equal(perp_cone_velocity(&l.p.as.cone, z, u, NULL), PERP_OK);
                    for (int i = 0; i < l.p.as.cone.W.rows; i++) assert_near(u[i], l.u[i], 1e-6);
                }
            }
            (void)snprintf(what, sizeof what, "dim %d, %s", dim, associated ? "associated" : "Coulomb");
            for (int s = 0; s < NCONE; s++) {
                tell(what, cone_solvers[s], &t[s]);
                assert_true(t[s].solved >= t[s].runs * 9 / 10);
            }
        }
}

/* Bodies: M and H given. The same velocities as from W = H'M^-1 H worked out here, and W is not formed. */
static void test_bodies(void **state) {
    (void)state;
    enum { BODIES = 4, DOF = 6 * BODIES };
    static local l;
    rp_seed = 23;
    tally t = {0};
    for (int round = 0; round < long_run(60); round++) {
        int nc = 6 + rp_int(5), m = 3 * nc;
        double M[DOF], H[DOF * MOST_ROWS] = {0}, f[DOF], b[MOST_ROWS], c[MOST_ROWS];
        int mstart[DOF + 1], mindex[DOF], hstart[MOST_ROWS + 1], hindex[DOF * MOST_ROWS];
        double hvalue[DOF * MOST_ROWS];
        for (int i = 0; i < DOF; i++) {
            M[i] = 0.5 + rp_unit(), f[i] = rp_sym();
            mstart[i] = mindex[i] = i;
        }
        mstart[DOF] = DOF;
        for (int k = 0; k < nc; k++) {
            int one = rp_int(BODIES), two = rp_int(BODIES);
            for (int r = 3 * k; r < 3 * k + 3; r++) {
                for (int i = 0; i < 6; i++) H[6 * one + i + DOF * r] = rp_sym();
                for (int i = 0; i < 6 && two != one; i++) H[6 * two + i + DOF * r] = rp_sym();
                b[r] = 0.1 * rp_sym();
                c[r] = round % 2 ? 0.05 : 0;
            }
            l.mu[k] = 0.4 * rp_unit();
        }
        int at = 0;
        for (int r = 0; r < m; r++) {
            hstart[r] = at;
            for (int i = 0; i < DOF; i++)
                if (H[i + DOF * r] != 0) hindex[at] = i, hvalue[at++] = H[i + DOF * r];
        }
        hstart[m] = at;
        for (int i = 0; i < m; i++) {
            l.start[i] = m * i;
            l.q[i] = b[i];
            for (int d = 0; d < DOF; d++) l.q[i] += H[d + DOF * i] * f[d] / M[d];
            for (int j = 0; j < m; j++) {
                l.index[i + m * j] = i;
                l.W[i + m * j] = i == j ? c[i] : 0;
                for (int d = 0; d < DOF; d++) l.W[i + m * j] += H[d + DOF * i] * H[d + DOF * j] / M[d];
            }
        }
        l.start[m] = m * m;
        perp_cone one = {.dim = 3, .ncontact = nc, .mu = l.mu, .W = {m, m, l.start, l.index, l.W}, .q = l.q};
        perp_cone two = {.dim = 3, .ncontact = nc, .mu = l.mu, .global = true, .f = f, .b = b, .compliance = c};
        two.M = (perp_sparse){DOF, DOF, mstart, mindex, M};
        two.H = (perp_sparse){DOF, m, hstart, hindex, hvalue};
        perp_problem p = {.cls = PERP_CONE_QP, .as.cone = one}, g = {.cls = PERP_CONE_QP, .as.cone = two};
        double x[MOST_ROWS], y[MOST_ROWS], u[MOST_ROWS], v[MOST_ROWS];
        for (int s = 0; s < NCONE; s++) {
            bool a = run(&p, cone_solvers[s], x, &t), d = run(&g, cone_solvers[s], y, &t);
            if (s > 0 && !(a && d)) continue;
            if (!a || !d) fail_msg("gauss-seidel, round %d: not solved", round);
            assert_int_equal(perp_cone_velocity(&one, x, u, NULL), PERP_OK);
            assert_int_equal(perp_cone_velocity(&two, y, v, NULL), PERP_OK);
            for (int i = 0; i < m; i++) assert_near(u[i], v[i], 1e-4); /* unique for this law */
        }
    }
    tell("bodies, all solvers", "", &t);
}

/* ---- manners ----------------------------------------------------------------------------------------------------- */

static bool count_looks(int iteration, const double *z, void *ctx) {
    int *looks = ctx;
    (void)z;
    assert_int_equal(iteration, *looks);
    return ++*looks < 5;
}

static perp_status solve_with(const perp_problem *p, const char *solver, const perp_solve_options *options, double *z,
                              perp_solve_info *info) {
    perp_solve_options o = *options;
    o.solver = solver;
    return perp_solve(p, &o, z, info);
}

static void test_manners(void **state) {
    (void)state;
    static local l;
    double z[MOST_ROWS], first[MOST_ROWS];
    perp_solve_info info;
    rp_seed = 31;
    make_local(&l, PERP_CONE, 3, 8, 0, 0.5, 0.05);
    int m = 24;
    for (int s = 0; s < NCONE; s++) {
        const char *name = cone_solvers[s];
        perp_setting few = {strcmp(name, "fixed-point") ? "max_sweeps" : "max_iterations", 3};
        memset(z, 0, sizeof z);
        /* stopped by the watch at the fifth look */
        int looks = 0;
        perp_watch watch = {count_looks, &looks};
        assert_int_equal(solve_with(&l.p, name, &(perp_solve_options){.watch = &watch}, z, &info), PERP_E_SOLVE);
        assert_int_equal(info.outcome, PERP_OUTCOME_STOPPED);
        assert_int_equal(looks, 5);
        /* a limit is said, and what there is beats nothing */
        memset(z, 0, sizeof z);
        double start = natural(&l.p, z);
        assert_int_equal(solve_with(&l.p, name, &(perp_solve_options){.settings = &few, .nsetting = 1}, z, &info),
                         PERP_E_SOLVE);
        assert_int_equal(info.outcome, PERP_OUTCOME_LIMIT);
        assert_int_equal(info.iterations, 3);
        assert_true(natural(&l.p, z) < start);
        /* warm: from the answer nothing is left to do, and it is not spoilt */
        tally t = {0};
        if (!run(&l.p, name, z, &t)) continue;
        memcpy(first, z, sizeof z);
        assert_int_equal(perp_problem_solve(&l.p, name, z, &info), PERP_OK);
        assert_true(info.iterations == 0 && info.warm);
        for (int i = 0; i < m; i++) assert_near(z[i], first[i], 1e-14 * (1 + fabs(first[i])));
        /* nothing to push against: nothing happens */
        double rest[MOST_ROWS] = {0};
        perp_problem still = l.p;
        still.as.cone.q = rest;
        memset(z, 0, sizeof z);
        assert_int_equal(perp_problem_solve(&still, name, z, &info), PERP_OK);
        assert_int_equal(info.outcome, PERP_OUTCOME_SOLVED);
        for (int i = 0; i < m; i++) assert_true(z[i] == 0);
    }
    /* an LCP without a solution is not solved, and ends */
    double M[4] = {0, -1, 1, 0}, q[2] = {-1, -1};
    perp_problem none = {.cls = PERP_LCP, .as.lcp = {2, M, q}};
    for (int s = 0; s < NLCP; s++) {
        tally t = {0};
        assert_false(run(&none, lcp_solvers[s], z, &t));
    }
}

/* Long chains are where conjugate gradients pay. */
static void test_chain(void **state) {
    (void)state;
    enum { N = 40 };
    static double M[N * N];
    double q[N], z[N];
    for (int i = 0; i < N; i++) {
        M[i + N * i] = 2;
        if (i > 0) M[i + N * (i - 1)] = M[i - 1 + N * i] = -1;
        q[i] = i == 0 ? -1 : -0.1;
    }
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {N, M, q}};
    tally t[2] = {0};
    perp_setting plain[] = {{"relaxation", 1}};
    perp_solve_info info;
    assert_true(run(&p, "nncg", z, &t[0]));
    memset(z, 0, sizeof z);
    assert_int_equal(solve_with(&p, "psor", &(perp_solve_options){.settings = plain, .nsetting = 1}, z, &info),
                     PERP_OK);
    print_message("chain of %d: nncg %.0f sweeps, plain %d\n", N, t[0].sweeps, info.iterations);
    assert_true(4 * t[0].sweeps < info.iterations);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lcp),      cmocka_unit_test(test_steps),  cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_friction), cmocka_unit_test(test_bodies), cmocka_unit_test(test_manners),
        cmocka_unit_test(test_chain),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
