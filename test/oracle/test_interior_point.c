/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_interior_point.c - interior points against enumeration, problems with known answers, and the judge */
#include "fault/allocator.h"
#include "oracle/convex_help.h"

#define SOLVER (&pp_solver_interior_point)

static void test_analytic_qps(void **state) {
    (void)state;
    int Qs[] = {0, 1, 2}, Qi[] = {0, 1}, As[] = {0, 1, 2}, Ai[] = {0, 0};
    double Q[] = {2, 2}, c[] = {-2, -4}, A[] = {1, 1}, low[] = {-INFINITY}, high[] = {2}, z[3] = {0};
    perp_problem p = {
        .cls = PERP_QP,
        .as.qp = {
            .n = 2, .m = 1, .Q = {2, 2, Qs, Qi, Q}, .c = c, .A = {1, 2, As, Ai, A}, .row_lo = low, .row_hi = high}};
    must_solve(SOLVER, &p, 1e-12, z); /* nearest to (1, 2) with x + y <= 2 */
    assert_true(fabs(z[0] - 0.5) < 1e-12 && fabs(z[1] - 1.5) < 1e-12 && fabs(z[2] + 1) < 1e-12);
    double Z[] = {0, 0}, cost[] = {-1, -2}, lo[] = {0, 0}, hi[] = {INFINITY, 3}, four[] = {4}, y[3] = {0};
    p.as.qp.Q.value = Z, p.as.qp.c = cost, p.as.qp.lo = lo, p.as.qp.hi = hi, p.as.qp.row_hi = four;
    must_solve(SOLVER, &p, 1e-12, y); /* a linear programme: the corner (1, 3) */
    assert_true(fabs(y[0] - 1) < 1e-11 && fabs(y[1] - 3) < 1e-11 && fabs(y[2] + 1) < 1e-11);
    p.as.qp.m = 0, p.as.qp.Q.value = Q, p.as.qp.c = c;
    double x[2] = {0};
    p.as.qp.hi = NULL, lo[0] = 1.5;
    must_solve(SOLVER, &p, 1e-12, x);
    assert_true(fabs(x[0] - 1.5) < 1e-12 && fabs(x[1] - 2) < 1e-12);
    p.as.qp.n = 0; /* nothing at all */
    assert_int_equal(solve_to(SOLVER, &p, 1e-12, x).outcome, PERP_OUTCOME_SOLVED);
}

static void test_random_qps(void **state) {
    (void)state;
    static full_qp f;
    for (int round = 0; round < long_run(400); round++) {
        int n = 1 + rp_int(25), m = rp_int(15);
        bool degenerate = round % 2;
        full_qp_make(&f, n, m, n, degenerate);
        double z[2 * QP_MOST] = {0};
        must_solve(SOLVER, &f.p, 1e-10, z);
        for (int i = 0; i < n; i++)
            if (fabs(z[i] - f.x[i]) > 1e-7) fail_msg("round %d: x_%d is off by %g", round, i, z[i] - f.x[i]);
    }
}

/* Many solutions: a singular Q, rows twice. */
static void test_semidefinite_qps(void **state) {
    (void)state;
    static full_qp f;
    for (int round = 0; round < long_run(400); round++) {
        int n = 2 + rp_int(20), m = 2 + rp_int(10);
        full_qp_make(&f, n, m, n / 3, rp_int(2));
        for (int j = 0; j < n; j++) f.A[1 + m * j] = f.A[m * j]; /* the second row is the first */
        double shift = 0;
        for (int j = 0; j < n; j++) shift += f.A[m * j] * f.x[j];
        f.row_lo[1] = f.row_hi[1] = f.row_lo[0] = f.row_hi[0] = shift;
        for (int i = 0; i < n; i++) { /* c anew, as the multipliers changed their row */
            f.c[i] = f.x[i] == f.lo[i] ? 0.5 : f.x[i] == f.hi[i] ? -0.5 : 0;
            for (int j = 0; j < n; j++) f.c[i] -= f.Q[i + n * j] * f.x[j];
            for (int k = 0; k < m; k++) f.c[i] += f.A[k + m * i] * f.y[k];
        }
        double z[2 * QP_MOST] = {0};
        must_solve(SOLVER, &f.p, 1e-10, z);
    }
}

static void test_infeasible(void **state) {
    (void)state;
    static full_qp f;
    full_qp_point(&f, 2, 2);
    double z[4] = {0};
    const double Q[] = {1, 0, 0, 1}, A[] = {1, 1, 1, 1};
    memcpy(f.Q, Q, sizeof Q), memcpy(f.A, A, sizeof A);
    for (int i = 0; i < 2; i++) f.lo[i] = 0, f.hi[i] = 1, f.c[i] = -1, f.row_lo[i] = -INFINITY, f.row_hi[i] = INFINITY;
    f.row_lo[0] = 3; /* x + y >= 3 within the unit square */
    perp_solve_info info = solve_to(SOLVER, &f.p, 1e-10, z);
    assert_int_not_equal(info.outcome, PERP_OUTCOME_SOLVED);
    assert_true(isfinite(z[0]) && natural_of(&f.p, z) > 1e-3);
    f.row_lo[0] = f.row_hi[0] = 1, f.row_lo[1] = f.row_hi[1] = 1.5; /* rows that contradict each other */
    memset(z, 0, sizeof z);
    assert_int_not_equal(solve_to(SOLVER, &f.p, 1e-10, z).outcome, PERP_OUTCOME_SOLVED);
    double M[] = {0, 1, -1, 0}, q[] = {-1, -1}, y[2] = {0}; /* w_1 = z_0 - 1, w_0 = -z_1 - 1 < 0 */
    perp_problem none = {.cls = PERP_LCP, .as.lcp = {2, M, q}};
    assert_int_not_equal(solve_to(SOLVER, &none, 1e-10, y).outcome, PERP_OUTCOME_SOLVED);
}

static void test_lcps(void **state) {
    (void)state;
    double M[24 * 24], q[24], z[24], y[24];
    for (int kind = 0; kind < RP_KINDS; kind++)
        for (int round = 0; round < long_run(600); round++) {
            int n = 1 + rp_int(9);
            rp_lcp(kind, n, M, q);
            memset(z, 0, sizeof z), memset(y, 0, sizeof y);
            perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
            must_solve(SOLVER, &p, 1e-10, z);
            if (kind != RP_P && kind != RP_ASYMMETRIC) continue; /* many answers otherwise */
            solve_to(&pp_solver_enumerate, &p, 1e-12, y);
            for (int i = 0; i < n; i++) assert_near(z[i], y[i], 1e-8);
        }
}

/* Bounds of every kind; as a sparse problem it must give the same. */
static void test_mixed(void **state) {
    (void)state;
    double M[24 * 24], q[24], lo[24], hi[24], z[24], y[24], x[24];
    int start[25], index[24 * 24];
    for (int round = 0; round < long_run(800); round++) {
        int n = 1 + rp_int(8);
        rp_lcp(rp_int(2) ? RP_P : RP_ASYMMETRIC, n, M, q);
        for (int i = 0; i < n; i++) {
            (void)around(rp_sym(), false, lo + i, hi + i);
            x[i] = z[i] = y[i] = 0;
        }
        perp_problem p = {.cls = PERP_MLCP, .as.mlcp = {n, M, q, lo, hi}};
        must_solve(SOLVER, &p, 1e-10, z);
        solve_to(&pp_solver_enumerate, &p, 1e-12, y);
        for (int i = 0; i < n; i++) assert_near(z[i], y[i], 1e-7);
        for (int k = 0; k <= n; k++) start[k] = n * k;
        for (int k = 0; k < n * n; k++) index[k] = k % n;
        perp_problem s = {.cls = PERP_SPARSE_MLCP, .as.sparse_mlcp = {n, {n, n, start, index, M}, q, lo, hi}};
        must_solve(SOLVER, &s, 1e-10, x);
        for (int i = 0; i < n; i++) assert_near(z[i], x[i], 1e-9);
    }
}

/* A string under load q over a flat obstacle, -z'' = w - load: large enough for the sparse factors, with a closed form.
 * Between the ends, which are held at height 1, it touches the ground from sqrt(2/load) on. */
static void test_sparse_obstacle(void **state) {
    (void)state;
    enum { N = 1999 };
    static int start[N + 1], index[3 * N];
    static double value[3 * N], q[N], lo[N], hi[N], z[N];
    double h = 1.0 / (N + 1), load = 50;
    int used = 0;
    for (int j = 0; j < N; j++) {
        start[j] = used;
        for (int i = j - 1; i <= j + 1; i++)
            if (i >= 0 && i < N) index[used] = i, value[used++] = i == j ? 2 / h : -1 / h;
        q[j] = load * h - (j == 0 || j == N - 1 ? 1 / h : 0);
        lo[j] = 0, hi[j] = INFINITY;
    }
    start[N] = used;
    perp_problem p = {.cls = PERP_SPARSE_MLCP, .as.sparse_mlcp = {N, {N, N, start, index, value}, q, lo, hi}};
    perp_solve_info info = must_solve(SOLVER, &p, 1e-11, z);
    double free_length = sqrt(2 / load), worst = 0;
    for (int j = 0; j < N; j++) {
        double s = fmin((j + 1) * h, 1 - (j + 1) * h), d = free_length - s;
        worst = fmax(worst, fabs(z[j] - (d > 0 ? 0.5 * load * d * d : 0)));
    }
    assert_below(worst, 10 * load * h * h);
    assert_true(info.factorisations < 60);
    perp_solve_info again = must_solve(SOLVER, &p, 1e-11, z); /* warm: its own answer */
    assert_true(again.warm && again.iterations == 0);
    for (int j = 0; j < N; j++) q[j] *= 1 + 1e-6;
    again = must_solve(SOLVER, &p, 1e-11, z);
    assert_true(again.warm && again.factorisations < info.factorisations);
}

/* One contact with W = a E^-2: in the metric of the axes r is the projection of -q over a. */
static void test_one_contact(void **state) {
    (void)state;
    int start[5], index[4];
    for (int round = 0; round < long_run(600); round++) {
        int dim = 2 + round % 3;
        double mu = rp_int(4) ? 2 * rp_unit() : 0, a = pow(10, 2 * rp_sym()), W[4], q[4], axes[3], r[4] = {0}, x[4];
        for (int i = 0; i < dim; i++) {
            double e = i == 0 ? 1 : 0.2 + rp_unit();
            if (i > 0) axes[i - 1] = e;
            start[i] = index[i] = i;
            W[i] = a / (e * e);
            q[i] = rp_sym();
            x[i] = -e * q[i] / a;
        }
        start[dim] = dim;
        double slip = 0;
        for (int i = 1; i < dim; i++) slip = hypot(slip, x[i]);
        if (mu * slip <= -x[0]) {
            memset(x, 0, sizeof x);
        } else if (slip > mu * x[0]) {
            double N = (x[0] + mu * slip) / (1 + mu * mu);
            for (int i = 1; i < dim; i++) x[i] *= mu * N / slip;
            x[0] = N;
        }
        perp_problem p = {
            .cls = PERP_CONE_QP,
            .as.cone = {.dim = dim, .ncontact = 1, .mu = &mu, .axes = axes, .W = {dim, dim, start, index, W}, .q = q}};
        must_solve(SOLVER, &p, 1e-10, r);
        for (int i = 0; i < dim; i++) assert_near(r[i], (i > 0 ? axes[i - 1] : 1) * x[i], 1e-8 / a);
    }
}

/* Through the bodies and in local form: one velocity, whatever the impulses. */
static void test_cone_forms_agree(void **state) {
    (void)state;
    static rp_step s;
    for (int round = 0; round < long_run(300); round++) {
        perp_problem p = random_cone_qp(&s, round % 8);
        int m = perp_problem_size(&p);
        double r[100] = {0}, l[100] = {0}, u[100], v[100], size = 1;
        assert_true(m <= 100 && p.as.cone.global);
        must_solve(SOLVER, &p, 1e-10, r);
        perp_stored *local;
        assert_int_equal(perp_cone_condense(&p, NULL, &local), PERP_OK);
        must_solve(SOLVER, perp_stored_problem(local), 1e-10, l);
        assert_int_equal(perp_cone_velocity(&p.as.cone, r, u, NULL), PERP_OK);
        assert_int_equal(perp_cone_velocity(&p.as.cone, l, v, NULL), PERP_OK);
        for (int i = 0; i < m; i++) size = fmax(size, fabs(u[i]));
        for (int i = 0; i < m; i++) assert_near(u[i], v[i], 1e-5 * size); /* error ~ sqrt(residual) at worst */
        perp_stored_free(local);
    }
}

/* Two walls that touch a block from both sides: any squeeze is a solution, none bounds it. */
static void test_wedge(void **state) {
    (void)state;
    int Ms[] = {0, 1, 2, 3}, Mi[] = {0, 1, 2}, Hs[] = {0, 1, 2, 3, 4, 5, 6}, Hi[] = {0, 1, 2, 0, 1, 2};
    double M[] = {2, 2, 2}, H[] = {1, 1, 1, -1, 1, 1}, f[] = {0, 0.3, -1}, b[6] = {0}, mu[] = {0.5, 0.5}, r[6] = {0};
    perp_problem p = {.cls = PERP_CONE_QP,
                      .as.cone = {.dim = 3,
                                  .ncontact = 2,
                                  .mu = mu,
                                  .global = true,
                                  .M = {3, 3, Ms, Mi, M},
                                  .H = {3, 6, Hs, Hi, H},
                                  .f = f,
                                  .b = b}};
    must_solve(SOLVER, &p, 1e-9, r);
    double v[3];
    assert_int_equal(perp_cone_velocity(&p.as.cone, r, NULL, v), PERP_OK);
    for (int i = 0; i < 3; i++) assert_near(v[i], 0, 1e-6); /* squeezed enough to hold it: the least energy is none */
    assert_below(fabs(r[0]), 1e3);
}

static bool stop_at_two(int iteration, const double *z, void *ctx) {
    (void)z;
    *(int *)ctx = iteration;
    return iteration < 2;
}

static void test_watch_and_memory(void **state) {
    (void)state;
    static rp_step s;
    int seen = -1;
    double M[24 * 24], q[24], z[24] = {0};
    do rp_lcp(RP_P, 20, M, q);
    while (perp_lcp_residual(&(perp_lcp){20, M, q}, z) < 0.5);
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {20, M, q}};
    perp_watch watch = {stop_at_two, &seen};
    perp_call call = {.arena = &arena, .watch = &watch, .deadline = INFINITY};
    pp_settings set;
    perp_solve_info info;
    pp_settings_default(SOLVER, 1e-15, &set);
    assert_int_equal(pp_solve_within(&call, SOLVER, &set, &p, z, &info), PERP_OK);
    assert_true(info.outcome == PERP_OUTCOME_STOPPED && seen == 2);
    perp_problem cone = random_cone_qp(&s, 3);
    const perp_problem *all[] = {&p, &cone};
    for (int k = 0; k < 2; k++)
        for (long refuse = 0;; refuse++) { /* every block refused in turn */
            counter count = {.refuse = refuse};
            double r[100] = {0};
            pp_arena own;
            pp_arena_init(&own, counting(&count));
            perp_status status = pp_solve(SOLVER, &set, all[k], r, &own, &info);
            pp_arena_free(&own);
            assert_int_equal(count.live, 0);
            if (count.refused == 0) break;
            assert_int_equal(status, PERP_E_MEMORY);
        }
}

/* The last steps to full accuracy, with up to 40 factors, end with the work that is allowed. */
static void ends_with_the_work(void **state) {
    (void)state;
    enum { n = 20 };
    static double M[n * n], q[n], z[n];
    rp_lcp(RP_P, n, M, q);
    for (int i = 0; i < n * n; i++) M[i] = -M[i];
    for (int i = 0; i < n; i++) q[i] = -1 - fabs(q[i]); /* no solution, as far as these steps can see */
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
    pp_settings set;
    pp_settings_default(SOLVER, 1e-12, &set);
    assert_int_equal(perp_fields_set(SOLVER->fields, SOLVER->nfield, &set, "max_iterations", 1), PERP_OK);
    const double factor = pp_dense_work(n, 1);
    for (int k = 0; k < 2; k++) {
        pp_work work = {.limit = k ? 2 * factor : INFINITY};
        perp_call call = {.arena = &arena, .deadline = INFINITY, .work = &work};
        perp_solve_info info;
        memset(z, 0, sizeof z);
        assert_int_equal(pp_solve_within(&call, SOLVER, &set, &p, z, &info), PERP_OK);
        print_message("work of %.3g factors\n", work.done / factor);
        assert_true(k ? work.done <= 4 * factor : work.done > 8 * factor);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_analytic_qps),
        cmocka_unit_test(test_random_qps),
        cmocka_unit_test(test_semidefinite_qps),
        cmocka_unit_test(test_infeasible),
        cmocka_unit_test(test_lcps),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_sparse_obstacle),
        cmocka_unit_test(test_one_contact),
        cmocka_unit_test(test_cone_forms_agree),
        cmocka_unit_test(test_wedge),
        cmocka_unit_test(test_watch_and_memory),
        cmocka_unit_test(ends_with_the_work),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
