/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The time after k steps of h is k h exactly, not a sum of k roundings. */
#include "check.h"

static scene ball(double h) {
    scene s = scene_new(world_def(2, h, PERP_START_PLAIN));
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_shape_def disc = perp_shape_sphere(0.1);
    assert_int_equal(perp_body_def_mass(&b, &disc, 2, 1), PERP_OK);
    scene_shape(&s, scene_body(&s, &b), disc);
    return s;
}

static void is_a_multiple(void **state) {
    (void)state;
    scene s = ball(0.1);
    double sum = 0;
    bool differs = false;
    for (int k = 1; k <= 1000; k++) {
        perp_certificate c;
        assert_int_equal(perp_world_step(s.w, &c), PERP_OK);
        sum += 0.1;
        differs |= sum != k * 0.1;
        assert_true(perp_world_time(s.w) == k * 0.1);
        assert_true(c.t == k * 0.1);
    }
    assert_true(differs); /* sums would have been seen */
    scene_end(&s);
}

/* Another step length goes on from where the time is. */
static void goes_on_with_another_step(void **state) {
    (void)state;
    scene s = ball(0.1);
    for (int k = 0; k < 3; k++) assert_int_equal(perp_world_step(s.w, NULL), PERP_OK);
    assert_int_equal(perp_world_set_h(s.w, 0.25), PERP_OK);
    for (int k = 0; k < 2; k++) assert_int_equal(perp_world_step(s.w, NULL), PERP_OK);
    assert_near(perp_world_time(s.w), 0.8, 1e-15);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_a_multiple), cmocka_unit_test(goes_on_with_another_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
