/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Arrays of poses, velocities and ctrl that a world lends: the same numbers as body by body, at the same place, after every step. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* A wheel of inertia 1 on a hinge, with a force actuator; others that come before it and go. */
static perp_joint_id wheel(perp_world *w, double x) {
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.mass = 1;
    b.I_B = perp_m3_diag(1, 1, 1);
    b.X_WB = perp_pose_at(x, 0, 0);
    perp_joint_def j = perp_joint_def_default(PERP_JOINT_REVOLUTE);
    j.X_AJ = b.X_WB;
    assert_int_equal(perp_body_add(w, &b, &j.b), PERP_OK);
    perp_joint_id id;
    assert_int_equal(perp_joint_add(w, &j, &id), PERP_OK);
    return id;
}

static perp_actuator_id motor(perp_world *w, perp_joint_id j, double ctrl) {
    perp_actuator_def d = perp_actuator_def_default(PERP_ACTUATOR_FORCE);
    perp_actuator_id id;
    d.joint = j;
    d.ctrl = ctrl;
    assert_int_equal(perp_actuator_add(w, &d, &id), PERP_OK);
    return id;
}

static double rate(const perp_world *w, perp_joint_id j) {
    double x[PERP_JOINT_MAX_COORD], v[PERP_JOINT_MAX_COORD];
    assert_int_equal(perp_joint_read(w, j, x, v), PERP_OK);
    return v[0];
}

/* What is written to the array acts in the next step as if it had been set; one that is not finite refuses the step. */
static void ctrl_is_taken_over(void **state) {
    (void)state;
    for (int staggered = 0; staggered < 2; staggered++) {
        perp_world_def d = world_def(3, 1e-2, staggered ? PERP_START_STAGGERED : PERP_START_PLAIN);
        d.gravity_W = perp_v3(0, 0, 0);
        perp_world *w, *set;
        perp_world_view v;
        assert_int_equal(perp_world_create(&d, &w), PERP_OK);
        perp_joint_id j[3];
        perp_actuator_id a[3];
        for (int i = 0; i < 3; i++) {
            j[i] = wheel(w, 5.0 * i);
            a[i] = motor(w, j[i], 0);
        }
        assert_int_equal(perp_world_clone(w, &set), PERP_OK);
        assert_int_equal(perp_world_look(w, &v), PERP_OK);
        assert_int_equal(v.nctrl, 3);
        for (int k = 0; k < 20; k++) {
            v.ctrl[1] = 3.0 + k % 3;
            assert_int_equal(perp_actuator_set_ctrl(set, a[1], v.ctrl[1]), PERP_OK);
            assert_int_equal(perp_world_step(w, NULL), PERP_OK);
            assert_int_equal(perp_world_step(set, NULL), PERP_OK);
            assert_true(perp_world_hash(w) == perp_world_hash(set));
        }
        assert_true(rate(w, j[1]) > 0.5 && rate(w, j[0]) == 0);
        uint64_t before = perp_world_hash(w);
        v.ctrl[2] = NAN;
        assert_int_equal(perp_world_step(w, NULL), PERP_E_ARG);
        assert_non_null(strstr(perp_world_why(w), "ctrl[2]"));
        assert_true(perp_world_hash(w) == before);
        v.ctrl[2] = 0;
        assert_int_equal(perp_world_step(w, NULL), PERP_OK);
        perp_world_destroy(set);
        perp_world_destroy(w);
    }
}

/* The array has a row for each actuator that there is, in their order, whatever came and went. */
static void ctrl_rows(void **state) {
    (void)state;
    perp_world_def d = world_def(3, 1e-2, PERP_START_PLAIN);
    perp_world *w, *copy;
    perp_world_view v;
    perp_actuator_id a[4];
    perp_joint_id j[4];
    assert_int_equal(perp_world_create(&d, &w), PERP_OK);
    for (int i = 0; i < 4; i++) a[i] = motor(w, j[i] = wheel(w, 5.0 * i), 10 + i);
    assert_int_equal(perp_actuator_remove(w, a[1]), PERP_OK);
    assert_int_equal(perp_joint_remove(w, j[3]), PERP_OK);
    assert_int_equal(perp_world_look(w, &v), PERP_OK);
    assert_int_equal(v.nctrl, 2);
    assert_true(v.ctrl[0] == 10 && v.ctrl[1] == 12);
    v.ctrl[1] = 7; /* not yet taken over, but what readers and clones see */
    perp_actuator_def got;
    assert_int_equal(perp_actuator_get(w, a[2], &got), PERP_OK);
    assert_true(got.ctrl == 7);
    assert_int_equal(perp_world_clone(w, &copy), PERP_OK);
    double c[2];
    assert_int_equal(perp_world_get_ctrl(copy, c, 2), 2);
    assert_true(c[0] == 10 && c[1] == 7);
    a[1] = motor(w, j[1], -1); /* takes the slot that is free, between the two */
    assert_int_equal(perp_world_look(w, &v), PERP_OK);
    assert_int_equal(v.nctrl, 3);
    assert_true(v.ctrl[0] == 10 && v.ctrl[1] == -1 && v.ctrl[2] == 7);
    assert_int_equal(perp_actuator_set_ctrl(w, a[2], 8), PERP_OK);
    assert_true(v.ctrl[2] == 8);
    perp_world_destroy(copy);
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(follows_steps), cmocka_unit_test(follows_states_and_changes),
                                       cmocka_unit_test(empty_world), cmocka_unit_test(ctrl_is_taken_over),
                                       cmocka_unit_test(ctrl_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
