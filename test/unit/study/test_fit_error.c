/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_fit_error.c - what a fit says of its errors: coverage, directions that data do not identify, profiles, robust losses */
#include "unit/fit_help.h"

#include "fit/fit.h"

/* ---- coverage over 200 seeds ---- */

#define ROWS 30
typedef struct decay {
    double y[ROWS];
    bool line;
} decay;

/* A line, or a decay: mildly nonlinear. Noise 0.1. */
static double decay_at(bool line, const double *x, int i) {
    double t = 0.1 * i;
    return line ? x[0] + x[1] * t : x[0] * exp(-x[1] * t);
}

static bool decay_residuals(void *ctx, int count, const double *x, double *r) {
    const decay *d = ctx;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < ROWS; i++) r[ROWS * k + i] = (decay_at(d->line, x + 2 * k, i) - d->y[i]) / 0.1;
    return true;
}

static void make_decay(decay *d, const double *truth, uint64_t seed, double noise) {
    perp_random random = perp_random_start(seed);
    for (int i = 0; i < ROWS; i++) d->y[i] = decay_at(d->line, truth, i) + noise * perp_random_normal(&random);
}

/* Of `seeds` fits: those whose 95 % interval holds the truth, for each parameter. */
static void cover(bool line, bool known, double noise, int seeds, int hit[2]) {
    const double truth[2] = {2, 0.8}, start[2] = {1, 0.1};
    hit[0] = hit[1] = 0;
    for (int s = 1; s <= seeds; s++) {
        decay d = {.line = line};
        make_decay(&d, truth, (uint64_t)s, noise);
        perp_fit_problem p = {.n = 2, .m = ROWS, .start = start, .residuals = decay_residuals, .ctx = &d};
        perp_fit_options o = perp_fit_options_default();
        o.noise_known = known;
        double x[2], C[4];
        perp_fit_result result;
        assert_int_equal(perp_fit(&p, &o, x, C, &result, NULL), PERP_OK);
        assert_true(result.converged);
        double z = known ? perp_normal_quantile(0.975) : perp_student_quantile(0.975, result.dof);
        for (int j = 0; j < 2; j++) hit[j] += fabs(x[j] - truth[j]) <= z * sqrt(C[3 * j]);
    }
}

static void test_coverage(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        int hit[2];
        cover(k < 2, k % 2 == 0, k % 2 ? 0.17 : 0.1, 200,
              hit); /* noise that is not known differs from what was divided by */
        for (int j = 0; j < 2; j++)
            if (hit[j] < 182 || hit[j] > 196) fail_msg("case %d: %d of 200 intervals hold parameter %d", k, hit[j], j);
    }
}

/* ---- what is not identified ---- */

/* Only the product x0 x1, and x2, matter; x3 does nothing. */
static bool product_residuals(void *ctx, int count, const double *x, double *r) {
    (void)ctx;
    for (int k = 0; k < count; k++, x += 4)
        for (int i = 0; i < 10; i++)
            r[10 * k + i] = x[0] * x[1] * (i + 1) + x[2] - 6 * (i + 1) - 1 + (i % 2 ? 0.01 : -0.01);
    return true;
}

static void test_identify(void **state) {
    (void)state;
    double start[4] = {1, 2, 0, 5}, x[4], C[16], sd[4], direction[16], correlation[16];
    perp_fit_details details = {.sd = sd, .direction = direction, .correlation = correlation};
    perp_fit_options o = perp_fit_options_default();
    o.details = &details;
    perp_fit_problem p = {.n = 4, .m = 10, .start = start, .residuals = product_residuals};
    perp_fit_result result;
    assert_int_equal(perp_fit(&p, &o, x, C, &result, NULL), PERP_OK);
    assert_true(result.converged);
    assert_int_equal(result.rank, 2);
    assert_int_equal(result.dof, 8);
    assert_int_equal(details.ndirection, 2);
    assert_true(isinf(sd[0]) && isinf(sd[1]) && isfinite(sd[2]) && isinf(sd[3]));
    assert_true(isinf(C[0]) && isnan(C[1]) && isfinite(C[10]) && isnan(correlation[1]));
    assert_true(x[3] == 5); /* what does nothing is not moved */
    near(x[0] * x[1], 6, 0.01);
    /* One direction is x3 alone, the other keeps the product: d0/x0 + d1/x1 = 0. */
    int alone = direction[3] != 0 ? 0 : 1;
    const double *a = direction + 4 * alone, *b = direction + 4 * (1 - alone);
    assert_true(a[0] == 0 && a[1] == 0 && a[2] == 0 && fabs(a[3]) == 5);
    near(b[0] / x[0] + b[1] / x[1], 0, 1e-6);
    assert_true(b[2] == 0 && b[3] == 0 && fabs(b[0]) > 0.1);
    /* sd of x2, by hand: slope and intercept of 10 points */
    double s = 10, st = 55, stt = 385;
    near(sd[2], sqrt(stt / (s * stt - st * st)), 1e-6);
    /* A prior on one factor, and on x3, identifies all. */
    double mean[4] = {2, 0, 0, 5}, prior_sd[4] = {0.1, INFINITY, INFINITY, 1};
    p.prior_mean = mean, p.prior_sd = prior_sd;
    assert_int_equal(perp_fit(&p, &o, x, C, &result, NULL), PERP_OK);
    assert_int_equal(result.rank, 4);
    assert_int_equal(details.ndirection, 0);
    near(sd[0], 0.1, 1e-6);
    near(sd[3], 1, 1e-9);
    /* x1 = p/x0 with p = x0 x1 from the slope: var x1 = var p/x0^2 + (x1/x0)^2 var x0, cov = -(x1/x0) var x0 */
    double ratio = x[1] / x[0], slope = s / (s * stt - st * st) / (x[0] * x[0]);
    near(correlation[1], -ratio * 0.1 / sqrt(slope + ratio * ratio * 0.01), 1e-4);
    /* A bound that fixes one factor does so too. */
    double lower[4] = {2, -10, -10, -10}, upper[4] = {2, 10, 10, 10};
    p.prior_mean = p.prior_sd = NULL, p.lower = lower, p.upper = upper;
    assert_int_equal(perp_fit(&p, &o, x, C, &result, NULL), PERP_OK);
    assert_int_equal(result.rank, 2);
    near(x[1], 3, 0.01);
    assert_true(isfinite(sd[1]) && isinf(sd[3]) && sd[0] == 0);
}

/* Singular values of a matrix with known ones: rotations of a diagonal; a rank that is short. */
static void test_svd(void **state) {
    (void)state;
    double A[9] = {0}, V[9], s[3], c = cos(0.4), z = sin(0.4);
    const double known[3] = {5, 1e-6, 2};
    double Q[9] = {c, z, 0, -z, c, 0, 0, 0, 1}, P[9] = {1, 0, 0, 0, c, -z, 0, z, c};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) A[i + 3 * j] += Q[i + 3 * k] * known[k] * P[j + 3 * k];
    pp_svd(3, A, V, s);
    double product = s[0] * s[1] * s[2], most = fmax(s[0], fmax(s[1], s[2])), least = fmin(s[0], fmin(s[1], s[2]));
    near(most, 5, 1e-14);
    near(least, 1e-6, 1e-15);
    near(product, 1e-5, 1e-14);
}

/* ---- profiles ---- */

static void test_profile_line(void **state) {
    (void)state;
    const double truth[2] = {2, 0.8}, start[2] = {1, 0.1};
    decay d = {.line = true};
    make_decay(&d, truth, 3, 0.1);
    perp_fit_problem p = {.n = 2, .m = ROWS, .start = start, .residuals = decay_residuals, .ctx = &d};
    double x[2], C[4], value[9], cost[9], points[18];
    perp_fit_result fit;
    assert_int_equal(perp_fit(&p, NULL, x, C, &fit, NULL), PERP_OK);
    for (int j = 0; j < 2; j++) { /* a parabola: the interval is 1.96 standard errors, the cost rises as z^2 */
        perp_fit_profile_result r = {.count = 9, .value = value, .cost = cost, .x = points};
        assert_int_equal(perp_fit_profile(&p, NULL, x, j, &r, NULL), PERP_OK);
        double sd = sqrt(C[3 * j]), z = perp_normal_quantile(0.975);
        near(r.hi, x[j] + z * sd, 2e-4 * sd);
        near(r.lo, x[j] - z * sd, 2e-4 * sd);
        assert_true(!r.lo_open && !r.hi_open && r.evaluations > 0);
        near(r.least, fit.cost, 1e-9 * fit.cost);
        for (int i = 0; i < 9; i++) {
            near(cost[i] - fit.cost, pow((value[i] - x[j]) / sd, 2), 1e-6);
            assert_true(points[2 * i + j] == value[i]);
        }
        near(value[0], x[j] - 1.5 * z * sd, 1e-3 * sd);
        near(value[8], x[j] + 1.5 * z * sd, 1e-3 * sd);
    }
}

/* y = x^2 with one datum 1: the interval of the cost (x^2 - 1)^2/s^2 is not symmetric; at the bound 0.5 it is cut. */
static bool square_residuals(void *ctx, int count, const double *x, double *r) {
    for (int k = 0; k < count; k++) r[k] = (x[k] * x[k] - 1) / *(double *)ctx;
    return true;
}

static void test_profile_curved(void **state) {
    (void)state;
    double s = 0.3, x = 1, z = perp_normal_quantile(0.975), lower = 0.5, upper = 30;
    perp_fit_problem p = {.n = 1, .m = 1, .start = &x, .residuals = square_residuals, .ctx = &s};
    perp_fit_profile_result r = {0};
    assert_int_equal(perp_fit_profile(&p, NULL, &x, 0, &r, NULL), PERP_OK);
    near(r.hi, sqrt(1 + z * s), 1e-4);
    near(r.lo, sqrt(1 - z * s), 1e-4);
    p.lower = &lower, p.upper = &upper;
    s = 10;
    assert_int_equal(perp_fit_profile(&p, NULL, &x, 0, &r, NULL), PERP_OK);
    assert_true(r.lo == 0.5 && r.lo_open && !r.hi_open);
    near(r.hi, sqrt(1 + z * s), 1e-3);
    assert_int_equal(perp_fit_profile(&p, NULL, &x, 1, &r, NULL), PERP_E_ARG);
    r.count = 1;
    assert_int_equal(perp_fit_profile(&p, NULL, &x, 0, &r, NULL), PERP_E_ARG);
}

/* Beyond sticking the cost does not rise any more: the interval is open above. */
static bool sticking(void *ctx, int count, const double *x, double *r) {
    (void)ctx;
    for (int k = 0; k < count; k++) r[k] = fmin(x[k], 0.5) / 0.1 - 4.8;
    return true;
}

static void test_profile_open(void **state) {
    (void)state;
    double x = 0.48;
    perp_fit_problem p = {.n = 1, .m = 1, .start = &x, .residuals = sticking};
    perp_fit_profile_result r = {0};
    assert_int_equal(perp_fit_profile(&p, NULL, &x, 0, &r, NULL), PERP_OK);
    near(r.lo, 0.48 - 0.1959964, 1e-4);
    assert_true(r.hi_open && r.hi == INFINITY && !r.lo_open);
}

/* ---- robust losses ---- */

/* Huber's estimate of a mean solves sum psi = 0: bisection here. */
static double huber_mean(int n, const double *y, double k) {
    double lo = -100, hi = 100;
    for (int i = 0; i < 200; i++) {
        double z = 0.5 * (lo + hi), sum = 0;
        for (int j = 0; j < n; j++) sum += fmax(-k, fmin(k, y[j] - z));
        *(sum > 0 ? &lo : &hi) = z;
    }
    return lo;
}

typedef struct mean {
    int m;
    double y[200];
} mean;

static bool mean_residuals(void *ctx, int count, const double *x, double *r) {
    const mean *d = ctx;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < d->m; i++) r[d->m * k + i] = x[k] - d->y[i];
    return true;
}

static void make_mean(mean *d, uint64_t seed, double dirt) {
    perp_random random = perp_random_start(seed);
    for (int i = 0; i < d->m; i++) {
        d->y[i] = 1 + perp_random_normal(&random);
        if (perp_random_uniform(&random) < dirt) d->y[i] += 20;
    }
}

static void test_robust(void **state) {
    (void)state;
    mean d = {.m = 100};
    make_mean(&d, 1, 0.1);
    double start = 0, x, C, weight[100];
    perp_fit_details details = {.weight = weight};
    perp_fit_problem p = {.n = 1, .m = 100, .start = &start, .residuals = mean_residuals, .ctx = &d};
    perp_fit_options o = perp_fit_options_default();
    o.details = &details;
    perp_fit_result result;
    assert_int_equal(perp_fit(&p, &o, &x, &C, &result, NULL), PERP_OK);
    assert_true(x > 2); /* squares are drawn away */
    o.loss = "huber";
    assert_int_equal(perp_fit(&p, &o, &x, &C, &result, NULL), PERP_OK);
    assert_true(result.converged);
    near(x, huber_mean(100, d.y, 1.345), 1e-6);
    double largest = 0, smallest = 1;
    for (int i = 0; i < 100; i++) largest = fmax(largest, weight[i]), smallest = fmin(smallest, weight[i]);
    assert_true(largest == 1 && smallest < 0.1 && smallest > 0);
    const char *redescending[] = {"cauchy", "tukey"};
    for (int k = 0; k < 2; k++) {
        o.loss = redescending[k];
        assert_int_equal(perp_fit(&p, &o, &x, &C, &result, NULL), PERP_OK);
        assert_true(result.converged);
        near(x, 1, 3.5 * sqrt(C)); /* the dirt does not count */
    }
}

/* The scaled covariance: over 200 seeds the spread of the estimates and their standard errors agree, and 95 % intervals hold. */
static void test_robust_error(void **state) {
    (void)state;
    const char *losses[] = {"huber", "cauchy", "tukey"};
    for (int k = 0; k < 3; k++) {
        double start = 0, sum = 0, square = 0, errors = 0;
        int hit = 0;
        for (uint64_t seed = 1; seed <= 200; seed++) {
            mean d = {.m = 60};
            make_mean(&d, seed, 0);
            perp_random random = perp_random_start(seed + 1000); /* symmetric heavy tails, so that the truth is 1 */
            for (int i = 0; i < d.m; i++)
                if (perp_random_uniform(&random) < 0.1) d.y[i] += 10 * perp_random_normal(&random);
            double x, C;
            perp_fit_problem p = {.n = 1, .m = d.m, .start = &start, .residuals = mean_residuals, .ctx = &d};
            perp_fit_options o = perp_fit_options_default();
            o.loss = losses[k];
            assert_int_equal(perp_fit(&p, &o, &x, &C, NULL, NULL), PERP_OK);
            sum += x, square += x * x, errors += sqrt(C) / 200;
            hit += fabs(x - 1) < 1.96 * sqrt(C);
        }
        double spread = sqrt(square / 200 - sum / 200 * sum / 200);
        near(errors / spread, 1, 0.15); /* a spread from 200 is known to 5 % */
        if (hit < 182 || hit > 197) fail_msg("%s: %d of 200", losses[k], hit);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),     cmocka_unit_test(test_identify),       cmocka_unit_test(test_svd),
        cmocka_unit_test(test_profile_line), cmocka_unit_test(test_profile_curved), cmocka_unit_test(test_profile_open),
        cmocka_unit_test(test_robust),       cmocka_unit_test(test_robust_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
