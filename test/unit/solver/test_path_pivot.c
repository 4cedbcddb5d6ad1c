/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_path_pivot.c - the path of a linear problem over a box: points on it, ties, flips between two bounds, rays, loops,
 * dense and sparse bases alike */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena_fixture.h"
#include "oracle/random_problem.h"
#include "solver/pivot/path_pivot.h"

enum { MOST = 40 };
static double M[MOST * MOST], c[MOST], lo[MOST], hi[MOST], value[MOST * MOST];
static int start[MOST + 1], index_of[MOST * MOST];

static perp_call call(void) { return (perp_call){.arena = &arena, .deadline = INFINITY}; }

static pp_path_matrix dense(int n, double lambda) { return (pp_path_matrix){n, true, NULL, NULL, M, lambda}; }

static pp_path_matrix sparse(int n, double lambda) {
    int count = 0;
    for (int j = 0; j < n; j++) {
        start[j] = count;
        for (int i = 0; i < n; i++)
            if (M[i + n * j] != 0) index_of[count] = i, value[count++] = M[i + n * j];
    }
    start[n] = count;
    return (pp_path_matrix){n, false, start, index_of, value, lambda};
}

static double norm(int n, const double *f) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(f[i]));
    return most;
}

/* Positive definite, unsymmetric, some entries zero; bounds of every kind. */
static void random_box(int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) M[i + n * j] = i == j ? n : rp_int(2) ? 1.5 * rp_sym() : 0;
    for (int i = 0; i < n; i++) {
        int kind = rp_int(5);
        lo[i] = kind == 0 || kind == 2 ? -INFINITY : rp_sym();
        hi[i] = kind == 0 || kind == 1 ? INFINITY : kind == 4 ? lo[i] : (kind == 2 ? 0 : lo[i]) + rp_unit();
        c[i] = 2 * n * rp_sym();
    }
}

/* From anywhere to the one answer, and every point kept lies on the path: L(x) = (1 - t) L(x_0). */
static void test_path(void **state) {
    (void)state;
    for (int round = 0; round < 400; round++) {
        pp_arena_reset(&arena);
        perp_call k = call();
        int n = 1 + rp_int(MOST);
        random_box(n);
        double x0[MOST], z[MOST], f0[MOST], f[MOST], first[MOST], x[MOST], lambda = round % 3 ? 0 : 0.5;
        for (int form = 0; form < 2; form++) {
            pp_path_matrix A = form ? sparse(n, lambda) : dense(n, lambda);
            pp_path_pivot p;
            assert_true(pp_path_pivot_make(&p, &A, n * n, lo, hi, true, &k));
            p.c = c;
            for (int i = 0; i < n; i++) {
                if (!form) x0[i] = rp_int(4) ? 5 * rp_sym() : isfinite(lo[i]) ? lo[i] : 0; /* on a bound too */
                p.x[i] = x0[i];
            }
            pp_path_pivot_map(&p, x0, z, f0);
            assert_int_equal(pp_path_pivot_run(&p), PP_PATH_REACHED);
            assert_true(p.x[n] == 1);
            pp_path_pivot_map(&p, p.x, z, f);
            assert_true(norm(n, f) < 1e-11 * (1 + norm(n, f0)));
            for (int i = 0; i < n; i++) assert_true(!form || fabs(p.x[i] - first[i]) < 1e-9); /* both forms agree */
            memcpy(first, p.x, sizeof(double) * (size_t)n);
            assert_true(p.npoint >= 2 && p.npoint <= PP_PATH_POINTS);
            for (int j = 0; j < p.npoint; j++) {
                pp_path_pivot_map(&p, p.point + n * j, z, f);
                for (int i = 0; i < n; i++)
                    assert_true(fabs(f[i] - (1 - p.t_at[j]) * f0[i]) < 1e-9 * (1 + norm(n, f0)));
            }
            double t = pp_path_pivot_point(&p, 1e-3, x); /* inside the first piece, which is kept whole */
            pp_path_pivot_map(&p, x, z, f);
            for (int i = 0; i < n; i++) assert_true(fabs(f[i] - (1 - t) * f0[i]) < 1e-9 * (1 + norm(n, f0)));
            assert_true(pp_path_pivot_point(&p, 1, x) == 1 && memcmp(x, p.x, sizeof(double) * (size_t)n) == 0);
            pp_path_pivot_end(&p);
        }
    }
}

/* The ray start: all at a bound, free variables exact, L = -s d elsewhere. Whole numbers tie everywhere. */
static void test_ray_start(void **state) {
    (void)state;
    for (int round = 0; round < 2000; round++) {
        pp_arena_reset(&arena);
        perp_call k = call();
        int n = 1 + rp_int(14);
        double q[24], d[24], f[24], z[24];
        rp_lcp(RP_DEGENERATE, n, M, q);
        pp_path_matrix A = round % 2 ? sparse(n, 0) : dense(n, 0);
        pp_path_pivot p;
        for (int i = 0; i < n; i++) lo[i] = 0, hi[i] = INFINITY, d[i] = 1;
        assert_true(pp_path_pivot_make(&p, &A, n * n, lo, hi, false, &k));
        p.c = q;
        assert_true(pp_path_pivot_ray(&p, d));
        pp_path_pivot_map(&p, p.x, z, f);
        for (int i = 0; i < n; i++) assert_true(z[i] == 0 && f[i] <= 1e-12 && fabs(f[i] - f[0]) < 1e-12);
        assert_int_equal(pp_path_pivot_run(&p), PP_PATH_REACHED); /* positive semidefinite and feasible */
        pp_path_pivot_map(&p, p.x, z, f);
        if (!(norm(n, f) < 1e-10)) fail_msg("round %d: off by %g", round, norm(n, f));
        assert_true(p.count <= 20 * n + 10);
        pp_path_pivot_end(&p);
    }
}

static pp_path_end run_small(int n, const double *from, int *count, double *x) {
    perp_call k = call();
    pp_path_matrix A = dense(n, 0);
    pp_path_pivot p;
    assert_true(pp_path_pivot_make(&p, &A, n * n, lo, hi, false, &k));
    p.c = c;
    memcpy(p.x, from, sizeof *from * (size_t)n);
    pp_path_end end = pp_path_pivot_run(&p);
    memcpy(x, p.x, sizeof *x * (size_t)(n + 1));
    *count = p.count;
    pp_path_pivot_end(&p);
    return end;
}

static void test_ends(void **state) {
    (void)state;
    int count;
    double x[3], from[2] = {-1, 0};
    /* z in [0, 1] with w = z - 5: up from below, across both bounds without leaving: x = 1 + 4 */
    M[0] = 1, c[0] = -5, lo[0] = 0, hi[0] = 1;
    assert_int_equal(run_small(1, from, &count, x), PP_PATH_REACHED);
    assert_true(x[0] == 5 && x[1] == 1 && count == 3); /* two bounds and the end */
    /* w = -z - 1 over z >= 0: no answer. From x = -1 the path rises to x = 0 at t = 1/2 and turns back into a ray */
    M[0] = -1, c[0] = -1, hi[0] = INFINITY;
    assert_int_equal(run_small(1, from, &count, x), PP_PATH_RAY);
    assert_true(x[0] == 0 && fabs(x[1] - 0.5) < 1e-15);
    /* singular at the start: the free variable's row is empty */
    M[0] = 0, lo[0] = -INFINITY;
    assert_int_equal(run_small(1, from, &count, x), PP_PATH_SINGULAR);
    /* a fixed variable takes any w */
    M[0] = 1, lo[0] = hi[0] = 2, c[0] = 7;
    assert_int_equal(run_small(1, from, &count, x), PP_PATH_REACHED);
    assert_true(fabs(x[0] - (2 - 9)) < 1e-14);
    /* too few pivots allowed */
    pp_arena_reset(&arena);
    perp_call k = call();
    random_box(20);
    pp_path_matrix A = dense(20, 0);
    pp_path_pivot p;
    for (int i = 0; i < 20; i++) lo[i] = 0, hi[i] = INFINITY, c[i] = -1 - rp_unit();
    assert_true(pp_path_pivot_make(&p, &A, 400, lo, hi, false, &k));
    p.c = c;
    p.max_pivots = 3;
    for (int i = 0; i < 20; i++) p.x[i] = -1;
    assert_int_equal(pp_path_pivot_run(&p), PP_PATH_LIMIT);
    assert_int_equal(p.count, 3);
    pp_path_pivot_end(&p);
}

/* Any matrix from any start, on bounds as often as not: a path arrives, ends on a ray, or returns to its start; it is never endless. The end of a path that arrives is a solution. */
static void test_any(void **state) {
    (void)state;
    int ends[PP_PATH_STOPPED + 1] = {0};
    for (int round = 0; round < 4000; round++) {
        pp_arena_reset(&arena);
        int count, n = 1 + rp_int(6);
        bool whole = rp_int(2);
        double from[6], x[7], w[6];
        for (int i = 0; i < n * n; i++) M[i] = whole ? rp_int(5) - 2 : rp_sym();
        for (int i = 0; i < n; i++) {
            lo[i] = 0, hi[i] = rp_int(3) ? INFINITY : 1;
            c[i] = whole ? rp_int(5) - 2 : rp_sym();
            from[i] = whole ? rp_int(3) - 1 : rp_sym();
        }
        pp_path_end end = run_small(n, from, &count, x);
        ends[end]++;
        if (end != PP_PATH_REACHED) continue;
        for (int i = 0; i < n; i++) {
            w[i] = c[i];
            for (int j = 0; j < n; j++) w[i] += M[i + n * j] * fmin(fmax(x[j], 0), hi[j]);
            assert_true(fabs(w[i] + x[i] - fmin(fmax(x[i], 0), hi[i])) < 1e-8 * (1 + norm(n, x)));
        }
    }
    print_message("any start: %d arrived, %d rays, %d loops, %d singular\n", ends[PP_PATH_REACHED], ends[PP_PATH_RAY],
                  ends[PP_PATH_LOOP], ends[PP_PATH_SINGULAR]);
    assert_int_equal(ends[PP_PATH_LIMIT], 0);
    assert_true(ends[PP_PATH_REACHED] > 1000 && ends[PP_PATH_RAY] > 100 && ends[PP_PATH_LOOP] > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_ray_start),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_any),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
