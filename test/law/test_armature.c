/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_armature.c - inertia on joint coordinates against closed forms: acceleration, free motion in a turning frame, impacts, energy. */
#include <math.h>

#include "check.h"
#include "perp/joint_space.h"
#include "perp/perp.h"

static perp_world *world_with(const char *stepper, double h) {
    perp_world_def d = perp_world_def_default(3);
    d.h = h;
    d.stepper = stepper;
    d.gravity_W = perp_v3(0, 0, 0);
    perp_world *w;
    assert_int_equal(perp_world_create(&d, &w), PERP_OK);
    return w;
}

static perp_body_id body_at(perp_world *w, perp_vec3 p, double mass, double I) {
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_body_id id;
    d.X_WB.p = p;
    d.mass = mass;
    d.I_B = perp_m3_diag(I, 2 * I, 2.5 * I); /* not a sphere: free rotation changes the angular velocity */
    if (perp_body_add(w, &d, &id)) fail_msg("%s", perp_world_why(w));
    return id;
}

static perp_joint_id joint_with(perp_world *w, perp_joint_def d, double armature) {
    perp_joint_id id;
    d.axis[0].armature = armature;
    if (perp_joint_add(w, &d, &id)) fail_msg("%s", perp_world_why(w));
    return id;
}

static void run(perp_world *w, double duration, perp_certificate *sum) {
    perp_certificate c;
    while (perp_world_time(w) < duration - 1e-9) {
        if (perp_world_step(w, &c)) fail_msg("%s", perp_world_why(w));
        perp_certificate_add(sum, &c);
    }
}

static const char *const steppers[] = {"stewart-trinkle", "second-order"};

/* A torque on a wheel with rotor: the angle is 1/2 torque / (I + a) t^2, to rounding. */
static void a_torque_turns_body_and_rotor(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        perp_world *w = world_with(steppers[k], 0.01);
        perp_joint_def d = perp_joint_def_default(PERP_JOINT_REVOLUTE);
        d.b = body_at(w, perp_v3(0, 0, 0), 1, 0.4);
        perp_joint_id j = joint_with(w, d, 3);
        perp_actuator_def m = perp_actuator_def_default(PERP_ACTUATOR_FORCE);
        m.joint = j;
        m.ctrl = 2;
        assert_int_equal(perp_actuator_add(w, &m, NULL), PERP_OK);
        perp_certificate sum = {0};
        run(w, 1, &sum);
        double q[3], v[3];
        assert_int_equal(perp_joint_read(w, j, q, v), PERP_OK);
        assert_near(q[0], 0.5 * 2 / (1 + 3.0), 1e-10);
        assert_near(v[0], 2 / (1 + 3.0), 1e-10);
        assert_near(perp_world_armature_energy(w), 0.5 * 3 * 0.25, 1e-10);
        assert_below(fabs(sum.ledger.armature + 0.5 * 3 * 0.25), 0.5 * 3 * 0.01);
        assert_below(fabs(sum.ledger.remainder), 1e-13);
        perp_joint_space *s;
        double M;
        assert_int_equal(perp_world_joint_space(w, NULL, &s), PERP_OK);
        perp_joint_space_mass_matrix(s, &M);
        assert_near(M, 4, 1e-14);
        double tau = 0.5; /* in place */
        perp_joint_space_inverse_dynamics(s, &tau, &tau);
        assert_near(tau, 2, 1e-14);
        perp_joint_space_free(s);
        perp_world_destroy(w);
    }
}

/* A mass on a radial slide of a turntable, with a rotor on the slide. Angular momentum L = (I0 + m x^2) th' and energy
 * 1/2 (I0 + m x^2) th'^2 + 1/2 (m + a) x'^2 are kept. The rate of the slide changes in free motion, although no impulse acts on it: without that the rotor
 * would run ahead at any step. @return error of x' */
static double turntable(const char *stepper, double h, double *drift) {
    const double m = 2, a = 5, x0 = 0.5, turn = 3;
    perp_world *w = world_with(stepper, h);
    perp_joint_def d = perp_joint_def_default(PERP_JOINT_REVOLUTE), s = perp_joint_def_default(PERP_JOINT_PRISMATIC);
    perp_body_id table = body_at(w, perp_v3(0, 0, 0), 1, 0.4), mass = body_at(w, perp_v3(x0, 0, 0), m, 0.1);
    d.b = s.a = table;
    d.X_AJ.p.z = d.X_BJ.p.z = -0.1;
    s.b = mass;
    s.X_AJ.q = s.X_BJ.q = perp_q_axis_angle(perp_v3(0, 1, 0), 1.5707963267948966); /* along x */
    (void)joint_with(w, d, 0);
    perp_joint_id slide = joint_with(w, s, a);
    assert_int_equal(perp_body_set_velocity(w, table, perp_v3(0, 0, 0), perp_v3(0, 0, turn)), PERP_OK);
    assert_int_equal(perp_body_set_velocity(w, mass, perp_v3(0, turn * x0, 0), perp_v3(0, 0, turn)), PERP_OK);
    perp_certificate sum = {0};
    run(w, 0.6, &sum);
    double q[3], v[3], I0 = 1 + 0.25;
    assert_int_equal(perp_joint_read(w, slide, q, v), PERP_OK);
    double x = q[0], L = (I0 + m * x0 * x0) * turn, E = 0.5 * L * turn;
    double exact = sqrt((2 * E - L * L / (I0 + m * x * x)) / (m + a));
    assert_true(x > x0 + 0.1);
    assert_below(fabs(sum.ledger.remainder), 1e-11);
    assert_near(sum.ledger.armature, -0.5 * a * exact * exact, 0.02 * E);
    assert_below(sum.joint_error, 1e-9);
    *drift = fabs(sum.ledger.drift + sum.ledger.joint + sum.ledger.sampling) / E;
    perp_world_destroy(w);
    return fabs(v[0] - exact);
}

static void free_motion_brings_rotors_along(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double d[3], e[3];
        for (int i = 0; i < 3; i++) e[i] = turntable(steppers[k], 0.01 / (1 << i), &d[i]);
        if (!(e[2] < 1e-4 && e[1] < 0.35 * e[0] && e[2] < 0.35 * e[1]))
            fail_msg("%s: errors %g, %g, %g do not fall by 4", steppers[k], e[0], e[1], e[2]);
        if (!(d[2] < 1e-3 && d[2] < 0.6 * d[1]))
            fail_msg("%s: drift %g, %g, %g of the energy", steppers[k], d[0], d[1], d[2]);
    }
}

/* A sphere on a slide with a rotor meets another one that is free and at rest, without rebound: they go on with (m + a) v / (2 m + a). */
static void rotors_take_part_in_impacts(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        perp_world *w = world_with(steppers[k], 0.01);
        perp_shape_def ball = perp_shape_sphere(0.1);
        perp_joint_def d = perp_joint_def_default(PERP_JOINT_PRISMATIC);
        perp_body_id one = body_at(w, perp_v3(0, 0, 0), 1, 0.1), two = body_at(w, perp_v3(0.5, 0, 0), 1, 0.1);
        assert_int_equal(perp_shape_add(w, one, &ball, NULL), PERP_OK);
        assert_int_equal(perp_shape_add(w, two, &ball, NULL), PERP_OK);
        d.b = one;
        d.X_AJ.q = d.X_BJ.q = perp_q_axis_angle(perp_v3(0, 1, 0), 1.5707963267948966);
        perp_joint_id j = joint_with(w, d, 2);
        assert_int_equal(perp_body_set_velocity(w, one, perp_v3(1, 0, 0), perp_v3(0, 0, 0)), PERP_OK);
        perp_certificate sum = {0};
        run(w, 0.6, &sum);
        double v[3];
        assert_int_equal(perp_joint_read(w, j, NULL, v), PERP_OK);
        assert_near(v[0], 3.0 / 4, 1e-9);
        assert_below(fabs(sum.ledger.remainder), 1e-12);
        perp_world_destroy(w);
    }
}

/* Two links with rotors, on hinges across each other, that nothing acts on. turns: the turn of another link, far away, in a step; from 1 rad
 * on steps are divided. Returns what rotors gain or lose in a second; q: their angles then. */
static double free_links(double h, double turns, double q[2], int *substeps) {
    perp_world *w = world_with("stewart-trinkle", h);
    perp_joint_def d = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    d.X_BJ.p = perp_v3(-0.25, 0, 0);
    d.X_AJ.p = perp_v3(5, 0, 0);
    d.b = body_at(w, perp_v3(5.25, 0, 0), 1, 0.02);
    (void)joint_with(w, d, 0);
    d.X_AJ.p = perp_v3(0, 0, 0);
    d.b = body_at(w, perp_v3(0.25, 0, 0), 1, 0.02);
    (void)joint_with(w, d, 0.3);
    d.a = d.b;
    d.b = body_at(w, perp_v3(0.75, 0, 0), 1, 0.02);
    d.X_AJ.p = perp_v3(0.25, 0, 0);
    d.X_AJ.q = d.X_BJ.q = perp_q_exp(perp_v3(1.5707963267948966, 0, 0));
    (void)joint_with(w, d, 0.3);
    perp_joint_space *s;
    assert_int_equal(perp_world_joint_space(w, NULL, &s), PERP_OK);
    if (perp_joint_space_set(s, w, (double[]){0, 0, 0.5}, (double[]){turns / h, 2, 8}, 1e-9))
        fail_msg("%s", perp_world_why(w));
    perp_certificate sum = {0};
    run(w, 1, &sum);
    double all[3];
    perp_joint_space_get(s, w, all, NULL);
    q[0] = all[1], q[1] = all[2];
    *substeps = sum.substeps;
    perp_joint_space_free(s);
    perp_world_destroy(w);
    return fabs(sum.ledger.drift);
}

/* Rotors take the free motion between the kicks of substeps into account, not that of whole steps: their energy is kept to second order in h, and
 * they turn as with short steps that are not divided. */
static void divided_steps_keep_rotors(void **state) {
    (void)state;
    double q[2], exact[2], drift[2];
    int substeps;
    (void)free_links(1.0 / 6400, 0, exact, &substeps);
    for (int k = 0; k < 2; k++) {
        double h = k ? 0.0025 : 0.005;
        drift[k] = free_links(h, 1, q, &substeps);
        assert_true(substeps == 2 * lround(1 / h));
        assert_below(fmax(fabs(q[0] - exact[0]), fabs(q[1] - exact[1])), 0.002);
    }
    assert_below(drift[0], 0.01);
    assert_below(drift[1], 0.3 * drift[0]);
}

static void other_steppers_refuse(void **state) {
    (void)state;
    perp_world *w = world_with("first-order", 0.01);
    perp_joint_def d = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    d.b = body_at(w, perp_v3(0, 0, 0), 1, 0.4);
    d.axis[0].armature = 1;
    assert_int_equal(perp_joint_add(w, &d, NULL), PERP_E_FIT);
    assert_string_equal(perp_world_why(w), "axis[0].armature = 1: stepper first-order has none; stewart-trinkle, "
                                           "anitescu-potra and second-order have");
    d.axis[0].armature = -1;
    assert_int_equal(perp_joint_add(w, &d, NULL), PERP_E_ARG);
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_torque_turns_body_and_rotor), cmocka_unit_test(free_motion_brings_rotors_along),
        cmocka_unit_test(rotors_take_part_in_impacts),   cmocka_unit_test(divided_steps_keep_rotors),
        cmocka_unit_test(other_steppers_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
