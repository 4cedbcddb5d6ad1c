/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_second_order.c - the stepper second-order: order two with joints, contacts, rolling, sliding on a curve, a foot
 * that sticks, a plate that is driven, motors, springs and dampers; four and six where it is composed */
#include "check.h"

typedef scene (*maker)(perp_world_def d);

static perp_world_def def(int dim, double h) {
    perp_world_def d = world_def(dim, h, PERP_START_PLAIN);
    d.stepper = "second-order";
    return d;
}

/* State after time t as one vector: positions and velocities of all bodies. Returns its length. */
static int state_of(const scene *s, double *out) {
    int n = 0;
    for (int b = 0; b < s->nbody; b++) {
        perp_vec3 x[3] = {position(s, b), velocity(s, b), spin(s, b)};
        for (int k = 0; k < 3; k++) out[n++] = x[k].x, out[n++] = x[k].y, out[n++] = x[k].z;
    }
    return n;
}

#define STATE_MAX 90

/* Runs with h, h/2, h/4: the order that the differences of the states show. */
static double observed(maker make, perp_world_def d, int order, double t) {
    double x[3][STATE_MAX], diff[2] = {0, 0};
    int n = 0;
    for (int k = 0; k < 3; k++) {
        perp_world_def dk = d;
        dk.h = d.h / (1 << k);
        scene s = make(dk);
        assert_int_equal(perp_world_set(s.w, "second-order.order", order), PERP_OK);
        run_figures f = run_steps(&s, (int)lround(t / dk.h));
        assert_below(f.remainder, 1e-11);
        n = state_of(&s, x[k]);
        scene_end(&s);
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n; i++) diff[k] += (x[k][i] - x[k + 1][i]) * (x[k][i] - x[k + 1][i]);
    double seen = 0.5 * log2(diff[0] / diff[1]);
    print_message("order %.3f, last difference %.3g\n", seen, sqrt(diff[1]));
    return seen;
}

static void joints(void **state) {
    (void)state;
    assert_near(observed(scene_double_pendulum, def(2, 8e-3), 2, 0.8), 2, 0.05);
    assert_near(observed(scene_double_pendulum, def(2, 8e-3), 4, 0.8), 4, 0.1);
    assert_near(observed(scene_double_pendulum, def(2, 2e-2), 6, 0.8), 6, 0.4);
    assert_near(observed(scene_hanging_rod, def(3, 1e-2), 2, 0.5), 2, 0.05);
    assert_near(observed(scene_hanging_rod, def(3, 1e-2), 4, 0.5), 4, 0.1);
}

/* The references of Berard 2.7.1 and 2.7.2, computed independently. */
static void references(void **state) {
    (void)state;
    scene s = scene_double_pendulum(def(2, 1e-3));
    run_steps(&s, 1000);
    assert_near(angle(&s, 0), -2.778512565, 1e-9);
    assert_near(spin(&s, 1).z, -0.516045472, 1e-8);
    scene_end(&s);
    double e[2];
    for (int k = 0; k < 2; k++) {
        s = scene_pendulum_on_block(def(2, 8e-3 / (k + 1)));
        run_figures f = run_steps(&s, 125 * (k + 1));
        e[k] = hypot(position(&s, 1).x - 0.552867457, hypot(angle(&s, 2) + 2.862068954, angle(&s, 3) + 2.599408192));
        assert_below(f.overlap, 1e-12);
        assert_below(f.joint_error, 1e-13);
        const perp_contact *c;
        double force = 0;
        for (int i = perp_world_contacts(s.w, &c) - 1; i >= 0; i--) force += c[i].impulse_C[0] * (k + 1) / 8e-3;
        assert_near(force, 55.44698,
                    0.5 / (k + 1)); /* the mean over the last step: first order as a value at its end */
        scene_end(&s);
    }
    assert_below(e[1], 5e-4);
    assert_near(log2(e[0] / e[1]), 2, 0.05);
}

static scene new_floor(perp_world_def d, double mu) {
    scene s = scene_new(d);
    assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = mu}), PERP_OK);
    perp_body_def f = perp_body_def_default(PERP_BODY_OBSTACLE);
    perp_body_id b = scene_body(&s, &f);
    scene_shape(&s, b, perp_shape_halfspace(d.dim == 2 ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1), 0));
    return s;
}

/* A box that slides on a curve and turns while it does, drawn sideways. */
static scene curve(perp_world_def d) {
    d.gravity_W = perp_v3(2, 0, -9.81);
    scene s = new_floor(d, 0.3);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.I_B = perp_m3_diag(0.02, 0.02, 0.03);
    b.X_WB.p = perp_v3(0, 0, 0.1);
    b.v_W = perp_v3(0, 4, 0);
    b.w_W = perp_v3(0, 0, 3);
    scene_shape(&s, scene_body(&s, &b), perp_shape_box(0.2, 0.2, 0.1));
    return s;
}

static void sliding(void **state) {
    (void)state;
    const perp_form form[] = {PERP_FORM_LCP, PERP_FORM_MLCP, PERP_FORM_CONE};
    for (int k = 0; k < 6; k++) {
        perp_world_def d = def(3, 2e-2);
        d.form = form[k % 3];
        d.contact_model = k < 3 ? "peg" : "one-plane";
        assert_near(observed(curve, d, 2, 0.4), 2, 0.15);
    }
}

/* A rod that tips over its foot, which sticks. */
static scene tipping(perp_world_def d) {
    scene s = new_floor(d, 5);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    const double a = 1.3, l = 0.6;
    b.I_B = perp_m3_diag(1, 1, 0.08);
    b.X_WB = perp_pose_2d(l * cos(a), l * sin(a), a);
    b.v_W = perp_v3(l * sin(a), -l * cos(a), 0);
    b.w_W = perp_v3(0, 0, -1);
    const perp_vec3 v[3] = {{-l, 0, 0}, {0.3, -0.01, 0}, {0.3, 0.01, 0}};
    scene_shape(&s, scene_body(&s, &b), perp_shape_polygon(v, 3));
    return s;
}

static void sticking(void **state) {
    (void)state;
    assert_near(observed(tipping, def(2, 1e-2), 2, 0.3), 2, 0.05);
}

/* A particle on a plate that swings about two axes and moves to and fro, from rest; at rest on it or sliding. */
static scene on_plate(perp_world_def d, double mu, perp_vec3 v) {
    scene s = scene_new(d);
    assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = mu}), PERP_OK);
    perp_body_def b = perp_body_def_default(PERP_BODY_KINEMATIC);
    perp_body_id plate = scene_body(&s, &b);
    scene_shape(&s, plate, perp_shape_halfspace(perp_v3(0, 0, 1), 0));
    const double quarter = 1.5707963267948966;
    const perp_sinusoid terms[3] = {{true, 0, 2, 6, quarter}, {true, 1, 3, 8, quarter}, {false, 1, 2, 5, quarter}};
    perp_motion_def m = perp_motion_def_default(PERP_MOTION_SINUSOID);
    m.terms = terms;
    m.nterm = 3;
    m.zero_mean = false;
    assert_int_equal(perp_body_set_motion(s.w, plate, &m), PERP_OK);
    perp_pose X;
    assert_int_equal(perp_body_pose(s.w, plate, &X), PERP_OK);
    perp_body_def p = perp_body_def_default(PERP_BODY_DYNAMIC);
    p.particle = true;
    p.X_WB.p = perp_pose_apply(X, perp_v3(0.3, 0.1, 0));
    p.v_W = v;
    scene_shape(&s, scene_body(&s, &p), perp_shape_particle(perp_v3(0, 0, 0)));
    return s;
}
static scene slides_on_plate(perp_world_def d) { return on_plate(d, 0.3, perp_v3(3, 1, 0)); }
static scene sticks_to_plate(perp_world_def d) { return on_plate(d, 2, perp_v3(0, 0, 0)); }

static void on_driven(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        perp_world_def d = def(3, 4e-3);
        d.form = k == 0 ? PERP_FORM_LCP : PERP_FORM_CONE;
        assert_near(observed(slides_on_plate, d, 2, 0.4), 2, 0.05);
        assert_near(observed(sticks_to_plate, d, 2, 0.4), 2, 0.05);
    }
}

/* Berard 3.5.3.2: slides on one ball, rolls on the other, with torsion. */
static scene two_balls(perp_world_def d) {
    d.gravity_W = perp_v3(0, 0, 0);
    d.form = PERP_FORM_CONE;
    scene s = scene_new(d);
    assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = 0.2, .e_r = 0.3}), PERP_OK);
    const double r[3] = {10, 9, 1};
    const perp_vec3 at[3] = {{0, 0, 0}, {0, 11.4, 0}, {0, 6.62105263157895, 8.78417110772903}};
    for (int k = 0; k < 3; k++) {
        perp_body_def b = perp_body_def_default(k == 2 ? PERP_BODY_DYNAMIC : PERP_BODY_OBSTACLE);
        b.X_WB.p = at[k];
        b.I_B = perp_m3_diag(0.4, 0.4, 0.4);
        perp_body_id id = scene_body(&s, &b);
        scene_shape(&s, id, perp_shape_sphere(r[k]));
        if (k == 2) assert_int_equal(perp_body_set_force(s.w, id, perp_v3(1, 2.6, -9.81), perp_v3(0, 0, 0)), PERP_OK);
    }
    return s;
}

static void rolling(void **state) {
    (void)state;
    scene s = two_balls(def(3, 1e-2));
    run_steps(&s, 300);
    perp_vec3 v = velocity(&s, 2), w = spin(&s, 2);
    print_message("v(3) = %.9g %.3g %.9g\n", v.x, v.y, v.z);
    assert_near(v.x, 3.526437, 5e-5);
    assert_near(v.z, -1.611273, 5e-5);
    assert_near(distance(w, perp_v3(0.767541, 3.403851, 1.681889)), 0, 1e-4);
    scene_end(&s);
    assert_near(observed(two_balls, def(3, 4e-2), 2, 2), 2, 0.25);
}

/* A damped and driven pair of rods, tied to a third body by a spring with a damper. */
static scene driven(perp_world_def d) {
    scene s = scene_double_pendulum(d);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.I_B = perp_m3_diag(1, 1, 0.08);
    b.X_WB = perp_pose_2d(3, 0, 0);
    b.v_W = perp_v3(0, 3, 0);
    perp_body_id c = scene_body(&s, &b);
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = s.body[0];
    j.X_BJ.p = perp_v3(-0.5, 0, 0);
    j.axis[0].stiffness = 3;
    j.axis[0].rest = 0.3;
    j.axis[0].damping = 0.2;
    scene_joint(&s, &j);
    j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.a = s.body[0];
    j.b = s.body[1];
    j.X_AJ.p = perp_v3(0.5, 0, 0);
    j.X_BJ.p = perp_v3(-0.5, 0, 0);
    j.axis[0].motor = true;
    j.axis[0].motor_speed = 2;
    j.axis[0].motor_force = 1000;
    scene_joint(&s, &j);
    perp_force_def e = perp_force_def_default(PERP_FORCE_SPRING);
    e.a = s.body[0];
    e.b = c;
    e.stiffness = 4;
    e.rest_length = 1;
    e.damping = 0.3;
    assert_int_equal(perp_force_add(s.w, &e, NULL), PERP_OK);
    return s;
}

static void extras(void **state) {
    (void)state;
    assert_near(observed(driven, def(2, 1e-2), 2, 0.4), 2, 0.1);
    assert_near(observed(driven, def(2, 1e-2), 4, 0.4), 2, 0.1); /* what loses energy is not composed */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints),   cmocka_unit_test(references), cmocka_unit_test(sliding),
        cmocka_unit_test(sticking), cmocka_unit_test(on_driven),  cmocka_unit_test(rolling),
        cmocka_unit_test(extras),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
