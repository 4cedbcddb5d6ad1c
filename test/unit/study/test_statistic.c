/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_statistic.c - quantiles against tables and closed forms, Wilson's interval against Newcombe's table, random numbers
 * against the given stream, even points against what makes them even */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perp/random.h"
#include "statistic/statistic.h"

#define near(a, b, tol) near_at((a), (b), (tol), #a, __LINE__)
static void near_at(double a, double b, double tol, const char *what, int line) {
    if (!(fabs(a - b) <= tol)) fail_msg("line %d: %s = %.17g, expected %.17g", line, what, a, b);
}
#define close_to(a, b, relative) near((a), (b), (relative)*fabs(b))

static void test_gamma(void **state) {
    (void)state;
    for (double x = 1e-3; x < 200; x *= 1.37) near(pp_log_gamma(x), lgamma(x), 5e-15 + 1e-15 * fabs(lgamma(x)));
    for (double x = 0.01; x < 40; x *= 1.5) { /* closed forms: a = 1/2, 1, 3 */
        double lower, upper;
        pp_gamma_regular(0.5, x, &lower, &upper);
        close_to(lower, erf(sqrt(x)), 1e-14);
        close_to(upper, erfc(sqrt(x)), 1e-13);
        pp_gamma_regular(1, x, &lower, &upper);
        close_to(upper, exp(-x), 1e-14);
        pp_gamma_regular(3, x, &lower, &upper);
        close_to(upper, exp(-x) * (1 + x + x * x / 2), 1e-13);
    }
    for (double x = 0.01; x < 1; x += 0.0497) { /* I_x(a, 1) = x^a; I_x(1/2, 1/2); a sum of binomial terms */
        close_to(pp_beta_regular(2.5, 1, x), pow(x, 2.5), 1e-14);
        close_to(pp_beta_regular(0.5, 0.5, x), 2 / acos(-1) * asin(sqrt(x)), 1e-13);
        close_to(pp_beta_regular(2, 3, x), 6 * x * x - 8 * x * x * x + 3 * x * x * x * x, 1e-13);
    }
}

static void test_normal(void **state) {
    (void)state;
    const double table[][2] = {{0.5, 0},
                               {0.9, 1.2815515655446004},
                               {0.975, 1.959963984540054},
                               {0.995, 2.5758293035489004},
                               {0.9995, 3.2905267314919255},
                               {1e-10, -6.361340902404056}};
    for (int i = 0; i < 6; i++) near(perp_normal_quantile(table[i][0]), table[i][1], 1e-13);
    for (double p = 1e-300; p < 0.5; p *= 3) close_to(perp_normal_cdf(perp_normal_quantile(p)), p, 1e-11);
    assert_true(perp_normal_quantile(0) == -INFINITY && perp_normal_quantile(1) == INFINITY);
    assert_true(isnan(perp_normal_quantile(-0.1)) && isnan(perp_normal_quantile(NAN)) &&
                isnan(perp_normal_quantile(1.1)));
}

static void test_chi2(void **state) {
    (void)state;
    const double table[][3] = {{0.95, 1, 3.841458820694124},    {0.95, 2, 5.991464547107979},
                               {0.95, 10, 18.307038053275146},  {0.05, 10, 3.940299136119060},
                               {0.99, 100, 135.80672317102676}, {0.5, 2, 1.3862943611198906},
                               {0.01, 1, 1.5708785790970e-4},   {0.999, 5, 20.515005652432873}};
    for (int i = 0; i < 8; i++) close_to(perp_chi2_quantile(table[i][0], table[i][1]), table[i][2], 1e-12);
    for (double dof = 0.3; dof < 1e5; dof *= 2.3)
        for (double p = 1e-12; p < 1; p = p < 0.01 ? 10 * p : p + 0.0763) {
            double x = perp_chi2_quantile(p, dof);
            if (x > 1e-290) close_to(perp_chi2_cdf(x, dof), p, 1e-9);
        }
    assert_true(perp_chi2_quantile(0, 3) == 0 && perp_chi2_quantile(1, 3) == INFINITY);
    assert_true(isnan(perp_chi2_quantile(0.5, 0)) && isnan(perp_chi2_quantile(2, 1)) && isnan(perp_chi2_cdf(1, -1)));
}

/* Values from the finite sums for whole dof (Abramowitz, Stegun, 26.7.3-4), by bisection. */
static void test_student(void **state) {
    (void)state;
    const double table[][3] = {{0.975, 1, 12.706204736174698},
                               {0.975, 2, 4.302652729749464},
                               {0.975, 10, 2.228138851986273},
                               {0.95, 30, 1.697260886593954},
                               {0.995, 5, 4.032142983555212}};
    for (int i = 0; i < 5; i++) close_to(perp_student_quantile(table[i][0], table[i][1]), table[i][2], 1e-12);
    near(perp_student_quantile(0.025, 10), -2.228138851986273, 1e-12);
    close_to(perp_student_quantile(0.975, 1e7), perp_normal_quantile(0.975), 1e-6);
    near(perp_student_cdf(1, 1), 0.75, 1e-14);
    near(perp_student_cdf(-1, 1), 0.25, 1e-14);
    assert_true(perp_student_quantile(0.5, 3) == 0 && isnan(perp_student_quantile(0.5, 0)));
}

/* Newcombe, Statistics in Medicine 17 (1998) 857, table I, method 3. */
static void test_wilson(void **state) {
    (void)state;
    const double table[][4] = {
        {81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}};
    double lo, hi;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(perp_wilson((int64_t)table[i][0], (int64_t)table[i][1], 0.95, &lo, &hi), PERP_OK);
        near(lo, table[i][2], 5e-5);
        near(hi, table[i][3], 5e-5);
    }
    assert_int_equal(perp_wilson(0, 28, 0.95, &lo, &hi), PERP_OK);
    assert_true(lo == 0);
    close_to(hi, 3.841458820694124 / (28 + 3.841458820694124), 1e-13);
    assert_int_equal(perp_wilson(28, 28, 0.95, &lo, &hi), PERP_OK);
    assert_true(hi == 1 && lo > 0.87);
    assert_int_equal(perp_wilson(0, 0, 0.95, &lo, &hi), PERP_OK);
    assert_true(lo == 0 && hi == 1);
    assert_int_equal(perp_wilson(3, 2, 0.95, &lo, &hi), PERP_E_ARG);
    assert_true(isnan(lo));
    assert_int_equal(perp_wilson(1, 2, 1, &lo, &hi), PERP_E_ARG);
}

static void test_stream(void **state) {
    (void)state;
    perp_random r = perp_random_start(1);
    assert_true(perp_random_next(&r) == 0x910a2dec89025cc1ull);
    r = perp_random_start(1);
    near(perp_random_uniform(&r), 0.5665615751722809, 1e-16);
    /* Normal numbers of seed 11 on the last row of the sliding block: 61 rows of 3, given to 8 digits. */
    const double path[3] = {0.96368107, 0.01401871, -1.07420448}, row[3] = {0.96302094, 0.01384345, -1.0637374},
                 sd[3] = {5e-4, 5e-4, 5e-3};
    r = perp_random_start(11);
    for (int i = 0; i < 180; i++) perp_random_normal(&r);
    for (int i = 0; i < 3; i++) near(path[i] + sd[i] * perp_random_normal(&r), row[i], 1.1e-8);
    double sum[4] = {0};
    r = perp_random_start(5);
    int n = 100000;
    for (int i = 0; i < n; i++) {
        double x = perp_random_normal(&r), y = 1;
        for (int k = 0; k < 4; k++) sum[k] += y *= x;
    }
    near(sum[0] / n, 0, 4 * sqrt(1.0 / n)); /* four standard errors */
    near(sum[1] / n, 1, 4 * sqrt(2.0 / n));
    near(sum[2] / n, 0, 4 * sqrt(15.0 / n));
    near(sum[3] / n, 3, 4 * sqrt(96.0 / n));
    r = perp_random_start(0 - 0x9E3779B97F4A7C15ull); /* its next state is 0, which is scrambled to 0: u1 = 0 */
    assert_true(isfinite(perp_random_normal(&r)));
}

/* Uniform numbers in [0, 1): moments and pairs. */
static double worst_correlation(int n, int dim, const double *x) {
    double worst = 0;
    for (int a = 0; a < dim; a++)
        for (int b = 0; b < a; b++) {
            double s = 0;
            for (int i = 0; i < n; i++) s += (x[i * dim + a] - 0.5) * (x[i * dim + b] - 0.5);
            worst = fmax(worst, fabs(12 * s / n));
        }
    return worst;
}

static void one_in_each_slice(int n, int dim, const double *x) {
    char *seen = malloc((size_t)n);
    for (int j = 0; j < dim; j++) {
        memset(seen, 0, (size_t)n);
        for (int i = 0; i < n; i++) {
            double v = x[i * dim + j];
            assert_true(v >= 0 && v < 1);
            int slice = (int)floor(v * n);
            assert_false(seen[slice]++);
        }
    }
    free(seen);
}

static void test_latin(void **state) {
    (void)state;
    static double x[1000 * 7];
    const int counts[] = {1, 2, 3, 5, 17, 64, 100, 1000};
    for (int c = 0; c < 8; c++) {
        int n = counts[c];
        for (int i = 0; i < n; i++)
            assert_int_equal(perp_latin_point(3, (uint64_t)n, (uint64_t)i, 7, x + 7 * i), PERP_OK);
        one_in_each_slice(n, 7, x);
    }
    assert_true(worst_correlation(1000, 7, x) < 4 / sqrt(1000));
    int rises = 0; /* neighbours are independent: as many pairs rise as fall */
    for (int i = 1; i < 1000; i++) rises += x[7 * i] > x[7 * i - 7];
    near(rises, 499.5, 4 * sqrt(1000.0 / 12));
    double y[7], z[7];
    perp_latin_point(3, 1000, 5, 7, y);
    assert_memory_equal(y, x + 35, sizeof y);
    perp_latin_point(4, 1000, 5, 7, z);
    assert_true(y[0] != z[0]);
    assert_int_equal(perp_latin_point(1, 10, 10, 2, y), PERP_E_ARG);
    assert_int_equal(perp_latin_point(1, 0, 0, 2, y), PERP_E_ARG);
    assert_int_equal(perp_latin_point(1, 10, 1, 0, y), PERP_E_ARG);
}

/* Leading bits of dimension j at the points 2^k: the generator matrix's columns, as far as Sobol's property A needs them. */
static int orthant_rank(int dim) {
    uint64_t row[PERP_SOBOL_DIMENSIONS] = {0};
    double x[PERP_SOBOL_DIMENSIONS];
    int bits = dim < 32 ? dim : 32, rank = 0;
    for (int k = 0; k < bits; k++) { /* the Gray code of 2^(k+1) - 1 is 2^k */
        assert_int_equal(perp_sobol_point(0, ((uint64_t)2 << k) - 1, dim, x), PERP_OK);
        for (int j = 0; j < dim; j++)
            if (x[j] >= 0.5) row[j] |= (uint64_t)1 << k;
    }
    for (int k = 0; k < bits; k++) {
        int p = rank;
        while (p < dim && !(row[p] >> k & 1)) p++;
        if (p == dim) continue;
        uint64_t t = row[p];
        row[p] = row[rank], row[rank] = t;
        for (int i = 0; i < dim; i++)
            if (i != rank && row[i] >> k & 1) row[i] ^= row[rank];
        rank++;
    }
    return rank;
}

static void test_sobol(void **state) {
    (void)state;
    enum { N = 1024, D = PERP_SOBOL_DIMENSIONS };
    static double x[N * D], shifted[N * D];
    for (int i = 0; i < N; i++) {
        assert_int_equal(perp_sobol_point(0, (uint64_t)i, D, x + D * i), PERP_OK);
        assert_int_equal(perp_sobol_point(9, (uint64_t)i, D, shifted + D * i), PERP_OK);
    }
    /* The start of the sequence in three dimensions, as published. */
    const double first[5][3] = {
        {0, 0, 0}, {0.5, 0.5, 0.5}, {0.75, 0.25, 0.25}, {0.25, 0.75, 0.75}, {0.375, 0.375, 0.625}};
    for (int i = 0; i < 5; i++) assert_memory_equal(x + D * i, first[i], sizeof first[i]);
    for (int n = 2; n <= N; n *= 2) {
        one_in_each_slice(n, D, x);
        one_in_each_slice(n, D, shifted);
        one_in_each_slice(n / 2, D, x + D * (n / 2));
    }
    for (int dim = 1; dim <= 32; dim++) assert_int_equal(orthant_rank(dim), dim); /* Sobol's property A */
    assert_true(worst_correlation(N, D, shifted) < 0.05); /* random points: about 0.1 at the worst of 780 pairs */
    /* An integral with a known value, product of (1 + (x_j - 1/2)/j): 1. Random points: s.d. 0.01. */
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double f = 1;
        for (int j = 0; j < D; j++) f *= 1 + (shifted[D * i + j] - 0.5) / (j + 1);
        sum += f;
    }
    near(sum / N, 1, 2e-3);
    assert_int_equal(perp_sobol_point(0, 0, D + 1, x), PERP_E_ARG);
    assert_int_equal(perp_sobol_point(0, (uint64_t)1 << 32, 1, x), PERP_E_ARG);
    assert_int_equal(perp_sobol_point(0, 0, 0, x), PERP_E_ARG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gamma),   cmocka_unit_test(test_normal), cmocka_unit_test(test_chi2),
        cmocka_unit_test(test_student), cmocka_unit_test(test_wilson), cmocka_unit_test(test_stream),
        cmocka_unit_test(test_latin),   cmocka_unit_test(test_sobol),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
