/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_tosses.c - the measuring programs on data whose answer is known: impacts, flights and slides that are computed from a
 * cube and a square give these back; perp's impact is Newton's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "drops.h"
#include "flight.h"
#include "impact.h"
#include "predict.h"
#include "rollout.h"
#include "slide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI                           3.14159265358979323846
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static const cube truth = {.core = 0.0486,
                           .radius = 0.0045,
                           .rest = 0.0512,
                           .com_z = 0.0061,
                           .k = {0.00272, 0.0027, 0.00257},
                           .g = 9.6,
                           .mu = 0.17,
                           .restitution = 0.3};

static uint64_t seed = 1;
/* Uniform in (-1, 1); the same numbers in every run. */
static double rnd(void) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) * 0x1p-52 - 1;
}
static perp_vec3 rnd_vec(double size) {
    double x = rnd(), y = rnd(), z = rnd();
    return perp_v3(size * x, size * y, size * z);
}

/* An impact in which one corner slides: a normal impulse by Newton's rule, friction of size mu against the slip before it. */
static toss_impact make_impact(int of_toss) {
    toss_impact i = {.toss = of_toss, .corners = 1};
    i.X_WB.q = perp_q_exp(rnd_vec(1.5));
    i.X_WB.p.z = 0.08;
    i.v_W[0] = perp_v3_add(rnd_vec(0.3), perp_v3(1, 0, -1.2));
    i.w_W[0] = rnd_vec(3);
    perp_vec3 com_W = perp_q_rotate(i.X_WB.q, perp_v3(0, 0, truth.com_z)),
              r_W = perp_q_rotate(i.X_WB.q, cube_lowest_corner(&truth, i.X_WB.q));
    r_W.z -= truth.radius;
    perp_vec3 arm = perp_v3_sub(r_W, com_W), u = perp_v3_add(i.v_W[0], perp_v3_cross(i.w_W[0], r_W));
    double slip = hypot(u.x, u.y);
    perp_vec3 along =
        perp_v3(-truth.mu * u.x / slip, -truth.mu * u.y / slip, 1); /* impulse for a normal one of 1, mass 1 */
    perp_mat3 inverse = perp_inertia_rotate(i.X_WB.q, perp_m3_diag(1 / truth.k[0], 1 / truth.k[1], 1 / truth.k[2]));
    perp_vec3 spin = perp_m3_mul_v(inverse, perp_v3_cross(arm, along));
    double p = -(1 + truth.restitution) * u.z / (along.z + perp_v3_cross(spin, arm).z);
    perp_vec3 v = perp_v3_axpy(perp_v3_add(i.v_W[0], perp_v3_cross(i.w_W[0], com_W)), p, along);
    i.w_W[1] = perp_v3_axpy(i.w_W[0], p, spin);
    i.v_W[1] = perp_v3_sub(v, perp_v3_cross(i.w_W[1], com_W));
    return i;
}

enum { TOSSES = 20, IMPACTS = 40, ROWS = 30 };

static void impacts_give_the_body(void **state) {
    (void)state;
    toss_impact impact[IMPACTS];
    toss tosses[TOSSES] = {{.rows = 0}};
    toss_set s = {tosses, impact, TOSSES, IMPACTS};
    for (int i = 0; i < IMPACTS; i++) impact[i] = make_impact(i / 2);
    impact[7].corners = 2; /* is not taken, whatever it says */
    impact[7].w_W[1] = perp_v3(100, 100, 100);
    cube c = cube_default();
    robust_fit fit;
    assert_true(impact_fit_body(&s, NULL, false, &c, &fit));
    assert_near(c.com_z, truth.com_z, 1e-9);
    for (int j = 0; j < 3; j++) assert_near(c.k[j], truth.k[j], 1e-9);
    assert_near(c.radius, truth.radius, 1e-8);
    impact_figures f[IMPACTS];
    assert_int_equal(impact_measure(&s, &truth, f), IMPACTS - 1);
    for (int i = 0; i < IMPACTS - 1; i++) {
        assert_near(f[i].mu, truth.mu, 1e-12);
        assert_near(f[i].restitution, truth.restitution, 1e-12);
        assert_true(f[i].mu_sd > 1e-4 && f[i].mu_sd < 0.05);
    }
    bool none[TOSSES] = {false};
    assert_false(impact_fit_body(&s, none, false, &c, &fit));
}

/* Without friction an impact by one step of perp is Newton's in closed form. */
static void perp_makes_newtons_impact(void **state) {
    (void)state;
    cube c = truth;
    c.mu = 0;
    for (int k = 0; k < 10; k++) {
        toss_impact i = make_impact(0);
        perp_vec3 com_W = perp_q_rotate(i.X_WB.q, perp_v3(0, 0, c.com_z)),
                  r_W = perp_q_rotate(i.X_WB.q, cube_lowest_corner(&c, i.X_WB.q));
        perp_vec3 arm = perp_v3_sub(r_W, com_W), up = perp_v3(0, 0, 1),
                  u = perp_v3_add(i.v_W[0], perp_v3_cross(i.w_W[0], r_W));
        perp_mat3 inverse = perp_inertia_rotate(i.X_WB.q, perp_m3_diag(1 / c.k[0], 1 / c.k[1], 1 / c.k[2]));
        perp_vec3 spin = perp_m3_mul_v(inverse, perp_v3_cross(arm, up));
        double p = -(1 + c.restitution) * u.z / (1 + perp_v3_cross(spin, arm).z), error;
        perp_vec3 v = perp_v3_axpy(perp_v3_add(i.v_W[0], perp_v3_cross(i.w_W[0], com_W)), p, up);
        i.w_W[1] = perp_v3_axpy(i.w_W[0], p, spin);
        i.v_W[1] = perp_v3_sub(v, perp_v3_cross(i.w_W[1], com_W));
        perp_refusal why;
        assert_int_equal(predict_impact(PERP_TEST_DIR "/../studies/real-tosses/scene.yaml", &c, &i, &error, &why),
                         PERP_OK);
        /* Within the step the body turns on freely: its angular velocity changes by h w x (differences of inertia) w. */
        assert_true(error < 5e-3);
        i.v_W[1].x += 0.1;
        double other;
        assert_int_equal(predict_impact(PERP_TEST_DIR "/../studies/real-tosses/scene.yaml", &c, &i, &other, &why),
                         PERP_OK);
        assert_near(other, 0.1, 6e-3);
    }
}

/* Flights high above the board, of a body that is thrown in some direction. */
static toss_set make_flights(void) {
    toss_set s = {calloc(TOSSES, sizeof(toss)), NULL, TOSSES, 0};
    perp_mat3 I_B = perp_m3_diag(truth.k[0], truth.k[1], truth.k[2]);
    for (int i = 0; i < TOSSES; i++) {
        toss *t = &s.toss[i];
        perp_vec3 w = rnd_vec(6), p = perp_v3(0, 0, 2);
        perp_quat q = perp_q_exp(rnd_vec(1));
        t->ahead_W = perp_v3(cos(i), sin(i), 0);
        perp_vec3 v = perp_v3_axpy(perp_v3(0, 0, 0.4), 1.5, t->ahead_W), left = perp_v3(-t->ahead_W.y, t->ahead_W.x, 0);
        perp_vec3 a = perp_v3_axpy(perp_v3_axpy(perp_v3(0, 0, -truth.g), 0.13, left), -0.06, t->ahead_W);
        t->rows = ROWS;
        t->X_WB = malloc(sizeof *t->X_WB * ROWS);
        for (int k = 0; k < ROWS; k++) {
            double time = k / TOSS_RATE;
            perp_vec3 com = perp_v3_axpy(perp_v3_axpy(p, time, v), time * time / 2, a);
            if (k > 0)
                for (int j = 0; j < 4; j++) assert_true(perp_rotate_free(I_B, 1 / (4 * TOSS_RATE), &q, &w));
            t->X_WB[k].q = q;
            t->X_WB[k].p = perp_v3_sub(com, perp_q_rotate(q, perp_v3(0, 0, truth.com_z)));
        }
    }
    return s;
}

static void flights_give_gravity_and_inertia(void **state) {
    (void)state;
    toss_set s = make_flights();
    cube c = cube_default();
    robust_fit fit;
    int flights;
    assert_true(flight_fit_path(&s, &c, &fit, &flights));
    assert_int_equal(flights, TOSSES);
    assert_near(fit.theta[FLIGHT_G], truth.g, 1e-7);
    assert_near(fit.theta[FLIGHT_LEFT], 0.13, 1e-7);
    assert_near(fit.theta[FLIGHT_BACK], 0.06, 1e-7);
    assert_near(fit.theta[FLIGHT_COM], truth.com_z, 1e-8);
    assert_true(flight_fit_spin(&s, &c, &fit, &flights));
    assert_near(fit.theta[SPIN_X], truth.k[0] / truth.k[2], 1e-5);
    assert_near(fit.theta[SPIN_Y], truth.k[1] / truth.k[2], 1e-5);
    toss_set_free(&s);
}

/* A cube that slides to rest on each of two faces, after rows in the air; one that only lies there. */
static void slides_give_friction(void **state) {
    (void)state;
    toss_set s = {calloc(3, sizeof(toss)), NULL, 3, 0};
    enum { N = 60 };
    for (int i = 0; i < 3; i++) {
        toss *t = &s.toss[i];
        t->rows = N;
        t->X_WB = calloc(N, sizeof *t->X_WB);
        t->v_W = calloc(N, sizeof *t->v_W);
        t->w_B = calloc(N, sizeof *t->w_B);
        double speed = i < 2 ? 0.5 : 0, mu = 0.2 + 0.01 * i, stop = speed / (mu * truth.g);
        for (int k = 0; k < N; k++) {
            double time = fmin(fmax((k - 20) / TOSS_RATE, 0), stop),
                   along = speed * time - mu * truth.g * time * time / 2;
            t->X_WB[k].q = perp_q_axis_angle(perp_v3(1, 0, 0), PI / 2 * i);
            perp_vec3 com = perp_v3(0.6 * along, 0.8 * along, 0);
            t->X_WB[k].p = perp_v3_sub(com, perp_q_rotate(t->X_WB[k].q, perp_v3(0, 0, truth.com_z)));
            t->X_WB[k].p.z = k < 20 ? 0.3 : truth.rest;
            t->v_W[k] = perp_v3_scale(speed - mu * truth.g * time, perp_v3(0.6, 0.8, 0));
        }
    }
    slide_figures f[4];
    assert_int_equal(slide_measure(&s, &truth, f, 4), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(f[i].toss, i);
        assert_near(f[i].mu, 0.2 + 0.01 * i, 1e-9);
    }
    toss_set_free(&s);
}

static void drops_give_the_square(void **state) {
    (void)state;
    const square made = {.core = 0.0253, .radius = 0.0047, .k = 4.3e-4, .offset = -0.004};
    drop_impact impact[IMPACTS];
    drop_set s = {impact, IMPACTS, TOSSES};
    for (int i = 0; i < IMPACTS; i++) {
        drop_impact *p = &impact[i];
        *p =
            (drop_impact){.drop = i / 2, .single = 1, .theta = 3 * rnd(), .v = {{-0.5 + 0.1 * rnd(), -1.5, 5 * rnd()}}};
        double arm[2], px = 0.15, pz = 1.9 + 0.2 * rnd(); /* impulse over mass */
        square_lever(&made, p->theta, arm);
        p->v[1][0] = p->v[0][0] + px;
        p->v[1][1] = p->v[0][1] + pz;
        p->v[1][2] = p->v[0][2] + (arm[0] * pz - arm[1] * px) / made.k;
    }
    square q = square_default();
    robust_fit fit;
    assert_true(drop_fit_body(&s, true, &q, &fit));
    assert_near(q.k, made.k, 1e-10);
    assert_near(q.core, made.core, 1e-8);
    assert_near(q.offset, made.offset, 1e-7);
    drop_figures f[IMPACTS];
    assert_int_equal(drop_measure(&s, &made, f), IMPACTS);
    for (int i = 0; i < IMPACTS; i++) {
        double arm[2];
        square_lever(&made, impact[i].theta, arm);
        double u0 = impact[i].v[0][1] + impact[i].v[0][2] * arm[0], u1 = impact[i].v[1][1] + impact[i].v[1][2] * arm[0];
        assert_near(f[i].restitution, -u1 / u0, 1e-12);
        assert_near(f[i].mu, 0.15 / (impact[i].v[1][1] - impact[i].v[0][1]), 1e-12);
    }
}

/* Bad data are refused with a sentence that names the file. */
static void bad_data_are_refused(void **state) {
    (void)state;
    toss_set s;
    drop_set d;
    char why[1400];
    assert_false(toss_set_read("no-such-folder", NULL, &s, why, sizeof why));
    assert_string_equal(why, "no-such-folder/index.csv: cannot be opened");
    assert_false(drop_set_read(PERP_TEST_DIR "/../studies/real-tosses/data", NULL, &d, why, sizeof why));
    assert_non_null(strstr(why, "impacts.csv: there is no column single"));
    FILE *f = fopen("study-bad.csv", "w");
    assert_non_null(f);
    fputs("a,b\n1,2\n3\n", f);
    fclose(f);
    table t;
    assert_false(table_read("study-bad.csv", &t, why, sizeof why));
    assert_string_equal(
        why, "study-bad.csv:3: found a line that does not fit; allowed: a header, then rows with as many cells");
}

static void selection_is_read(void **state) {
    (void)state;
    toss_set s;
    char why[1400];
    assert_true(toss_set_read(PERP_TEST_DIR "/../studies/real-tosses/data",
                              PERP_TEST_DIR "/../studies/real-tosses/check.csv", &s, why, sizeof why));
    assert_int_equal(s.tosses, 12);
    int kept = 0;
    for (int i = 0; i < s.tosses; i++) {
        kept += s.toss[i].check;
        assert_true(cube_gap(&truth, s.toss[i].X_WB[0]) > 0);
        assert_near(s.toss[i].X_WB[s.toss[i].rows - 1].p.z, truth.rest, 2e-3); /* ends at rest on a face */
    }
    assert_int_equal(kept, 4);
    toss_set_free(&s);
}

/* Up to the first contact a rollout is the measured flight: noise and drag are all that is between them. */
static void rollouts_follow_the_flight(void **state) {
    (void)state;
    toss_set s;
    char why[1400];
    perp_refusal refusal;
    perp_pose out[64];
    double far = 0, turned = 0;
    assert_true(toss_set_read(PERP_TEST_DIR "/../studies/real-tosses/data", NULL, &s, why, sizeof why));
    for (int i = 0; i < s.tosses; i++) {
        const toss *t = &s.toss[i];
        predict_values v = {.count = 0};
        rollout_start start = {t->X0_WB, t->v0_W, t->w0_B};
        int rows = t->contact - t->start;
        assert_true(rows <= 64);
        assert_int_equal(
            rollout_run(PERP_TEST_DIR "/../studies/real-tosses/scene.yaml", &v, &start, rows, out, &refusal), PERP_OK);
        for (int k = 0; k < rows; k++) {
            far = fmax(far, rollout_distance(out[k], t->X_WB[t->start + k]));
            turned = fmax(turned, rollout_angle(out[k], t->X_WB[t->start + k]));
        }
    }
    print_message("farthest %.2e m, %.2e rad\n", far, turned);
    assert_true(far < 2e-4 && far > 1e-5);
    assert_true(turned < 4e-3 && turned > 1e-4);
    toss_set_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_give_the_body),
        cmocka_unit_test(perp_makes_newtons_impact),
        cmocka_unit_test(flights_give_gravity_and_inertia),
        cmocka_unit_test(slides_give_friction),
        cmocka_unit_test(drops_give_the_square),
        cmocka_unit_test(bad_data_are_refused),
        cmocka_unit_test(selection_is_read),
        cmocka_unit_test(rollouts_follow_the_flight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
