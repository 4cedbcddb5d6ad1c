/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_filter.c - filters against the Kalman filter in closed form, and on the particle with unknown friction */
#include "unit/fit_help.h"

/* ---- a linear system: position, velocity, constant acceleration (a parameter), position measured, sometimes velocity too ---- */

#define ROWS 40
#define STEP 0.1

typedef struct linear {
    double time[ROWS], data[ROWS * 2], C[9];
} linear;

static const double noise_sd[2] = {0.2, 0.5}, walk_sd[3] = {0.01, 0.05, 0.02}, first_mean[3] = {0, 1, 0.5};

static void linear_step(const double *x, double *out) {
    out[0] = x[0] + STEP * x[1] + 0.5 * STEP * STEP * x[2];
    out[1] = x[1] + STEP * x[2];
    out[2] = x[2];
}

static bool linear_advance(void *ctx, int count, const double *in, double *out, double t0, double t1) {
    (void)ctx;
    assert_true(fabs(t1 - t0 - STEP) < 1e-12);
    for (int k = 0; k < count; k++) linear_step(in + 3 * k, out + 3 * k);
    return true;
}

static bool linear_observe(void *ctx, int count, const double *x, double t, double *y) {
    (void)ctx, (void)t;
    for (int k = 0; k < count; k++) y[2 * k] = x[3 * k], y[2 * k + 1] = x[3 * k + 1];
    return true;
}

static perp_filter_problem make_linear(linear *l, uint64_t seed) {
    const double C[9] = {0.04, 0.01, 0, 0.01, 0.25, 0, 0, 0, 0.3};
    memcpy(l->C, C, sizeof C);
    perp_random random = perp_random_start(seed);
    double x[3] = {0.1, 0.7, 1.0}, next[3];
    for (int i = 0; i < ROWS; i++) {
        l->time[i] = STEP * i;
        l->data[2 * i] = x[0] + noise_sd[0] * perp_random_normal(&random);
        l->data[2 * i + 1] = x[1] + noise_sd[1] * perp_random_normal(&random);
        if (i % 3) l->data[2 * i + 1] = NAN; /* velocity at every third row */
        if (i == 7 || i == 8) l->data[2 * i] = NAN;
        linear_step(x, next);
        for (int j = 0; j < 3; j++) x[j] = next[j] + walk_sd[j] * perp_random_normal(&random);
    }
    return (perp_filter_problem){.n = 3,
                                 .m = 2,
                                 .rows = ROWS,
                                 .time = l->time,
                                 .data = l->data,
                                 .noise_sd = noise_sd,
                                 .mean = first_mean,
                                 .covariance = l->C,
                                 .walk_sd = walk_sd,
                                 .advance = linear_advance,
                                 .observe = linear_observe};
}

/* The textbook's Kalman filter, one datum after another. */
static void kalman(const linear *l, double *mean, double *cov, double *log_likelihood) {
    const double F[9] = {1, 0, 0, STEP, 1, 0, 0.5 * STEP * STEP, STEP, 1};
    double m[3], P[9];
    memcpy(m, first_mean, sizeof m);
    memcpy(P, l->C, sizeof P);
    for (int row = 0; row < ROWS; row++) {
        if (row > 0) {
            double next[3], FP[9] = {0}, Q[9] = {0};
            linear_step(m, next);
            memcpy(m, next, sizeof m);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    for (int k = 0; k < 3; k++) FP[i + 3 * j] += F[i + 3 * k] * P[k + 3 * j];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    for (int k = 0; k < 3; k++) Q[i + 3 * j] += FP[i + 3 * k] * F[j + 3 * k];
                    if (i == j) Q[i + 3 * j] += walk_sd[i] * walk_sd[i];
                }
            memcpy(P, Q, sizeof P);
        }
        log_likelihood[row] = 0;
        for (int c = 0; c < 2; c++) {
            double d = l->data[2 * row + c] - m[c], S = P[c + 3 * c] + noise_sd[c] * noise_sd[c], K[3], row_c[3];
            if (isnan(d)) continue;
            log_likelihood[row] -= 0.5 * (d * d / S + log(2 * acos(-1) * S));
            for (int i = 0; i < 3; i++) K[i] = P[i + 3 * c] / S, row_c[i] = P[c + 3 * i];
            for (int i = 0; i < 3; i++) {
                m[i] += K[i] * d;
                for (int j = 0; j < 3; j++) P[i + 3 * j] -= K[i] * row_c[j];
            }
        }
        memcpy(mean + 3 * row, m, sizeof m);
        memcpy(cov + 9 * row, P, sizeof P);
    }
}

static double km[ROWS * 3], kc[ROWS * 9], kl[ROWS], fm[ROWS * 3], fc[ROWS * 9], fl[ROWS], fe[ROWS], fs[ROWS * 3];

static void test_unscented_linear(void **state) {
    (void)state;
    linear l;
    perp_filter_problem p = make_linear(&l, 5);
    kalman(&l, km, kc, kl);
    const double alphas[] = {0, 0.5, 1}, kappas[] = {0, 0, 1};
    for (int k = 0; k < 3; k++) {
        perp_filter_options o = {.method = "unscented", .alpha = alphas[k], .kappa = kappas[k], .beta = k ? 2 : 0};
        perp_filter_result r = {.mean = fm, .covariance = fc, .log_likelihood = fl, .effective = fe, .sd = fs};
        assert_int_equal(perp_filter(&p, &o, &r, NULL), PERP_OK);
        double total = 0;
        for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < 3; j++) near(fm[3 * i + j], km[3 * i + j], 1e-10);
            for (int j = 0; j < 9; j++) near(fc[9 * i + j], kc[9 * i + j], 1e-10);
            near(fl[i], kl[i], 1e-9);
            near(fs[3 * i + 1], sqrt(kc[9 * i + 4]), 1e-10);
            total += kl[i];
        }
        near(r.total, total, 1e-8);
        assert_int_equal(r.evaluations, 7 * (ROWS - 1));
    }
}

/* Means within Monte Carlo errors of Kalman's; errors by what independent runs scatter. Returns that scatter for the parameter, in
 * standard deviations of its distribution: a slowly walking parameter has some ten times 1/sqrt(particles), since few ancestors are left
 * of it after the resampling of many rows. */
static double compare_cloud(const char *method, int particles, double resample) {
    linear l;
    perp_filter_problem p = make_linear(&l, 5);
    kalman(&l, km, kc, kl);
    double sum[3] = {0}, square[3] = {0}, likelihood = 0, likelihood2 = 0, exact = 0, sd = 0;
    enum { RUNS = 12 };
    for (int i = 0; i < ROWS; i++) exact += kl[i];
    for (int run = 0; run < RUNS; run++) {
        perp_filter_options o = {
            .method = method, .particles = particles, .resample = resample, .seed = 100 + (uint64_t)run};
        perp_filter_result r = {.mean = fm, .sd = fs, .effective = fe};
        assert_int_equal(perp_filter(&p, &o, &r, NULL), PERP_OK);
        for (int j = 0; j < 3; j++) {
            double d = fm[3 * (ROWS - 1) + j] - km[3 * (ROWS - 1) + j];
            sum[j] += d / RUNS, square[j] += d * d / RUNS;
        }
        likelihood += r.total / RUNS, likelihood2 += r.total * r.total / RUNS;
        sd += fs[3 * (ROWS - 1)] / RUNS;
    }
    for (int j = 0; j < 3; j++) {
        near(sum[j], 0, 4 * sqrt(square[j] / RUNS)); /* the mean of the runs: four of its standard errors */
    }
    near(sd / sqrt(kc[9 * (ROWS - 1)]), 1, 0.05);
    double spread = sqrt(likelihood2 - likelihood * likelihood);
    near(likelihood, exact,
         4 * spread / sqrt(RUNS) + spread * spread); /* ln of a mean is below the mean by half its variance */
    return sqrt(square[2] / kc[9 * (ROWS - 1) + 8]);
}

static void test_particle_linear(void **state) {
    (void)state;
    double few = compare_cloud("particle", 2000, 0.5), many = compare_cloud("particle", 8000, 0.5);
    near(few / many, 2, 0.7); /* 1/sqrt(particles); a scatter from 12 runs is known to 20 % */
    assert_true(many < 0.2);
    assert_true(compare_cloud("particle", 2000, 1) < 0.6);
}

static void test_ensemble_linear(void **state) {
    (void)state;
    assert_true(compare_cloud("ensemble", 2000, 0) < 0.1);
}

/* ---- the particle on the plane: mu unknown ---- */

typedef struct sliding {
    double data[2 * PARTICLE_ROWS], time[PARTICLE_ROWS];
    int broken; /* of hundred particles, those which cannot be advanced */
} sliding;

static bool sliding_advance(void *ctx, int count, const double *in, double *out, double t0, double t1) {
    const sliding *s = ctx;
    double h = t1 - t0;
    for (int k = 0; k < count; k++, in += 5, out += 5) {
        double u = in[2] + 5 * h, v = in[3] - 9.81 * h;
        assert_true(in[4] >= 0); /* the bound */
        if (in[1] + h * v < 0) {
            double friction = in[4] * (-in[1] / h - v);
            v = -in[1] / h;
            u = u > friction ? u - friction : u < -friction ? u + friction : 0;
        }
        out[0] = in[0] + h * u, out[1] = in[1] + h * v, out[2] = u, out[3] = v, out[4] = in[4];
        if (k % 100 < s->broken) out[3] = NAN;
    }
    return true;
}

static bool sliding_observe(void *ctx, int count, const double *x, double t, double *y) {
    (void)ctx, (void)t;
    for (int k = 0; k < count; k++) y[2 * k] = x[5 * k], y[2 * k + 1] = x[5 * k + 1];
    return true;
}

static void test_sliding(void **state) {
    (void)state;
    static double mean[PARTICLE_ROWS * 5], sd[PARTICLE_ROWS * 5];
    static sliding s;
    particle_rows(0.2, 0.05, 1, s.data);
    for (int i = 0; i < PARTICLE_ROWS; i++) s.time[i] = 0.05 * i;
    const double noise[2] = {0.05 / sqrt(3), 0.05 / sqrt(3)}, start[5] = {0, 3, 0, 0, 0.5},
                 walk[5] = {1e-3, 1e-3, 5e-3, 5e-3, 3e-3},
                 C[25] = {1e-3, 0, 0, 0, 0, 0, 1e-3, 0, 0, 0, 0, 0, 1e-3, 0, 0, 0, 0, 0, 1e-3, 0, 0, 0, 0, 0, 0.09};
    const double lower[5] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, 0};
    perp_filter_problem p = {.n = 5,
                             .m = 2,
                             .rows = PARTICLE_ROWS,
                             .time = s.time,
                             .data = s.data,
                             .noise_sd = noise,
                             .mean = start,
                             .covariance = C,
                             .walk_sd = walk,
                             .lower = lower,
                             .advance = sliding_advance,
                             .observe = sliding_observe,
                             .ctx = &s};
    const char *methods[] = {"particle", "unscented", "ensemble"};
    for (int k = 0; k < 3; k++) {
        perp_filter_options o = {.method = methods[k], .particles = k == 2 ? 500 : 2000, .seed = 3};
        perp_filter_result r = {.mean = mean, .sd = sd};
        perp_refusal why;
        if (perp_filter(&p, &o, &r, &why)) fail_msg("%s: %s", methods[k], why.text);
        double sum = 0;
        for (int i = PARTICLE_ROWS / 2; i < PARTICLE_ROWS; i++)
            sum += mean[5 * i + 4] / (PARTICLE_ROWS - PARTICLE_ROWS / 2);
        near(sum, 0.2, 0.01);
        near(mean[5 * (PARTICLE_ROWS - 1) + 4], 0.2, 3.5 * sd[5 * (PARTICLE_ROWS - 1) + 4]);
        assert_true(sd[5 * (PARTICLE_ROWS - 1) + 4] < 0.03 && r.failed == 0);
    }
    s.broken = 20; /* a fifth cannot be advanced: the others carry on */
    perp_filter_options o = {.particles = 4000, .seed = 3};
    perp_filter_result r = {.mean = mean};
    assert_int_equal(perp_filter(&p, &o, &r, NULL), PERP_OK);
    assert_true(r.failed > 100);
    near(mean[5 * (PARTICLE_ROWS - 1) + 4], 0.2, 0.05);
    perp_refusal why;
    o.method = "unscented";
    assert_int_equal(perp_filter(&p, &o, &r, &why), PERP_E_SOLVE);
    assert_non_null(strstr(why.text, "row 1, time 0.05: a point of the unscented filter could not be advanced"));
    s.broken = 100;
    o.method = "particle";
    assert_int_equal(perp_filter(&p, &o, &r, &why), PERP_E_SOLVE);
    assert_non_null(strstr(why.text, "no particle is left"));
    o.method = "ensemble";
    assert_int_equal(perp_filter(&p, &o, &r, &why), PERP_E_SOLVE);
}

/* ---- what is refused; bits ---- */

static bool backwards(void *ctx, int count, const double *in, double *out, double t0, double t1) {
    for (int k = count - 1; k >= 0; k--) linear_advance(ctx, 1, in + 3 * k, out + 3 * k, t0, t1);
    return true;
}

static void test_bits(void **state) {
    (void)state;
    static double other[ROWS * 3];
    const char *methods[] = {"particle", "unscented", "ensemble"};
    for (int k = 0; k < 3; k++) {
        linear l;
        perp_filter_problem p = make_linear(&l, 5);
        perp_filter_options o = {.method = methods[k], .particles = 100, .seed = 9};
        perp_filter_result r = {.mean = fm}, again = {.mean = other};
        assert_int_equal(perp_filter(&p, &o, &r, NULL), PERP_OK);
        p.advance = backwards;
        assert_int_equal(perp_filter(&p, &o, &again, NULL), PERP_OK);
        assert_memory_equal(fm, other, sizeof other);
        assert_true(r.total == again.total);
        o.seed = 10;
        assert_int_equal(perp_filter(&p, &o, &again, NULL), PERP_OK);
        assert_true((memcmp(fm, other, sizeof other) == 0) ==
                    (k == 1)); /* the unscented filter has no random numbers */
    }
}

static bool stop(void *ctx, int count, const double *in, double *out, double t0, double t1) {
    (void)ctx, (void)count, (void)in, (void)out, (void)t0, (void)t1;
    return false;
}

static void test_refused(void **state) {
    (void)state;
    linear l;
    perp_filter_problem p = make_linear(&l, 5);
    perp_filter_options o = {.method = "kalman"};
    perp_refusal why;
    assert_int_equal(perp_filter(&p, &o, NULL, &why), PERP_E_ARG);
    assert_non_null(strstr(why.text, "method: found kalman; allowed: particle, unscented, ensemble"));
    o.method = NULL, o.particles = 3;
    assert_int_equal(perp_filter(&p, &o, NULL, &why), PERP_E_ARG);
    o.particles = 0, l.time[4] = -1;
    assert_int_equal(perp_filter(&p, &o, NULL, &why), PERP_E_ARG);
    assert_non_null(strstr(why.text, "time[4]: found -1; allowed: not before the row above"));
    p = make_linear(&l, 5), l.data[3] = INFINITY;
    assert_int_equal(perp_filter(&p, &o, NULL, &why), PERP_E_ARG);
    p = make_linear(&l, 5), l.C[0] = -1;
    assert_int_equal(perp_filter(&p, &o, NULL, &why), PERP_E_ARG);
    p = make_linear(&l, 5), p.advance = stop;
    assert_int_equal(perp_filter(&p, &o, NULL, &why), PERP_E_STOPPED);
    p = make_linear(&l, 5), p.observe = NULL;
    assert_int_equal(perp_filter(&p, &o, NULL, &why), PERP_E_ARG);
}

/* Memory refused at the k-th block, for every k: said, and nothing is left behind. */
static void test_memory(void **state) {
    (void)state;
    linear l;
    perp_filter_problem p = make_linear(&l, 5);
    const char *methods[] = {"particle", "unscented", "ensemble"};
    for (int i = 0; i < 3; i++) {
        perp_filter_options o = {.method = methods[i], .particles = 20};
        perp_filter_result r = {.mean = fm};
        bool done = false;
        for (int k = 0; !done; k++) {
            failing f = {.left = k};
            o.alloc = (perp_allocator){fail_alloc, fail_free, &f};
            perp_refusal why;
            perp_status s = perp_filter(&p, &o, &r, &why);
            assert_int_equal(f.live, 0);
            assert_true((s == PERP_OK || s == PERP_E_MEMORY) && k < 1000);
            done = s == PERP_OK;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),          cmocka_unit_test(test_unscented_linear),
        cmocka_unit_test(test_particle_linear), cmocka_unit_test(test_ensemble_linear),
        cmocka_unit_test(test_sliding),         cmocka_unit_test(test_bits),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
