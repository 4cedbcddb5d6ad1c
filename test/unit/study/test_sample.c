/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_sample.c - draws from densities with known moments; effective sizes of chains with known correlation */
#include "unit/fit_help.h"

#include "fit/ensemble.h"

/* Normal with these sizes and correlations. */
static const double center[3] = {1, -200, 0.003}, size[3] = {0.1, 50, 1e-4}, rho01 = 0.95;

static bool normal_density(void *ctx, int count, const double *x, double *out) {
    (void)ctx;
    for (int k = 0; k < count; k++, x += 3) {
        double z[3];
        for (int j = 0; j < 3; j++) z[j] = (x[j] - center[j]) / size[j];
        out[k] = -0.5 * ((z[0] * z[0] - 2 * rho01 * z[0] * z[1] + z[1] * z[1]) / (1 - rho01 * rho01) + z[2] * z[2]);
    }
    return true;
}

static void test_normal(void **state) {
    (void)state;
    double start[3] = {1.2, -150, 0.0031}, C[9] = {0.04, 0, 0, 0, 900, 0, 0, 0, 1e-7};
    double mean[3], covariance[9], effective[3], r_hat[3];
    perp_sample_problem p = {.n = 3, .log_density = normal_density};
    perp_sample_options o = {.start = start, .covariance = C, .seed = 4, .steps = 2000, .burn_in = 500};
    perp_sample_result r = {.mean = mean, .covariance = covariance, .effective = effective, .r_hat = r_hat};
    int count = perp_sample_count(&p, &o);
    assert_int_equal(count, 2000 * 32);
    double *sample = malloc(sizeof *sample * 3 * (size_t)count);
    assert_int_equal(perp_sample_posterior(&p, &o, sample, &r, NULL), PERP_OK);
    assert_int_equal(r.draws, count);
    assert_true(r.acceptance > 0.2 && r.acceptance < 0.8 && r.evaluations == 32 * 2501);
    for (int j = 0; j < 3; j++) {
        assert_true(r_hat[j] < 1.02 && effective[j] > 1000 && effective[j] < count);
        near(mean[j], center[j], 4 * size[j] / sqrt(effective[j])); /* four Monte Carlo errors */
        near(covariance[4 * j] / (size[j] * size[j]), 1, 4 * sqrt(2 / effective[j]));
    }
    near(covariance[1] / sqrt(covariance[0] * covariance[4]), rho01, 4 * (1 - rho01 * rho01) / sqrt(effective[0]));
    int below = 0; /* the shape: chi^2 with 3 degrees of freedom */
    for (int i = 0; i < count; i++) {
        double l;
        normal_density(NULL, 1, sample + 3 * i, &l);
        below += -2 * l < perp_chi2_quantile(0.9, 3);
    }
    near((double)below / count, 0.9, 4 * 0.3 / sqrt(1000));
    free(sample);
}

/* x normal with s.d. 1, y = x^2 + normal of s.d. 0.5. */
static bool banana_density(void *ctx, int count, const double *x, double *out) {
    (void)ctx;
    for (int k = 0; k < count; k++, x += 2) {
        double d = (x[1] - x[0] * x[0]) / 0.5;
        out[k] = -0.5 * (x[0] * x[0] + d * d);
    }
    return true;
}

/* Seeds 1 to 40 all meet these limits. */
static void test_banana(void **state) {
    (void)state;
    double start[2] = {1, 1}, C[4] = {0.1, 0, 0, 0.1}, mean[2], covariance[4], effective[2], r_hat[2];
    perp_sample_problem p = {.n = 2, .log_density = banana_density};
    perp_sample_options o = {.start = start, .covariance = C, .seed = 8, .steps = 8000, .burn_in = 2000};
    perp_sample_result r = {.mean = mean, .covariance = covariance, .effective = effective, .r_hat = r_hat};
    assert_int_equal(perp_sample_posterior(&p, &o, NULL, &r, NULL), PERP_OK);
    assert_true(r_hat[0] < 1.05 && r_hat[1] < 1.05 && effective[0] > 500 && effective[1] > 500);
    double vy = 2 + 0.25; /* variance of x^2, and the noise */
    near(mean[0], 0, 4 / sqrt(effective[0]));
    near(mean[1], 1, 4 * sqrt(vy / effective[1]));
    near(covariance[0], 1, 4 * sqrt(2 / effective[1])); /* x^2 mixes as y does */
    near(covariance[3] / vy, 1,
         4 * sqrt(14 / effective[1])); /* the fourth moment of x^2 is 15 times its variance squared */
}

static bool half_normal(void *ctx, int count, const double *x, double *out) {
    for (int k = 0; k < count; k++) {
        assert_true(x[k] >= 0);                       /* points outside are never evaluated */
        out[k] = x[k] > 3 ? NAN : -0.5 * x[k] * x[k]; /* what cannot be evaluated has no density */
    }
    return ctx == NULL;
}

static void test_bounds(void **state) {
    (void)state;
    double start = 0.1, C = 1, lower = 0, mean, effective;
    perp_sample_problem p = {.n = 1, .lower = &lower, .log_density = half_normal};
    perp_sample_options o = {.start = &start, .covariance = &C, .seed = 2, .steps = 3000};
    perp_sample_result r = {.mean = &mean, .effective = &effective};
    assert_int_equal(perp_sample_posterior(&p, &o, NULL, &r, NULL), PERP_OK);
    double mass = perp_normal_cdf(3) - 0.5, expected = (1 - exp(-4.5)) / sqrt(2 * acos(-1)) / mass;
    near(mean, expected, 4 * 0.6 / sqrt(effective));
    int stop = 1;
    p.ctx = &stop;
    assert_int_equal(perp_sample_posterior(&p, &o, NULL, &r, NULL), PERP_E_STOPPED);
}

static bool nowhere(void *ctx, int count, const double *x, double *out) {
    (void)ctx, (void)x;
    for (int k = 0; k < count; k++) out[k] = -INFINITY;
    return true;
}

static void test_refused(void **state) {
    (void)state;
    double start[3] = {1, -200, 0.003}, C[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    perp_sample_problem p = {.n = 3, .log_density = normal_density};
    perp_sample_options o = {.start = start, .covariance = C};
    perp_refusal why;
    o.walkers = 7;
    assert_int_equal(perp_sample_posterior(&p, &o, NULL, NULL, &why), PERP_E_ARG);
    assert_int_equal(perp_sample_count(&p, &o), 0);
    assert_non_null(strstr(why.text, "walkers"));
    o.walkers = 0, o.steps = 3;
    assert_int_equal(perp_sample_posterior(&p, &o, NULL, NULL, &why), PERP_E_ARG);
    o.steps = 0, C[4] = 0;
    assert_int_equal(perp_sample_posterior(&p, &o, NULL, NULL, &why), PERP_E_ARG);
    assert_non_null(strstr(why.text, "covariance[4]: found 0"));
    C[4] = 1, C[1] = C[3] = 5;
    assert_int_equal(perp_sample_posterior(&p, &o, NULL, NULL, &why), PERP_E_ARG);
    C[1] = C[3] = 0, p.log_density = nowhere;
    assert_int_equal(perp_sample_posterior(&p, &o, NULL, NULL, &why), PERP_E_SOLVE);
    assert_non_null(strstr(why.text, "only 0 of 32 walkers"));
}

/* The same bits again, and with points of a batch evaluated in another order; others with another seed. */
static bool backwards(void *ctx, int count, const double *x, double *out) {
    for (int k = count - 1; k >= 0; k--) normal_density(ctx, 1, x + 3 * k, out + k);
    return true;
}

static void test_bits(void **state) {
    (void)state;
    static double a[32 * 20 * 3], b[32 * 20 * 3];
    double start[3] = {1, -200, 0.003}, C[9] = {0.01, 0, 0, 0, 100, 0, 0, 0, 1e-8};
    perp_sample_problem p = {.n = 3, .log_density = normal_density};
    perp_sample_options o = {.start = start, .covariance = C, .steps = 40, .thin = 2, .seed = 6};
    assert_int_equal(perp_sample_posterior(&p, &o, a, NULL, NULL), PERP_OK);
    p.log_density = backwards;
    assert_int_equal(perp_sample_posterior(&p, &o, b, NULL, NULL), PERP_OK);
    assert_memory_equal(a, b, sizeof a);
    o.seed = 7;
    assert_int_equal(perp_sample_posterior(&p, &o, b, NULL, NULL), PERP_OK);
    assert_true(memcmp(a, b, sizeof a) != 0);
}

/* Chains x_t = phi x_(t-1) + noise: tau = (1 + phi)/(1 - phi). */
static void test_figures(void **state) {
    (void)state;
    enum { STEPS = 4000, WALKERS = 8 };
    static double sample[STEPS * WALKERS * 2], work[(STEPS + 2) * WALKERS];
    double figures[2];
    const double phis[] = {0, 0.5, 0.9};
    for (int k = 0; k < 3; k++) {
        perp_random random = perp_random_start(77);
        for (int w = 0; w < WALKERS; w++) {
            double x = perp_random_normal(&random);
            for (int t = 0; t < STEPS; t++) {
                sample[2 * (t * WALKERS + w) + 1] = x;
                x = phis[k] * x + sqrt(1 - phis[k] * phis[k]) * perp_random_normal(&random);
            }
        }
        pp_chain_figures(STEPS, WALKERS, 2, sample, 1, work, figures);
        double expected = STEPS * WALKERS * (1 - phis[k]) / (1 + phis[k]);
        near(figures[1] / expected, 1, 0.12);
        near(figures[0], 1, 0.01);
    }
    for (int t = 0; t < STEPS; t++) sample[2 * t * WALKERS + 1] += 3; /* one walker elsewhere */
    pp_chain_figures(STEPS, WALKERS, 2, sample, 1, work, figures);
    assert_true(figures[0] > 1.2 && figures[1] < 100);
}

/* A run that is far too short says so. */
static void test_short(void **state) {
    (void)state;
    double start[3] = {1, -200, 0.003}, C[9] = {1e-8, 0, 0, 0, 1e-8, 0, 0, 0, 1e-14}, r_hat[3];
    perp_sample_problem p = {.n = 3, .log_density = normal_density};
    perp_sample_options o = {.start = start, .covariance = C, .seed = 1, .steps = 20, .burn_in = 1};
    perp_sample_result r = {.r_hat = r_hat};
    assert_int_equal(perp_sample_posterior(&p, &o, NULL, &r, NULL), PERP_OK);
    assert_true(r_hat[1] > 1.1);
}

/* Memory refused at the k-th block, for every k: said, and nothing is left behind. */
static void test_memory(void **state) {
    (void)state;
    double start[3] = {1, -200, 0.003}, C[9] = {0.01, 0, 0, 0, 100, 0, 0, 0, 1e-8};
    perp_sample_problem p = {.n = 3, .log_density = normal_density};
    perp_sample_options o = {.start = start, .covariance = C, .steps = 10};
    perp_sample_result r = {0};
    bool done = false;
    for (int k = 0; !done; k++) {
        failing f = {.left = k};
        o.alloc = (perp_allocator){fail_alloc, fail_free, &f};
        perp_refusal why;
        perp_status s = perp_sample_posterior(&p, &o, NULL, &r, &why);
        assert_int_equal(f.live, 0);
        assert_true((s == PERP_OK || s == PERP_E_MEMORY) && k < 1000);
        done = s == PERP_OK;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),  cmocka_unit_test(test_normal),  cmocka_unit_test(test_banana),
        cmocka_unit_test(test_bounds),  cmocka_unit_test(test_refused), cmocka_unit_test(test_bits),
        cmocka_unit_test(test_figures), cmocka_unit_test(test_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
