/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_contradiction.c - proofs that problems have no answer: found where that is known, never where there is one, and
 * checked by code that rejects what proves nothing */
#include <math.h>
#include <string.h>

#include "check.h"
#include "fault/allocator.h"
#include "oracle/random_problem.h"
#include "perp/contradiction.h"
#include "perp/solve.h"

#define ROWS 64

/* A cone problem in the plane, local form, from rows of a Jacobian over dofs with masses. */
typedef struct bodies {
    int n, m;
    double J[ROWS][ROWS], mass[ROWS], q[ROWS], lo[ROWS], hi[ROWS], mu[ROWS];
    int start[ROWS + 1], index[ROWS * ROWS];
    double value[ROWS * ROWS];
    perp_problem p;
} bodies;

static bodies b;
static double y[ROWS], z[ROWS];
static perp_contradiction proof;

static void make(int dofs, int rows, int contacts) {
    b.n = dofs, b.m = rows + 2 * contacts;
    int nnz = 0;
    for (int k = 0; k < b.m; k++) {
        b.start[k] = nnz;
        for (int i = 0; i < b.m; i++) {
            double W = 0;
            for (int d = 0; d < dofs; d++) W += b.J[i][d] * b.J[k][d] / b.mass[d];
            if (W != 0) b.index[nnz] = i, b.value[nnz++] = W;
        }
    }
    b.start[b.m] = nnz;
    b.p = (perp_problem){.cls = PERP_CONE,
                         .as.cone = {.dim = 2,
                                     .ncontact = contacts,
                                     .nrow = rows,
                                     .lo = b.lo,
                                     .hi = b.hi,
                                     .mu = b.mu,
                                     .W = {b.m, b.m, b.start, b.index, b.value},
                                     .q = b.q}};
}

static perp_existence ask(const perp_problem *p) {
    assert_int_equal(perp_problem_contradict(p, NULL, y, &proof), PERP_OK);
    if (proof.existence == PERP_EXISTENCE_NONE) { /* and by hand */
        perp_contradiction again;
        assert_int_equal(perp_contradiction_check(p, y, &again), PERP_OK);
        assert_int_equal(again.existence, PERP_EXISTENCE_NONE);
        assert_true(again.closing > 0 && again.least_impulse > 1e9 && again.nlaw > 0);
    }
    return proof.existence;
}

static void not_solved(const perp_problem *p) {
    perp_solve_info info;
    assert_int_equal(perp_solve(p, NULL, z, &info), PERP_E_SOLVE);
    assert_int_equal(info.outcome, PERP_OUTCOME_INFEASIBLE);
    assert_non_null(strstr(info.story, "infeasible"));
    for (int i = 0; i < perp_problem_size(p); i++) assert_true(isfinite(z[i]));
}

/* A chain of bodies between two walls, that come closer at `speed` in all. */
static void chain(int n, double speed) {
    memset(&b, 0, sizeof b);
    for (int i = 0; i < 2 * n; i++) b.mass[i] = exp(3 * rp_sym());
    for (int c = 0; c <= n; c++) { /* contact c between body c - 1 and body c; normal along x, tangent along y */
        if (c > 0) b.J[2 * c][2 * (c - 1)] = -1, b.J[2 * c + 1][2 * (c - 1) + 1] = -1;
        if (c < n) b.J[2 * c][2 * c] = 1, b.J[2 * c + 1][2 * c + 1] = 1;
        b.mu[c] = 0.5;
        b.q[2 * c + 1] = 0.1 * rp_sym();
    }
    b.q[0] = -0.3 * speed, b.q[2 * n] = -0.7 * speed;
    make(2 * n, 0, n + 1);
}

static void test_squeezed(void **state) {
    (void)state;
    for (int n = 1; n <= 10; n++) {
        chain(n, 1);
        assert_int_equal(ask(&b.p), PERP_EXISTENCE_NONE);
        assert_int_equal(proof.nlaw, n + 1);
        assert_near(proof.closing, 1, 1e-9);
        not_solved(&b.p);
        chain(n, -1); /* the same with walls that part: no proof, and an answer */
        assert_int_not_equal(ask(&b.p), PERP_EXISTENCE_NONE);
        assert_int_equal(perp_solve(&b.p, NULL, z, NULL), PERP_OK);
    }
}

/* One dof, held by a joint, pushed by a wall. */
static void test_joints(void **state) {
    (void)state;
    for (int joints = 1; joints <= 3; joints++) { /* two and three: redundant */
        memset(&b, 0, sizeof b);
        b.mass[0] = 2;
        for (int k = 0; k < joints; k++) b.J[k][0] = 1 + k, b.lo[k] = -INFINITY, b.hi[k] = INFINITY;
        b.J[joints][0] = 1;
        b.q[joints] = -1;
        make(1, joints, 1);
        assert_int_equal(ask(&b.p), PERP_EXISTENCE_NONE);
        assert_true(y[joints] > 0);
        not_solved(&b.p);
        b.q[joints] = 1;
        assert_int_not_equal(ask(&b.p), PERP_EXISTENCE_NONE);
    }
    /* a motor that yields is no joint; a limit is as good as a wall */
    memset(&b, 0, sizeof b);
    b.mass[0] = 2;
    b.J[0][0] = 1, b.lo[0] = -5, b.hi[0] = 5, b.J[1][0] = 1, b.q[1] = -1;
    make(1, 1, 1);
    assert_int_not_equal(ask(&b.p), PERP_EXISTENCE_NONE);
    assert_int_equal(perp_solve(&b.p, NULL, z, NULL), PERP_OK);
    b.J[0][0] = -1, b.lo[0] = 0, b.hi[0] = INFINITY;
    make(1, 1, 1);
    assert_int_equal(ask(&b.p), PERP_EXISTENCE_NONE);
    b.lo[0] = -INFINITY, b.hi[0] = 0, b.J[0][0] = 1; /* the other way round */
    make(1, 1, 1);
    assert_int_equal(ask(&b.p), PERP_EXISTENCE_NONE);
    assert_true(y[0] < 0 && y[1] > 0);
}

/* A point between walls at +-angle that come closer: it slides out, unless friction holds it. */
static void wedge(double angle, double mu) {
    memset(&b, 0, sizeof b);
    b.mass[0] = b.mass[1] = 1;
    for (int c = 0; c < 2; c++) {
        double side = c ? -1 : 1;
        b.J[2 * c][0] = sin(angle), b.J[2 * c][1] = side * cos(angle);
        b.J[2 * c + 1][0] = cos(angle), b.J[2 * c + 1][1] = -side * sin(angle);
        b.q[2 * c] = -1;
        b.mu[c] = mu;
    }
    make(2, 0, 2);
}

static void test_wedge(void **state) {
    (void)state;
    wedge(0.3, 0.1);
    assert_int_equal(ask(&b.p), PERP_EXISTENCE_SOME);
    assert_int_equal(perp_solve(&b.p, NULL, z, NULL), PERP_OK);
    wedge(0.3, 0.5); /* tan 0.3 = 0.31 */
    assert_int_equal(ask(&b.p), PERP_EXISTENCE_WEDGED);
    wedge(1e-9, 0.5); /* nearly two walls: impulses of 1e9 and more */
    assert_int_equal(ask(&b.p), PERP_EXISTENCE_STRAINED);
    assert_true(proof.least_impulse > 1e8 && proof.least_impulse < 1e10 && proof.nlaw == 2);
    wedge(0, 0.5);
    assert_int_equal(ask(&b.p), PERP_EXISTENCE_NONE);
    assert_true(proof.law[0] + proof.law[1] == 1);
}

/* What proves nothing is not believed. */
static void test_checker(void **state) {
    (void)state;
    chain(1, 1);
    const double good[4] = {1, 0, 1, 0}, one[4] = {1, 0, 0.5, 0}, none[4] = {0}, tangent[4] = {1, 0.1, 1, 0},
                 negative[4] = {-1, 0, 1, 0}, nan[4] = {1, 0, NAN, 0};
    assert_int_equal(perp_contradiction_check(&b.p, good, &proof), PERP_OK);
    assert_int_equal(proof.existence, PERP_EXISTENCE_NONE);
    assert_int_equal(perp_contradiction_check(&b.p, one, &proof), PERP_OK);
    assert_int_equal(proof.existence, PERP_EXISTENCE_UNKNOWN);
    assert_int_equal(perp_contradiction_check(&b.p, none, &proof), PERP_OK);
    assert_int_equal(proof.existence, PERP_EXISTENCE_UNKNOWN);
    assert_int_equal(perp_contradiction_check(&b.p, tangent, &proof), PERP_E_ARG);
    assert_int_equal(perp_contradiction_check(&b.p, negative, &proof), PERP_E_ARG);
    assert_int_equal(perp_contradiction_check(&b.p, nan, &proof), PERP_E_ARG);
    assert_int_equal(perp_contradiction_check(&b.p, NULL, &proof), PERP_E_ARG);
    chain(1, -1); /* walls that part */
    assert_int_equal(perp_contradiction_check(&b.p, good, &proof), PERP_OK);
    assert_int_equal(proof.existence, PERP_EXISTENCE_UNKNOWN);
    for (int e = 0; e <= PERP_EXISTENCE_SOME; e++) assert_true(strlen(perp_existence_text((perp_existence)e)) > 3);
}

static void test_lcp(void **state) {
    (void)state;
    double M[9] = {0}, q[3] = {1, -2, 3}, scale[3] = {1e6, 1e-6, 1};
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {3, M, q}};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ask(&p), PERP_EXISTENCE_NONE); /* w = q whatever z is */
        assert_true(proof.nlaw == 1 && proof.law[0] == 1 && proof.least_impulse == INFINITY);
        not_solved(&p);
        p.z_scale = p.w_scale = scale;
    }
    p.z_scale = p.w_scale = NULL;
    M[4] = -1; /* w_1 = -2 - z_1 */
    assert_int_equal(ask(&p), PERP_EXISTENCE_NONE);
    M[4] = 0, M[1] = -1, M[7] = 0.5; /* w_1 = -2 - z_0 + z_2/2, w_2 = 3 - z_2: z_2 <= 3 */
    M[8] = -1;
    assert_int_equal(ask(&p), PERP_EXISTENCE_NONE);
    assert_int_equal(proof.nlaw, 2);
    q[2] = 5; /* z_2 <= 5, w_1 <= 1/2: room for w, whatever complementarity says */
    assert_int_not_equal(ask(&p), PERP_EXISTENCE_NONE);
    double lo[3] = {0, 1, 0}, hi[3] = {INFINITY, 4, INFINITY}, I[9] = {1, 0, 0, 0, 0, 0, 0, 0, 1};
    p = (perp_problem){.cls = PERP_MLCP, .as.mlcp = {3, I, q, lo, hi}}; /* met at the upper bound */
    assert_int_not_equal(ask(&p), PERP_EXISTENCE_NONE);
    hi[1] = INFINITY;
    assert_int_equal(ask(&p), PERP_EXISTENCE_NONE);
    /* w_1 = z_2 - 2 and w_2 = -z_2 with z_2 >= 1 */
    double L[9] = {1, 0, 0, 0, 0, 0, 0, 1, -1}, r[3] = {0, -2, 0}, low[3] = {0, 0, 1};
    p = (perp_problem){.cls = PERP_MLCP, .as.mlcp = {3, L, r, low, hi}};
    assert_int_equal(ask(&p), PERP_EXISTENCE_NONE);
}

/* Problems that were made with a solution are never reported to have none. */
static void test_no_false_proof(void **state) {
    (void)state;
    enum { N = 8 };
    for (int trial = 0; trial < long_run(400); trial++) {
        double M[N * N], q[N], answer[N];
        for (int i = 0; i < N * N; i++) M[i] = rp_sym() * (trial % 3 ? 1 : exp(5 * rp_sym()));
        for (int i = 0; i < N; i++) answer[i] = rp_sym() > 0 ? 2 * rp_unit() : 0;
        for (int i = 0; i < N; i++) {
            q[i] = answer[i] > 0 ? 0 : rp_unit();
            for (int k = 0; k < N; k++) q[i] -= M[i + N * k] * answer[k];
        }
        perp_problem p = {.cls = PERP_LCP, .as.lcp = {N, M, q}};
        assert_int_not_equal(ask(&p), PERP_EXISTENCE_NONE);
    }
}

static void test_memory(void **state) {
    (void)state;
    double M[9] = {0}, q[3] = {1, -2, 3};
    perp_problem lcp = {.cls = PERP_LCP, .as.lcp = {3, M, q}};
    chain(3, 1);
    const perp_problem *problem[] = {&b.p, &lcp};
    for (int k = 0; k < 2; k++)
        for (long refuse = 0;; refuse++) {
            counter c = {.refuse = refuse};
            perp_allocator alloc = counting(&c);
            perp_status st = perp_problem_contradict(problem[k], &alloc, y, &proof);
            assert_int_equal(c.live, 0);
            if (!st) {
                assert_true(refuse > 0 && c.refused == 0 && proof.existence == PERP_EXISTENCE_NONE);
                break;
            }
            assert_int_equal(st, PERP_E_MEMORY);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_squeezed), cmocka_unit_test(test_joints), cmocka_unit_test(test_wedge),
        cmocka_unit_test(test_checker),  cmocka_unit_test(test_lcp),    cmocka_unit_test(test_no_false_proof),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
