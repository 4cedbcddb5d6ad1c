/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_lorentz.c - identities of the Jordan algebra of the second-order cone, in every dimension it is used in */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "oracle/random_problem.h"
#include "solver/common/lorentz.h"

static void random_vector(int dim, double *x) {
    for (int i = 0; i < dim; i++) x[i] = rp_sym();
}

/* A point inside L, as close to the boundary as 1e-6 now and then, of sizes from 1e-3 to 1e3. */
static void inside(int dim, double *x) {
    random_vector(dim, x);
    double least = pp_lorentz_least(dim, x), size = pow(10, 3 * rp_sym());
    x[0] += (rp_int(3) ? rp_unit() + 0.01 : 1e-6) - least;
    for (int i = 0; i < dim; i++) x[i] *= size;
}

static double apart(int dim, const double *x, const double *y) {
    double most = 0, size = DBL_MIN;
    for (int i = 0; i < dim; i++) most = fmax(most, fabs(x[i] - y[i])), size = fmax(size, fabs(y[i]));
    return most / size;
}

static void test_product(void **state) {
    (void)state;
    const double x[] = {2, 1, 0, -1}, y[] = {3, 0, 2, 1}, e[] = {1, 0, 0, 0};
    double z[4];
    pp_lorentz_product(4, x, y, z);
    assert_true(z[0] == 5 && z[1] == 3 && z[2] == 4 && z[3] == -1);
    pp_lorentz_product(1, x, y, z);
    assert_true(z[0] == 6);
    for (int dim = 1; dim <= 4; dim++)
        for (int round = 0; round < 200; round++) {
            double a[4], b[4], ab[4], ba[4], back[4];
            inside(dim, a);
            random_vector(dim, b);
            pp_lorentz_product(dim, a, b, ab);
            pp_lorentz_product(dim, b, a, ba);
            assert_true(apart(dim, ab, ba) == 0);
            pp_lorentz_divide(dim, a, ab, back);
            assert_below(apart(dim, back, b), 1e-8);
            pp_lorentz_product(dim, a, e, ab);
            assert_true(apart(dim, ab, a) == 0);
            pp_lorentz_product(dim, a, b, a); /* in place */
            assert_true(apart(dim, a, ba) == 0);
        }
}

static void test_step(void **state) {
    (void)state;
    const double e[] = {1, 0, 0, 0}, down[] = {-1, 0, 0, 0}, side[] = {0, 3, 4, 0}, up[] = {1, 0.5, 0.5, 0.5};
    assert_near(pp_lorentz_step(4, e, down), 1, 1e-15);
    assert_near(pp_lorentz_step(4, e, side), 0.2, 1e-15);
    assert_true(pp_lorentz_step(4, e, up) == INFINITY && pp_lorentz_step(1, e, side) == INFINITY);
    int bounded = 0;
    for (int dim = 1; dim <= 4; dim++)
        for (int round = 0; round < 500; round++) {
            double x[4], d[4], at[4], size = 0;
            inside(dim, x);
            random_vector(dim, d);
            double a = pp_lorentz_step(dim, x, d);
            if (a == INFINITY) { /* then it stays inside for ever */
                for (int i = 0; i < dim; i++) at[i] = x[i] + 1e6 * d[i];
                assert_true(pp_lorentz_least(dim, at) > 0);
                continue;
            }
            bounded++;
            for (int i = 0; i < dim; i++) at[i] = x[i] + a * d[i], size = fmax(size, fabs(at[i]) + fabs(x[i]));
            assert_near(pp_lorentz_least(dim, at), 0, 1e-8 * size); /* on the boundary, and on the upper half */
            assert_true(at[0] >= -1e-8 * size);
            for (int i = 0; i < dim; i++) at[i] = x[i] + 0.5 * a * d[i];
            assert_true(pp_lorentz_least(dim, at) > 0);
        }
    assert_true(bounded > 500);
}

static void test_scaling(void **state) {
    (void)state;
    for (int dim = 1; dim <= 4; dim++)
        for (int round = 0; round < 500; round++) {
            double x[4], z[4], a[4], b[4], T[16], y[4], Qy[4];
            pp_lorentz_nt nt;
            inside(dim, x);
            inside(dim, z);
            assert_true(pp_lorentz_nt_make(dim, x, z, &nt));
            pp_lorentz_nt_apply(dim, &nt, x, a);
            pp_lorentz_nt_undo(dim, &nt, z, b);
            assert_below(apart(dim, a, b), 1e-8);
            assert_true(apart(dim, a, nt.lambda) == 0 && pp_lorentz_least(dim, a) > 0);
            pp_lorentz_nt_square(dim, &nt, T, dim);
            random_vector(dim, y);
            pp_lorentz_nt_apply(dim, &nt, y, Qy);
            pp_lorentz_nt_undo(dim, &nt, Qy, a);
            assert_below(apart(dim, a, y), 1e-7);
            pp_lorentz_nt_apply(dim, &nt, Qy, Qy); /* in place */
            for (int i = 0; i < dim; i++) {
                a[i] = b[i] = 0;
                for (int j = 0; j < dim; j++) {
                    a[i] += T[i + dim * j] * y[j], b[i] += T[i + dim * j] * x[j];
                    assert_true(T[i + dim * j] == T[j + dim * i]);
                }
            }
            assert_below(apart(dim, a, Qy), 1e-9);
            assert_below(apart(dim, b, z), 1e-6);
        }
    double out[] = {1, 2, 0, 0}, e[] = {1, 0, 0, 0};
    pp_lorentz_nt nt;
    assert_false(pp_lorentz_nt_make(3, out, e, &nt));
    assert_false(pp_lorentz_nt_make(3, e, out, &nt));
    assert_false(pp_lorentz_nt_make(2, (double[]){NAN, 0}, e, &nt));
}

static void test_projection(void **state) {
    (void)state;
    for (int dim = 1; dim <= 4; dim++)
        for (int round = 0; round < 500; round++) {
            double y[4], p[4], rest[4], D[16], dot = 0, size = 0;
            random_vector(dim, y);
            pp_lorentz_project(dim, y, p);
            for (int i = 0; i < dim; i++) rest[i] = p[i] - y[i], dot += rest[i] * p[i], size += y[i] * y[i];
            /* Moreau: p in L, p - y in L (self-dual), perpendicular */
            assert_true(pp_lorentz_least(dim, p) >= -1e-15 && pp_lorentz_least(dim, rest) >= -1e-15);
            assert_near(dot, 0, 1e-15 * fmax(size, 1));
            pp_lorentz_project_derivative(dim, y, D, dim);
            double gap = fmin(fabs(pp_lorentz_least(dim, y)), fabs(y[0] + (y[0] - pp_lorentz_least(dim, y))));
            if (gap < 1e-3) continue; /* not near a kink */
            for (int j = 0; j < dim; j++) {
                double h = 1e-6, up[4], down[4];
                memcpy(up, y, sizeof up), memcpy(down, y, sizeof down);
                up[j] += h, down[j] -= h;
                pp_lorentz_project(dim, up, up);
                pp_lorentz_project(dim, down, down);
                for (int i = 0; i < dim; i++) assert_near(D[i + dim * j], (up[i] - down[i]) / (2 * h), 1e-6);
            }
        }
    double zero[4] = {0}, D[16];
    pp_lorentz_project(4, zero, zero);
    pp_lorentz_project_derivative(4, zero, D, 4);
    for (int i = 0; i < 16; i++) assert_true(isfinite(D[i]) && zero[i % 4] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_product),
        cmocka_unit_test(test_step),
        cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_projection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
