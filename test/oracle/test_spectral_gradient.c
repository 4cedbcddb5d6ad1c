/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_spectral_gradient.c - spectral projected gradient against planted solutions and against Newton's method */
#include <stdlib.h>

#include "oracle/convex_help.h"

#define SOLVER (&pp_solver_spectral_gradient)

/* The optimality conditions of a QP with bounds only, as a mixed LCP. */
static perp_problem mixed(const full_qp *f, int n) {
    return (perp_problem){
        .cls = PERP_SPARSE_MLCP,
        .as.sparse_mlcp = {.n = n, .M = {n, n, f->Qs, f->Qi, f->Q}, .q = f->c, .lo = f->lo, .hi = f->hi}};
}

static void test_planted(void **state) {
    (void)state;
    static full_qp f;
    for (int round = 0; round < long_run(300); round++) {
        int n = 1 + rp_int(30);
        full_qp_make(&f, n, 0, n, round % 2);
        perp_problem p = mixed(&f, n);
        double z[QP_MOST] = {0};
        perp_solve_info info = must_solve(SOLVER, &p, 1e-10, z);
        for (int i = 0; i < n; i++) assert_near(z[i], f.x[i], 1e-6);
        if (info.iterations < 20) continue;
        for (int i = 0; i < n; i++) z[i] = f.x[i]; /* a good guess saves the work */
        perp_solve_info warm = must_solve(SOLVER, &p, 1e-10, z);
        assert_true(warm.warm && warm.iterations < info.iterations / 4);
    }
}

/* Semidefinite, with many solutions: w is what they have in common. */
static void test_semidefinite(void **state) {
    (void)state;
    static full_qp f;
    for (int round = 0; round < long_run(100); round++) {
        int n = 2 + rp_int(20);
        full_qp_make(&f, n, 0, n / 2, false);
        perp_problem p = mixed(&f, n);
        double z[QP_MOST] = {0};
        must_solve(SOLVER, &p, 1e-9, z);
        for (int i = 0; i < n; i++) {
            double apart = 0;
            for (int j = 0; j < n; j++) apart += f.Q[i + n * j] * (z[j] - f.x[j]);
            assert_near(apart, 0, 1e-6);
        }
    }
}

/* Other units of variables and rows change nothing that matters: the metric is the diagonal of M. */
static void test_units(void **state) {
    (void)state;
    static full_qp f;
    for (int round = 0; round < long_run(50); round++) {
        int n = 5 + rp_int(20);
        double d[QP_MOST], zs[QP_MOST], ws[QP_MOST], z[QP_MOST] = {0};
        full_qp_make(&f, n, 0, n, false);
        perp_problem p = mixed(&f, n);
        for (int i = 0; i < n; i++) zs[i] = ws[i] = 1;
        p.z_scale = zs, p.w_scale = ws;
        int steps = must_solve(SOLVER, &p, 1e-10, z).iterations;
        for (int i = 0; i < n; i++) d[i] = ldexp(1, rp_int(40) - 20); /* powers of two: the same bits */
        for (int i = 0; i < n; i++) {
            f.c[i] *= d[i], f.lo[i] /= d[i], f.hi[i] /= d[i], zs[i] = 1 / d[i], ws[i] = d[i];
            for (int j = 0; j < n; j++) f.Q[i + n * j] *= d[i] * d[j];
        }
        memset(z, 0, sizeof z);
        assert_int_equal(must_solve(SOLVER, &p, 1e-10, z).iterations, steps);
        for (int i = 0; i < n; i++) assert_near(z[i] * d[i], f.x[i], 1e-6);
    }
}

/* A membrane over an obstacle: sparse, 1600 unknowns, and Newton's method finds the same. */
static void test_membrane(void **state) {
    (void)state;
    enum { SIDE = 40, N = SIDE * SIDE };
    int *start = malloc(sizeof *start * (N + 1)), *index = malloc(sizeof *index * 5 * N), count = 0;
    double *value = malloc(sizeof *value * 5 * N), *q = malloc(sizeof *q * N), *lo = malloc(sizeof *lo * N);
    double *hi = malloc(sizeof *hi * N), *z = calloc(N, sizeof *z), *newton = calloc(N, sizeof *newton);
    assert_true(start && index && value && q && lo && hi && z && newton);
    for (int j = 0; j < N; j++) {
        int x = j % SIDE, y = j / SIDE, near[] = {j - SIDE, j - 1, j, j + 1, j + SIDE};
        bool there[] = {y > 0, x > 0, true, x < SIDE - 1, y < SIDE - 1};
        start[j] = count;
        for (int k = 0; k < 5; k++)
            if (there[k]) index[count] = near[k], value[count++] = k == 2 ? 4 : -1;
        q[j] = 2e-3;
        lo[j] = -0.2 - 0.3 * sin(0.3 * x) * sin(0.2 * y);
        hi[j] = INFINITY;
    }
    start[N] = count;
    perp_problem p = {.cls = PERP_SPARSE_MLCP,
                      .as.sparse_mlcp = {.n = N, .M = {N, N, start, index, value}, .q = q, .lo = lo, .hi = hi}};
    perp_solve_info info = must_solve(SOLVER, &p, 1e-9, z);
    must_solve(&pp_solver_minmap_newton, &p, 1e-9, newton);
    int touching = 0;
    for (int i = 0; i < N; i++) {
        assert_near(z[i], newton[i], 1e-6);
        touching += z[i] <= lo[i];
    }
    print_message("%d of %d touch, %d steps\n", touching, N, info.iterations);
    assert_true(touching > N / 50 && touching < N / 2 && info.iterations < 600);
    free(start), free(index), free(value), free(q), free(lo), free(hi), free(z), free(newton);
}

/* An asymmetric matrix is refused with a reason; the guess is left as it was. An LCP is converted by perp_solve(). */
static void test_asymmetric(void **state) {
    (void)state;
    double M[] = {2, 1, 0.9, 2}, q[] = {-1, -1}, most[] = {1, 1}, z[] = {0.25, 0.5};
    int start[] = {0, 2, 4}, index[] = {0, 1, 0, 1};
    perp_problem p = {.cls = PERP_SPARSE_MLCP,
                      .as.sparse_mlcp = {.n = 2, .M = {2, 2, start, index, M}, .q = q, .lo = q, .hi = most}};
    perp_solve_info info = solve_to(SOLVER, &p, 1e-9, z);
    assert_int_equal(info.outcome, PERP_OUTCOME_TOO_LARGE);
    assert_non_null(strstr(info.story, "not symmetric"));
    assert_true(z[0] == 0.25 && z[1] == 0.5);
    M[2] = 1;
    perp_problem dense = {.cls = PERP_LCP, .as.lcp = {.n = 2, .M = M, .q = q}};
    assert_int_equal(perp_solve(&dense, &(perp_solve_options){.solver = "spectral-gradient"}, z, &info), PERP_OK);
    assert_near(z[0], 1.0 / 3, 1e-8);
    assert_near(z[1], 1.0 / 3, 1e-8);
}

/* No solution: the objective falls without end, and that is not called an answer. */
static void test_unbounded(void **state) {
    (void)state;
    double M[] = {1, -1, -1, 1}, q[] = {-1, -1}, z[] = {0, 0}, lo[] = {0, 0}, hi[] = {INFINITY, INFINITY};
    int start[] = {0, 2, 4}, index[] = {0, 1, 0, 1};
    perp_problem p = {.cls = PERP_SPARSE_MLCP,
                      .as.sparse_mlcp = {.n = 2, .M = {2, 2, start, index, M}, .q = q, .lo = lo, .hi = hi}};
    perp_solve_info info = solve_to(SOLVER, &p, 1e-9, z);
    assert_int_not_equal(info.outcome, PERP_OUTCOME_SOLVED);
    assert_true(isfinite(z[0]) && isfinite(z[1]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),  cmocka_unit_test(test_semidefinite), cmocka_unit_test(test_units),
        cmocka_unit_test(test_membrane), cmocka_unit_test(test_asymmetric),   cmocka_unit_test(test_unbounded),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
