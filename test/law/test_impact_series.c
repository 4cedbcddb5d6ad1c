/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_impact_series.c - steps with impacts that accumulate, or that hit what rests, take little work and lose little */
#include <math.h>

#include "unit/world_help.h"

#define H 0.01

static const perp_vec3 none = {0, 0, 0};

static perp_world *space(const char *stepper, double e) {
    perp_world_def d = perp_world_def_default(2);
    d.h = H;
    d.gravity_W = none;
    if (stepper) d.stepper = stepper;
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.restitution = e}));
    return w;
}

static perp_body_id ball(perp_world *w, double mass, double r, double x, double v) {
    perp_body_id b = add_mass(w, mass, 0.5 * mass * r * r, perp_pose_at(x, 0, 0));
    if (r > 0.05) add_shape(w, b, perp_shape_sphere(r));
    OK(w, perp_body_set_velocity(w, b, perp_v3(v, 0, 0), none));
    return b;
}

/* A force on one ball presses a second, joined to it, against a third that is free. Forces alone do not bring the two together that bounce, so
 * no speed of rest is known in advance. */
typedef struct pressed {
    perp_world *w;
    perp_body_id b[3];
} pressed;

static const double mass[3] = {0.5, 1, 4};

static pressed press(const char *stepper, double e, double u, double force) {
    pressed p = {.w = space(stepper, e)};
    p.b[0] = ball(p.w, mass[0], 0.01, -0.5, u);
    p.b[1] = ball(p.w, mass[1], 0.1, 0, u);
    p.b[2] = ball(p.w, mass[2], 0.1, 0.2 + 1e-4, 0);
    perp_joint_def d = perp_joint_def_default(PERP_JOINT_FIXED);
    d.a = p.b[0];
    d.b = p.b[1];
    d.X_AJ = perp_pose_at(0.5, 0, 0);
    add_joint(p.w, &d);
    OK(p.w, perp_body_set_force(p.w, p.b[0], perp_v3(force, 0, 0), none));
    return p;
}

static double speed(const pressed *p, int i) { return velocity_of(p->w, p->b[i]).x; }

/* Bounces last 2 e u/(a (1 - e)), a: acceleration of the two. Then all move as one body, and their momentum is that of the force. */
static void test_ends(void **state) {
    (void)state;
    const char *stepper[] = {"stewart-trinkle", "second-order", "anitescu-potra"};
    for (int k = 0; k < 9; k++) {
        double e = 0.1 + 0.1 * (k % 3), a = 100, u = 0.8 * a * H;
        pressed p = press(stepper[k / 3], e, u, a * (mass[0] + mass[1]));
        perp_certificate c, rest;
        OK(p.w, perp_world_step(p.w, &c));
        assert_true(c.substeps <= 6);
        assert_int_equal(c.rebounds_given_up, 1);
        OK(p.w, perp_world_step(p.w, &rest));
        assert_int_equal(rest.rebounds_given_up, 0);
        double all = mass[0] + mass[1] + mass[2], f = a * (mass[0] + mass[1]);
        for (int i = 0; i < 3; i++) NEAR(speed(&p, i), ((mass[0] + mass[1]) * u + f * 2 * H) / all, 1e-9);
        perp_world_destroy(p.w);
    }
}

/* What does not end within the step goes on: elastic bounces, and those that take longer than a step. */
static void test_goes_on(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        pressed p = press(NULL, k ? 0.9 : 1, 0.8, 100 * (mass[0] + mass[1]));
        perp_certificate sum = {0}, c;
        for (int i = 0; i < 20; i++) {
            OK(p.w, perp_world_step(p.w, &c));
            perp_certificate_add(&sum, &c);
        }
        assert_int_equal(sum.rebounds_given_up, 0);
        NEAR(sum.rebound_lost, 0, 1e-9);
        assert_true(sum.substeps > 20);
        perp_world_destroy(p.w);
    }
}

/* A ball falls on a column of balls at rest. Contacts that only pass on what is below their speeds of rest stop together: the impact does not take
 * a pass for each of them, again and again. */
static void test_column(void **state) {
    (void)state;
    enum { N = 5 };
    for (int k = 0; k < 2; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.h = H;
        perp_world *w = world_of(&d);
        OK(w, perp_pair_set_all(w, (perp_pair_law){.restitution = 0.5, .mu = 0.3}));
        add_floor(w);
        for (int i = 0; i < N; i++) {
            perp_body_id b = add_mass(w, 1, 0.005, perp_pose_at(0, 0.1 + 0.2 * i, 0));
            add_shape(w, b, perp_shape_sphere(0.1));
        }
        perp_certificate sum = {0}, c;
        for (int i = 0; i < 20; i++) OK(w, perp_world_step(w, &c));
        perp_body_id b = add_mass(w, 1, 0.005, perp_pose_at(0.05 * k, 0.11 + 0.2 * N, 0));
        add_shape(w, b, perp_shape_sphere(0.1));
        OK(w, perp_body_set_velocity(w, b, perp_v3(0, -2, 0), none));
        for (int i = 0; i < 10; i++) {
            OK(w, perp_world_step(w, &c));
            perp_certificate_add(&sum, &c);
        }
        assert_true(sum.iterations < 700);
        NEAR(sum.gain, 0, 1e-9);
        NEAR(sum.rebound_lost, 0, 5e-3); /* of 2 J that the ball brings */
        perp_world_destroy(w);
    }
}

/* A body that rubs on the plane slows down, and one behind it that does not reaches it while both wait for the impact of a third. The time of
 * their meeting is not known before a flight has shown how friction acts. */
static void test_unforeseen(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        perp_world *w = space("planar-2.5d", 0.5);
        double gap = pow(10, -8 + k);
        perp_body_id a = ball(w, 1, 0.1, 0, 1), b = ball(w, 1, 0.1, 0.2 + gap, 1);
        perp_support s = perp_support_circle(0.05, 0, 0.5);
        OK(w, perp_body_set_support(w, b, &s));
        perp_body_id third = add_mass(w, 1, 0.005, perp_pose_at(0.2 + gap, 0.205, 0));
        add_shape(w, third, perp_shape_sphere(0.1));
        OK(w, perp_body_set_velocity(w, third, perp_v3(1, -1, 0), none));
        perp_certificate c;
        OK(w, perp_world_step(w, &c));
        assert_true(c.substeps <= 12);
        assert_true(c.rebounds_given_up <= 1); /* the two that rest on each other before the third comes */
        NEAR(c.rebound_lost, 0, 1e-3);         /* of 0.5 J that the third brings */
        assert_true(velocity_of(w, a).x > velocity_of(w, b).x);
        perp_world_destroy(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends), cmocka_unit_test(test_goes_on),
                                       cmocka_unit_test(test_column), cmocka_unit_test(test_unforeseen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
