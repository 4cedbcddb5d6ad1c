/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Neighbours whose masses differ by 1e8: a stack of cubes with the heavy one on top stays where it is, or the step says why
 * not, and either way it ends in time. */
#include <string.h>
#include <time.h>

#include "check.h"

static void ends_in_time(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int light_below = 0; light_below < 2; light_below++) {
            scene s = scene_new(world_def(dim, 5e-3, PERP_START_PLAIN));
            perp_vec3 up = dim == 2 ? perp_v3(0, 1, 0) : perp_v3(0, 0, 1);
            assert_int_equal(perp_pair_set_all(s.w, (perp_pair_law){.mu = 0.5}), PERP_OK);
            perp_body_def floor = perp_body_def_default(PERP_BODY_OBSTACLE);
            scene_shape(&s, scene_body(&s, &floor), perp_shape_halfspace(up, 0));
            for (int i = 0; i < 4; i++) {
                perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
                perp_shape_def box = perp_shape_box(0.1, 0.1, 0.1);
                bool heavy = i % 2 == light_below;
                assert_int_equal(perp_body_def_mass(&b, &box, dim, heavy ? 1e8 : 1), PERP_OK);
                b.X_WB.p = perp_v3_scale(0.1 + 0.2 * i, up);
                scene_shape(&s, scene_body(&s, &b), box);
            }
            perp_status st = PERP_OK;
            clock_t begun = clock();
            int steps = 0;
            for (; !st && steps < 20; steps++) st = perp_world_step(s.w, NULL);
            double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
            assert_below(seconds, 5.0 * steps + 1); /* processor time */
            if (st) {
                assert_int_equal(st, PERP_E_SOLVE);
                assert_true(strlen(perp_world_why(s.w)) > 20);
                print_message("%dD, %s: step %d: %s\n", dim, light_below ? "light below" : "heavy below", steps,
                              perp_world_why(s.w));
            } else {
                for (int i = 0; i < 4; i++) assert_near(perp_v3_dot(position(&s, 1 + i), up), 0.1 + 0.2 * i, 1e-6);
            }
            scene_end(&s);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_in_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
