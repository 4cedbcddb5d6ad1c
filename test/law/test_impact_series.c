/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_impact_series.c - impacts that accumulate within a step end there, at rest, after a few of them */
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends), cmocka_unit_test(test_goes_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
