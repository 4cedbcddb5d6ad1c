/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_newton.c - fischer-newton and minmap-newton against every basis tried, on thousands of small problems; sparse
 * against dense; scales from 1e-5 to 1e5; degenerate, exponential and unsolvable problems */
#include "oracle/newton_help.h"

#include "check.h"
#include "fault/allocator.h"
#include "oracle/random_problem.h"
#include "problem/convert/convert.h"

#define MAX 24
static double M[MAX * MAX], q[MAX], lo[MAX], hi[MAX], z[MAX], y[MAX];

/* Theory promises P-matrices, and by the proximal restarts monotone problems with a solution: all RP kinds. */
static void test_random_lcp(void **state) {
    (void)state;
    static const char *const kinds[] = {"P", "PSD", "asymmetric", "degenerate", "backward"};
    for (int kind = 0; kind < RP_KINDS; kind++)
        for (int s = 0; s < 2; s++) {
            double steps = 0;
            int runs = long_run(1000);
            rp_seed = 11 + (uint64_t)kind;
            for (int round = 0; round < runs; round++) {
                int n = 1 + rp_int(20);
                rp_lcp(kind, n, M, q);
                memset(z, 0, sizeof z);
                perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
                perp_solve_info info;
                assert_int_equal(newton_solve(newton_names[s], &p, 0, z, &info), PERP_OUTCOME_SOLVED);
                assert_below(judge_dense(n, M, q, NULL, NULL, z), 1e-10);
                assert_false(info.warm);
                steps += info.iterations;
                assert_true(info.factorisations >= 1 || info.iterations == 0);
            }
            print_message("%-10s %-14s %d of %d, %.1f steps each\n", kinds[kind], newton_names[s], runs, runs,
                          steps / runs);
        }
}

/* Mixed: free, one-sided, doubly bounded and fixed variables over a P-matrix have one solution; enumerate finds it. */
static void test_mixed(void **state) {
    (void)state;
    rp_seed = 5;
    for (int round = 0; round < long_run(600); round++) {
        int n = 1 + rp_int(7);
        rp_lcp(RP_ASYMMETRIC, n, M, q);
        for (int i = 0; i < n; i++) {
            int kind = rp_int(6);
            lo[i] = kind == 0 || kind == 1 ? -INFINITY : kind == 5 ? 0.3 : -rp_unit();
            hi[i] = kind == 0 || kind == 2 ? INFINITY : kind == 5 ? 0.3 : rp_int(4) ? rp_unit() : 0;
        }
        perp_problem p = {.cls = PERP_MLCP, .as.mlcp = {n, M, q, lo, hi}};
        perp_solve_info info;
        memset(y, 0, sizeof y);
        (void)newton_solve("enumerate", &p, 0, y, &info);
        assert_below(judge_dense(n, M, q, lo, hi, y), 1e-9);
        for (int s = 0; s < 2; s++) {
            for (int i = 0; i < n; i++) z[i] = 3 * rp_sym(); /* guesses need not lie between the bounds */
            assert_int_equal(newton_solve(newton_names[s], &p, 0, z, &info), PERP_OUTCOME_SOLVED);
            assert_below(judge_dense(n, M, q, lo, hi, z), 1e-10);
            assert_true(info.warm);
            for (int i = 0; i < n; i++) assert_near(z[i], y[i], 1e-7);
        }
    }
}

/* A guess that solves: no step, no factorisation. */
static void test_warm(void **state) {
    (void)state;
    rp_seed = 3;
    for (int s = 0; s < 2; s++) {
        rp_lcp(RP_P, 15, M, q);
        memset(z, 0, sizeof z);
        perp_problem p = {.cls = PERP_LCP, .as.lcp = {15, M, q}};
        perp_solve_info info;
        (void)newton_solve(newton_names[s], &p, 1e-13, z, &info);
        assert_true(info.iterations > 0);
        (void)newton_solve(newton_names[s], &p, 1e-11, z, &info);
        assert_int_equal(info.iterations, 0);
        assert_int_equal(info.factorisations, 0);
        assert_true(info.warm);
    }
}

/* The same problem dense and sparse: the same steps and, but for rounding, the same answer. */
static void test_sparse_is_dense(void **state) {
    (void)state;
    static int start[MAX + 1], index[MAX * MAX];
    static double value[MAX * MAX];
    rp_seed = 17;
    for (int round = 0; round < long_run(300); round++) {
        int n = 2 + rp_int(18), count = 0;
        rp_lcp(RP_P, n, M, q);
        for (int i = 0; i < n; i++) {
            lo[i] = rp_int(4) ? 0 : -INFINITY;
            hi[i] = rp_int(4) ? INFINITY : 0.5;
            for (int j = 0; j < n; j++)
                if (i != j && rp_int(2)) M[i + n * j] = M[j + n * i] = 0;
            M[i + n * i] += 3; /* stays a P-matrix in nearly all cases */
        }
        for (int j = 0; j < n; j++) {
            start[j] = count;
            for (int i = 0; i < n; i++)
                if (M[i + n * j] != 0) index[count] = i, value[count++] = M[i + n * j];
        }
        start[n] = count;
        perp_problem dense = {.cls = PERP_MLCP, .as.mlcp = {n, M, q, lo, hi}};
        perp_problem sparse = {.cls = PERP_SPARSE_MLCP, .as.sparse_mlcp = {n, {n, n, start, index, value}, q, lo, hi}};
        for (int s = 0; s < 2; s++) {
            perp_solve_info a, b;
            memset(z, 0, sizeof z);
            memset(y, 0, sizeof y);
            perp_outcome oa = newton_solve(newton_names[s], &dense, 1e-9, z, &a);
            assert_int_equal(newton_solve(newton_names[s], &sparse, 1e-9, y, &b), oa);
            assert_int_equal(a.iterations, b.iterations);
            for (int i = 0; i < n; i++) assert_near(z[i], y[i], 1e-9);
        }
    }
}

/* Rows and columns in units from 1e-5 to 1e5, with and without the natural scales that tell of them. */
static void test_scales(void **state) {
    (void)state;
    static double zs[MAX], ws[MAX], N[MAX * MAX], r[MAX];
    rp_seed = 23;
    for (int round = 0; round < long_run(600); round++) {
        int n = 1 + rp_int(15), told = round % 2;
        rp_lcp(round % 3 ? RP_ASYMMETRIC : RP_BACKWARD, n, M, q);
        double all = pow(10, 5 * rp_sym());
        for (int i = 0; i < n; i++)
            zs[i] = pow(10, (told ? 5 : 1) * rp_sym()), ws[i] = all * pow(10, told ? 5 * rp_sym() : 0);
        for (int i = 0; i < n; i++) {
            r[i] = q[i] * ws[i];
            for (int j = 0; j < n; j++) N[i + n * j] = M[i + n * j] * ws[i] / zs[j];
        }
        perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, N, r}};
        if (told) p.z_scale = zs, p.w_scale = ws;
        for (int s = 0; s < 2; s++) {
            perp_solve_info info;
            memset(z, 0, sizeof z);
            assert_int_equal(newton_solve(newton_names[s], &p, 0, z, &info), PERP_OUTCOME_SOLVED);
            if (!told) {
                assert_below(judge_dense(n, N, r, NULL, NULL, z), 1e-10);
                continue;
            }
            for (int i = 0; i < n; i++) z[i] /= zs[i]; /* back to the plain problem */
            double unit = 0, most = 0;
            for (int i = 0; i < n; i++) unit = fmax(unit, fabs(q[i]));
            for (int i = 0; i < n; i++) {
                double w = q[i];
                for (int j = 0; j < n; j++) w += M[i + n * j] * z[j];
                most = fmax(most, fabs(fmin(w, z[i])));
            }
            assert_below(most, 1e-10 * unit);
        }
    }
}

/* Murty's matrix, on which pivoting takes 2^n steps; and solutions with z = w = 0 everywhere. */
static void test_special(void **state) {
    (void)state;
    for (int s = 0; s < 2; s++)
        for (int n = 1; n <= MAX; n++) {
            perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
            perp_solve_info info;
            for (int i = 0; i < n; i++) {
                q[i] = -1;
                z[i] = 0;
                for (int j = 0; j < n; j++) M[i + n * j] = i == j ? 1 : i < j ? 2 : 0;
            }
            assert_int_equal(newton_solve(newton_names[s], &p, 0, z, &info), PERP_OUTCOME_SOLVED);
            for (int i = 0; i < n; i++) assert_near(z[i], i == n - 1 ? 1 : 0, 1e-9);
            assert_in_range(info.iterations, 0, 3 * MAX);
            for (int i = 0; i < n; i++) q[i] = 0, z[i] = i + 1;
            assert_int_equal(newton_solve(newton_names[s], &p, 0, z, &info), PERP_OUTCOME_SOLVED);
            for (int i = 0; i < n; i++) assert_near(z[i], 0, 1e-7);
        }
}

/* No solution: ends, says so, and returns something finite. */
static void test_unsolvable(void **state) {
    (void)state;
    const double A[] = {0, 1, 1, 0}, a[] = {-1, 1}, minus[] = {-1, 0, 0, -1}, b[] = {-1, -1}, nothing[4] = {0};
    const double *matrix[] = {A, minus, nothing}, *right[] = {a, b, b};
    for (int k = 0; k < 3; k++)
        for (int s = 0; s < 2; s++) {
            perp_problem p = {.cls = PERP_LCP, .as.lcp = {2, matrix[k], right[k]}};
            perp_solve_info info;
            z[0] = z[1] = 0;
            perp_outcome o = newton_solve(newton_names[s], &p, 0, z, &info);
            assert_true(o == PERP_OUTCOME_LIMIT || o == PERP_OUTCOME_NUMERICS);
            assert_true(info.iterations <= 500);
        }
    perp_problem empty = {.cls = PERP_LCP};
    perp_solve_info info;
    assert_int_equal(newton_solve(newton_names[0], &empty, 0, NULL, &info), PERP_OUTCOME_SOLVED);
}

/* Contact problems with friction are neither P nor monotone: no promise, so the rate is printed; frictionless ones are
 * monotone. */
static void test_contacts(void **state) {
    (void)state;
    static rp_step step;
    static double big[4096];
    for (int friction = 0; friction < 2; friction++)
        for (int s = 0; s < 2; s++) {
            int solved = 0, runs = long_run(400);
            rp_seed = 31;
            for (int round = 0; round < runs; round++) {
                rp_options o = {.dim = 2 + rp_int(2),
                                .blocks = 1 + rp_int(3),
                                .contacts = 1 + rp_int(4),
                                .bilateral = rp_int(2),
                                .limits = rp_int(2),
                                .mu = friction ? 1 : 0,
                                .mass_ratio = rp_int(2) ? 1e4 : 1};
                rp_step_make(&step, &o);
                pp_arena mine;
                pp_arena_init(&mine, (perp_allocator){0});
                pp_converted c;
                assert_int_equal(pp_convert(&step.p, round % 2 ? PERP_LCP : PERP_MLCP, &mine, &c), PERP_OK);
                memset(big, 0, sizeof big);
                assert_true(perp_problem_size(&c.problem) <= 4096);
                perp_solve_info info;
                (void)newton_solve(newton_names[s], &c.problem, 1e-10, big, &info);
                perp_measures m;
                assert_int_equal(perp_problem_measure(&c.problem, big, &m), PERP_OK);
                solved += m.natural <= 1e-8;
                pp_arena_free(&mine);
            }
            print_message("%s contacts: %s solved %d of %d\n", friction ? "rough" : "smooth", newton_names[s], solved,
                          runs);
            if (!friction) assert_int_equal(solved, runs);
        }
}

/* The watch sees every step once, in order, and its no is obeyed. */
static bool look_three(int iteration, const double *at, void *ctx) {
    int *seen = ctx;
    assert_int_equal(iteration, *seen);
    assert_true(isfinite(at[0]));
    return ++*seen < 3;
}

static void test_watched(void **state) {
    (void)state;
    rp_seed = 9;
    rp_lcp(RP_P, 20, M, q);
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {20, M, q}};
    const perp_solver_type *type = perp_solver_find("fischer-newton");
    pp_settings set;
    pp_settings_default(type, 0, &set);
    int seen = 0;
    perp_watch watch = {look_three, &seen};
    perp_call call = {.arena = &arena, .deadline = INFINITY, .watch = &watch};
    perp_solve_info info;
    memset(z, 0, sizeof z);
    assert_int_equal(pp_solve_within(&call, type, &set, &p, z, &info), PERP_OK);
    assert_int_equal(info.outcome, PERP_OUTCOME_STOPPED);
    assert_int_equal(seen, 3);
    assert_int_equal(info.iterations, 2);
    pp_arena_reset(&arena);
}

/* Memory refused at any call: said so, nothing lost (KLU's own memory is the leak checker's business). */
static void test_memory_refused(void **state) {
    (void)state;
    const int start[] = {0, 1, 2}, index[] = {0, 1};
    const double value[] = {1, 1}, b[] = {-1, -1}, low[] = {0, 0}, high[] = {INFINITY, INFINITY};
    perp_problem p = {.cls = PERP_SPARSE_MLCP, .as.sparse_mlcp = {2, {2, 2, start, index, value}, b, low, high}};
    const perp_solver_type *type = perp_solver_find("minmap-newton");
    pp_settings set;
    pp_settings_default(type, 0, &set);
    int refusals = 0;
    for (long k = 0;; k++) {
        counter c = {.refuse = k};
        pp_arena mine;
        pp_arena_init(&mine, counting(&c));
        perp_call call = {.arena = &mine, .deadline = INFINITY};
        perp_solve_info info;
        z[0] = z[1] = 0;
        perp_status status = pp_solve_within(&call, type, &set, &p, z, &info);
        pp_arena_free(&mine);
        assert_int_equal(c.live, 0);
        if (c.refused == 0) {
            assert_true(status == PERP_OK && info.outcome == PERP_OUTCOME_SOLVED && z[0] == 1);
            break;
        }
        assert_int_equal(status, PERP_E_MEMORY);
        refusals++;
    }
    assert_true(refusals > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_lcp),      cmocka_unit_test(test_mixed),    cmocka_unit_test(test_warm),
        cmocka_unit_test(test_sparse_is_dense), cmocka_unit_test(test_scales),   cmocka_unit_test(test_special),
        cmocka_unit_test(test_unsolvable),      cmocka_unit_test(test_contacts), cmocka_unit_test(test_watched),
        cmocka_unit_test(test_memory_refused),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
