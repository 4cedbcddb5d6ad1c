/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_joint_start.c - the first step of jointed bodies from rest: the velocity that is shown has the whole acceleration, however short the step. Joint errors that are
 * rounding over h are no impact. */
#include <math.h>

#include "check.h"
#include "perp/joint_space.h"
#include "perp/perp.h"

/* Two links on a driven body that stands still, in 2D. @return the largest error of an acceleration, as a part of it */
static double error_of_first_step(double h) {
    perp_world_def d = perp_world_def_default(2);
    d.h = h;
    d.gravity_W = perp_v3(0, -9.81, 0);
    perp_world *w;
    assert_int_equal(perp_world_create(&d, &w), PERP_OK);
    perp_body_def k = perp_body_def_default(PERP_BODY_KINEMATIC), b = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_body_id base, link[2];
    k.X_WB = perp_pose_2d(0.3, 0.2, 0);
    assert_int_equal(perp_body_add(w, &k, &base), PERP_OK);
    b.mass = 1;
    b.I_B = perp_m3_diag(0.1, 0.1, 0.1);
    for (int i = 0; i < 2; i++) {
        b.X_WB = perp_pose_2d(0.6 + 0.6 * i, 0.2, 0);
        assert_int_equal(perp_body_add(w, &b, &link[i]), PERP_OK);
    }
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.a = base;
    j.b = link[0];
    j.X_BJ.p = perp_v3(-0.3, 0, 0);
    assert_int_equal(perp_joint_add(w, &j, NULL), PERP_OK);
    j.a = link[0];
    j.b = link[1];
    j.X_AJ.p = perp_v3(0.3, 0, 0);
    assert_int_equal(perp_joint_add(w, &j, NULL), PERP_OK);
    perp_joint_space *s;
    assert_int_equal(perp_world_joint_space(w, NULL, &s), PERP_OK);
    double q[2] = {0.4, -0.9}, v[2] = {0, 0}, a[2], work[4], most = 0;
    if (perp_joint_space_set(s, w, q, v, 1e-9)) fail_msg("%s", perp_world_why(w));
    assert_int_equal(perp_joint_space_forward_dynamics(s, v, a, work), PERP_OK);
    if (perp_world_step(w, NULL)) fail_msg("%s", perp_world_why(w));
    assert_int_equal(perp_joint_space_get(s, w, NULL, v), PERP_OK);
    for (int i = 0; i < 2; i++) most = fmax(most, fabs(v[i] / h / a[i] - 1));
    perp_joint_space_free(s);
    perp_world_destroy(w);
    return most;
}

static void first_steps_have_the_whole_acceleration(void **state) {
    (void)state;
    for (double h = 1e-2; h > 5e-7; h /= 10) {
        double e = error_of_first_step(h);
        if (!(e <= 1e-3)) fail_msg("h = %g: %.3g of the acceleration is missing", h, e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_steps_have_the_whole_acceleration)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
