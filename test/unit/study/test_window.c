/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_window.c - moving windows against fits of all rows, and against what their standard errors promise */
#include "unit/fit_help.h"

#define ROWS 60
#define STEP 0.1

/* Position, velocity; acceleration is a parameter. Positions are measured, s.d. 0.1. */
typedef struct linear {
    double data[ROWS];
} linear;

static void linear_step(const double *z, double *out) {
    double x = z[0] + STEP * z[1] + 0.5 * STEP * STEP * z[2], v = z[1] + STEP * z[2], a = z[2];
    out[0] = x, out[1] = v, out[2] = a;
}

static bool linear_residuals(void *ctx, int first, int last, int count, const double *z, double *r) {
    const linear *l = ctx;
    for (int k = 0; k < count; k++) {
        double at[3] = {z[3 * k], z[3 * k + 1], z[3 * k + 2]};
        for (int i = first; i <= last; i++, r++) {
            *r = isnan(l->data[i]) ? 0 : (at[0] - l->data[i]) / 0.1;
            linear_step(at, at);
        }
    }
    return true;
}

static bool linear_advance(void *ctx, int from, int to, int count, const double *z, double *out) {
    (void)ctx;
    for (int k = 0; k < count; k++) {
        memcpy(out + 3 * k, z + 3 * k, sizeof *z * 3);
        for (int i = from; i < to; i++) linear_step(out + 3 * k, out + 3 * k);
    }
    return true;
}

static perp_window_problem make_linear(linear *l, uint64_t seed) {
    static const double start[3] = {0, 0, 0}, scale[3] = {1, 1, 1};
    perp_random random = perp_random_start(seed);
    double z[3] = {0.3, 2, -0.7};
    for (int i = 0; i < ROWS; i++) {
        l->data[i] = z[0] + 0.1 * perp_random_normal(&random);
        linear_step(z, z);
    }
    l->data[20] = NAN;
    return (perp_window_problem){.states = 2,
                                 .parameters = 1,
                                 .rows = ROWS,
                                 .each = 1,
                                 .start = start,
                                 .scale = scale,
                                 .residuals = linear_residuals,
                                 .advance = linear_advance,
                                 .ctx = l};
}

/* All rows 0 .. last in one fit, then its answer and covariance carried to row `to`. */
typedef struct batch {
    linear *l;
    int first, last;
} batch;

static bool batch_residuals(void *ctx, int count, const double *z, double *r) {
    const batch *b = ctx;
    return linear_residuals(b->l, b->first, b->last, count, z, r);
}

static void fit_batch(linear *l, int first, int last, int to, double z[3], double C[9]) {
    const double start[3] = {0, 0, 0}, scale[3] = {1, 1, 1};
    batch b = {l, first, last};
    perp_fit_problem p = {
        .n = 3, .m = last - first + 1, .start = start, .scale = scale, .residuals = batch_residuals, .ctx = &b};
    double x[3], D[9], F[9], FD[9] = {0};
    assert_int_equal(perp_fit(&p, NULL, x, D, NULL, NULL), PERP_OK);
    linear_advance(NULL, first, to, 1, x, z);
    for (int j = 0; j < 3; j++) { /* the motion is linear: its columns from unit vectors */
        double unit[3] = {j == 0, j == 1, j == 2};
        linear_advance(NULL, first, to, 1, unit, F + 3 * j);
    }
    memset(C, 0, sizeof *C * 9);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) FD[i + 3 * j] += F[i + 3 * k] * D[k + 3 * j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) C[i + 3 * j] += FD[i + 3 * k] * F[j + 3 * k];
}

static double zs[ROWS * 3], sds[ROWS * 3], covs[ROWS * 9], costs[ROWS];
static int converged[ROWS];

/* With the arrival cost, each window uses the information of all rows so far. */
static void test_arrival(void **state) {
    (void)state;
    linear l;
    perp_window_problem p = make_linear(&l, 3);
    const int lengths[] = {10, 12, 5, 10}, strides[] = {1, 5, 5, 0};
    for (int c = 0; c < 4; c++) {
        perp_window_options o = {
            .length = lengths[c], .stride = strides[c], .arrival = true, .fit = perp_fit_options_default()};
        int count = perp_window_count(&p, &o), stride = strides[c] ? strides[c] : 1;
        assert_int_equal(count, 1 + (ROWS - lengths[c]) / stride);
        perp_window_result r = {.z = zs, .sd = sds, .covariance = covs, .cost = costs, .converged = converged};
        perp_refusal why;
        if (perp_fit_window(&p, &o, &r, &why)) fail_msg("%s", why.text);
        for (int i = 0; i < count; i++) {
            double z[3], C[9];
            fit_batch(&l, 0, stride * i + lengths[c] - 1, stride * i, z, C);
            assert_true(converged[i]);
            for (int j = 0; j < 3; j++) {
                near(zs[3 * i + j], z[j], 1e-4 * sqrt(C[4 * j])); /* what left had a little prior of WIDE scales */
                near(sds[3 * i + j], sqrt(C[4 * j]), 1e-4 * sqrt(C[4 * j]));
            }
            near(covs[9 * i + 1], C[1], 1e-4 * sqrt(C[0] * C[4]));
        }
    }
}

/* Without it each window knows its own rows only. */
static void test_plain(void **state) {
    (void)state;
    linear l;
    perp_window_problem p = make_linear(&l, 3);
    perp_window_options o = {.length = 10, .stride = 7, .fit = perp_fit_options_default()};
    int count = perp_window_count(&p, &o);
    perp_window_result r = {.z = zs, .sd = sds};
    assert_int_equal(perp_fit_window(&p, &o, &r, NULL), PERP_OK);
    for (int i = 0; i < count; i++) {
        double z[3], C[9];
        fit_batch(&l, 7 * i, 7 * i + 9, 7 * i, z, C);
        for (int j = 0; j < 3; j++) {
            near(zs[3 * i + j], z[j], 1e-6 * sqrt(C[4 * j]));
            near(sds[3 * i + j], sqrt(C[4 * j]), 1e-6 * sqrt(C[4 * j]));
        }
    }
}

/* A walk forgets: the parameter's s.d. levels off above what all rows give, at least that of one window's walk. A prior holds. */
static void test_walk(void **state) {
    (void)state;
    linear l;
    perp_window_problem p = make_linear(&l, 3);
    const double walk[3] = {0, 0, 0.1}, mean[3] = {0.3, 2, -0.7}, sd[3] = {1e-3, 1e-3, 1e-3};
    perp_window_options o = {.length = 10, .arrival = true, .fit = perp_fit_options_default()};
    perp_window_result r = {.z = zs, .sd = sds};
    int last = perp_window_count(&p, &o) - 1;
    assert_int_equal(perp_fit_window(&p, &o, &r, NULL), PERP_OK);
    double without = sds[3 * last + 2];
    p.walk_sd = walk;
    assert_int_equal(perp_fit_window(&p, &o, &r, NULL), PERP_OK);
    assert_true(sds[3 * last + 2] > 2 * without && sds[3 * last + 2] > 0.1);
    p.walk_sd = NULL, p.prior_mean = mean, p.prior_sd = sd;
    assert_int_equal(perp_fit_window(&p, &o, &r, NULL), PERP_OK);
    assert_true(sds[2] < 1.0001e-3 && sds[3 * last + 2] < 1.0001e-3);
    near(zs[3 * last + 2], -0.7, 3e-3);
}

/* ---- windows on the sliding particle: scatter as the standard errors say ---- */

typedef struct sliding {
    double rows[2 * PARTICLE_ROWS], noise;
} sliding;

static void slide(double *z, double *out) { /* one step of z = x, y, vx, vy, mu */
    double h = 0.05, u = z[2] + 5 * h, v = z[3] - 9.81 * h;
    if (z[1] + h * v < 0) {
        double friction = z[4] * (-z[1] / h - v);
        v = -z[1] / h;
        u = u > friction ? u - friction : u < -friction ? u + friction : 0;
    }
    out[0] = z[0] + h * u, out[1] = z[1] + h * v, out[2] = u, out[3] = v, out[4] = z[4];
}

static bool sliding_residuals(void *ctx, int first, int last, int count, const double *z, double *r) {
    const sliding *s = ctx;
    for (int k = 0; k < count; k++) {
        double at[5];
        memcpy(at, z + 5 * k, sizeof at);
        for (int i = first; i <= last; i++) {
            *r++ = (at[0] - s->rows[2 * i]) / s->noise;
            *r++ = (at[1] - s->rows[2 * i + 1]) / s->noise;
            slide(at, at);
        }
    }
    return true;
}

static bool sliding_advance(void *ctx, int from, int to, int count, const double *z, double *out) {
    (void)ctx;
    for (int k = 0; k < count; k++) {
        memcpy(out + 5 * k, z + 5 * k, sizeof *z * 5);
        for (int i = from; i < to; i++) slide(out + 5 * k, out + 5 * k);
    }
    return true;
}

static void test_sliding(void **state) {
    (void)state;
    static double z[PARTICLE_ROWS * 5], sd[PARTICLE_ROWS * 5];
    static sliding s = {.noise = 0.01 / 1.7320508075688772};
    const double start[5] = {0, 3, 0, 0, 0.3}, scale[5] = {1, 1, 1, 1, 0.3};
    const double lower[5] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, 0},
                 upper[5] = {INFINITY, INFINITY, INFINITY, INFINITY, 2};
    int windows = 0;
    double scatter = 0, predicted = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        particle_rows(0.2, 0.01, seed, s.rows);
        perp_window_problem p = {.states = 4,
                                 .parameters = 1,
                                 .rows = PARTICLE_ROWS,
                                 .each = 2,
                                 .start = start,
                                 .scale = scale,
                                 .lower = lower,
                                 .upper = upper,
                                 .residuals = sliding_residuals,
                                 .advance = sliding_advance,
                                 .ctx = &s};
        perp_window_options o = {.length = 25, .stride = 25, .fit = perp_fit_options_default()};
        perp_window_result r = {.z = z, .sd = sd, .converged = converged};
        perp_refusal why;
        if (perp_fit_window(&p, &o, &r, &why)) fail_msg("%s", why.text);
        for (int i = 1; i < perp_window_count(&p, &o); i++) { /* from row 25 on it slides */
            scatter += pow(z[5 * i + 4] - 0.2, 2), predicted += sd[5 * i + 4] * sd[5 * i + 4];
            windows++;
        }
        o.arrival = true; /* the last window then knows all rows: the s.d. of the fit of all rows, 5.898e-3 eps */
        assert_int_equal(perp_fit_window(&p, &o, &r, &why), PERP_OK);
        int last = perp_window_count(&p, &o) - 1;
        near(sd[5 * last + 4], 5.898e-3 * 0.01, 0.1 * 5.898e-3 * 0.01);
        near(z[5 * last + 4], 0.2, 4 * sd[5 * last + 4]);
    }
    assert_true(windows == 30);
    near(sqrt(scatter / predicted), 1, 0.3); /* 30 windows: known to 13 % */
}

/* ---- what is refused; bits ---- */

static bool stop(void *ctx, int from, int to, int count, const double *z, double *out) {
    (void)ctx, (void)from, (void)to, (void)count, (void)z, (void)out;
    return false;
}

static void test_refused(void **state) {
    (void)state;
    linear l;
    perp_window_problem p = make_linear(&l, 3);
    perp_window_options o = {.length = 61, .fit = perp_fit_options_default()};
    perp_window_result r = {0};
    perp_refusal why;
    assert_int_equal(perp_fit_window(&p, &o, &r, &why), PERP_E_ARG);
    assert_non_null(strstr(why.text, "length: found 61; allowed: 1 to the number of rows"));
    assert_int_equal(perp_window_count(&p, &o), 0);
    o.length = 10, o.stride = 11, o.arrival = true;
    assert_int_equal(perp_fit_window(&p, &o, &r, &why), PERP_E_ARG);
    o.stride = 1, o.fit.loss = "huber";
    assert_int_equal(perp_fit_window(&p, &o, &r, &why), PERP_E_ARG);
    assert_non_null(strstr(why.text, "loss: found huber; allowed: square with the arrival cost"));
    o.arrival = false;
    assert_int_equal(perp_fit_window(&p, &o, &r, &why), PERP_OK);
    p.advance = stop;
    assert_int_equal(perp_fit_window(&p, &o, &r, &why), PERP_E_STOPPED);
    p.advance = NULL;
    assert_int_equal(perp_fit_window(&p, &o, &r, &why), PERP_E_ARG);
}

static void test_bits(void **state) {
    (void)state;
    static double again[ROWS * 3];
    linear l;
    perp_window_problem p = make_linear(&l, 3);
    perp_window_options o = {.length = 10, .arrival = true, .fit = perp_fit_options_default()};
    perp_window_result r = {.z = zs}, other = {.z = again};
    assert_int_equal(perp_fit_window(&p, &o, &r, NULL), PERP_OK);
    assert_int_equal(perp_fit_window(&p, &o, &other, NULL), PERP_OK);
    assert_memory_equal(zs, again, sizeof *zs * 3 * (size_t)perp_window_count(&p, &o));
}

/* Memory refused at the k-th block, for every k: said, and nothing is left behind. */
static void test_memory(void **state) {
    (void)state;
    linear l;
    perp_window_problem p = make_linear(&l, 3);
    perp_window_options o = {.length = 50, .stride = 5, .arrival = true, .fit = perp_fit_options_default()};
    perp_window_result r = {.z = zs};
    bool done = false;
    for (int k = 0; !done; k++) {
        failing f = {.left = k};
        o.fit.alloc = (perp_allocator){fail_alloc, fail_free, &f};
        perp_refusal why;
        perp_status s = perp_fit_window(&p, &o, &r, &why);
        assert_int_equal(f.live, 0);
        assert_true((s == PERP_OK || s == PERP_E_MEMORY) && k < 1000);
        done = s == PERP_OK;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory), cmocka_unit_test(test_arrival), cmocka_unit_test(test_plain),
        cmocka_unit_test(test_walk),   cmocka_unit_test(test_sliding), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
