/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Motors without force limit yield: to the limits of their own joint, where they hold, and to what cannot give way. */
#include "check.h"

#include "model/world_data.h"

/* An arm of 1 kg, 1 m long, on a revolute joint at the origin, driven at `speed` without force limit. Body 0. */
static scene arm_of(const perp_world_def *d, bool limited, double speed) {
    int dim = d->dim;
    scene s = scene_new(*d);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_shape_def bar = perp_shape_box(0.5, 0.05, 0.05);
    assert_int_equal(perp_body_def_mass(&b, &bar, dim, dim == 2 ? 10 : 100), PERP_OK);
    b.X_WB.p = perp_v3(0.5, 0, 0);
    scene_shape(&s, scene_body(&s, &b), bar);
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = s.body[0];
    j.X_BJ.p = perp_v3(-0.5, 0, 0);
    j.axis[0].limited = limited;
    j.axis[0].lo = -0.5;
    j.axis[0].hi = 0.5;
    j.axis[0].motor = true;
    j.axis[0].motor_speed = speed;
    j.axis[0].motor_force = INFINITY;
    scene_joint(&s, &j);
    return s;
}

static scene arm(int dim, const char *stepper, double h, bool limited, double speed) {
    perp_world_def d = world_def(dim, h, PERP_START_PLAIN);
    d.stepper = stepper;
    return arm_of(&d, limited, speed);
}

/* The angle is that of the motor up to the limit, and stays there; the ledger closes. Both directions, 2D and 3D. */
static void holds_at_its_own_limit(void **state) {
    (void)state;
    static const char *const steppers[] = {"stewart-trinkle", "anitescu-potra", "second-order"};
    for (int k = 0; k < 12; k++) {
        double speed = k & 1 ? -2 : 2, h = 7e-3; /* the limit is met within a step */
        scene s = arm(k & 2 ? 3 : 2, steppers[k / 4], h, true, speed);
        for (int i = 1; i <= 100; i++) {
            perp_certificate c;
            if (perp_world_step(s.w, &c)) fail_msg("%s, step %d: %s", steppers[k / 4], i, perp_world_why(s.w));
            double x = 0, should = fmin(2 * h * i, 0.5);
            assert_int_equal(perp_joint_read(s.w, s.joint[0], &x, NULL), PERP_OK);
            if (k / 4 == 2) /* second order: the speed is reached over the first step */
                assert_true(fabs(x) <= 0.5 + 1e-9 && fabs(x) >= should - 2 * h);
            else
                assert_near(x, speed < 0 ? -should : should, 1e-9);
            assert_below(fabs(c.ledger.remainder), 1e-9);
            assert_int_equal(c.motor_yields, 0);
            assert_below(c.law.joint, 1e-8 * fmax(1, c.law.scale)); /* to stand at the limit breaks no law */
        }
        assert_near(fabs(spin(&s, 0).z), 0, 1e-9);
        scene_end(&s);
    }
}

/* A wall stops the arm: it touches, the run goes on, and the certificate tells which joint yielded. */
static void yields_to_a_wall(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        scene s = arm(dim, "stewart-trinkle", 7e-3, false, 2);
        perp_body_def wall = perp_body_def_default(PERP_BODY_OBSTACLE);
        wall.X_WB.p = perp_v3(0.8, 0.4, 0);
        scene_shape(&s, scene_body(&s, &wall), perp_shape_sphere(0.1));
        int yields = 0;
        for (int i = 0; i < 200; i++) {
            perp_certificate c;
            if (perp_world_step(s.w, &c)) fail_msg("%dD, step %d: %s", dim, i, perp_world_why(s.w));
            yields += c.motor_yields > 0;
            if (c.motor_yields > 0) assert_int_equal(c.yield_joint, 0);
            assert_below(c.overlap, 1e-9);
            assert_below(fabs(c.ledger.remainder), 1e-9);
            assert_below(c.law.joint, 1e-8 * fmax(1, c.law.scale));
        }
        /* the ball is met where its centre lies 0.15 from the middle line of the arm */
        double x, should = atan2(0.4, 0.8) - asin(0.15 / hypot(0.4, 0.8));
        assert_int_equal(perp_joint_read(s.w, s.joint[0], &x, NULL), PERP_OK);
        assert_near(x, should, 1e-6);
        assert_true(yields > 100);
        scene_end(&s);
    }
}

/* A driven ball pushes the arm back, against a motor that yields to it. Contact and motor press with impulses as large as the motor was
 * given, and while the arm comes up to the ball's speed, contact gives what the motor takes: nothing is gained. */
static void gives_what_the_motor_takes(void **state) {
    (void)state;
    static const char *const steppers[] = {"stewart-trinkle", "anitescu-potra"};
    for (int k = 0; k < 4; k++) {
        scene s = arm(2 + k % 2, steppers[k / 2], 7e-3, false, 2);
        perp_body_def ball = perp_body_def_default(PERP_BODY_KINEMATIC);
        ball.X_WB.p = perp_v3(0.8, 0.4, 0);
        ball.v_W = perp_v3(0, -1, 0);
        scene_shape(&s, scene_body(&s, &ball), perp_shape_sphere(0.1));
        perp_certificate sum = {0};
        for (int i = 0; i < 80; i++) {
            perp_certificate c;
            if (perp_world_step(s.w, &c)) fail_msg("%s, step %d: %s", steppers[k / 2], i, perp_world_why(s.w));
            perp_certificate_add(&sum, &c);
        }
        assert_true(sum.motor_yields > 20);
        assert_true(sum.ledger.motor < -0.1); /* it was pushed back */
        double most = fmax(fmax(sum.extent.kinetic, sum.extent.high - sum.extent.low), sum.extent.fall);
        assert_below(sum.gain, 1e-3 * most);
        assert_below(fabs(sum.ledger.remainder), 1e-9);
        scene_end(&s);
    }
}

/* A motor yields to a wall for many steps. Once the wall is gone it has its speed again. A motor that is switched on with a large impulse and
 * then holds a heavy load has its speed in every step. */
static void speed_after_large_impulses(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        int dim = 2 + k % 2;
        perp_world_def d = world_def(dim, 7e-3, PERP_START_PLAIN);
        d.warm_start = k < 2;
        scene s = arm_of(&d, false, 2);
        perp_body_def wall = perp_body_def_default(PERP_BODY_OBSTACLE);
        wall.X_WB.p = perp_v3(0.8, 0.4, 0);
        perp_body_id ball = scene_body(&s, &wall);
        scene_shape(&s, ball, perp_shape_sphere(0.1));
        perp_certificate c;
        for (int i = 0; i < 100; i++)
            if (perp_world_step(s.w, &c)) fail_msg("%dD, step %d: %s", dim, i, perp_world_why(s.w));
        assert_int_equal(c.motor_yields, 1);
        assert_int_equal(perp_body_remove(s.w, ball), PERP_OK);
        for (int i = 0; i < 20; i++) {
            if (perp_world_step(s.w, &c)) fail_msg("%dD: %s", dim, perp_world_why(s.w));
            assert_int_equal(c.motor_yields, 0);
            assert_near(spin(&s, 0).z, 2, 1e-9);
        }
        scene_end(&s);
    }
    /* a small disc at the end of a massless arm: its own inertia is 2e4 times smaller than what the motor moves */
    perp_world_def d = world_def(2, 1e-3, PERP_START_PLAIN);
    scene s = scene_new(d);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.mass = 0.3;
    b.I_B = perp_m3_diag(0, 0, 0.5 * 0.3 * 1e-4);
    b.X_WB.p = perp_v3(1, 0, 0);
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = scene_body(&s, &b);
    j.X_BJ.p = perp_v3(-1, 0, 0);
    j.axis[0].motor = true;
    j.axis[0].motor_speed = 2;
    j.axis[0].motor_force = INFINITY;
    scene_joint(&s, &j);
    for (int i = 0; i < 20; i++) {
        perp_certificate c;
        if (perp_world_step(s.w, &c)) fail_msg("step %d: %s", i, perp_world_why(s.w));
        assert_int_equal(c.motor_yields, 0);
        assert_near(spin(&s, 0).z, 2, 1e-9);
    }
    scene_end(&s);
}

/* The arm stands at a wall, and its joint is open by a millimetre. The limit of its motor does not depend on the length of the step: it
 * knows speeds, and not the speed at which the joint would close within the step. */
static void limit_knows_speeds_only(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        double h = pow(10, -2 - k), speed = 2, inertia = 1.01 / 12, E = 0.5 * speed * speed * inertia;
        perp_world_def d = world_def(2, h, PERP_START_PLAIN);
        d.gravity_W = perp_v3(0, 0, 0);
        d.max_halvings = 0;
        scene s = arm_of(&d, false, speed);
        perp_pose X;
        assert_int_equal(perp_body_pose(s.w, s.body[0], &X), PERP_OK);
        X.p.x += 1e-3;
        assert_int_equal(perp_body_set_pose(s.w, s.body[0], X), PERP_OK);
        perp_body_def wall = perp_body_def_default(PERP_BODY_OBSTACLE);
        wall.X_WB.p = perp_v3(0.8, 0.15, 0);
        scene_shape(&s, scene_body(&s, &wall), perp_shape_sphere(0.1));
        perp_certificate c;
        if (perp_world_step(s.w, &c)) fail_msg("h = %g: %s", h, perp_world_why(s.w));
        assert_true(c.motor_yields > 0);
        perp_wrench push;
        assert_int_equal(perp_joint_impulse(s.w, s.joint[0], &push), PERP_OK);
        assert_near(fabs(push.torque.z), 30 * sqrt(2 * E * inertia), 0.2); /* STRONG of motor_yield.c */
        scene_end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(holds_at_its_own_limit), cmocka_unit_test(yields_to_a_wall),
                                       cmocka_unit_test(gives_what_the_motor_takes),
                                       cmocka_unit_test(speed_after_large_impulses),
                                       cmocka_unit_test(limit_knows_speeds_only)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
