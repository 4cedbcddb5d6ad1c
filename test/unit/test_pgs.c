/* test_pgs.c - projected Gauss-Seidel: exact where it must be, in agreement with pivoting where it says it
 * converged, honest where not */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/random_problem.h"
#include "problem/convert.h"
#include "solver/solver.h"

typedef union any_settings {
    double align;
    char bytes[PERP_SETTINGS_MAX];
} any_settings;

static pp_arena arena;
static rp_step s;

static any_settings defaults(const perp_solver_type *t) {
    any_settings set = {0};
    perp_fields_default(t->fields, t->nfield, &set);
    return set;
}

/* One body on one contact without friction: one sweep is exact. */
static void test_single(void **state) {
    (void)state;
    double M[] = {0.5}, q[] = {-3}, z[] = {0};
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {1, M, q}};
    perp_solve_info info;
    assert_int_equal(perp_problem_solve(&p, "pgs", z, &info), PERP_OK);
    assert_true(z[0] == 6 && info.residual == 0 && info.iterations == 1 && info.outcome == PERP_OUTCOME_SOLVED);
    /* bounds and a free variable */
    double A[] = {2, 1, 0, 1, 2, 0, 0, 0, 1}, b[] = {-3, 3, 5}, lo[] = {-INFINITY, -1, -2}, hi[] = {INFINITY, 1, 2},
           x[3] = {0};
    perp_problem m = {.cls = PERP_MLCP, .as.mlcp = {3, A, b, lo, hi}};
    assert_int_equal(perp_problem_solve(&m, "pgs", x, &info), PERP_OK);
    assert_true(info.residual < 1e-10 && fabs(x[0] - 2) < 1e-10 && x[1] == -1 && x[2] == -2);
    /* no solution: said so, and nothing that is not finite comes back */
    double N[] = {0}, r[] = {-1}, y[] = {0};
    perp_problem none = {.cls = PERP_LCP, .as.lcp = {1, N, r}};
    assert_int_equal(perp_problem_solve(&none, "pgs", y, &info), PERP_OK);
    assert_int_equal(info.outcome, PERP_OUTCOME_LIMIT);
    assert_true(isfinite(y[0]) && info.residual == 1);
}

/* Symmetric positive definite: always converges, for any relaxation in (0, 2). */
static void test_definite(void **state) {
    (void)state;
    double M[24 * 24], q[24], z[24];
    any_settings set = defaults(&pp_solver_pgs);
    for (int round = 0; round < 500; round++) {
        int n = 1 + rp_int(12);
        rp_lcp(RP_P, n, M, q);
        for (int i = 0; i < n; i++) M[i + n * i] += 0.2, z[i] = rp_int(2) ? rp_sym() : 0;
        assert_int_equal(
            perp_fields_set(pp_solver_pgs.fields, pp_solver_pgs.nfield, &set, "relaxation", 0.5 + rp_unit()), PERP_OK);
        perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
        perp_solve_info info;
        pp_arena_reset(&arena);
        assert_int_equal(pp_solve(&pp_solver_pgs, &set, &p, z, &arena, &info), PERP_OK);
        assert_int_equal(info.outcome, PERP_OUTCOME_SOLVED);
        assert_true(info.residual < 1e-10);
    }
}

/* Far from symmetric, plain sweeps go round in circles; shorter steps end that. */
static void test_asymmetric(void **state) {
    (void)state;
    double M[24 * 24], q[24], z[24];
    int solved = 0;
    for (int round = 0; round < 400; round++) {
        int n = 2 + rp_int(8);
        rp_lcp(RP_ASYMMETRIC, n, M, q);
        memset(z, 0, sizeof z);
        perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
        perp_solve_info info;
        assert_int_equal(perp_problem_solve(&p, "pgs", z, &info), PERP_OK);
        assert_true(info.outcome != PERP_OUTCOME_SOLVED || info.residual < 1e-10);
        solved += info.outcome == PERP_OUTCOME_SOLVED;
    }
    assert_true(solved > 380);
}

typedef struct outcome {
    double nu[36], worst;
    perp_solve_info info;
} outcome;

static void run(const perp_solver_type *t, perp_class cls, outcome *a) {
    any_settings set = defaults(t);
    double p_joint[RP_ROWS], p_contact[3 * RP_ROWS], sigma[RP_ROWS];
    perp_step_solution out = {a->nu, p_joint, p_contact, sigma};
    pp_converted c;
    pp_arena_reset(&arena);
    assert_int_equal(pp_convert(&s.p, cls, &arena, &c), PERP_OK);
    double *z = PP_ARENA_ZERO(&arena, double, c.n);
    assert_int_equal(pp_solve(t, &set, &c.problem, z, &arena, &a->info), PERP_OK);
    assert_int_equal(pp_recover(&c, z, &arena, &out), PERP_OK);
    perp_step_residual r = perp_step_problem_residual(&s.p, &out);
    a->worst = fmax(fmax(fmax(r.momentum, r.joint), fmax(r.normal, r.cone)), r.dissipation) / r.scale;
}

static void test_agrees_with_lemke(void **state) {
    (void)state;
    int runs = 0, converged = 0, loose = 0;
    for (int round = 0; round < 2400; round++) {
        int mode = round % 8;
        rp_options o = {.dim = 2 + mode % 2, .blocks = 1 + rp_int(4), .contacts = 1 + rp_int(5), .rest = rp_int(2)};
        if (mode & 2) o.mu = 0.3; /* little enough for one motion only */
        if (mode & 4)
            o.bilateral = rp_int(3), o.redundant = rp_int(2), o.boxes = rp_int(3), o.limits = rp_int(2),
            o.springs = rp_int(2);
        rp_step_make(&s, &o);
        outcome a, b;
        run(&pp_solver_lemke, PERP_LCP, &a);
        for (int form = 0; form < 2; form++) {
            run(&pp_solver_pgs, form ? PERP_MLCP : PERP_LCP, &b);
            runs++;
            assert_true(b.info.outcome == PERP_OUTCOME_SOLVED || b.info.outcome == PERP_OUTCOME_LIMIT);
            if (b.info.outcome != PERP_OUTCOME_SOLVED) continue;
            converged++;
            if (!(b.worst <=
                  1e-9)) { /* 1e-11 of q is more than that of the velocities where elimination made q large */
                loose++;
                continue;
            }
            double d = 0;
            for (int i = 0; i < s.p.ndof; i++) d = fmax(d, fabs(a.nu[i] - b.nu[i]));
            if (!(d <= 1e-8))
                fail_msg("round %d form %d: velocities differ by %g (laws %g and %g)", round, form, d, a.worst,
                         b.worst);
        }
    }
    assert_true(converged > runs * 9 / 10 && loose < runs / 200);
}

static int setup(void **state) {
    (void)state;
    pp_arena_init(&arena, (perp_allocator){0});
    return 0;
}
static int teardown(void **state) {
    (void)state;
    pp_arena_free(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_definite),
        cmocka_unit_test(test_asymmetric),
        cmocka_unit_test(test_agrees_with_lemke),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
