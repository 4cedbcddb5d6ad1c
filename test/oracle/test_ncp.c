/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_ncp.c - NCPs of the literature: the solutions stated are solutions, J is the derivative of F, and the Newton
 * solvers find them from every start */
#include "oracle/newton_help.h"

#include "check.h"
#include "ncp_problems.h"
#include "solver/common/box.h"

static double measured(const ncp_problem *p, const double *z) {
    perp_measures m;
    assert_int_equal(perp_problem_measure(&p->problem, z, &m), PERP_OK);
    return m.natural;
}

/* Large grids are left out where the build is slow on purpose. */
static bool skipped(const ncp_problem *p) { return p->n > (long_run(8) == 8 ? 3000 : 500); }

/* As accurate as printed: a change of z by that much may change the rows by |J| times it. */
static void test_solutions(void **state) {
    (void)state;
    perp_call call = {.arena = &arena, .deadline = INFINITY};
    int known = 0;
    for (int i = 0; i < ncp_problem_count(); i++) {
        ncp_problem p;
        assert_true(ncp_problem_make(i, &p));
        pp_box b;
        assert_true(pp_box_make(&b, &p.problem, &call));
        double *w = PP_CALL_ARRAY(&call, double, p.n), *J = PP_CALL_ARRAY(&call, double, b.nnz);
        for (int k = 0; k < p.nsolution; k++, known++) {
            const double *z = p.solution + (ptrdiff_t)p.n * k;
            double slope = 1;
            assert_true(pp_box_F(&b, z, w) && pp_box_J(&b, z, J));
            for (int e = 0; e < b.nnz; e++) slope = fmax(slope, fabs(J[e]));
            if (pp_box_natural(&b, z, w) > p.n * slope * p.accuracy) print_error("%s, solution %d\n", p.name, k);
            assert_below(pp_box_natural(&b, z, w), p.n * slope * p.accuracy);
        }
        ncp_problem_free(&p);
        pp_arena_reset(&arena);
    }
    assert_true(known >= 15);
}

/* Central differences along random directions, at every start moved a little into the inside. */
static void test_derivatives(void **state) {
    (void)state;
    perp_call call = {.arena = &arena, .deadline = INFINITY};
    for (int i = 0; i < ncp_problem_count(); i++) {
        ncp_problem p;
        assert_true(ncp_problem_make(i, &p));
        pp_box b;
        assert_true(pp_box_make(&b, &p.problem, &call));
        assert_non_null(p.problem.as.ncp.J);
        double *z = PP_CALL_ARRAY(&call, double, p.n), *d = PP_CALL_ARRAY(&call, double, p.n);
        double *up = PP_CALL_ARRAY(&call, double, p.n), *down = PP_CALL_ARRAY(&call, double, p.n);
        double *Jd = PP_CALL_ARRAY(&call, double, p.n), *J = PP_CALL_ARRAY(&call, double, b.nnz);
        for (int s = 0; s < p.nstart && !skipped(&p); s++) {
            double h = 1e-6, size = 0, slope = 0;
            for (int k = 0; k < p.n; k++) {
                z[k] = p.start[(ptrdiff_t)p.n * s + k] + 0.01 * (1 + k % 5);
                d[k] = sin(3 * k + s + 1.0);
            }
            assert_true(pp_box_J(&b, z, J));
            pp_box_mul(&b, J, d, Jd);
            for (int k = 0; k < p.n; k++) z[k] += h * d[k];
            assert_true(pp_box_F(&b, z, up));
            for (int k = 0; k < p.n; k++) z[k] -= 2 * h * d[k];
            assert_true(pp_box_F(&b, z, down));
            for (int k = 0; k < p.n; k++) {
                size = fmax(size, fabs(up[k]));
                slope = fmax(slope, fabs(Jd[k]));
            }
            for (int k = 0; k < p.n; k++) assert_near((up[k] - down[k]) / (2 * h), Jd[k], 1e-6 * slope + 1e-9 * size);
        }
        ncp_problem_free(&p);
        pp_arena_reset(&arena);
    }
}

static bool is_stated(const ncp_problem *p, const double *z) {
    for (int k = 0; k < p->nsolution; k++) {
        double most = 0;
        for (int i = 0; i < p->n; i++) most = fmax(most, fabs(z[i] - p->solution[(ptrdiff_t)p->n * k + i]));
        if (most <= fmax(2 * p->accuracy, 1e-5)) return true;
    }
    return false;
}

static void test_solved(void **state) {
    (void)state;
    for (int s = 0; s < 2; s++) {
        int runs = 0, steps = 0;
        for (int i = 0; i < ncp_problem_count(); i++) {
            ncp_problem p;
            assert_true(ncp_problem_make(i, &p));
            double *z = malloc(sizeof *z * (size_t)p.n);
            for (int k = 0; k < p.nstart && !skipped(&p); k++, runs++) {
                perp_solve_info info;
                memcpy(z, p.start + (ptrdiff_t)p.n * k, sizeof *z * (size_t)p.n);
                (void)newton_solve(newton_names[s], &p.problem, 1e-13, z, &info);
                steps += info.iterations;
                double r = measured(&p, z);
                if (r > 1e-9) print_error("%s by %s, start %d: residual %g\n", p.name, newton_names[s], k, r);
                assert_below(r, 1e-9);
                if (!p.isolated || is_stated(&p, z)) continue;
                print_error("%s by %s, start %d: another solution\n", p.name, newton_names[s], k);
                for (int j = 0; j < p.n && j < 10; j++) print_error("    %.12g\n", z[j]);
                fail();
            }
            free(z);
            ncp_problem_free(&p);
        }
        print_message("%s: %d of %d runs, %.1f steps each\n", newton_names[s], runs, runs, (double)steps / runs);
    }
}

static int find(const char *name, ncp_problem *p) {
    for (int i = 0; i < ncp_problem_count(); i++) {
        assert_true(ncp_problem_make(i, p));
        if (strcmp(p->name, name) == 0) return i;
        ncp_problem_free(p);
    }
    fail_msg("there is no problem %s", name);
    return -1;
}

/* The film of the bearing ends where the closed form says, to within a point of the grid. */
static void test_free_boundary(void **state) {
    (void)state;
    ncp_problem p;
    find("bearing-200", &p);
    double z[200] = {0}, h = 2 * 3.14159265358979323846 / 201, end = ncp_bearing_end(0.6);
    assert_true(end > 3.2 && end < 4.5);
    perp_solve_info info;
    (void)newton_solve("minmap-newton", &p.problem, 0, z, &info);
    int last = 0;
    for (int i = 0; i < 200; i++)
        if (z[i] > 1e-9) last = i;
    assert_near((last + 1) * h, end, 1.5 * h);
    for (int i = 0; i < last; i++) assert_true(z[i] > 0); /* one film */
    ncp_problem_free(&p);
}

/* The twisted bar is as symmetric as the square, plastic in the middle of the sides and elastic at the centre. */
static void test_torsion(void **state) {
    (void)state;
    ncp_problem p;
    find("torsion-20", &p);
    double z[400] = {0};
    perp_solve_info info;
    (void)newton_solve("fischer-newton", &p.problem, 0, z, &info);
    int plastic = 0;
    for (int i = 0; i < 400; i++) {
        int x = i % 20, y = i / 20;
        assert_near(z[i], z[y + 20 * x], 1e-9);
        assert_near(z[i], z[19 - x + 20 * y], 1e-9);
        plastic += z[i] > p.hi[i] - 1e-9;
    }
    assert_true(plastic > 20 && plastic < 380);
    assert_near(z[10], p.hi[10], 1e-9);
    assert_true(z[10 + 200] < p.hi[10 + 200] - 1e-3);
    ncp_problem_free(&p);
}

/* The stock of capital is one and the same whatever the start and the solver. No price is zero, so capital is kept and
 * resources are used up; some activities rest. */
static void test_hansen_koopmans(void **state) {
    (void)state;
    ncp_problem p;
    find("hansen-koopmans", &p);
    double first[14] = {0}, z[14];
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < p.nstart; k++) {
            memcpy(z, p.start + 14 * k, sizeof z);
            perp_solve_info info;
            (void)newton_solve(newton_names[s], &p.problem, 0, z, &info);
            if (s == 0 && k == 0) memcpy(first, z, sizeof z);
            for (int i = 0; i < 14; i++) assert_near(z[i], first[i], 1e-8);
        }
    for (int i = 10; i < 14; i++) assert_true(first[i] > 0.1);
    assert_true(first[0] < 1e-9 && first[3] < 1e-9 && first[1] > 0.1 && first[2] > 0.1);
    ncp_problem_free(&p);
}

/* Without J: differences do, over the sparse pattern or dense. */
static void test_differences(void **state) {
    (void)state;
    static const char *const names[] = {"kojima-shindo", "nash-10", "watson-4", "free-boundary-20", "hansen-koopmans"};
    for (int k = 0; k < 5; k++)
        for (int s = 0; s < 2; s++) {
            ncp_problem p;
            find(names[k], &p);
            p.problem.as.ncp.J = NULL;
            double z[400];
            memcpy(z, p.start + p.n, sizeof *z * (size_t)p.n);
            perp_solve_info info;
            (void)newton_solve(newton_names[s], &p.problem, 1e-9, z, &info);
            assert_below(measured(&p, z), 1e-8);
            ncp_problem_free(&p);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solutions),       cmocka_unit_test(test_derivatives), cmocka_unit_test(test_solved),
        cmocka_unit_test(test_free_boundary),   cmocka_unit_test(test_torsion),     cmocka_unit_test(test_differences),
        cmocka_unit_test(test_hansen_koopmans),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
