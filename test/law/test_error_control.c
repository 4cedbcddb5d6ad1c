/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Steps that are divided for their error: the error of a run falls with the tolerance, a run far from any change pays
 * nothing, impacts are looked at closely, and the same bits come from a world that was saved and restored between. */
#include "../unit/world_help.h"

static perp_world *pendulum(double tolerance, double h) {
    perp_world_def d = perp_world_def_default(2);
    d.h = h;
    d.error_tolerance = tolerance;
    d.max_halvings = 12;
    perp_world *w = world_of(&d);
    perp_body_id b = add_mass(w, 1, 1.0 / 12, perp_pose_at(0.5, 0, 0));
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.b = b;
    j.X_BJ = perp_pose_at(-0.5, 0, 0);
    OK(w, perp_joint_add(w, &j, NULL));
    return w;
}

static double angle_of(const perp_world *w) {
    perp_body_id b;
    double a = NAN;
    perp_world_bodies(w, &b, 1);
    (void)perp_body_angle(w, b, &a);
    return a;
}

/* A rod that falls about its end: the true angle after 0.4 s is the integral of the elliptic problem; here from steps a
 * thousand times smaller. */
static void error_falls(void **state) {
    (void)state;
    perp_world *w = pendulum(0, 1e-5);
    go(w, 40000);
    double truth = angle_of(w), before = INFINITY;
    perp_world_destroy(w);
    for (int k = 0; k < 3; k++) {
        double tolerance = pow(10, -4 - k);
        w = pendulum(tolerance, 0.05);
        perp_certificate c = go(w, 8);
        double error = fabs(angle_of(w) - truth);
        BELOW(error, before / 2);
        BELOW(c.error, 1);
        assert_true(c.error > 0);
        assert_true(c.substeps > 16);
        assert_true(c.rejected > 0);
        NEAR(c.h, 0.4, 1e-12);
        before = error;
        perp_world_destroy(w);
    }
}

/* A body in uniform motion: halves are taken, nothing is rejected. An impact: parts shrink there alone. */
static void only_where_needed(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.1;
    d.error_tolerance = 1e-6;
    d.gravity_W = perp_v3(0, 0, 0);
    d.impacts = PERP_IMPACTS_PLAIN; /* ordered, they have no error that dividing would find */
    perp_world *w = world_of(&d);
    perp_body_def fixed = perp_body_def_default(PERP_BODY_OBSTACLE);
    add_shape(w, add_def(w, &fixed), perp_shape_halfspace(perp_v3(0, 1, 0), 0));
    perp_body_id b = add_mass(w, 1, 0.1, perp_pose_at(0, 1, 0));
    add_shape(w, b, perp_shape_sphere(0.1));
    OK(w, perp_body_set_velocity(w, b, perp_v3(0, -2, 0), perp_v3(0, 0, 0)));
    perp_certificate c = go(w, 4); /* to y = 0.2 */
    assert_int_equal(c.rejected, 0);
    assert_int_equal(c.substeps, 8);
    perp_pose X;
    OK(w, perp_body_pose(w, b, &X));
    NEAR(X.p.y, 0.2, 1e-12);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.restitution = 1}));
    c = go(w, 1); /* it meets the floor after half of this step */
    OK(w, perp_body_pose(w, b, &X));
    assert_true(c.rejected > 0);
    NEAR(X.p.y, 0.2, 0.01);
    perp_world_destroy(w);
}

static void refused(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    perp_world *w;
    char why[256];
    d.error_tolerance = -1;
    assert_int_equal(perp_world_create_why(&d, &w, why, sizeof why), PERP_E_ARG);
    d.error_tolerance = 1e-6;
    d.start = PERP_START_STAGGERED;
    assert_int_equal(perp_world_create_why(&d, &w, why, sizeof why), PERP_E_FIT);
    assert_non_null(strstr(why, "staggered"));
}

static void same_after_restoring(void **state) {
    (void)state;
    perp_world *w = pendulum(1e-5, 0.05), *v = pendulum(1e-5, 0.05);
    go(w, 6);
    size_t size = perp_world_state_size(w);
    void *saved = malloc(size);
    assert_non_null(saved);
    OK(w, perp_world_get_state(w, saved, size));
    OK(v, perp_world_set_state(v, saved, size));
    go(w, 6);
    go(v, 6);
    assert_true(angle_of(w) == angle_of(v));
    free(saved);
    perp_world_destroy(w);
    perp_world_destroy(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(error_falls), cmocka_unit_test(only_where_needed),
                                       cmocka_unit_test(refused), cmocka_unit_test(same_after_restoring)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
