/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_motion.c - prescribed motions: closed forms, the integrator's order, the start of Berard 5.3, tables, refusals,
 * memory. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/motion.h"
#include "model/motion_sinusoid.h"

#define PI 3.14159265358979323846

#define NEAR(x, y, tolerance)                                                                                    \
    do {                                                                                                         \
        double x_ = (x), y_ = (y);                                                                               \
        if (!(fabs(x_ - y_) <= (tolerance))) fail_msg("%s = %.17g, not %.17g (off by %g)", #x, x_, y_, x_ - y_); \
    } while (0)

static const perp_allocator heap = {0};

static pp_motion *made(const perp_motion_def *def, int dim, perp_pose X) {
    pp_motion *m;
    char why[256] = "";
    if (pp_motion_create(def, dim, X, &heap, &m, why, sizeof why)) fail_msg("refused: %s", why);
    return m;
}

/* Angle between two orientations. */
static double apart(perp_quat a, perp_quat b) { return perp_v3_norm(perp_q_log(perp_q_mul(perp_q_conj(a), b))); }

static perp_pose tilted(void) {
    perp_pose X = {{0.3, -0.2, 0.7}, perp_q_exp(perp_v3(0.4, -0.9, 0.5))};
    return X;
}

/* The Centrifuge field of Berard 5.3. */
static const perp_sinusoid centrifuge[2] = {{true, 0, 100, 66 * PI, PI / 2}, {true, 1, 100, 66 * PI, PI}};

/* Large angles about three axes with three frequencies. */
static const perp_sinusoid wild[4] = {
    {true, 0, 30, 5, 0.3}, {true, 1, 80, 9, 1.1}, {true, 2, 40, 7, -0.4}, {false, 2, 3, 4, 0.2}};

static void constant_motion(void **state) {
    (void)state;
    perp_motion_def d = perp_motion_def_default(PERP_MOTION_CONSTANT);
    d.v_W = perp_v3(1, -2, 0.5);
    d.w_W = perp_v3(0.3, 0.2, -0.9);
    perp_pose X0 = tilted(), X, Y;
    pp_motion *m = made(&d, 3, X0);
    double theta;
    assert_true(pp_motion_start(m, 0, &X, &theta));
    assert_memory_equal(&X.p, &X0.p, sizeof X.p);
    NEAR(apart(X.q, X0.q), 0, 1e-15);
    assert_true(theta == 0);
    for (double t = -3; t < 20; t += 1.7) {
        assert_true(pp_motion_start(m, t, &X, &theta));
        NEAR(X.p.x, 0.3 + t, 1e-14);
        NEAR(X.p.y, -0.2 - 2 * t, 1e-14);
        NEAR(X.p.z, 0.7 + 0.5 * t, 1e-14);
        NEAR(apart(X.q, perp_q_mul(perp_q_axis_angle(d.w_W, t * perp_v3_norm(d.w_W)), X0.q)), 0, 1e-14);
        assert_true(pp_motion_advance(m, t - 1, t, X0, 0, &Y, &theta));
        assert_memory_equal(&X, &Y, sizeof X);
    }
    pp_motion_destroy(m, &heap);

    d.v_W = perp_v3(1, 0, 0);
    d.w_W = perp_v3(0, 0, -5);
    m = made(&d, 2, perp_pose_2d(0, 0, 2));
    X = perp_pose_2d(0, 0, 2);
    theta = 2 + 4 * PI; /* the body had turned before */
    for (int i = 0; i < 50; i++) {
        assert_true(pp_motion_advance(m, i, i + 1, X, theta, &X, &theta)); /* 5 rad in a step: more than half a turn */
        NEAR(theta, 2 + 4 * PI - 5 * (i + 1), 1e-12);
        NEAR(apart(X.q, perp_pose_2d(0, 0, theta).q), 0, 1e-13);
        assert_true(X.q.x == 0 && X.q.y == 0 && X.p.z == 0);
    }
    assert_true(pp_motion_start(m, 50, &X, &theta));
    NEAR(theta, 2 - 250, 1e-12);
    pp_motion_destroy(m, &heap);
}

/* Positions have the given acceleration, and oscillate about the given one. */
static void linear_sinusoids(void **state) {
    (void)state;
    const perp_sinusoid term[3] = {{false, 0, 3, 2, 0.5}, {false, 0, -1, 6, 0.1}, {false, 2, 0.7, 4, 2}};
    perp_motion_def d = perp_motion_def_default(PERP_MOTION_SINUSOID);
    d.terms = term;
    d.nterm = 3;
    perp_pose X0 = tilted(), X[5];
    pp_motion *m = made(&d, 3, X0);
    double theta;
    const double e = 5e-3; /* difference of fourth order: error about e^4 6^4 A/90, rounding 1e-16/e^2 */
    for (double t = 0; t < 5; t += 0.37) {
        for (int i = 0; i < 5; i++) assert_true(pp_motion_start(m, t + (i - 2) * e, &X[i], &theta));
        double ax = (-X[0].p.x + 16 * X[1].p.x - 30 * X[2].p.x + 16 * X[3].p.x - X[4].p.x) / (12 * e * e);
        double az = (-X[0].p.z + 16 * X[1].p.z - 30 * X[2].p.z + 16 * X[3].p.z - X[4].p.z) / (12 * e * e);
        NEAR(ax, 3 * sin(2 * t + 0.5) - sin(6 * t + 0.1), 1e-7);
        NEAR(az, 0.7 * sin(4 * t + 2), 1e-7);
        assert_true(X[2].p.y == X0.p.y);
        NEAR(apart(X[2].q, X0.q), 0, 1e-15);
    }
    double mean = 0;
    for (int i = 0; i < 100; i++) {
        assert_true(pp_motion_start(m, PI * i / 100, &X[0], &theta));
        mean += X[0].p.x / 100;
    }
    NEAR(mean, X0.p.x, 1e-14);
    NEAR(pp_sinusoid_displacement(term, 3, 1).x, -3 * sin(2.5) / 4 + sin(6.1) / 36, 1e-15);
    pp_motion_destroy(m, &heap);
}

/* The angular velocity has the given acceleration, and the orientation that angular velocity. */
static void angular_sinusoids(void **state) {
    (void)state;
    perp_motion_def d = perp_motion_def_default(PERP_MOTION_SINUSOID);
    d.terms = wild;
    d.nterm = 4;
    pp_motion *m = made(&d, 3, tilted());
    const double e = 1e-3;
    for (double t = 0.1; t < 2; t += 0.23) {
        perp_vec3 w1 = pp_sinusoid_spin(wild, 4, t + e), w0 = pp_sinusoid_spin(wild, 4, t - e);
        NEAR((w1.x - w0.x) / (2 * e), 30 * sin(5 * t + 0.3), 1e-3);
        NEAR((w1.y - w0.y) / (2 * e), 80 * sin(9 * t + 1.1), 2e-3);
        NEAR((w1.z - w0.z) / (2 * e), 40 * sin(7 * t - 0.4), 1e-3);
        perp_pose X0, X1;
        double theta;
        assert_true(pp_motion_start(m, t - e, &X0, &theta));
        assert_true(pp_motion_start(m, t + e, &X1, &theta));
        perp_vec3 turn = perp_v3_scale(1 / (2 * e), perp_q_log(perp_q_mul(X1.q, perp_q_conj(X0.q))));
        perp_vec3 w = pp_sinusoid_spin(wild, 4, t);
        NEAR(perp_v3_norm(perp_v3_sub(turn, w)), 0, 2e-3); /* e^2 w''/6 and commutators */
        assert_true(perp_v3_norm(w) > 1);
    }
    pp_motion_destroy(m, &heap);
}

/* Terms about one axis: closed form, by itself symmetric; it is what the integrator finds. */
static void one_axis_has_a_closed_form(void **state) {
    (void)state;
    const perp_sinusoid term[3] = {{true, 1, 20, 6, 0.4}, {true, 1, 5, 3, 1}, {false, 1, 1, 3, 0}};
    perp_motion_def d = perp_motion_def_default(PERP_MOTION_SINUSOID);
    d.terms = term;
    d.nterm = 3;
    perp_pose X0 = tilted(), X;
    double theta;
    for (int zero_mean = 0; zero_mean < 2; zero_mean++) {
        d.zero_mean = zero_mean;
        pp_motion *m = made(&d, 3, X0);
        assert_true(pp_motion_start(m, 0, &X, &theta));
        perp_quat q = X.q;
        double angle0 = -20 * sin(0.4) / 36 - 5 * sin(1.0) / 9;
        perp_quat expected = zero_mean ? perp_q_mul(perp_q_axis_angle(perp_v3(0, 1, 0), angle0), X0.q) : X0.q;
        NEAR(apart(q, expected), 0, 1e-15);
        for (double t = 0; t < 3; t += 0.31) {
            assert_true(pp_motion_start(m, t, &X, &theta));
            NEAR(apart(X.q, pp_sinusoid_turn(term, 3, 0, t, q, 4000)), 0, 1e-12);
        }
        pp_motion_destroy(m, &heap);
    }
}

/* The turn over a span that has many of them is the sum of the turns over short spans. */
static void turns_are_counted(void **state) {
    (void)state;
    static const perp_sinusoid fast[2] = {{true, 1, 4e3, 3, 0.3}, {true, 1, 2e3, 5, 1.1}};
    for (int k = 0; k < 2; k++) {
        perp_motion_def d = perp_motion_def_default(k ? PERP_MOTION_SINUSOID : PERP_MOTION_CONSTANT);
        d.w_W = perp_v3(30, -200, 90);
        d.terms = k ? fast : NULL;
        d.nterm = k ? 2 : 0;
        pp_motion *m = made(&d, 3, tilted());
        perp_pose X0, X1, X;
        double theta;
        perp_vec3 sum = {0, 0, 0};
        assert_true(pp_motion_start(m, 0.2, &X0, &theta));
        X = X0;
        for (int i = 0; i < 10000; i++) {
            double t = 0.2 + 1e-4 * i;
            perp_pose next;
            assert_true(pp_motion_start(m, t + 1e-4, &next, &theta));
            sum = perp_v3_add(sum, perp_q_log(perp_q_mul(next.q, perp_q_conj(X.q))));
            X = next;
        }
        assert_true(pp_motion_start(m, 1.2, &X1, &theta));
        perp_vec3 turn = pp_motion_turn(m, 0.2, 1.2, X0.q, X1.q);
        assert_true(perp_v3_norm(sum) > 20);
        NEAR(perp_v3_norm(perp_v3_sub(turn, sum)), 0, 1e-9);
        pp_motion_destroy(m, &heap);
    }
}

static void plane_counts_the_angle(void **state) {
    (void)state;
    const perp_sinusoid term[2] = {{true, 2, 100, 2, 0.4}, {false, 0, 1, 3, 0}}; /* +-25 rad */
    perp_motion_def d = perp_motion_def_default(PERP_MOTION_SINUSOID);
    d.terms = term;
    d.nterm = 2;
    pp_motion *m = made(&d, 2, perp_pose_2d(1, 2, -3));
    perp_pose X;
    double theta;
    assert_true(pp_motion_start(m, 0, &X, &theta));
    NEAR(theta, -3 - 25 * sin(0.4), 1e-13);
    for (int i = 0; i < 100; i++) {
        assert_true(pp_motion_advance(m, 0.1 * i, 0.1 * (i + 1), X, theta, &X, &theta)); /* up to 5 rad */
        NEAR(theta, -3 - 25 * sin(0.2 * (i + 1) + 0.4), 1e-12);
        NEAR(apart(X.q, perp_pose_2d(0, 0, theta).q), 0, 1e-13);
    }
    pp_motion_destroy(m, &heap);
}

static void integrator_is_of_fourth_order(void **state) {
    (void)state;
    perp_quat q0 = tilted().q, exact = pp_sinusoid_turn(wild, 4, 0.2, 1.2, q0, 20000);
    double last = 0;
    for (int n = 40; n <= 640; n *= 2) {
        double error = apart(exact, pp_sinusoid_turn(wild, 4, 0.2, 1.2, q0, n));
        if (last > 0) {
            double order = log2(last / error);
            if (n > 80) NEAR(order, 4, 0.1);
        }
        last = error;
    }
    assert_true(last > 0 && last < 1e-7);
}

/* Any span is integrated to 1e-12 of the true orientation, or to rounding per step when it is longer than a period. */
static void spans_are_accurate(void **state) {
    (void)state;
    const double spans[] = {1e-4, 1e-3, 0.01, 0.1, 0.5};
    const perp_sinusoid *terms[] = {wild, centrifuge};
    const int nterm[] = {4, 2};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
            for (double t = 0; t < 1; t += 0.19) {
                double rate = pp_sinusoid_rate(terms[k], nterm[k]), h = spans[i];
                double n = pp_sinusoid_steps(rate, h);
                assert_true(n >= 1 && n == floor(n) && n <= ceil(500 * rate * h));
                perp_quat q = tilted().q;
                perp_quat coarse = pp_sinusoid_turn(terms[k], nterm[k], t, t + h, q, n);
                perp_quat fine = pp_sinusoid_turn(terms[k], nterm[k], t, t + h, q, 4 * n);
                NEAR(apart(coarse, fine), 0, rate * h < 2 * PI ? 1e-12 : 1e-12 * rate * h);
                NEAR(perp_q_norm(coarse), 1, 1e-15);
            }
    assert_true(pp_sinusoid_rate(wild, 4) >= 9 && pp_sinusoid_steps(10, 0) == 1);
}

static void start_and_advance_agree(void **state) {
    (void)state;
    const perp_sinusoid *terms[] = {wild, centrifuge};
    const int nterm[] = {4, 2};
    for (int k = 0; k < 2; k++) {
        perp_motion_def d = perp_motion_def_default(PERP_MOTION_SINUSOID);
        d.terms = terms[k];
        d.nterm = nterm[k];
        pp_motion *m = made(&d, 3, tilted());
        perp_pose X, Y;
        double theta;
        const double h = 0.002;
        assert_true(pp_motion_start(m, 0, &X, &theta));
        for (int i = 0; i < 500; i++) {
            perp_pose before = X, again;
            assert_true(pp_motion_advance(m, h * i, h * (i + 1), before, 0, &X, &theta));
            assert_true(pp_motion_advance(m, h * i, h * (i + 1), before, 0, &again, &theta));
            assert_memory_equal(&X, &again, sizeof X); /* a pure function */
        }
        assert_true(pp_motion_start(m, 1, &Y, &theta));
        NEAR(apart(X.q, Y.q), 0, 500 * 1e-13);
        NEAR(perp_v3_norm(perp_v3_sub(X.p, Y.p)), 0, 1e-15);
        assert_true(pp_motion_advance(m, 1, 0, Y, 0, &Y, &theta)); /* and back */
        assert_true(pp_motion_start(m, 0, &X, &theta));
        NEAR(apart(X.q, Y.q), 0, 1e-11);
        pp_motion_destroy(m, &heap);
    }
}

/* Berard 5.3: printed as [0.999999, -0.00116298, 3.04478e-09, -4.24925e-06]; the digits asserted are those of a finer
 * computation. */
static void start_of_the_centrifuge(void **state) {
    (void)state;
    perp_motion_def d = perp_motion_def_default(PERP_MOTION_SINUSOID);
    assert_true(d.zero_mean);
    d.terms = centrifuge;
    d.nterm = 2;
    pp_motion *m = made(&d, 3, perp_pose_identity());
    perp_pose X;
    double theta;
    assert_true(pp_motion_start(m, 0, &X, &theta));
    NEAR(X.q.w, 0.999999324, 5e-10);
    NEAR(X.q.x, -0.0011630048, 5e-11);
    NEAR(X.q.y, 4.94e-9, 5e-12);
    NEAR(X.q.z, -4.249253e-6, 5e-13);
    pp_motion_destroy(m, &heap);

    /* the given orientation is the centre of the angles in W; without zero_mean it is where the motion starts */
    double size = 100 / (66 * PI * 66 * PI);
    for (int zero_mean = 0; zero_mean < 2; zero_mean++) {
        perp_pose X0 = tilted();
        d.zero_mean = zero_mean;
        m = made(&d, 3, X0);
        assert_true(pp_motion_start(m, 0, &X, &theta));
        if (!zero_mean) NEAR(apart(X.q, X0.q), 0, 1e-15);
        perp_vec3 lo = {1, 1, 1}, hi = {-1, -1, -1};
        for (int i = 0; i <= 1000; i++) {
            perp_vec3 r = perp_q_log(perp_q_mul(X.q, perp_q_conj(X0.q)));
            lo = perp_v3(fmin(lo.x, r.x), fmin(lo.y, r.y), fmin(lo.z, r.z));
            hi = perp_v3(fmax(hi.x, r.x), fmax(hi.y, r.y), fmax(hi.z, r.z));
            assert_true(pp_motion_advance(m, i / 33000.0, (i + 1) / 33000.0, X, 0, &X, &theta));
        }
        NEAR(hi.x - lo.x, 2 * size, 1e-7);
        NEAR(hi.y - lo.y, 2 * size, 1e-7);
        NEAR(hi.x + lo.x, zero_mean ? 0 : 2 * size, 1e-7);
        NEAR(hi.y + lo.y, 0, 1e-7);
        NEAR(hi.z + lo.z, 0, zero_mean ? 1e-5 : 1); /* second order in the angles */
        pp_motion_destroy(m, &heap);
    }
}

static void tables_are_interpolated(void **state) {
    (void)state;
    perp_pose_at_time table[4] = {{1, {{0, 0, 0}, {1, 0, 0, 0}}},
                                  {2, {{2, 0, -4}, perp_q_axis_angle(perp_v3(1, 1, 0), 2)}},
                                  {4, {{2, 6, 0}, perp_q_axis_angle(perp_v3(1, 1, 0), 3)}},
                                  {4.5, {{0, 0, 0}, perp_q_axis_angle(perp_v3(0, 0, 1), 1)}}};
    table[2].X_WB.q = (perp_quat){-table[2].X_WB.q.w, -table[2].X_WB.q.x, -table[2].X_WB.q.y, -table[2].X_WB.q.z};
    perp_pose_at_time kept[4];
    memcpy(kept, table, sizeof table);
    perp_motion_def d = perp_motion_def_default(PERP_MOTION_TABLE);
    d.table = table;
    d.ntable = 4;
    pp_motion *m = made(&d, 3, tilted());
    memset(table, 0, sizeof table); /* copied */
    perp_pose X;
    double theta;
    for (int i = 0; i < 4; i++) { /* at the entries: exactly them */
        assert_true(pp_motion_start(m, kept[i].t, &X, &theta));
        assert_memory_equal(&X.p, &kept[i].X_WB.p, sizeof X.p);
        NEAR(apart(X.q, kept[i].X_WB.q), 0, 1e-15);
    }
    assert_true(pp_motion_start(m, 1.25, &X, &theta));
    NEAR(X.p.x, 0.5, 1e-15);
    NEAR(X.p.z, -1, 1e-15);
    NEAR(apart(X.q, perp_q_axis_angle(perp_v3(1, 1, 0), 0.5)), 0, 1e-15);
    assert_true(pp_motion_advance(m, 1, 3, X, 0, &X, &theta)); /* shortest arc in spite of the sign */
    NEAR(X.p.y, 3, 1e-15);
    NEAR(apart(X.q, perp_q_axis_angle(perp_v3(1, 1, 0), 2.5)), 0, 1e-15);
    assert_true(pp_motion_start(m, -7, &X, &theta)); /* held */
    assert_true(X.p.x == 0 && X.q.w == 1);
    assert_true(pp_motion_start(m, 1e9, &X, &theta));
    NEAR(apart(X.q, kept[3].X_WB.q), 0, 1e-15);
    pp_motion_destroy(m, &heap);

    /* in the plane the angle is the sum of the arcs */
    perp_pose_at_time turns[40];
    for (int i = 0; i < 40; i++) turns[i] = (perp_pose_at_time){i, perp_pose_2d(i, 0, 2.5 * i)};
    d.table = turns;
    d.ntable = 40;
    m = made(&d, 2, perp_pose_2d(9, 9, 1));
    for (double t = 0; t <= 39; t += 0.3) {
        assert_true(pp_motion_start(m, t, &X, &theta));
        NEAR(theta, 2.5 * t, 1e-12);
        NEAR(X.p.x, t, 1e-13);
        NEAR(apart(X.q, perp_pose_2d(0, 0, theta).q), 0, 1e-12);
        assert_true(pp_motion_advance(m, t, 39, X, theta - 6 * PI, &X,
                                      &theta)); /* many turns at once, counted from the body's */
        NEAR(theta, 2.5 * 39 - 6 * PI, 1e-12);
    }
    pp_motion_destroy(m, &heap);
    d.ntable = 1; /* a single entry is a place */
    m = made(&d, 2, perp_pose_2d(9, 9, 1));
    assert_true(pp_motion_start(m, 5, &X, &theta));
    assert_true(X.p.x == 0 && theta == 0);
    pp_motion_destroy(m, &heap);
}

static void user_pose(double t, perp_pose *X, void *ctx) {
    const int *fault = ctx;
    if (*fault == 1) return; /* writes nothing */
    *X = perp_pose_2d(t, 2 * t, 2 * t);
    if (*fault == 2) X->p.y = NAN;
    if (*fault == 3) X->q.w += 1e-3;
    if (*fault == 4) X->p.z = 1e-9;
    if (*fault == 5) X->q = (perp_quat){0, 1, 0, 0};
    if (*fault == 6) X->q.w = INFINITY;
    if (*fault == 7) X->q.w *= 1 + 1e-8;
}

static void user_functions_are_checked(void **state) {
    (void)state;
    int fault = 0;
    perp_motion_def d = perp_motion_def_default(PERP_MOTION_USER);
    d.pose = user_pose;
    d.ctx = &fault;
    pp_motion *m2 = made(&d, 2, perp_pose_identity()), *m3 = made(&d, 3, perp_pose_identity());
    perp_pose X;
    double theta;
    assert_true(pp_motion_start(m2, 0, &X, &theta));
    for (int i = 0; i < 30; i++) {
        assert_true(pp_motion_advance(m2, i, i + 1, X, theta, &X, &theta)); /* 2 rad in a step: less than half a turn */
        NEAR(theta, 2 * (i + 1), 1e-12);
        NEAR(X.p.y, 2 * (i + 1), 0);
    }
    assert_true(pp_motion_start(m2, 30, &X, &theta));
    assert_true(fabs(theta) <= PI);
    const bool fine2[] = {true, false, false, false, false, false, false, true};
    const bool fine3[] = {true, false, false, false, true, true, false, true};
    for (fault = 0; fault < 8; fault++) {
        perp_pose kept = perp_pose_at(7, 7, 0);
        X = kept;
        theta = 5;
        assert_int_equal(pp_motion_start(m2, 1, &X, &theta), fine2[fault]);
        if (!fine2[fault]) assert_true(theta == 5 && memcmp(&X, &kept, sizeof X) == 0);
        assert_int_equal(pp_motion_start(m3, 1, &X, &theta), fine3[fault]);
        X = kept;
        theta = 5;
        assert_int_equal(pp_motion_advance(m2, 0, 1, X, 0, &X, &theta), fine2[fault]);
        if (!fine2[fault]) assert_true(theta == 5 && memcmp(&X, &kept, sizeof X) == 0);
        if (fine2[fault]) NEAR(perp_q_norm(X.q), 1, 1e-15); /* made unit */
        assert_int_equal(pp_motion_advance(m3, 0, 1, X, 0, &X, &theta), fine3[fault]);
    }
    fault = 0;
    assert_false(pp_motion_start(m3, NAN, &X, &theta));
    assert_false(pp_motion_advance(m3, 0, INFINITY, X, 0, &X, &theta));
    pp_motion_destroy(m2, &heap);
    pp_motion_destroy(m3, &heap);
}

static void bad_definitions_are_refused(void **state) {
    (void)state;
    char why[256];
    pp_motion *m;
    perp_motion_def d;
    perp_sinusoid s[2];
    perp_pose_at_time e[2];
    perp_pose X0;
#define REFUSED(kind, dim, change, text)                                                           \
    do {                                                                                           \
        d = perp_motion_def_default(kind);                                                         \
        memcpy(s, centrifuge, sizeof s);                                                           \
        s[0].axis = s[1].axis = 2;                                                                 \
        e[0] = (perp_pose_at_time){0, perp_pose_identity()};                                       \
        e[1] = (perp_pose_at_time){1, perp_pose_identity()};                                       \
        X0 = perp_pose_identity();                                                                 \
        d.pose = user_pose;                                                                        \
        d.terms = s;                                                                               \
        d.table = e;                                                                               \
        d.nterm = d.ntable = 2;                                                                    \
        assert_int_equal(pp_motion_create(&d, (dim), X0, &heap, &m, why, sizeof why), PERP_OK);    \
        pp_motion_destroy(m, &heap);                                                               \
        why[0] = 0;                                                                                \
        change;                                                                                    \
        assert_int_equal(pp_motion_create(&d, (dim), X0, &heap, &m, why, sizeof why), PERP_E_ARG); \
        assert_null(m);                                                                            \
        if (strcmp(why, (text)) != 0) fail_msg("\"%s\" instead of \"%s\"", why, (text));           \
    } while (0)
    REFUSED(PERP_MOTION_USER, 3, d.cookie = 0, "motion definition was not made by perp_motion_def_default()");
    REFUSED(PERP_MOTION_USER, 3, d.kind = (perp_motion_kind)12, "motion kind 12 does not exist");
    REFUSED(PERP_MOTION_USER, 3, d.pose = NULL, "user motion without a function (pose is NULL)");
    REFUSED(PERP_MOTION_USER, 2, X0.p.z = 1, "pose of the body cannot be used for a motion: its z is not zero in 2D");
    REFUSED(PERP_MOTION_CONSTANT, 3, d.v_W.x = NAN, "v_W = (nan, 0, 0) is not finite");
    REFUSED(PERP_MOTION_CONSTANT, 3, d.w_W.z = INFINITY, "w_W = (0, 0, inf) is not finite");
    REFUSED(PERP_MOTION_CONSTANT, 2, d.v_W.z = 2, "v_W.z = 2 must be zero in 2D");
    REFUSED(PERP_MOTION_CONSTANT, 2, d.w_W.x = 2, "w_W = (2, 0, 0) must be along z in 2D");
    REFUSED(PERP_MOTION_SINUSOID, 3, d.nterm = 0, "sinusoidal motion without terms (nterm = 0)");
    REFUSED(PERP_MOTION_SINUSOID, 3, d.terms = NULL, "sinusoidal motion without terms (nterm = 2)");
    REFUSED(PERP_MOTION_SINUSOID, 3, s[1].axis = 3, "terms[1].axis = 3 is not 0, 1 or 2");
    REFUSED(PERP_MOTION_SINUSOID, 2, s[1].axis = 0,
            "terms[1] is angular with axis 0: in 2D linear terms have axis 0 or 1, angular ones 2");
    REFUSED(PERP_MOTION_SINUSOID, 2, s[0].angular = false,
            "terms[0] is linear with axis 2: in 2D linear terms have axis 0 or 1, angular ones 2");
    REFUSED(PERP_MOTION_SINUSOID, 3, s[0].omega = 0, "terms[0].omega = 0 must be finite and > 0");
    REFUSED(PERP_MOTION_SINUSOID, 3, s[0].omega = NAN, "terms[0].omega = nan must be finite and > 0");
    REFUSED(PERP_MOTION_SINUSOID, 3, s[1].phase = INFINITY, "terms[1].phase = inf is not finite");
    REFUSED(PERP_MOTION_SINUSOID, 3, s[1].amplitude = NAN, "terms[1].amplitude = nan is not finite");
    REFUSED(PERP_MOTION_SINUSOID, 3, s[1].omega = 1e-160,
            "terms[1]: amplitude 100 and omega 1e-160 give an infinite excursion");
    REFUSED(PERP_MOTION_TABLE, 3, d.ntable = 0, "motion by table without entries (ntable = 0)");
    REFUSED(PERP_MOTION_TABLE, 3, d.table = NULL, "motion by table without entries (ntable = 2)");
    REFUSED(PERP_MOTION_TABLE, 3, e[1].t = NAN, "table[1].t = nan is not finite");
    REFUSED(PERP_MOTION_TABLE, 3, e[1].t = 0, "table[1].t = 0 is not after table[0].t = 0");
    REFUSED(PERP_MOTION_TABLE, 3, e[1].X_WB.p.x = NAN, "table[1].X_WB cannot be used: its position is not finite");
    REFUSED(PERP_MOTION_TABLE, 3, e[0].X_WB.q.x = 0.1, "table[0].X_WB cannot be used: its quaternion is not unit");
    REFUSED(PERP_MOTION_TABLE, 2, e[0].X_WB.q = ((perp_quat){0, 0, 1, 0}),
            "table[0].X_WB cannot be used: it is turned out of the plane in 2D");
    REFUSED(PERP_MOTION_SINUSOID, 3, (s[0].axis = 1, s[0].omega = 1e-3, s[0].amplitude = 1e-9),
            "zero_mean would take 6.52e+08 integration steps over the slowest period: set it to false, or bring the "
            "frequencies closer together");
#undef REFUSED
    d.zero_mean = false; /* then it is fine */
    assert_int_equal(pp_motion_create(&d, 3, X0, &heap, &m, why, sizeof why), PERP_OK);
    pp_motion_destroy(m, &heap);
    d.cookie = 1;
    assert_int_equal(pp_motion_create(&d, 3, X0, &heap, &m, NULL, 0), PERP_E_ARG);
}

/* An allocator that counts, and fails when `left` is used up. */
typedef struct counter {
    int left, live, calls;
} counter;

static void *count_alloc(size_t size, void *ctx) {
    counter *c = ctx;
    c->calls++;
    if (c->left-- <= 0) return NULL;
    c->live++;
    double *p = malloc(size + sizeof(double) * 2);
    p[0] = (double)size;
    return p + 2;
}

static void count_free(void *p, void *ctx) {
    counter *c = ctx;
    c->live--;
    double *start = (double *)p - 2;
    memset(p, 0xff, (size_t)start[0]); /* who still reads it reads NaN */
    free(start);
}

static void memory_is_owned_and_may_run_out(void **state) {
    (void)state;
    counter c = {0, 0, 0};
    perp_allocator a = {count_alloc, count_free, &c};
    int fault = 0;
    perp_sinusoid s[4];
    perp_pose_at_time e[3];
    const perp_motion_kind kinds[] = {PERP_MOTION_CONSTANT, PERP_MOTION_USER, PERP_MOTION_SINUSOID, PERP_MOTION_TABLE};
    for (int k = 0; k < 4; k++)
        for (int dim = 2; dim <= 3; dim++) {
            memcpy(s, wild, sizeof s);
            if (dim == 2) {
                s[0].axis = s[1].axis = 2;
                s[3].axis = 1;
            }
            for (int i = 0; i < 3; i++) e[i] = (perp_pose_at_time){i, perp_pose_2d(i, 1, i)};
            perp_motion_def d = perp_motion_def_default(kinds[k]);
            d.w_W.z = 1;
            d.pose = user_pose;
            d.ctx = &fault;
            d.terms = s;
            d.nterm = 4;
            d.table = e;
            d.ntable = 3;
            pp_motion *m = NULL, *copy = NULL;
            char why[256] = "";
            c.left = 0;
            assert_int_equal(pp_motion_create(&d, dim, perp_pose_identity(), &a, &m, why, sizeof why), PERP_E_MEMORY);
            assert_null(m);
            assert_non_null(strstr(why, "no memory"));
            assert_int_equal(c.live, 0);
            c.left = 1;
            assert_int_equal(pp_motion_create(&d, dim, perp_pose_identity(), &a, &m, why, sizeof why), PERP_OK);
            c.left = 0;
            assert_int_equal(pp_motion_clone(m, &a, &copy), PERP_E_MEMORY);
            assert_null(copy);
            c.left = 1;
            assert_int_equal(pp_motion_clone(m, &a, &copy), PERP_OK);
            perp_pose X, Y;
            double tx, ty;
            assert_true(pp_motion_start(m, 0.7, &X, &tx));
            memset(s, 0, sizeof s);
            memset(e, 0, sizeof e);
            pp_motion_destroy(m, &a);
            int calls = c.calls;
            assert_true(pp_motion_start(copy, 0.7, &Y, &ty)); /* the copy stands alone */
            assert_memory_equal(&X, &Y, sizeof X);
            assert_true(tx == ty);
            assert_true(pp_motion_advance(copy, 0.7, 1.4, Y, ty, &Y, &ty));
            assert_int_equal(c.calls, calls); /* nothing is allocated in use */
            pp_motion_destroy(copy, &a);
            pp_motion_destroy(NULL, &a);
            assert_int_equal(c.live, 0);
        }
    /* refused after the memory was taken: given back */
    memcpy(s, centrifuge, 2 * sizeof *s);
    s[0].omega = 1e-3;
    s[0].amplitude = 1e-9;
    perp_motion_def d = perp_motion_def_default(PERP_MOTION_SINUSOID);
    d.terms = s;
    d.nterm = 2;
    pp_motion *m;
    c.left = 9;
    assert_int_equal(pp_motion_create(&d, 3, perp_pose_identity(), &a, &m, NULL, 0), PERP_E_ARG);
    assert_int_equal(c.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_motion),
        cmocka_unit_test(linear_sinusoids),
        cmocka_unit_test(angular_sinusoids),
        cmocka_unit_test(one_axis_has_a_closed_form),
        cmocka_unit_test(turns_are_counted),
        cmocka_unit_test(plane_counts_the_angle),
        cmocka_unit_test(integrator_is_of_fourth_order),
        cmocka_unit_test(spans_are_accurate),
        cmocka_unit_test(start_and_advance_agree),
        cmocka_unit_test(start_of_the_centrifuge),
        cmocka_unit_test(tables_are_interpolated),
        cmocka_unit_test(user_functions_are_checked),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(memory_is_owned_and_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
