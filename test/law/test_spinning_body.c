/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* spinning-body: torque-free rotation for a minute; energy, momentum and the reference angular velocity */
#include "check.h"

static void sixty_seconds(void **state) {
    (void)state;
    scene s = scene_spinning_body(world_def(3, 1e-3, PERP_START_PLAIN));
    double energy = 0, momentum = 0;
    for (int i = 1; i <= 60000; i++) {
        run_steps(&s, 1);
        double e;
        perp_vec3 L;
        perp_world_energy(s.w, &e, NULL, NULL);
        perp_world_momentum(s.w, NULL, &L);
        energy = fmax(energy, fabs(e / 4.02 - 1));
        momentum = fmax(momentum, distance(L, perp_v3(0.1, 4, 0.3)) / perp_v3_norm(perp_v3(0.1, 4, 0.3)));
        if (i == 1000) {
            perp_pose X;
            assert_int_equal(perp_body_pose(s.w, s.body[0], &X), PERP_OK);
            perp_vec3 w = perp_q_unrotate(X.q, spin(&s, 0));
            assert_below(distance(w, perp_v3(-0.073263308, 2.001157787, 0.091955628)), 1e-8);
        }
    }
    print_message("spinning-body: drift of energy %.2e, of momentum %.2e\n", energy, momentum);
    assert_below(energy, 1e-11);
    assert_below(momentum, 1e-11);
    scene_end(&s);
}

/* A symmetric top under a constant torque along its axis spins up as a planar body does; across it, it precesses. */
static void driven_top(void **state) {
    (void)state;
    perp_world_def d = world_def(3, 1e-3, PERP_START_STAGGERED);
    d.gravity_W = perp_v3(0, 0, 0);
    scene s = scene_new(d);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.I_B = perp_m3_diag(1, 1, 1.5);
    b.w_W = perp_v3(0, 0, 3);
    scene_body(&s, &b);
    assert_int_equal(perp_body_set_force(s.w, s.body[0], perp_v3(0, 0, 0), perp_v3(0, 0, 0.6)), PERP_OK);
    run_steps(&s, 1000);
    perp_pose X;
    assert_int_equal(perp_body_pose(s.w, s.body[0], &X), PERP_OK);
    double angle_z = 3 + 0.5 * 0.4, turned = 2 * atan2(X.q.z, X.q.w);
    assert_near(remainder(turned - angle_z, 2 * 3.14159265358979323846), 0, 1e-9);
    assert_near(spin(&s, 0).z, 3.4, 1e-9);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sixty_seconds), cmocka_unit_test(driven_top)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
