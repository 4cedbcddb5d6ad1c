/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_reduce.c - mixed LCPs whose free variables are not determined by their own rows */
#include "solver/common/reduce.h"

#include <string.h>

#include "arena_fixture.h"
#include "check.h"
#include "oracle/random_problem.h"
#include "perp/solve.h"
#include "solver/common/solver.h"

enum { MOST = 40 };

/* A mixed LCP and a solution of it. */
typedef struct mixed {
    perp_problem p;
    int n;
    double M[MOST * MOST], q[MOST], lo[MOST], hi[MOST], z[MOST];
} mixed;

static mixed s;

static void set_problem(int n) {
    s.n = n;
    s.p = (perp_problem){.cls = PERP_MLCP, .as.mlcp = {n, s.M, s.q, s.lo, s.hi}};
}

/* A bound of a random kind for variable i, a value z_i that it allows, and what row i may be there. */
static double random_bound(int i, int kind) {
    bool at = rp_int(2);
    double w = at ? rp_unit() : 0;
    s.z[i] = rp_sym();
    s.lo[i] = -INFINITY;
    s.hi[i] = INFINITY;
    switch (kind) {
    case 0: return 0; /* free */
    case 1: s.lo[i] = at ? s.z[i] : s.z[i] - rp_unit(); return w;
    case 2: s.hi[i] = at ? s.z[i] : s.z[i] + rp_unit(); return -w;
    default:
        s.lo[i] = s.z[i] - (at && kind == 3 ? 0 : 0.1 + rp_unit());
        s.hi[i] = s.z[i] + (at && kind == 4 ? 0 : 0.1 + rp_unit());
        return kind == 3 ? w : -w;
    }
}

/* q such that z is a solution with rows w. */
static void set_q(const double *w) {
    for (int i = 0; i < s.n; i++) {
        s.q[i] = w[i];
        for (int j = 0; j < s.n; j++) s.q[i] -= s.M[i + s.n * j] * s.z[j];
    }
}

/* Optimality conditions of a random convex quadratic programme: nx variables with random bounds, Q of rank r, m
 * equations with free multipliers, the last `copies` of them combinations of the others. */
static void quadratic_programme(int nx, int r, int m, int copies, bool all_free) {
    double w[MOST], B[MOST];
    int n = nx + m;
    set_problem(n);
    memset(s.M, 0, sizeof s.M);
    for (int k = 0; k < r; k++) {
        for (int i = 0; i < nx; i++) B[i] = rp_sym();
        for (int j = 0; j < nx; j++)
            for (int i = 0; i < nx; i++) s.M[i + n * j] += B[i] * B[j];
    }
    for (int k = 0; k < m; k++)
        for (int j = 0; j < nx; j++) {
            double a = rp_int(3) ? rp_sym() : 0;
            if (k >= m - copies) a = s.M[nx + n * j] - 2 * s.M[nx + (m - copies - 1) + n * j];
            s.M[nx + k + n * j] = a;
            s.M[j + n * (nx + k)] = -a;
        }
    for (int i = 0; i < n; i++) w[i] = random_bound(i, i < nx && !all_free ? rp_int(5) : 0);
    set_q(w);
}

static double natural(void) {
    perp_measures m;
    assert_int_equal(perp_problem_measure(&s.p, s.z, &m), PERP_OK);
    return m.natural;
}

/* Lemke must solve every one: the matrix is positive semidefinite, also after the pivots. */
static void test_quadratic_programmes(void **state) {
    (void)state;
    rp_seed = 3;
    int exchanged = 0;
    for (int round = 0; round < long_run(3000); round++) {
        int m = 1 + rp_int(5), copies = m > 2 && rp_int(3) == 0 ? 1 : 0, nx = m + rp_int(12), r = rp_int(nx + 1);
        quadratic_programme(nx, r, m, copies, round % 50 == 0);
        if (perp_problem_check(&s.p, NULL, 0)) continue; /* an empty row */
        double known = natural();
        assert_true(known < 1e-13);
        pp_reduction red;
        pp_arena_mark mark = pp_arena_here(&arena);
        pp_reduce(&red, &s.p, pp_arena_get(&arena, pp_reduce_work(&s.p)));
        exchanged += red.pivoted;
        pp_arena_release(&arena, mark);
        memset(s.z, 0, sizeof s.z);
        perp_solve_info info;
        assert_int_equal(perp_problem_solve(&s.p, "lemke", s.z, &info), PERP_OK);
        if (!(natural() <= 1e-10) || info.outcome != PERP_OUTCOME_SOLVED)
            fail_msg("round %d: nx %d, rank %d, m %d, copies %d: %g, %s", round, nx, r, m, copies, natural(),
                     perp_outcome_text(info.outcome));
    }
    assert_true(exchanged > long_run(2000));
}

/* An answer taken as a guess comes back as it went in, whatever was exchanged. */
static void test_guess_and_answer(void **state) {
    (void)state;
    rp_seed = 5;
    for (int round = 0; round < 1000; round++) {
        int m = 1 + rp_int(5), nx = m + rp_int(12);
        double z[MOST], x[2 * MOST];
        quadratic_programme(nx, nx, m, 0, false);
        if (perp_problem_check(&s.p, NULL, 0)) continue;
        pp_reduction red;
        pp_arena_mark mark = pp_arena_here(&arena);
        pp_reduce(&red, &s.p, pp_arena_get(&arena, pp_reduce_work(&s.p)));
        pp_reduce_guess(&red, s.z, x);
        /* s of a box is not part of z: what the row needs */
        for (int i = 0; i < red.lcp.n; i++) assert_true(x[i] >= 0);
        pp_reduce_answer(&red, x, z);
        bool box = false;
        for (int i = 0; i < s.n; i++) box |= s.lo[i] > -INFINITY && s.hi[i] < INFINITY;
        if (!box) { /* the same point, up to multipliers that are not determined */
            memcpy(s.z, z, sizeof z);
            if (!(natural() < 1e-9)) fail_msg("round %d: %g", round, natural());
            double missed = pp_reduce_missed(&red, z);
            if (!(missed < 1e-9)) fail_msg("round %d: free rows are off by %g", round, missed);
        }
        pp_arena_release(&arena, mark);
    }
}

/* Free rows that contradict each other have no solution, and no solver reports one. */
static void test_contradiction(void **state) {
    (void)state;
    rp_seed = 7;
    for (int round = 0; round < 200; round++) {
        int m = 3, nx = 4 + rp_int(8);
        quadratic_programme(nx, nx, m, 1, false);
        if (perp_problem_check(&s.p, NULL, 0)) continue;
        s.q[s.n - 1] += 1;
        memset(s.z, 0, sizeof s.z);
        perp_solve_info info;
        assert_int_equal(perp_problem_solve(&s.p, "lemke", s.z, &info), PERP_OK);
        assert_true(info.outcome != PERP_OUTCOME_SOLVED && info.residual > 1e-3);
    }
}

/* Sparse, of no symmetry at all, with a known solution whose basis is regular: chains of pairs are needed at times. The
 * reduction must keep the solution, whether a solver then finds it or not. */
static void test_any_matrix(void **state) {
    (void)state;
    rp_seed = 11;
    int pivoted = 0;
    for (int round = 0; round < long_run(3000); round++) {
        int n = 2 + rp_int(9), nfree = 1 + rp_int(n - 1);
        double w[MOST], known[MOST], x[2 * MOST];
        set_problem(n);
        for (int i = 0; i < n * n; i++) s.M[i] = rp_int(3) == 0 ? rp_sym() : 0;
        for (int j = 0; j < nfree; j++)
            for (int i = 0; i < nfree; i++)
                if (rp_int(3)) s.M[i + n * j] = 0;
        for (int i = 0; i < n; i++) {
            w[i] = random_bound(i, i < nfree ? 0 : 1);
            if (i >= nfree) s.z[i] -= s.lo[i], s.lo[i] = 0;
        }
        set_q(w);
        if (perp_problem_check(&s.p, NULL, 0)) continue;
        /* the block of free and positive variables, inverted by elimination: regular or not? */
        memcpy(known, s.z, sizeof known);
        double A[MOST * MOST];
        int piv[MOST], set[MOST], k = 0;
        for (int i = 0; i < n; i++)
            if (i < nfree || s.z[i] > 0) set[k++] = i;
        for (int j = 0; j < k; j++)
            for (int i = 0; i < k; i++) A[i + k * j] = s.M[set[i] + n * set[j]];
        double norm = pp_norm1(k, A, k), work[2 * MOST];
        if (!pp_lu(k, A, k, piv) || !(pp_lu_rcond(k, A, k, piv, norm, work) > 1e-4)) continue;
        pp_arena_mark mark = pp_arena_here(&arena);
        pp_reduction red;
        pp_reduce(&red, &s.p, pp_arena_get(&arena, pp_reduce_work(&s.p)));
        pp_reduce_guess(&red, s.z, x);
        pp_reduce_answer(&red, x, s.z);
        double r = natural();
        pp_arena_release(&arena, mark);
        pivoted += red.pivoted;
        if (!(r < 1e-9)) fail_msg("round %d: n %d, free %d: %g", round, n, nfree, r);
    }
    assert_true(pivoted > long_run(100));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quadratic_programmes),
        cmocka_unit_test(test_guess_and_answer),
        cmocka_unit_test(test_contradiction),
        cmocka_unit_test(test_any_matrix),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
