/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_lemke.c - known answers, degenerate and cycling examples, rays, mixed problems, warm starts, no allocation */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "count_malloc.h"
#include "oracle/random_problem.h"
#include "problem/convert/convert.h"
#include "solver/common/solver.h"

typedef union any_settings {
    double align;
    char bytes[PERP_SETTINGS_MAX];
} any_settings;

static any_settings defaults(void) {
    any_settings s = {0};
    perp_fields_default(pp_solver_lemke.fields, pp_solver_lemke.nfield, &s);
    return s;
}

static perp_solve_info solve_with(const any_settings *set, const perp_problem *p, double *z) {
    pp_arena arena;
    perp_solve_info info;
    pp_arena_init(&arena, (perp_allocator){0});
    assert_int_equal(pp_solve(&pp_solver_lemke, set, p, z, &arena, &info), PERP_OK);
    pp_arena_free(&arena);
    return info;
}
static perp_solve_info solve(const perp_problem *p, double *z) {
    any_settings set = defaults();
    return solve_with(&set, p, z);
}
static perp_solve_info solve_lcp(int n, const double *M, const double *q, double *z) {
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
    return solve(&p, z);
}
/* The bare method: no sharing of load, one run. */
static perp_solve_info solve_bare(int n, const double *M, const double *q, double *z) {
    any_settings set = defaults();
    assert_int_equal(perp_fields_set(pp_solver_lemke.fields, pp_solver_lemke.nfield, &set, "share", 0), PERP_OK);
    assert_int_equal(perp_fields_set(pp_solver_lemke.fields, pp_solver_lemke.nfield, &set, "tries", 1), PERP_OK);
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
    return solve_with(&set, &p, z);
}

static void test_textbook(void **state) {
    (void)state;
    double M[] = {2, 1, 1, 2}, q[] = {-5, -6}, z[2] = {0};
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {2, M, q}};
    perp_solve_info info;
    assert_int_equal(perp_problem_solve(&p, "lemke", z, &info), PERP_OK); /* the example of problem.h */
    assert_true(info.residual < 1e-14 && fabs(z[0] - 4.0 / 3) < 1e-14 && fabs(z[1] - 7.0 / 3) < 1e-14);
    assert_int_equal(info.outcome, PERP_OUTCOME_SOLVED);

    double A[] = {1, 0, 2, 1}, r[] = {-5, -1},
           y[2] = {0}; /* w_0 = z_0 + 2 z_1 - 5, w_1 = z_1 - 1; transposed: z = (5, 0) */
    info = solve_lcp(2, A, r, y);
    assert_true(info.residual < 1e-14 && fabs(y[0] - 3) < 1e-14 && fabs(y[1] - 1) < 1e-14);
    double At[] = {1, 2, 0, 1}, t[2] = {0};
    info = solve_lcp(2, At, r, t);
    assert_true(info.residual < 1e-14 && fabs(t[0] - 5) < 1e-14 && t[1] == 0);

    double good[] = {3, 4}, zero[2] = {7, NAN}; /* nothing to do, whatever the guess */
    info = solve_lcp(2, M, good, zero);
    assert_true(info.residual == 0 && zero[0] == 0 && zero[1] == 0 && info.iterations == 0);
    info = solve_lcp(0, NULL, NULL, NULL);
    assert_true(info.residual == 0 && info.outcome == PERP_OUTCOME_SOLVED);
}

/* Examples on which careless complementary pivoting goes round in circles: degenerate problems with all ratios tied. */
static void test_cycling(void **state) {
    (void)state;
    /* M = upper bidiagonal cycle [1 2 0; 0 1 2; 2 0 1], q = -e: a P-matrix on which Murty's least-index-free
     * principal pivoting cycles */
    double M1[] = {1, 0, 2, 2, 1, 0, 0, 2, 1}, q1[] = {-1, -1, -1};
    /* the same with ties of every kind */
    double q2[] = {-1, 0, 0}, q3[] = {0, 0, -1};
    /* copositive, all rows alike: every ratio test is a tie */
    double M4[16], q4[] = {-1, -1, -1, -1};
    for (int i = 0; i < 16; i++) M4[i] = 1;
    /* lower triangle of twos (Murty's exponential example) with q = -2^k */
    double M5[36] = {0}, q5[6], sum = 0;
    for (int i = 5; i >= 0; i--) {
        sum += ldexp(1, i);
        q5[5 - i] = -sum;
        for (int j = 0; j <= 5 - i; j++) M5[5 - i + 6 * j] = j == 5 - i ? 1 : 2;
    }
    /* Kostreva: degenerate w = 0 rows beside a cycle of signs */
    double M6[] = {1, -1, 0, 0, 0, 1, -1, 0, 0, 0, 1, -1, -1, 0, 0, 1}, q6[] = {-1, 1, 0, 0};
    /* Beale's linear programme as an LCP: [0 -A'; A 0] with its zero right-hand sides, on which the simplex method
     * cycles */
    double A[3][4] = {{0.25, -60, -1.0 / 25, 9}, {0.5, -90, -1.0 / 50, 3}, {0, 0, 1, 0}}, b[] = {0, 0, 1},
           c[] = {-0.75, 150, -0.02, 6};
    double M7[49] = {0}, q7[7];
    for (int i = 0; i < 4; i++) q7[i] = c[i];
    for (int i = 0; i < 3; i++) q7[4 + i] = b[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) M7[j + 7 * (4 + i)] = A[i][j], M7[4 + i + 7 * j] = -A[i][j];
    const struct {
        int n;
        const double *M, *q;
    } all[] = {{3, M1, q1}, {3, M1, q2}, {3, M1, q3}, {4, M4, q4}, {6, M5, q5}, {4, M6, q6}, {7, M7, q7}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int bare = 0; bare < 2; bare++) {
            double z[8] = {0};
            perp_solve_info info =
                bare ? solve_bare(all[k].n, all[k].M, all[k].q, z) : solve_lcp(all[k].n, all[k].M, all[k].q, z);
            if (info.outcome != PERP_OUTCOME_SOLVED || !(info.residual < 1e-12) || info.iterations > 200)
                fail_msg("example %zu: %s, residual %g, %d iterations", k, perp_outcome_text(info.outcome),
                         info.residual, info.iterations);
        }
    double z[7] = {0};
    solve_lcp(7, M7, q7, z);
    assert_true(fabs(z[0] - 0.04) < 1e-12 && fabs(z[2] - 1) < 1e-12); /* Beale's optimum, -1/20 */
}

/* Whole-number problems with many ties: the lexicographic rule alone must end each run. */
static void test_degenerate_runs(void **state) {
    (void)state;
    double M[24 * 24], q[24], z[24];
    for (int round = 0; round < 3000; round++) {
        int n = 1 + rp_int(14);
        rp_lcp(RP_DEGENERATE, n, M, q);
        memset(z, 0, sizeof z);
        perp_solve_info info = solve_bare(n, M, q, z);
        if (info.outcome != PERP_OUTCOME_SOLVED || !(info.residual < 1e-10))
            fail_msg("round %d: %s, residual %g after %d", round, perp_outcome_text(info.outcome), info.residual,
                     info.iterations);
    }
}

static void test_ray(void **state) {
    (void)state;
    double M[] = {0}, q[] = {-1}, z[] = {0};
    assert_int_equal(solve_lcp(1, M, q, z).outcome, PERP_OUTCOME_RAY);
    assert_true(isfinite(z[0]));
    double A[] = {1, 1, 1, 1}, r[] = {-1, -1}, y[2] = {0}; /* the same row twice is no contradiction */
    assert_true(solve_lcp(2, A, r, y).residual < 1e-12);
    double C[] = {1, -1, -1, 1}, s[] = {-1, -1}; /* x - y >= 1 and y - x >= 1 */
    double x[2] = {0};
    perp_solve_info info = solve_lcp(2, C, s, x);
    assert_int_equal(info.outcome, PERP_OUTCOME_RAY);
    assert_true(info.residual > 0.1 && isfinite(x[0]) && isfinite(x[1]));
    any_settings set = defaults();
    perp_fields_set(pp_solver_lemke.fields, pp_solver_lemke.nfield, &set, "max_pivots", 1);
    perp_fields_set(pp_solver_lemke.fields, pp_solver_lemke.nfield, &set, "share", 0);
    double M5[] = {1, 2, 0, 1}, q5[] = {-1, -3}, z5[2] = {0};
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {2, M5, q5}};
    assert_int_equal(solve_with(&set, &p, z5).outcome, PERP_OUTCOME_LIMIT);
}

/* Mixed problems made backwards: z and w are chosen first, q follows. */
static void test_mixed_backwards(void **state) {
    (void)state;
    double M[24 * 24], q[24], lo[24], hi[24], z[24], w[24], x[24];
    for (int round = 0; round < 3000; round++) {
        int n = 1 + rp_int(14), rank = rp_int(3) ? n : (n + 1) / 2, kinds = rp_int(3);
        double B[24 * 24], skew = rp_int(2) ? 1 : 0;
        for (int i = 0; i < n * rank; i++) B[i] = rp_sym();
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                M[i + n * j] = i == j && rank == n ? 0.1 : 0;
                for (int k = 0; k < rank; k++) M[i + n * j] += B[i + n * k] * B[j + n * k];
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) {
                double t = skew * rp_sym();
                M[i + n * j] += t, M[j + n * i] -= t;
            }
        for (int i = 0; i < n; i++) {
            int kind = rp_int(kinds == 0 ? 2 : 6);
            lo[i] = kind == 0 || kind == 4 ? -INFINITY : kind == 1 ? 0 : rp_sym();
            hi[i] = kind == 0 || kind == 1 ? INFINITY : kind == 4 ? rp_sym() : kind == 5 ? lo[i] : lo[i] + rp_unit();
            double at = rp_unit();
            bool low = lo[i] > -INFINITY, high = hi[i] < INFINITY;
            w[i] = 0;
            z[i] = low && high ? lo[i] + at * (hi[i] - lo[i]) : low ? lo[i] + at : high ? hi[i] - at : rp_sym();
            int where = rp_int(3);
            if (where == 0 && low) z[i] = lo[i], w[i] = rp_int(3) ? rp_unit() : 0;
            if (where == 1 && high) z[i] = hi[i], w[i] = rp_int(3) ? -rp_unit() : 0;
            if (lo[i] == hi[i]) z[i] = lo[i], w[i] = rp_sym();
        }
        for (int i = 0; i < n; i++) {
            q[i] = w[i];
            for (int j = 0; j < n; j++) q[i] -= M[i + n * j] * z[j];
            x[i] = 0;
        }
        perp_problem p = {.cls = PERP_MLCP, .as.mlcp = {n, M, q, lo, hi}};
        perp_solve_info info = solve(&p, x);
        if (!(info.residual < 1e-9))
            fail_msg("round %d, n %d, rank %d: %s, residual %g", round, n, rank, perp_outcome_text(info.outcome),
                     info.residual);
        for (int i = 0; i < n; i++) assert_true(x[i] >= lo[i] && x[i] <= hi[i]);
        if (rank < n) continue; /* M positive definite: the answer is the one we started from */
        for (int i = 0; i < n; i++) assert_true(fabs(x[i] - z[i]) < 1e-7);
    }
}

/* Badly scaled: rows and columns in units thousands apart, a million between the extremes. */
static void test_scales(void **state) {
    (void)state;
    double M[24 * 24], q[24], z[24], zs[24], ws[24];
    for (int round = 0; round < 1000; round++) {
        int n = 2 + rp_int(10);
        rp_lcp(RP_BACKWARD, n, M, q);
        for (int i = 0; i < n; i++) zs[i] = pow(10, 3 * rp_sym()), ws[i] = pow(10, 3 * rp_sym());
        for (int i = 0; i < n; i++) {
            q[i] *= ws[i];
            z[i] = 0;
            for (int j = 0; j < n; j++) M[i + n * j] *= ws[i] / zs[j];
        }
        perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}, .z_scale = zs, .w_scale = ws};
        perp_solve_info info = solve(&p, z);
        if (!(info.residual < 1e-9))
            fail_msg("round %d: %s, residual %g", round, perp_outcome_text(info.outcome), info.residual);
    }
}

static void test_warm(void **state) {
    (void)state;
    double M[24 * 24], q[24], z[24];
    int hits = 0;
    for (int round = 0; round < 1000; round++) {
        int n = 4 + rp_int(16);
        rp_lcp(rp_int(2) ? RP_P : RP_ASYMMETRIC, n, M, q);
        memset(z, 0, sizeof z);
        solve_lcp(n, M, q, z);
        for (int i = 0; i < n; i++) q[i] += 1e-6 * rp_sym();
        perp_solve_info info = solve_lcp(n, M, q, z);
        assert_true(info.residual < 1e-12);
        hits += info.warm && info.iterations <= 2;
        for (int i = 0; i < n; i++) z[i] = rp_sym(); /* a foolish guess does no harm */
        info = solve_lcp(n, M, q, z);
        assert_true(info.residual < 1e-12);
    }
    assert_true(hits > 950);
}

/* The same bits, wherever the workspace and the problem lie and whatever is in the workspace before. */
static void test_same_bits(void **state) {
    (void)state;
    enum { N = 21 };
    static double M[N * N + 8], q[N + 8], first[N];
    double A[24 * 24], b[24];
    rp_lcp(RP_PSD, N, A, b);
    any_settings set = defaults();
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {N, M, q}};
    size_t size = pp_solver_lemke.work_size(&p, &set);
    char *work = malloc(size + 256);
    for (int shift = 0; shift < 8; shift++) {
        double z[N + 8] = {0};
        memcpy(M + shift, A, sizeof(double) * N * N);
        memcpy(q + (3 * shift) % 8, b, sizeof(double) * N);
        p.as.lcp.M = M + shift;
        p.as.lcp.q = q + (3 * shift) % 8;
        memset(work, shift % 2 ? 0xff : 0x41, size + 256);
        perp_solve_info info = {0};
        assert_int_equal(
            pp_solver_lemke.solve(&p, &set, z + shift, work + 16 * shift, &(perp_call){.deadline = INFINITY}, &info),
            PERP_OUTCOME_SOLVED);
        for (size_t i = size; i < size + 16; i++)
            assert_true((unsigned char)work[16 * (size_t)shift + i] == (shift % 2 ? 0xff : 0x41));
        if (shift == 0) memcpy(first, z, sizeof first);
        assert_memory_equal(first, z + shift, sizeof first);
    }
    free(work);
}

static void test_no_allocation(void **state) {
    (void)state;
    static rp_step s;
    rp_options o = {.dim = 3,
                    .blocks = 5,
                    .contacts = 8,
                    .mu = 0.5,
                    .nd = 8,
                    .bilateral = 3,
                    .redundant = 1,
                    .boxes = 2,
                    .limits = 1};
    rp_step_make(&s, &o);
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    double nu[36], p_joint[RP_ROWS] = {0}, p_contact[3 * RP_ROWS] = {0}, sigma[RP_ROWS] = {0};
    perp_step_solution out = {.nu = nu, .p_joint = p_joint, .p_contact = p_contact, .sigma = sigma};
    any_settings set = defaults();
    long before = 0;
    for (int step = 0; step < 8; step++) {
        pp_arena_reset(&arena);
        if (step == 4) before = malloc_count;
        pp_converted c;
        assert_int_equal(pp_convert(&s.p, step % 2 ? PERP_MLCP : PERP_LCP, &arena, &c), PERP_OK);
        double *z = PP_ARENA_ZERO(&arena, double, c.n);
        if (step > 0) pp_guess(&c, p_joint, p_contact, sigma, z);
        perp_solve_info info;
        assert_int_equal(pp_solve(&pp_solver_lemke, &set, &c.problem, z, &arena, &info), PERP_OK);
        assert_true(info.residual < 1e-10);
        assert_int_equal(pp_recover(&c, z, &arena, &out), PERP_OK);
        (void)perp_step_problem_residual(&s.p, &out);
    }
    assert_int_equal(malloc_count, before);
    if (COUNTS_MALLOC) assert_true(malloc_count > 0);
    pp_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_textbook), cmocka_unit_test(test_cycling),         cmocka_unit_test(test_degenerate_runs),
        cmocka_unit_test(test_ray),      cmocka_unit_test(test_mixed_backwards), cmocka_unit_test(test_scales),
        cmocka_unit_test(test_warm),     cmocka_unit_test(test_same_bits),       cmocka_unit_test(test_no_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
