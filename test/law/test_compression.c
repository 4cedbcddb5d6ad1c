/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_compression.c - compliant surfaces: the certificate distinguishes compression, which the law explains by the force, from
 * overlap, which it does not explain. For all steppers with compliant contacts. */
#include "check.h"

typedef struct soft_case {
    const char *stepper;
    perp_pair_law law;
    bool mean; /* implicit-compliant: the spring that keeps energy */
} soft_case;

static const soft_case cases[] = {
    {"implicit-compliant", {.compliance = PERP_LINEAR, .stiffness = 2000, .damping = 20, .layer = 1}, false},
    {"implicit-compliant", {.compliance = PERP_LINEAR, .stiffness = 2000, .damping = 20, .layer = 1}, true},
    {"implicit-compliant", {.compliance = PERP_LINEAR, .stiffness = 2000, .damping = 20, .layer = 0.01}, false},
    {"implicit-compliant", {.compliance = PERP_LINEAR, .stiffness = 2000, .damping = 20, .layer = 0.01}, true},
    {"viscoelastic", {.compliance = PERP_LINEAR, .stiffness = 2000, .damping = 20}, false},
    {"first-order", {.compliance = PERP_LINEAR, .stiffness = 2000, .damping = 20}, false},
    {"first-order", {.compliance = PERP_HERTZ, .stiffness = 20000, .damping = 20}, false},
};
enum { CASES = sizeof cases / sizeof *cases };

static const double radius = 0.3, mass = 2;

/* A ball above a half-space, or in it: height of its lowest point. */
static scene ball(const soft_case *c, double height) {
    perp_world_def d = world_def(3, 1e-3, PERP_START_PLAIN);
    d.stepper = c->stepper;
    scene s = scene_new(d);
    if (c->mean) assert_int_equal(perp_world_set(s.w, "implicit-compliant.keeps_energy", 1), PERP_OK);
    assert_int_equal(perp_pair_set_all(s.w, c->law), PERP_OK);
    perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE), b = perp_body_def_default(PERP_BODY_DYNAMIC);
    scene_shape(&s, scene_body(&s, &floor), perp_shape_halfspace(perp_v3(0, 0, 1), 0));
    b.mass = mass;
    b.X_WB.p = perp_v3(0, 0, radius + height);
    scene_shape(&s, scene_body(&s, &b), perp_shape_sphere(radius));
    return s;
}

/* Falls, bounces, comes to rest: overlap is compression to the last digits, all of it and nothing else. */
static void told_apart(void **state) {
    (void)state;
    for (int k = 0; k < CASES; k++) {
        scene s = ball(&cases[k], 0.05);
        double deepest = 0, weight = mass * 9.81, at_rest = weight / cases[k].law.stiffness;
        if (cases[k].law.compliance == PERP_HERTZ)
            at_rest = pow(weight / (4.0 / 3 * cases[k].law.stiffness * sqrt(radius)), 2.0 / 3);
        /* Hertz' force is found in rounds that end at the tolerance of the world: 1e-8 of about 1 m/s, for a step of 1 ms */
        double within = cases[k].law.compliance == PERP_HERTZ ? 2e-11 : 1e-12;
        perp_certificate c = {0};
        for (int i = 0; i < long_run(2000); i++) {
            assert_int_equal(perp_world_step(s.w, &c), PERP_OK);
            double depth = fmax(0, radius - position(&s, 1).z);
            assert_below(c.overlap, within);
            /* of the parts of a step the deepest counts; at its end it is no less than this */
            assert_true(c.compression >= depth - within);
            if (c.substeps == 1) assert_near(c.compression, depth, within);
            assert_near(perp_world_overlap(s.w), depth, 1e-12);
            deepest = fmax(deepest, c.compression);
        }
        print_message("%s: pressed in by %.6g, at rest %.6g\n", cases[k].stepper, deepest, c.compression);
        double most = cases[k].law.layer > 0 ? cases[k].law.layer : 1;
        assert_true(deepest > 1.2 * at_rest || deepest > 0.99 * most);
        assert_true(deepest <= most * (1 + 1e-9));
        if (long_run(2000) == 2000) assert_near(c.compression, fmin(at_rest, most), 0.02 * at_rest);
        scene_end(&s);
    }
}

/* What is rigid has no compression, whatever the stepper. */
static void rigid_is_overlap(void **state) {
    (void)state;
    const char *const stepper[] = {"implicit-compliant", "first-order", "viscoelastic", "stewart-trinkle"};
    for (int k = 0; k < 4; k++) {
        soft_case c = {.stepper = stepper[k]};
        scene s = ball(&c, 0.01);
        for (int i = 0; i < 200; i++) {
            perp_certificate cert;
            assert_int_equal(perp_world_step(s.w, &cert), PERP_OK);
            assert_true(cert.compression == 0);
            assert_near(cert.overlap, perp_world_overlap(s.w), 0);
        }
        scene_end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_apart),
        cmocka_unit_test(rigid_is_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
