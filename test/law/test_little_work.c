/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_little_work.c - the work of a step may run out anywhere
 *
 * A pile of boxes, corners on corners, with joints and rebounds, is stepped with limits from nothing to plenty. Every step either has an
 * answer that obeys the laws, or fails and leaves the world as it was. */
#include "peg_scenes.h"

static perp_world *pile(int dim, const char *stepper, double work_limit, double restitution) {
    perp_world_def d = perp_world_def_default(dim);
    d.stepper = stepper;
    d.h = 0.01;
    d.work_limit = work_limit;
    perp_world *w = world_of(&d);
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.5, .restitution = restitution}));
    add_floor(w);
    perp_body_id last = {0};
    for (int i = 0; i < 6; i++) {
        perp_pose X = at_height(dim, i == 3 ? 0 : 0.11 * (i % 2), 0.1 + 0.2 * i);
        if (i != 2 && i != 3) X.q = perp_q_axis_angle(perp_v3(0, 0, 1), 0.3 * (i % 3));
        perp_body_id b = add_solid(w, PERP_BODY_DYNAMIC, perp_shape_box(0.1, 0.1, 0.1), 100, X, perp_v3(0, 0, 0),
                                   perp_v3(0, 0, i % 2));
        if (i == 3) {
            perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
            j.a = last;
            j.b = b;
            j.X_AJ = (perp_pose){at_height(dim, 0, 0.1).p, {1, 0, 0, 0}};
            j.X_BJ = (perp_pose){at_height(dim, 0, -0.1).p, {1, 0, 0, 0}};
            perp_joint_id id;
            OK(w, perp_joint_add(w, &j, &id));
        }
        last = b;
    }
    return w;
}

static void ends_anywhere(void **state) {
    (void)state;
    int solved = 0, failed = 0;
    for (int k = 0; k < 8; k++)
        for (double limit = 1e4; limit < 3e8; limit *= 2) {
            perp_world *w = pile(2 + k % 2, k < 4 ? NULL : "second-order", limit, k % 4 < 2 ? 0 : 0.6);
            for (int i = 0; i < 15; i++) {
                perp_certificate c;
                uint64_t before = perp_world_hash(w);
                perp_status st = perp_world_step(w, &c);
                if (st) {
                    assert_int_equal(st, PERP_E_SOLVE);
                    assert_true(perp_world_hash(w) == before);
                    failed++;
                    break;
                }
                assert_true(c.accepted);
                solved++;
            }
            perp_world_destroy(w);
        }
    print_message("%d steps solved, %d failed for want of work\n", solved, failed);
    assert_true(solved > 0 && failed > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
