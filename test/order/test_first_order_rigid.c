/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_first_order_rigid.c - with growing stiffness `first-order` approaches `stewart-trinkle`: differences fall with 1/k
 * on an incline, a stack and a sphere on two spheres, with cones and pyramids; joints likewise */
#include "check.h"

typedef scene (*maker)(perp_world_def d);

static scene incline(perp_world_def d) { return scene_incline(d, 0.26179938779914941, 0.125); }
static scene stack(perp_world_def d) { return scene_stack(d, 3, 2, 0.4); }

/* Berard 3.5.3.2, without torsion: a ball in the valley of two fixed spheres, pushed along it. */
static scene two_spheres(perp_world_def d) {
    d.gravity_W = perp_v3(0, 0, 0);
    scene s = scene_new(d);
    assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = 0.2}), PERP_OK);
    const double radius[2] = {10, 9}, y[2] = {0, 11.4};
    for (int i = 0; i < 2; i++) {
        perp_body_def o = perp_body_def_default(PERP_BODY_OBSTACLE);
        o.X_WB = perp_pose_at(0, y[i], 0);
        perp_body_id b = scene_body(&s, &o);
        perp_shape_def ball = perp_shape_sphere(radius[i]);
        assert_int_equal(perp_shape_add(s.w, b, &ball, NULL), PERP_OK);
    }
    perp_body_def p = perp_body_def_default(PERP_BODY_DYNAMIC);
    p.I_B = perp_m3_diag(0.4, 0.4, 0.4);
    p.X_WB = perp_pose_at(0, 6.62105263157895, 8.78417110772903);
    perp_body_id b = scene_body(&s, &p);
    perp_shape_def ball = perp_shape_sphere(1);
    assert_int_equal(perp_shape_add(s.w, b, &ball, NULL), PERP_OK);
    assert_int_equal(perp_body_set_force(s.w, b, perp_v3(1, 2.6, -9.81), perp_v3(0, 0, 0)), PERP_OK);
    return s;
}

/* Where body `which` ends, with contacts of stiffness k, or rigid ones by Stewart and Trinkle for k = 0. */
static perp_vec3 end_of(maker make, perp_world_def d, double mu, double k, int which, int n) {
    d.contact_model = "one-plane";
    d.stepper = k > 0 ? "first-order" : "stewart-trinkle";
    if (!(k > 0)) d.geometry = PERP_GEOMETRY_ONCE; /* its stiff joints are rows of the start */
    scene s = make(d);
    if (k > 0)
        assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = mu, .compliance = PERP_LINEAR, .stiffness = k}),
                         PERP_OK);
    run_steps(&s, n);
    perp_vec3 x = position(&s, which);
    scene_end(&s);
    return x;
}

static void approaches(const char *what, maker make, perp_world_def d, double mu, double k, int which, int n) {
    perp_vec3 rigid = end_of(make, d, mu, 0, which, n);
    double last = 0;
    for (int i = 0; i < 3; i++, k *= 10) {
        double off = distance(end_of(make, d, mu, k, which, n), rigid);
        if (i > 0) {
            double order = log10(last / off);
            print_message("%s: k = %g, off by %.3e, order %.3f\n", what, k, off, order);
            assert_true(order > 0.9 && order < 1.1);
        }
        last = off;
    }
}

static void contacts(void **state) {
    (void)state;
    for (int form = 0; form < 3; form++) {
        perp_world_def d = world_def(3, 0.01, PERP_START_PLAIN);
        d.form = (perp_form)form;
        d.tolerance = 1e-12;
        approaches("incline", incline, d, 0.125, 1e7, 1, 50);
        approaches("stack", stack, d, 0.4, 1e7, 3, 30);
        approaches("two spheres", two_spheres, d, 0.2, 1e7, 2, 50);
    }
}

static double pendulum(double k) {
    perp_world_def d = world_def(2, 1e-3, PERP_START_PLAIN);
    d.stepper = k > 0 ? "first-order" : "stewart-trinkle";
    if (!(k > 0)) d.geometry = PERP_GEOMETRY_ONCE; /* its stiff joints are rows of the start */
    scene s = scene_double_pendulum(d);
    if (k > 0) assert_int_equal(perp_world_set(s.w, "first-order.stiffness", k), PERP_OK);
    run_steps(&s, 500);
    double a = angle(&s, 1);
    scene_end(&s);
    return a;
}

static void joints(void **state) {
    (void)state;
    double rigid = pendulum(0), last = 0;
    for (int i = 0; i < 3; i++) {
        double k = pow(10, 8 + i), off = fabs(pendulum(k) - rigid);
        if (i > 0) assert_near(log10(last / off), 1, 0.1);
        last = off;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(contacts), cmocka_unit_test(joints)};
    return cmocka_run_group_tests_name("order: first-order with growing stiffness", tests, NULL, NULL);
}
