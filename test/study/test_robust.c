/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_robust.c - fits, standard errors by cluster and the sampler of the measuring programs against closed forms, against
 * brute force, and for coverage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "robust.h"
#include "scatter.h"

#include <math.h>
#include <stdio.h>

#define PI                           3.14159265358979323846
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

enum { POINTS = 60, CLUSTERS = 12 };

typedef struct line { /* y = a + b x with errors that clusters share */
    double x[POINTS], y[POINTS];
    int points, without; /* cluster that is left out, -1: none */
} line;

static double uniform(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double normal(uint64_t *state) {
    double u = 1 - uniform(state), v = uniform(state);
    return sqrt(-2 * log(u)) * cos(2 * PI * v);
}

static int cluster_of(const void *ctx, int group) {
    (void)ctx;
    return group * CLUSTERS / POINTS;
}

static int residuals(const void *ctx, int group, const double *theta, double *r) {
    const line *l = ctx;
    r[0] = cluster_of(ctx, group) == l->without ? 0 : theta[0] + theta[1] * l->x[group] - l->y[group];
    return 1;
}

static const double steps[3] = {1e-3, 1e-3, 1e-3};

static robust_problem problem(const line *l, double huber) {
    robust_problem p = {POINTS, 2, CLUSTERS, residuals, cluster_of, l, steps, huber};
    return p;
}

/* Points of clusters have a common error, so that errors by rows are too small. */
static line make_line(uint64_t seed, double common, double own) {
    line l = {.points = POINTS, .without = -1};
    double shift = 0;
    for (int i = 0; i < POINTS; i++) {
        if (i % (POINTS / CLUSTERS) == 0) shift = common * normal(&seed);
        l.x[i] = uniform(&seed);
        l.y[i] = 3 - 2 * l.x[i] + shift + own * normal(&seed);
    }
    return l;
}

/* A line through exact points is found in one step; the second sees that nothing changes. */
static void exact_line_is_found(void **state) {
    (void)state;
    line l = make_line(1, 0, 0);
    robust_problem p = problem(&l, 0);
    robust_fit fit = {.theta = {0, 0}};
    assert_true(robust_solve(&p, &fit));
    assert_near(fit.theta[0], 3, 1e-9);
    assert_near(fit.theta[1], -2, 1e-9);
}

/* The jackknife of a linear fit is exact: leaving out clusters one by one gives the same covariance. */
static void jackknife_is_leaving_out(void **state) {
    (void)state;
    line l = make_line(2, 0.3, 0.1);
    robust_problem p = problem(&l, 0);
    robust_fit fit = {.theta = {0, 0}}, one;
    assert_true(robust_solve(&p, &fit));
    double sum[2] = {0};
    for (l.without = 0; l.without < CLUSTERS; l.without++) {
        one = (robust_fit){.theta = {0, 0}};
        assert_true(robust_solve(&p, &one));
        for (int a = 0; a < 2; a++) sum[a] += (one.theta[a] - fit.theta[a]) * (one.theta[a] - fit.theta[a]);
    }
    for (int a = 0; a < 2; a++) assert_near(fit.se[a], sqrt(sum[a] * (CLUSTERS - 1) / CLUSTERS), 1e-8);
}

/* The interval of two standard errors covers the truth about as often as that of Student's t with 11 degrees of freedom: 0.929. */
static void intervals_cover(void **state) {
    (void)state;
    int inside = 0, rows = 0;
    for (int seed = 1; seed <= 1000; seed++) {
        line l = make_line((uint64_t)seed << 20, 0.3, 0.1);
        robust_problem p = problem(&l, 0);
        robust_fit fit = {.theta = {0, 0}};
        assert_true(robust_solve(&p, &fit));
        inside += fabs(fit.theta[0] - 3) < 2 * fit.se[0];
        rows += fabs(fit.theta[0] - 3) < 2 * fit.se_rows[0];
    }
    print_message("covered: %d of 1000, by rows %d\n", inside, rows);
    assert_in_range(inside, 905, 965);
    assert_true(rows < 850);
}

/* A tenth of bad points moves least squares by far, the robust fit hardly. */
static void outliers_weigh_less(void **state) {
    (void)state;
    line l = make_line(3, 0, 0.01);
    for (int i = 0; i < POINTS; i += 10) l.y[i] += 5;
    robust_problem plain = problem(&l, 0), robust = problem(&l, 1.5);
    robust_fit a = {.theta = {0, 0}}, b = {.theta = {3, -2}};
    assert_true(robust_solve(&plain, &a));
    assert_true(robust_solve(&robust, &b));
    assert_true(fabs(a.theta[0] + a.theta[1] / 2 - 2) > 0.3);
    assert_true(fabs(b.theta[0] + b.theta[1] / 2 - 2) < 0.01);
}

static int twin_residuals(const void *ctx, int group, const double *theta, double *r) {
    const line *l = ctx;
    r[0] = theta[0] + (theta[1] + theta[2]) * l->x[group] - l->y[group];
    return 1;
}

/* Two unknowns of which only the sum is in the data: the second is named. */
static void twins_are_not_identified(void **state) {
    (void)state;
    line l = make_line(4, 0, 0.1);
    robust_problem p = {POINTS, 3, CLUSTERS, twin_residuals, cluster_of, &l, steps, 0};
    robust_fit fit = {.theta = {0, 0, 0}};
    assert_false(robust_solve(&p, &fit));
    assert_int_equal(fit.unidentified, 2);
}

static void mean_by_clusters(void **state) {
    (void)state;
    const double x[6] = {1, 1, 1, 4, 4, 7};
    const int each[6] = {0, 1, 2, 3, 4, 5}, three[6] = {0, 0, 0, 1, 1, 2};
    cluster_mean a = robust_mean(x, each, 6), b = robust_mean(x, three, 6);
    assert_near(a.mean, 3, 1e-15);
    assert_near(a.spread, sqrt(30 / 5.0), 1e-14);
    assert_near(a.se, a.spread / sqrt(6), 1e-14); /* clusters of one: the textbook formula */
    /* without each cluster the mean is 5, 2.5, 2.2 */
    assert_int_equal(b.clusters, 3);
    assert_near(b.se, sqrt((4 + 0.25 + 0.64) * 2 / 3), 1e-14);
    assert_true(isnan(robust_mean(x, each, 0).mean));
}

/* Without noise the posterior is known: the mean is Student's t with n - 2 degrees of freedom, E s^2 = SS/(n - 4). */
static void posterior_is_students(void **state) {
    (void)state;
    enum { n = 12 };
    double x[n], sd[n] = {0}, mean = 0, squares = 0;
    uint64_t seed = 5;
    for (int i = 0; i < n; i++) mean += (x[i] = 0.17 + 0.02 * normal(&seed)) / n;
    for (int i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    scatter_figures f, again;
    assert_true(scatter_sample(x, sd, n, 1, &f));
    double true_sd = sqrt(squares / (n * (n - 4))), t975 = 2.228, scale = sqrt(squares / (n * (n - 2)));
    print_message("mean sd %.5f (%.5f), effective %.0f, accepted %.2f\n", f.mean_sd, true_sd, f.effective,
                  f.acceptance);
    double tolerance = 4 / sqrt(f.effective); /* of the sampling, in standard deviations */
    assert_true(f.effective > 2000);
    assert_near(f.mean, mean, tolerance * true_sd);
    assert_near(f.mean_sd / true_sd, 1, 2 * tolerance);
    assert_near(f.mean_95[1], mean + t975 * scale, 0.1 * t975 * scale);
    assert_near(f.mean_95[0], mean - t975 * scale, 0.1 * t975 * scale);
    assert_near((f.spread * f.spread + f.spread_sd * f.spread_sd) / (squares / (n - 4)), 1, 0.06);
    assert_true(scatter_sample(x, sd, n, 1, &again));
    assert_memory_equal(&f, &again, sizeof f);
    assert_false(scatter_sample(x, sd, 2, 1, &f));
}

/* Noise that explains all scatter leaves little for the spread. */
static void noise_is_not_spread(void **state) {
    (void)state;
    enum { n = 40 };
    double x[n], sd[n];
    uint64_t seed = 6;
    for (int i = 0; i < n; i++) {
        sd[i] = 0.02;
        x[i] = 0.17 + sd[i] * normal(&seed);
    }
    scatter_figures f;
    assert_true(scatter_sample(x, sd, n, 1, &f));
    assert_true(f.spread < 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_line_is_found),      cmocka_unit_test(jackknife_is_leaving_out),
        cmocka_unit_test(intervals_cover),          cmocka_unit_test(outliers_weigh_less),
        cmocka_unit_test(twins_are_not_identified), cmocka_unit_test(mean_by_clusters),
        cmocka_unit_test(posterior_is_students),    cmocka_unit_test(noise_is_not_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
