/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_box.c - one view of four classes: the same F, J and residual whichever class holds the problem */
#include "oracle/newton_help.h"

#include "oracle/random_problem.h"
#include "solver/common/box.h"

#define N 12

typedef struct fixture {
    double M[N * N], q[N], lo[N], hi[N], zs[N], ws[N];
    int start[N + 1], index[N * N];
    double value[N * N];
    perp_problem p[3]; /* dense, sparse, by callback */
    int calls;
} fixture;

static bool call_F(const double *z, double *w, void *ctx) {
    fixture *x = ctx;
    x->calls++;
    for (int i = 0; i < N; i++) {
        w[i] = x->q[i];
        for (int j = 0; j < N; j++) w[i] += x->M[i + N * j] * z[j];
    }
    return true;
}

static void make(fixture *x, double fill) {
    int count = 0;
    for (int j = 0; j < N; j++) {
        x->start[j] = count;
        x->q[j] = rp_sym();
        x->lo[j] = rp_int(3) ? -rp_unit() : -INFINITY;
        x->hi[j] = rp_int(3) ? rp_unit() : INFINITY;
        x->zs[j] = 0.5 + rp_unit();
        x->ws[j] = 0.5 + rp_unit();
        for (int i = 0; i < N; i++) {
            double a = rp_unit() < fill ? rp_sym() : 0;
            x->M[i + N * j] = a;
            if (a == 0) continue;
            x->index[count] = i;
            x->value[count++] = a;
        }
    }
    x->start[N] = count;
    x->calls = 0;
    x->p[0] = (perp_problem){.cls = PERP_MLCP, .as.mlcp = {N, x->M, x->q, x->lo, x->hi}};
    x->p[1] = (perp_problem){.cls = PERP_SPARSE_MLCP,
                             .as.sparse_mlcp = {N, {N, N, x->start, x->index, x->value}, x->q, x->lo, x->hi}};
    x->p[2] = (perp_problem){
        .cls = PERP_NCP,
        .as.ncp = {.n = N, .lo = x->lo, .hi = x->hi, .F = call_F, .start = x->start, .index = x->index, .ctx = x}};
    for (int k = 0; k < 3; k++) x->p[k].z_scale = x->zs, x->p[k].w_scale = x->ws;
}

static void test_same(void **state) {
    (void)state;
    fixture x;
    perp_call call = {.arena = &arena, .deadline = INFINITY};
    for (int round = 0; round < 100; round++) {
        make(&x, 0.3);
        double z[N], u[N], w[3][N], y[3][N], t[3][N], natural[3];
        for (int i = 0; i < N; i++) z[i] = 2 * rp_sym(), u[i] = rp_sym();
        for (int k = 0; k < 3; k++) {
            pp_box b;
            assert_true(pp_box_make(&b, &x.p[k], &call));
            assert_int_equal(b.n, N);
            assert_true(b.dense == (k == 0) && b.linear == (k < 2));
            double *J = PP_CALL_ARRAY(&call, double, b.nnz);
            assert_true(pp_box_F(&b, z, w[k]));
            assert_true(pp_box_J(&b, z, J));
            pp_box_mul(&b, J, u, y[k]);
            pp_box_mul_transposed(&b, J, u, t[k]);
            natural[k] = pp_box_natural(&b, z, w[k]);
            double c[N];
            memcpy(c, z, sizeof c);
            pp_box_clip(&b, c);
            for (int i = 0; i < N; i++) assert_true(c[i] == fmin(fmax(z[i], x.lo[i]), x.hi[i]));
        }
        double worst = 0;
        for (int i = 0; i < N; i++) {
            double v = 0, vt = 0, ww = x.q[i];
            for (int j = 0; j < N; j++) {
                v += x.M[i + N * j] * u[j];
                vt += x.M[j + N * i] * u[j];
                ww += x.M[i + N * j] * z[j];
            }
            for (int k = 0; k < 3; k++) {
                double tol = k < 2 ? 1e-13 : 1e-6; /* differences */
                assert_true(fabs(w[k][i] - ww) < 1e-13);
                assert_true(fabs(y[k][i] - v) < tol);
                assert_true(fabs(t[k][i] - vt) < tol);
            }
            double m = z[i] / x.zs[i] - fmin(fmax(z[i] / x.zs[i] - ww / x.ws[i], x.lo[i] / x.zs[i]), x.hi[i] / x.zs[i]);
            worst = fmax(worst, fabs(m));
        }
        for (int k = 0; k < 3; k++) assert_true(fabs(natural[k] - worst) < 1e-12);
        pp_arena_reset(&arena);
    }
}

/* A tridiagonal pattern needs three colours whatever its size: four calls of F. */
static void test_colours(void **state) {
    (void)state;
    fixture x;
    perp_call call = {.arena = &arena, .deadline = INFINITY};
    make(&x, 0);
    int count = 0;
    for (int j = 0; j < N; j++) {
        x.start[j] = count;
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < N; i++) {
            x.M[i + N * j] = rp_sym();
            x.index[count++] = i;
        }
    }
    x.start[N] = count;
    pp_box b;
    double z[N] = {0}, J[3 * N];
    assert_true(pp_box_make(&b, &x.p[2], &call));
    assert_true(pp_box_J(&b, z, J));
    assert_int_equal(x.calls, 4);
    for (int j = 0; j < N; j++)
        for (int k = x.start[j]; k < x.start[j + 1]; k++) assert_true(fabs(J[k] - x.M[x.index[k] + N * j]) < 1e-6);
    pp_arena_reset(&arena);
}

/* Not defined above 1 nor, if ctx says so, below it. */
static bool root_F(const double *z, double *w, void *ctx) {
    w[0] = sqrt(1 - z[0]) + (ctx ? sqrt(z[0] - 1) : 0);
    return !(z[0] > 1) && !(ctx && z[0] < 1);
}

static void test_not_defined(void **state) {
    (void)state;
    perp_call call = {.arena = &arena, .deadline = INFINITY};
    pp_box b;
    double w = 0, J = 0, z = 0;
    perp_problem p = {.cls = PERP_NCP, .as.ncp = {.n = 1, .F = root_F}};
    assert_true(pp_box_make(&b, &p, &call));
    assert_true(pp_box_F(&b, &z, &w) && pp_box_J(&b, &z, &J));
    assert_true(fabs(J + 0.5) < 1e-6);
    z = 1; /* forward is not defined, backward is */
    assert_true(pp_box_J(&b, &z, &J));
    assert_true(J < -1000);
    p.as.ncp.ctx = &p;
    assert_true(pp_box_F(&b, &z, &w));
    assert_false(pp_box_J(&b, &z, &J));
    z = 2;
    assert_false(pp_box_F(&b, &z, &w));
    const double inf = INFINITY;
    assert_true(pp_box_natural(&b, &z, &inf) == INFINITY);
    const double M[] = {1e308}, q[] = {0};
    perp_problem l = {.cls = PERP_LCP, .as.lcp = {1, M, q}};
    z = 10;
    assert_true(pp_box_make(&b, &l, &call));
    assert_false(pp_box_F(&b, &z, &w)); /* overflows */
    pp_arena_reset(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_not_defined),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
