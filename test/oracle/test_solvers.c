/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_solvers.c - every basis tried against pivoting, on thousands of small problems: where one has an answer the
 * other must too */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena_fixture.h"
#include "oracle/random_problem.h"
#include "problem/convert/convert.h"
#include "solver/common/solver.h"

typedef union any_settings {
    double align;
    char bytes[PERP_SETTINGS_MAX];
} any_settings;

static rp_step s;

static perp_solve_info solve(const perp_solver_type *t, const perp_problem *p, double *z) {
    any_settings set = {0};
    perp_fields_default(t->fields, t->nfield, &set);
    perp_solve_info info;
    pp_arena_mark mark = pp_arena_here(&arena);
    assert_int_equal(pp_solve(t, &set, p, z, &arena, &info), PERP_OK);
    pp_arena_release(&arena, mark);
    return info;
}

static void test_enumerate_itself(void **state) {
    (void)state;
    double M[] = {2, 1, 1, 2}, q[] = {-5, -6}, z[2] = {0};
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {2, M, q}};
    perp_solve_info info = solve(&pp_solver_enumerate, &p, z);
    assert_true(info.residual < 1e-14 && info.iterations == 4 &&
                fabs(z[0] - 4.0 / 3) < 1e-14);            /* bases 00, 10, 01, 11 */
    double N[] = {0, 1, 1, 0}, r[] = {-1, 1}, y[2] = {0}; /* no solution: w_0 = z_1 - 1 >= 0, so w_1 = z_0 + 1 = 0 */
    perp_problem none = {.cls = PERP_LCP, .as.lcp = {2, N, r}};
    info = solve(&pp_solver_enumerate, &none, y);
    assert_int_equal(info.iterations, 4);
    assert_int_equal(info.outcome, PERP_OUTCOME_LIMIT);
    assert_true(info.residual > 0.1);
    double A[4] = {1, 1, 1, 1}, b[2] = {-1, -1}, x[2] = {0}; /* singular block of two rows alike */
    perp_problem twins = {.cls = PERP_LCP, .as.lcp = {2, A, b}};
    assert_true(solve(&pp_solver_enumerate, &twins, x).residual == 0);
    /* three states: below, above, between; a free one and a fixed one have one each */
    double I[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, d[] = {-3, 0.5, 7, 2},
           lo[] = {-1, -1, -INFINITY, 4}, hi[] = {1, 1, INFINITY, 4}, v[4] = {0};
    perp_problem m = {.cls = PERP_MLCP, .as.mlcp = {4, I, d, lo, hi}};
    info = solve(&pp_solver_enumerate, &m, v);
    assert_true(info.residual == 0 && v[0] == 1 && v[1] == -0.5 && v[2] == -7 && v[3] == 4 && info.iterations <= 9);
    double big[21 * 21] = {0}, bq[21], bz[21] = {0};
    for (int i = 0; i < 21; i++) big[22 * i] = 1, bq[i] = -1;
    perp_problem large = {.cls = PERP_LCP, .as.lcp = {21, big, bq}};
    assert_int_equal(solve(&pp_solver_enumerate, &large, bz).outcome, PERP_OUTCOME_TOO_LARGE);
}

static void test_random_lcps(void **state) {
    (void)state;
    double M[24 * 24], q[24], z[24], y[24];
    for (int kind = 0; kind < RP_KINDS; kind++)
        for (int round = 0; round < 2000; round++) {
            int n = 1 + rp_int(9);
            rp_lcp(kind, n, M, q);
            memset(z, 0, sizeof z), memset(y, 0, sizeof y);
            perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
            perp_solve_info a = solve(&pp_solver_lemke, &p, z), b = solve(&pp_solver_enumerate, &p, y);
            if (!(a.residual < 1e-10) || !(b.residual < 1e-10))
                fail_msg("kind %d round %d: lemke %s %g, enumerate %g", kind, round, perp_outcome_text(a.outcome),
                         a.residual, b.residual);
            if (kind != RP_P && kind != RP_ASYMMETRIC) continue;
            for (int i = 0; i < n; i++) assert_true(fabs(z[i] - y[i]) < 1e-8); /* P-matrix: one answer */
        }
}

/* Any matrix at all: if pivoting says solved it is, and what enumeration cannot solve has no solution. */
static void test_any_matrix(void **state) {
    (void)state;
    int solved = 0, neither = 0, only_oracle = 0, missed = 0;
    double M[24 * 24], q[24], z[24], y[24];
    for (int round = 0; round < 4000; round++) {
        int n = 1 + rp_int(6);
        bool whole = rp_int(2);
        for (int i = 0; i < n * n; i++) M[i] = whole ? rp_int(5) - 2 : rp_sym();
        for (int i = 0; i < n; i++) q[i] = whole ? rp_int(5) - 2 : rp_sym(), z[i] = y[i] = 0;
        perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
        perp_solve_info a = solve(&pp_solver_lemke, &p, z), b = solve(&pp_solver_enumerate, &p, y);
        bool l = a.residual < 1e-9, e = b.residual < 1e-9;
        for (int i = 0; i < n; i++) assert_true(isfinite(z[i]));
        if (l != (a.outcome == PERP_OUTCOME_SOLVED))
            fail_msg("round %d: lemke says %s, residual %g", round, perp_outcome_text(a.outcome), a.residual);
        if (l && !e && !whole)
            fail_msg("round %d: enumeration missed an answer (%g, %g)", round, a.residual, b.residual);
        missed += l && !e; /* whole numbers make singular blocks, see its file */
        solved += l;
        neither += !l && !e;
        only_oracle += !l && e;
    }
    assert_true(solved > 1000 && neither > 300 && only_oracle > 0 && missed < 40);
}

static double laws(const perp_class cls, const perp_solver_type *t, double *nu, int *n) {
    double p_joint[RP_ROWS], p_contact[3 * RP_ROWS], sigma[RP_ROWS];
    perp_step_solution out = {.nu = nu, .p_joint = p_joint, .p_contact = p_contact, .sigma = sigma};
    pp_arena_reset(&arena);
    pp_converted c;
    assert_int_equal(pp_convert(&s.p, cls, &arena, &c), PERP_OK);
    *n = c.n;
    if (t == &pp_solver_enumerate && c.n > 12) return -1;
    double *z = PP_ARENA_ZERO(&arena, double, c.n);
    (void)solve(t, &c.problem, z);
    assert_int_equal(pp_recover(&c, z, &arena, &out), PERP_OK);
    perp_step_residual r = perp_step_problem_residual(&s.p, &out);
    return fmax(fmax(fmax(r.momentum, r.joint), fmax(r.normal, r.cone)), r.dissipation) / r.scale;
}

/* Contact problems, copositive-plus: both must meet the laws, in both forms, and without friction find the same
 * motion. */
static void test_contact_problems(void **state) {
    (void)state;
    int compared = 0;
    for (int round = 0; round < 3000; round++) {
        int mode = round % 8;
        rp_options o = {.dim = 2 + mode % 2,
                        .blocks = 1 + rp_int(3),
                        .contacts = 1 + rp_int(3),
                        .rest = rp_int(2),
                        .twins = rp_int(2),
                        .nd = 3 + rp_int(2)};
        if (mode & 2) o.mu = 1;
        if (mode & 4)
            o.boxes = rp_int(2), o.limits = rp_int(2), o.springs = rp_int(2), o.fixed = rp_int(2), o.upper = rp_int(2);
        rp_step_make(&s, &o);
        double nu[4][36], worst[4];
        int n;
        for (int k = 0; k < 4; k++)
            worst[k] = laws(k % 2 ? PERP_MLCP : PERP_LCP, k < 2 ? &pp_solver_lemke : &pp_solver_enumerate, nu[k], &n);
        for (int k = 0; k < 4; k++)
            if (!(worst[k] <= 1e-9)) fail_msg("round %d, solver and form %d: the laws miss by %g", round, k, worst[k]);
        if (worst[2] < 0 || o.mu > 0) continue;
        compared++;
        for (int k = 1; k < 4; k++)
            for (int i = 0; i < s.p.ndof && worst[k] >= 0; i++) assert_true(fabs(nu[k][i] - nu[0][i]) < 1e-7);
    }
    assert_true(compared > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enumerate_itself),
        cmocka_unit_test(test_random_lcps),
        cmocka_unit_test(test_any_matrix),
        cmocka_unit_test(test_contact_problems),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
