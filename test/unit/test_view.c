/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Arrays of poses and velocities that a world lends: the same numbers as body by body, at the same place, after every step. */
#include "check.h"

#include <stdlib.h>

static void same_as_bodies(const perp_world *w, const perp_world_view *v) {
    perp_body_id id[64];
    int n = perp_world_bodies(w, id, 64);
    for (int i = 0; i < n; i++) {
        perp_pose X;
        perp_vec3 vel, om;
        assert_int_equal(perp_body_pose(w, id[i], &X), PERP_OK);
        assert_int_equal(perp_body_velocity(w, id[i], &vel, &om), PERP_OK);
        const double pose[] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
        const double twist[] = {vel.x, vel.y, vel.z, om.x, om.y, om.z};
        assert_memory_equal(v->pose + 7 * id[i].slot, pose, sizeof pose);
        assert_memory_equal(v->twist + 6 * id[i].slot, twist, sizeof twist);
    }
}

static void follows_steps(void **state) {
    (void)state;
    for (int staggered = 0; staggered < 2; staggered++) {
        perp_start start = staggered ? PERP_START_STAGGERED : PERP_START_PLAIN;
        scene s = scene_tower(world_def(3, 1e-2, start), 5, 0.05, 0.5);
        perp_world_view v, again;
        assert_int_equal(perp_world_look(s.w, &v), PERP_OK);
        assert_true(v.nslot >= 5);
        for (int i = 0; i < 20; i++) {
            assert_int_equal(perp_world_step(s.w, NULL), PERP_OK);
            same_as_bodies(s.w, &v); /* without asking again */
        }
        assert_int_equal(perp_world_look(s.w, &again), PERP_OK);
        assert_ptr_equal(v.pose, again.pose);
        assert_ptr_equal(v.twist, again.twist);
        scene_end(&s);
    }
}

static void follows_states_and_changes(void **state) {
    (void)state;
    scene s = scene_tower(world_def(3, 1e-2, PERP_START_STAGGERED), 3, 0.05, 0.5);
    perp_world_view v;
    assert_int_equal(perp_world_look(s.w, &v), PERP_OK);
    size_t size = perp_world_state_size(s.w);
    void *saved = malloc(size);
    assert_int_equal(perp_world_get_state(s.w, saved, size), PERP_OK);
    for (int i = 0; i < 5; i++) assert_int_equal(perp_world_step(s.w, NULL), PERP_OK);
    assert_int_equal(perp_world_set_state(s.w, saved, size), PERP_OK);
    same_as_bodies(s.w, &v);
    free(saved);
    perp_body_def d = perp_body_def_default(PERP_BODY_DYNAMIC);
    perp_body_id b;
    for (int i = 0; i < 20; i++) {
        d.X_WB = perp_pose_at(0, 0, 10 + i);
        d.v_W = perp_v3(0, 0, i);
        assert_int_equal(perp_body_add(s.w, &d, &b), PERP_OK);
        assert_int_equal(perp_world_step(s.w, NULL), PERP_OK); /* arrays that were lent before are too short: no harm */
    }
    assert_int_equal(perp_world_look(s.w, &v), PERP_OK);
    same_as_bodies(s.w, &v);
    assert_int_equal(perp_body_set_velocity(s.w, b, perp_v3(1, 2, 3), perp_v3(4, 5, 6)), PERP_OK);
    assert_int_equal(perp_world_look(s.w, &v), PERP_OK);
    same_as_bodies(s.w, &v);
    scene_end(&s);
}

static void empty_world(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    perp_world *w;
    perp_world_view v;
    assert_int_equal(perp_world_create(&d, &w), PERP_OK);
    assert_int_equal(perp_world_look(w, &v), PERP_OK);
    assert_int_equal(v.nslot, 0);
    assert_int_equal(perp_world_step(w, NULL), PERP_OK);
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(follows_steps), cmocka_unit_test(follows_states_and_changes),
                                       cmocka_unit_test(empty_world)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
