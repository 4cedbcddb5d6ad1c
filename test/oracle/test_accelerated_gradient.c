/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_accelerated_gradient.c - accelerated projected gradient against interior points and closed forms */
#include "oracle/convex_help.h"

#define SOLVER (&pp_solver_accelerated_gradient)

static void test_qps_with_bounds(void **state) {
    (void)state;
    static full_qp f;
    for (int round = 0; round < long_run(300); round++) {
        int n = 1 + rp_int(20);
        full_qp_make(&f, n, 0, n, round % 2);
        double z[QP_MOST] = {0};
        perp_solve_info info = must_solve(SOLVER, &f.p, 1e-10, z);
        for (int i = 0; i < n; i++) assert_near(z[i], f.x[i], 1e-6);
        if (info.iterations < 20) continue;
        for (int i = 0; i < n; i++) z[i] = f.x[i]; /* a good guess saves the work */
        perp_solve_info warm = must_solve(SOLVER, &f.p, 1e-10, z);
        assert_true(warm.warm && warm.iterations < info.iterations / 4);
    }
    full_qp_make(&f, 3, 1, 3, false); /* rows are not for it, and it says so */
    double z[4] = {0};
    perp_solve_info info = solve_to(SOLVER, &f.p, 1e-10, z);
    assert_int_equal(info.outcome, PERP_OUTCOME_TOO_LARGE);
    assert_non_null(strstr(info.story, "rows"));
}

/* Semidefinite, with many solutions: the objective is what must agree. */
static void test_semidefinite(void **state) {
    (void)state;
    static full_qp f;
    for (int round = 0; round < long_run(100); round++) {
        int n = 2 + rp_int(12);
        full_qp_make(&f, n, 0, n / 2, false);
        double z[QP_MOST] = {0}, value = 0, best = 0;
        must_solve(SOLVER, &f.p, 1e-9, z);
        for (int i = 0; i < n; i++) {
            value += f.c[i] * z[i], best += f.c[i] * f.x[i];
            for (int j = 0; j < n; j++)
                value += 0.5 * z[i] * f.Q[i + n * j] * z[j], best += 0.5 * f.x[i] * f.Q[i + n * j] * f.x[j];
        }
        assert_near(value, best, 1e-6);
    }
}

static void test_agrees_with_interior_point(void **state) {
    (void)state;
    static rp_step s;
    int lost = 0, count = long_run(300);
    for (int round = 0; round < count; round++) {
        perp_problem p = random_cone_qp(&s, round % 8);
        int m = perp_problem_size(&p);
        double r[100] = {0}, l[100] = {0}, u[100], v[100], size = 1;
        assert_true(m <= 100);
        must_solve(&pp_solver_interior_point, &p, 1e-10, l);
        perp_solve_info info = solve_to(SOLVER, &p, 1e-9, r);
        assert_true((info.outcome == PERP_OUTCOME_SOLVED) == (natural_of(&p, r) <= 1e-9));
        if (info.outcome != PERP_OUTCOME_SOLVED) { /* redundant rows that are nearly not: too slow, and says so */
            lost++;
            assert_below(natural_of(&p, r), 1e-6);
            continue;
        }
        assert_int_equal(perp_cone_velocity(&p.as.cone, r, u, NULL), PERP_OK);
        assert_int_equal(perp_cone_velocity(&p.as.cone, l, v, NULL), PERP_OK);
        for (int i = 0; i < m; i++) size = fmax(size, fabs(u[i]));
        for (int i = 0; i < m; i++) assert_near(u[i], v[i], 3e-5 * size); /* error ~ sqrt(residual) at worst */
    }
    assert_true(lost <= count / 50);
}

static void test_sliding_block(void **state) {
    (void)state;
    must_slide_a_block(SOLVER, 2);
}

/* Piles at rest and random contacts under Coulomb's law: most are solved; what is not is said so. */
static void test_coulomb(void **state) {
    (void)state;
    static rp_step s;
    int solved = 0, count = long_run(200);
    for (int round = 0; round < count; round++) {
        perp_problem p = random_cone_qp(&s, round % 8);
        double r[100] = {0};
        p.cls = PERP_CONE;
        perp_solve_info info = solve_to(SOLVER, &p, 1e-8, r);
        bool good = natural_of(&p, r) <= 1e-8;
        assert_true(good == (info.outcome == PERP_OUTCOME_SOLVED));
        solved += good;
    }
    assert_true(solved >= count * 9 / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_qps_with_bounds),
        cmocka_unit_test(test_semidefinite),
        cmocka_unit_test(test_agrees_with_interior_point),
        cmocka_unit_test(test_sliding_block),
        cmocka_unit_test(test_coulomb),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
